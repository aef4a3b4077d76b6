// One JSON text of which the top level is an object: whether it is one, and where its members stand.
//
// It must be valid UTF-8. Then strings of the top level are gone through here, containers below it by the automaton of json.ts. What is
// not accepted here is read again by that automaton as a whole: so there is one verdict, and one first wrong byte, for everything.
// A string goes 64 bytes a step, one bit each: what is escaped, where the string ends, and whether each escape is one, without a branch
// for each of them. Reads may pass `end` by up to 80 bytes; what is found there decides nothing.

import {
  JSON_DEPTH, KEY_ESCAPED, MEMBER_BYTES, MOST_MEMBERS, RECORD_MANY, RECORD_OTHER, RECORD_WRONG, VALUE_ARRAY, VALUE_ESCAPED, VALUE_FALSE,
  VALUE_NULL, VALUE_NUMBER, VALUE_OBJECT, VALUE_STRING, VALUE_TRUE,
} from '../src/abi';
import { depth, isEscaped, isHex, jsonBegin, jsonFeed, jsonWhole, skipDigits, skipPlain } from './json';
import { bits } from './text-lines';
import { isUtf8 } from './text-utf8';
import { isBlank } from './words';

const QUOTE: u32 = 0x22;
const BACKSLASH: u32 = 0x5c;

let wrong: usize = 0;
/** The last string holds a backslash. */
let hasEscape: bool = false;

export function wrongAt(): usize { return wrong; }

function skipBlanks(p: usize, end: usize): usize {
  while (p < end && isBlank(load<u8>(p))) p++;
  return p;
}

/** The members of [p, end), MEMBER_BYTES each from `table` on. Their number, or a RECORD_ status. */
export function record(p: usize, end: usize, table: usize): i32 {
  const start = skipBlanks(p, end);
  const isObject = start < end && load<u8>(start) == 0x7b;
  if (isObject && isUtf8(p, end)) {
    const count = readMembers(start + 1, end, p, table);
    if (count >= 0) return count > MOST_MEMBERS ? RECORD_MANY : count;
  }
  wrong = jsonWhole(p, end, JSON_DEPTH);
  // A valid object that was not accepted: the host reads it by other means.
  return wrong != 0 ? RECORD_WRONG : isObject ? RECORD_MANY : RECORD_OTHER;
}

/** From behind the `{` on; positions count from `base`. -1: not accepted. */
function readMembers(p: usize, end: usize, base: usize, table: usize): i32 {
  let count = 0;
  p = skipBlanks(p, end);
  if (p < end && load<u8>(p) == 0x7d) return skipBlanks(p + 1, end) == end ? 0 : -1;
  while (true) {
    if (p >= end || load<u8>(p) != QUOTE) return -1;
    const keyFrom = p + 1;
    const keyTo = stringEnd(keyFrom, end);
    if (keyTo == 0) return -1;
    let kind: u32 = hasEscape ? KEY_ESCAPED : 0;
    p = skipBlanks(keyTo + 1, end);
    if (p >= end || load<u8>(p) != 0x3a) return -1;
    p = skipBlanks(p + 1, end);
    if (p >= end) return -1;
    const from = p;
    const first = <u32>load<u8>(p);
    if (first == QUOTE) {
      p = stringEnd(p + 1, end) + 1;
      if (p == 1) return -1;
      kind |= hasEscape ? VALUE_STRING | VALUE_ESCAPED : VALUE_STRING;
    } else if (first == 0x7b || first == 0x5b) {
      jsonBegin(JSON_DEPTH - 1);
      const stop = jsonFeed(p, end);
      // It stops at what follows the container; to accept anything but a comma or bracket is left to what comes below.
      if (stop == 0 || depth != 0) return -1;
      p = stop;
      while (isBlank(load<u8>(p - 1))) p--;
      kind |= first == 0x7b ? VALUE_OBJECT : VALUE_ARRAY;
    } else if (first == 0x2d || first - 0x30 < 10) {
      p = numberEnd(p, end);
      if (p == 0) return -1;
      kind |= VALUE_NUMBER;
    } else {
      const word = load<u32>(p);
      if (word == 0x65757274) kind |= VALUE_TRUE;
      else if (word == 0x6c6c756e) kind |= VALUE_NULL;
      else if (word == 0x736c6166 && load<u8>(p, 4) == 0x65) {
        kind |= VALUE_FALSE;
        p++;
      } else return -1;
      p += 4;
      if (p > end) return -1;
    }
    if (count < MOST_MEMBERS) {
      store<u32>(table, <u32>(keyFrom - base));
      store<u32>(table, <u32>(keyTo - base), 4);
      store<u32>(table, <u32>(from - base), 8);
      store<u32>(table, <u32>(p - base), 12);
      store<u32>(table, kind, 16);
      table += MEMBER_BYTES;
    }
    count++;
    p = skipBlanks(p, end);
    if (p >= end) return -1;
    const next = <u32>load<u8>(p);
    p = skipBlanks(p + 1, end);
    if (next == 0x7d) return p == end ? count : -1;
    if (next != 0x2c) return -1;
  }
}

/** First byte after the number at p, or 0. */
function numberEnd(p: usize, end: usize): usize {
  if (load<u8>(p) == 0x2d) p++;
  const whole = p;
  p = skipDigits(p, end);
  if (p == whole || (load<u8>(whole) == 0x30 && p > whole + 1)) return 0;
  if (p < end && load<u8>(p) == 0x2e) {
    const fraction = ++p;
    p = skipDigits(p, end);
    if (p == fraction) return 0;
  }
  if (p < end && (<u32>load<u8>(p) | 0x20) == 0x65) {
    p++;
    if (p < end && (load<u8>(p) == 0x2b || load<u8>(p) == 0x2d)) p++;
    const power = p;
    p = skipDigits(p, end);
    if (p == power) return 0;
  }
  return p;
}

/** Whether the four bytes at p are hexadecimal digits below `end`. */
function isCode(p: usize, end: usize): bool {
  return p + 4 <= end && isHex(load<u8>(p)) && isHex(load<u8>(p, 1)) && isHex(load<u8>(p, 2)) && isHex(load<u8>(p, 3));
}

/** Address of the quote that ends the string that goes on at p; 0: the string is not accepted. */
function stringEnd(p: usize, end: usize): usize {
  hasEscape = false;
  if (!ASC_FEATURE_SIMD) return stringEndPlain(p, end);
  const space = i8x16.splat(0x20);
  const quote = i8x16.splat(0x22);
  const backslash = i8x16.splat(0x5c);
  // Keys and short values end in the first block.
  const head = v128.load(p);
  const special = v128.or(i8x16.lt_u(head, space), v128.or(i8x16.eq(head, quote), i8x16.eq(head, backslash)));
  const mask = i8x16.bitmask(special);
  if (mask == 0) p += 16;
  else {
    const stop = p + <usize>ctz<i32>(mask);
    if (load<u8>(stop) == QUOTE) return stop < end ? stop : 0;
  }
  /** The first byte of the step is escaped by one before it. */
  let carry: u64 = 0;
  while (p < end) {
    const b0 = v128.load(p);
    const b1 = v128.load(p, 16);
    const b2 = v128.load(p, 32);
    const b3 = v128.load(p, 48);
    const s0 = i8x16.eq(b0, backslash);
    const s1 = i8x16.eq(b1, backslash);
    const s2 = i8x16.eq(b2, backslash);
    const s3 = i8x16.eq(b3, backslash);
    const q0 = i8x16.eq(b0, quote);
    const q1 = i8x16.eq(b1, quote);
    const q2 = i8x16.eq(b2, quote);
    const q3 = i8x16.eq(b3, quote);
    const c0 = i8x16.lt_u(b0, space);
    const c1 = i8x16.lt_u(b1, space);
    const c2 = i8x16.lt_u(b2, space);
    const c3 = i8x16.lt_u(b3, space);
    const any = v128.or(
      v128.or(v128.or(v128.or(s0, q0), v128.or(c0, s1)), v128.or(v128.or(q1, c1), v128.or(s2, q2))),
      v128.or(v128.or(c2, s3), v128.or(q3, c3)),
    );
    if (!v128.any_true(any) && carry == 0) {
      p += 64;
      continue;
    }
    const slashes = bits(s0, s1, s2, s3) & ~carry;
    // The bits that begin at a backslash which escapes, and those that are escaped.
    const odd: u64 = 0xaaaaaaaaaaaaaaaa;
    const pairs = (((slashes << 1) | odd) - slashes) ^ odd;
    const escaped = pairs ^ (slashes | carry);
    const begins = pairs & slashes;
    const quotes = bits(q0, q1, q2, q3) & ~escaped;
    /** The bits before the end of the string. */
    const within = quotes != 0 ? (quotes & (0 - quotes)) - 1 : ~(<u64>0);
    if (((slashes | carry) & within) != 0) {
      hasEscape = true;
      const given = escaped & within;
      const kinds = i8x16(0, 0, 13, 0, 8, 8, 4, 0, 0, 0, 0, 0, 2, 0, 4, 1);
      const rows = i8x16(0, 0, 1, 0, 0, 2, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0);
      const half = i8x16.splat(0x0f);
      const none = i8x16.splat(0);
      // The two halves of a byte choose bits; a byte that may follow a backslash has one in common.
      const bad = bits(
        i8x16.eq(v128.and(i8x16.swizzle(kinds, v128.and(b0, half)), i8x16.swizzle(rows, i8x16.shr_u(b0, 4))), none),
        i8x16.eq(v128.and(i8x16.swizzle(kinds, v128.and(b1, half)), i8x16.swizzle(rows, i8x16.shr_u(b1, 4))), none),
        i8x16.eq(v128.and(i8x16.swizzle(kinds, v128.and(b2, half)), i8x16.swizzle(rows, i8x16.shr_u(b2, 4))), none),
        i8x16.eq(v128.and(i8x16.swizzle(kinds, v128.and(b3, half)), i8x16.swizzle(rows, i8x16.shr_u(b3, 4))), none),
      );
      if ((bad & given) != 0) return 0;
      const u = i8x16.splat(0x75);
      let codes = bits(i8x16.eq(b0, u), i8x16.eq(b1, u), i8x16.eq(b2, u), i8x16.eq(b3, u)) & given;
      while (codes != 0) {
        if (!isCode(p + <usize>ctz<u64>(codes) + 1, end)) return 0;
        codes &= codes - 1;
      }
    }
    carry = begins >> 63;
    if ((bits(c0, c1, c2, c3) & within) != 0) return 0;
    if (quotes != 0) {
      const found = p + <usize>ctz<u64>(quotes);
      return found < end ? found : 0;
    }
    p += 64;
  }
  return 0;
}

function stringEndPlain(p: usize, end: usize): usize {
  while (true) {
    p = skipPlain(p, end);
    if (p >= end) return 0;
    const stop = <u32>load<u8>(p);
    if (stop == QUOTE) return p;
    if (stop == BACKSLASH) {
      hasEscape = true;
      p++;
      const kind = <u32>load<u8>(p);
      if (p >= end) return 0;
      if (kind == 0x75) {
        if (!isCode(p + 1, end)) return 0;
        p += 4;
      } else if (!isEscaped(kind)) return 0;
      p++;
    } else if (stop < 0x80) {
      return 0;
    } else p++;
  }
}
