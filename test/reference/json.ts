// RFC 8259 by recursive descent, written for nothing but to be plain: where a document first goes wrong, or -1.
import { characterLength } from '../../src/utf8.ts';

/**
 * -1 for one JSON value with at most `depth` containers in one another; else the offset after which no continuation is
 * one.
 */
export function jsonFault(bytes: Uint8Array, depth: number): number {
  try {
    const reader = new Reader(bytes, depth);
    reader.blanks();
    reader.value();
    reader.blanks();
    return reader.at === bytes.length ? -1 : reader.at;
  } catch (fault) {
    if (typeof fault === 'number') return fault;
    throw fault;
  }
}

class Reader {
  at = 0;
  #level = 0;
  readonly #bytes: Uint8Array;
  readonly #depth: number;

  constructor(bytes: Uint8Array, depth: number) {
    this.#bytes = bytes;
    this.#depth = depth;
  }

  blanks(): void {
    while (' \t\n\r'.includes(this.#peek())) this.at++;
  }

  value(): void {
    const next = this.#peek();
    if (next === '{' || next === '[') this.#container(next);
    else if (next === '"') this.#string();
    else if (next === 't') this.#word('true');
    else if (next === 'f') this.#word('false');
    else if (next === 'n') this.#word('null');
    else this.#number();
  }

  /** The next byte as a Latin-1 character; a character of its own at the end. */
  #peek(): string {
    return this.at < this.#bytes.length ? String.fromCharCode(this.#bytes[this.at]!) : '(end)';
  }

  #take(allowed: string): void {
    if (!allowed.includes(this.#peek())) throw this.at;
    this.at++;
  }

  #word(word: string): void {
    for (const character of word) this.#take(character);
  }

  #container(opener: string): void {
    if (this.#level === this.#depth) throw this.at;
    this.#level++;
    this.at++;
    const closer = opener === '{' ? '}' : ']';
    this.blanks();
    if (this.#peek() !== closer) {
      while (true) {
        if (opener === '{') {
          this.#string();
          this.blanks();
          this.#take(':');
          this.blanks();
        }
        this.value();
        this.blanks();
        if (this.#peek() !== ',') break;
        this.at++;
        this.blanks();
      }
    }
    this.#take(closer);
    this.#level--;
  }

  #string(): void {
    this.#take('"');
    while (this.#peek() !== '"') {
      const byte = this.#bytes[this.at];
      if (byte === undefined || byte < 0x20) throw this.at;
      if (byte === 0x5c) {
        this.at++;
        const escaped = this.#peek();
        this.#take('"\\/bfnrtu');
        for (let i = 0; escaped === 'u' && i < 4; i++) this.#take('0123456789abcdefABCDEF');
      } else if (byte < 0x80) {
        this.at++;
      } else {
        const length = characterLength(this.#bytes, this.at, this.#bytes.length);
        // A maximal subpart could have been continued up to its end, unless not even its first byte begins a character.
        // oxlint-disable-next-line no-throw-literal -- the place of the error, caught in this file
        if (length < 0) throw this.at + (byte < 0xc2 || byte > 0xf4 ? 0 : -length);
        this.at += length;
      }
    }
    this.at++;
  }

  #number(): void {
    if (this.#peek() === '-') this.at++;
    if (this.#peek() === '0') this.at++;
    else this.#digits();
    if (this.#peek() === '.') {
      this.at++;
      this.#digits();
    }
    if ('eE'.includes(this.#peek())) {
      this.at++;
      if ('+-'.includes(this.#peek())) this.at++;
      this.#digits();
    }
  }

  #digits(): void {
    this.#take('0123456789');
    while ('0123456789'.includes(this.#peek())) this.at++;
  }
}
