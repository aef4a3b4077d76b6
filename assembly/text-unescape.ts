// One escape of a JSON string: whether it is one, what it means, that as UTF-8; and where a byte of a string's text
// came from.

const BACKSLASH_U: u32 = 0x755c;

/**
 * The escape that was read last: its bytes in the string, its character, and whether that is a surrogate that has no
 * partner.
 */
export let escapeBytes: usize = 0;
let character: u32 = 0;
export let isLone: bool = false;

/** The number that four hexadecimal digits give; -1: one of them is none. */
function code(p: usize): i32 {
  let value: u32 = 0;
  const to = p + 4;
  for (; p < to; p++) {
    let digit = <u32>load<u8>(p) - 0x30;
    if (digit > 9) {
      digit = (digit | 0x20) - 0x31;
      if (digit > 5) return -1;
      digit += 10;
    }
    value = (value << 4) | digit;
  }
  return value;
}

/** What the letter behind a backslash means, from the space on; 0: the letter of a code, or none. */
// @ts-ignore: decorator
@lazy const MEANT: usize = memory.data<u8>([
  0, 0, 34, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 47,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 92, 0, 0, 0,
  0, 0, 8, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 10, 0,
  0, 0, 13, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
], 16);
const MEANT_BYTES: u32 = 96;

// @ts-ignore: decorator
@inline
export function meant(letter: u32): u32 {
  return letter - 0x20 < MEANT_BYTES ? <u32>load<u8>(MEANT + (letter - 0x20)) : 0;
}

/** Reads the escape at p, up to 12 bytes. False: it is none. A surrogate that has no partner becomes U+FFFD. */
function readEscape(p: usize): bool {
  isLone = false;
  character = meant(load<u8>(p, 1));
  if (character != 0) {
    escapeBytes = 2;
    return true;
  }
  const first = load<u16>(p) == BACKSLASH_U ? code(p + 2) : -1;
  if (first < 0) return false;
  escapeBytes = 6;
  character = first;
  if ((character & 0xf800) != 0xd800) return true;
  if (character < 0xdc00 && load<u16>(p, 6) == BACKSLASH_U) {
    const second = code(p + 8);
    if ((second & ~0x3ff) == 0xdc00) {
      character = 0x10000 + ((character & 0x3ff) << 10) + (second & 0x3ff);
      escapeBytes = 12;
      return true;
    }
  }
  character = 0xfffd;
  isLone = true;
  return true;
}

// @ts-ignore: decorator
@inline
function utf8Bytes(point: u32): usize {
  return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
}

/** Writes the character of the escape at p; answers what follows it, or 0: it is no escape. */
export function writeEscaped(p: usize, q: usize): usize {
  if (!readEscape(p)) return 0;
  const point = character;
  if (point < 0x80) {
    store<u8>(q, point);
    return q + 1;
  }
  const last = 0x80 | (point & 63);
  const third = 0x80 | ((point >> 6) & 63);
  const second = 0x80 | ((point >> 12) & 63);
  if (point < 0x800) store<u16>(q, 0xc0 | (point >> 6) | (last << 8));
  else if (point < 0x10000) store<u32>(q, 0xe0 | (point >> 12) | (third << 8) | (last << 16));
  else store<u32>(q, 0xf0 | (point >> 18) | (second << 8) | (third << 16) | (last << 24));
  return q + utf8Bytes(point);
}

/** The cursor of `mapTo`: where it stands in the string and in its text; the string's ends. */
let raw: usize = 0;
let decoded: usize = 0;
let rawFrom: usize = 0;
let rawEnd: usize = 0;

export function mapBegin(p: usize, end: usize): void {
  raw = rawFrom = p;
  rawEnd = end;
  decoded = 0;
}

/** Address of what the text's byte at `offset` came from: of the escape, where it was one. */
export function mapTo(offset: usize): usize {
  if (offset < decoded) mapBegin(rawFrom, rawEnd);
  while (decoded < offset && raw < rawEnd) {
    const most = raw + (offset - decoded);
    const to = min<usize>(most, rawEnd);
    const stop = findBackslash(raw, to);
    decoded += stop - raw;
    raw = stop;
    if (stop == to) break;
    readEscape(raw);
    const bytes = utf8Bytes(character);
    if (decoded + bytes > offset) break;
    decoded += bytes;
    raw += escapeBytes;
  }
  return min<usize>(raw, rawEnd);
}

/** The first backslash of [p, end), or `end`. */
function findBackslash(p: usize, end: usize): usize {
  if (ASC_FEATURE_SIMD) {
    const backslash = i8x16.splat(0x5c);
    while (p < end) {
      const mask = i8x16.bitmask(i8x16.eq(v128.load(p), backslash));
      if (mask != 0) return min<usize>(p + <usize>ctz<i32>(mask), end);
      p += 16;
    }
  } else {
    while (p < end) {
      const other = load<u64>(p) ^ 0x5c5c5c5c5c5c5c5c;
      const hit = (other - 0x0101010101010101) & ~other & 0x8080808080808080;
      if (hit != 0) return min<usize>(p + <usize>(ctz<u64>(hit) >> 3), end);
      p += 8;
    }
  }
  return end;
}
