// Bytes to text: UTF-8 with U+FFFD for each maximal bad subpart (R-UTF8), and R-ESCAPE undone.
import { isEscaped, tokensIn } from './tokens.ts';
import type { Dialect, Source } from './tokens.ts';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export function decode(bytes: Uint8Array, from: number, to: number): string {
  return decoder.decode(bytes.subarray(from, to));
}

/** The text of [from, to), where each `<` directly before a token of a dialect with escapes is left out. */
export function readText(source: Source, dialect: Dialect, from: number, to: number): string {
  if (!dialect.escape) return decode(source.bytes, from, to);
  let text = '';
  let at = from;
  for (const token of tokensIn(source, dialect.tokens, from, to)) {
    if (!isEscaped(source, dialect, token, from)) continue;
    text += decode(source.bytes, at, token.from - 1);
    at = token.from;
  }
  return text + decode(source.bytes, at, to);
}

export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The maximal subparts that a TextDecoder would replace, as the Encoding Standard's UTF-8 decoder finds them. */
export function invalidUtf8(bytes: Uint8Array): Range[] {
  const bad: Range[] = [];
  let at = 0;
  while (at < bytes.length) {
    const lead = bytes[at];
    let needed = 0;
    let lower = 0x80;
    let upper = 0xbf;
    if (lead >= 0xc2 && lead <= 0xdf) needed = 1;
    else if (lead >= 0xe0 && lead <= 0xef) needed = 2;
    else if (lead >= 0xf0 && lead <= 0xf4) needed = 3;
    if (lead === 0xe0) lower = 0xa0;
    else if (lead === 0xed) upper = 0x9f;
    else if (lead === 0xf0) lower = 0x90;
    else if (lead === 0xf4) upper = 0x8f;
    let end = at + 1;
    while (needed > 0 && end < bytes.length && bytes[end] >= lower && bytes[end] <= upper) {
      lower = 0x80;
      upper = 0xbf;
      needed--;
      end++;
    }
    if (needed > 0 || (lead >= 0x80 && end === at + 1)) bad.push({ from: at, to: end });
    at = end;
  }
  return bad;
}
