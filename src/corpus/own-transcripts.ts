// The transcripts of a part of an input: those that begin in it, to their ends.

import { isStart, type Range } from '../model/part-walk.ts';
import { type Batch, fromOf, kindWord } from '../scan/table.ts';

/** Where a row lies. */
export const BEFORE = 0;
export const OWN = 1;
export const BEHIND = 2;
export type Lies = typeof BEFORE | typeof OWN | typeof BEHIND;

/** Every transcript of an input belongs to one part, whatever the parts are. */
export class OwnTranscripts {
  readonly #to: number;
  #isOwn: boolean;
  /** A start token has shown up behind the part's end: who reads the next part begins there. */
  #isOver = false;

  constructor({ start, to }: Range) {
    this.#to = to;
    // What stands before the first transcript belongs to whoever begins with the input.
    this.#isOwn = start === null;
  }

  /** Position up to which messages may go by without `at`, where they only add to a transcript of the part. */
  get passesTo(): number {
    return this.#isOver ? Infinity : this.#to;
  }

  /** The next top-level row. `begins`: it is the first one of a transcript. Behind the part nothing belongs to it. */
  at(batch: Batch, row: number, begins: boolean): Lies {
    if (!this.#isOver && fromOf(batch, row) >= this.#to) this.#isOver = isStart(kindWord(batch, row));
    if (this.#isOver && (begins || !this.#isOwn)) return BEHIND;
    if (begins) this.#isOwn = true;
    return this.#isOwn ? OWN : BEFORE;
  }
}
