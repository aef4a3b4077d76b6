// Arguments that are an object, as the JSON that JavaScript writes of them: no white space between tokens, numbers and
// strings in their shortest form. The simple version parses them and writes the value. Where that may put members in
// another order, or leaves one out, or writes a number in another way, they are for the host.

import { isSame } from '../same';
import { escape } from '../text-escape';
import { copy } from '../text-line';
import { copyInside } from '../text-string';
import {
  BACKSLASH, clearSeen, CLOSE_LIST, CLOSE_OBJECT, COMMA, longEnd, OPEN_LIST, OPEN_OBJECT, QUOTE, scalarEnd, seen,
  SEEN_CODE,
} from './text';

/** Keys of the objects that are open: where each one's text begins, and how long it is. */
const MOST_KEYS: u32 = 64;
// @ts-ignore: decorator
@lazy const KEYS: usize = memory.data(64 * 8, 16);
/** Of each container that is open: its first byte, and how many keys there were when it was opened. */
// @ts-ignore: decorator
@lazy const OPEN: usize = memory.data(64 * 2, 16);

/** With so many digits, or one less and a point, a number is written as it was read. */
const MOST_DIGITS: usize = 15;
/** Smaller ones are written with an exponent: a point, and six zeros. */
const POINT_ZEROS: u64 = 0x3030303030302e;
const M7: u64 = 0xffffffffffffff;

/**
 * Writes the JSON of the object [p, to), which is valid and no deeper than IN_ARGUMENTS; at `free` there must be as
 * much room as at q, and 128 bytes behind both. 0: it is for the host, as is one within a string.
 */
export function putArguments(q: usize, p: usize, to: usize, free: usize): usize {
  let open: usize = OPEN;
  let keys: u32 = 0;
  let isKey = false;
  while (p < to) {
    const byte = <u32>load<u8>(p);
    if (byte == QUOTE) {
      const from = p + 1;
      clearSeen();
      const end = longEnd(from);
      if (isKey) {
        if ((seen & SEEN_CODE) != 0 || !isNew(from, end, load<u8>(open, 1), keys)) return 0;
        keys++;
        isKey = false;
      }
      q = putString(q, from, end, free);
      if (q == 0) return 0;
      p = end + 1;
      continue;
    }
    if (byte <= 0x20) {
      p++;
      continue;
    }
    if (byte == 0x2d || byte - 0x30 < 10) {
      const end = scalarEnd(p);
      const last = shortEnd(p, end);
      if (last == 0) return 0;
      q = copy(q, p, last);
      p = end;
      continue;
    }
    if (byte == BACKSLASH) return 0;
    store<u8>(q++, byte);
    p++;
    if (byte == OPEN_OBJECT || byte == OPEN_LIST) {
      open += 2;
      store<u8>(open, byte);
      store<u8>(open, keys, 1);
      isKey = byte == OPEN_OBJECT;
    } else if (byte == CLOSE_OBJECT || byte == CLOSE_LIST) {
      keys = load<u8>(open, 1);
      open -= 2;
      isKey = false;
    } else if (byte == COMMA) isKey = load<u8>(open) == OPEN_OBJECT;
  }
  return q;
}

/**
 * Writes the string whose text is [from, end), of which `seen` tells, in its shortest form; room as for arguments. 0:
 * it is none.
 */
export function putString(q: usize, from: usize, end: usize, free: usize): usize {
  if ((seen & SEEN_CODE) == 0) return copy(q, from - 1, end + 1);
  store<u8>(q, QUOTE);
  const to = copyInside(from, end, free);
  if (to == 0) return 0;
  q = escape(free, to, q + 1, q + 6 * (to - free) + 128, true);
  store<u8>(q, QUOTE);
  return q + 1;
}

/** Keeps the key [from, end) as the next one, if its object, whose keys begin with `first`, has no other like it. */
function isNew(from: usize, end: usize, first: u32, keys: u32): bool {
  const length = end - from;
  // Numbers as keys come first.
  if (keys == MOST_KEYS || <u32>load<u8>(from) - 0x30 < 10) return false;
  for (let key = first; key < keys; key++) {
    const at = KEYS + (<usize>key << 3);
    if (<usize>load<u32>(at, 4) == length && isSame(load<u32>(at), from, length)) return false;
  }
  const at = KEYS + (<usize>keys << 3);
  store<u32>(at, <u32>from);
  store<u32>(at, <u32>length, 4);
  return true;
}

/** Where the number [p, end) ends when nothing is written that need not be; 0: it may be written in another way. */
export function shortEnd(p: usize, end: usize): usize {
  const isNegative = load<u8>(p) == 0x2d;
  if (isNegative) p++;
  if (end - p > MOST_DIGITS) return 0;
  let point = p;
  for (; point < end && <u32>load<u8>(point) - 0x30 < 10; point++) { /* Digits before the point. */ }
  if (point < end) {
    // An exponent; or a number that is written with one.
    if (load<u8>(point) != 0x2e || (load<u64>(point) & M7) == POINT_ZEROS) return 0;
    for (let at = point + 1; at < end; at++) if (<u32>load<u8>(at) - 0x30 >= 10) return 0;
    while (load<u8>(end - 1) == 0x30) end--;
    if (end - 1 == point) end = point;
  }
  // -0 is written as 0.
  return isNegative && end - p == 1 && load<u8>(p) == 0x30 ? 0 : end;
}
