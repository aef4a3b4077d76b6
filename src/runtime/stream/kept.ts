// Bytes that must stay at hand after they left the window: a header under way, or what detection waits with.

export class Kept {
  readonly #most: number;
  #bytes = new Uint8Array(0);
  #length = 0;
  from = 0;
  /** Nothing was left out for want of room. */
  isWhole = true;

  /** `most`: bytes that are kept, the first ones. */
  constructor(most: number) {
    this.#most = most;
  }

  get end(): number {
    return this.from + this.#length;
  }

  /** Keeps nothing; the next bytes stand at `from` or behind it. */
  clear(from: number): void {
    this.from = from;
    this.#length = 0;
    this.isWhole = true;
    if (this.#bytes.length > LARGE) this.#bytes = new Uint8Array(0);
  }

  /** Adds bytes that stand at `at`, which is the end of what is kept, unless nothing is. */
  add(at: number, bytes: Uint8Array): void {
    if (this.#length === 0) this.from = at;
    const fit = Math.min(bytes.length, Math.max(0, this.#most - this.#length));
    if (fit < bytes.length) this.isWhole = false;
    if (this.#length + fit > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(this.#length + fit, this.#bytes.length * 2));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(fit === bytes.length ? bytes : bytes.subarray(0, fit), this.#length);
    this.#length += fit;
  }

  /** [from, to) as far as it is kept. */
  bytes(from: number, to: number): Uint8Array {
    const begin = Math.max(0, from - this.from);
    return this.#bytes.subarray(Math.min(begin, this.#length), Math.max(begin, Math.min(to - this.from, this.#length)));
  }
}

const LARGE = 64 * 1024;
