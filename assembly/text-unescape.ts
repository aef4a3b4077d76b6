// The content of a JSON string, which is known to be valid, as UTF-8; and where a byte of it came from.
//
// Stretches without backslash are copied (skipped) 16 (8) bytes a step; each escape by itself. What is written is never longer than
// what was read, but up to 16 bytes behind it may be overwritten.

const BACKSLASH: u32 = 0x5c;

/** What the last call met: a surrogate that has no partner. */
let lone: bool = false;
/** The escape that was read last: its bytes in the string, and its character. */
let escapeBytes: usize = 0;
let character: u32 = 0;

export function hasLone(): bool { return lone; }

// @ts-ignore: decorator
@inline
function digit(byte: u32): u32 {
  return (byte & 15) + (byte >> 6) * 9;
}

function code(p: usize): u32 {
  return (digit(load<u8>(p)) << 12) | (digit(load<u8>(p, 1)) << 8) | (digit(load<u8>(p, 2)) << 4) | digit(load<u8>(p, 3));
}

/** What the letter behind a backslash means, from the space on; 0: the letter of a code. */
// @ts-ignore: decorator
@lazy const MEANT: usize = memory.data<u8>([
  0, 0, 34, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 47,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 92, 0, 0, 0,
  0, 0, 8, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 10, 0,
  0, 0, 13, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
], 16);

// @ts-ignore: decorator
@inline
function meant(letter: u32): u32 {
  return load<u8>(MEANT + ((letter - 0x20) & 127));
}

/** Reads the escape at p. A surrogate without partner becomes U+FFFD. */
function readEscape(p: usize, end: usize): void {
  character = meant(load<u8>(p, 1));
  if (character != 0) {
    escapeBytes = 2;
    return;
  }
  escapeBytes = 6;
  character = code(p + 2);
  if ((character & 0xf800) != 0xd800) return;
  if (character < 0xdc00 && p + 12 <= end && load<u16>(p, 6) == 0x755c) {
    const second = code(p + 8);
    if ((second & 0xfc00) == 0xdc00) {
      character = 0x10000 + ((character & 0x3ff) << 10) + (second & 0x3ff);
      escapeBytes = 12;
      return;
    }
  }
  character = 0xfffd;
  lone = true;
}

// @ts-ignore: decorator
@inline
function utf8Bytes(point: u32): usize {
  return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
}

/** Writes a character at q; answers what follows it. */
function writeCharacter(q: usize, point: u32): usize {
  if (point < 0x80) {
    store<u8>(q, point);
    return q + 1;
  }
  if (point < 0x800) {
    store<u8>(q, 0xc0 | (point >> 6));
    store<u8>(q, 0x80 | (point & 63), 1);
    return q + 2;
  }
  if (point < 0x10000) {
    store<u8>(q, 0xe0 | (point >> 12));
    store<u8>(q, 0x80 | ((point >> 6) & 63), 1);
    store<u8>(q, 0x80 | (point & 63), 2);
    return q + 3;
  }
  store<u8>(q, 0xf0 | (point >> 18));
  store<u8>(q, 0x80 | ((point >> 12) & 63), 1);
  store<u8>(q, 0x80 | ((point >> 6) & 63), 2);
  store<u8>(q, 0x80 | (point & 63), 3);
  return q + 4;
}

/** Writes the content of [p, end) at q; answers where it ends. */
export function unescape(p: usize, end: usize, q: usize): usize {
  lone = false;
  while (p < end) {
    if (ASC_FEATURE_SIMD) {
      const block = v128.load(p);
      v128.store(q, block);
      const mask = i8x16.bitmask(i8x16.eq(block, i8x16.splat(0x5c)));
      const length: usize = mask == 0 ? 16 : <usize>ctz<i32>(mask);
      if (p + length >= end) return q + (end - p);
      p += length;
      q += length;
      if (mask == 0) continue;
    } else {
      const block = load<u64>(p);
      store<u64>(q, block);
      const other = block ^ 0x5c5c5c5c5c5c5c5c;
      const hit = (other - 0x0101010101010101) & ~other & 0x8080808080808080;
      const length: usize = hit == 0 ? 8 : <usize>(ctz<u64>(hit) >> 3);
      if (p + length >= end) return q + (end - p);
      p += length;
      q += length;
      if (hit == 0) continue;
    }
    const letter = meant(load<u8>(p, 1));
    if (letter != 0) {
      store<u8>(q, letter);
      p += 2;
      q++;
    } else {
      readEscape(p, end);
      p += escapeBytes;
      q = writeCharacter(q, character);
    }
  }
  return q;
}

/** The cursor of `mapTo`: where it stands in the string and in the content; the string's ends. */
let raw: usize = 0;
let decoded: usize = 0;
let rawFrom: usize = 0;
let rawEnd: usize = 0;

export function mapBegin(p: usize, end: usize): void {
  raw = rawFrom = p;
  rawEnd = end;
  decoded = 0;
}

/** Address of what the content's byte at `offset` came from: of the escape, where it was one. */
export function mapTo(offset: usize): usize {
  if (offset < decoded) mapBegin(rawFrom, rawEnd);
  while (decoded < offset && raw < rawEnd) {
    const most = raw + (offset - decoded);
    const to = min<usize>(most, rawEnd);
    const stop = findBackslash(raw, to);
    decoded += stop - raw;
    raw = stop;
    if (stop == to) break;
    readEscape(raw, rawEnd);
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
