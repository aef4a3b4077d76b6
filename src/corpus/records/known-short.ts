// What was made of short records, by their bytes. A hostile input is millions of them, all alike: to read each again
// takes many times as long as to know it.

/** Bytes of a record that is kept, and how many there are. */
const LONGEST = 64;
const MOST = 256;
const NOTHING = new Uint8Array(0);

/** Each has one place, by its bytes: of two that share it the later one is kept. */
export class KnownShort<T> {
  readonly #values: (T | undefined)[] = [];
  /** Most inputs need none. */
  #bytes = NOTHING;
  #lengths = NOTHING;

  /** Whether a record is short. */
  static takes({ length }: Uint8Array): boolean {
    return length <= LONGEST;
  }

  /** What was kept for bytes [from, to); undefined: nothing. */
  get(bytes: Uint8Array, from = 0, to = bytes.length): T | undefined {
    if (this.#values.length === 0 || to - from > LONGEST) return undefined;
    const slot = slotOf(bytes, from, to);
    if (this.#lengths[slot] !== to - from) return undefined;
    for (let at = from, kept = slot * LONGEST; at < to; at++, kept++) {
      if (bytes[at] !== this.#bytes[kept]) return undefined;
    }
    return this.#values[slot];
  }

  /** Keeps a value for bytes that are short. */
  keep(bytes: Uint8Array, value: T): void {
    if (!KnownShort.takes(bytes)) return;
    if (this.#values.length === 0) {
      this.#values.length = MOST;
      this.#bytes = new Uint8Array(MOST * LONGEST);
      this.#lengths = new Uint8Array(MOST);
    }
    const slot = slotOf(bytes, 0, bytes.length);
    this.#bytes.set(bytes, slot * LONGEST);
    this.#lengths[slot] = bytes.length;
    this.#values[slot] = value;
  }
}

function slotOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = to - from;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  return (hash ^ (hash >>> 15)) & (MOST - 1);
}
