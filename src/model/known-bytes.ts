// What short bytes were found to be: files repeat them, and broken ones may hold nothing else, millions of times. Each
// has a place that it gives itself, and what comes there later takes it.

import { AT_START, BY_ROLE, EOF_END, STRIPPED } from '../abi.ts';

/** Bits of a message's row that tell that not its bytes alone say what it is, but also where it stands. */
export const BY_PLACE = BY_ROLE | AT_START | EOF_END | STRIPPED;

const PLACES = 256;
const LONGEST = 128;

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

  /** What bytes [from, to) are, which came with the same word; undefined: nobody knows. */
  get(bytes: Uint8Array, from = 0, to = bytes.length, word = 0): T | undefined {
    const length = to - from;
    if (this.#known === undefined || length > LONGEST) return undefined;
    const place = placeOf(bytes, from, to);
    const one = this.#known[place];
    if (one === undefined || one.word !== word || one.length !== length) return undefined;
    const own = this.#bytes!;
    const at = place * LONGEST;
    for (let i = 0; i < length; i++) if (own[at + i] !== bytes[from + i]) return undefined;
    return one.value;
  }

  /** Keeps what bytes are, if they fit. */
  keep(bytes: Uint8Array, value: T, word = 0): void {
    if (!KnownBytes.fits(bytes.length)) return;
    const place = placeOf(bytes, 0, bytes.length);
    (this.#bytes ??= new Uint8Array(PLACES * LONGEST)).set(bytes, place * LONGEST);
    this.#known ??= new Array<Known<T> | undefined>(PLACES).fill(undefined);
    this.#known[place] = { word, length: bytes.length, value };
  }
}

function placeOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = to - from;
  for (let at = from; at < to; at++) hash = Math.imul(hash, 31) + bytes[at]!;
  return (hash ^ (hash >>> 8) ^ (hash >>> 16)) & (PLACES - 1);
}
