// Small numbers as runs of the same one, and as bits where there are none (the RLE/bit-packing hybrid of Parquet): a
// run is its length, twice, and its number; eight numbers and more are how often eight, twice and one more, and their
// bits.

import { addBits, beginBits, endBits, writeVarint } from './pack-bits';

/** Numbers of 32 bits. */
export function packIds(from: usize, count: u32, width: u32, into: usize): usize {
  return pack<u32>(from, count, width, into);
}

/** Bytes that are 0 or 1. */
export function packMarks(from: usize, count: u32, into: usize): usize {
  return pack<u8>(from, count, 1, into);
}

const GROUP: usize = 8;

// @ts-ignore: decorator
@inline
function pack<T>(from: usize, count: u32, width: u32, into: usize): usize {
  const size = sizeof<T>();
  const end = from + <usize>count * size;
  let at = into;
  /** Where numbers begin that are not written. */
  let open = from;
  let p = from;
  while (p < end) {
    const value = load<T>(p);
    let run = p + size;
    while (run < end && load<T>(run) == value) run += size;
    if (run - p < GROUP * size) {
      // Whole groups, so that a run behind them begins where one ends.
      p += GROUP * size;
      continue;
    }
    if (p > open) at = packBits<T>(open, p, end, width, at);
    at = writeVarint(at, <u64>((run - p) / size) << 1);
    store<u32>(at, <u32>value);
    at += (width + 7) >> 3;
    p = open = run;
  }
  return end > open ? packBits<T>(open, p, end, width, at) : at;
}

/** Whole groups [from, to), of which what lies behind `end` is 0. */
// @ts-ignore: decorator
@inline
function packBits<T>(from: usize, to: usize, end: usize, width: u32, into: usize): usize {
  const size = sizeof<T>();
  beginBits(writeVarint(into, <u64>((to - from) / (GROUP * size)) << 1 | 1));
  for (let p = from; p < to; p += size) addBits(p < end ? <u64>load<T>(p) : 0, width);
  return endBits();
}
