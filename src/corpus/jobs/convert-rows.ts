// Chat records as text of 2.2 from their rows: those that lose nothing and need no escape never become values. As they
// are given, the text is what a unit of the record holds (records/unit-chat.ts).

import { KIND, SLOW } from '../../abi.ts';
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
