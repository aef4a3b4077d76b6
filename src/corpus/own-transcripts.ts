// The transcripts of a part of an input: those that begin in it, to their ends.

import type { Range } from '../model/part-walk.ts';

/** Where a row lies. */
export const BEFORE = 0;
export const OWN = 1;
export const BEHIND = 2;
export type Lies = typeof BEFORE | typeof OWN | typeof BEHIND;

/** Every transcript of an input belongs to one part, whatever the parts are. */
export class OwnTranscripts {
  readonly #to: number;
  #isOwn: boolean;

  constructor({ start, to }: Range) {
    this.#to = to;
    // What stands before the first transcript belongs to whoever begins with the input.
    this.#isOwn = start === null;
  }

  /** The next top-level row. `begins`: it is the first one of a transcript. Behind the part nothing belongs to it. */
  at(from: number, begins: boolean): Lies {
    if (from >= this.#to && (begins || !this.#isOwn)) return BEHIND;
    if (begins) this.#isOwn = true;
    return this.#isOwn ? OWN : BEFORE;
  }
}
