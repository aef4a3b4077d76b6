// The tokens of a dialect, ready to be compared with bytes: for the TypeScript scanner.

import * as abi from '../../abi.ts';
import { TOKEN_NAMES, type Dialect } from '../dialects.ts';

/** The bytes there are may be the beginning of a token; what follows decides. */
export const CUT = -1;
/** Beside a token's word: the token stands after a `<` that escapes it. */
export const ESCAPED = 0x40000;

const LT = 0x3c;
const BAR = 0x7c;
/** Bytes kept for a token's text. */
const STRIDE = 32;

/** BOS and EOS in all their forms; they are tokens of no dialect. */
const BOUNDS = [abi.BOS, abi.EOS, abi.BRACKET_BOS, abi.BRACKET_EOS].map((id) => ({
  id,
  text: new TextEncoder().encode(TOKEN_NAMES[id]),
}));

export function isLetter(byte: number): boolean {
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

/** SP, HTAB, CR, LF. */
export function isWhite(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

export function classOf(word: number): number {
  return word & 0xff;
}

/** The id of a token's word, where rows have it. */
export function idOf(word: number): number {
  return word & (abi.TOKEN_MASK << abi.TOKEN_SHIFT);
}

/** The id of the BOS or EOS at p, where rows have it; 0: there is none; CUT. */
export function boundAt(bytes: Uint8Array, p: number, length: number): number {
  let answer = 0;
  for (const { id, text } of BOUNDS) {
    let same = 0;
    while (same < text.length && p + same < length && bytes[p + same] === text[same]) same++;
    if (same === text.length) return id << abi.TOKEN_SHIFT;
    if (p + same === length) answer = CUT;
  }
  return answer;
}

/** Bytes of the BOS or EOS with this id. */
export function boundLength(id: number): number {
  return TOKEN_NAMES[id >> abi.TOKEN_SHIFT]!.length;
}

export class Lexicon {
  readonly flags: number;
  readonly roles: number;
  /** Its place in `lexicons`: how a saved state names it. */
  readonly number: number;
  /** First entry of each byte after `<|`, and the entry after each entry; 0 ends the chain. */
  readonly #heads = new Uint8Array(256);
  readonly #nexts: Uint8Array;
  readonly #texts: Uint8Array;
  readonly #lengths: Uint8Array;
  readonly #words: Int32Array;
  readonly #lengthOfId = new Uint8Array(abi.TOKEN_MASK + 1);

  constructor(dialect: Dialect, number: number) {
    const entries = dialect.tokens.length + 1;
    this.flags = dialect.flags;
    this.roles = dialect.roles;
    this.number = number;
    this.#nexts = new Uint8Array(entries);
    this.#texts = new Uint8Array(entries * STRIDE);
    this.#lengths = new Uint8Array(entries);
    this.#words = new Int32Array(entries);
    dialect.tokens.forEach(({ id, text, tokenClass, flags }, index) => {
      const entry = index + 1;
      const bytes = new TextEncoder().encode(text);
      this.#texts.set(bytes, entry * STRIDE);
      this.#lengths[entry] = this.#lengthOfId[id] = bytes.length;
      this.#words[entry] = tokenClass | (id << abi.TOKEN_SHIFT) | flags;
      this.#nexts[entry] = this.#heads[bytes[2]!]!;
      this.#heads[bytes[2]!] = entry;
    });
  }

  /** The word of the token that begins with the `<` at p; 0: none; CUT. No escape is looked for. */
  match(bytes: Uint8Array, p: number, length: number): number {
    if (p + 1 >= length) return CUT;
    if (bytes[p + 1] !== BAR) return 0;
    if (p + 2 >= length) return CUT;
    let answer = 0;
    for (let entry = this.#heads[bytes[p + 2]!]!; entry !== 0; entry = this.#nexts[entry]!) {
      const size = this.#lengths[entry]!;
      const text = entry * STRIDE;
      let same = 3;
      while (same < size && p + same < length && bytes[p + same] === this.#texts[text + same]) same++;
      if (same === size) return this.#words[entry]!;
      if (p + same === length) answer = CUT;
    }
    return answer;
  }

  /** As `match`, but a `<` before a token that it can escape is taken with it: the token's word with ESCAPED. */
  lookAt(bytes: Uint8Array, p: number, length: number): number {
    if (p + 1 >= length || bytes[p + 1] !== LT) return this.match(bytes, p, length);
    if ((this.flags & abi.HAS_ESCAPE) === 0) return 0;
    const word = this.match(bytes, p + 1, length);
    // Only tokens of the frame have an escape; before another one a `<` is a `<` (R-ESCAPE, R-COT).
    if (word > 0) return classOf(word) <= abi.CLASS_RAW_END ? word | ESCAPED : 0;
    return word;
  }

  /** Bytes of the token, with the `<` that escapes it. */
  lengthOf(word: number): number {
    return this.#lengthOfId[idOf(word) >> abi.TOKEN_SHIFT]! + ((word & ESCAPED) === 0 ? 0 : 1);
  }
}

/** All lexicons made so far. Dialects are a handful of constants, so this stays as short. */
const lexicons: Lexicon[] = [];
const known = new WeakMap<Dialect, Lexicon>();

export function lexiconOf(dialect: Dialect): Lexicon {
  let lexicon = known.get(dialect);
  if (lexicon === undefined) {
    lexicon = new Lexicon(dialect, lexicons.length);
    lexicons.push(lexicon);
    known.set(dialect, lexicon);
  }
  return lexicon;
}

export function lexiconOfNumber(number: number): Lexicon {
  return lexicons[number]!;
}
