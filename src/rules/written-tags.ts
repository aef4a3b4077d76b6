// Where tags of calls and replies that are written as text stand in a batch of 0.1 (R-HERMES): rows do not tell of
// them, so what looks at rows alone must stop there. The simple way is `hasWrittenCalls` of each message. And whether
// the batch may hold thoughts that are written as text (R-THINK).

import { HAS_LINE, MESSAGE } from '../abi.ts';
import { standsAt } from '../model/bytes.ts';
import { OPEN_CALL, OPEN_REPLY } from '../model/hermes.ts';
import type { Machine } from '../scan/machine.ts';
import { type Batch, fromOf, kindOf, nextOf, toOf } from '../scan/table.ts';

/** `<t`, with which the tags begin: little else does. */
const FIRST = 0x3c;
const SECOND = 0x74;
const TAGS = [OPEN_CALL, OPEN_REPLY].map((tag) => new TextEncoder().encode(tag));

/** `k>`, with which the tags of thoughts end. */
const LAST = 0x6b;
const BRACKET = 0x3e;

export class WrittenTags {
  readonly #machine: Machine;
  readonly #batch: Batch;
  /** The batch lies in the machine's table and window, where it can be looked through. */
  readonly #isKnown: boolean;
  readonly #isLine: boolean;
  #holdsThoughts: boolean | undefined;
  /** Where the batch ends; -1: nobody has asked yet. */
  #to = -1;
  /** The top-level row of the first tag from the row on that was asked for last; Infinity: there is none. */
  #row: number;

  constructor(machine: Machine, batch: Batch) {
    this.#machine = machine;
    this.#batch = batch;
    this.#isKnown = batch.words === machine.rows;
    this.#isLine = (batch.dialect.flags & HAS_LINE) !== 0;
    this.#row = this.#isKnown && this.#isLine ? -1 : Infinity;
  }

  /**
   * The first top-level row from row `row` on, below row `end`, that holds a tag; `end` when none does. Asked with rows
   * that do not fall. A batch that cannot be looked through has no such row.
   */
  next(row: number, end: number): number {
    if (row > this.#row) this.#find(row);
    return this.#row < end ? this.#row : end;
  }

  /** A tag stands in the message at row `row`, or nobody knows. Asked as `next` is, with rows below the batch's end. */
  mayStandIn(row: number): boolean {
    if (row > this.#row) this.#find(row);
    return this.#row === row || !this.#isKnown;
  }

  /** The tag of a thought may stand in some message of the batch, or nobody knows, as outside of 0.1. */
  get mayHoldThoughts(): boolean {
    return (this.#holdsThoughts ??= !this.#isKnown || !this.#isLine || this.#findsThought());
  }

  #findsThought(): boolean {
    const { from, to, base } = this.#batch;
    if (from === to) return false;
    return this.#machine.findPair(this.#windowFrom(from), (this.#to = this.#end()) - base, LAST, BRACKET) >= 0;
  }

  /** Where a row begins in the window. White space alone may have left it: a caller's role begins there (R-ROLE). */
  #windowFrom(row: number): number {
    return Math.max(0, fromOf(this.#batch, row) - this.#batch.base);
  }

  #find(row: number): void {
    const { base } = this.#batch;
    const { source } = this.#machine;
    if (this.#to < 0) this.#to = this.#end();
    for (let at = this.#windowFrom(row); ; at++) {
      at = this.#machine.findPair(at, this.#to - base, FIRST, SECOND);
      if (at < 0) {
        this.#row = Infinity;
        return;
      }
      if (TAGS.some((tag) => standsAt(tag, source, at))) {
        this.#row = this.#rowOf(base + at, row);
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

  /** The top-level row of the tag at a position, from row `row` on. */
  #rowOf(at: number, row: number): number {
    const batch = this.#batch;
    let [low, high] = [row, batch.to];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (fromOf(batch, middle) <= at) low = middle;
      else high = middle;
    }
    // It may be a descendant of a message.
    let message = low;
    while (message > row && kindOf(batch, message) !== MESSAGE) message--;
    return nextOf(batch, message) > low ? message : low;
  }
}
