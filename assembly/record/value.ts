// Members whose values are texts: contents, names, ids; and members that nothing is known of.

import { BODY, CODED, ESCAPED, HAS_LOSSES } from '../../src/abi';
import { isSame } from '../same';
import { keyFrom, keyTo } from './members';
import { addFlag, countsLost, loseFields, markOdd } from './state';
import {
  clearSeen, containerEnd, DEEPEST, NULL_4, QUOTE, scalarEnd, seen, SEEN_CODE, SEEN_ESCAPE, SEEN_LONE, stringEnd,
  valueEnd, wordBytes,
} from './text';

/**
 * Containers that may stand in one another in a record, in its list, in an entry, in a list of it, in an item of that.
 */
export const IN_RECORD: i32 = DEEPEST - 1;
export const IN_ENTRIES: i32 = DEEPEST - 2;
export const IN_ENTRY: i32 = DEEPEST - 3;
export const IN_LIST: i32 = DEEPEST - 4;
export const IN_ITEM: i32 = DEEPEST - 5;
/** In arguments that are no text. */
export const IN_ARGUMENTS: i32 = 60;

/** With an exponent of two digits a number that is no longer is one that a double holds. */
const LONG_NUMBER: usize = 200;

/** Behind arguments, the object at p; 0: they are too deep, or a number in them may be beyond what a double holds. */
export function argumentsEnd(p: usize): usize {
  const to = containerEnd(p, IN_ARGUMENTS);
  for (; p < to; p++) {
    const byte = <u32>load<u8>(p);
    if (byte == QUOTE) p = stringEnd(p + 1);
    else if (byte - 0x30 < 10) {
      const end = scalarEnd(p);
      if (isHuge(p, end)) return 0;
      p = end - 1;
    }
  }
  return to;
}

/** Whether a number, whose digits begin at p, may be beyond what a double holds. */
function isHuge(p: usize, to: usize): bool {
  if (to - p > LONG_NUMBER) return true;
  let power = to;
  while (<u32>load<u8>(power - 1) - 0x30 < 10) power--;
  if (power == p || to - power < 3) return false;
  const sign = <u32>load<u8>(power - 1);
  return ((sign == 0x2b || sign == 0x2d ? <u32>load<u8>(power - 2) : sign) | 0x20) == 0x65;
}

/** What `seen` says of a body. */
// @ts-ignore: decorator
@inline
export function kindOfBody(): u32 {
  if (seen == 0) return BODY;
  if ((seen & SEEN_LONE) != 0) markOdd();
  return BODY | ((seen & SEEN_ESCAPE) != 0 ? ESCAPED : 0) | ((seen & SEEN_CODE) != 0 ? CODED : 0);
}

/** Passes the value at p of a member that nothing is known of; `most`: containers in one another in it. */
export function otherValue(p: usize, most: i32): usize {
  // Its key may be one of those that are known.
  if (seen != 0) markOdd();
  if (load<u32>(p) != NULL_4) addFlag(HAS_LOSSES);
  return valueEnd(p, most);
}

/** Keys that nothing is known of, of the record and of the entry at hand: address and length. */
const MOST_KEYS: i32 = 16;
// @ts-ignore: decorator
@lazy const KEYS: usize = memory.data(2 * 16 * 8, 16);
let ofRecord: i32 = 0;
let ofEntry: i32 = 0;
export function beginMembers(areOfEntry: bool): void {
  ofEntry = 0;
  if (!areOfEntry) ofRecord = 0;
}

/** Whether the key at hand is none that was met in its object, and there are not too many. */
function isNewKey(isOfEntry: bool): bool {
  const length = keyTo - keyFrom;
  const count = isOfEntry ? ofEntry : ofRecord;
  const keys = isOfEntry ? KEYS + <usize>MOST_KEYS * 8 : KEYS;
  for (let i = 0; i < count; i++) {
    const key = keys + (<usize>i << 3);
    if (<usize>load<u32>(key, 4) == length && isSame(load<u32>(key), keyFrom, length)) return false;
  }
  if (count == MOST_KEYS) return false;
  store<u32>(keys + (<usize>count << 3), <u32>keyFrom);
  store<u32>(keys + (<usize>count << 3), <u32>length, 4);
  if (isOfEntry) ofEntry++;
  else ofRecord++;
  return true;
}

/** Whether a number in the value [p, to), unless it is a text, may be another one as a double: in strings, too. */
function mayRound(p: usize, to: usize): bool {
  if (load<u8>(p) == QUOTE) return false;
  for (let run = 0; p < to; p++) {
    const byte = <u32>load<u8>(p);
    if (byte - 0x30 < 10 || byte == 0x2e) {
      if (++run == LONG_RUN) return true;
    } else {
      if ((byte | 0x20) == 0x65 && <u32>load<u8>(p - 1) - 0x30 < 10) return true;
      run = 0;
    }
  }
  return false;
}
/** Digits and a point of a number that a double may not hold. */
const LONG_RUN: i32 = 16;

/** The same of a record, or of an entry of it: a field that is lost is counted. */
export function countedValue(p: usize, isOfEntry: bool): usize {
  const most = isOfEntry ? IN_ENTRY : IN_RECORD;
  if (!countsLost) return otherValue(p, most);
  if (seen != 0) markOdd();
  const isNew = isNewKey(isOfEntry);
  const to = valueEnd(p, most);
  if (to != 0 && (!isNew || mayRound(p, to))) addFlag(HAS_LOSSES);
  else if (load<u32>(p) != NULL_4) loseFields(1);
  return to;
}

/** A member that must be text or null, at its value; where it stands is in `textFrom` (0: null) and `textTo`. */
export let textFrom: usize = 0;
export let textTo: usize = 0;
export function textValue(p: usize, most: i32): usize {
  textFrom = 0;
  if (load<u8>(p) == QUOTE) {
    clearSeen();
    const to = stringEnd(p + 1);
    if (to == 0) return 0;
    textFrom = p + 1;
    textTo = to;
    return to + 1;
  }
  clearSeen();
  if (load<u32>(p) != NULL_4) markOdd();
  return valueEnd(p, most);
}

/** The same of a name or an id: what has escapes is rare. */
// @ts-ignore: decorator
@inline
export function wordValue(p: usize, most: i32): usize {
  p = textValue(p, most);
  if (seen != 0) markOdd();
  return p;
}

const MOST_WORD: usize = 100;

/** Whether a tool's name is as most are: it is no builtin's, and has no namespace. */
export function isToolName(p: usize, to: usize): bool {
  if (p == to || to - p > MOST_WORD) return false;
  const start = load<u64>(p);
  // browser, python, container, functions
  if (start == 0x6e6f6974636e7566 || start == 0x656e6961746e6f63) return false;
  if ((start & 0xffffffffffffff) == 0x726573776f7262 || (start & 0xffffffffffff) == 0x6e6f68747970) return false;
  return isPlain(p, to, 0x2e);
}

/** Whether nothing stands in [p, to) but letters and digits of ASCII, `_`, `-` and one more character. */
export function isPlain(p: usize, to: usize, more: u8): bool {
  if (ASC_FEATURE_SIMD) {
    for (; p < to; p += 16) {
      const block = v128.load(p);
      const good = v128.or(wordBytes(block), i8x16.eq(block, i8x16.splat(more)));
      // Behind the end anything may stand.
      const other = ~i8x16.bitmask(good) & 0xffff;
      if (other != 0 && <usize>ctz<i32>(other) < to - p) return false;
    }
    return true;
  }
  for (; p < to; p++) {
    const byte = load<u8>(p);
    if ((<u32>byte | 0x20) - 0x61 < 26 || <u32>byte - 0x30 < 10) continue;
    if (byte != 0x5f && byte != 0x2d && byte != more) return false;
  }
  return true;
}

/** Whether a header can hold a value, and nothing is to be told of it: ASCII without white space, and no `<`. */
export function isWord(p: usize, to: usize): bool {
  if (p == to || to - p > MOST_WORD) return false;
  for (; p < to; p++) {
    const byte = <u32>load<u8>(p);
    if (byte - 0x21 > 0x5d || byte == 0x3c) return false;
  }
  return true;
}
