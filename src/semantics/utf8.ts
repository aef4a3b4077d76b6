// Bad UTF-8 of an input, in order, as far as asked for (R-UTF8).

import { characterLength } from '../utf8.ts';

interface Span {
  readonly from: number;
  readonly to: number;
}

const PART = 64 * 1024;

/**
 * Finds maximal bad subparts. `upTo` positions must rise, and each must be the end of the input or stand between two
 * characters of which one is ASCII, so that no character is cut.
 */
export class InvalidUtf8 {
  readonly #source: { bytes(from: number, to: number): Uint8Array; firstInvalid?(from: number, to: number): number };
  #checked = 0;
  #found: Span[] = [];

  constructor(source: { bytes(from: number, to: number): Uint8Array; firstInvalid?(from: number, to: number): number }) {
    this.#source = source;
  }

  /** True when bad bytes begin before `to`; they are looked for now. */
  pending(to: number): boolean {
    this.#check(to);
    return this.#found.length > 0;
  }

  /** The bad subparts before `to` that were not given out yet. */
  upTo(to: number): Span[] {
    this.#check(to);
    const found = this.#found;
    if (found.length > 0) this.#found = [];
    return found;
  }

  #check(to: number): void {
    while (this.#checked < to) {
      const from = this.#checked;
      let part = this.#source.bytes(from, Math.min(to, from + PART));
      if (part.length === 0) return;
      if (from + part.length < to && part.length === PART) part = part.subarray(0, this.#checkPart(part, from, false));
      else this.#checkPart(part, from, true);
      this.#checked = from + part.length;
    }
  }

  /** Looks through a part; answers how much of it was looked at: all, or up to a character that its end cuts. */
  #checkPart(part: Uint8Array, base: number, whole: boolean): number {
    let at = 0;
    while (at < part.length) {
      if (part[at]! < 0x80) {
        at++;
        continue;
      }
      const length = characterLength(part, at, part.length);
      if (length > 0) {
        at += length;
        continue;
      }
      if (!whole && at - length === part.length) return at;
      this.#found.push({ from: base + at, to: base + at - length });
      at -= length;
    }
    return at;
  }
}
