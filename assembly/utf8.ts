// UTF-8: where a span first stops being valid. ASCII goes 16 bytes a step, other characters one at a time.

/** Length of the valid character at p (lead byte not ASCII), or 0; never reads at or past `end`. */
// @ts-ignore: decorator
@inline
function characterAt(p: usize, end: usize): usize {
  const lead = <u32>load<u8>(p);
  if (lead < 0xc2 || lead > 0xf4) return 0;
  if (p + 1 >= end) return 0;
  const second = <u32>load<u8>(p, 1);
  if (lead < 0xe0) return (second & 0xc0) == 0x80 ? 2 : 0;
  if (lead < 0xf0) {
    if (p + 2 >= end) return 0;
    const low: u32 = lead == 0xe0 ? 0xa0 : 0x80;
    const high: u32 = lead == 0xed ? 0x9f : 0xbf;
    return second >= low && second <= high && (load<u8>(p, 2) & 0xc0) == 0x80 ? 3 : 0;
  }
  if (p + 3 >= end) return 0;
  const low: u32 = lead == 0xf0 ? 0x90 : 0x80;
  const high: u32 = lead == 0xf4 ? 0x8f : 0xbf;
  return second >= low && second <= high && (load<u8>(p, 2) & 0xc0) == 0x80 && (load<u8>(p, 3) & 0xc0) == 0x80 ? 4 : 0;
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
