// Calls and replies that are written as text, in a 0.1 body that comes in pieces (R-HERMES). Held back is what may
// still be a tag, and what stands in a reply until it is known to end.

import { LF } from '../../model/bytes.ts';
import { CLOSE_REPLY, OPEN_CALL, OPEN_REPLY } from '../../model/hermes.ts';

const LT = 0x3c;
const CALL = new TextEncoder().encode(OPEN_CALL);
const REPLY = new TextEncoder().encode(OPEN_REPLY);
const REPLY_END = new TextEncoder().encode(CLOSE_REPLY);

/** Bytes of the body, which begin at a position of the input. */
type Give = (bytes: Uint8Array, at: number) => void;

/** What looks for tags in the bytes of a body. */
export interface TagReader {
  take(bytes: Uint8Array, at: number): void;
  /** Something else than text stands here: what is held back is no tag. */
  interrupt(): void;
  finish(): void;
}

/** Looks for a tag, which holds no `<` but its first one. */
class TagMatch {
  readonly tag: Uint8Array;
  /** Bytes of the tag that were the last ones. */
  matched = 0;

  constructor(tag: Uint8Array) {
    this.tag = tag;
  }

  /** The first byte from `from` on that may belong to the tag. */
  next(bytes: Uint8Array, from: number): number {
    if (this.matched > 0) return from;
    const sign = bytes.indexOf(LT, from);
    return sign < 0 ? bytes.length : sign;
  }

  /** Goes on in a tag; answers the first byte behind what belongs to it. */
  go(bytes: Uint8Array, from: number): number {
    let i = from;
    while (i < bytes.length && this.matched < this.tag.length && bytes[i] === this.tag[this.matched]) {
      i++;
      this.matched++;
    }
    return i;
  }

  get isWhole(): boolean {
    return this.matched === this.tag.length;
  }

  /** The bytes that were the beginning of a tag; none are any more. */
  reset(): Uint8Array {
    const bytes = this.tag.subarray(0, this.matched);
    this.matched = 0;
    return bytes;
  }
}

/** In what an assistant says: `<tool_call>` where a line begins. `found`: one stands before a position. */
export class CallTagReader implements TagReader {
  readonly #give: Give;
  readonly #found: (to: number) => void;
  readonly #match = new TagMatch(CALL);
  #beginsLine = true;
  /** Position behind what was taken. */
  #to = 0;

  constructor(give: Give, found: (to: number) => void) {
    this.#give = give;
    this.#found = found;
  }

  take(bytes: Uint8Array, at: number): void {
    let from = 0;
    while (from < bytes.length) {
      if (this.#match.matched === 0) {
        const sign = this.#nextSign(bytes, from);
        if (sign > from) this.#pass(bytes.subarray(from, sign), at + from);
        from = sign;
        if (from === bytes.length) break;
      }
      from = this.#match.go(bytes, from);
      this.#to = at + from;
      if (this.#match.isWhole) this.#found(this.#to);
      if (this.#match.isWhole || from < bytes.length) this.interrupt();
    }
  }

  interrupt(): void {
    if (this.#match.matched === 0) return;
    const held = this.#match.reset();
    this.#pass(held, this.#to - held.length);
  }

  finish(): void {
    this.interrupt();
  }

  /** The first `<` at the beginning of a line, from `from` on. */
  #nextSign(bytes: Uint8Array, from: number): number {
    let at = bytes.indexOf(LT, from);
    while (at >= 0 && !(at === from ? this.#beginsLine : bytes[at - 1] === LF)) at = bytes.indexOf(LT, at + 1);
    return at < 0 ? bytes.length : at;
  }

  #pass(bytes: Uint8Array, at: number): void {
    this.#beginsLine = bytes.at(-1) === LF;
    this.#give(bytes, at);
  }
}

/** Bytes of a reply that wait for its end; one that is longer is taken for a reply. */
const MOST_WAITING = 1 << 20;

/** In what a user says: replies, which end somewhere, or are text. `found`: one has ended. */
export class ReplyTagReader implements TagReader {
  readonly #give: Give;
  readonly #found: () => void;
  readonly #open = new TagMatch(REPLY);
  readonly #close = new TagMatch(REPLY_END);
  /** What may be a reply; null: nothing may. */
  #waiting: Uint8Array[] | null = null;
  #waitingBytes = 0;
  #to = 0;

  constructor(give: Give, found: () => void) {
    this.#give = give;
    this.#found = found;
  }

  take(bytes: Uint8Array, at: number): void {
    let from = 0;
    while (from < bytes.length) from = this.#waiting === null ? this.#text(bytes, from, at) : this.#reply(bytes, from);
    this.#to = at + bytes.length;
  }

  interrupt(): void {
    const held = this.#waiting === null ? this.#open.reset() : this.#close.reset();
    if (held.length === 0) return;
    if (this.#waiting === null) this.#give(held, this.#to - held.length);
    else this.#wait(held);
  }

  finish(): void {
    this.interrupt();
    if (this.#waiting === null || this.#waitingBytes > MOST_WAITING) return;
    let at = this.#to - this.#waitingBytes;
    for (const bytes of this.#waiting) {
      this.#give(bytes, at);
      at += bytes.length;
    }
    this.#waiting = null;
  }

  #text(bytes: Uint8Array, from: number, at: number): number {
    const next = this.#open.next(bytes, from);
    if (next > from) this.#give(bytes.subarray(from, next), at + from);
    const i = this.#open.go(bytes, next);
    if (this.#open.isWhole) {
      this.#waiting = [];
      this.#waitingBytes = 0;
      this.#wait(this.#open.reset());
    } else if (i < bytes.length && this.#open.matched > 0) {
      const held = this.#open.reset();
      this.#give(held, at + i - held.length);
    }
    return i;
  }

  #reply(bytes: Uint8Array, from: number): number {
    const next = this.#close.next(bytes, from);
    if (next > from) this.#wait(bytes.subarray(from, next));
    const i = this.#close.go(bytes, next);
    if (this.#close.isWhole) {
      this.#close.reset();
      this.#waiting = null;
      this.#found();
    } else if (i < bytes.length && this.#close.matched > 0) this.#wait(this.#close.reset());
    return i;
  }

  #wait(bytes: Uint8Array): void {
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes <= MOST_WAITING) this.#waiting!.push(bytes.slice());
    else this.#waiting = [];
  }
}
