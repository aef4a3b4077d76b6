// Lines of a text: where the next one ends, and how many of them hold something.
//
// The simple version looks at a byte at a time. 64 bytes a step are one bit each in a word here:
// 1. A line holds something when a byte of it is no white space. Added to the bits that are no newline, such a bit
//    carries on to the newline that ends its line, and sets it, however many there are in the line.
// 2. Most steps meet no newline in a line that is known to hold something: they end there.

import { isBlank } from './words';

const LF: u32 = 0x0a;

/** Newlines, and lines ended by one that hold something; whether the open line does. */
let lines: i64 = 0;
let records: i64 = 0;
let holds: u64 = 0;

/** Address of the first newline of [p, end), or 0. Reads up to 64 bytes behind `end`. */
export function nextLine(p: usize, end: usize): usize {
  if (ASC_FEATURE_SIMD) {
    const newline = i8x16.splat(0x0a);
    while (p < end) {
      const m0 = i8x16.eq(v128.load(p), newline);
      const m1 = i8x16.eq(v128.load(p, 16), newline);
      const m2 = i8x16.eq(v128.load(p, 32), newline);
      const m3 = i8x16.eq(v128.load(p, 48), newline);
      if (i8x16.bitmask(v128.or(v128.or(m0, m1), v128.or(m2, m3))) != 0) {
        const found = p + <usize>ctz<u64>(bits(m0, m1, m2, m3));
        return found < end ? found : 0;
      }
      p += 64;
    }
  } else {
    while (p < end) {
      const block = load<u64>(p) ^ 0x0a0a0a0a0a0a0a0a;
      const hit = (block - 0x0101010101010101) & ~block & 0x8080808080808080;
      if (hit != 0) {
        const found = p + (<usize>ctz<u64>(hit) >> 3);
        return found < end ? found : 0;
      }
      p += 8;
    }
  }
  return 0;
}

/** Address of the last newline of [from, end), or 0. Reads up to 16 bytes before `from`. */
export function lastLine(from: usize, end: usize): usize {
  while (end > from) {
    if (ASC_FEATURE_SIMD) {
      const mask = i8x16.bitmask(i8x16.eq(v128.load(end - 16), i8x16.splat(0x0a)));
      if (mask != 0) {
        const found = end - 1 - <usize>clz<i32>(mask << 16);
        return found >= from ? found : 0;
      }
      end -= 16;
    } else if (load<u8>(--end) == LF) return end;
  }
  return 0;
}

/** One bit a byte of four blocks. */
// @ts-ignore: decorator
@inline
export function bits(m0: v128, m1: v128, m2: v128, m3: v128): u64 {
  const low = i8x16.bitmask(m0) | (i8x16.bitmask(m1) << 16);
  const high = i8x16.bitmask(m2) | (i8x16.bitmask(m3) << 16);
  return <u64><u32>low | (<u64><u32>high << 32);
}

export function beginLines(): void {
  lines = records = 0;
  holds = 0;
}

export function lineCount(): f64 { return <f64>lines; }
export function recordCount(): f64 { return <f64>records; }
export function lineHolds(): bool { return holds != 0; }

/** Counts on in [p, end). */
export function countLines(p: usize, end: usize): void {
  if (ASC_FEATURE_SIMD) {
    const newline = i8x16.splat(0x0a);
    // At its own low half each byte of white space, elsewhere one that no byte with this low half is.
    const blanks = i8x16(0x20, 0, 0, 0, 0, 0, 0, 0, 0, 9, 10, 0, 0, 13, 0, 0);
    const half = i8x16.splat(0x0f);
    while (p + 64 <= end) {
      const b0 = v128.load(p);
      const b1 = v128.load(p, 16);
      const b2 = v128.load(p, 32);
      const b3 = v128.load(p, 48);
      const m0 = i8x16.eq(b0, newline);
      const m1 = i8x16.eq(b1, newline);
      const m2 = i8x16.eq(b2, newline);
      const m3 = i8x16.eq(b3, newline);
      p += 64;
      if (holds != 0 && i8x16.bitmask(v128.or(v128.or(m0, m1), v128.or(m2, m3))) == 0) continue;
      const ends = bits(m0, m1, m2, m3);
      const inside = ~bits(
        i8x16.eq(b0, i8x16.swizzle(blanks, v128.and(b0, half))),
        i8x16.eq(b1, i8x16.swizzle(blanks, v128.and(b1, half))),
        i8x16.eq(b2, i8x16.swizzle(blanks, v128.and(b2, half))),
        i8x16.eq(b3, i8x16.swizzle(blanks, v128.and(b3, half))),
      );
      const sum = ~ends + inside + holds;
      lines += popcnt<u64>(ends);
      records += popcnt<u64>(sum & ends);
      holds = ((~ends & inside) | ((~ends | inside) & ~sum)) >> 63;
    }
  }
  while (p < end) {
    const byte = <u32>load<u8>(p);
    if (byte == LF) {
      lines++;
      records += <i64>holds;
      holds = 0;
    } else if (holds == 0) {
      holds = isBlank(byte) ? 0 : 1;
    } else if (!ASC_FEATURE_SIMD) {
      // The rest of the line does not matter.
      const found = nextLine(p, end);
      p = found == 0 ? end : found;
      continue;
    }
    p++;
  }
}
