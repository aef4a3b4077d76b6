// What may be reasoning or a call that is written as text: pairs of bytes, and the beginnings of tags (R-THINK,
// R-HERMES).

import { findPair } from '../pair';

/** Whether two bytes, in the order of a 16-bit load, stand together in [p, end). */
// @ts-ignore: decorator
@inline
export function holdsPair(p: usize, end: usize, pair: u32): bool {
  return findPair(p, end - 1, pair & 0xff, pair >> 8) != 0;
}

/** `<`, `t` and `ool`, with which the tags of calls begin that are written as text. */
const LT: i32 = 0x3c;
const T: i32 = 0x74;
const TAG_REST: u32 = 0x6c6f6f74;

/** Bytes that are looked at together for `<`; no more than PADDING. */
const SPAN: usize = 64;

/** Address of the next `<tool` in [p, end); 0: there is none. */
export function findTag(p: usize, end: usize): usize {
  for (; p < end; p += SPAN) {
    // Most text has no `<` at all.
    if (!holdsLess(p)) continue;
    const to = p + SPAN < end ? p + SPAN : end;
    for (let at = findPair(p, to, LT, T); at != 0; at = findPair(at + 1, to, LT, T)) {
      if (load<u32>(at, 1) == TAG_REST) return at;
    }
  }
  return 0;
}

/** Whether a `<` may stand in the SPAN at p. */
// @ts-ignore: decorator
@inline
function holdsLess(p: usize): bool {
  if (ASC_FEATURE_SIMD) {
    const less = i8x16.splat(0x3c);
    return v128.any_true(v128.or(
      v128.or(i8x16.eq(v128.load(p), less), i8x16.eq(v128.load(p, 16), less)),
      v128.or(i8x16.eq(v128.load(p, 32), less), i8x16.eq(v128.load(p, 48), less)),
    ));
  }
  let found: u64 = 0;
  for (const to = p + SPAN; p < to; p += 8) {
    const block = load<u64>(p) ^ 0x3c3c3c3c3c3c3c3c;
    found |= (block - 0x0101010101010101) & ~block;
  }
  return (found & 0x8080808080808080) != 0;
}

/** Letters of a tag that may stand before an escape in it. */
const MOST_LETTERS: i32 = 14;

/** Whether what ends with the byte at p may begin a tag, which a part of a content may go on with: `<` and letters. */
export function beginsTag(p: usize): bool {
  for (let left = MOST_LETTERS; left > 0; left--, p--) {
    const byte = <u32>load<u8>(p);
    if (byte == 0x3c) return true;
    if (byte - 0x61 >= 26 && byte != 0x5f) return false;
  }
  return false;
}

/** Whether an escape in the JSON [p, to) stands for the `<` of a tag, or behind one for what else may be in it. */
export function mayCodeTag(p: usize, to: usize): bool {
  for (; p < to; p++) {
    if (load<u8>(p) != 0x5c) continue;
    p++;
    // u00
    if ((load<u32>(p) & 0xffffff) != 0x303075) continue;
    const high = <u32>load<u8>(p, 3);
    if (high == 0x33 && (<u32>load<u8>(p, 4) | 0x20) == 0x63) return true;
    if (high - 0x33 < 5 && beginsTag(p - 2)) return true;
  }
  return false;
}
