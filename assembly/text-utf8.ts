// UTF-8 of a whole span: valid or not.
//
// What may follow what is told by three half bytes of each pair of neighbours (Keiser and Lemire, "Validating UTF-8 In
// Less Than One Instruction Per Byte"): each half chooses the mistakes that it allows, and one that all three allow is
// made. The only thing that pairs do not tell is that a third and a fourth byte must stand where they must, and nowhere
// else. ASCII goes 64 bytes a step. Reads may pass `end` by up to 64 bytes.

import { invalidUtf8 } from './utf8';

// What can be wrong with two bytes in a row; CARRY: what does not depend on the low half of the first one.
const TOO_SHORT: u8 = 1;
const TOO_LONG: u8 = 2;
const OVERLONG_3: u8 = 4;
const TOO_LARGE: u8 = 8;
const SURROGATE: u8 = 16;
const OVERLONG_2: u8 = 32;
const FAR_TOO_LARGE: u8 = 64;
const OVERLONG_4: u8 = 64;
const TWO_CONTINUE: u8 = 128;
const CARRY: u8 = TOO_SHORT | TOO_LONG | TWO_CONTINUE;
const LARGE: u8 = CARRY | TOO_LARGE | FAR_TOO_LARGE;
const SECOND: u8 = TOO_LONG | OVERLONG_2 | TWO_CONTINUE;

// 16 bytes that count and 16 that do not.
// @ts-ignore: decorator
@lazy const COUNTS: usize = ASC_FEATURE_SIMD ? memory.data<u8>([
  255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0,
], 16) : 0;

/** Whether [p, end) is valid. */
export function isUtf8(p: usize, end: usize): bool {
  if (!ASC_FEATURE_SIMD) return invalidUtf8(p, end) == 0;
  const firstHigh = i8x16(
    TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG,
    TWO_CONTINUE, TWO_CONTINUE, TWO_CONTINUE, TWO_CONTINUE,
    TOO_SHORT | OVERLONG_2, TOO_SHORT, TOO_SHORT | OVERLONG_3 | SURROGATE,
    TOO_SHORT | TOO_LARGE | FAR_TOO_LARGE | OVERLONG_4,
  );
  const firstLow = i8x16(
    CARRY | OVERLONG_2 | OVERLONG_3 | OVERLONG_4, CARRY | OVERLONG_2, CARRY, CARRY, CARRY | TOO_LARGE, LARGE, LARGE,
    LARGE,
    LARGE, LARGE, LARGE, LARGE, LARGE, LARGE | SURROGATE, LARGE, LARGE,
  );
  const secondHigh = i8x16(
    TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT,
    SECOND | OVERLONG_3 | FAR_TOO_LARGE | OVERLONG_4, SECOND | OVERLONG_3 | TOO_LARGE, SECOND | SURROGATE | TOO_LARGE,
    SECOND | SURROGATE | TOO_LARGE,
    TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT,
  );
  // EF, DF, BF: a lead among the last three bytes that is larger needs more than is left.
  const whole = i8x16(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -17, -33, -65);
  const half = i8x16.splat(0x0f);
  let wrong = i8x16.splat(0);
  let before = i8x16.splat(0);
  while (p < end) {
    let steps = 4;
    if (p + 64 <= end) {
      const any = v128.or(v128.or(v128.load(p), v128.load(p, 16)), v128.or(v128.load(p, 32), v128.load(p, 48)));
      if (i8x16.bitmask(any) == 0) {
        wrong = v128.or(wrong, i8x16.sub_sat_u(before, whole));
        before = i8x16.splat(0);
        p += 64;
        continue;
      }
    }
    do {
      let block = v128.load(p);
      if (p + 16 > end) block = v128.and(block, v128.load(COUNTS + 16 - (end - p)));
      const first = v128.shuffle<u8>(before, block, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
      // The engine has no shift of bytes, and writes five steps for one.
      const firstUpper = v128.and(i16x8.shr_u(first, 4), half);
      const pairs = v128.and(
        v128.and(i8x16.swizzle(firstHigh, firstUpper), i8x16.swizzle(firstLow, v128.and(first, half))),
        i8x16.swizzle(secondHigh, v128.and(i16x8.shr_u(block, 4), half)),
      );
      // The high bit where a third or a fourth byte must stand.
      const third = i8x16.sub_sat_u(
        v128.shuffle<u8>(before, block, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29),
        i8x16.splat(0x60),
      );
      const fourth = i8x16.sub_sat_u(
        v128.shuffle<u8>(before, block, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28),
        i8x16.splat(0x70),
      );
      wrong = v128.or(wrong, v128.xor(v128.and(v128.or(third, fourth), i8x16.splat(-128)), pairs));
      before = block;
      p += 16;
    } while (--steps != 0 && p < end);
  }
  return !v128.any_true(v128.or(wrong, i8x16.sub_sat_u(before, whole)));
}
