// What is written as text in contents between tags (R-HERMES): the content as the text that it is, where tags stand in
// it, and where its characters stand in the JSON.

import { ASSISTANT, BODY, CODED, ESCAPED, PARTS, SYSTEM, TOOL, USER, VALUE } from '../../src/abi';
import { findPair } from '../pair';
import { isSame } from '../same';
import { textTo as decodedTo } from '../text-string';
import { decoded } from './fit';
import * as K from './keys';
import { after, firstKey, isKey, isLongKey, memberValue, nextKey, pass } from './members';
import { markOdd } from './state';
import { findTag } from './tags';
import { BACKSLASH, clearSeen, containerEnd, hexAt, LF, OPEN_OBJECT, QUOTE, seen } from './text';
import { IN_ARGUMENTS } from './value';

/** Tags, each in 16 bytes. */
// @ts-ignore: decorator
@lazy export const OPEN_CALL: usize =
  memory.data<u8>([60, 116, 111, 111, 108, 95, 99, 97, 108, 108, 62, 0, 0, 0, 0, 0]);
// @ts-ignore: decorator
@lazy export const CLOSE_CALL: usize =
  memory.data<u8>([60, 47, 116, 111, 111, 108, 95, 99, 97, 108, 108, 62, 0, 0, 0, 0]);
// @ts-ignore: decorator
@lazy export const OPEN_REPLY: usize =
  memory.data<u8>([60, 116, 111, 111, 108, 95, 114, 101, 115, 112, 111, 110, 115, 101, 62, 0]);
// @ts-ignore: decorator
@lazy export const CLOSE_REPLY: usize =
  memory.data<u8>([60, 47, 116, 111, 111, 108, 95, 114, 101, 115, 112, 111, 110, 115, 101, 62]);
// @ts-ignore: decorator
@lazy export const OPEN_TOOLS: usize = memory.data<u8>([60, 116, 111, 111, 108, 115, 62, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
// @ts-ignore: decorator
@lazy export const CLOSE_TOOLS: usize = memory.data<u8>([60, 47, 116, 111, 111, 108, 115, 62, 0, 0, 0, 0, 0, 0, 0, 0]);
// @ts-ignore: decorator
@lazy export const OPEN_THINK: usize = memory.data<u8>([60, 116, 104, 105, 110, 107, 62, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
// @ts-ignore: decorator
@lazy export const CLOSE_THINK: usize =
  memory.data<u8>([60, 47, 116, 104, 105, 110, 107, 62, 0, 0, 0, 0, 0, 0, 0, 0]);
/** Their lengths. */
export const CALL_TAG: usize = 11;
export const REPLY_TAG: usize = 15;
export const TOOLS_TAG: usize = 7;
export const THINK_TAG: usize = 7;

/** `<`, and `<too`. */
const LESS: u32 = 0x3c;
const TAG_START: u32 = 0x6f6f743c;

/**
 * Where the first tag stands in a content that says something there from who has this role; 0: none does. Most contents
 * are not searched: a call begins a line, of which text without escapes has one, and a tool says nothing but replies.
 */
// @ts-ignore: decorator
@inline
export function tagIn(role: u32, kind: u32, from: usize, to: usize): usize {
  if ((kind & (ESCAPED | PARTS)) == 0 && role == ASSISTANT) {
    return load<u32>(from) == TAG_START && isSame(from, OPEN_CALL, CALL_TAG) ? from : 0;
  }
  if ((kind & (VALUE | PARTS)) == 0 && role == TOOL) {
    const byte = <u32>load<u8>(behindBlanks(from));
    if (byte != LESS && byte != BACKSLASH) return 0;
  }
  const at = findTag(from, to);
  return at == 0 ? 0 : tagOf(role, at, to);
}

function tagOf(role: u32, at: usize, to: usize): usize {
  if (role == ASSISTANT) return find(at, to, OPEN_CALL, CALL_TAG);
  if (role == SYSTEM) return find(at, to, OPEN_TOOLS, TOOLS_TAG);
  return role == USER || role == TOOL ? find(at, to, OPEN_REPLY, REPLY_TAG) : 0;
}

/** A content of another form than entries of chat: one that holds such a tag is for the host. */
export function refuseTags(role: u32, kind: u32, from: usize, to: usize): void {
  if (kind != 0 && tagIn(role, kind, from, to) != 0) markOdd();
}

/** Address of the next `tag`, of so many bytes, that stands in [p, end); 0: none does. */
export function find(p: usize, end: usize, tag: usize, length: usize): usize {
  // Behind the last place for it.
  const last = end - length + 1;
  while (p < last) {
    p = findPair(p, last, load<u8>(tag), load<u8>(tag, 1));
    if (p == 0 || isSame(p, tag, length)) return p;
    p++;
  }
  return 0;
}

/** The text of a content, which a NUL ends. */
export let text: usize = 0;
export let textEnd: usize = 0;
/** A place in the JSON, and the one in the text that it stands for. */
let raw: usize = 0;
let at: usize = 0;
let flags: u32 = 0;

/** Reads the content [from, to), a string that is valid. False: there is no room; the record is for the host. */
export function readText(from: usize, to: usize): bool {
  text = at = decoded(from, to);
  textEnd = decodedTo;
  raw = from;
  if (text == 0) markOdd();
  return text != 0;
}

const BACKSLASHES: u64 = 0x5c5c5c5c5c5c5c5c;

/** The place in the JSON of one in the text, which is not before the last one that was asked for. */
function rawOf(place: usize): usize {
  while (at < place) {
    if (at + 8 <= place) {
      const block = load<u64>(raw) ^ BACKSLASHES;
      if (((block - 0x0101010101010101) & ~block & 0x8080808080808080) == 0) {
        raw += 8;
        at += 8;
        continue;
      }
    }
    if (load<u8>(raw) != BACKSLASH) {
      raw++;
      at++;
      continue;
    }
    flags |= ESCAPED;
    const letter = <u32>load<u8>(raw, 1);
    if (letter == 0x75) {
      flags |= CODED;
      const unit = <u32>hexAt(raw + 2);
      // Halves of one character stand together.
      const isPair = (unit & 0xfc00) == 0xd800;
      raw += isPair ? 12 : 6;
      at += isPair ? 4 : unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
    } else {
      if (letter == 0x2f) flags |= CODED;
      raw += 2;
      at++;
    }
  }
  return raw;
}

/** Where [from, to) of the text stands in the JSON, and what stands there: BODY with its flags. */
export let rawFrom: usize = 0;
export let rawTo: usize = 0;
export let rawKind: u32 = 0;
export function goTo(from: usize, to: usize): void {
  rawFrom = rawOf(from);
  flags = 0;
  rawTo = rawOf(to);
  rawKind = BODY | flags;
}

// @ts-ignore: decorator
@inline
function isWhite(byte: u32): bool { return byte == 0x20 || byte == LF || byte == 13 || byte == 9; }

/** Behind the white space at p in a string: blanks, and escapes that stand for others. */
export function behindBlanks(p: usize): usize {
  while (true) {
    if (load<u8>(p) == 0x20) p++;
    else if (load<u8>(p) != BACKSLASH) return p;
    else {
      const letter = <u32>load<u8>(p, 1);
      if (letter != 0x6e && letter != 0x72 && letter != 0x74) return p;
      p += 2;
    }
  }
}

/** Address of the first byte of [p, end) that is no white space, or `end`. */
export function behindWhite(p: usize, end: usize): usize {
  while (p < end && isWhite(load<u8>(p))) p++;
  return p;
}

/** The end of [from, to) without a newline there. */
export function withoutNewline(from: usize, to: usize): usize {
  if (to == from || load<u8>(to - 1) != LF) return to;
  return to - 1 > from && load<u8>(to - 2) == 13 ? to - 2 : to - 1;
}

/** Of the last object: its members, its `name` (0: it has none) and its `arguments` or `content`, with quotes. */
export let members: i32 = 0;
export let nameFrom: usize = 0;
export let nameTo: usize = 0;
export let givenFrom: usize = 0;
export let givenTo: usize = 0;

/**
 * The object at p in a text, which nests as deep as a call may: where it ends. 0: it is none, or a member of it is
 * rare. `isReply`: it has a content.
 */
export function readNamed(p: usize, isReply: bool): usize {
  members = 0;
  nameFrom = givenFrom = 0;
  if (load<u8>(p) != OPEN_OBJECT || containerEnd(p, IN_ARGUMENTS + 1) == 0) return 0;
  for (let key = firstKey(p); key != 0; members++) {
    const value = memberValue(key);
    if (seen != 0) return 0;
    const isName = isKey(4, K.NAME);
    const isGiven = isReply ? isKey(7, K.CONTENT) : isLongKey(9, K.ARGUMENT, K.ARGUMENT_END);
    clearSeen();
    const to = pass(value);
    if (isName) {
      if (nameFrom != 0 || load<u8>(value) != QUOTE || seen != 0) return 0;
      nameFrom = value + 1;
      nameTo = to - 1;
    } else if (isGiven) {
      if (givenFrom != 0) return 0;
      givenFrom = value;
      givenTo = to;
    }
    key = nextKey(to);
  }
  return after;
}
