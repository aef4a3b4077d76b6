// One entry of a record: its members, and the rows of the messages that it means.

import {
  ABSENT, ANALYSIS, ASSISTANT, BODY, CALL, CALL_ID, CHANNEL_SHIFT, COMMENTARY, DEVELOPER, END, ESCAPED, FINAL,
  HAS_CALLS, HAS_DEVELOPER, HAS_LOSSES, HAS_PARTS, HAS_VALUES, LACKS_ID, MESSAGE, NAME, PARTS, PLAIN, RECIPIENT,
  RECIPIENT_SHIFT, ROLE_SHIFT, SYSTEM, TOKEN_SHIFT, TO_TOOL, TOOL, USER, VALUE,
} from '../../src/abi';
import { addFlag, hasRoom, isOdd, markFull, markOdd, numberOf, push, row } from './state';
import {
  afterKey, clearSeen, CLOSE_OBJECT, COMMA, NULL_4, OPEN_LIST, QUOTE, skipBlanks, stringEnd, valueEnd,
} from './text';
import { beginEntryCalls, CALL_BYTES, calls, CALLS, newCall, target, toolCalls } from './tool-calls';
import {
  IN_ENTRY, isToolName, isWord, kindOfBody, otherMember, parts, textFrom, textTo, textValue, wordValue,
} from './value';

// Keys with their closing quote, as little-endian words; of longer ones the first eight bytes.
const M5: u64 = 0xffffffffff;
const M6: u64 = 0xffffffffffff;
const K_ROLE: u64 = 0x22656c6f72;
const K_NAME: u64 = 0x22656d616e;
const K_FROM: u64 = 0x226d6f7266;
const K_VALUE: u64 = 0x2265756c6176;
const K_CONTENT: u64 = 0x22746e65746e6f63;
const K_CHANNEL: u64 = 0x226c656e6e616863;
const K_TOOL_CAL: u64 = 0x6c61635f6c6f6f74;
const K_FUNCTION: u64 = 0x6e6f6974636e7566;
const K_THINKING: u64 = 0x676e696b6e696874;
const K_REASONIN: u64 = 0x6e696e6f73616572;

/** Only system and developer messages were met so far in the record; what its entries are: of chat, or of ShareGPT. */
let isOpening: bool = true;
const OF_CHAT: u32 = 1;
const OF_SHAREGPT: u32 = 2;
let form: u32 = 0;

// @ts-ignore: decorator
@lazy const NO_ARGUMENTS: usize = memory.data<u8>([123, 125, 34, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 16); // {}

export function beginEntries(): void {
  isOpening = true;
  form = 0;
}

// Members of an entry that were met.
const HAS_ROLE: u32 = 1;
const HAS_CONTENT: u32 = 2;
const HAS_NAME: u32 = 4;
const HAS_CALL_ID: u32 = 8;
const HAS_TOOL_CALLS: u32 = 16;
const HAS_FUNCTION_CALL: u32 = 32;
const HAS_THINKING: u32 = 64;
const HAS_REASONING: u32 = 128;
const HAS_REASONING_CONTENT: u32 = 256;
const HAS_FROM: u32 = 512;
const HAS_VALUE: u32 = 1024;

// The values of the entry at hand; FROM 0: there is none.
let role: u32 = 0;
let contentFrom: usize = 0;
let contentTo: usize = 0;
let contentKind: u32 = 0;
let nameFrom: usize = 0;
let nameTo: usize = 0;
let callIdFrom: usize = 0;
let callIdTo: usize = 0;
let thinkingFrom: usize = 0;
let thinkingTo: usize = 0;
let thinkingKind: u32 = 0;

/** The role at its value: `role` is 0 when it is none that is known. */
// @ts-ignore: decorator
@inline
function roleValue(p: usize): usize {
  const word = load<u64>(p);
  if ((word & M6) == 0x227265737522) { // "user"
    role = USER;
    return p + 6;
  }
  if (word == 0x6174736973736122 && load<u32>(p, 7) == 0x22746e61) { // "assista ant"
    role = ASSISTANT;
    return p + 11;
  }
  if ((word & M6) == 0x226c6f6f7422) { // "tool"
    role = TOOL;
    return p + 6;
  }
  if (word == 0x226d657473797322) { // "system"
    role = SYSTEM;
    return p + 8;
  }
  return otherRole(p);
}

function otherRole(p: usize): usize {
  role = 0;
  const word = load<u64>(p, 1);
  if (load<u8>(p) == QUOTE) {
    if (word == 0x65706f6c65766564 && load<u16>(p, 9) == 0x2272) { // developer"
      role = DEVELOPER;
      return p + 11;
    }
    if (word == K_FUNCTION && load<u8>(p, 9) == QUOTE) { // function"
      role = TOOL;
      addFlag(HAS_LOSSES);
      return p + 10;
    }
  }
  markOdd();
  return valueEnd(p, IN_ENTRY);
}

/** A text of reasoning, at its value. */
function thinking(p: usize): usize {
  p = textValue(p, IN_ENTRY);
  if (p == 0 || textFrom == 0) return p;
  // Two of them must be equal: somebody else compares.
  if (thinkingFrom != 0) markOdd();
  thinkingFrom = textFrom;
  thinkingTo = textTo;
  thinkingKind = kindOfBody();
  // An empty one makes no message.
  if (thinkingFrom == thinkingTo) addFlag(HAS_LOSSES);
  return p;
}

/** The content, at its value. */
// @ts-ignore: decorator
@inline
function contentValue(p: usize): usize {
  const byte = <u32>load<u8>(p);
  if (byte == QUOTE) {
    clearSeen();
    const to = stringEnd(p + 1);
    if (to == 0) return 0;
    contentFrom = p + 1;
    contentTo = to;
    contentKind = kindOfBody();
    return to + 1;
  }
  if (byte == OPEN_LIST) {
    const to = parts(p);
    contentFrom = p;
    contentTo = to;
    contentKind = BODY | PARTS;
    addFlag(HAS_PARTS);
    return to;
  }
  if (load<u32>(p) != NULL_4) markOdd();
  return valueEnd(p, IN_ENTRY);
}

/** Who says a turn of ShareGPT, at its value: what calls is for the host, and so is who is none of the known. */
function fromValue(p: usize): usize {
  const word = load<u64>(p, 1);
  if (load<u8>(p) == QUOTE) {
    if ((word & M6) == 0x226e616d7568) { // human"
      role = USER;
      return p + 7;
    }
    if ((word & 0xffffffff) == 0x22747067) { // gpt"
      role = ASSISTANT;
      return p + 5;
    }
    if (word == 0x2274706774616863) { // chatgpt"
      role = ASSISTANT;
      return p + 9;
    }
    if (word == 0x746176726573626f && load<u32>(p, 9) == 0x226e6f69) { // observat ion"
      role = TOOL;
      return p + 13;
    }
    // The words of chat are known here, too, but for two of them.
    p = roleValue(p);
    if (role == DEVELOPER || (word == K_FUNCTION && role == TOOL)) markOdd();
    return p;
  }
  markOdd();
  return valueEnd(p, IN_ENTRY);
}

/** All entries of a record are of one form, told by the first; others are for the host. */
function takeForm(has: u32): void {
  const isShareGpt = (has & (HAS_ROLE | HAS_FROM)) == HAS_FROM;
  if (form == 0) form = isShareGpt ? OF_SHAREGPT : OF_CHAT;
  if (isShareGpt) addFlag(HAS_LOSSES);
  const members = HAS_FROM | HAS_VALUE;
  if (form == OF_CHAT ? (has & members) != 0 : (has & members) != members || (has & ~members) != 0) markOdd();
}

/** The entry at p, an object: its rows. */
export function entry(p: usize): usize {
  const from = p;
  let has: u32 = 0;
  role = 0;
  contentFrom = nameFrom = callIdFrom = thinkingFrom = 0;
  beginEntryCalls();
  p = skipBlanks(p + 1);
  if (load<u8>(p) == CLOSE_OBJECT) {
    markOdd();
    return p + 1;
  }
  while (true) {
    if (load<u8>(p) != QUOTE) return 0;
    const key = load<u64>(p, 1);
    let bit: u32 = 0;
    if ((key & M5) == K_ROLE) {
      bit = HAS_ROLE;
      p = afterKey(p + 5);
      if (p == 0) return 0;
      p = roleValue(p);
    } else if (key == K_CONTENT) {
      bit = HAS_CONTENT;
      p = afterKey(p + 8);
      if (p == 0) return 0;
      p = contentValue(p);
    } else if (key == K_TOOL_CAL && (load<u32>(p, 9) & 0xffffff) == 0x22736c) {
      bit = HAS_TOOL_CALLS;
      p = afterKey(p + 11);
      if (p == 0) return 0;
      const before = calls;
      p = toolCalls(p);
      if (before > 0 && calls > before) markOdd();
    } else if (key == K_TOOL_CAL && (load<u64>(p, 9) & M5) == 0x2264695f6c) {
      bit = HAS_CALL_ID;
      p = afterKey(p + 13);
      if (p == 0) return 0;
      p = wordValue(p, IN_ENTRY);
      callIdFrom = textFrom;
      callIdTo = textTo;
    } else if ((key & M5) == K_NAME) {
      bit = HAS_NAME;
      p = afterKey(p + 5);
      if (p == 0) return 0;
      p = wordValue(p, IN_ENTRY);
      nameFrom = textFrom;
      nameTo = textTo;
    } else if (key == K_THINKING && load<u8>(p, 9) == QUOTE) {
      bit = HAS_THINKING;
      p = afterKey(p + 9);
      if (p == 0) return 0;
      p = thinking(p);
    } else if (key == K_REASONIN && load<u16>(p, 9) == 0x2267) {
      bit = HAS_REASONING;
      p = afterKey(p + 10);
      if (p == 0) return 0;
      p = thinking(p);
      if (textFrom != 0) addFlag(HAS_LOSSES);
    } else if (key == K_REASONIN && load<u64>(p, 9) == 0x6e65746e6f635f67 && load<u16>(p, 17) == 0x2274) {
      bit = HAS_REASONING_CONTENT;
      p = afterKey(p + 18);
      if (p == 0) return 0;
      p = thinking(p);
      if (textFrom != 0) addFlag(HAS_LOSSES);
    } else if (key == K_FUNCTION && (load<u64>(p, 9) & M6) == 0x226c6c61635f) {
      bit = HAS_FUNCTION_CALL;
      p = afterKey(p + 14);
      if (p == 0) return 0;
      // Calls of the list come before that of this member: to have both is rare.
      if (load<u32>(p) != NULL_4) {
        if (calls > 0) markOdd();
        addFlag(HAS_LOSSES);
        p = target(p, newCall(), IN_ENTRY);
      } else p += 4;
    } else if ((key & M5) == K_FROM) {
      bit = HAS_FROM;
      p = afterKey(p + 5);
      if (p == 0) return 0;
      p = fromValue(p);
    } else if ((key & M6) == K_VALUE) {
      bit = HAS_VALUE;
      p = afterKey(p + 6);
      if (p == 0) return 0;
      // In an entry of chat it would be nothing.
      if ((has & HAS_CONTENT) != 0) markOdd();
      if (load<u8>(p) != QUOTE) markOdd();
      p = contentValue(p);
    } else {
      // They belong to another form.
      if (key == K_CHANNEL || (key == K_TOOL_CAL && (load<u16>(p, 9) == 0x226c))) markOdd();
      p = otherMember(p, IN_ENTRY);
    }
    if (p == 0) return 0;
    if ((has & bit) != 0) markOdd();
    has |= bit;
    p = skipBlanks(p);
    const byte = <u32>load<u8>(p);
    if (byte == CLOSE_OBJECT) break;
    if (byte != COMMA) return 0;
    p = skipBlanks(p + 1);
  }
  p++;
  takeForm(has);
  if (isOdd) return p;
  if (losesMembers(has)) addFlag(HAS_LOSSES);
  writeEntry(from, p);
  return p;
}

/** Members are there that the role has no place for; or content beside calls is empty, or not even null. */
function losesMembers(has: u32): bool {
  if (role != ASSISTANT) return thinkingFrom != 0 || calls > 0 || (role != TOOL && callIdFrom != 0);
  const isEmpty = contentFrom != 0 && contentFrom == contentTo;
  return callIdFrom != 0 || (calls > 0 && (isEmpty || (has & HAS_CONTENT) == 0));
}

/** Writes the rows of the entry [from, to). */
function writeEntry(from: usize, to: usize): void {
  if (role == ASSISTANT) {
    writeAssistant(from, to);
    isOpening = false;
    return;
  }
  if (!hasRoom(4)) markFull();
  if (role == 0) markOdd();
  if (isOdd) return;
  let word = MESSAGE | PLAIN | (END << TOKEN_SHIFT) | (role << ROLE_SHIFT);
  if (role == TOOL) word |= COMMENTARY << CHANNEL_SHIFT;
  const at = push(word, from, to, 0);
  if (role == TOOL) {
    isOpening = false;
    if (callIdFrom != 0) {
      if (!isWord(callIdFrom, callIdTo)) markOdd();
      push(CALL_ID, callIdFrom, callIdTo, numberOf(row) + 1);
    } else addFlag(LACKS_ID);
    if (nameFrom != 0 && !isToolName(nameFrom, nameTo)) markOdd();
  } else {
    if (nameFrom != 0 && !isWord(nameFrom, nameTo)) markOdd();
    if (role == USER) isOpening = false;
    else if (isOpening) {
      if (role == DEVELOPER) addFlag(HAS_DEVELOPER);
      // Definitions in a text that opens the record count as tools of the record.
      if (contentFrom != 0 && (contentKind & (ESCAPED | PARTS)) != 0 && mayHoldList(contentFrom, contentTo)) markOdd();
    }
  }
  if (nameFrom != 0) push(NAME, nameFrom, nameTo, numberOf(row) + 1);
  writeBody(contentKind, contentFrom, contentTo, from, to);
  store<u32>(at, numberOf(row), 12);
}

/**
 * Whether the inside of a JSON string may hold JSON with a member `name`: as `\\"name\\"`, or with an escape of its
 * own.
 */
function mayHoldList(p: usize, to: usize): bool {
  for (; p < to; p++) {
    if (load<u8>(p) != 0x5c) continue;
    if (load<u64>(p) == 0x225c656d616e225c) return true;
    // An escape that stands for a quote or a letter; one that the inner text has.
    const next = <u32>load<u8>(p, 1);
    if (next == 0x75 || (next == 0x5c && load<u8>(p, 2) == 0x75)) return true;
    p++;
  }
  return false;
}

function writeBody(kind: u32, from: usize, to: usize, entryFrom: usize, entryTo: usize): void {
  if (from == 0) push(BODY | ABSENT, entryFrom, entryTo, numberOf(row) + 1);
  else push(kind, from, to, numberOf(row) + 1);
}

function writeAssistant(from: usize, to: usize): void {
  if (nameFrom != 0 && !isWord(nameFrom, nameTo)) markOdd();
  // Whether a list of parts beside calls is empty would have to be found out.
  if (calls > 0 && contentFrom != 0 && (contentKind & PARTS) != 0) markOdd();
  if (!hasRoom(6 + 5 * <usize>calls)) markFull();
  if (isOdd) return;
  const word = MESSAGE | PLAIN | (END << TOKEN_SHIFT) | (ASSISTANT << ROLE_SHIFT);
  const hasThought = thinkingFrom != 0 && thinkingTo > thinkingFrom;
  if (hasThought) {
    const at = push(word | (ANALYSIS << CHANNEL_SHIFT), from, to, 0);
    if (nameFrom != 0) push(NAME, nameFrom, nameTo, numberOf(row) + 1);
    push(thinkingKind, thinkingFrom, thinkingTo, numberOf(row) + 1);
    store<u32>(at, numberOf(row), 12);
  }
  const hasContent = contentFrom != 0 && (calls == 0 || contentTo > contentFrom);
  if (hasContent || (calls == 0 && !hasThought)) {
    const at = push(word | ((calls > 0 ? COMMENTARY : FINAL) << CHANNEL_SHIFT), from, to, 0);
    if (nameFrom != 0) push(NAME, nameFrom, nameTo, numberOf(row) + 1);
    writeBody(contentKind, contentFrom, contentTo, from, to);
    store<u32>(at, numberOf(row), 12);
  }
  for (let i = 0; i < calls; i++) writeCall(CALLS + <usize>i * CALL_BYTES, from, to);
}

function writeCall(call: usize, from: usize, to: usize): void {
  const idFrom = <usize>load<u32>(call);
  const idTo = <usize>load<u32>(call, 4);
  const toolFrom = <usize>load<u32>(call, 8);
  const toolTo = <usize>load<u32>(call, 12);
  if (toolFrom == 0 || !isToolName(toolFrom, toolTo) || (idFrom != 0 && !isWord(idFrom, idTo))) {
    markOdd();
    return;
  }
  addFlag(HAS_CALLS);
  const word = MESSAGE | PLAIN | (CALL << TOKEN_SHIFT) | (ASSISTANT << ROLE_SHIFT) | (COMMENTARY << CHANNEL_SHIFT)
    | (TO_TOOL << RECIPIENT_SHIFT);
  const at = push(word, from, to, 0);
  if (idFrom != 0) push(CALL_ID, idFrom, idTo, numberOf(row) + 1);
  else addFlag(LACKS_ID);
  if (nameFrom != 0) push(NAME, nameFrom, nameTo, numberOf(row) + 1);
  push(RECIPIENT, toolFrom, toolTo, numberOf(row) + 1);
  const kind = load<u32>(call, 24);
  if (kind == 0) push(BODY | VALUE | ABSENT, NO_ARGUMENTS, NO_ARGUMENTS + 2, numberOf(row) + 1);
  else push(kind, load<u32>(call, 16), load<u32>(call, 20), numberOf(row) + 1);
  if ((kind & VALUE) != 0 || kind == 0) addFlag(HAS_VALUES);
  store<u32>(at, numberOf(row), 12);
}
