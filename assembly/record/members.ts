// The members of an object that is valid JSON, one after the other: nothing here can fail.

import { clearSeen, COMMA, DEEPEST, QUOTE, skipBlanks, stringEnd, valueEnd } from './text';

/** The last key: its text; behind a value: where its object ends, when no further key follows. */
export let keyFrom: usize = 0;
export let keyTo: usize = 0;
export let after: usize = 0;

/** An object within the one at hand was passed: that one ends here. */
export function endAt(p: usize): void { after = p; }

// @ts-ignore: decorator
@inline
export function pass(p: usize): usize { return valueEnd(p, DEEPEST); }

/** From a key's quote to its value; `seen` tells of escapes in the key. */
export function memberValue(p: usize): usize {
  keyFrom = p + 1;
  clearSeen();
  keyTo = stringEnd(keyFrom);
  return skipBlanks(skipBlanks(keyTo + 1) + 1);
}

/** The first key of the object at p, or 0: `after` is where it ends. */
export function firstKey(p: usize): usize {
  p = skipBlanks(p + 1);
  if (load<u8>(p) == QUOTE) return p;
  after = p + 1;
  return 0;
}

/** The key behind a value that ends at p, or 0. */
export function nextKey(p: usize): usize {
  p = skipBlanks(p);
  if (load<u8>(p) == COMMA) return skipBlanks(p + 1);
  after = p + 1;
  return 0;
}

/** Whether the key is this one, of at most 8 bytes. */
export function isKey(length: usize, key: u64): bool {
  if (keyTo - keyFrom != length) return false;
  const word = load<u64>(keyFrom);
  return length == 8 ? word == key : (word & ((<u64>1 << (<u64>length << 3)) - 1)) == key;
}

/** Whether the key is this one, of 9 to 16 bytes: its first 8 and its last 8. */
export function isLongKey(length: usize, first: u64, last: u64): bool {
  return keyTo - keyFrom == length && load<u64>(keyFrom) == first && load<u64>(keyTo - 8) == last;
}
