// A line of `messages` whose columns are well-known words and numbers: `head` record , transcript , index `middle` from
// , to , body_from , body_to , content. src/formats/message-lines.ts makes head and middle, and is the only one that
// knows what they say.

import { escape } from './text-escape';

// ,"transcript":
// @ts-ignore: decorator
@lazy const TRANSCRIPT: usize = memory.data<u8>(
  [44, 34, 116, 114, 97, 110, 115, 99, 114, 105, 112, 116, 34, 58, 0, 0], 16,
);
// ,"index":
// @ts-ignore: decorator
@lazy const INDEX: usize = memory.data<u8>([44, 34, 105, 110, 100, 101, 120, 34, 58, 0, 0, 0, 0, 0, 0, 0], 16);
// ,"body_from":
// @ts-ignore: decorator
@lazy const BODY_FROM: usize = memory.data<u8>(
  [44, 34, 98, 111, 100, 121, 95, 102, 114, 111, 109, 34, 58, 0, 0, 0], 16,
);
// ,"body_to":
// @ts-ignore: decorator
@lazy const BODY_TO: usize = memory.data<u8>([44, 34, 98, 111, 100, 121, 95, 116, 111, 34, 58, 0, 0, 0, 0, 0], 16);
// ,"content":"
// @ts-ignore: decorator
@lazy const CONTENT: usize = memory.data<u8>([44, 34, 99, 111, 110, 116, 101, 110, 116, 34, 58, 34, 0, 0, 0, 0], 16);
const TO_4: u32 = 0x6f74222c; // ,"to
const NULL_4: u32 = 0x6c6c756e;

/** 16 bytes at once, of which `length` count. */
// @ts-ignore: decorator
@inline
function copyShort(q: usize, from: usize, length: usize): usize {
  if (ASC_FEATURE_SIMD) v128.store(q, v128.load(from));
  else {
    const second = load<u64>(from, 8);
    store<u64>(q, load<u64>(from));
    store<u64>(q, second, 8);
  }
  return q + length;
}

/** [from, to), with up to 15 bytes behind it that do not count. */
// @ts-ignore: decorator
@inline
export function copy(q: usize, from: usize, to: usize): usize {
  const end = q + (to - from);
  while (from < to) {
    copyShort(q, from, 16);
    from += 16;
    q += 16;
  }
  return end;
}

/**
 * The eight digits of a number below 100,000,000, from the lowest byte on, without the 0x30 of each: four, two, one at
 * a time.
 */
// @ts-ignore: decorator
@inline
function digits(value: u32): u64 {
  const upper = value / 10000;
  const fours = <u64>upper | (<u64>(value - upper * 10000) << 32);
  const hundreds = ((fours * 10486) >> 20) & 0x7f0000007f;
  const twos = hundreds | ((fours - hundreds * 100) << 16);
  const tens = ((twos * 103) >> 10) & 0xf000f000f000f;
  return tens | ((twos - tens * 10) << 8);
}

const ZEROS: u64 = 0x3030303030303030;
/** Numbers below it have eight digits at most. */
export const HALF: f64 = 100000000;

/** Writes a number below HALF. Bytes behind it may be overwritten, up to 7. */
export function writeShort(q: usize, value: u32): usize {
  const all = digits(value);
  // Zeros in front; the last digit stays.
  const zeros = ctz<u64>(all | (<u64>1 << 56)) >> 3;
  store<u64>(q, (all + ZEROS) >> (zeros << 3));
  return q + 8 - <usize>zeros;
}

/** The last eight digits of a longer one. */
export function writeRest(q: usize, value: u32): usize {
  store<u64>(q, digits(value) + ZEROS);
  return q + 8;
}

/** Writes an integer from 0 to 2^53. Bytes behind it may be overwritten, up to 7. */
export function writeNumber(q: usize, value: f64): usize {
  if (value < HALF) return writeShort(q, <u32>value);
  const high = floor<f64>(value / HALF);
  // The quotient of integers below 2^53 is never rounded up to the next one.
  return writeRest(writeNumber(q, high), <u32>(value - high * HALF));
}

/** The columns up to the content's quote; a negative record is null. Answers where they end. */
export function columns(
  head: usize, headTo: usize, record: f64, transcript: f64, index: f64, middle: usize, middleTo: usize,
  from: f64, to: f64, bodyFrom: f64, bodyTo: f64, q: usize,
): usize {
  q = copy(q, head, headTo);
  if (record < 0) {
    store<u32>(q, NULL_4);
    q += 4;
  } else q = writeNumber(q, record);
  q = writeNumber(copyShort(q, TRANSCRIPT, 14), transcript);
  q = writeNumber(copyShort(q, INDEX, 9), index);
  q = writeNumber(copy(q, middle, middleTo), from);
  store<u32>(q, TO_4);
  store<u16>(q, 0x3a22, 4);
  q = writeNumber(q + 6, to);
  q = writeNumber(copyShort(q, BODY_FROM, 13), bodyFrom);
  q = writeNumber(copyShort(q, BODY_TO, 11), bodyTo);
  return copyShort(q, CONTENT, 12);
}

/** The content [p, end), and the end of the line. The host has seen to it that there is room. */
export function content(p: usize, end: usize, q: usize): usize {
  q = escape(p, end, q, q + 6 * (end - p) + 64, true);
  store<u16>(q, 0x7d22);
  store<u8>(q, 0x0a, 2);
  return q + 3;
}
