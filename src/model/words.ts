// A message header cut into fields and words (R-ATTR). What the words mean is for attributes.ts.

import { CHANNEL, ESCAPE, FIELD, STRAY } from '../abi.ts';
import { TOKEN_NAMES } from '../scan/dialects.ts';
import { fromOf, kindOf, nextOf, type Table, toOf, tokenOf } from '../scan/table.ts';
import { decodeUtf8 } from '../utf8.ts';
import { isBlankByte } from './bytes.ts';
import { HEADER_BYTES } from './header/document.ts';

export interface Word {
  /** Byte positions in the input. */
  readonly from: number;
  readonly to: number;
  /** The word without the `<` of its escapes. */
  readonly text: string;
}

export interface Field {
  readonly kind: 'start' | 'channel' | 'constrain';
  /** First byte of the field's token (of the message, for the start field), and the end of that token. */
  readonly from: number;
  readonly textFrom: number;
  readonly words: readonly Word[];
}

/** The fields of a header, as far as they are read. */
export interface Fields {
  readonly fields: Field[];
  /** The last one of them is the header's last one: no other begins behind what is read. */
  readonly hasLast: boolean;
}

/**
 * Fields of the header of the message at `row`, whose start field's text begins at `textFrom`; the header ends at `to`.
 * Of its bytes at most HEADER_BYTES are read: a field, or a word, that goes on behind them is none.
 */
export function readFields(table: Table, row: number, textFrom: number, to: number): Fields {
  const limit = fromOf(table, row) + HEADER_BYTES;
  const fields: Field[] = [];
  const end = nextOf(table, row);
  let child = row + 1;
  const inHeader = (): boolean => child < end && fromOf(table, child) < to;
  const first = child;
  while (inHeader() && kindOf(table, child) !== FIELD) child++;
  const startTo = inHeader() ? fromOf(table, child) : to;
  const words = firstWords(table, first, child, textFrom, startTo, limit);
  fields.push({ kind: 'start', from: fromOf(table, row), textFrom, words });
  while (inHeader() && kindOf(table, child) === FIELD) {
    const token = tokenOf(table, child);
    const from = fromOf(table, child);
    const textStart = from + TOKEN_NAMES[token]!.length + 4;
    if (textStart > limit) return { fields, hasLast: false };
    const next = nextOf(table, child);
    const textTo = Math.min(toOf(table, child), to);
    const below = child + 1;
    child = next;
    const words = firstWords(table, below, next, textStart, textTo, limit);
    fields.push({ kind: token === CHANNEL ? 'channel' : 'constrain', from, textFrom: textStart, words });
  }
  return { fields, hasLast: true };
}

/** Words of [from, to) before `limit`, without one that is cut there. */
function firstWords(table: Table, first: number, last: number, from: number, to: number, limit: number): Word[] {
  if (to <= limit) return splitWords(table, first, last, from, to);
  const words = splitWords(table, first, last, from, limit);
  // What stands for one byte more is not looked for: at the limit a word counts as cut.
  if (words.at(-1)?.to === limit) words.pop();
  return words;
}

/** Words of [from, to); of the rows [first, last) the strays end a word, and the escapes are undone. */
export function splitWords(table: Table, first: number, last: number, from: number, to: number): Word[] {
  const bytes = table.source.bytes(from, to);
  const words: Word[] = [];
  let begin = -1;
  let removed: number[] = [];
  const end = (at: number): void => {
    if (begin >= 0) words.push(makeWord(bytes, from, begin, at, removed));
    begin = -1;
    removed = [];
  };
  let row = first;
  for (let at = 0; at < bytes.length; at++) {
    while (row < last && fromOf(table, row) < from + at) row++;
    if (row < last && fromOf(table, row) === from + at) {
      const kind = kindOf(table, row);
      if (kind === STRAY) {
        end(at);
        at = toOf(table, row) - from - 1;
        continue;
      }
      if (kind === ESCAPE) {
        if (begin < 0) begin = at;
        removed.push(at);
        at = toOf(table, row) - from - 1;
        continue;
      }
    }
    if (isBlankByte(bytes[at])) end(at);
    else if (begin < 0) begin = at;
  }
  end(bytes.length);
  return words;
}

function makeWord(bytes: Uint8Array, base: number, from: number, to: number, removed: readonly number[]): Word {
  let text = '';
  let at = from;
  for (const less of removed) {
    text += decodeUtf8(bytes.subarray(at, less));
    at = less + 1;
  }
  return { from: base + from, to: base + to, text: text + decodeUtf8(bytes.subarray(at, to)) };
}
