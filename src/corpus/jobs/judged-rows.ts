// What rows say of a record beside what is found in it: its messages and calls, its id, its text.

import {
  CALL, FROM, HAS_DEVELOPER, HAS_SIDES, KIND, NEXT, RECORD_ROWS, TO, TOKEN_MASK, TOKEN_SHIFT, TOOLS_MASK, TOOLS_NONE,
  TOOLS_SHIFT,
} from '../../abi.ts';
import { wordAt } from '../../scan/record-rows.ts';
import { bytesOfRow } from '../records/row-pointers.ts';
import { isTurnRow, lineOf, type RecordRows } from '../records/rows.ts';
import { judgedBytes, type JudgedRecord, judgedTurn } from './verdict.ts';

/** How many messages and calls a record holds. */
export function countsOf({ machine: { rows } }: RecordRows, record: number): { messages: number; calls: number } {
  let [messages, calls] = [0, 0];
  const end = wordAt(rows, record, NEXT);
  for (let row = record + RECORD_ROWS; row < end; row = wordAt(rows, row, NEXT)) {
    messages++;
    if (((wordAt(rows, row, KIND) >> TOKEN_SHIFT) & TOKEN_MASK) === CALL) calls++;
  }
  // Definitions are a message of each transcript, where no developer's holds them.
  const tools = wordAt(rows, record + 1, KIND);
  const hasOwn = ((tools >>> TOOLS_SHIFT) & TOOLS_MASK) !== TOOLS_NONE && !(wordAt(rows, record, KIND) & HAS_DEVELOPER);
  if (hasOwn) messages += tools & HAS_SIDES ? 2 : 1;
  return { messages, calls };
}

/** What is told of it, to be written as one of several lines. Valid while its rows are. */
export function judgedRow(rows: RecordRows, record: number): JudgedRecord {
  const { rows: words, memory } = rows.machine;
  const id = memory.subarray(wordAt(words, record + 2, FROM), wordAt(words, record + 2, TO));
  const judged = judgedBytes(lineOf(rows, record), bytesOfRow(rows, record), id);
  return isTurnRow(rows, record) ? judgedTurn(judged) : judged;
}
