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

/** Where in the inside of a string the marker stands that tells of a thought; null: none does. */
export function markerIn(string: Uint8Array): Span | null {
  const bytes = Buffer.from(string.buffer, string.byteOffset, string.length);
  let from = 0;
  while (bytes[from] === SPACE || (bytes[from] === BACKSLASH && BLANKS.has(bytes[from + 1]))) {
    from += bytes[from] === SPACE ? 1 : 2;
  }
  const to = from + OPEN_THINK.length;
  if (bytes.toString('latin1', from, to) === OPEN_THINK) return { from, to };
  const end = bytes.indexOf(CLOSE_THINK, 0, 'latin1');
  return end < 0 ? null : { from: end, to: end + CLOSE_THINK.length };
}
