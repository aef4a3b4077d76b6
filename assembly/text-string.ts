// A string of a JSON text, gone through once: validated, and written as the text that it stands for, in UTF-8.
//
// The simple version reads a byte at a time. Here 64 (8) bytes a step are copied where they would stand if none of them
// were special. A special one ends the string, or begins an escape: then its character is written, and what follows it
// in the step is copied again, behind it. So there is no branch for each byte, and one for each escape. Whether bytes
// beyond ASCII are characters is asked of the whole string, if it has any. Reads may pass `end` by up to 160 bytes,
// which decide nothing, and what is written the text by 64. A text is never longer than its string.

import { bits } from './text-lines';
import { escapeBytes, isLone, meant, writeEscaped } from './text-unescape';
import { isUtf8 } from './text-utf8';

const QUOTE: u32 = 0x22;
const BACKSLASH: u32 = 0x5c;
const STEP: usize = 64;

/** Of the last string: where its text ends; it holds a backslash; a surrogate that has no partner. */
export let textTo: usize = 0;
export let hasEscape: bool = false;
export let hasLone: bool = false;

/**
 * Writes the character of the escape at p, which `escapeBytes` then measures; answers what follows it at q, or 0: it is
 * no escape.
 */
function takeCode(p: usize, q: usize): usize {
  const to = writeEscaped(p, q);
  if (isLone) hasLone = true;
  return to;
}

/**
 * Writes the string that goes on at p; answers the address of the quote that ends it, or 0: before `end` there is no
 * valid end.
 */
export function copyString(p: usize, end: usize, q: usize): usize {
  hasEscape = hasLone = false;
  return ASC_FEATURE_SIMD ? copyWide(p, end, q) : copyNarrow(p, end, q);
}

/** Writes the text that [from, to) is, the inside of a string or a part of it; answers its end, or 0. */
export function copyInside(from: usize, to: usize, q: usize): usize {
  // A quote ends what is copied.
  const byte = load<u8>(to);
  store<u8>(to, QUOTE);
  const isText = copyString(from, to + 1, q) != 0;
  store<u8>(to, byte);
  return isText ? textTo : <usize>0;
}

/** All bits of quote, backslash and control characters. */
// @ts-ignore: decorator
@inline
function specials(block: v128): v128 {
  return v128.or(
    i8x16.le_u(block, i8x16.splat(0x1f)),
    v128.or(i8x16.eq(block, i8x16.splat(0x22)), i8x16.eq(block, i8x16.splat(0x5c))),
  );
}

// @ts-ignore: decorator
@inline
function copyStep(p: usize, q: usize): void {
  v128.store(q, v128.load(p));
  v128.store(q, v128.load(p, 16), 16);
  v128.store(q, v128.load(p, 32), 32);
  v128.store(q, v128.load(p, 48), 48);
}

function copyWide(p: usize, end: usize, q: usize): usize {
  const from = p;
  let seen = i8x16.splat(0);
  let escapes = false;
  while (p < end) {
    const b0 = v128.load(p);
    const b1 = v128.load(p, 16);
    const b2 = v128.load(p, 32);
    const b3 = v128.load(p, 48);
    v128.store(q, b0);
    v128.store(q, b1, 16);
    v128.store(q, b2, 32);
    v128.store(q, b3, 48);
    seen = v128.or(seen, v128.or(v128.or(b0, b1), v128.or(b2, b3)));
    const m0 = specials(b0);
    const m1 = specials(b1);
    const m2 = specials(b2);
    const m3 = specials(b3);
    const next = p + STEP;
    if (i8x16.bitmask(v128.or(v128.or(m0, m1), v128.or(m2, m3))) != 0) {
      const step = p;
      let marks = bits(m0, m1, m2, m3);
      do {
        const at = step + <usize>ctz<u64>(marks);
        // What is escaped is not special; the next mark must not wait for what the escape means.
        const mark = marks & (0 - marks);
        marks &= ~(mark | (mark << 1));
        q += at - p;
        if (<u32>load<u8>(at) != BACKSLASH) {
          hasEscape = escapes;
          textTo = q;
          const isEnd = load<u8>(at) == QUOTE && at < end;
          return isEnd && (i8x16.bitmask(seen) == 0 || isUtf8(from, at)) ? at : 0;
        }
        escapes = true;
        const letter = meant(load<u8>(at, 1));
        if (letter != 0) {
          store<u8>(q++, letter);
          p = at + 2;
        } else {
          q = takeCode(at, q);
          if (q == 0) return 0;
          p = at + escapeBytes;
          marks = p < next ? marks & (~(<u64>0) << <u64>(p - step)) : 0;
        }
        copyStep(p, q);
      } while (marks != 0);
      // An escape may pass the step.
      if (p >= next) continue;
    }
    q += next - p;
    p = next;
  }
  return 0;
}

function copyNarrow(p: usize, end: usize, q: usize): usize {
  const from = p;
  let seen: u64 = 0;
  while (p < end) {
    const block = load<u64>(p);
    store<u64>(q, block);
    seen |= block;
    const quote = block ^ 0x2222222222222222;
    const backslash = block ^ 0x5c5c5c5c5c5c5c5c;
    // The lowest bit that is set is exact: what a borrow sets falsely stands above a true one.
    const hit = (((block - 0x2020202020202020) & ~block)
      | ((quote - 0x0101010101010101) & ~quote) | ((backslash - 0x0101010101010101) & ~backslash)) & 0x8080808080808080;
    if (hit == 0) {
      p += 8;
      q += 8;
      continue;
    }
    const length = <usize>(ctz<u64>(hit) >> 3);
    p += length;
    q += length;
    if (<u32>load<u8>(p) != BACKSLASH) {
      textTo = q;
      const isEnd = load<u8>(p) == QUOTE && p < end;
      return isEnd && ((seen & 0x8080808080808080) == 0 || isUtf8(from, p)) ? p : 0;
    }
    hasEscape = true;
    q = takeCode(p, q);
    if (q == 0) return 0;
    p += escapeBytes;
  }
  return 0;
}
