// Records of an input as rows: what a window of lines holds is scanned at once.

import { FROM, KIND, NEXT, RECORD_ROWS, RECORD_SHIFT } from '../../abi.ts';
import { isBlankByte } from '../../model/bytes.ts';
import type { RecordMachine } from '../../scan/record-machine.ts';
import { wordAt } from '../../scan/record-rows.ts';
import type { ValueFraming } from './framing.ts';
import type { RecordTools } from './record-tools.ts';

/** Records that were scanned together. Valid until the next ones are asked for. */
export interface RecordRows {
  readonly machine: RecordMachine;
  /** Number of rows; the first record is row 0. */
  readonly to: number;
  /** Number of records. */
  readonly records: number;
  /** Position in the file of address 0: that of a row's FROM is `base + FROM`. */
  readonly base: number;
  /** Number of the first record in the input, and of the first line, from 1. */
  readonly record: number;
  readonly line: number;
  /** The tools of records, by what the scanner knows of them. */
  readonly tools: RecordTools;
  /** Knows the lines of records that are not one a line; null: they are. */
  readonly framing: ValueFraming | null;
}

export const isRows = (item: object): item is RecordRows => 'to' in item && 'machine' in item;

/** Ordinal of the record at a row, among those of the table. */
export const ordinalOf = ({ machine }: RecordRows, row: number): number =>
  wordAt(machine.rows, row, KIND) >>> RECORD_SHIFT;

/** Line of the record at a row. */
export const lineOf = ({ machine, base, line, framing }: RecordRows, row: number): number =>
  framing?.lineAt(base + wordAt(machine.rows, row, FROM)) ?? line + wordAt(machine.rows, row + 1, NEXT);

/** The record at a row is a turn by itself: its message is all of it. */
export function isTurnRow({ machine: { rows, memory } }: RecordRows, row: number): boolean {
  let from = wordAt(rows, row, FROM);
  while (isBlankByte(memory[from])) from++;
  return wordAt(rows, row, NEXT) > row + RECORD_ROWS && wordAt(rows, row + RECORD_ROWS, FROM) === from;
}

export const nextRecord = ({ machine }: RecordRows, row: number): number => wordAt(machine.rows, row, NEXT);
