// The marker of reasoning that is written as text, in the bytes of a JSON string as they lie (R-THINK).
//
// The simple version reads the text: readWrittenThought in src/model. Here no escape stands for a character of a
// marker: the record scanner leaves strings in which one may to that way.

import type { Span } from '../../model/message.ts';
import { CLOSE_THINK, OPEN_THINK } from '../../model/written-thought.ts';
import { BACKSLASH } from './json-bytes.ts';

const SPACE = 0x20;
/** Letters of escapes that are white space. */
const BLANKS: ReadonlySet<number | undefined> = new Set([...'nrt'].map((letter) => letter.charCodeAt(0)));

/** Behind the white space at a place. */
function behindBlanks(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === SPACE || (bytes[at] === BACKSLASH && BLANKS.has(bytes[at + 1]))) {
    at += bytes[at] === SPACE ? 1 : 2;
  }
  return at;
}

/** Whether a string in which a marker stands is nothing but that thought and white space. */
export function isThoughtAlone(string: Uint8Array): boolean {
  const bytes = Buffer.from(string.buffer, string.byteOffset, string.length);
  const end = bytes.indexOf(CLOSE_THINK, 0, 'latin1');
  return end < 0 || behindBlanks(bytes, end + CLOSE_THINK.length) === bytes.length;
}

/** Where in the inside of a string the marker stands that tells of a thought; null: none does. */
export function markerIn(string: Uint8Array): Span | null {
  const bytes = Buffer.from(string.buffer, string.byteOffset, string.length);
  const from = behindBlanks(bytes, 0);
  const to = from + OPEN_THINK.length;
  if (bytes.toString('latin1', from, to) === OPEN_THINK) return { from, to };
  const end = bytes.indexOf(CLOSE_THINK, 0, 'latin1');
  return end < 0 ? null : { from: end, to: end + CLOSE_THINK.length };
}
