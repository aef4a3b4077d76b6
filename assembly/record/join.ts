// JSON values over many lines as lines: where one ends, and its line feeds made blanks, in place.

import { containerEnd, DEEPEST, LF, OPEN_OBJECT, setSpansLines } from './text';

/** Address behind the object at p; 0: none ends before the NUL that must follow the input, or it is no JSON. */
export function objectEnd(p: usize): usize {
  if (load<u8>(p) != OPEN_OBJECT) return 0;
  setSpansLines(true);
  const to = containerEnd(p, DEEPEST);
  setSpansLines(false);
  return to;
}

/** Makes the line feeds of [p, end) carriage returns, which are white space in JSON, too. Answers how many. */
export function joinLines(p: usize, end: usize): u32 {
  let lines: u32 = 0;
  if (ASC_FEATURE_SIMD) {
    const newline = i8x16.splat(0x0a);
    for (; p + 16 <= end; p += 16) {
      const block = v128.load(p);
      const found = i8x16.eq(block, newline);
      const mask = i8x16.bitmask(found);
      if (mask == 0) continue;
      // 0x0a and 0x0d differ in these bits.
      v128.store(p, v128.xor(block, v128.and(found, i8x16.splat(0x07))));
      lines += popcnt<i32>(mask);
    }
  }
  for (; p < end; p++) {
    if (load<u8>(p) != LF) continue;
    store<u8>(p, 0x0d);
    lines++;
  }
  return lines;
}
