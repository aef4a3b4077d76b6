// Rows of an input that begins with a turn: turns that follow each other are one transcript (R-JSON), and are read as
// values. What stands between them stays rows.

import { FROM, KIND, SLOW, TO } from '../../abi.ts';
import { wordAt } from '../../scan/record-rows.ts';
import type { CorpusRecord, RecordProblem } from './record-types.ts';
import { isTurnRow, lineOf, nextRecord, type RecordRows } from './rows.ts';
import { isTurn } from './turns.ts';

/** Lines of a window that hold no turn. */
export interface RowsBetween {
  /** Addresses in the scanner's memory. */
  readonly from: number;
  to: number;
  /** Number of the first line. */
  readonly line: number;
}

export const isBetween = (part: CorpusRecord | RowsBetween): part is RowsBetween => !('value' in part);

/**
 * The turns among rows, and what stands between them, in order. A turn between others is read alone, and stays among
 * them where it has a row. `read` gives a record of which `bytesOf` are.
 */
export function dividedByTurns(
  rows: RecordRows, read: (row: number) => CorpusRecord | RecordProblem, bytesOf: (row: number) => Buffer,
): (CorpusRecord | RowsBetween)[] {
  const { machine: { rows: words } } = rows;
  const parts: (CorpusRecord | RowsBetween)[] = [];
  let between: RowsBetween | null = null;
  /** The turn before, which may stay a row; -1: there is none. */
  let alone = -1;
  const endAlone = (): void => {
    if (alone < 0) return;
    parts.push(read(alone) as CorpusRecord);
    alone = -1;
    between = null;
  };
  for (let row = 0; row < rows.to; row = nextRecord(rows, row)) {
    const isSlow = (wordAt(words, row, KIND) & SLOW) !== 0;
    const mayBe = isSlow ? mayBeTurn(bytesOf(row)) : isTurnRow(rows, row);
    if (mayBe && !isSlow && between !== null && alone < 0) {
      alone = row;
      continue;
    }
    const record = mayBe ? read(row) : null;
    if (record !== null && !('problem' in record) && isTurn(record.value)) {
      endAlone();
      parts.push(record);
      between = null;
      continue;
    }
    alone = -1;
    // Behind its line feed.
    const to = wordAt(words, row, TO) + 1;
    if (between !== null) between.to = to;
    else parts.push(between = { from: wordAt(words, row, FROM), to, line: lineOf(rows, row) });
  }
  endAlone();
  return parts;
}

/** A key may be written with escapes. */
const mayBeTurn = (bytes: Buffer): boolean => bytes.includes('"role"') || bytes.includes('\\');
