// The bytes of an input that a record of any layout is taken from.

import type { Source } from '../../scan/source.ts';

/** Bytes that are there at the beginning, and that are let go at once. */
export const CHUNK = 256 * 1024;

/** A part of the input: bytes [base, base + length). Grows while a record needs it. */
export class RecordWindow {
  readonly #source: Source;
  readonly #largest: number;
  bytes: Buffer = Buffer.allocUnsafe(CHUNK);
  base: number;
  length = 0;
  #ended = false;

  /** From a position on. */
  constructor(source: Source, largest: number, from: number) {
    this.#source = source;
    this.#largest = largest;
    this.base = from;
  }

  /** The byte at an index is there, or comes. */
  has(index: number): boolean {
    while (index >= this.length) if (!this.more()) return false;
    return true;
  }

  /** Lets go of the first bytes. Answers how many. */
  skip(count: number): number {
    this.bytes.copyWithin(0, count, this.length);
    this.base += count;
    this.length -= count;
    return count;
  }

  /** Whether a record of so many bytes is too large. */
  isTooLarge(bytes: number): boolean {
    return bytes > this.#largest;
  }

  /** Reads on; false at the end. */
  more(): boolean {
    if (this.#ended) return false;
    if (this.length === this.bytes.length) {
      const grown = Buffer.allocUnsafe(2 * this.length);
      this.bytes.copy(grown, 0, 0, this.length);
      this.bytes = grown;
    }
    const read = this.#source.read(this.base + this.length, this.bytes.subarray(this.length));
    this.length += read;
    this.#source.release(this.base);
    this.#ended = read === 0 || this.base + this.length === this.#source.end;
    return read > 0;
  }
}
