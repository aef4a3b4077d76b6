// A piece of the offset table that the model looks at: rows, and what their positions count from.

import {
  FROM, KIND, KIND_MASK, LITERAL, NEXT, ROW_WORDS, TO, TOKEN_MASK, TOKEN_SHIFT, UNTERMINATED,
} from '../abi.ts';
import type { Dialect } from './dialects.ts';
import type { Source } from './source.ts';

export interface Table {
  /** Four words a row. Long messages are kept with base 0, behind the first gibibyte in doubles. */
  readonly words: Int32Array | Float64Array;
  readonly base: number;
  /** Number of the row at words[0]; NEXT words count row numbers. */
  readonly first: number;
  readonly source: Source;
}

/**
 * Top-level rows [from, to) of a table that will not change any more, all of one dialect. Valid until the next batch is
 * asked for.
 */
export interface Batch extends Table {
  readonly from: number;
  readonly to: number;
  readonly dialect: Dialect;
}

export const kindWord = (table: Table, row: number): number => table.words[(row - table.first) * ROW_WORDS + KIND]!;
export const kindOf = (table: Table, row: number): number => kindWord(table, row) & KIND_MASK;
export const tokenOf = (table: Table, row: number): number => (kindWord(table, row) >>> TOKEN_SHIFT) & TOKEN_MASK;
export const fromOf = (table: Table, row: number): number =>
  table.base + table.words[(row - table.first) * ROW_WORDS + FROM]!;
export const toOf = (table: Table, row: number): number =>
  table.base + table.words[(row - table.first) * ROW_WORDS + TO]!;
export const nextOf = (table: Table, row: number): number => table.words[(row - table.first) * ROW_WORDS + NEXT]!;

export interface RowBelow {
  readonly from: number;
  readonly to: number;
  readonly token: number;
  /** Of a literal block. */
  readonly unterminated: boolean;
}

/** The descendants of a row that are of a kind, in order; of a token when it is given. */
export function* rowsBelow(
  table: Table, row: number, kind: number, token?: number,
): Generator<RowBelow, void, void> {
  const end = nextOf(table, row);
  const mask = token === undefined ? KIND_MASK : KIND_MASK | TOKEN_MASK << TOKEN_SHIFT;
  const wanted = token === undefined ? kind : kind | token << TOKEN_SHIFT;
  for (let below = row; (below = find(table, below + 1, end, mask, wanted)) < end; ) {
    const unterminated = kind === LITERAL && (kindWord(table, below) & UNTERMINATED) !== 0;
    yield { from: fromOf(table, below), to: toOf(table, below), token: tokenOf(table, below), unterminated };
  }
}

/**
 * The first row from `row` on of which the masked word is as wanted; `end` when none comes before it. There may be
 * millions of others, and a loop within a generator takes ten times as long.
 */
function find({ words, first }: Table, row: number, end: number, mask: number, wanted: number): number {
  while (row < end && (words[(row - first) * ROW_WORDS + KIND]! & mask) !== wanted) row++;
  return row;
}

/** Words of the smallest table that holds rows. */
const LEAST = 8 * ROW_WORDS;
/** Memory that was never touched takes none, and each step copies: with 2 the copies take twice as long as the rest. */
const GROWTH = 4;

/** A table that grows: rows are appended with absolute positions. */
export class GrowingTable {
  words: Int32Array | Float64Array;
  count = 0;

  constructor(words: Int32Array | Float64Array) {
    this.words = words;
  }

  clear(): void {
    this.count = 0;
  }

  /** From now on positions may be of any size. */
  widen(): void {
    const { words } = this;
    if (words instanceof Int32Array) this.words = Float64Array.from(words.subarray(0, this.count * ROW_WORDS));
  }

  /** Adds to the row numbers in NEXT words. */
  renumber(by: number): void {
    for (let at = NEXT; by !== 0 && at < this.count * ROW_WORDS; at += ROW_WORDS) {
      if (this.words[at] !== 0) this.words[at]! += by;
    }
  }

  /**
   * Appends rows [from, to) of `words`; adds `base` to positions and `renumber` to row numbers. Open rows keep NEXT 0.
   */
  append(words: Int32Array | Float64Array, from: number, to: number, base: number, renumber: number): void {
    const needed = (this.count + to - from) * ROW_WORDS;
    if (needed > this.words.length) {
      const Kind = this.words.constructor as Int32ArrayConstructor;
      const larger = new Kind(Math.max(needed, this.words.length * GROWTH, LEAST));
      larger.set(this.words.subarray(0, this.count * ROW_WORDS) as Int32Array);
      this.words = larger;
    }
    const into = this.words;
    let at = this.count * ROW_WORDS;
    this.count += to - from;
    for (let row = from * ROW_WORDS; row < to * ROW_WORDS; row += ROW_WORDS, at += ROW_WORDS) {
      const next = words[row + NEXT]!;
      into[at + KIND] = words[row + KIND]!;
      into[at + FROM] = words[row + FROM]! + base;
      into[at + TO] = words[row + TO]! + base;
      into[at + NEXT] = next === 0 ? 0 : next + renumber;
    }
  }
}
