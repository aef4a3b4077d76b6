// Words of Harmony's TypeScript-like declarations, one at a time, each with the comments before it. Every character is
// looked at once, so reading is linear in the text.

/** A comment that begins with two slashes. */
export interface Comment {
  /** Without the slashes and one space after them. */
  readonly text: string;
  /** Nothing at all stands after the slashes. */
  readonly isBare: boolean;
  /** Only white space stands before it on its line. */
  readonly isAlone: boolean;
}

export interface Lexeme {
  readonly kind: 'word' | 'string' | 'sign' | 'end';
  /** A word or sign as it stands; the value of a string. */
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** A line ended since the lexeme before. */
  readonly isFirst: boolean;
  readonly comments: readonly Comment[];
}

/**
 * What stops the reading of one declaration. It is caught where the next one begins, so it needs no trace of the stack.
 */
export class Fault {
  readonly reason: 'syntax' | 'too-deep' | 'name';

  constructor(reason: 'syntax' | 'too-deep' | 'name') {
    this.reason = reason;
  }
}

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const SLASH = 0x2f;
const BACKSLASH = 0x5c;

export class DeclarationLexer {
  readonly #text: string;
  #at: number;
  #ahead: Lexeme | null = null;

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  /** End of the last lexeme that was taken. */
  get position(): number {
    return this.#at;
  }

  /** Goes on at `at`, which is not before the position. */
  jump(at: number): void {
    this.#at = at;
    this.#ahead = null;
  }

  peek(): Lexeme {
    return (this.#ahead ??= this.#read());
  }

  take(): Lexeme {
    const lexeme = this.peek();
    this.jump(lexeme.to);
    return lexeme;
  }

  /** Whether the next lexeme is this sign or word. */
  sees(text: string): boolean {
    const { kind, text: ahead } = this.peek();
    return ahead === text && (kind === 'sign' || kind === 'word');
  }

  /** Takes the sign or word if it is next. */
  skip(text: string): boolean {
    if (!this.sees(text)) return false;
    this.take();
    return true;
  }

  expect(text: string): void {
    if (!this.skip(text)) throw new Fault('syntax');
  }

  /**
   * A field's name up to its colon: quoted, or as it stands (names with spaces and letters of any script are written
   * bare).
   */
  takeFieldName(): { name: string; isOptional: boolean } {
    const first = this.peek();
    let name = first.text;
    if (first.kind === 'string') {
      this.take();
    } else {
      let at = first.from;
      while (at < this.#text.length && !ENDS_NAME.has(this.#text[at]!)) at++;
      name = this.#text.slice(first.from, at).trimEnd();
      if (name === '') throw new Fault('syntax');
      this.jump(at);
    }
    const isOptional = this.skip('?');
    this.expect(':');
    return { name, isOptional };
  }

  #read(): Lexeme {
    const text = this.#text;
    let comments: Comment[] | null = null;
    let isFirst = false;
    let at = this.#at;
    for (; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit === LINE_FEED) {
        isFirst = true;
      } else if (unit === SLASH && text.charCodeAt(at + 1) === SLASH) {
        const end = text.indexOf('\n', at);
        const to = end < 0 ? text.length : end;
        (comments ??= []).push(commentOf(text, at + 2, to, isFirst));
        at = to - 1;
      } else if (unit !== 0x20 && unit !== 0x09 && unit !== 0x0d) {
        break;
      }
    }
    const to = this.#lexemeEnd(at);
    const isString = to > at && text.charCodeAt(at) === QUOTE;
    const isWord = to > at && isWordUnit(text.charCodeAt(at));
    const found = text.slice(at, to);
    return {
      kind: isString ? 'string' : isWord ? 'word' : to > at ? 'sign' : 'end',
      text: isString ? unquote(found) : found,
      from: at,
      to,
      isFirst,
      comments: comments ?? NONE,
    };
  }

  #lexemeEnd(from: number): number {
    const text = this.#text;
    if (from >= text.length) return from;
    const first = text.charCodeAt(from);
    if (first === QUOTE) return this.#stringEnd(from);
    let to = from;
    while (to < text.length && isWordUnit(text.charCodeAt(to))) to++;
    if (to > from) return to;
    return first === 0x3d && text.charCodeAt(from + 1) === 0x3e ? from + 2 : from + 1;
  }

  #stringEnd(from: number): number {
    const text = this.#text;
    for (let at = from + 1; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit === LINE_FEED) break;
      if (unit === QUOTE) return at + 1;
      if (unit === BACKSLASH) at++;
    }
    throw new Fault('syntax');
  }
}

const NONE: readonly Comment[] = [];

function commentOf(text: string, from: number, to: number, isAlone: boolean): Comment {
  const end = to > from && text.charCodeAt(to - 1) === 0x0d ? to - 1 : to;
  return {
    text: text.slice(text.charCodeAt(from) === 0x20 && from < end ? from + 1 : from, end),
    isBare: end === from,
    isAlone,
  };
}

const ENDS_NAME: ReadonlySet<string> = new Set('\n"\'`:?,;{}()[]|<>=/\\*');

/** Letters, digits and `_`, `-`, `.`, `$`, of ASCII. */
const WORD_UNITS = new Uint8Array(0x80);
for (const unit of '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-.$') {
  WORD_UNITS[unit.charCodeAt(0)] = 1;
}

function isWordUnit(unit: number): boolean {
  return unit >= 0x80 || WORD_UNITS[unit] === 1;
}

/** The value of a string in double quotes. One that is no JSON (a bare backslash) means what stands there. */
export function unquote(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted.slice(1, -1);
  }
}

/** Whether a field's name can stand without quotes. */
export function isBareName(name: string): boolean {
  if (name === '' || name !== name.trim()) return false;
  for (const character of name) {
    const code = character.codePointAt(0)!;
    if (code < 0x20 || (code >= 0x7f && code <= 0x9f) || ENDS_NAME.has(character)) return false;
    if (code === 0x2028 || code === 0x2029 || code === 0xfeff) return false;
  }
  return true;
}
