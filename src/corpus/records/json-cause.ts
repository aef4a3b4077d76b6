// Why bytes are no JSON, in words for people: the mistakes that programs make when they write it. Looked for where it
// goes wrong, so a record of any size costs the same.

import { isUtf8 } from 'node:buffer';
import { isBlankByte } from '../../model/bytes.ts';
import { characterLength } from '../../utf8.ts';
import {
  BACKSLASH, CLOSE_LIST, CLOSE_OBJECT, COLON, COMMA, MARK, OPEN_LIST, OPEN_OBJECT,
} from './json-bytes.ts';

/** What is wrong and what to do; both hold nothing of the record. */
export interface Cause {
  readonly problem: string;
  readonly remedy: string;
}

export const UNKNOWN: Cause = { problem: 'it is no JSON', remedy: 'give one JSON object a line, or one list' };
/** It begins what is not there. */
export const CUT: Cause = {
  problem: 'it ends in the middle', remedy: 'complete it; a record is one line, or the file a list',
};
/** It is no UTF-8 at all (R-UTF16). */
export const WIDE: Cause = { problem: 'it looks like UTF-16 or UTF-32', remedy: 'convert it to UTF-8' };
const COMMENT: Cause = { problem: 'JSON has no comments', remedy: 'remove it' };
const SINGLE_QUOTE: Cause = { problem: 'JSON has no texts in single quotes', remedy: 'write it in double quotes' };
const LAST_COMMA: Cause = { problem: 'a comma stands with nothing behind it', remedy: 'remove it' };
const NO_QUOTES: Cause = { problem: 'a key has no quotes', remedy: 'write it in double quotes' };
const ESCAPE: Cause = { problem: 'an escape is none of JSON', remedy: 'write a backslash as two' };
const BEHIND: Cause = { problem: 'something follows the value', remedy: 'give one value a line' };
const COMMA_BEHIND: Cause = {
  problem: 'a comma follows the value', remedy: 'give one value a line, or one list with its brackets',
};
const TWO_MARKS: Cause = { problem: 'a byte order mark stands in it', remedy: 'remove it' };

/** Words of other languages, and what JSON has instead. */
const WORDS: readonly (readonly [bytes: readonly number[], cause: Cause])[] = [
  ['NaN', 'null'], ['Infinity', 'null'], ['None', 'null'], ['True', 'true'], ['False', 'false'], ['undefined', 'null'],
].map(([word, instead]) => [
  [...Buffer.from(word!)], { problem: `JSON has no ${word}`, remedy: `write ${instead}` },
]);

const SINGLE = 0x27;
const SLASH = 0x2f;
const MINUS = 0x2d;
const SPACE = 0x20;

/** Why bytes are no JSON from byte `at` on. `isJson` tells of a part whether it is. */
export function causeOf(bytes: Uint8Array, at: number, isJson: (part: Uint8Array) => boolean): Cause {
  if (at >= bytes.length) return CUT;
  const byte = bytes[at]!;
  if (byte < SPACE) return controlOf(byte);
  if (bytes[at - 1] === BACKSLASH) return ESCAPE;
  const before = lastBefore(bytes, at);
  const isValue = before === -1 || before === COLON || before === COMMA || before === OPEN_LIST || before === MINUS;
  if (isValue || before === OPEN_OBJECT) {
    if (byte === SINGLE) return SINGLE_QUOTE;
    if (before === COMMA && (byte === CLOSE_LIST || byte === CLOSE_OBJECT)) return LAST_COMMA;
    const word = WORDS.find(([word]) => begins(bytes, at, word));
    if (isValue && word !== undefined) return word[1];
    if (before === OPEN_OBJECT && isLetter(byte)) return NO_QUOTES;
    if (before === -1 && begins(bytes, at, MARK)) return TWO_MARKS;
  }
  if (byte === SLASH && (bytes[at + 1] === SLASH || bytes[at + 1] === 0x2a)) return COMMENT;
  const mayBeBehind = !isValue && before !== OPEN_OBJECT && byte !== COLON;
  if (mayBeBehind && isJson(bytes.subarray(0, at))) return byte === COMMA ? COMMA_BEHIND : BEHIND;
  return UNKNOWN;
}

function controlOf(byte: number): Cause {
  const name = `U+${byte.toString(16).toUpperCase().padStart(4, '0')}`;
  // Text of UTF-16 has one in every character.
  const remedy = byte === 0 ? 'write it as UTF-8, and without such characters' : 'escape it, as json.dumps does';
  return { problem: `the control character ${name} stands in it as it is`, remedy };
}

/** The last byte before `at` that is no white space; -1: there is none. */
function lastBefore(bytes: Uint8Array, at: number): number {
  let last = at - 1;
  while (last >= 0 && isBlankByte(bytes[last])) last--;
  return last < 0 ? -1 : bytes[last]!;
}

function begins(bytes: Uint8Array, at: number, part: readonly number[]): boolean {
  return part.every((byte, i) => bytes[at + i] === byte);
}

const isLetter = (byte: number): boolean => byte === 0x5f || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a);

/** Bytes that are looked at together. */
const PART = 4096;

/** The first byte that is no UTF-8; the end: there is none. */
export function invalidUtf8At(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length) {
    // Up to where a character begins; a part that is all of one is bad anyway.
    let to = Math.min(at + PART, bytes.length);
    for (let back = 0; back < 3 && to < bytes.length && (bytes[to]! & 0xc0) === 0x80; back++) to--;
    if (!isUtf8(bytes.subarray(at, to))) break;
    at = to;
  }
  while (at < bytes.length) {
    const length = characterLength(bytes, at, bytes.length);
    if (length < 0) return at;
    at += length;
  }
  return bytes.length;
}
