// JSON where it lies: strings, numbers, white space, whole values. Nothing is copied.
//
// Behind the input stands a byte that no token accepts (a line feed, where white space is SP, HTAB and CR alone; else a
// NUL): every loop ends there, so that no position is compared with an end. A function answers the address behind what
// it has read, or 0: that is no JSON, or nests too deeply. Strings go 16 bytes, then 64 a step up to the first quote,
// backslash, control character or byte that is not ASCII. From there on the bytes that are escaped are told from those
// that are not, 64 at once. Reads may pass the end by 128 bytes, which decide nothing.

import { bits } from '../text-lines';

export const QUOTE: u32 = 0x22;
export const COMMA: u32 = 0x2c;
export const COLON: u32 = 0x3a;
export const BACKSLASH: u32 = 0x5c;
export const LF: u32 = 0x0a;
export const OPEN_LIST: u32 = 0x5b;
export const CLOSE_LIST: u32 = 0x5d;
export const OPEN_OBJECT: u32 = 0x7b;
export const CLOSE_OBJECT: u32 = 0x7d;
export const NULL_4: u32 = 0x6c6c756e;
export const TRUE_4: u32 = 0x65757274;

/** Containers in one another. */
export const DEEPEST: i32 = 1024;
// @ts-ignore: decorator
@lazy const STACK: usize = memory.data(1024, 16);

/**
 * What strings held since `clearSeen`: a backslash; an escape that a writer may leave out; a surrogate that has no
 * partner.
 */
export const SEEN_ESCAPE: u32 = 1;
export const SEEN_CODE: u32 = 2;
export const SEEN_LONE: u32 = 4;
export let seen: u32 = 0;

// @ts-ignore: decorator
@inline
export function clearSeen(): void { seen = 0; }

/** A string held, or may have held, a byte that is not ASCII since this was set: nothing else does in JSON. */
export let isWide: bool = false;
export function setWide(is: bool): void { isWide = is; }

/** Bytes that are not ASCII are below zero. */
// @ts-ignore: decorator
@inline
function stops(block: v128): v128 {
  return v128.or(
    v128.or(i8x16.eq(block, i8x16.splat(0x22)), i8x16.eq(block, i8x16.splat(0x5c))),
    i8x16.lt_s(block, i8x16.splat(0x20)),
  );
}

/** Address of the quote that closes the string whose text begins at p. */
// @ts-ignore: decorator
@inline
export function stringEnd(p: usize): usize {
  if (ASC_FEATURE_SIMD) {
    const mask = i8x16.bitmask(stops(v128.load(p)));
    if (mask != 0) {
      const at = p + <usize>ctz<i32>(mask);
      return load<u8>(at) == QUOTE ? at : oddEnd(at);
    }
    return longEnd(p + 16);
  }
  return longEnd(p);
}

/** The same, quicker for one that is mostly longer than 16 bytes. */
export function longEnd(p: usize): usize {
  while (true) {
    if (ASC_FEATURE_SIMD) {
      const m0 = stops(v128.load(p));
      const m1 = stops(v128.load(p, 16));
      const m2 = stops(v128.load(p, 32));
      const m3 = stops(v128.load(p, 48));
      if (i8x16.bitmask(v128.or(v128.or(m0, m1), v128.or(m2, m3))) != 0) {
        const at = p + <usize>ctz<u64>(bits(m0, m1, m2, m3));
        return load<u8>(at) == QUOTE ? at : oddEnd(at);
      }
      p += 64;
    } else {
      const block = load<u64>(p);
      const quote = block ^ 0x2222222222222222;
      const backslash = block ^ 0x5c5c5c5c5c5c5c5c;
      const hit = ((block - 0x2020202020202020) | block
        | ((quote - 0x0101010101010101) & ~quote)
        | ((backslash - 0x0101010101010101) & ~backslash)) & 0x8080808080808080;
      if (hit != 0) {
        const at = p + (<usize>ctz<u64>(hit) >> 3);
        return load<u8>(at) == QUOTE ? at : oddEnd(at);
      }
      p += 8;
    }
  }
}

/** The number of four hexadecimal digits; -1: one of them is none. All four are looked at together. */
export function hexAt(p: usize): i32 {
  const digits = load<u32>(p);
  // Letters, of both cases, become what follows 9: each byte is 0x30 to 0x3f then.
  const letters = (digits >> 6) & 0x01010101;
  const values = (digits | (letters << 5)) - letters * 0x27;
  if ((values & 0xf0f0f0f0) != 0x30303030 || ((values + 0x06060606) & 0x40404040) != letters << 6) return -1;
  const pairs = ((values & 0x000f000f) << 4) | ((values >> 8) & 0x000f000f);
  return ((pairs & 0xff) << 8) | (pairs >> 16);
}

/** An escape stood for `<`, a letter, or what else is in tags. */
let hasCodes: bool = false;

/** Whether one did since this was asked for. */
export function takeCodes(): bool {
  const had = hasCodes;
  hasCodes = false;
  return had;
}

/** Where the `u` of the escape stands that must be the second half of a pair. */
let pairAt: usize = 0;

/** The letter of an escape, at p: whether it is one. */
function takeLetter(p: usize): bool {
  const letter = <u32>load<u8>(p);
  if (letter == 0x75) {
    const unit = hexAt(p + 1);
    if (unit < 0) return false;
    seen |= SEEN_CODE;
    if (<u32>unit - 0x3c < 0x40) hasCodes = true;
    const isSecond = p == pairAt;
    pairAt = 0;
    if ((unit & 0xf800) != 0xd800) {
      if (isSecond) seen |= SEEN_LONE;
    } else if ((unit & 0x400) != 0) {
      if (!isSecond) seen |= SEEN_LONE;
    } else {
      const hasNext = load<u16>(p, 5) == 0x755c;
      if (isSecond || !hasNext) seen |= SEEN_LONE;
      // A first half that stands for a second one begins a pair of its own, too.
      if (hasNext) pairAt = p + 6;
    }
    return true;
  }
  if (letter == 0x2f) {
    seen |= SEEN_CODE;
    return true;
  }
  // " \ b f n r t
  return letter == QUOTE || (letter - BACKSLASH < 32 && ((0x01440441 >> (letter - BACKSLASH)) & 1) != 0);
}

/** The quote that closes a string, from p on, where something else stands at which reading stops. */
function oddEnd(p: usize): usize {
  pairAt = 0;
  return ASC_FEATURE_SIMD ? oddWide(p) : oddNarrow(p);
}

function oddNarrow(p: usize): usize {
  while (true) {
    const byte = <u32>load<u8>(p);
    if (byte == QUOTE) return p;
    if (byte < 0x20) return 0;
    if (byte >= 0x80) isWide = true;
    if (byte == BACKSLASH) {
      seen |= SEEN_ESCAPE;
      if (!takeLetter(++p)) return 0;
      if (load<u8>(p) == 0x75) p += 4;
    }
    p++;
  }
}

const ODD: u64 = 0xaaaaaaaaaaaaaaaa;

function oddWide(p: usize): usize {
  const quote = i8x16.splat(0x22);
  const backslash = i8x16.splat(0x5c);
  const control = i8x16.splat(0x1f);
  const newline = i8x16.splat(0x6e);
  // The last byte of the step before escapes the first one of this step.
  let carry: u64 = 0;
  let all = i8x16.splat(0);
  while (true) {
    const b0 = v128.load(p);
    const b1 = v128.load(p, 16);
    const b2 = v128.load(p, 32);
    const b3 = v128.load(p, 48);
    all = v128.or(all, v128.or(v128.or(b0, b1), v128.or(b2, b3)));
    const slashes = bits(
      i8x16.eq(b0, backslash), i8x16.eq(b1, backslash), i8x16.eq(b2, backslash), i8x16.eq(b3, backslash),
    );
    const quotes = bits(i8x16.eq(b0, quote), i8x16.eq(b1, quote), i8x16.eq(b2, quote), i8x16.eq(b3, quote));
    let ends = quotes | bits(
      i8x16.le_u(b0, control), i8x16.le_u(b1, control), i8x16.le_u(b2, control), i8x16.le_u(b3, control),
    );
    if ((slashes | carry) != 0) {
      // Of a run of backslashes every other one escapes what follows it: subtracting carries along the run.
      const first = slashes & ~carry;
      const code = (((first << 1) | ODD) - first) ^ ODD;
      const escaped = code ^ (slashes | carry);
      carry = (code & slashes) >> 63;
      // A control character ends the string, escaped or not.
      ends &= ~(escaped & quotes);
      const inside = ends ^ (ends - 1);
      if ((slashes & inside) != 0) seen |= SEEN_ESCAPE;
      let letters = escaped & ~slashes & ~quotes & inside;
      if (letters != 0) {
        letters &= ~bits(i8x16.eq(b0, newline), i8x16.eq(b1, newline), i8x16.eq(b2, newline), i8x16.eq(b3, newline));
        while (letters != 0) {
          if (!takeLetter(p + <usize>ctz<u64>(letters))) return 0;
          letters &= letters - 1;
        }
      }
    }
    if (ends != 0) {
      if (i8x16.bitmask(all) != 0) isWide = true;
      const at = p + <usize>ctz<u64>(ends);
      return load<u8>(at) == QUOTE ? at : 0;
    }
    p += 64;
  }
}

/** Line feeds are white space, as they are where no line ends the text. */
let spansLines: bool = false;
export function setSpansLines(does: bool): void { spansLines = does; }

// @ts-ignore: decorator
@inline
export function skipBlanks(p: usize): usize {
  if (load<u8>(p) > 0x20) return p;
  if (load<u8>(p) == 0x20 && load<u8>(p, 1) > 0x20) return p + 1;
  return skipMore(p);
}

function skipMore(p: usize): usize {
  while (true) {
    const byte = load<u8>(p);
    if (byte != 0x20 && byte != 9 && byte != 13 && (byte != LF || !spansLines)) return p;
    p++;
  }
}

// @ts-ignore: decorator
@inline
function isDigit(byte: u32): bool {
  return byte - 0x30 < 10;
}

function skipDigits(p: usize): usize {
  while (isDigit(load<u8>(p))) p++;
  return p;
}

/** The last number or word: digits alone; any other number; true or false; null. */
export const SCALAR_INTEGER: u32 = 1;
export const SCALAR_NUMBER: u32 = 2;
export const SCALAR_BOOLEAN: u32 = 3;
export const SCALAR_NULL: u32 = 4;
export let scalarKind: u32 = 0;

/** Behind the number or word at p. */
export function scalarEnd(p: usize): usize {
  let byte = <u32>load<u8>(p);
  if (byte == 0x2d || isDigit(byte)) {
    scalarKind = SCALAR_INTEGER;
    if (byte == 0x2d) byte = load<u8>(++p);
    if (!isDigit(byte)) return 0;
    p = byte == 0x30 ? p + 1 : skipDigits(p);
    if (load<u8>(p) == 0x2e) {
      scalarKind = SCALAR_NUMBER;
      const fraction = ++p;
      p = skipDigits(p);
      if (p == fraction) return 0;
    }
    if ((<u32>load<u8>(p) | 0x20) == 0x65) {
      scalarKind = SCALAR_NUMBER;
      byte = load<u8>(++p);
      if (byte == 0x2b || byte == 0x2d) p++;
      const power = p;
      p = skipDigits(p);
      if (p == power) return 0;
    }
    return p;
  }
  const word = load<u32>(p);
  if (word == NULL_4) {
    scalarKind = SCALAR_NULL;
    return p + 4;
  }
  scalarKind = SCALAR_BOOLEAN;
  if (word == 0x65757274) return p + 4;
  return word == 0x736c6166 && load<u8>(p, 4) == 0x65 ? p + 5 : 0;
}

/** Behind any value at p, with at most `most` containers in one another. */
export function valueEnd(p: usize, most: i32): usize {
  const byte = <u32>load<u8>(p);
  if (byte == QUOTE) {
    p = stringEnd(p + 1);
    return p == 0 ? 0 : p + 1;
  }
  return byte == OPEN_OBJECT || byte == OPEN_LIST ? containerEnd(p, most) : scalarEnd(p);
}

/** From the quote that closes a key to its value. */
export function afterKey(p: usize): usize {
  p = skipBlanks(p + 1);
  return load<u8>(p) == COLON ? skipBlanks(p + 1) : 0;
}

/** From the quote of a key to its value. */
// @ts-ignore: decorator
@inline
function passKey(p: usize): usize {
  p = stringEnd(p + 1);
  return p == 0 ? 0 : afterKey(p);
}

/** Behind the object or list at p. */
export function containerEnd(p: usize, most: i32): usize {
  let depth = 0;
  let open: u32 = 0;
  let byte = <u32>load<u8>(p);
  while (true) {
    // A value at p, of which `byte` is the first one.
    if (byte == QUOTE) {
      p = stringEnd(p + 1);
      if (p == 0) return 0;
      p++;
    } else if (byte == OPEN_OBJECT || byte == OPEN_LIST) {
      if (depth == most) return 0;
      store<u8>(STACK + depth, open);
      depth++;
      open = byte;
      p = skipBlanks(p + 1);
      byte = load<u8>(p);
      if (byte != open + 2) {
        if (open == OPEN_OBJECT) {
          if (byte != QUOTE) return 0;
          p = passKey(p);
          if (p == 0) return 0;
          byte = load<u8>(p);
        }
        continue;
      }
      p++;
      open = load<u8>(STACK + --depth);
      if (depth == 0) return p;
    } else {
      p = scalarEnd(p);
      if (p == 0) return 0;
    }
    // Behind a value.
    while (true) {
      p = skipBlanks(p);
      byte = load<u8>(p);
      if (byte == COMMA) break;
      if (byte != open + 2) return 0;
      p++;
      open = load<u8>(STACK + --depth);
      if (depth == 0) return p;
    }
    p = skipBlanks(p + 1);
    byte = load<u8>(p);
    if (open == OPEN_OBJECT) {
      if (byte != QUOTE) return 0;
      p = passKey(p);
      if (p == 0) return 0;
      byte = load<u8>(p);
    }
  }
}

/** Those of 16 bytes that are letters and digits of ASCII, `_` and `-`. */
// @ts-ignore: decorator
@inline
export function wordBytes(block: v128): v128 {
  const letters = i8x16.le_u(i8x16.sub(v128.or(block, i8x16.splat(0x20)), i8x16.splat(0x61)), i8x16.splat(25));
  const digits = i8x16.le_u(i8x16.sub(block, i8x16.splat(0x30)), i8x16.splat(9));
  const dashes = v128.or(i8x16.eq(block, i8x16.splat(0x5f)), i8x16.eq(block, i8x16.splat(0x2d)));
  return v128.or(v128.or(letters, digits), dashes);
}
