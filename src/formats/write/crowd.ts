// Escapes control tokens that stand close to each other. A regular expression makes objects of each match, which takes
// several times as long as a look at each byte; where tokens are rare it is the other way round.

import { decodeUtf8 } from '../../utf8.ts';

const ENCODER = new TextEncoder();
const LESS = 0x3c;
const BAR = 0x7c;
const MORE = 0x3e;

/** A text of so many units for each of its tokens is crowded. */
export const CROWDED = 64;

export class Crowd {
  /** What follows `<|`, as a tree: by the beginning so far and the next byte the longer beginning; 0: there is none. */
  readonly #tree: Uint16Array;
  #into = new Uint8Array(0);

  /** `tokens`: a pattern of names between `<|` and `|>`. */
  constructor(tokens: RegExp) {
    const tree = [new Uint16Array(256)];
    for (const name of tokens.source.match(/\w+/g)!) {
      let at = 0;
      for (const byte of ENCODER.encode(`${name}|>`)) {
        if (tree[at]![byte] === 0) tree[at]![byte] = tree.push(new Uint16Array(256)) - 1;
        at = tree[at]![byte]!;
      }
    }
    this.#tree = new Uint16Array(tree.length * 256);
    for (const [i, next] of tree.entries()) this.#tree.set(next, i * 256);
  }

  /** The text, which holds no half of a surrogate pair, with a `<` before each token. */
  escape(text: string): string {
    const bytes = ENCODER.encode(text);
    // No token is shorter than five bytes.
    if (this.#into.length < bytes.length * 1.2) this.#into = new Uint8Array(bytes.length * 1.5);
    return decodeUtf8(this.#into.subarray(0, escapeBytes(bytes, this.#tree, this.#into)));
  }
}

/** Writes bytes with a `<` before each token; answers how many. */
function escapeBytes(bytes: Uint8Array, tree: Uint16Array, into: Uint8Array): number {
  const { length } = bytes;
  let size = 0;
  for (let at = 0; at < length; ) {
    const byte = bytes[at++]!;
    into[size++] = byte;
    if (byte !== LESS || at === length || bytes[at] !== BAR) continue;
    // As if a token stood here: what is written behind the second `<` counts only if one does.
    into[size] = LESS;
    into[size + 1] = BAR;
    let state = 0;
    let to = at + 1;
    for (let end = size + 2; to < length; ) {
      const next = bytes[to++]!;
      state = tree[state * 256 + next]!;
      if (state === 0) break;
      into[end++] = next;
      if (next !== MORE) continue;
      at = to;
      size = end;
      break;
    }
  }
  return size;
}
