// What may be reasoning or a call that is written as text: pairs of bytes, and the beginnings of tags (R-THINK,
// R-HERMES).

import { findPair } from '../pair';
import { BACKSLASH, QUOTE } from './text';

/** Whether two bytes, in the order of a 16-bit load, stand together in [p, end). */
// @ts-ignore: decorator
@inline
export function holdsPair(p: usize, end: usize, pair: u32): bool {
  return findPair(p, end - 1, pair & 0xff, pair >> 8) != 0;
}

/** `k>`, with which `<think>` and `</think>` end: reasoning in a text becomes a message of its own (R-THINK). */
export const MARKER_END: u32 = 0x3e6b;

/** Whether `namespace`, with which declarations of tools begin, stands in [p, to). */
export function holdsNamespace(p: usize, to: usize): bool {
  // Its `s` and `p`, and what stands on both sides.
  for (let at = findPair(p, to, 0x73, 0x70); at != 0; at = findPair(at + 1, to, 0x73, 0x70)) {
    if (at - 4 >= p && at + 5 <= to && load<u64>(at - 4) == 0x63617073656d616e && load<u8>(at, 4) == 0x65) return true;
  }
  return false;
}

/**
 * Whether a code in the JSON [p, to), or in JSON that is a string of it, may stand for what words in JSON are made of:
 * a letter, a digit, a quote, a backslash, a brace. Those of other languages, and of `<`, `>`, `&` and `'`, do not.
 */
export function mayCodeWord(p: usize, to: usize): bool {
  for (p = findPair(p, to, BACKSLASH, 0x75); p != 0; p = findPair(p + 1, to, BACKSLASH, 0x75)) {
    if (load<u16>(p, 2) != 0x3030) continue;
    const high = <u32>load<u8>(p, 4);
    const low = <u32>load<u8>(p, 5);
    if (high > 0x33 ? high < 0x38 : high == 0x33 ? low < 0x3a : high == 0x32 && low == 0x32) return true;
  }
  return false;
}

/** `<`, `t` and `ool`, with which the tags of calls begin that are written as text. */
const LT: i32 = 0x3c;
const T: i32 = 0x74;
const TAG_REST: u32 = 0x6c6f6f74;

/** Bytes that are looked at together for `<`; no more than PADDING. */
const SPAN: usize = 64;

/** Address of the next `<tool` in [p, end); 0: there is none. */
export function findTag(p: usize, end: usize): usize {
  for (; p < end; p += SPAN) {
    // Most text has no `<` at all.
    if (!holdsLess(p)) continue;
    const to = p + SPAN < end ? p + SPAN : end;
    for (let at = findPair(p, to, LT, T); at != 0; at = findPair(at + 1, to, LT, T)) {
      if (load<u32>(at, 1) == TAG_REST) return at;
    }
  }
  return 0;
}

/** Whether a `<` may stand in the SPAN at p. */
// @ts-ignore: decorator
@inline
function holdsLess(p: usize): bool {
  if (ASC_FEATURE_SIMD) {
    const less = i8x16.splat(0x3c);
    return v128.any_true(v128.or(
      v128.or(i8x16.eq(v128.load(p), less), i8x16.eq(v128.load(p, 16), less)),
      v128.or(i8x16.eq(v128.load(p, 32), less), i8x16.eq(v128.load(p, 48), less)),
    ));
  }
  let found: u64 = 0;
  for (const to = p + SPAN; p < to; p += 8) {
    const block = load<u64>(p) ^ 0x3c3c3c3c3c3c3c3c;
    found |= (block - 0x0101010101010101) & ~block;
  }
  return (found & 0x8080808080808080) != 0;
}

/** Letters of a tag that may stand before an escape in it. */
const MOST_LETTERS: i32 = 14;

/** Whether what ends with the byte at p may begin a tag, which a part of a content may go on with: `<` and letters. */
export function beginsTag(p: usize): bool {
  for (let left = MOST_LETTERS; left > 0; left--, p--) {
    const byte = <u32>load<u8>(p);
    if (byte == 0x3c) return true;
    if (byte - 0x61 >= 26 && byte != 0x5f) return false;
  }
  return false;
}

/** `u003` and `\u00`, of codes. */
const CODE_OF_THREE: u32 = 0x33303075;
const CODE: u32 = 0x3030755c;

/** Whether an escape in the JSON [p, to) stands for the `<` of a tag, or behind one for what else may be in it. */
export function mayCodeTag(p: usize, to: usize): bool {
  for (let at = findSign(p, to, 0x3c, 0x63); at != 0; at = findSign(at + 1, to, 0x3c, 0x63)) {
    const isCode = <u32>load<u8>(at) != 0x3c;
    if (isCode && (load<u32>(at - 4) != CODE_OF_THREE || !isEscape(at - 5))) continue;
    if (mayGoOn(at + 1, isCode)) return true;
  }
  return false;
}

/**
 * Whether what follows a `<` at p may be a tag in which something is written with codes, as the `<` is when `isCode`: a
 * `t`, with which tags begin, or else a code; letters and then a code; letters up to the end of a part.
 */
function mayGoOn(p: usize, isCode: bool): bool {
  const first = <u32>load<u8>(p);
  if (first == 0x74) {
    if (isCode) return true;
  } else if (first != BACKSLASH && first != QUOTE) return false;
  const last = p + MOST_LETTERS;
  for (; p < last; p++) {
    const byte = <u32>load<u8>(p);
    if (byte == BACKSLASH) return load<u32>(p) == CODE && <u32>load<u8>(p, 4) - 0x33 < 5;
    if (byte - 0x61 >= 26 && byte != 0x5f) return isCode && byte == QUOTE;
  }
  return false;
}

/** Whether the byte at p is a backslash that none before it escapes. */
export function isEscape(p: usize): bool {
  let isOdd = false;
  for (; <u32>load<u8>(p) == BACKSLASH; p--) isOdd = !isOdd;
  return isOdd;
}

/**
 * Address of the next byte `sign` in [p, to), or of the last digit of what may be its code, which ends with 3 and
 * `digit`, in either case; 0: there is none.
 */
function findSign(p: usize, to: usize, sign: i32, digit: i32): usize {
  if (ASC_FEATURE_SIMD) {
    const signs = i8x16.splat(<i8>sign);
    const digits = i8x16.splat(<i8>digit);
    const three = i8x16.splat(0x33);
    const lower = i8x16.splat(0x20);
    for (; p < to; p += 16) {
      const block = v128.load(p);
      const isCode = v128.and(i8x16.eq(v128.or(block, lower), digits), i8x16.eq(v128.load(p - 1), three));
      const mask = i8x16.bitmask(v128.or(i8x16.eq(block, signs), isCode));
      if (mask != 0) {
        p += <usize>ctz<i32>(mask);
        return p < to ? p : 0;
      }
    }
  } else {
    for (; p < to; p++) {
      const byte = <i32>load<u8>(p);
      if (byte == sign || ((byte | 0x20) == digit && load<u8>(p - 1) == 0x33)) return p;
    }
  }
  return 0;
}

const GREATER: i32 = 0x3e;
/** `u006`, of `\u006b` for `k`. */
const CODE_OF_K: u32 = 0x36303075;

/**
 * Whether `k>`, with which `<think>` and `</think>` end, may stand in the JSON [p, to), where any character may be
 * written as an escape. `isParts`: a part that begins with `>` may end the one before, too.
 */
export function mayEndMarker(p: usize, to: usize, isParts: bool): bool {
  for (let at = findSign(p, to, GREATER, 0x65); at != 0; at = findSign(at + 1, to, GREATER, 0x65)) {
    const isCode = <i32>load<u8>(at) != GREATER;
    if (isCode && load<u32>(at - 4) != CODE_OF_THREE) continue;
    const before = at - (isCode ? 6 : 1);
    const byte = <u32>load<u8>(before);
    if (byte == 0x6b || (isParts && byte == QUOTE)) return true;
    if ((byte | 0x20) == 0x62 && load<u32>(before - 4) == CODE_OF_K) return true;
  }
  return false;
}
