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
    if (ASC_FEATURE_SIMD && !holdsLess(p)) continue;
    const to = p + SPAN < end ? p + SPAN : end;
    for (let at = findPair(p, to, LT, T); at != 0; at = findPair(at + 1, to, LT, T)) {
      if (load<u32>(at, 1) == TAG_REST) return at;
    }
  }
  return 0;
}

// @ts-ignore: decorator
@inline
function holdsLess(p: usize): bool {
  const less = i8x16.splat(0x3c);
  return v128.any_true(v128.or(
    v128.or(i8x16.eq(v128.load(p), less), i8x16.eq(v128.load(p, 16), less)),
    v128.or(i8x16.eq(v128.load(p, 32), less), i8x16.eq(v128.load(p, 48), less)),
  ));
}
