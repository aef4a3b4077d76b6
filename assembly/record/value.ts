// Members whose values are texts: contents and their parts, names, ids; and members that nothing is known of.

import { BODY, CODED, ESCAPED, HAS_LOSSES } from '../../src/abi';
import { addFlag, markOdd } from './state';
import {
  afterKey, clearSeen, CLOSE_LIST, CLOSE_OBJECT, COMMA, DEEPEST, NULL_4, OPEN_OBJECT, QUOTE, seen, SEEN_CODE,
  SEEN_ESCAPE, SEEN_LONE, skipBlanks, stringEnd, valueEnd,
} from './text';

const M5: u64 = 0xffffffffff;
const M6: u64 = 0xffffffffffff;
const K_TYPE: u64 = 0x2265707974;
const K_TEXT: u64 = 0x2274786574;

/**
 * Containers that may stand in one another in a record, in its list, in an entry, in a list of it, in an item of that.
 */
export const IN_RECORD: i32 = DEEPEST - 1;
export const IN_ENTRIES: i32 = DEEPEST - 2;
export const IN_ENTRY: i32 = DEEPEST - 3;
export const IN_LIST: i32 = DEEPEST - 4;
export const IN_ITEM: i32 = DEEPEST - 5;

/** What `seen` says of a body. */
// @ts-ignore: decorator
@inline
export function kindOfBody(): u32 {
  if (seen == 0) return BODY;
  if ((seen & SEEN_LONE) != 0) markOdd();
  return BODY | ((seen & SEEN_ESCAPE) != 0 ? ESCAPED : 0) | ((seen & SEEN_CODE) != 0 ? CODED : 0);
}

/** Passes a member that nothing is known of, from its key's quote; `most`: containers in one another in its value. */
export function otherMember(p: usize, most: i32): usize {
  clearSeen();
  p = stringEnd(p + 1);
  if (p == 0) return 0;
  // It may be one of those that are known.
  if (seen != 0) markOdd();
  p = afterKey(p);
  if (p == 0) return 0;
  if (load<u32>(p) != NULL_4) addFlag(HAS_LOSSES);
  return valueEnd(p, most);
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
  for (; p < to; p++) {
    const byte = <u32>load<u8>(p);
    const isLetter = (byte | 0x20) - 0x61 < 26;
    if (!isLetter && byte - 0x30 >= 10 && byte != 0x5f && byte != 0x2d && byte != 0x2e) return false;
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

/** Passes the list of parts at p. */
export function parts(p: usize): usize {
  p = skipBlanks(p + 1);
  if (load<u8>(p) == CLOSE_LIST) return p + 1;
  while (true) {
    if (load<u8>(p) == OPEN_OBJECT) p = part(p);
    else {
      clearSeen();
      if (load<u8>(p) != QUOTE) markOdd();
      p = valueEnd(p, IN_LIST);
      if ((seen & SEEN_LONE) != 0) markOdd();
    }
    if (p == 0) return 0;
    p = skipBlanks(p);
    const byte = <u32>load<u8>(p);
    if (byte == CLOSE_LIST) return p + 1;
    if (byte != COMMA) return 0;
    p = skipBlanks(p + 1);
  }
}

/** Whether a type, at its value, is one of those for which a placeholder is shown: images, audio, files. */
function isShown(p: usize): bool {
  const start = load<u32>(p);
  // "ima "aud "vid "fil "doc "inp, but not "input_t
  if (start != 0x616d6922 && start != 0x64756122 && start != 0x64697622 && start != 0x6c696622 && start != 0x636f6422
    && (start != 0x706e6922 || load<u64>(p) == 0x745f7475706e6922)) return false;
  const from = p + 1;
  do p++;
  while (<u32>load<u8>(p) - 0x61 < 26 || load<u8>(p) == 0x5f);
  return load<u8>(p) == QUOTE && p - from <= 32;
}

/** Passes a part: of text, or one that a placeholder is shown for. */
function part(p: usize): usize {
  let isText = false;
  let isTyped = false;
  let hasText = false;
  p = skipBlanks(p + 1);
  if (load<u8>(p) == CLOSE_OBJECT) {
    markOdd();
    return p + 1;
  }
  while (true) {
    if (load<u8>(p) != QUOTE) return 0;
    const key = load<u64>(p, 1) & M5;
    if (key == K_TEXT) {
      p = afterKey(p + 5);
      if (p == 0) return 0;
      if (hasText) markOdd();
      hasText = true;
      p = textValue(p, IN_ITEM);
      if (textFrom == 0 || (seen & SEEN_LONE) != 0) markOdd();
    } else if (key == K_TYPE) {
      p = afterKey(p + 5);
      if (p == 0) return 0;
      isText = (load<u64>(p) & M6) == 0x227478657422; // "text"
      if (isTyped || (!isText && !isShown(p))) markOdd();
      isTyped = true;
      p = valueEnd(p, IN_ITEM);
    } else p = otherMember(p, IN_ITEM);
    if (p == 0) return 0;
    p = skipBlanks(p);
    const byte = <u32>load<u8>(p);
    if (byte == CLOSE_OBJECT) break;
    if (byte != COMMA) return 0;
    p = skipBlanks(p + 1);
  }
  if (!isTyped || (isText && !hasText)) markOdd();
  return p + 1;
}
