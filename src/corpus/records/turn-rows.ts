// Rows of an input that begins with a turn: turns that follow each other are one transcript (R-JSON), and are read as
// values. What stands between them stays rows.

import { FROM, KIND, SLOW, TO } from '../../abi.ts';
import { wordAt } from '../../scan/record-rows.ts';
import type { CorpusRecord, RecordProblem } from './record-types.ts';
import { isTurnRow, lineOf, nextRecord, type RecordRows } from './rows.ts';

/** Lines of a window that hold no turn. */
export interface RowsBetween {
  /** Addresses in the scanner's memory. */
  readonly from: number;
  to: number;
  /** Number of the first line. */
  readonly line: number;
}

type Part = CorpusRecord | RecordProblem | RowsBetween;

export const isRecord = (part: Part): part is CorpusRecord | RecordProblem => 'number' in part;

/**
 * The turns among rows, records that had to be read to know that they are none, and what stands between these, in
 * order. A turn between others is read alone, and stays among them where it has a row. `read` gives a record of which
 * `bytesOf` are.
 */
export function dividedByTurns(
  rows: RecordRows, read: (row: number) => CorpusRecord | RecordProblem, bytesOf: (row: number) => Buffer,
): Part[] {
  const { machine: { rows: words } } = rows;
  const parts: Part[] = [];
  let between: RowsBetween | null = null;
  /** The turn before, which may stay a row; -1: there is none. */
  let alone = -1;
  for (let row = 0; row < rows.to; row = nextRecord(rows, row)) {
    const isSlow = (wordAt(words, row, KIND) & SLOW) !== 0;
    const isRead = isSlow ? mayBeTurn(bytesOf(row)) : isTurnRow(rows, row);
    if (isRead && !isSlow && between !== null && alone < 0) {
      alone = row;
      continue;
    }
    if (isRead) {
      if (alone >= 0) parts.push(read(alone));
      alone = -1;
      between = null;
      parts.push(read(row));
      continue;
    }
    alone = -1;
    // Behind its line feed.
    const to = wordAt(words, row, TO) + 1;
    if (between !== null) between.to = to;
    else parts.push(between = { from: wordAt(words, row, FROM), to, line: lineOf(rows, row) });
  }
  if (alone >= 0) parts.push(read(alone));
  return parts;
}

/** A key may be written with escapes. */
const mayBeTurn = (bytes: Buffer): boolean => bytes.includes('"role"') || bytes.includes('\\u');
