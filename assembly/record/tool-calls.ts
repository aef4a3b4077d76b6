// The calls of an entry: their ids, names and arguments, kept until the entry ends.

import { VALUE } from '../../src/abi';
import * as K from './keys';
import { after, firstItem, firstKey, hasKey, hasLongKey, keyBehind, memberValue, nextItem, valueAt } from './members';
import { loseFields, markOdd } from './state';
import { clearSeen, containerEnd, NULL_4, OPEN_LIST, OPEN_OBJECT, QUOTE, valueEnd } from './text';
import {
  argumentsEnd, IN_ENTRY, IN_ITEM, IN_LIST, kindOfBody, otherValue, textFrom, textTo, textValue, wordValue,
} from './value';

/** `"functio` */
const FUNCTION_VALUE: u64 = 0x6f6974636e756622;

/** Calls of one entry, in CALL_BYTES each: id, name, arguments as spans, and what is known of them. */
const MOST_CALLS: i32 = 256;
export const CALL_BYTES: usize = 32;
// @ts-ignore: decorator
@lazy export const CALLS: usize = memory.data(256 * 32, 16);
export let calls: i32 = 0;

export function beginEntryCalls(): void { calls = 0; }

/** The next free place for a call. */
export function newCall(): usize {
  if (calls == MOST_CALLS) {
    markOdd();
    calls--;
  }
  const at = CALLS + <usize>calls * CALL_BYTES;
  calls++;
  store<u64>(at, 0);
  store<u64>(at, 0, 8);
  store<u64>(at, 0, 16);
  store<u64>(at, 0, 24);
  return at;
}

/** What is called, at its value: an object with a name and arguments. `most`: containers in one another. */
export function target(p: usize, call: usize, most: i32): usize {
  if (load<u8>(p) != OPEN_OBJECT) {
    markOdd();
    return valueEnd(p, most);
  }
  most--;
  let hasName = false;
  for (p = firstKey(p); p != 0; p = keyBehind(p)) {
    if (hasKey(p, 4, K.NAME)) {
      if (hasName) markOdd();
      hasName = true;
      p = wordValue(valueAt(p, 4), most);
      store<u32>(call, <u32>textFrom, 8);
      store<u32>(call, <u32>textTo, 12);
    } else if (hasLongKey(p, 9, K.ARGUMENT, K.ARGUMENT_END)) {
      p = valueAt(p, 9);
      if (load<u32>(call, 24) != 0 || load<u32>(p) == NULL_4) markOdd();
      p = argumentsValue(p, call, most);
    } else p = otherValue(memberValue(p), most);
  }
  return after;
}

/** Arguments at their value, a text or an object, into a call. */
export function argumentsValue(p: usize, call: usize, most: i32): usize {
  let from = p + 1;
  let kind: u32 = 0;
  if (load<u8>(p) == QUOTE) {
    p = textValue(p, most);
    store<u32>(call, <u32>textTo, 20);
  } else if (load<u8>(p) == OPEN_OBJECT) {
    from = p;
    kind = VALUE;
    clearSeen();
    p = argumentsEnd(p);
    if (p == 0) {
      p = containerEnd(from, most);
      markOdd();
    }
    store<u32>(call, <u32>p, 20);
  } else {
    if (load<u32>(p) != NULL_4) markOdd();
    return valueEnd(p, most);
  }
  store<u32>(call, <u32>from, 16);
  store<u32>(call, kindOfBody() | kind, 24);
  return p;
}

/** The list of calls at p. */
export function toolCalls(p: usize): usize {
  if (load<u8>(p) != OPEN_LIST) {
    if (load<u32>(p) != NULL_4) markOdd();
    return valueEnd(p, IN_ENTRY);
  }
  p = firstItem(p);
  if (p == 0) loseFields(1);
  for (; p != 0; p = nextItem(p)) {
    if (load<u8>(p) != OPEN_OBJECT) {
      markOdd();
      p = valueEnd(p, IN_LIST);
    } else p = toolCall(p, newCall());
  }
  return after;
}

function toolCall(p: usize, call: usize): usize {
  let has: u32 = 0;
  p = firstKey(p);
  if (p == 0) markOdd();
  for (; p != 0; p = keyBehind(p)) {
    let bit: u32 = 0;
    if (hasKey(p, 2, K.ID)) {
      bit = 1;
      p = wordValue(valueAt(p, 2), IN_ITEM);
      store<u32>(call, <u32>textFrom);
      store<u32>(call, <u32>textTo, 4);
    } else if (hasKey(p, 4, K.TYPE)) {
      bit = 2;
      p = valueAt(p, 4);
      // "function"
      if ((load<u64>(p) != FUNCTION_VALUE || load<u16>(p, 8) != 0x226e) && load<u32>(p) != NULL_4) markOdd();
      p = valueEnd(p, IN_ITEM);
    } else if (hasKey(p, 8, K.FUNCTION)) {
      bit = 4;
      p = target(valueAt(p, 8), call, IN_ITEM);
    } else p = otherValue(memberValue(p), IN_ITEM);
    if ((has & bit) != 0) markOdd();
    has |= bit;
  }
  return after;
}
