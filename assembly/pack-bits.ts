// Bits one behind the other, the lowest first; and numbers in as many bytes as they need.

let q: usize = 0;
let held: u64 = 0;
let count: u32 = 0;

/** Begins at p. */
export function beginBits(p: usize): void {
  q = p;
  held = 0;
  count = 0;
}

/** Adds the low `width` bits of a value, up to 64; the others are 0. */
// @ts-ignore: decorator
@inline
export function addBits(value: u64, width: u32): void {
  held |= value << count;
  const sum = count + width;
  if (sum < 64) {
    count = sum;
    return;
  }
  store<u64>(q, held);
  q += 8;
  const rest = sum - 64;
  held = rest == 0 ? 0 : value >> (width - rest);
  count = rest;
}

/** Answers the address behind the last byte that holds a bit. */
export function endBits(): usize {
  store<u64>(q, held);
  return q + ((count + 7) >> 3);
}

/** Seven bits a byte, the lowest first; the highest bit says that more follow. */
export function writeVarint(p: usize, value: u64): usize {
  while (value >= 0x80) {
    store<u8>(p++, <u8>(value | 0x80));
    value >>= 7;
  }
  store<u8>(p, <u8>value);
  return p + 1;
}

/** The same of a number with a sign, which is the lowest bit. */
export function writeSigned(p: usize, value: i64): usize {
  return writeVarint(p, (<u64>value << 1) ^ <u64>(value >> 63));
}
