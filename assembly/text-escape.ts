// Bytes as the inside of a JSON string, as JSON.stringify writes the text that they decode to: bad UTF-8 becomes
// U+FFFD, one for each maximal subpart; quote, backslash and control characters are escaped, nothing else.
//
// Valid bytes that need no change are copied 16 (8) bytes a step. Where something is to be escaped in such a step, a
// table makes room for the backslashes, eight bytes at once, without a branch for each of them: in text there is no
// telling where the next newline stands. Reads may pass `end` by up to 64 bytes, and what is written the answer by 16.

import { isUtf8 } from './text-utf8';
import { characterAt } from './utf8';

const QUOTE: u32 = 0x22;
const BACKSLASH: u32 = 0x5c;
/** Bytes that a step may write: the longest form of 1 byte, or of the bytes of a block. */
const ROOM: usize = 64;

/** By the bits of eight bytes that are to be escaped: which byte goes where, and -1 for a backslash. */
// @ts-ignore: decorator
@lazy const SPREAD: usize = ASC_FEATURE_SIMD ? memory.data(256 * 16, 16) : 0;

let readTo: usize = 0;

/** Makes the table. */
export function prepare(): void {
  if (!ASC_FEATURE_SIMD) return;
  for (let bits: usize = 0; bits < 256; bits++) {
    let at = SPREAD + (bits << 4);
    for (let byte: usize = 0; byte < 8; byte++) {
      if (((bits >> byte) & 1) != 0) store<u8>(at++, 0xff);
      store<u8>(at++, byte);
    }
  }
}

/** Writes eight bytes, a backslash before each one of `bits`. */
// @ts-ignore: decorator
@inline
function spread(q: usize, bytes: v128, bits: usize): void {
  const order = v128.load(SPREAD + (bits << 4));
  const slashes = v128.and(i8x16.lt_s(order, i8x16.splat(0)), i8x16.splat(0x5c));
  v128.store(q, v128.or(i8x16.swizzle(bytes, order), slashes));
}

/** Address up to which the last call has read. */
export function taken(): usize { return readTo; }

/** What follows the backslash, by the byte that is escaped. */
// @ts-ignore: decorator
@lazy const LETTERS: usize = memory.data<u8>([
  117, 117, 117, 117, 117, 117, 117, 117, 98, 116, 110, 117, 102, 114, 117, 117,
  117, 117, 117, 117, 117, 117, 117, 117, 117, 117, 117, 117, 117, 117, 117, 117,
  0, 0, 34, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 92, 0, 0, 0,
], 16);

/**
 * Length of the valid character's beginning, or of the ill-formed sequence, at p: what one U+FFFD stands for. `cut`:
 * more could make it whole.
 */
function subpart(p: usize, end: usize): usize {
  cut = false;
  const lead = <u32>load<u8>(p);
  if (lead < 0xc2 || lead > 0xf4) return 1;
  const length: usize = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  let low: u32 = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  let high: u32 = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  for (let at: usize = 1; at < length; at++) {
    if (p + at >= end) {
      cut = true;
      return at;
    }
    const byte = <u32>load<u8>(p + at);
    if (byte < low || byte > high) return at;
    low = 0x80;
    high = 0xbf;
  }
  return length;
}
let cut: bool = false;
let isFinal: bool = false;

/** First byte of a character that `end` cuts; else `end`. */
function wholeTo(p: usize, end: usize): usize {
  for (let back: usize = 1; back < 4 && p + back <= end; back++) {
    const byte = <u32>load<u8>(end - back);
    if (byte >= 0xc0) {
      return byte < 0xe0 ? (back < 2 ? end - back : end) : byte < 0xf0 ? (back < 3 ? end - back : end) : end - back;
    }
    if (byte < 0x80) break;
  }
  return end;
}

/** Writes [p, end) from q on, as long as ROOM bytes before `limit` are free; answers where it ends. */
export function escape(p: usize, end: usize, q: usize, limit: usize, final: bool): usize {
  const last = limit - ROOM;
  isFinal = final;
  const to = final ? end : wholeTo(p, end);
  readTo = p;
  if (!isUtf8(p, to)) return escapeWild(p, end, q, last);
  q = escapeValid(p, to, q, last);
  // A character that is cut waits for its rest; what cannot become one does not.
  return readTo == to && to < end ? escapeWild(to, end, q, last) : q;
}

/** The same of valid UTF-8, where there is room for 6 bytes for each, and 64 more. */
export function escapeKnown(p: usize, end: usize, q: usize): usize {
  return p < end ? escapeValid(p, end, q, q + 6 * (end - p)) : q;
}

function escapeWild(p: usize, end: usize, q: usize, last: usize): usize {
  while (p < end && q <= last) {
    const byte = <u32>load<u8>(p);
    if (byte < 0x80) {
      if (byte >= 0x20 && byte != QUOTE && byte != BACKSLASH) store<u8>(q++, byte);
      else q = writeEscape(q, byte);
      p++;
      continue;
    }
    const length = characterAt(p, end);
    if (length != 0) {
      store<u32>(q, load<u32>(p));
      p += length;
      q += length;
      continue;
    }
    const bad = subpart(p, end);
    if (cut && !isFinal) break;
    store<u32>(q, 0xbdbfef);
    p += bad;
    q += 3;
  }
  readTo = p;
  return q;
}

/** The same of valid UTF-8, where most bytes need no change. */
function escapeValid(p: usize, end: usize, q: usize, last: usize): usize {
  while (p < end && q <= last) {
    if (ASC_FEATURE_SIMD) {
      const block = v128.load(p);
      v128.store(q, block);
      const special = v128.or(
        i8x16.le_u(block, i8x16.splat(0x1f)),
        v128.or(i8x16.eq(block, i8x16.splat(0x22)), i8x16.eq(block, i8x16.splat(0x5c))),
      );
      const mask = i8x16.bitmask(special);
      if (p + 16 <= end) {
        if (mask == 0) {
          p += 16;
          q += 16;
          continue;
        }
        const controls = i8x16.le_u(block, i8x16.splat(0x1f));
        const letters = i8x16.swizzle(i8x16(0, 0, 0, 0, 0, 0, 0, 0, 0x62, 0x74, 0x6e, 0, 0x66, 0x72, 0, 0), block);
        if (!v128.any_true(v128.and(controls, i8x16.eq(letters, i8x16.splat(0))))) {
          const bytes = v128.bitselect(letters, block, controls);
          spread(q, bytes, mask & 255);
          q += 8 + <usize>popcnt<i32>(mask & 255);
          spread(q, v128.shuffle<u64>(bytes, bytes, 1, 1), mask >> 8);
          q += 8 + <usize>popcnt<i32>(mask >> 8);
          p += 16;
          continue;
        }
      }
      const length: usize = mask == 0 ? 16 : <usize>ctz<i32>(mask);
      if (p + length >= end) {
        q += end - p;
        p = end;
        break;
      }
      p += length;
      q += length;
      if (mask == 0) continue;
    } else {
      const block = load<u64>(p);
      store<u64>(q, block);
      const quote = block ^ 0x2222222222222222;
      const backslash = block ^ 0x5c5c5c5c5c5c5c5c;
      const hit = (((block - 0x2020202020202020) & ~block)
        | ((quote - 0x0101010101010101) & ~quote)
        | ((backslash - 0x0101010101010101) & ~backslash)) & 0x8080808080808080;
      const length: usize = hit == 0 ? 8 : <usize>(ctz<u64>(hit) >> 3);
      if (p + length >= end) {
        q += end - p;
        p = end;
        break;
      }
      p += length;
      q += length;
      if (hit == 0) continue;
    }
    q = writeEscape(q, load<u8>(p));
    p++;
  }
  // A full output cuts no character.
  while (p < end && (load<u8>(p) & 0xc0) == 0x80) {
    p--;
    q--;
  }
  readTo = p;
  return q;
}

/** Writes the escape of a byte; answers what follows it. */
// @ts-ignore: decorator
@inline
function writeEscape(q: usize, byte: u32): usize {
  const letter = <u32>load<u8>(LETTERS + byte);
  store<u16>(q, 0x5c | (letter << 8));
  return letter == 0x75 ? writeCode(q, byte) : q + 2;
}

/** Completes the code of a control character without short form. */
function writeCode(q: usize, byte: u32): usize {
  const low = byte & 15;
  store<u16>(q, 0x3030, 2);
  store<u8>(q, 0x30 + (byte >> 4), 4);
  store<u8>(q, low < 10 ? 0x30 + low : 0x57 + low, 5);
  return q + 6;
}
