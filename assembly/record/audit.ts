// Records in which no text can hold what the audit tells, by their bytes: nothing there begins a control token, one of
// another format, or anything that looks like one (src/formats/control-tokens/). A record that holds such a beginning
// is for the host.
//
// The signs that begin one are looked for in the whole line, 64 bytes a step; what stands behind a sign shows for
// nearly all of them that nothing begins there. JSON's own escapes may stand for a sign.

import { SLOW } from '../../src/abi';
import { rowAt } from './calls';

// Classes of bytes by their two halves: a byte is of those of which both tables have the bit.
//
//   1, 2  [ , which must stand before a class 4 or 8; \ , of 2 alone   4  40 to 5f: capitals, \ and some others
//   8  / \ u x and some others   16  & %   32  <
//   64 and 128 (-128 as a lane)  beyond ASCII, the leads of signs that look like <
//
// @ts-ignore: decorator
@inline
function lower(): v128 {
  return i8x16(
    4, 4 | -128, 4 | -128, 4 | -128, 4, 4 | 8 | 16, 4 | 16, 4, 4 | 8, 4, 4, 1 | 2 | 4 | 64, 2 | 4 | 8 | 32, 4, 4,
    4 | 8 | -128,
  );
}
// @ts-ignore: decorator
@inline
function upper(): v128 { return i8x16(0, 0, 8 | 16, 32, 4, 1 | 2 | 4 | 8, 0, 8, 0, 0, 0, 0, 64, 0, -128, 0); }
const BESIDES: i8 = 16 | 32 | 64 | -128;
/** The first of these bits stand this far below those of the classes that must follow. */
const FOLLOWERS = 2;

/** The classes of the 16 bytes at p. Tables: see above. */
// @ts-ignore: decorator
@inline
function classes(p: usize, low: v128, up: v128): v128 {
  const half = i8x16.splat(15);
  const block = v128.load(p);
  // The engine has no shift of bytes, and writes five steps for one.
  const high = v128.and(i16x8.shr_u(block, 4), half);
  return v128.and(i8x16.swizzle(low, v128.and(block, half)), i8x16.swizzle(up, high));
}

/**
 * Signs among 16 bytes with which something may begin, by their classes and those of the 16 behind: they are not 0. A
 * byte of class 4 or 8 before one of 16 or 32 is not 0 either; nothing begins with it, as `mayBegin` says.
 */
// @ts-ignore: decorator
@inline
function signs(own: v128, behind: v128): v128 {
  const next = v128.shuffle<u8>(own, behind, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
  return v128.and(own, v128.or(i16x8.shr_u(next, FOLLOWERS), i8x16.splat(BESIDES)));
}

/** Whether something may begin with the sign at p. */
function mayBegin(p: usize): bool {
  const sign = <u32>load<u8>(p);
  const next = <u32>load<u8>(p, 1);
  const third = <u32>load<u8>(p, 2);
  // Letters may be written as codes.
  const isCode = third == 0x5c;
  if (sign == 0x3c) {
    // <|  <<  </s>  <s>  <start_of_turn>  <eos>  <end_of_turn>  <bos>  <think>  <tool…  and their ends; white space,
    // codes, the text's end, what is not ASCII.
    const fourth = <u32>load<u8>(p, 3);
    if (next == 0x2f) {
      if (third == 0x74) return mayName(fourth, load<u8>(p, 4));
      return isCode || (third == 0x73 && (fourth == 0x3e || fourth == 0x5c));
    }
    if (next == 0x74) return isCode || mayName(third, fourth);
    if (next == 0x73) return isCode || third == 0x3e || third == 0x74;
    if (next == 0x65) return isCode || third == 0x6f || third == 0x6e;
    if (next == 0x62) return isCode || (third == 0x6f && (fourth == 0x73 || fourth == 0x5c));
    return next <= 0x20 || next >= 0x7f || next == 0x7c || next == 0x3c || next == 0x22 || next == 0x26 || next == 0x5c
      || next == 0x25;
  }
  if (sign == 0x26) {
    // &lt  &#  &amp; before one of them
    if (next == 0x23 || next == 0x5c) return true;
    const letter = next | 0x20;
    if (letter == 0x6c) return isCode || (third | 0x20) == 0x74;
    if (letter != 0x61) return false;
    for (let at = p + 2; at < p + 6; at++) if (load<u8>(at) == 0x5c) return true;
    const behind = <u32>load<u8>(p, 5);
    return load<u8>(p, 4) == 0x3b && (behind == 0x23 || (behind | 0x20) == 0x6c || (behind | 0x20) == 0x61);
  }
  if (sign == 0x25) {
    return next == 0x5c
      || (next == 0x33 ? isCode || (third | 0x20) == 0x63 : next == 0x32 && (isCode || third == 0x35));
  }
  if (sign == 0x5b) {
    if (next == 0x5c) return third == 0x75 || third == 0x2f;
    // I / T A S B E
    return next == 0x2f || (next - 0x40 < 32 && (0x180226 & (1 << next)) != 0);
  }
  if (sign == 0x5c) return next == 0x75 ? mayStandFor(p + 2) : mayEscape(p + 1);
  // ‹ 〈 ⟨ ❮ ❰ 〈 ＜ ﹤ ᐸ ˂
  if (sign == 0xe2) {
    return next == 0x80 ? third == 0xb9 : next == 0x8c ? third == 0xa9 : next == 0x9f ? third == 0xa8
      : next == 0x9d && (third == 0xae || third == 0xb0);
  }
  if (sign == 0xe3) return next == 0x80 && third == 0x88;
  if (sign == 0xef) return next == 0xbc ? third == 0x9c : next == 0xb9 && third == 0xa4;
  if (sign == 0xe1) return next == 0x90 && third == 0xb8;
  return next == 0x82;
}

/** `hi` of think or `oo` of tool, which follow a `t`. */
// @ts-ignore: decorator
@inline
function mayName(first: u32, second: u32): bool {
  return first == 0x5c || second == 0x5c || (first == 0x68 ? second == 0x69 : first == 0x6f && second == 0x6f);
}

/** A backslash of a text, the last of its escape at p: whether it begins an escape that the text holds. */
function mayEscape(p: usize): bool {
  while (load<u8>(p) == 0x5c) p++;
  const letter = <u32>load<u8>(p) | 0x20;
  return letter == 0x75 || letter == 0x78;
}

/** Whether a code of JSON, its digits at p, may stand for a sign. */
function mayStandFor(p: usize): bool {
  const first = <u32>load<u8>(p) | 0x20;
  const second = <u32>load<u8>(p, 1) | 0x20;
  // In text it may be any number of digits in braces.
  if (first == 0x7b) return true;
  // The upper byte: 00 with 2x, 3x, 5x; 02, 14, 20, 23, 27, 30, fe, ff.
  if (first == 0x30) {
    const third = <u32>load<u8>(p, 2);
    return second == 0x32 || (second == 0x30 && (third == 0x32 || third == 0x33 || third == 0x35));
  }
  if (first == 0x31) return second == 0x34;
  if (first == 0x32) return second == 0x30 || second == 0x33 || second == 0x37;
  if (first == 0x33) return second == 0x30;
  return first == 0x66 && (second == 0x65 || second == 0x66);
}

/** Whether the texts of the JSON [p, end) may hold something, or that text itself. */
export function mayHold(p: usize, end: usize): bool {
  if (ASC_FEATURE_SIMD) {
    const low = lower();
    const up = upper();
    let first = classes(p, low, up);
    // Signs are frequent, and those that are left are rare: there is a branch for these alone.
    for (; p < end; p += 64) {
      const second = classes(p + 16, low, up);
      const third = classes(p + 32, low, up);
      const fourth = classes(p + 48, low, up);
      const next = classes(p + 64, low, up);
      const a = signs(first, second);
      const b = signs(second, third);
      const c = signs(third, fourth);
      const d = signs(fourth, next);
      first = next;
      if (!v128.any_true(v128.or(v128.or(a, b), v128.or(c, d)))) continue;
      for (let left = placesOf(a, b) | (placesOf(c, d) << 32); left != 0; left &= left - 1) {
        const at = p + <usize>ctz(left);
        if (at >= end) return false;
        if (mayBegin(at)) return true;
      }
    }
    return false;
  }
  for (; p < end; p++) {
    const byte = <u32>load<u8>(p);
    if (byte == 0x3c || byte == 0x26 || byte == 0x25 || byte == 0x5b || byte == 0x5c || byte - 0xe1 < 3 || byte == 0xef
      || byte == 0xcb) {
      if (mayBegin(p)) return true;
    }
  }
  return false;
}

/** A bit for each byte of two blocks that is not 0. */
// @ts-ignore: decorator
@inline
function placesOf(low: v128, high: v128): u64 {
  const none = i8x16.splat(0);
  return <u64><u32>(~(i8x16.bitmask(i8x16.eq(low, none)) | (i8x16.bitmask(i8x16.eq(high, none)) << 16)));
}

/** The first record from row `record` on, below row `end`, that the host must look at, or `end`. */
export function auditRecords(record: u32, end: u32): u32 {
  while (record < end) {
    const at = rowAt(record);
    if ((load<u32>(at) & SLOW) != 0 || mayHold(load<u32>(at, 4), load<u32>(at, 8))) return record;
    record = load<u32>(at, 12);
  }
  return end;
}
