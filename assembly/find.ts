// Byte search. Both builds export the same call; ASC_FEATURE_SIMD chooses the body.
//
// The simple version is:   while (p + 1 < end) { if (p[0] == '<' && p[1] == '|') return p; p++; } return 0;
//
// It is not that simple because a byte at a time is 20 times too slow:
// 1. 64 bytes a step, first looked through for `|` alone: of the two it is the rare one. Only where one stands is the
// byte before it looked
//    at, without leaving the loop, as tables and code hold many.
// 2. The constants are loaded from memory: the engine would otherwise build an inlined constant anew in each step.
// 3. bitmask != 0 instead of any_true: one instruction less.
// 4. Reads may pass `end` by up to 80 bytes (PADDING); what is found there is thrown away.

// @ts-ignore: decorator
@lazy const LT_16: usize =
  ASC_FEATURE_SIMD ? memory.data<u8>([60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60], 16) : 0;
// @ts-ignore: decorator
@lazy const BAR_16: usize = ASC_FEATURE_SIMD
  ? memory.data<u8>([124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124], 16)
  : 0;

const LOW: u64 = 0x0101010101010101;
const HIGH: u64 = 0x8080808080808080;
const LT_8: u64 = 0x3c3c3c3c3c3c3c3c;
const BAR_8: u64 = 0x7c7c7c7c7c7c7c7c;

/** Address of the first `<|` that lies in [p, end), or 0. */
export function findPair(p: usize, end: usize): usize {
  return findPairHere(p, end);
}

/** The same, without a call. */
// @ts-ignore: decorator
@inline
export function findPairHere(p: usize, end: usize): usize {
  if (p + 1 >= end) return 0;
  if (ASC_FEATURE_SIMD) {
    const lt = v128.load(LT_16);
    const bar = v128.load(BAR_16);
    while (true) {
      const b0 = i8x16.eq(v128.load(p, 1), bar);
      const b1 = i8x16.eq(v128.load(p, 17), bar);
      const b2 = i8x16.eq(v128.load(p, 33), bar);
      const b3 = i8x16.eq(v128.load(p, 49), bar);
      if (i8x16.bitmask(v128.or(v128.or(b0, b1), v128.or(b2, b3))) != 0) {
        const low = i8x16.bitmask(v128.and(b0, i8x16.eq(v128.load(p), lt)))
          | (i8x16.bitmask(v128.and(b1, i8x16.eq(v128.load(p, 16), lt))) << 16);
        const high = i8x16.bitmask(v128.and(b2, i8x16.eq(v128.load(p, 32), lt)))
          | (i8x16.bitmask(v128.and(b3, i8x16.eq(v128.load(p, 48), lt))) << 16);
        const pairs = <u64><u32>low | (<u64><u32>high << 32);
        if (pairs != 0) {
          const q = p + <usize>ctz<u64>(pairs);
          return q + 1 < end ? q : 0;
        }
      }
      p += 64;
      if (p + 1 >= end) return 0;
    }
  } else {
    while (true) {
      // A byte of `hit` is 0 where `<` stands before `|`; the usual zero-byte test finds the lowest one exactly.
      const hit = (load<u64>(p) ^ LT_8) | (load<u64>(p, 1) ^ BAR_8);
      const zero = (hit - LOW) & ~hit & HIGH;
      if (zero != 0) {
        const q = p + <usize>(ctz<u64>(zero) >> 3);
        return q + 1 < end ? q : 0;
      }
      p += 8;
      if (p + 1 >= end) return 0;
    }
  }
}

/** As findPair, for headers: the pair is expected within a few bytes. */
export function findPairNear(p: usize, end: usize): usize {
  if (ASC_FEATURE_SIMD) {
    const lt = v128.load(LT_16);
    const bar = v128.load(BAR_16);
    while (p + 1 < end) {
      const mask = i8x16.bitmask(v128.and(i8x16.eq(v128.load(p), lt), i8x16.eq(v128.load(p, 1), bar)));
      if (mask != 0) {
        const q = p + <usize>ctz<i32>(mask);
        return q + 1 < end ? q : 0;
      }
      p += 16;
    }
    return 0;
  } else {
    return findPair(p, end);
  }
}

/**
 * Address of the last byte of [from, end) that is `byte`, bit 0x20 aside; or 0. Steps go down from the end; up to 15
 * bytes before `from` are read and decide nothing.
 */
export function findLast(from: usize, end: usize, byte: u32): usize {
  let p = end;
  if (ASC_FEATURE_SIMD) {
    while (p > from) {
      p -= 16;
      const mask = i8x16.bitmask(i8x16.eq(v128.or(v128.load(p), i8x16.splat(0x20)), i8x16.splat(<i8>byte)));
      if (mask == 0) continue;
      p += 31 - <usize>clz<u32>(mask);
      return p >= from ? p : 0;
    }
  } else {
    while (p > from) if ((load<u8>(--p) | 0x20) == byte) return p;
  }
  return 0;
}
