// The contents of messages, from where they stand in a record: as the inside of a JSON string, or as text. Those that
// are put together of several texts, too: the parts of a list; an instruction and its input.

import { ABSENT, CODED, ESCAPED, PARTS, VALUE } from '../../src/abi';
import { escape } from '../text-escape';
import { copy } from '../text-line';
import { copyInside } from '../text-string';
import { putArguments } from './arguments';
import { isTextType } from './blocks';
import * as K from './keys';
import { after, firstKey, isKey, memberValue, nextKey, pass } from './members';
import { BACKSLASH, CLOSE_LIST, COMMA, OPEN_LIST, OPEN_OBJECT, QUOTE, skipBlanks, stringEnd } from './text';
import { isEscape } from './tags';
import { kindAtQuote } from './whole-texts';
import { TOOLS_TAG } from './written';
import { textFrom, textTo } from './value';

/** Two line feeds, as text and in a string. */
const BETWEEN: u32 = 0x0a0a;
const BETWEEN_ESCAPED: u32 = 0x6e5c6e5c;

let scratch: usize = 0;
let scratchEnd: usize = 0;

export function beginContents(from: usize, to: usize): void {
  scratch = from;
  scratchEnd = to;
}

/**
 * Writes the content whose BODY row is `row`, `isPlain`: as text, else as the inside of a JSON string. 0: the host must
 * write it, or it needs more room than there is.
 */
export function putContent(q: usize, row: usize, isPlain: bool): usize {
  const kind = load<u32>(row);
  if ((kind & ABSENT) != 0) return (kind & VALUE) != 0 ? 0 : q;
  const from = <usize>load<u32>(row, 4);
  const to = <usize>load<u32>(row, 8);
  if ((kind & VALUE) != 0) {
    return load<u8>(from) == BACKSLASH ? putInner(q, kind, from, to, isPlain) : putValue(q, from, to, isPlain);
  }
  if ((kind & PARTS) == 0) {
    return cutFrom < from || cutFrom >= to ? putText(q, kind, from, to, isPlain) : putCut(q, kind, from, to, isPlain);
  }
  return isAsked(from) ? putAsked(q, from, isPlain) : putParts(q, from, to, isPlain);
}

/**
 * Definitions that are written in a content of the record at hand, `tools` being its TOOLS row, are no part of it; nor
 * is a newline before them.
 */
export function beginCut(tools: usize): void {
  const from = <usize>load<u32>(tools, 4);
  // They stand between tags then.
  cutFrom = from != 0 && load<u8>(from - 1) == 0x3e ? from - TOOLS_TAG : 0;
  cutTo = <usize>load<u32>(tools, 8) + TOOLS_TAG + 1;
}
let cutFrom: usize = 0;
let cutTo: usize = 0;
const NEWLINE: u32 = 0x6e5c;
const RETURN: u32 = 0x725c;

/** The content [from, to) without them. */
function putCut(q: usize, kind: u32, from: usize, to: usize, isPlain: bool): usize {
  // A newline may be written as a code.
  if ((kind & CODED) != 0) return 0;
  let before = cutFrom;
  if (endsWith(from, before, NEWLINE)) {
    before -= 2;
    if (endsWith(from, before, RETURN)) before -= 2;
  }
  q = putText(q, kind, from, before, isPlain);
  return q == 0 ? 0 : putText(q, kind, cutTo, to, isPlain);
}

/** Whether the inside of a string, [from, to), ends with an escape. */
function endsWith(from: usize, to: usize, escape: u32): bool {
  return to - from > 1 && load<u16>(to - 2) == escape && isEscape(to - 2);
}

/** A body is all of a text: a reply that is written in one has the name of its call for its own. */
export function isWhole(row: usize): bool {
  return load<u8>(load<u32>(row, 4) - 1) == QUOTE && load<u8>(load<u32>(row, 8)) == QUOTE;
}

/** As text it needs room twice. */
function putValue(q: usize, from: usize, to: usize, isPlain: bool): usize {
  const room = to - from + 128;
  if (isPlain) return putArguments(q, from, to, q + room);
  if (room << 1 > scratchEnd - scratch) return 0;
  const end = putArguments(scratch, from, to, scratch + room);
  return end == 0 ? 0 : escape(scratch, end, q, q + 6 * (end - scratch) + 64, true);
}

/** A string within a string: one that holds no escape of its own. */
function putInner(q: usize, kind: u32, from: usize, to: usize, isPlain: bool): usize {
  if ((kind & CODED) != 0) return 0;
  from += 2;
  to -= 2;
  for (let p = from; p < to; p++) {
    if (load<u8>(p) == BACKSLASH && load<u8>(++p) == BACKSLASH) return 0;
  }
  return putText(q, kind, from, to, isPlain);
}

/** Writes a part of a content, [from, to) of a string of this kind, as `putContent` does. */
export function putText(q: usize, kind: u32, from: usize, to: usize, isPlain: bool): usize {
  if ((kind & (isPlain ? ESCAPED : CODED)) == 0) return copy(q, from, to);
  if (isPlain) return copyInside(from, to, q);
  // As every writer has it: what needs no escape has none.
  if (to - from + 128 > scratchEnd - scratch) return 0;
  const end = copyInside(from, to, scratch);
  if (end == 0) return 0;
  return escape(scratch, end, q, q + 6 * (end - scratch) + 64, true);
}

/** The string at p. */
function putString(q: usize, p: usize, isPlain: bool): usize {
  const kind = kindAtQuote(p);
  return putText(q, kind, textFrom, textTo, isPlain);
}

/** Whether a body of several texts begins with an instruction: in a string. */
export function isAsked(from: usize): bool { return load<u8>(from - 1) == QUOTE; }
/** Behind the quote that closes the string in which it begins. */
export function askedTo(from: usize): usize { return stringEnd(from) + 1; }

/** The instruction, and its input behind it; 0: the input stands in front. */
function putAsked(q: usize, from: usize, isPlain: bool): usize {
  for (let p = nextKey(askedTo(from)); p != 0; p = nextKey(p)) {
    p = memberValue(p);
    if (!isKey(5, K.INPUT)) {
      p = pass(p);
      continue;
    }
    q = putString(q, from - 1, isPlain);
    if (q == 0) return 0;
    store<u32>(q, isPlain ? BETWEEN : BETWEEN_ESCAPED);
    return putString(q + (isPlain ? 2 : 4), p, isPlain);
  }
  return 0;
}

/** The parts of a list, or some of them. */
function putParts(q: usize, p: usize, to: usize, isPlain: bool): usize {
  if (load<u8>(p) == OPEN_LIST) p = skipBlanks(p + 1);
  while (load<u8>(p) == OPEN_OBJECT) {
    let text: usize = 0;
    let other: usize = 0;
    for (let key = firstKey(p); key != 0; key = nextKey(key)) {
      key = memberValue(key);
      if (isKey(4, K.TEXT)) text = key;
      else if (isKey(4, K.TYPE) && !isTextType(key)) other = key + 1;
      key = pass(key);
    }
    p = after;
    q = other != 0 ? putShown(q, other, stringEnd(other)) : putString(q, text, isPlain);
    if (q == 0) return 0;
    if (p >= to) return q;
    p = skipBlanks(p);
    if (load<u8>(p) != COMMA) return q;
    p = skipBlanks(p + 1);
  }
  return 0;
}

/** What stands for a part that is no text, of the type [from, to): SHOWN in src/formats/chat/parts.ts. */
function putShown(q: usize, from: usize, to: usize): usize {
  if (load<u32>(from) == INPUT && load<u16>(from, 4) == INPUT_END) {
    const is = to - from - 6 == 4 ? load<u32>(from, 6) == FILE : isMedium(from + 6, to);
    if (is) from += 6;
  } else if (load<u32>(to - 4) == URL && isMedium(from, to - 4)) to -= 4;
  store<u8>(q, OPEN_LIST);
  q = copy(q + 1, from, to);
  store<u8>(q, CLOSE_LIST);
  return q + 1;
}

/** `inpu`, `t_`, `_url`, and what they stand beside. */
const INPUT: u32 = 0x75706e69;
const INPUT_END: u32 = 0x5f74;
const URL: u32 = 0x6c72755f;
const FILE: u32 = 0x656c6966;
const IMAG: u32 = 0x67616d69;
const AUDI: u32 = 0x69647561;
const VIDE: u32 = 0x65646976;

/** Whether [from, to) is `image`, `audio` or `video`. */
function isMedium(from: usize, to: usize): bool {
  if (to - from != 5) return false;
  const start = load<u32>(from);
  const last = <u32>load<u8>(from, 4);
  return (start == IMAG && last == 0x65) || ((start == AUDI || start == VIDE) && last == 0x6f);
}
