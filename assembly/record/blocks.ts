// Contents that are lists of parts. The parts are kept until their entry ends: what they mean depends on its role.
//
// Most are texts, or what a placeholder is shown for. Those of Anthropic may act: they think, call, reply. Such a one
// is passed like any other first; its members are read once its type is known, when it is valid JSON for certain.

import { BODY, HAS_PARTS, IN_PART, PARTS, VALUE } from '../../src/abi';
import * as K from './keys';
import { after, firstItem, firstKey, isKey, isLongKey, memberValue, nextItem, nextKey, pass } from './members';
import { addFlag, markOdd } from './state';
import { beginsTag } from './tags';
import { clearSeen, NULL_4, OPEN_LIST, OPEN_OBJECT, QUOTE, seen, SEEN_LONE, valueEnd } from './text';
import {
  argumentsEnd, IN_ITEM, IN_LIST, kindOfBody, otherValue, textFrom, textTo, textValue, wordValue,
} from './value';

const M6: u64 = 0xffffffffffff;

// What a part is; from B_THINKING on it acts.
export const B_OTHER: u32 = 0;
export const B_TEXT: u32 = 1;
export const B_THINKING: u32 = 2;
export const B_REDACTED: u32 = 3;
export const B_CALL: u32 = 4;
export const B_REPLY: u32 = 5;

/** A part, 48 bytes: what it is, its span, its body's kind (0: there is none) and span, its id, a call's name. */
export const BLOCK_BYTES: usize = 48;
export const BLOCK_FROM: usize = 4;
export const BLOCK_TO: usize = 8;
export const BLOCK_KIND: usize = 12;
export const BLOCK_BODY: usize = 16;
export const BLOCK_BODY_TO: usize = 20;
export const BLOCK_ID: usize = 24;
export const BLOCK_ID_TO: usize = 28;
export const BLOCK_NAME: usize = 32;
export const BLOCK_NAME_TO: usize = 36;
const MOST_BLOCKS: i32 = 256;
// @ts-ignore: decorator
@lazy export const BLOCKS: usize = memory.data(256 * 48, 16);
export let blocks: i32 = 0;
/** One of the parts acts. */
export let isActing: bool = false;
/** One of the parts is no text. */
export let hasOtherBlocks: bool = false;
/** Within the content of a reply. */
let isInReply: bool = false;

export function beginBlocks(): void {
  blocks = 0;
  isActing = hasOtherBlocks = isInReply = false;
}

// @ts-ignore: decorator
@inline
export function blockAt(number: i32): usize { return BLOCKS + <usize>number * BLOCK_BYTES; }

/** A part [from, to) with its text, or with no body. */
function addBlock(what: u32, from: usize, to: usize, kind: u32, bodyFrom: usize, bodyTo: usize): usize {
  if (blocks == MOST_BLOCKS) {
    markOdd();
    blocks--;
  }
  if (what != B_TEXT) hasOtherBlocks = true;
  const at = blockAt(blocks++);
  store<u32>(at, what);
  store<u32>(at, <u32>from, BLOCK_FROM);
  store<u32>(at, <u32>to, BLOCK_TO);
  store<u32>(at, kind, BLOCK_KIND);
  store<u32>(at, <u32>bodyFrom, BLOCK_BODY);
  store<u32>(at, <u32>bodyTo, BLOCK_BODY_TO);
  return at;
}

/** The body that the parts from number `first` on, below `end`, are together; a text by itself is that text. */
export let bodyKind: u32 = 0;
export let bodyFrom: usize = 0;
export let bodyTo: usize = 0;
export function bodyOf(first: i32, end: i32): void {
  const at = blockAt(first);
  if (end - first == 1 && load<u32>(at) == B_TEXT) {
    bodyKind = load<u32>(at, BLOCK_KIND) | IN_PART;
    bodyFrom = load<u32>(at, BLOCK_BODY);
    bodyTo = load<u32>(at, BLOCK_BODY_TO);
    return;
  }
  bodyKind = BODY | PARTS;
  bodyFrom = load<u32>(at, BLOCK_FROM);
  bodyTo = load<u32>(blockAt(end - 1), BLOCK_TO);
}

/** Passes the list of parts at p. */
export function parts(p: usize): usize {
  for (p = firstItem(p); p != 0; p = nextItem(p)) {
    if (load<u8>(p) == OPEN_OBJECT) {
      p = part(p);
      continue;
    }
    const from = p;
    clearSeen();
    if (load<u8>(p) != QUOTE) markOdd();
    p = valueEnd(p, IN_LIST);
    if ((seen & SEEN_LONE) != 0 || (p != 0 && beginsTag(p - 2))) markOdd();
    addBlock(B_OTHER, from, p, 0, 0, 0);
  }
  return after;
}

/** Whether a type, at its value, is one of those for which a placeholder is shown: images, audio, files. */
function isShown(p: usize): bool {
  const start = load<u32>(p);
  // "ima "aud "vid "fil "doc "inp
  if (start != 0x616d6922 && start != 0x64756122 && start != 0x64697622 && start != 0x6c696622 && start != 0x636f6422
    && start != 0x706e6922) return false;
  const from = p + 1;
  do p++;
  while (<u32>load<u8>(p) - 0x61 < 26 || load<u8>(p) == 0x5f);
  return load<u8>(p) == QUOTE && p - from <= 32;
}

/** Whether a type, at its value, is that of a text: text, input_, output_, summary_ and reasoning_text. */
export function isTextType(p: usize): bool {
  const word = load<u64>(p);
  if ((word & M6) == 0x227478657422) return true;
  if (word == 0x745f7475706e6922) return load<u32>(p, 8) == 0x22747865;
  if (word == 0x5f74757074756f22) return load<u32>(p, 8) == 0x74786574 && load<u8>(p, 12) == QUOTE;
  if (word == 0x7972616d6d757322) return load<u32>(p, 8) == 0x7865745f && load<u16>(p, 12) == 0x2274;
  return word == 0x696e6f7361657222 && load<u64>(p, 8) == 0x22747865745f676e;
}

/** What a type, at its value, does: B_THINKING and on; 0: nothing. */
function actingType(p: usize): u32 {
  const word = load<u64>(p);
  if (word == 0x6e696b6e69687422 && load<u16>(p, 8) == 0x2267) return B_THINKING;
  if (word == 0x73755f6c6f6f7422 && load<u16>(p, 8) == 0x2265) return B_CALL;
  if (word == 0x65725f6c6f6f7422 && load<u32>(p, 8) == 0x746c7573 && load<u8>(p, 12) == QUOTE) return B_REPLY;
  const isRedacted = word == 0x6574636164657222 && load<u64>(p, 8) == 0x696b6e6968745f64
    && load<u16>(p, 16) == 0x676e && load<u8>(p, 18) == QUOTE;
  return isRedacted ? B_REDACTED : 0;
}

/** Passes a part. */
function part(p: usize): usize {
  const start = p;
  let isText = false;
  let isTyped = false;
  let hasText = false;
  let acts: u32 = 0;
  let kind: u32 = 0;
  let from: usize = 0;
  let to: usize = 0;
  for (p = firstKey(p); p != 0; p = nextKey(p)) {
    p = memberValue(p);
    if (p == 0) return 0;
    if (isKey(4, K.TEXT)) {
      if (hasText) markOdd();
      hasText = true;
      p = textValue(p, IN_ITEM);
      if (textFrom == 0 || beginsTag(textTo - 1)) markOdd();
      kind = kindOfBody();
      from = textFrom;
      to = textTo;
    } else if (isKey(4, K.TYPE)) {
      isText = isTextType(p);
      if (!isText) acts = actingType(p);
      if (isTyped || (!isText && acts == 0 && !isShown(p))) markOdd();
      isTyped = true;
      p = valueEnd(p, IN_ITEM);
    } else p = otherValue(p, IN_ITEM);
  }
  p = after;
  if (p == 0) return 0;
  // Bedrock's texts have no type.
  if (!isTyped) isText = true;
  if (isText && !hasText) markOdd();
  if (acts == 0) addBlock(isText ? B_TEXT : B_OTHER, start, p, kind, from, to);
  else acting(start, p, acts);
  return p;
}

/** The part [start, end), which acts. */
function acting(start: usize, end: usize, what: u32): void {
  if (isInReply) {
    markOdd();
    return;
  }
  isActing = true;
  let has: u32 = 0;
  let kind: u32 = 0;
  let from: usize = 0;
  let to: usize = 0;
  let idFrom: usize = 0;
  let idTo: usize = 0;
  let nameFrom: usize = 0;
  let nameTo: usize = 0;
  for (let p = firstKey(start); p != 0; p = nextKey(p)) {
    p = memberValue(p);
    let bit: u32 = 0;
    const isId = what == B_CALL ? isKey(2, K.ID) : what == B_REPLY && isLongKey(11, K.TOOL_USE, K.TOOL_USE_END);
    if (isId) {
      bit = 1;
      p = wordValue(p, IN_ITEM);
      idFrom = textFrom;
      idTo = textTo;
    } else if (what == B_CALL && isKey(4, K.NAME)) {
      bit = 2;
      p = wordValue(p, IN_ITEM);
      nameFrom = textFrom;
      nameTo = textTo;
    } else if (what == B_CALL && isKey(5, K.INPUT)) {
      bit = 4;
      from = p;
      clearSeen();
      const isShallow = load<u8>(p) == OPEN_OBJECT && argumentsEnd(p) != 0;
      if (!isShallow) markOdd();
      clearSeen();
      p = pass(p);
      to = p;
      kind = kindOfBody() | VALUE;
    } else if (what == B_THINKING && isKey(8, K.THINKING)) {
      bit = 8;
      p = textValue(p, IN_ITEM);
      if (textFrom == 0 || textFrom == textTo) markOdd();
      kind = kindOfBody() | IN_PART;
      from = textFrom;
      to = textTo;
    } else if (what == B_REPLY && isKey(7, K.CONTENT)) {
      bit = 16;
      p = replyContent(p);
      kind = bodyKind;
      from = bodyFrom;
      to = bodyTo;
    } else p = pass(p);
    if ((has & bit) != 0) markOdd();
    has |= bit;
  }
  if ((what == B_CALL && (has & 6) != 6) || (what == B_THINKING && (has & 8) == 0)) markOdd();
  const at = addBlock(what, start, end, kind, from, to);
  store<u32>(at, <u32>idFrom, BLOCK_ID);
  store<u32>(at, <u32>idTo, BLOCK_ID_TO);
  store<u32>(at, <u32>nameFrom, BLOCK_NAME);
  store<u32>(at, <u32>nameTo, BLOCK_NAME_TO);
}

/** A reply's content, at its value: `bodyKind` 0 where there is none. */
function replyContent(p: usize): usize {
  const before = blocks;
  isInReply = true;
  p = textOrParts(p, IN_ITEM);
  isInReply = false;
  if (bodyKind != 0) bodyKind |= IN_PART;
  blocks = before;
  return p;
}

/** A text, or a list of parts, at its value: what body it is; `bodyKind` 0: there is none. */
export function textOrParts(p: usize, most: i32): usize {
  bodyKind = 0;
  bodyFrom = bodyTo = 0;
  if (load<u8>(p) == QUOTE) {
    p = textValue(p, most);
    if (p == 0) return 0;
    bodyKind = kindOfBody();
    bodyFrom = textFrom;
    bodyTo = textTo;
    return p;
  }
  if (load<u8>(p) != OPEN_LIST) {
    if (load<u32>(p) != NULL_4) markOdd();
    return valueEnd(p, most);
  }
  const from = p;
  const first = blocks;
  p = parts(p);
  if (p == 0) return 0;
  addFlag(HAS_PARTS);
  if (blocks > first) bodyOf(first, blocks);
  else {
    bodyKind = BODY | PARTS;
    bodyFrom = from;
    bodyTo = p;
  }
  return p;
}
