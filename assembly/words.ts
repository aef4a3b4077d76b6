// The words of a plain header: well-known role, channel and attributes, each once. Anything else ends `plain`, and the
// host reads that header itself; so this file may be strict, but never wrong.

import {
  ANALYSIS, ASSISTANT, CHANNEL_SHIFT, COMMENTARY, DEVELOPER, FINAL, PLAIN, PLAIN_BYTES, RECIPIENT_SHIFT, ROLE_SHIFT,
  SYSTEM, TOOL, TO_PERSON, TO_TOOL, USER,
} from '../src/abi';

export const START_WORDS: i32 = 0;
export const CHANNEL_WORDS: i32 = 1;
export const CONSTRAIN_WORDS: i32 = 2;

/** Still plain; what was read so far; which fields and attributes were seen (one bit each). */
export let plain: bool = false;
let roleId: i32 = 0;
let channelId: i32 = 0;
let recipient: i32 = 0;
let seen: i32 = 0;

export function beginWords(isPlain: bool): void {
  plain = isPlain;
  roleId = channelId = recipient = seen = 0;
}

export function notPlain(): void {
  plain = false;
}

/** The bits of the MESSAGE word. */
// @ts-ignore: decorator
@inline
export function plainBits(): i32 {
  return plain ? PLAIN | (roleId << ROLE_SHIFT) | (channelId << CHANNEL_SHIFT) | (recipient << RECIPIENT_SHIFT) : 0;
}

export function saveWords(at: usize): void {
  store<i32>(at, roleId);
  store<i32>(at, channelId, 4);
  store<i32>(at, recipient, 8);
  store<i32>(at, seen, 12);
  store<u8>(at, <u8>plain, 16);
}

export function restoreWords(at: usize): void {
  roleId = load<i32>(at);
  channelId = load<i32>(at, 4);
  recipient = load<i32>(at, 8);
  seen = load<i32>(at, 12);
  plain = load<bool>(at, 16);
}

// @ts-ignore: decorator
@inline
export function isBlank(byte: u32): bool {
  return byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09;
}

// Words as little-endian integers.
const USER_4: u32 = 0x72657375;
const TOOL_4: u32 = 0x6c6f6f74;
const SYST_4: u32 = 0x74737973;
const EM_2: u16 = 0x6d65;
const ASSISTAN_8: u64 = 0x6e61747369737361;
const DEVELOPE_8: u64 = 0x65706f6c65766564;
const ANALYSIS_8: u64 = 0x736973796c616e61;
const COMMENTA_8: u64 = 0x61746e656d6d6f63;
const RY_2: u16 = 0x7972;
const FINA_4: u32 = 0x616e6966;
const ALL_2: u16 = 0x6c61;

// Well-known words by their first byte: 32 rows of 32 bytes (byte & 31), 8 bytes of the word, a mask for them, the
// ninth and tenth byte with their mask, length, id. One lookup and one compare, where a chain of branches would be
// guessed wrong.
// @ts-ignore: decorator
@lazy const ROLE_TABLE: usize = memory.data(32 * 32, 16);
// @ts-ignore: decorator
@lazy const CHANNEL_TABLE: usize = memory.data(32 * 32, 16);

function addWord(table: usize, low: u64, high: u16, length: u32, id: i32): void {
  const row = table + ((<usize>low & 31) << 5);
  store<u64>(row, low);
  store<u64>(row, length >= 8 ? ~0 : ((<u64>1) << (<u64>length << 3)) - 1, 8);
  store<u16>(row, high, 16);
  store<u16>(row, length == 9 ? 0xff : length == 10 ? 0xffff : 0, 18);
  store<u16>(row, <u16>length, 20);
  store<u16>(row, <u16>id, 22);
}

/** Fills the tables; once. */
export function makeWords(): void {
  addWord(ROLE_TABLE, USER_4, 0, 4, USER);
  addWord(ROLE_TABLE, TOOL_4, 0, 4, TOOL);
  addWord(ROLE_TABLE, SYST_4 | (<u64>EM_2 << 32), 0, 6, SYSTEM);
  addWord(ROLE_TABLE, ASSISTAN_8, 0x74, 9, ASSISTANT);
  addWord(ROLE_TABLE, DEVELOPE_8, 0x72, 9, DEVELOPER);
  addWord(CHANNEL_TABLE, ANALYSIS_8, 0, 8, ANALYSIS);
  addWord(CHANNEL_TABLE, COMMENTA_8, RY_2, 10, COMMENTARY);
  addWord(CHANNEL_TABLE, FINA_4 | (<u64>0x6c << 32), 0, 5, FINAL);
}

/** Row of the word that begins at w, whatever follows it. Its length is 0 when there is none. */
// @ts-ignore: decorator
@inline
function wordAt(table: usize, w: usize): usize {
  const row = table + ((<usize>load<u8>(w) & 31) << 5);
  return (load<u64>(w) & load<u64>(row, 8)) == load<u64>(row)
    && (load<u16>(w, 8) & load<u16>(row, 18)) == load<u16>(row, 16) ? row : table;
}

/** The same for roles and channels; `wordLength` and `wordId` read the row. */
// @ts-ignore: decorator
@inline
export function roleAt(w: usize): usize { return wordAt(ROLE_TABLE, w); }
// @ts-ignore: decorator
@inline
export function channelAt(w: usize): usize { return wordAt(CHANNEL_TABLE, w); }
// @ts-ignore: decorator
@inline
export function wordLength(row: usize): usize { return load<u16>(row, 20); }
// @ts-ignore: decorator
@inline
export function wordId(row: usize): i32 { return load<u16>(row, 22); }

// @ts-ignore: decorator
@inline
function roleOf(w: usize, length: usize): i32 {
  const row = roleAt(w);
  return wordLength(row) == length ? wordId(row) : 0;
}

// @ts-ignore: decorator
@inline
function channelOf(w: usize, length: usize): i32 {
  const row = channelAt(w);
  return wordLength(row) == length ? wordId(row) : 0;
}

// Attribute keys with their `=`, as little-endian integers.
const TO_3: u32 = 0x3d6f74;
const NAME_5: u64 = 0x3d656d616e;
const INTENT_7: u64 = 0x3d746e65746e69;
const CALL_ID_8: u64 = 0x3d64695f6c6c6163;
const CONTENT__8: u64 = 0x5f746e65746e6f63;
const TYPE_5: u64 = 0x3d65707974;
const TO_BIT: i32 = 8;
const TYPE_BIT: i32 = 256;
/** `function` and `s.`. */
export const FUNCTION_8: u64 = 0x6e6f6974636e7566;
const S_DOT_2: u16 = 0x2e73;

/** Length of the well-known key (with its `=`) that begins at w, and its bit above; or 0. */
// @ts-ignore: decorator
@inline
export function keyAt(w: usize): i32 {
  const word = load<u64>(w);
  if ((word & 0xffffff) == <u64>TO_3) return 3 | (TO_BIT << 8);
  if (word == CALL_ID_8) return 8 | (64 << 8);
  if ((word & 0xffffffffff) == NAME_5) return 5 | (16 << 8);
  if ((word & 0xffffffffffffff) == INTENT_7) return 7 | (32 << 8);
  return word == CONTENT__8 && (load<u64>(w, 8) & 0xffffffffff) == TYPE_5 ? 13 | (128 << 8) : 0;
}

function isPerson(w: usize, length: usize): bool {
  if (length == 3) return load<u16>(w) == ALL_2 && load<u8>(w, 2) == 0x6c;
  const role = roleOf(w, length);
  return role == ASSISTANT || role == USER;
}

/** First byte of [p, end) that is no visible ASCII character, or `end`. */
// @ts-ignore: decorator
@inline
export function wordEnd(p: usize, end: usize): usize {
  if (ASC_FEATURE_SIMD) {
    // As signed bytes, white space, control characters and all beyond ASCII lie below 0x21; DEL is the one left.
    const visible = i8x16.splat(0x21);
    const del = i8x16.splat(0x7f);
    while (p < end) {
      const block = v128.load(p);
      const mask = i8x16.bitmask(v128.or(i8x16.lt_s(block, visible), i8x16.eq(block, del)));
      if (mask != 0) {
        p += <usize>ctz<i32>(mask);
        return p < end ? p : end;
      }
      p += 16;
    }
    return end;
  } else {
    while (p < end && <u32>load<u8>(p) - 0x21 < 0x7f - 0x21) p++;
    return p;
  }
}

/** Reads the text [p, end) of a field, whose roles are the bits of `roles`. */
export function readWords(which: i32, p: usize, end: usize, roles: u32): void {
  if (!plain) return;
  plain = takeWords(which, p, end, roles);
}

/** `functions.<name>`: whether the dialect has such roles is bit 0 of its roles. */
function isFunction(p: usize, to: usize): bool {
  if (to - p <= 10 || load<u64>(p) != FUNCTION_8 || load<u16>(p, 8) != S_DOT_2) return false;
  for (p += 10; p < to; p++) {
    const byte = <u32>load<u8>(p);
    const letter = byte | 0x20;
    const isName = (letter >= 0x61 && letter <= 0x7a) || (byte >= 0x30 && byte <= 0x39) || byte == 0x5f || byte == 0x2e
      || byte == 0x2d;
    if (!isName) return false;
  }
  return true;
}

/** A bare word without a dot, which after a channel is the content type. */
function isType(p: usize, to: usize): bool {
  for (; p < to; p++) {
    const byte = load<u8>(p);
    if (byte == 0x3d || byte == 0x2e) return false;
  }
  return true;
}

/** True when all words are well-known and each stands once. */
function takeWords(which: i32, p: usize, end: usize, roles: u32): bool {
  if (end - p > <usize>PLAIN_BYTES) return false;
  if (which != START_WORDS) {
    if ((seen & which) != 0) return false;
    seen |= which;
  }
  while (p < end && isBlank(load<u8>(p))) p++;
  let to = wordEnd(p, end);
  if (to == p) return false;
  if (which == START_WORDS) {
    roleId = roleOf(p, to - p);
    if (((roles >> roleId) & 1) == 0) return false;
    if (roleId == 0) {
      if (!isFunction(p, to)) return false;
      roleId = TOOL;
    }
  } else if (which == CHANNEL_WORDS) {
    channelId = channelOf(p, to - p);
    if (channelId == 0) return false;
  } else {
    for (; p < to; p++) if (load<u8>(p) == 0x3d) return false;
  }
  while (to < end) {
    if (!isBlank(load<u8>(to))) return false;
    p = to + 1;
    if (p == end) break;
    to = wordEnd(p, end);
    if (to == p) continue;
    const key = which == CONSTRAIN_WORDS ? 0 : keyAt(p);
    if (key == 0 && which == CHANNEL_WORDS && (seen & TYPE_BIT) == 0 && isType(p, to)) {
      seen |= TYPE_BIT;
      continue;
    }
    const bit = key >> 8;
    const value = p + <usize>(key & 0xff);
    if (key == 0 || value >= to || (seen & bit) != 0) return false;
    seen |= bit;
    if (bit == TO_BIT) recipient = isPerson(value, to - value) ? TO_PERSON : TO_TOOL;
  }
  return true;
}
