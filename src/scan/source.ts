// Where bytes come from: anything that can be read at a position, again if need be.

export interface Source {
  /** Where it ends, when that is known and cannot change. */
  readonly end?: number;
  /** Fills `into` with bytes from position `at` on; answers how many, 0 at the end. */
  read(at: number, into: Uint8Array): number;
  /** The bytes [from, to), cut at the end of the input. Valid until the next call. */
  bytes(from: number, to: number): Uint8Array;
  /** Nothing before this position will be asked for again. */
  release(before: number): void;
}

/** A source over bytes in memory. */
export class MemorySource implements Source {
  readonly #bytes: Uint8Array;
  readonly end: number;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.end = bytes.length;
  }

  read(at: number, into: Uint8Array): number {
    const part = this.#bytes.subarray(at, at + into.length);
    into.set(part);
    return part.length;
  }

  bytes(from: number, to: number): Uint8Array {
    return this.#bytes.subarray(from, to);
  }

  release(): void {}
}
