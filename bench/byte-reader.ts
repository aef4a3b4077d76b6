// A careful reader of bytes in plain JavaScript: one pass, no strings, right on escapes, literal blocks and on tokens
// that are quoted in a document header. What a diligent user ends up with, and a second opinion on the counts. It finds
// the next `<` by a loop or by the engine's own search, which is the faster the rarer `<` is.
import { readChunks } from './chunks.ts';
import type { Answer } from './counts.ts';
import { type Notation, TOKENS, opener, token } from './notation.ts';

const LESS_THAN = 0x3c;
const BAR = 0x7c;
const QUOTE = 0x22;
/** No token is longer, with the `<` that may escape it. */
const LONGEST = 24;
const BODY_ENDS = ['start', 'end', 'call', 'return'];

export type Search = 'loop' | 'indexOf';

export class ByteReader {
  readonly #search: Search;
  readonly #names: readonly string[];
  readonly #tokens: readonly Buffer[];
  readonly #counts: Float64Array;
  /** Escapes, literal blocks and document headers are 2.2's alone. */
  readonly #rich: boolean;
  readonly #opener: number;
  #inBody = false;
  #inLiteral = false;
  #escapes = 0;

  constructor(notation: Notation, search: Search) {
    this.#search = search;
    this.#names = TOKENS[notation];
    this.#tokens = this.#names.map((name) => Buffer.from(token(name)));
    this.#counts = new Float64Array(this.#names.length);
    this.#rich = notation === 'openchatml-2.2';
    this.#opener = this.#names.indexOf(opener(notation));
  }

  /** Reads from `from` up to `length`; gives the place of the first token that may be cut in two by the end. */
  read(bytes: Uint8Array, from: number, length: number, last: boolean): number {
    const part = this.#search === 'indexOf' ? bytes.subarray(0, length) : null;
    const sure = last ? length : length - LONGEST;
    let i = from;
    while (i < length) {
      if (part !== null) {
        i = part.indexOf(LESS_THAN, i);
        if (i < 0) break;
      } else {
        // Nearly all the time is spent here: this loop holds nothing else, so that it stays in registers.
        while (i < length && bytes[i] !== LESS_THAN) i++;
        if (i >= length) break;
      }
      if (i > sure) return i;
      i = this.#at(bytes, i, length);
    }
    return length;
  }

  answer(): Answer {
    const tokens: Record<string, number> = {};
    this.#names.forEach((name, id) => {
      const count = this.#counts[id] as number;
      if (count > 0) tokens[name] = count;
    });
    return {
      messages: this.#counts[this.#opener] as number,
      tokens,
      escapes: this.#escapes,
      literals: tokens['literal'] ?? 0,
    };
  }

  /** Looks at a `<`; gives the place to go on from. */
  #at(bytes: Uint8Array, i: number, length: number): number {
    if (i + 2 >= length) return length;
    if (bytes[i + 1] === BAR) {
      const id = this.#tokenAt(bytes, i, length);
      if (id >= 0 && this.#take(id, i > 0 && bytes[i - 1] === QUOTE)) return i + (this.#tokens[id] as Buffer).length;
    } else if (bytes[i + 1] === LESS_THAN && bytes[i + 2] === BAR && this.#rich && this.#inBody && !this.#inLiteral) {
      const id = this.#tokenAt(bytes, i + 1, length);
      if (id >= 0) {
        this.#escapes++;
        return i + 1 + (this.#tokens[id] as Buffer).length;
      }
    }
    return i + 1;
  }

  /** Counts a token unless it is only text where it stands. */
  #take(id: number, quoted: boolean): boolean {
    if (this.#rich) {
      const name = this.#names[id] as string;
      if (this.#inLiteral && name !== 'endliteral') return false;
      // Outside a body a token after a double quote is one of the list in a document header.
      if (quoted && !this.#inBody) return false;
      if (name === 'message') this.#inBody = true;
      else if (name === 'literal') this.#inLiteral = this.#inBody;
      else if (name === 'endliteral') this.#inLiteral = false;
      else if (BODY_ENDS.includes(name)) this.#inBody = false;
    }
    (this.#counts[id] as number)++;
    return true;
  }

  #tokenAt(bytes: Uint8Array, at: number, length: number): number {
    for (let id = 0; id < this.#tokens.length; id++) {
      const known = this.#tokens[id] as Uint8Array;
      if (at + known.length > length || bytes[at + 2] !== known[2]) continue;
      let k = 3;
      while (k < known.length && bytes[at + k] === known[k]) k++;
      if (k === known.length) return id;
    }
    return -1;
  }
}

export function countBytes(path: string, notation: Notation, search: Search): Answer {
  const reader = new ByteReader(notation, search);
  const buffer = Buffer.allocUnsafe(1 << 19);
  let from = 0;
  readChunks(path, buffer, (length, last) => {
    const left = length - reader.read(buffer, from, length, last);
    // One byte more is kept: the next piece may have to look back at it.
    const kept = Math.min(left + 1, length);
    from = kept - left;
    return last ? 0 : kept;
  });
  return reader.answer();
}
