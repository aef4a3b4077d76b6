// One line of JSON lines that is an object: whether it is one, where its members stand, and what its strings say.
//
// Strings of the top level are gone through and written in one pass (text-string.ts), containers below it by the
// automaton of json.ts. Outside of strings only ASCII is accepted; so all of the line is valid UTF-8. A line feed
// stands nowhere inside of what is accepted: the end of the line is found where the object ends, and nobody need look
// for it before. What is not accepted is judged by others. Reads may pass `end` by up to 160 bytes; what is found there
// decides nothing.

import {
  JSON_DEPTH, KEY_ESCAPED, LINE_OTHER, MEMBER_BYTES, MOST_MEMBERS, VALUE_ARRAY, VALUE_ESCAPED, VALUE_FALSE, VALUE_LONE,
  VALUE_NULL, VALUE_NUMBER, VALUE_OBJECT, VALUE_STRING, VALUE_TRUE,
} from '../src/abi';
import { depth, jsonBegin, jsonFeed, skipDigits } from './json';
import { nextLine } from './text-lines';
import { copyString, hasEscape, hasLone, textTo } from './text-string';
import { isBlank } from './words';

const LF: u32 = 0x0a;
const QUOTE: u32 = 0x22;

let end: usize = 0;

/** Where the line ends that `line` has accepted. */
export function lineTo(): usize { return end; }

/** White space within a line. */
function skipBlanks(p: usize, end: usize): usize {
  while (p < end && isBlank(load<u8>(p)) && load<u8>(p) != LF) p++;
  return p;
}

/**
 * The members of the line that begins at p and ends at the first LF, or at `limit`: MEMBER_BYTES each from `table` on,
 * texts of strings one after the other from `into` on. Their number, or LINE_OTHER.
 */
export function line(p: usize, limit: usize, table: usize, into: usize): i32 {
  end = limit;
  let count = 0;
  p = skipBlanks(p, end);
  if (p >= end || load<u8>(p) != 0x7b) return LINE_OTHER;
  p = skipBlanks(p + 1, end);
  if (p < end && load<u8>(p) == 0x7d) return endsAt(p + 1) ? 0 : LINE_OTHER;
  while (count < MOST_MEMBERS) {
    if (p >= end || load<u8>(p) != QUOTE) return LINE_OTHER;
    // The next text takes the place of a key's.
    const keyTo = copyString(p + 1, end, into);
    if (keyTo == 0) return LINE_OTHER;
    store<u32>(table, p + 1);
    store<u32>(table, keyTo, 4);
    let kind: u32 = hasEscape ? KEY_ESCAPED : 0;
    p = skipBlanks(keyTo + 1, end);
    if (p >= end || load<u8>(p) != 0x3a) return LINE_OTHER;
    p = skipBlanks(p + 1, end);
    if (p >= end) return LINE_OTHER;
    store<u32>(table, p, 8);
    if (load<u8>(p) == QUOTE) {
      p = copyString(p + 1, end, into) + 1;
      if (p == 1) return LINE_OTHER;
      kind |= VALUE_STRING | (hasEscape ? VALUE_ESCAPED : 0) | (hasLone ? VALUE_LONE : 0);
      store<u32>(table, into, 20);
      store<u32>(table, textTo, 24);
      into = textTo;
    } else {
      p = otherEnd(p);
      if (p == 0) return LINE_OTHER;
      kind |= otherKind;
    }
    store<u32>(table, p, 12);
    store<u32>(table, kind, 16);
    table += MEMBER_BYTES;
    count++;
    p = skipBlanks(p, end);
    if (p >= end) return LINE_OTHER;
    const next = <u32>load<u8>(p);
    p = skipBlanks(p + 1, end);
    if (next == 0x7d) return endsAt(p) ? count : LINE_OTHER;
    if (next != 0x2c) return LINE_OTHER;
  }
  return LINE_OTHER;
}

/** Nothing follows in the line, which then ends there. */
function endsAt(p: usize): bool {
  p = skipBlanks(p, end);
  if (p < end && load<u8>(p) != LF) return false;
  end = p;
  return true;
}

/** What `otherEnd` has found. */
let otherKind: u32 = 0;

/** First byte after the value at p, which is no string; 0: it is not accepted. */
function otherEnd(p: usize): usize {
  const first = <u32>load<u8>(p);
  if (first == 0x7b || first == 0x5b) {
    otherKind = first == 0x7b ? VALUE_OBJECT : VALUE_ARRAY;
    return containerEnd(p);
  }
  if (first == 0x2d || first - 0x30 < 10) {
    otherKind = VALUE_NUMBER;
    return numberEnd(p);
  }
  const word = load<u32>(p);
  if (word == 0x65757274) otherKind = VALUE_TRUE;
  else if (word == 0x6c6c756e) otherKind = VALUE_NULL;
  else if (word == 0x736c6166 && load<u8>(p, 4) == 0x65) {
    otherKind = VALUE_FALSE;
    p++;
  } else return 0;
  return p + 4 <= end ? p + 4 : 0;
}

/** First byte after the container at p, or 0. */
function containerEnd(p: usize): usize {
  // The automaton takes line feeds for white space: it is to see the line only.
  const found = nextLine(p, end);
  if (found != 0) end = found;
  jsonBegin(JSON_DEPTH - 1);
  const stop = jsonFeed(p, end);
  // It stops at what follows the container; to accept anything but a comma or bracket is left to the reader of the
  // members.
  if (stop == 0 || depth != 0) return 0;
  p = stop;
  while (isBlank(load<u8>(p - 1))) p--;
  return p;
}

/** First byte after the number at p, or 0. */
function numberEnd(p: usize): usize {
  if (load<u8>(p) == 0x2d) p++;
  const whole = p;
  p = skipDigits(p, end);
  if (p == whole || (load<u8>(whole) == 0x30 && p > whole + 1)) return 0;
  if (p < end && load<u8>(p) == 0x2e) {
    const fraction = ++p;
    p = skipDigits(p, end);
    if (p == fraction) return 0;
  }
  if (p < end && (<u32>load<u8>(p) | 0x20) == 0x65) {
    p++;
    if (p < end && (load<u8>(p) == 0x2b || load<u8>(p) == 0x2d)) p++;
    const power = p;
    p = skipDigits(p, end);
    if (p == power) return 0;
  }
  return p;
}
