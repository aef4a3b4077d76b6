// Bytes that are the same, for the scanners of transcripts and of records.

/** Whether `length` bytes at a and b are the same. Reads up to 16 bytes behind them. */
export function isSame(a: usize, b: usize, length: usize): bool {
  if (ASC_FEATURE_SIMD) {
    while (length >= 64) {
      const differs = v128.or(
        v128.or(v128.xor(v128.load(a), v128.load(b)), v128.xor(v128.load(a, 16), v128.load(b, 16))),
        v128.or(v128.xor(v128.load(a, 32), v128.load(b, 32)), v128.xor(v128.load(a, 48), v128.load(b, 48))),
      );
      if (v128.any_true(differs)) return false;
      a += 64;
      b += 64;
      length -= 64;
    }
    while (length >= 16) {
      if (v128.any_true(v128.xor(v128.load(a), v128.load(b)))) return false;
      a += 16;
      b += 16;
      length -= 16;
    }
    return (~i8x16.bitmask(i8x16.eq(v128.load(a), v128.load(b))) & ((1 << <i32>length) - 1)) == 0;
  }
  while (length >= 8) {
    if (load<u64>(a) != load<u64>(b)) return false;
    a += 8;
    b += 8;
    length -= 8;
  }
  const rest = <u64>length << 3;
  return ((load<u64>(a) ^ load<u64>(b)) & ((<u64>1 << rest) - 1)) == 0;
}
