// Where tags of calls and replies that are written as text stand in a batch of 0.1 (R-HERMES): rows do not tell of
// them, so what looks at rows alone must stop there. The simple way is `hasWrittenCalls` of each message.

import { HAS_LINE, MESSAGE } from '../abi.ts';
import { OPEN_CALL, OPEN_REPLY } from '../model/hermes.ts';
import type { Machine } from '../scan/machine.ts';
import { type Batch, fromOf, kindOf, nextOf, toOf } from '../scan/table.ts';

/** `<t`, with which the tags begin: little else does. */
const FIRST = 0x3c;
const SECOND = 0x74;
const TAGS = [OPEN_CALL, OPEN_REPLY].map((tag) => new TextEncoder().encode(tag));

export class WrittenTags {
  readonly #machine: Machine;
  readonly #batch: Batch;
  /** Where the batch ends; -1: nobody has asked yet. */
  #to = -1;
  /** Position of the next tag, and the top-level row that holds it. */
  #at = -1;
  #row = 0;

  constructor(machine: Machine, batch: Batch) {
    this.#machine = machine;
    this.#batch = batch;
  }

  /**
   * The first top-level row from row `row` on, below row `end`, that holds a tag; `end` when none does. Asked with
   * rising rows. A batch that does not lie in the machine's table and window is not looked at.
   */
  next(row: number, end: number): number {
    const batch = this.#batch;
    if (!(batch.dialect.flags & HAS_LINE) || batch.words !== this.#machine.rows || row >= end) return end;
    const from = fromOf(batch, row);
    if (this.#at < from) this.#find(from, row);
    return Math.min(this.#row, end);
  }

  #find(from: number, row: number): void {
    const { base } = this.#batch;
    const { source } = this.#machine;
    if (this.#to < 0) this.#to = this.#end();
    for (let at = from - base; ; at++) {
      at = this.#machine.findPair(at, this.#to - base, FIRST, SECOND);
      if (at < 0) {
        this.#at = this.#row = Infinity;
        return;
      }
      if (TAGS.some((tag) => tag.every((byte, i) => source[at + i] === byte))) {
        this.#at = base + at;
        this.#row = this.#rowOf(row);
        return;
      }
    }
  }

  /** The last row may be a descendant, which ends before its message. */
  #end(): number {
    const batch = this.#batch;
    let row = batch.to - 1;
    while (row > batch.from && kindOf(batch, row) !== MESSAGE) row--;
    return Math.max(toOf(batch, row), toOf(batch, batch.to - 1));
  }

  /** The top-level row of the tag, from row `row` on. */
  #rowOf(row: number): number {
    const batch = this.#batch;
    let [low, high] = [row, batch.to];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (fromOf(batch, middle) <= this.#at) low = middle;
      else high = middle;
    }
    // It may be a descendant of a message.
    let message = low;
    while (message > row && kindOf(batch, message) !== MESSAGE) message--;
    return nextOf(batch, message) > low ? message : low;
  }
}
