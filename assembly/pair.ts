// Two bytes that stand together, for the scanners of transcripts and of records.

/** Address of the first byte of [p, end) that is `first`, with `second` behind it; 0: none is. */
export function findPair(p: usize, end: usize, first: i32, second: i32): usize {
  return findBoth(p, end, first, 1, second);
}

/** Address of the first byte of [p, end) that is `first`, with `second` so many bytes further on; 0: none is. */
export function findBoth(p: usize, end: usize, first: i32, further: usize, second: i32): usize {
  if (ASC_FEATURE_SIMD) {
    const a = i8x16.splat(<i8>first);
    const b = i8x16.splat(<i8>second);
    for (; p < end; p += 16) {
      const mask = i8x16.bitmask(v128.and(i8x16.eq(v128.load(p), a), i8x16.eq(v128.load(p + further), b)));
      if (mask != 0) {
        p += <usize>ctz<i32>(mask);
        return p < end ? p : 0;
      }
    }
  } else {
    for (; p < end; p++) if (load<u8>(p) == first && load<u8>(p + further) == second) return p;
  }
  return 0;
}
