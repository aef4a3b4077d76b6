// What was made of short records, by their bytes. A hostile input is millions of them, all alike: to read each again
// takes many times as long as to know it.

/** Bytes of a record that is kept, and how many there are. */
const LONGEST = 64;
const MOST = 64;

export class KnownShort<T> {
  readonly #known = new Map<string, T>();

  /** Whether a record is short. */
  static takes({ length }: Uint8Array): boolean {
    return length <= LONGEST;
  }

  /** What was kept for these bytes; undefined: nothing. */
  get(bytes: Buffer): T | undefined {
    return this.#known.size > 0 && KnownShort.takes(bytes) ? this.#known.get(bytes.toString('latin1')) : undefined;
  }

  /** Keeps a value for bytes that are short. */
  keep(bytes: Buffer, value: T): void {
    if (!KnownShort.takes(bytes)) return;
    if (this.#known.size === MOST) this.#known.clear();
    this.#known.set(bytes.toString('latin1'), value);
  }
}
