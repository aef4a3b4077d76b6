// Line feeds and characters of a span: what lines and columns are counted by.

import { bits } from './text-lines';

/** Line feeds in [p, end). */
export function countLines(p: usize, end: usize): i32 {
  let count: i32 = 0;
  if (ASC_FEATURE_SIMD) {
    const lf = i8x16.splat(0x0a);
    for (; p + 64 <= end; p += 64) {
      count += <i32>popcnt<u64>(bits(
        i8x16.eq(v128.load(p), lf), i8x16.eq(v128.load(p, 16), lf), i8x16.eq(v128.load(p, 32), lf),
        i8x16.eq(v128.load(p, 48), lf),
      ));
    }
  }
  for (; p < end; p++) count += load<u8>(p) == 0x0a ? 1 : 0;
  return count;
}

/** Characters in [p, end), which is valid UTF-8: bytes that go on no character. */
export function countCharacters(p: usize, end: usize): i32 {
  let count: i32 = 0;
  if (ASC_FEATURE_SIMD) {
    // As signed bytes, those from 80 to BF lie below all others.
    const least = i8x16.splat(-65);
    for (; p + 64 <= end; p += 64) {
      count += <i32>popcnt<u64>(bits(
        i8x16.gt_s(v128.load(p), least), i8x16.gt_s(v128.load(p, 16), least),
        i8x16.gt_s(v128.load(p, 32), least), i8x16.gt_s(v128.load(p, 48), least),
      ));
    }
  }
  for (; p < end; p++) count += (load<u8>(p) & 0xc0) != 0x80 ? 1 : 0;
  return count;
}
