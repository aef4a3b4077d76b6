// RFC 8259: whether bytes are one JSON value, and if not, the first byte after which no continuation is one.
//
// The simple version is an automaton that takes a byte at a time: a state for each place in a document, and for each
// open container one bit. It stops at the first byte that its state does not take. All of it is kept between calls, so
// that a document may come in pieces, cut anywhere.
//
// It is not that simple because most bytes stand in strings:
// 1. Plain characters of a string are skipped 16 (8) bytes a step. Escapes and characters beyond ASCII that are whole
// are taken
//    where they stand; the automaton sees only those that a piece cuts, and those that are wrong.
// 2. The kinds of the innermost 64 levels are in one word; those of the others lie in memory.
// 3. Reads may pass `end` by up to 16 bytes (PADDING); what is found there decides nothing.

import { JSON_DEEPEST } from '../src/abi';
import { characterAt } from './utf8';
import { isBlank } from './words';

// Where the automaton is. Up to AFTER white space may stand; from AFTER to POWER the value is complete.
const VALUE: i32 = 0; // before a value
const FIRST_VALUE: i32 = 1; // after `[`: a value or `]`
const FIRST_KEY: i32 = 2; // after `{`: a key or `}`
const KEY: i32 = 3; // after a comma in an object
const COLON: i32 = 4; // after a key
const AFTER: i32 = 5; // after a value
const ZERO: i32 = 6; // after a leading 0
const WHOLE: i32 = 7; // in the digits of the integer
const FRACTION: i32 = 8; // in the digits after the point
const POWER: i32 = 9; // in the digits of the exponent
const MINUS: i32 = 10; // after the sign
const POINT: i32 = 11; // after the point
const EXPONENT: i32 = 12; // after `e`
const EXPONENT_SIGN: i32 = 13; // after its sign
const STRING: i32 = 14;
const ESCAPE: i32 = 15; // after a backslash
const HEX: i32 = 16; // `left` hexadecimal digits are to come
const CHARACTER: i32 = 17; // `left` bytes of the character are to come, the next one from `low` to `high`
const WORD: i32 = 18; // the bytes of `rest` are to come

const QUOTE: u32 = 0x22;
const BACKSLASH: u32 = 0x5c;
const COMMA: u32 = 0x2c;

let state: i32 = VALUE;
/** The string is a key. */
let isKey: bool = false;
let left: i32 = 0;
let low: u32 = 0;
let high: u32 = 0;
let rest: u32 = 0;
/** Open containers, and how many there may be. */
export let depth: i32 = 0;
let deepest: i32 = 0;
let isUtf8: bool = false;
/** Kinds of the innermost containers, one bit each, 1 for an object; the words of the outer ones. */
let kinds: u64 = 0;
// @ts-ignore: decorator
@lazy const OUTER: usize = memory.data(JSON_DEEPEST / 8 + 8, 16);

// @ts-ignore: decorator
@inline
function open(kind: u64): void {
  if ((depth & 63) == 0) {
    store<u64>(OUTER + (<usize>depth >> 3), kinds);
    kinds = 0;
  }
  depth++;
  kinds = (kinds << 1) | kind;
}

// @ts-ignore: decorator
@inline
function close(): void {
  depth--;
  kinds = (depth & 63) == 0 ? load<u64>(OUTER + (<usize>depth >> 3)) : kinds >> 1;
}

// @ts-ignore: decorator
@inline
function isDigit(byte: u32): bool {
  return byte - 0x30 < 10;
}

function isHex(byte: u32): bool {
  return isDigit(byte) || (byte | 0x20) - 0x61 < 6;
}

/** What may follow a backslash, but for `u`. */
// @ts-ignore: decorator
@inline
function isEscaped(byte: u32): bool {
  // Of the bytes from the backslash on: itself, b, f, n, r, t.
  return byte - BACKSLASH < 32 ? ((0x01440441 >> (byte - BACKSLASH)) & 1) != 0 : byte == QUOTE || byte == 0x2f;
}

// @ts-ignore: decorator
@inline
export function skipDigits(p: usize, end: usize): usize {
  while (p < end && isDigit(load<u8>(p))) p++;
  return p;
}

/** First byte of [p, end) that is no plain character of a string; at or after `end` when there is none. */
// @ts-ignore: decorator
@inline
function skipPlain(p: usize, end: usize): usize {
  if (ASC_FEATURE_SIMD) {
    const space = i8x16.splat(0x20);
    const quote = i8x16.splat(0x22);
    const backslash = i8x16.splat(0x5c);
    while (p < end) {
      const block = v128.load(p);
      // As signed bytes, control characters and all beyond ASCII lie below the space.
      const mask = i8x16.bitmask(
        v128.or(i8x16.lt_s(block, space), v128.or(i8x16.eq(block, quote), i8x16.eq(block, backslash))),
      );
      if (mask != 0) return p + <usize>ctz<i32>(mask);
      p += 16;
    }
  } else {
    while (p < end) {
      // The lowest high bit that is set in `hit` is exact: what a borrow sets falsely stands above a true one.
      const block = load<u64>(p);
      const quote = block ^ 0x2222222222222222;
      const backslash = block ^ 0x5c5c5c5c5c5c5c5c;
      const hit = block | ((block - 0x2020202020202020) & ~block)
        | ((quote - 0x0101010101010101) & ~quote) | ((backslash - 0x0101010101010101) & ~backslash);
      if ((hit & 0x8080808080808080) != 0) return p + (<usize>ctz<u64>(hit & 0x8080808080808080) >> 3);
      p += 8;
    }
  }
  return p;
}

/** The lead byte of a character that is not whole or not valid: what may follow it. False: nothing. */
function beginCharacter(lead: u32): bool {
  if (lead < 0xc2 || lead > 0xf4) return false;
  left = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
  low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  return true;
}

/** How many of the next 16 (8) bytes lie beyond ASCII, before the first that does not. */
// @ts-ignore: decorator
@inline
function countBeyond(p: usize): usize {
  if (ASC_FEATURE_SIMD) return <usize>ctz<i32>(~i8x16.bitmask(v128.load(p)));
  return <usize>(ctz<u64>(~load<u64>(p) & 0x8080808080808080) >> 3);
}

/**
 * Forgets everything: a document begins, with at most `most` containers in one another, and never more than
 * JSON_DEEPEST. With its highest bit: the document is valid UTF-8, and characters need not be looked at.
 */
export function jsonBegin(most: u32): void {
  isUtf8 = <i32>most < 0;
  state = VALUE;
  depth = 0;
  kinds = 0;
  deepest = <i32>min<u32>(most & 0x7fffffff, JSON_DEEPEST);
}

/**
 * Takes the bytes [p, end); answers the address of the first wrong one, or 0. After a wrong one the document is over.
 */
export function jsonFeed(p: usize, end: usize): usize {
  let s = state;
  while (p < end) {
    const byte = <u32>load<u8>(p);
    switch (s) {
      case STRING:
        while (true) {
          p = skipPlain(p, end);
          if (p >= end) {
            p = end;
            break;
          }
          const stop = <u32>load<u8>(p);
          if (stop == QUOTE) {
            p++;
            s = isKey ? COLON : AFTER;
            break;
          }
          if (stop == BACKSLASH) {
            p++;
            s = ESCAPE;
            if (p == end || !isEscaped(load<u8>(p))) break;
            p++;
            s = STRING;
          } else if (isUtf8 && stop >= 0x80) {
            p += countBeyond(p);
          } else {
            let length: usize = 0;
            do {
              length = characterAt(p, end);
              p += length;
            } while (length != 0 && p < end && load<u8>(p) >= 0x80);
            if (length == 0) {
              if (!beginCharacter(load<u8>(p))) return p;
              p++;
              s = CHARACTER;
              break;
            }
          }
        }
        break;
      case FIRST_VALUE:
        if (byte == 0x5d) {
          close();
          p++;
          s = AFTER;
          break;
        }
      // falls through
      case VALUE:
        if (byte == QUOTE) {
          isKey = false;
          s = STRING;
        } else if (byte == 0x7b || byte == 0x5b) {
          if (depth == deepest) return p;
          open(byte == 0x7b ? 1 : 0);
          s = byte == 0x7b ? FIRST_KEY : FIRST_VALUE;
        } else if (byte - 0x31 < 9) {
          s = WHOLE;
        } else if (byte == 0x30) {
          s = ZERO;
        } else if (byte == 0x2d) {
          s = MINUS;
        } else if (byte == 0x74 || byte == 0x66 || byte == 0x6e) {
          rest = byte == 0x74 ? 0x657572 : byte == 0x66 ? 0x65736c61 : 0x6c6c75;
          s = WORD;
        } else if (!isBlank(byte)) return p;
        p++;
        break;
      case FIRST_KEY:
        if (byte == 0x7d) {
          close();
          p++;
          s = AFTER;
          break;
        }
      // falls through
      case KEY:
        if (byte == QUOTE) {
          isKey = true;
          s = STRING;
        } else if (!isBlank(byte)) return p;
        p++;
        break;
      case COLON:
        if (byte == 0x3a) s = VALUE;
        else if (!isBlank(byte)) return p;
        p++;
        break;
      case ZERO:
      case WHOLE:
      case FRACTION:
      case POWER:
        if (s != ZERO) p = skipDigits(p, end);
        if (p < end) {
          const next = <u32>load<u8>(p);
          if (next == 0x2e && s <= WHOLE) {
            s = POINT;
            p++;
          } else if ((next | 0x20) == 0x65 && s != POWER) {
            s = EXPONENT;
            p++;
          } else s = AFTER;
        }
        break;
      case AFTER:
        if (byte == COMMA) {
          if (depth == 0) return p;
          s = (kinds & 1) != 0 ? KEY : VALUE;
        } else if (byte == 0x7d || byte == 0x5d) {
          if (depth == 0 || (<u32>kinds & 1) != (byte == 0x7d ? 1 : 0)) return p;
          close();
        } else if (!isBlank(byte)) return p;
        p++;
        break;
      case MINUS:
        if (!isDigit(byte)) return p;
        s = byte == 0x30 ? ZERO : WHOLE;
        p++;
        break;
      case POINT:
        if (!isDigit(byte)) return p;
        s = FRACTION;
        break;
      case EXPONENT:
        if (byte == 0x2b || byte == 0x2d) {
          s = EXPONENT_SIGN;
          p++;
          break;
        }
      // falls through
      case EXPONENT_SIGN:
        if (!isDigit(byte)) return p;
        s = POWER;
        break;
      case ESCAPE:
        if (byte == 0x75) {
          left = 4;
          s = HEX;
        } else if (isEscaped(byte)) s = STRING;
        else return p;
        p++;
        break;
      case HEX:
        if (!isHex(byte)) return p;
        if (--left == 0) s = STRING;
        p++;
        break;
      case CHARACTER:
        if (byte < low || byte > high) return p;
        low = 0x80;
        high = 0xbf;
        if (--left == 0) s = STRING;
        p++;
        break;
      default: // WORD
        if (byte != (rest & 0xff)) return p;
        rest >>= 8;
        if (rest == 0) s = AFTER;
        p++;
        break;
    }
  }
  state = s;
  return 0;
}

/** Whether the document may end here. */
export function jsonEnd(): bool {
  return depth == 0 && state >= AFTER && state <= POWER;
}

/** A whole document at once: the address of the first wrong byte, `end` when it ends too early, or 0. */
export function jsonWhole(p: usize, end: usize, most: u32): usize {
  jsonBegin(most);
  const wrong = jsonFeed(p, end);
  return wrong != 0 ? wrong : jsonEnd() ? 0 : end;
}
