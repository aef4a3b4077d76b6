// Chat records as text of 2.2 from their rows: those that lose nothing and need no escape never become values. As they
// are given, the text is what a unit of the record holds (records/unit-chat.ts).

import {
  HAS_SIDES, IS_TEXT, KIND, NEXT, RECORD_ROWS, SLOW, TOOLS_MASK, TOOLS_NONE, TOOLS_SHIFT,
} from '../../abi.ts';
import { textPieces } from '../../formats/chat/record-texts.ts';
import type { TextsWritten } from '../../scan/record-machine.ts';
import { wordAt } from '../../scan/record-rows.ts';
import type { RecordRows } from '../records/rows.ts';

/**
 * Writes the records from row `record` on, before row `to`; gives what was written, piece by piece. Answers the first
 * record that must be read as a value, or `to`.
 */
export function* writeRecordTexts(
  { machine, tools }: RecordRows, record: number, to: number, asGiven = false,
): Generator<TextsWritten, number, void> {
  machine.setPieces(textPieces());
  while (record < to) {
    const written = machine.writeTexts(record, to, asGiven);
    const { next, missing, texts } = written;
    if (texts > 0) yield written;
    record = next;
    if (next === to) break;
    if (missing > 0) {
      const text = tools.wholeTextOf(missing);
      if (text === null || !machine.setToolsText(missing, text)) break;
    } else if (texts === 0 || wordAt(machine.rows, next, KIND) & SLOW) break;
  }
  return record;
}

/** What the text of a record begins with. */
export const emptyText = (): Uint8Array => textPieces().pieces[0]!;

/**
 * How many records from row `record` on, before row `to`, are transcripts without a message. As they are given they are
 * not written: their text, a header alone, would belong to the text behind it.
 */
export function countEmpty({ machine: { rows } }: RecordRows, record: number, to: number): number {
  let count = 0;
  for (; record < to && isEmpty(rows, record); record = wordAt(rows, record, NEXT)) count++;
  return count;
}

function isEmpty(rows: Int32Array, record: number): boolean {
  const tools = wordAt(rows, record + 1, KIND);
  return wordAt(rows, record, NEXT) === record + RECORD_ROWS && (wordAt(rows, record, KIND) & SLOW) === 0
    && (tools & (HAS_SIDES | IS_TEXT)) === 0 && ((tools >> TOOLS_SHIFT) & TOOLS_MASK) === TOOLS_NONE;
}
