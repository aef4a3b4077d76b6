// Bytes of a body to text, piece by piece: no piece splits a character, and all pieces together are what decoding at
// once gives.

import { characterLength, decodeUtf8 } from '../../utf8.ts';

/** Characters that wait for what tells whether they are shown, and how. */
export const MOST_WAITING = 1 << 20;

/** Shorter ones are put together by hand: asking the decoder costs more. */
const SHORT = 24;

export class TextPieces {
  /** Bytes of a character that the end of what came cuts. */
  #cut: Uint8Array | null = null;

  /** The text of the next bytes, without a character that they cut. */
  take(bytes: Uint8Array): string {
    if (this.#cut) return this.#join(this.#cut, bytes);
    const short = bytes.length <= SHORT ? ascii(bytes) : null;
    if (short !== null) return short;
    const whole = wholeLength(bytes);
    if (whole < bytes.length) this.#cut = bytes.slice(whole);
    return whole === 0 ? '' : decodeUtf8(whole < bytes.length ? bytes.subarray(0, whole) : bytes);
  }

  /** A character is cut: its rest is awaited. */
  get isCut(): boolean {
    return this.#cut !== null;
  }

  /** The bytes so far end a piece: what is cut stays cut. */
  flush(): string {
    const isCut = this.#cut !== null;
    this.#cut = null;
    return isCut ? '\ufffd' : '';
  }

  #join(cut: Uint8Array, bytes: Uint8Array): string {
    if (bytes.length === 0) return '';
    const joined = new Uint8Array(cut.length + bytes.length);
    joined.set(cut);
    joined.set(bytes, cut.length);
    this.#cut = null;
    return this.take(joined);
  }
}

function ascii(bytes: Uint8Array): string | null {
  let text = '';
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte >= 0x80) return null;
    text += String.fromCharCode(byte);
  }
  return text;
}

/** Length without the beginning of a character at the end that further bytes may complete. */
function wholeLength(bytes: Uint8Array): number {
  const { length } = bytes;
  for (let at = Math.max(0, length - 3); at < length; at++) {
    const byte = bytes[at]!;
    if (byte >= 0xc2 && byte <= 0xf4 && at - characterLength(bytes, at, length) === length) return at;
  }
  return length;
}

/**
 * Cuts text for an end user at the ends of paragraphs (2.2 §9): after a newline that follows one, with only blanks
 * between.
 */
export class Paragraphs {
  /** Newlines since the last character that is no white space; two of them have told it. */
  #newlines = 2;

  /** Tells `text` and `flush` in the order in which they stand. */
  take(text: string, onText: (part: string) => void, onFlush: () => void): void {
    let from = 0;
    for (let end = this.next(text, 0); end >= 0; end = this.next(text, from)) {
      onText(text.slice(from, end));
      onFlush();
      from = end;
    }
    if (from < text.length) onText(from === 0 ? text : text.slice(from));
  }

  /** Where the next paragraph of the text ends, from `from` on; -1: none does, and all of the text is seen. */
  next(text: string, from: number): number {
    for (let i = from; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit === 0x0a) {
        if (++this.#newlines === 2) return i + 1;
      } else if (unit !== 0x20 && unit !== 0x09 && unit !== 0x0d) {
        this.#newlines = 0;
        // The next newline is the next place of interest: most text has few.
        const next = text.indexOf('\n', i + 1);
        if (next < 0) break;
        i = next - 1;
      }
    }
    return -1;
  }
}

/** Nothing but SP, HTAB, CR and LF. */
export function isBlankText(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit !== 0x20 && unit !== 0x0a && unit !== 0x09 && unit !== 0x0d) return false;
  }
  return true;
}
