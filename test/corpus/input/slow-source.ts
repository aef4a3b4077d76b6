// A source that gives little at a time.
import type { Source } from '../../../src/scan/source.ts';

/** Gives at most `most` bytes at once, and nothing that was released. Where it ends is mostly known. */
export class SlowSource implements Source {
  readonly end: number | undefined;
  readonly #bytes: Uint8Array;
  readonly #most: number;
  #released = 0;

  constructor(bytes: Uint8Array, most: number) {
    this.#bytes = bytes;
    // Room for a long line of an input without an end takes long to get.
    this.end = bytes.length % 8 === 0 ? undefined : bytes.length;
    this.#most = most;
  }

  read(at: number, into: Uint8Array): number {
    if (at < this.#released) throw new Error('released');
    const part = this.#bytes.subarray(at, at + Math.min(into.length, this.#most));
    into.set(part);
    return part.length;
  }

  bytes(from: number, to: number): Uint8Array {
    return this.#bytes.subarray(from, to);
  }

  release(before: number): void {
    this.#released = before;
  }
}
