// Messages of raw text of which the audit has nothing to tell: no view is made of them.

import { BODY, FROM, KIND, KIND_MASK, ROW_WORDS, TO } from '../../abi.ts';
import { isPlainRow } from '../../rules/count-texts.ts';
import type { RecordMachine } from '../../scan/record-machine.ts';
import { type Batch, fromOf, nextOf, toOf } from '../../scan/table.ts';
import { isCleanHeader } from './signs.ts';

/** Bytes of messages that are passed before one is looked at all the same, which tells how far everything was seen. */
const MOST_PASSED = 64 * 1024;

/** Says of messages whether they can be passed: plain ones without a sign. `records` sees signs, in its output. */
export function passerOf(records: RecordMachine): (batch: Batch, row: number) => boolean {
  const { output, outputAt } = records;
  let seen = 0;
  return (batch, row) => {
    const { words, first, dialect, source } = batch;
    const [from, to] = [fromOf(batch, row), toOf(batch, row)];
    const canPass = to - seen <= MOST_PASSED && isPlainRow(words, row - first, nextOf(batch, row) - first);
    if (!canPass) {
      seen = to;
      return false;
    }
    let body = row + 1 - first;
    while ((words[body * ROW_WORDS + KIND]! & KIND_MASK) !== BODY) body++;
    const shift = batch.base - from;
    const bodyFrom = words[body * ROW_WORDS + FROM]! + shift;
    const bodyTo = words[body * ROW_WORDS + TO]! + shift;
    output.set(source.bytes(from, to));
    return !records.mayHold(outputAt + bodyFrom, outputAt + bodyTo) && isCleanHeader(output, 0, bodyFrom, dialect.id);
  };
}
