// The lines of a document header, byte by byte, for the TypeScript scanner: does a line of a gap open one (Opener),
// does a line of it close it (Lines)? All of it is state, so that input can be cut anywhere.

import { isLetter } from './token.ts';

const HTAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SP = 0x20;
const HASH = 0x23;
const DASH = 0x2d;
const DOT = 0x2e;
const COLON = 0x3a;
const LOWER_V = 0x76;
const UNDERSCORE = 0x5f;

/** What the byte fed to an Opener says. */
export const GOES_ON = 0;
export const OPENS = 1;
const FAILS = 2;

const DASHES = 0;
const ANY_KEY = 1;
const VERSION = 2;
const KEY_END = 3;
const COMMENT_SIGN = 4;
const VERSION_KEY = 'version';

/** A line of a gap that may open a document header. */
export class Opener {
  /** It stands at the start of input. */
  first = false;
  form = DASHES;
  /** Bytes of `---` or `version` so far. */
  count = 0;

  /** The first byte of a line (it is still to be fed): may the line open a header? */
  begins(byte: number, first: boolean): boolean {
    if (byte === DASH) this.form = DASHES;
    else if (first && byte === HASH) this.form = COMMENT_SIGN;
    else if (first && (isLetter(byte) || byte === UNDERSCORE)) this.form = ANY_KEY;
    else if (!first && byte === LOWER_V) this.form = VERSION;
    else return false;
    this.first = first;
    this.count = 0;
    return true;
  }

  feed(byte: number): number {
    switch (this.form) {
      case DASHES:
        if (this.count < 3) return byte === DASH ? this.#more() : FAILS;
        return byte === LF ? OPENS : isBlank(byte) ? GOES_ON : FAILS;
      case ANY_KEY:
        if (byte === COLON) this.form = KEY_END;
        return byte === COLON || isKeyByte(byte) ? GOES_ON : FAILS;
      case VERSION:
        if (this.count < VERSION_KEY.length) return byte === VERSION_KEY.charCodeAt(this.count) ? this.#more() : FAILS;
        this.form = KEY_END;
        return byte === COLON ? GOES_ON : FAILS;
      case KEY_END:
        return isBlank(byte) || byte === LF ? OPENS : FAILS;
      default:
        return OPENS;
    }
  }

  /** The line ends with the input: does it open a header? */
  opensAtEnd(): boolean {
    return this.form === KEY_END || this.isMarker();
  }

  /** `---` and perhaps blanks so far. */
  isMarker(): boolean {
    return this.form === DASHES && this.count === 3;
  }

  isComment(): boolean {
    return this.form === COMMENT_SIGN;
  }

  #more(): number {
    this.count++;
    return GOES_ON;
  }
}

const START = 0;
const BLANK = 1;
const MARKER = 2;
const COMMENT = 3;
const CONTENT = 4;

/** The lines of a document header, after what its Opener has read. */
export class Lines {
  /** What the line is so far. */
  line = START;
  /** Of a marker line: its sign, and how many there are. */
  sign = 0;
  count = 0;
  /** A line with content came before. */
  content = false;

  begin(opener: Opener): void {
    this.line = opener.isMarker() ? MARKER : opener.isComment() ? COMMENT : CONTENT;
    this.sign = DASH;
    this.count = 3;
    this.content = false;
  }

  atStart(): boolean {
    return this.line === START;
  }

  /** Only the end of the line, or a token, says more. */
  isDull(): boolean {
    return this.line >= COMMENT;
  }

  /** True: the byte ends a line that closes the header. */
  feed(byte: number): boolean {
    if (byte === LF) return this.#endLine();
    if (this.line >= COMMENT) return false;
    if (this.line === MARKER) {
      if (byte === this.sign && this.count < 3) this.count++;
      else if (!(isBlank(byte) && this.count === 3)) this.line = CONTENT;
    } else if (isBlank(byte)) {
      this.line = BLANK;
    } else if (byte === HASH) {
      this.line = COMMENT;
    } else if (this.line === START && (byte === DASH || byte === DOT)) {
      this.line = MARKER;
      this.sign = byte;
      this.count = 1;
    } else {
      this.line = CONTENT;
    }
    return false;
  }

  #endLine(): boolean {
    const marker = this.line === MARKER && this.count === 3;
    if (marker && this.content) return true;
    if (this.line === CONTENT || (this.line === MARKER && !marker)) this.content = true;
    this.line = START;
    return false;
  }
}

/** White space within a line. */
function isBlank(byte: number): boolean {
  return byte === SP || byte === HTAB || byte === CR;
}

function isKeyByte(byte: number): boolean {
  return isLetter(byte) || (byte >= 0x30 && byte <= 0x39) || byte === UNDERSCORE || byte === DASH;
}
