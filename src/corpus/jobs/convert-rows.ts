// Chat records as text of 2.2 from their rows: those that lose nothing and need no escape never become values. As they
// are given, the text is what a unit of the record holds (records/unit-chat.ts).

import {
  FROM, HAS_LOSSES, HAS_SIDES, IS_TEXT, KIND, NEXT, RECORD_ROWS, SLOW, TOOLS_MASK, TOOLS_NONE, TOOLS_SHIFT,
} from '../../abi.ts';
import { textPieces } from '../../formats/chat/record-texts.ts';
import { writeTranscript } from '../../formats/write/write.ts';
import type { TextsWritten } from '../../scan/record-machine.ts';
import { wordAt } from '../../scan/record-rows.ts';
import { QUOTE } from '../records/json-bytes.ts';
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

/** The text of a record without a message. */
export const emptyText = (): Uint8Array => Buffer.from(writeTranscript(NOTHING, 'openchatml-2.2').text);
const NOTHING = { header: null, tools: [], messages: [] };

/**
 * How many records from row `record` on, before row `to`, are transcripts without a message, which are not written from
 * their rows.
 */
export function countEmpty({ machine: { rows } }: RecordRows, record: number, to: number): number {
  let count = 0;
  for (; record < to && isEmpty(rows, record); record = wordAt(rows, record, NEXT)) count++;
  return count;
}

/** The same of those that lose nothing as text. */
export function countPlainEmpty({ machine: { rows, input, origin } }: RecordRows, record: number, to: number): number {
  let count = 0;
  for (; record < to && isEmpty(rows, record); record = wordAt(rows, record, NEXT)) {
    // An id is no part of the text; one that is a number may not be what readers hold.
    const id = wordAt(rows, record + 2, FROM);
    const isPlain = id === 0 || input[id - origin] === QUOTE;
    if (!isPlain || (wordAt(rows, record, KIND) & HAS_LOSSES) !== 0) break;
    count++;
  }
  return count;
}

function isEmpty(rows: Int32Array, record: number): boolean {
  const tools = wordAt(rows, record + 1, KIND);
  return wordAt(rows, record, NEXT) === record + RECORD_ROWS && (wordAt(rows, record, KIND) & SLOW) === 0
    && (tools & (HAS_SIDES | IS_TEXT)) === 0 && ((tools >> TOOLS_SHIFT) & TOOLS_MASK) === TOOLS_NONE;
}
