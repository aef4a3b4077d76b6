// Messages that stand behind each other with the same bytes and the same rows: a broken file may hold nothing else,
// millions of times, and then most of the work would be to find out again what one is.

import { FROM, KIND, NEXT, ROW_WORDS, TO } from '../abi.ts';
import { type Batch, fromOf, nextOf, toOf } from '../scan/table.ts';

/** Bytes that are looked at by one call. */
const MOST = 64 * 1024;

/** How many messages before row `end` repeat the one at row `row`, right behind it. */
export function repeatsOf(batch: Batch, row: number, end: number): number {
  const rows = nextOf(batch, row) - row;
  const from = fromOf(batch, row);
  const length = toOf(batch, row) - from;
  if (!isMoved(batch, row, rows, length, end)) return 0;
  const bytes = batch.source.bytes(from, Math.min(from + MOST, toOf(batch, batch.to - 1)));
  let repeats = 0;
  for (let at = length; at + length <= bytes.length; repeats++) {
    if (!isMoved(batch, row + repeats * rows, rows, length, end)) break;
    const next = at + length;
    while (at < next && bytes[at] === bytes[at - length]) at++;
    if (at < next) break;
  }
  return repeats;
}

/** The `rows` rows from row `row` on stand right behind themselves once more, `length` bytes on, before row `end`. */
function isMoved({ words, first }: Batch, row: number, rows: number, length: number, end: number): boolean {
  if (row + 2 * rows > end) return false;
  const by = rows * ROW_WORDS;
  const to = (row + rows - first) * ROW_WORDS;
  for (let at = to - by; at < to; at += ROW_WORDS) {
    if (words[at + by + KIND] !== words[at + KIND]
      || words[at + by + FROM] !== words[at + FROM]! + length
      || words[at + by + TO] !== words[at + TO]! + length
      || words[at + by + NEXT] !== words[at + NEXT]! + rows) return false;
  }
  return true;
}
