// What short bytes were found to be: files repeat them, and broken ones may hold nothing else. Each has a place that it
// gives itself, and what comes there later takes it.

const PLACES = 256;
const LONGEST = 64;

interface Known<T> {
  readonly word: number;
  readonly length: number;
  readonly value: T;
}

export class KnownBytes<T> {
  /** Made when something is kept. */
  #known: (Known<T> | undefined)[] | undefined;
  #bytes: Uint8Array | undefined;

  /** Whether so many bytes may be kept. */
  static fits(length: number): boolean {
    return length <= LONGEST;
  }

  /** What the bytes are, which came with the same word. */
  get(word: number, bytes: Uint8Array): T | undefined {
    if (this.#known === undefined) return undefined;
    const { length } = bytes;
    const place = placeOf(bytes);
    const one = this.#known[place];
    if (one === undefined || one.word !== word || one.length !== length) return undefined;
    const own = this.#bytes!;
    const at = place * LONGEST;
    for (let i = 0; i < length; i++) if (own[at + i] !== bytes[i]) return undefined;
    return one.value;
  }

  /** Keeps what bytes that fit are. */
  set(word: number, bytes: Uint8Array, value: T): void {
    const place = placeOf(bytes);
    (this.#bytes ??= new Uint8Array(PLACES * LONGEST)).set(bytes, place * LONGEST);
    this.#known ??= new Array<Known<T> | undefined>(PLACES).fill(undefined);
    this.#known[place] = { word, length: bytes.length, value };
  }
}

function placeOf(bytes: Uint8Array): number {
  let hash = bytes.length;
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash, 31) + bytes[i]!;
  return (hash ^ (hash >>> 8) ^ (hash >>> 16)) & (PLACES - 1);
}
