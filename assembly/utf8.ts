// UTF-8: where a span first stops being valid. ASCII goes 16 bytes a step, other characters one at a time.

/**
 * Length of the valid character beyond ASCII at p, or 0. What follows `end` within 4 bytes is read and decides nothing.
 */
// @ts-ignore: decorator
@inline
export function characterAt(p: usize, end: usize): usize {
  const word = load<u32>(p);
  let length: usize = 0;
  if ((word & 0xc0c0f0) == 0x8080e0) {
    // The lead's low half and one bit of the second byte: E0 before 80…9F is overlong, ED before A0…BF a surrogate.
    const upper = word & 0x200f;
    length = upper != 0 && upper != 0x200d ? 3 : 0;
  } else if ((word & 0xc0e0) == 0x80c0) {
    length = (word & 0x1e) != 0 ? 2 : 0;
  } else if ((word & 0xc0c0c0f8) == 0x808080f0) {
    // The lead's low bits and two of the second byte: from F0 90 to F4 8F.
    length = (((word & 7) << 2) | ((word >> 12) & 3)) - 1 < 16 ? 4 : 0;
  }
  return p + length <= end ? length : 0;
}

/** Address of the first byte of [p, end) that begins no valid character, or 0. */
export function invalidUtf8(p: usize, end: usize): usize {
  while (p < end) {
    if (load<u8>(p) < 0x80) {
      p++;
      if (ASC_FEATURE_SIMD) {
        while (p + 16 <= end && i8x16.bitmask(v128.load(p)) == 0) p += 16;
      } else {
        while (p + 8 <= end && (load<u64>(p) & 0x8080808080808080) == 0) p += 8;
      }
      continue;
    }
    const length = characterAt(p, end);
    if (length == 0) return p;
    p += length;
  }
  return 0;
}
