// Words of the record machine's rows. Records in which escapes spell a tag of a call that is written as text are marked
// as the host's.

import { CODED_TAGS, FROM, IS_OBJECT, IS_OTHER, KIND, NEXT, ROW_WORDS, SLOW, TO } from '../abi.ts';

/** Word of a row. */
export const wordAt = (rows: Int32Array, row: number, word: number): number => rows[row * ROW_WORDS + word]!;

/** Tags of calls that are written as text (R-HERMES), and what may begin one at the end of a part. */
const TAGS = /<(?:(?:tool_call|tool_response|tools)>|[a-z_]{0,13}")/g;
const LATIN1 = new TextDecoder('latin1');

/**
 * Marks the records of a table of `count` rows in which a tag stands that escapes spell. `memory` is where its rows
 * have addresses.
 */
export function markCoded(memory: Uint8Array, rows: Int32Array, count: number): void {
  for (let record = 0; record < count; record = wordAt(rows, record, NEXT)) {
    if ((wordAt(rows, record + 1, KIND) & CODED_TAGS) === 0) continue;
    const json = memory.subarray(wordAt(rows, record, FROM), wordAt(rows, record, TO));
    if (tagsIn(withLetters(json)) > tagsIn(json)) markSlow(rows, record);
  }
}

const tagsIn = (json: Uint8Array): number => LATIN1.decode(json).match(TAGS)?.length ?? 0;

const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const ZERO = 0x30;

/** JSON with the ASCII that its escapes stand for. A string would be made for each of them by a regular expression. */
function withLetters(json: Uint8Array): Uint8Array {
  const letters = new Uint8Array(json.length);
  let size = 0;
  for (let at = 0; at < json.length; ) {
    const letter = json[at] === BACKSLASH ? letterAt(json, at) : 0;
    if (letter > 0) {
      letters[size++] = letter;
      at += 6;
      continue;
    }
    // What follows a backslash that is escaped is no escape.
    if (json[at] === BACKSLASH && json[at + 1] === BACKSLASH) letters[size++] = json[at++]!;
    letters[size++] = json[at++]!;
  }
  return letters.subarray(0, size);
}

/** The character from 0x30 to 0x7f that an escape stands for; 0: it is another one. */
function letterAt(json: Uint8Array, at: number): number {
  if (json[at + 1] !== LETTER_U || json[at + 2] !== ZERO || json[at + 3] !== ZERO) return 0;
  const [high, low] = [hexOf(json[at + 4]!), hexOf(json[at + 5]!)];
  return high >= 3 && high <= 7 && low >= 0 ? high * 16 + low : 0;
}

function hexOf(byte: number): number {
  if (byte >= ZERO && byte <= 0x39) return byte - ZERO;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

function markSlow(rows: Int32Array, record: number): void {
  const at = record * ROW_WORDS + KIND;
  if ((rows[at]! & SLOW) === 0) rows[at] = (rows[at]! & ~IS_OTHER) | IS_OBJECT | SLOW;
}
