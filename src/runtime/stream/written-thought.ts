// Reasoning that a model writes as text, in a body that comes in pieces (R-THINK). Held back is only what may still be
// a marker.

import type { Span } from '../../model/message.ts';
import { isBlankByte } from '../../model/bytes.ts';
import { CLOSE, OPEN } from '../../model/written-thought.ts';
import type { ThoughtText } from './thought-text.ts';

const LT = 0x3c;
const NONE = new Uint8Array(0);

export class WrittenThoughtReader {
  readonly #give: (bytes: Uint8Array) => void;
  readonly #part: () => void;
  /** Takes what is part of a thought; null: nobody asked for it. */
  readonly #thought: ThoughtText | null;
  /**
   * `front`: nothing but white space so far; `text`: a marker may still end a thought; `behind`: white space after it.
   */
  #state: 'front' | 'text' | 'thought' | 'behind' | 'done' = 'front';
  /** What came before is not shown: the caller said that a thought was open. */
  #isHidden: boolean;
  /** The bytes of this marker that the last ones were. */
  #marker: Uint8Array = NONE;
  #matched = 0;
  #isLiteral = false;
  /** Positions ahead where a `<` is text, in order. */
  readonly #quoted = new Set<number>();
  /** The marker that tells of a thought; null: there was none. */
  found: Span | null = null;
  /** It began with one of its own. */
  isOpened = false;
  /** Position behind the `</think>` that ended it; -1: none did. */
  closed = -1;

  /** `give` takes what is no part of a thought; `part`: a marker stands here, and no character goes on behind it. */
  constructor(
    isOpen: boolean, give: (bytes: Uint8Array) => void, part: () => void, thought: ThoughtText | null = null,
  ) {
    this.#thought = thought;
    this.#isHidden = isOpen;
    this.#give = give;
    this.#part = part;
  }

  /** A thought has begun and not ended: what calls tools is text there. */
  get isUnclosed(): boolean {
    return this.#isHidden || this.#state === 'thought';
  }

  /** A thought may still begin here: there was nothing but white space. */
  get isFront(): boolean {
    return this.#state === 'front';
  }

  /** Text without a `<` is shown as it comes. */
  get isPassing(): boolean {
    return (this.#state === 'text' || this.#state === 'done') && this.#matched === 0 && !this.#isHidden;
  }

  /** A `<` that is to be taken, at this position of the input, is text. */
  quote(at: number): void {
    this.#quoted.add(at);
  }

  /** The next bytes of the body, which begin at position `at` of the input. */
  take(bytes: Uint8Array, at: number): void {
    this.#take(bytes, at);
    for (const position of this.#quoted) {
      if (position >= at + bytes.length) break;
      this.#quoted.delete(position);
    }
  }

  #take(bytes: Uint8Array, at: number): void {
    let i = 0;
    while (i < bytes.length) {
      if (this.#isLiteral || this.#state === 'done') {
        this.#show(i === 0 ? bytes : bytes.subarray(i));
        return;
      }
      if (this.#matched > 0) i = this.#match(bytes, i, at);
      else if (this.#state === 'front' || this.#state === 'behind') i = this.#skipBlanks(bytes, i, at);
      else i = this.#search(bytes, i, at);
    }
  }

  /** What may not be a marker stands here, or the body's end: what is held back is text. */
  interrupt(): void {
    const held = this.#marker.subarray(0, this.#matched);
    this.#matched = 0;
    if (this.#state === 'front') this.#state = 'text';
    else if (this.#state === 'behind') this.#state = 'done';
    this.#show(held);
  }

  /** A literal block begins or ends: no marker stands in one. */
  literal(begins: boolean): void {
    this.interrupt();
    this.#isLiteral = begins;
  }

  #beginsMarker(bytes: Uint8Array, i: number, at: number): boolean {
    return bytes[i] === LT && !this.#quoted.has(at + i);
  }

  #skipBlanks(bytes: Uint8Array, from: number, at: number): number {
    let i = from;
    while (i < bytes.length && isBlankByte(bytes[i])) i++;
    if (this.#state === 'front') this.#show(bytes.subarray(from, i));
    if (i === bytes.length) return i;
    if (this.#state === 'behind') this.#state = 'done';
    else if (!this.#beginsMarker(bytes, i, at)) this.#state = 'text';
    else {
      this.#marker = OPEN;
      this.#matched = 1;
      return i + 1;
    }
    return i;
  }

  #search(bytes: Uint8Array, from: number, at: number): number {
    const { length: end } = bytes;
    for (let i = from; i < end; i++) {
      // By hand: most pieces are short.
      while (i < end && bytes[i] !== LT) i++;
      let to = i;
      while (to < end && bytes[to] === CLOSE[to - i]) to++;
      // There is none, it is something else that begins so, or it is quoted.
      if (i === end || (to < end && to - i < CLOSE.length) || !this.#beginsMarker(bytes, i, at)) continue;
      this.#show(bytes.subarray(from, i));
      this.#marker = CLOSE;
      this.#matched = 1;
      return i + 1;
    }
    this.#show(from === 0 ? bytes : bytes.subarray(from));
    return end;
  }

  #match(bytes: Uint8Array, from: number, at: number): number {
    let i = from;
    while (i < bytes.length && this.#matched < this.#marker.length && bytes[i] === this.#marker[this.#matched]) {
      i++;
      this.#matched++;
    }
    if (this.#matched === this.#marker.length) {
      this.#matched = 0;
      this.#found({ from: at + i - this.#marker.length, to: at + i });
    } else if (i < bytes.length) {
      if (this.#state === 'front' && bytes[i] === CLOSE[this.#matched] && this.#matched === 1) {
        // It is no `<think>`, and may be a `</think>`.
        this.#state = 'text';
        this.#marker = CLOSE;
        return i;
      }
      const held = this.#marker.subarray(0, this.#matched);
      this.#matched = 0;
      if (this.#state === 'front') this.#state = 'text';
      this.#show(held);
    }
    return i;
  }

  #found(marker: Span): void {
    this.found ??= marker;
    this.#part();
    if (this.#marker === OPEN) {
      this.#thought?.begin();
      this.#state = 'thought';
      this.isOpened = true;
    } else {
      if (this.isUnclosed) this.#thought?.end();
      this.#state = 'behind';
      this.#isHidden = false;
      this.closed = marker.to;
    }
  }

  #show(bytes: Uint8Array): void {
    if (bytes.length === 0 || this.#state === 'behind') return;
    if (this.isUnclosed) this.#thought?.take(bytes);
    else this.#give(bytes);
  }
}
