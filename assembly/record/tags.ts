// What may be reasoning or a call that is written as text: pairs of bytes, and the beginnings of tags (R-THINK,
// R-HERMES).

import { findPair } from '../pair';
import { QUOTE } from './text';

/** Whether two bytes, in the order of a 16-bit load, stand together in [p, end). */
// @ts-ignore: decorator
@inline
export function holdsPair(p: usize, end: usize, pair: u32): bool {
  return findPair(p, end - 1, pair & 0xff, pair >> 8) != 0;
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

/** Whether an escape in the JSON [p, to) stands for the `<` of a tag, or behind one for what else may be in it. */
export function mayCodeTag(p: usize, to: usize): bool {
  for (; p < to; p++) {
    if (load<u8>(p) != 0x5c) continue;
    p++;
    // u00
    if ((load<u32>(p) & 0xffffff) != 0x303075) continue;
    const high = <u32>load<u8>(p, 3);
    if (high == 0x33 && (<u32>load<u8>(p, 4) | 0x20) == 0x63) return true;
    if (high - 0x33 < 5 && beginsTag(p - 2)) return true;
  }
  return false;
}

const GREATER: u32 = 0x3e;
/** `u006`, of `\u006b` for `k`. */
const CODE_OF_K: u32 = 0x36303075;
/** `u003`, of `\u003e` for `>`. */
const CODE_OF_GREATER: u32 = 0x33303075;

/**
 * Whether `k>`, with which `<think>` and `</think>` end, may stand in the JSON [p, to), where any character may be
 * written as an escape. `isParts`: a part that begins with `>` may end the one before, too.
 */
export function mayEndMarker(p: usize, to: usize, isParts: bool): bool {
  for (let at = findGreater(p, to); at != 0; at = findGreater(at + 1, to)) {
    const isCode = <u32>load<u8>(at) != GREATER;
    if (isCode && load<u32>(at - 4) != CODE_OF_GREATER) continue;
    const before = at - (isCode ? 6 : 1);
    const byte = <u32>load<u8>(before);
    if (byte == 0x6b || (isParts && byte == QUOTE)) return true;
    if ((byte | 0x20) == 0x62 && load<u32>(before - 4) == CODE_OF_K) return true;
  }
  return false;
}

/** Address of the next `>`, or `3e` of what may be its code, in [p, to): of its last byte; 0: there is none. */
function findGreater(p: usize, to: usize): usize {
  if (ASC_FEATURE_SIMD) {
    for (; p < to; p += 16) {
      const block = v128.load(p);
      const isCode = v128.and(
        i8x16.eq(v128.or(block, i8x16.splat(0x20)), i8x16.splat(0x65)), i8x16.eq(v128.load(p - 1), i8x16.splat(0x33)),
      );
      const mask = i8x16.bitmask(v128.or(i8x16.eq(block, i8x16.splat(0x3e)), isCode));
      if (mask != 0) {
        p += <usize>ctz<i32>(mask);
        return p < to ? p : 0;
      }
    }
  } else {
    for (; p < to; p++) {
      const byte = <u32>load<u8>(p);
      if (byte == GREATER || ((byte | 0x20) == 0x65 && load<u8>(p - 1) == 0x33)) return p;
    }
  }
  return 0;
}
