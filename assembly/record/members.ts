// The members of an object and the items of a list, one after the other. No function goes on from 0, which stands for
// what is no JSON.

import {
  afterKey, clearSeen, CLOSE_LIST, CLOSE_OBJECT, COMMA, DEEPEST, QUOTE, skipBlanks, stringEnd, valueEnd,
} from './text';

/** The last key: its text, and the first 8 bytes of it. */
export let keyFrom: usize = 0;
export let keyTo: usize = 0;
let keyWord: u64 = 0;
/** Where an object or a list ends, when no further key or item follows; 0: it is none. */
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
  return valueBehind(keyTo);
}

/** From the quote that closes a key to its value. */
// @ts-ignore: decorator
@inline
function valueBehind(p: usize): usize {
  // As most write it: a colon and one blank.
  const more = load<u32>(p, 1);
  if ((more & 0xffff) == 0x203a && (more & 0xff0000) > 0x200000) return p + 3;
  return afterKey(p);
}

/**
 * Whether the key whose quote is at p is this one, of at most 8 bytes. For hot loops: where its value begins is known
 * by the length (`valueAt`), and is not waited for.
 */
// @ts-ignore: decorator
@inline
export function hasKey(p: usize, length: usize, key: u64): bool {
  if (length == 8) return load<u64>(p, 1) == key && load<u8>(p, 9) == QUOTE;
  return (load<u64>(p, 1) & (<u64>~0 >> (56 - (length << 3)))) == (key | (<u64>QUOTE << (length << 3)));
}
/** The same of a longer key: its first 8 bytes and its last 8. */
// @ts-ignore: decorator
@inline
export function hasLongKey(p: usize, length: usize, first: u64, last: u64): bool {
  return load<u64>(p, 1) == first && load<u64>(p + length - 7) == last && load<u8>(p + length + 1) == QUOTE;
}

/** The value of the key, of so many bytes, whose quote is at p. */
// @ts-ignore: decorator
@inline
export function valueAt(p: usize, length: usize): usize { return valueBehind(p + length + 1); }

/** The first key of the object at p, or 0: `after` is where it ends. */
// @ts-ignore: decorator
@inline
export function firstKey(p: usize): usize {
  p = skipBlanks(p + 1);
  return load<u8>(p) == QUOTE ? p : end(p);
}

/** The key behind a value that ends at p, or 0: `after` is where the object ends. */
export function nextKey(p: usize): usize { return keyBehind(p); }

/** The same where many are read. */
// @ts-ignore: decorator
@inline
export function keyBehind(p: usize): usize {
  p = skipBlanks(p);
  if (load<u8>(p) != COMMA) return end(p);
  p = skipBlanks(p + 1);
  return load<u8>(p) == QUOTE ? p : end(0);
}

function end(p: usize): usize {
  after = load<u8>(p) == CLOSE_OBJECT ? p + 1 : 0;
  return 0;
}

/** The first item of the list at p, or 0: `after` is where it ends. */
export function firstItem(p: usize): usize {
  p = skipBlanks(p + 1);
  if (load<u8>(p) != CLOSE_LIST) return p;
  after = p + 1;
  return 0;
}

/** The item behind one that ends at p, or 0: `after` is where the list ends. */
export function nextItem(p: usize): usize {
  p = skipBlanks(p);
  const byte = <u32>load<u8>(p);
  if (byte == COMMA) return skipBlanks(p + 1);
  after = byte == CLOSE_LIST ? p + 1 : 0;
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
