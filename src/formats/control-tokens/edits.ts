// Edits that rid a text of control tokens: in order, in a few bytes each, as a text may be nothing but tokens.

import { GatheredText } from '../gathered-text.ts';
import type { Found } from './found.ts';
import { brokenUp, utf8Length } from './known.ts';

/** Replaces `length` units at `index`: bytes [from, to) of UTF-8. */
export interface TokenEdit {
  readonly index: number;
  readonly length: number;
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** The edit at hand of several, in order. */
export interface EditCursor extends TokenEdit {
  /** Goes to the next one, to the first one at first; false: there is none. */
  next(): boolean;
}

/** Words of an edit: where it begins and ends, and what it does. */
const WORDS = 3;
const ESCAPE = 0;
const BREAK_UP = 1;
const BREAK_PART = 2;
/** And further: the number of a token that is written broken up. */
const WRITE = 3;
/** Edits that are kept together: few at first, as most texts have few. */
const LEAST_KEPT = 4;
const MOST_KEPT = 16 * 1024;

export class TokenEdits implements Iterable<TokenEdit> {
  readonly #text: string;
  readonly #isBytes: boolean;
  readonly #chunks: Int32Array[] = [];
  /** What tokens of known names are written as, and their numbers. */
  readonly #written: string[] = [];
  readonly #numbers = new Map<string, number>();
  /** The token that was broken up last, and its number; and the one before. */
  #token = '';
  #number = 0;
  #otherToken = '';
  #otherNumber = 0;
  /** Words that are used of the last chunk. */
  #used = 0;
  #to = 0;
  length = 0;

  /** `isBytes`: each unit of the text is a byte, in UTF-8 or as it was read. */
  constructor(text: string, isBytes = false) {
    this.#text = text;
    this.#isBytes = isBytes;
  }

  /** Puts a `<` before a token. */
  escape({ index }: Found): void {
    this.#add(index, index, ESCAPE);
  }

  /** Breaks up what was found; false: it lies within what was broken up before. */
  breakUp({ rule, index, to, token }: Found): boolean {
    // A part at a seam may lie within a whole token.
    if (index < this.#to) return false;
    this.#to = to;
    this.#add(index, to, rule === 'assembled-token' ? BREAK_PART : this.#numberOf(token));
    return true;
  }

  /** What writes a token broken up; null: one of a name that could be anybody's. */
  #numberOf(token: string | null): number {
    if (token === null) return BREAK_UP;
    if (token === this.#token) return this.#number;
    if (token === this.#otherToken) return this.#otherNumber;
    let number = this.#numbers.get(token);
    if (number === undefined) {
      number = WRITE + this.#written.push(brokenUp(token)) - 1;
      this.#numbers.set(token, number);
    }
    this.#otherToken = this.#token;
    this.#otherNumber = this.#number;
    this.#token = token;
    return (this.#number = number);
  }

  #add(index: number, to: number, does: number): void {
    let chunk = this.#chunks.at(-1);
    if (chunk === undefined || this.#used === chunk.length) {
      chunk = new Int32Array(WORDS * Math.min(MOST_KEPT, LEAST_KEPT << Math.min(16, this.#chunks.length)));
      this.#chunks.push(chunk);
      this.#used = 0;
    }
    chunk[this.#used++] = index;
    chunk[this.#used++] = to;
    chunk[this.#used++] = does;
    this.length++;
  }

  *[Symbol.iterator](): Generator<TokenEdit, void, void> {
    for (const edit = this.cursor(); edit.next(); ) {
      const { index, length, from, to, text } = edit;
      yield { index, length, from, to, text };
    }
  }

  /** The edits in order, without an object for each. */
  cursor(): EditCursor {
    return new KeptEdits(this.#text, this.#isBytes, this.#chunks, this.#used, this.#written);
  }

  /** The text with the edits made. */
  get applied(): string {
    const text = this.#text;
    const changed = new GatheredText();
    let at = 0;
    for (const { index, length, text: replacement } of this) {
      changed.add(text.slice(at, index) + replacement);
      at = index + length;
    }
    changed.add(text.slice(at));
    return changed.text;
  }
}

class KeptEdits implements EditCursor {
  readonly #text: string;
  readonly #isBytes: boolean;
  readonly #chunks: readonly Int32Array[];
  readonly #lastUsed: number;
  readonly #written: readonly string[];
  #chunk = 0;
  #at = 0;
  #end = 0;
  /** Where the edit before began: bytes before it are counted. */
  #counted = 0;
  index = 0;
  length = 0;
  from = 0;
  to = 0;
  text = '';

  constructor(
    text: string, isBytes: boolean, chunks: readonly Int32Array[], lastUsed: number, written: readonly string[],
  ) {
    this.#text = text;
    this.#isBytes = isBytes;
    this.#chunks = chunks;
    this.#lastUsed = lastUsed;
    this.#written = written;
    this.#begin();
  }

  #begin(): void {
    const isLast = this.#chunk === this.#chunks.length - 1;
    this.#at = 0;
    this.#end = isLast ? this.#lastUsed : this.#chunks[this.#chunk]?.length ?? 0;
  }

  next(): boolean {
    if (this.#at === this.#end) {
      if (++this.#chunk >= this.#chunks.length) return false;
      this.#begin();
    }
    const chunk = this.#chunks[this.#chunk]!;
    const index = chunk[this.#at]!;
    const to = chunk[this.#at + 1]!;
    this.from += this.#bytes(this.#counted, index);
    this.#counted = index;
    this.to = this.from + this.#bytes(index, to);
    this.index = index;
    this.length = to - index;
    this.text = this.#replacement(index, to, chunk[this.#at + 2]!);
    this.#at += WORDS;
    return true;
  }

  #bytes(from: number, to: number): number {
    return this.#isBytes ? to - from : utf8Length(this.#text, from, to);
  }

  #replacement(index: number, to: number, does: number): string {
    if (does === ESCAPE) return '<';
    if (does >= WRITE) return this.#written[does - WRITE]!;
    const written = this.#text.slice(index, to);
    return does === BREAK_PART ? partOf(written, index > 0) : brokenUp(written);
  }
}

/** A part of a token at the end of a text, or at its beginning, with a space in it. */
function partOf(part: string, isTail: boolean): string {
  if (isTail || part.startsWith('<')) return part.length > 2 ? `${part.slice(0, 2)} ${part.slice(2)}` : `${part} `;
  return part.length > 2 && part.endsWith('|>') ? `${part.slice(0, -2)} ${part.slice(-2)}` : ` ${part}`;
}
