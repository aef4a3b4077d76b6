// The calls of an entry: their ids, names and arguments, kept until the entry ends.

import { BODY, VALUE } from '../../src/abi';
import { loseFields, markOdd } from './state';
import {
  afterKey, clearSeen, CLOSE_LIST, CLOSE_OBJECT, COMMA, containerEnd, NULL_4, OPEN_LIST, OPEN_OBJECT, QUOTE, skipBlanks,
  valueEnd,
} from './text';
import {
  argumentsEnd, IN_ENTRY, IN_ITEM, IN_LIST, kindOfBody, otherMember, textFrom, textTo, textValue, wordValue,
} from './value';

const M3: u64 = 0xffffff;
const M5: u64 = 0xffffffffff;
const K_ID: u64 = 0x226469;
const K_NAME: u64 = 0x22656d616e;
const K_TYPE: u64 = 0x2265707974;
const K_FUNCTION: u64 = 0x6e6f6974636e7566;
const K_ARGUMENT: u64 = 0x746e656d75677261;
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
  p = skipBlanks(p + 1);
  if (load<u8>(p) == CLOSE_OBJECT) return p + 1;
  while (true) {
    if (load<u8>(p) != QUOTE) return 0;
    const key = load<u64>(p, 1);
    if ((key & M5) == K_NAME) {
      p = afterKey(p + 5);
      if (p == 0) return 0;
      if (hasName) markOdd();
      hasName = true;
      p = wordValue(p, most);
      store<u32>(call, <u32>textFrom, 8);
      store<u32>(call, <u32>textTo, 12);
    } else if (key == K_ARGUMENT && load<u16>(p, 9) == 0x2273) {
      p = afterKey(p + 10);
      if (p == 0) return 0;
      if (load<u32>(call, 24) != 0) markOdd();
      const from = p;
      const byte = <u32>load<u8>(p);
      if (byte == QUOTE) {
        p = textValue(p, most);
        store<u32>(call, <u32>textFrom, 16);
        store<u32>(call, <u32>textTo, 20);
        store<u32>(call, kindOfBody(), 24);
      } else if (byte == OPEN_OBJECT) {
        clearSeen();
        p = argumentsEnd(p);
        if (p == 0) {
          p = containerEnd(from, most);
          markOdd();
        }
        store<u32>(call, <u32>from, 16);
        store<u32>(call, <u32>p, 20);
        store<u32>(call, kindOfBody() | VALUE, 24);
      } else {
        markOdd();
        p = valueEnd(p, most);
        store<u32>(call, BODY, 24);
      }
    } else p = otherMember(p, most);
    if (p == 0) return 0;
    p = skipBlanks(p);
    const byte = <u32>load<u8>(p);
    if (byte == CLOSE_OBJECT) return p + 1;
    if (byte != COMMA) return 0;
    p = skipBlanks(p + 1);
  }
}

/** The list of calls at p. */
export function toolCalls(p: usize): usize {
  if (load<u8>(p) != OPEN_LIST) {
    if (load<u32>(p) != NULL_4) markOdd();
    return valueEnd(p, IN_ENTRY);
  }
  p = skipBlanks(p + 1);
  if (load<u8>(p) == CLOSE_LIST) {
    loseFields(1);
    return p + 1;
  }
  while (true) {
    if (load<u8>(p) != OPEN_OBJECT) {
      markOdd();
      p = valueEnd(p, IN_LIST);
    } else p = toolCall(p, newCall());
    if (p == 0) return 0;
    p = skipBlanks(p);
    const byte = <u32>load<u8>(p);
    if (byte == CLOSE_LIST) return p + 1;
    if (byte != COMMA) return 0;
    p = skipBlanks(p + 1);
  }
}

function toolCall(p: usize, call: usize): usize {
  let has: u32 = 0;
  p = skipBlanks(p + 1);
  if (load<u8>(p) == CLOSE_OBJECT) {
    markOdd();
    return p + 1;
  }
  while (true) {
    if (load<u8>(p) != QUOTE) return 0;
    const key = load<u64>(p, 1);
    let bit: u32 = 0;
    if ((key & M3) == K_ID) {
      bit = 1;
      p = afterKey(p + 3);
      if (p == 0) return 0;
      p = wordValue(p, IN_ITEM);
      store<u32>(call, <u32>textFrom);
      store<u32>(call, <u32>textTo, 4);
    } else if ((key & M5) == K_TYPE) {
      bit = 2;
      p = afterKey(p + 5);
      if (p == 0) return 0;
      // "function"
      if ((load<u64>(p) != FUNCTION_VALUE || load<u16>(p, 8) != 0x226e) && load<u32>(p) != NULL_4) markOdd();
      p = valueEnd(p, IN_ITEM);
    } else if (key == K_FUNCTION && load<u8>(p, 9) == QUOTE) {
      bit = 4;
      p = afterKey(p + 9);
      if (p == 0) return 0;
      p = target(p, call, IN_ITEM);
    } else p = otherMember(p, IN_ITEM);
    if (p == 0) return 0;
    if ((has & bit) != 0) markOdd();
    has |= bit;
    p = skipBlanks(p);
    const byte = <u32>load<u8>(p);
    if (byte == CLOSE_OBJECT) return p + 1;
    if (byte != COMMA) return 0;
    p = skipBlanks(p + 1);
  }
}
