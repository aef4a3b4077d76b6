// Numbers as what each has more than the one before (DELTA_BINARY_PACKED of Parquet): the first one; then, for each
// 128 of them, the least difference, and what the others have more than it, 32 of them in as many bits as the
// greatest of these needs.

import { addBits, beginBits, endBits, writeSigned, writeVarint } from './pack-bits';

const BLOCK: u32 = 128;
const PARTS: u32 = 4;
const PART: u32 = BLOCK / PARTS;
const DIFFERENCES: usize = memory.data(128 * 8, 16);

/** Integers that are numbers of 64 bits with a fraction, as hosts have them. */
export function packDifferences(from: usize, count: u32, into: usize): usize {
  return pack<f64>(from, count, into);
}

/** Integers of 32 bits. */
export function packLengths(from: usize, count: u32, into: usize): usize {
  return pack<i32>(from, count, into);
}

/** The least and the greatest number that was packed last; meaningless when there was none. */
export function leastPacked(): f64 { return <f64>lowest; }
export function greatestPacked(): f64 { return <f64>highest; }
let lowest: i64 = 0;
let highest: i64 = 0;

// @ts-ignore: decorator
@inline
function pack<T>(from: usize, count: u32, into: usize): usize {
  let at = writeVarint(writeVarint(writeVarint(into, BLOCK), PARTS), count);
  let before = count > 0 ? <i64>load<T>(from) : 0;
  at = writeSigned(at, before);
  let low = before;
  let high = before;
  for (let done: u32 = 1; done < count; done += BLOCK) {
    const length = min(BLOCK, count - done);
    let p = from + <usize>done * sizeof<T>();
    let least = i64.MAX_VALUE;
    for (let i: u32 = 0; i < length; i++, p += sizeof<T>()) {
      const value = <i64>load<T>(p);
      const difference = value - before;
      before = value;
      low = min(low, value);
      high = max(high, value);
      store<i64>(DIFFERENCES + (<usize>i << 3), difference);
      least = min(least, difference);
    }
    at = packBlock(length, least, at);
  }
  lowest = low;
  highest = high;
  return at;
}

/** The differences of a block. */
function packBlock(length: u32, least: i64, into: usize): usize {
  const widths = writeSigned(into, least);
  let at = widths + PARTS;
  for (let part: u32 = 0; part < PARTS; part++) {
    const first = part * PART;
    const end = min(first + PART, length);
    let all: u64 = 0;
    for (let i = first; i < end; i++) {
      const p = DIFFERENCES + (<usize>i << 3);
      const more = <u64>(load<i64>(p) - least);
      store<u64>(p, more);
      all |= more;
    }
    // A part without numbers has no bits.
    const width = <u32>(64 - clz(all));
    store<u8>(widths + part, <u8>width);
    if (width == 0) continue;
    beginBits(at);
    for (let i = first; i < end; i++) addBits(load<u64>(DIFFERENCES + (<usize>i << 3)), width);
    for (let i = end; i < first + PART; i++) addBits(0, width);
    at = endBits();
  }
  return at;
}
