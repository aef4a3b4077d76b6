// The members of an object, one after the other. No function goes on from 0, which stands for what is no JSON.

import { afterKey, clearSeen, CLOSE_OBJECT, COMMA, DEEPEST, QUOTE, skipBlanks, stringEnd, valueEnd } from './text';

/** The last key: its text, and the first 8 bytes of it. */
export let keyFrom: usize = 0;
export let keyTo: usize = 0;
let keyWord: u64 = 0;
/** Where an object ends, when no further key follows; 0: it is none. */
export let after: usize = 0;

/** An object within the one at hand was passed: that one ends here. */
export function endAt(p: usize): void { after = p; }

// @ts-ignore: decorator
@inline
export function pass(p: usize): usize { return valueEnd(p, DEEPEST); }

/** From a key's quote to its value; `seen` tells of escapes in the key. */
export function memberValue(p: usize): usize { return valueOfKey(p); }

/** The same where many are read. */
// @ts-ignore: decorator
@inline
export function valueOfKey(p: usize): usize {
  keyFrom = p + 1;
  clearSeen();
  keyTo = stringEnd(keyFrom);
  if (keyTo == 0) return 0;
  // Without a branch, as lengths vary: what stands behind a short key is shifted out. Of an empty one nothing is, which
  // its length tells.
  const length = keyTo - keyFrom;
  const behind = <u64>(length < 8 ? 64 - (length << 3) : 0);
  keyWord = (load<u64>(keyFrom) << behind) >> behind;
  // As most write it: a colon and one blank.
  const more = load<u32>(keyTo, 1);
  if ((more & 0xffff) == 0x203a && (more & 0xff0000) > 0x200000) return keyTo + 3;
  return afterKey(keyTo);
}

/** The first key of the object at p, or 0: `after` is where it ends. */
export function firstKey(p: usize): usize {
  p = skipBlanks(p + 1);
  return load<u8>(p) == QUOTE ? p : end(p);
}

/** The key behind a value that ends at p, or 0: `after` is where the object ends. */
export function nextKey(p: usize): usize {
  after = 0;
  if (p == 0) return 0;
  p = skipBlanks(p);
  if (load<u8>(p) != COMMA) return end(p);
  p = skipBlanks(p + 1);
  return load<u8>(p) == QUOTE ? p : 0;
}

// @ts-ignore: decorator
@inline
function end(p: usize): usize {
  after = load<u8>(p) == CLOSE_OBJECT ? p + 1 : 0;
  return 0;
}

/** Whether the key is this one, of at most 8 bytes. */
// @ts-ignore: decorator
@inline
export function isKey(length: usize, key: u64): bool { return keyWord == key && keyTo - keyFrom == length; }

/** Whether the key is this one, of 9 to 16 bytes: its first 8 and its last 8. */
// @ts-ignore: decorator
@inline
export function isLongKey(length: usize, first: u64, last: u64): bool {
  return keyWord == first && isRest(length, last);
}

/** Whether the key is so long, and has these last 8 bytes. */
function isRest(length: usize, last: u64): bool {
  return keyTo - keyFrom == length && load<u64>(keyTo - 8) == last;
}
