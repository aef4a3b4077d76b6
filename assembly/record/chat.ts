// Chat records as rows: lines of JSON, each an object with a list `messages` as OpenAI has it.
//
// The simple version parses the line, and takes each entry apart into the messages that it means: the reasoning, the content, a message for
// every call (src/formats/chat.ts says how). Here the same is done in one pass over the bytes. The members of an entry may stand in any
// order, and what they mean depends on the role: their spans are kept until the entry ends, and its rows are written then. Whatever is rare
// (an escaped key, a member that stands twice or is of an unexpected kind, names with odd characters) makes the record SLOW, and so does
// what is no JSON: then the record has no rows below, and the host reads it by itself.

import {
  ABSENT, ANALYSIS, ASSISTANT, BODY, CALL, CALL_ID, CHANNEL_SHIFT, CODED, COMMENTARY, DEVELOPER, END, ENTRY_SHIFT, ESCAPED, FINAL,
  HAS_CALLS, HAS_DEVELOPER, HAS_PARTS, HAS_VALUES, IS_OTHER, LACKS_ID, MESSAGE, NAME, PARTS, PLAIN, RECIPIENT, RECIPIENT_SHIFT, RECORD,
  RECORD_SHIFT, ROLE_SHIFT, ROW_BYTES, SLOW, SYSTEM, TOKEN_SHIFT, TO_TOOL, TOOL, TOOLS, TOOLS_SHIFT, USER, VALUE,
} from '../../src/abi';
import { hasRoom, numberOf, push, rewindTo, row, table } from './state';
import {
  afterKey, clearSeen, CLOSE_LIST, CLOSE_OBJECT, COMMA, containerEnd, DEEPEST, LF, NULL_4, OPEN_LIST, OPEN_OBJECT, QUOTE, seen,
  SEEN_CODE, SEEN_ESCAPE, SEEN_LONE, skipBlanks, stringEnd, valueEnd,
} from './text';
import { toolsEnd, toolsEntry, toolsStatus } from './tools';
import { isUtf8 } from '../text-utf8';

// Keys with their closing quote, as little-endian words; of longer ones the first eight bytes.
const M3: u64 = 0xffffff;
const M5: u64 = 0xffffffffff;
const M6: u64 = 0xffffffffffff;
const K_ID: u64 = 0x226469;
const K_ROLE: u64 = 0x22656c6f72;
const K_NAME: u64 = 0x22656d616e;
const K_TYPE: u64 = 0x2265707974;
const K_TEXT: u64 = 0x2274786574;
const K_TOOLS: u64 = 0x22736c6f6f74;
const K_CONTENT: u64 = 0x22746e65746e6f63;
const K_CHANNEL: u64 = 0x226c656e6e616863;
const K_VERSION: u64 = 0x226e6f6973726576;
const K_MESSAGES: u64 = 0x736567617373656d;
const K_TOOL_CAL: u64 = 0x6c61635f6c6f6f74;
const K_FUNCTION: u64 = 0x6e6f6974636e7566;
const K_ARGUMENT: u64 = 0x746e656d75677261;
const K_THINKING: u64 = 0x676e696b6e696874;
const K_REASONIN: u64 = 0x6e696e6f73616572;
const FUNCTION_VALUE: u64 = 0x6f6974636e756622;

/** Containers below a member of a record. */
const BELOW: i32 = DEEPEST - 8;
/** Calls of one entry, in CALL_BYTES each: id, name, arguments as spans, and what is known of them. */
const MOST_CALLS: i32 = 256;
const CALL_BYTES: usize = 32;
// @ts-ignore: decorator
@lazy const CALLS: usize = memory.data(256 * 32, 16);
// @ts-ignore: decorator
@lazy const NO_ARGUMENTS: usize = memory.data<u8>([123, 125, 34, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 16); // {}

/** Of the record at hand: something in it is rare; its rows do not fit into the table; what its RECORD row says. */
let isOdd: bool = false;
let isFull: bool = false;
/** The record at hand has no member `messages`. */
let isOther: bool = false;
let flags: u32 = 0;
/** Only system and developer messages were met so far. */
let isOpening: bool = true;

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
let calls: i32 = 0;

/** What `seen` says of a body. */
// @ts-ignore: decorator
@inline
function kindOfBody(): u32 {
  if (seen == 0) return BODY;
  if ((seen & SEEN_LONE) != 0) isOdd = true;
  return BODY | ((seen & SEEN_ESCAPE) != 0 ? ESCAPED : 0) | ((seen & SEEN_CODE) != 0 ? CODED : 0);
}

/** Passes a member that nothing is known of, from its key's quote. */
function otherMember(p: usize): usize {
  clearSeen();
  p = stringEnd(p + 1);
  if (p == 0) return 0;
  // It may be one of those that are known.
  if (seen != 0) isOdd = true;
  p = afterKey(p);
  return p == 0 ? 0 : valueEnd(p, BELOW);
}

/** A member that must be text or null, at its value; where it stands is in `textFrom` (0: null) and `textTo`. */
let textFrom: usize = 0;
let textTo: usize = 0;
function textValue(p: usize): usize {
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
  if (load<u32>(p) != NULL_4) isOdd = true;
  return valueEnd(p, BELOW);
}

/** The same of a name or an id: what has escapes is rare. */
function wordValue(p: usize): usize {
  p = textValue(p);
  if (seen != 0) isOdd = true;
  return p;
}

const MOST_WORD: usize = 100;

/** Whether a tool's name is as most are: it is no builtin's, and has no namespace. */
function isToolName(p: usize, to: usize): bool {
  if (p == to || to - p > MOST_WORD) return false;
  const start = load<u64>(p);
  // browser, python, container, functions
  if (start == 0x6e6f6974636e7566 || start == 0x656e6961746e6f63) return false;
  if ((start & 0xffffffffffffff) == 0x726573776f7262 || (start & M6) == 0x6e6f68747970) return false;
  for (; p < to; p++) {
    const byte = <u32>load<u8>(p);
    const isLetter = (byte | 0x20) - 0x61 < 26;
    if (!isLetter && byte - 0x30 >= 10 && byte != 0x5f && byte != 0x2d && byte != 0x2e) return false;
  }
  return true;
}

/** Whether a header can hold a value, and nothing is to be told of it: ASCII without white space, and no `<`. */
function isWord(p: usize, to: usize): bool {
  if (p == to || to - p > MOST_WORD) return false;
  for (; p < to; p++) {
    const byte = <u32>load<u8>(p);
    if (byte - 0x21 > 0x5d || byte == 0x3c) return false;
  }
  return true;
}

/** Passes the list of parts at p. */
function parts(p: usize): usize {
  p = skipBlanks(p + 1);
  if (load<u8>(p) == CLOSE_LIST) return p + 1;
  while (true) {
    if (load<u8>(p) == OPEN_OBJECT) p = part(p);
    else {
      clearSeen();
      if (load<u8>(p) != QUOTE) isOdd = true;
      p = valueEnd(p, BELOW);
      if ((seen & SEEN_LONE) != 0) isOdd = true;
    }
    if (p == 0) return 0;
    p = skipBlanks(p);
    const byte = <u32>load<u8>(p);
    if (byte == CLOSE_LIST) return p + 1;
    if (byte != COMMA) return 0;
    p = skipBlanks(p + 1);
  }
}

/** Passes a part, which must be one of text. */
function part(p: usize): usize {
  let isText = false;
  let isTyped = false;
  p = skipBlanks(p + 1);
  if (load<u8>(p) == CLOSE_OBJECT) {
    isOdd = true;
    return p + 1;
  }
  while (true) {
    if (load<u8>(p) != QUOTE) return 0;
    const key = load<u64>(p, 1) & M5;
    if (key == K_TEXT) {
      p = afterKey(p + 5);
      if (p == 0) return 0;
      if (isText) isOdd = true;
      isText = true;
      p = textValue(p);
      if (textFrom == 0 || (seen & SEEN_LONE) != 0) isOdd = true;
    } else if (key == K_TYPE) {
      p = afterKey(p + 5);
      if (p == 0) return 0;
      if (isTyped || (load<u64>(p) & M6) != 0x227478657422) isOdd = true;
      isTyped = true;
      p = valueEnd(p, BELOW);
    } else p = otherMember(p);
    if (p == 0) return 0;
    p = skipBlanks(p);
    const byte = <u32>load<u8>(p);
    if (byte == CLOSE_OBJECT) break;
    if (byte != COMMA) return 0;
    p = skipBlanks(p + 1);
  }
  if (!isText || !isTyped) isOdd = true;
  return p + 1;
}

/** The next free place for a call. */
function newCall(): usize {
  if (calls == MOST_CALLS) {
    isOdd = true;
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

/** What is called, at its value: an object with a name and arguments. */
function target(p: usize, call: usize): usize {
  if (load<u8>(p) != OPEN_OBJECT) {
    isOdd = true;
    return valueEnd(p, BELOW);
  }
  p = skipBlanks(p + 1);
  if (load<u8>(p) == CLOSE_OBJECT) return p + 1;
  while (true) {
    if (load<u8>(p) != QUOTE) return 0;
    const key = load<u64>(p, 1);
    if ((key & M5) == K_NAME) {
      p = afterKey(p + 5);
      if (p == 0) return 0;
      if (load<u32>(call, 8) != 0) isOdd = true;
      p = wordValue(p);
      store<u32>(call, <u32>textFrom, 8);
      store<u32>(call, <u32>textTo, 12);
    } else if (key == K_ARGUMENT && load<u16>(p, 9) == 0x2273) {
      p = afterKey(p + 10);
      if (p == 0) return 0;
      if (load<u32>(call, 24) != 0) isOdd = true;
      const from = p;
      const byte = <u32>load<u8>(p);
      if (byte == QUOTE) {
        p = textValue(p);
        store<u32>(call, <u32>textFrom, 16);
        store<u32>(call, <u32>textTo, 20);
        store<u32>(call, kindOfBody(), 24);
      } else if (byte == OPEN_OBJECT) {
        clearSeen();
        p = containerEnd(p, 60);
        if (p == 0) {
          p = containerEnd(from, BELOW);
          isOdd = true;
        }
        store<u32>(call, <u32>from, 16);
        store<u32>(call, <u32>p, 20);
        store<u32>(call, kindOfBody() | VALUE, 24);
      } else {
        isOdd = true;
        p = valueEnd(p, BELOW);
        store<u32>(call, BODY, 24);
      }
    } else p = otherMember(p);
    if (p == 0) return 0;
    p = skipBlanks(p);
    const byte = <u32>load<u8>(p);
    if (byte == CLOSE_OBJECT) return p + 1;
    if (byte != COMMA) return 0;
    p = skipBlanks(p + 1);
  }
}

/** The list of calls at p. */
function toolCalls(p: usize): usize {
  if (load<u8>(p) != OPEN_LIST) {
    if (load<u32>(p) != NULL_4) isOdd = true;
    return valueEnd(p, BELOW);
  }
  p = skipBlanks(p + 1);
  if (load<u8>(p) == CLOSE_LIST) return p + 1;
  while (true) {
    if (load<u8>(p) != OPEN_OBJECT) {
      isOdd = true;
      p = valueEnd(p, BELOW);
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
    isOdd = true;
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
      p = wordValue(p);
      store<u32>(call, <u32>textFrom);
      store<u32>(call, <u32>textTo, 4);
    } else if ((key & M5) == K_TYPE) {
      bit = 2;
      p = afterKey(p + 5);
      if (p == 0) return 0;
      // "function"
      if ((load<u64>(p) != FUNCTION_VALUE || load<u16>(p, 8) != 0x226e) && load<u32>(p) != NULL_4) isOdd = true;
      p = valueEnd(p, BELOW);
    } else if (key == K_FUNCTION && load<u8>(p, 9) == QUOTE) {
      bit = 4;
      p = afterKey(p + 9);
      if (p == 0) return 0;
      p = target(p, call);
    } else p = otherMember(p);
    if (p == 0) return 0;
    if ((has & bit) != 0) isOdd = true;
    has |= bit;
    p = skipBlanks(p);
    const byte = <u32>load<u8>(p);
    if (byte == CLOSE_OBJECT) return p + 1;
    if (byte != COMMA) return 0;
    p = skipBlanks(p + 1);
  }
}

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
      return p + 10;
    }
  }
  isOdd = true;
  return valueEnd(p, BELOW);
}

/** A text of reasoning, at its value. */
function thinking(p: usize): usize {
  p = textValue(p);
  if (p == 0 || textFrom == 0) return p;
  // Two of them must be equal: somebody else compares.
  if (thinkingFrom != 0) isOdd = true;
  thinkingFrom = textFrom;
  thinkingTo = textTo;
  thinkingKind = kindOfBody();
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
    flags |= HAS_PARTS;
    return to;
  }
  if (load<u32>(p) != NULL_4) isOdd = true;
  return valueEnd(p, BELOW);
}

/** The entry at p, an object: its rows. */
function entry(p: usize): usize {
  const from = p;
  let has: u32 = 0;
  role = 0;
  contentFrom = nameFrom = callIdFrom = thinkingFrom = 0;
  calls = 0;
  p = skipBlanks(p + 1);
  if (load<u8>(p) == CLOSE_OBJECT) {
    isOdd = true;
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
      p = toolCalls(p);
    } else if (key == K_TOOL_CAL && (load<u64>(p, 9) & M5) == 0x2264695f6c) {
      bit = HAS_CALL_ID;
      p = afterKey(p + 13);
      if (p == 0) return 0;
      p = wordValue(p);
      callIdFrom = textFrom;
      callIdTo = textTo;
    } else if ((key & M5) == K_NAME) {
      bit = HAS_NAME;
      p = afterKey(p + 5);
      if (p == 0) return 0;
      p = wordValue(p);
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
    } else if (key == K_REASONIN && load<u64>(p, 9) == 0x6e65746e6f635f67 && load<u16>(p, 17) == 0x2274) {
      bit = HAS_REASONING_CONTENT;
      p = afterKey(p + 18);
      if (p == 0) return 0;
      p = thinking(p);
    } else if (key == K_FUNCTION && (load<u64>(p, 9) & M6) == 0x226c6c61635f) {
      bit = HAS_FUNCTION_CALL;
      p = afterKey(p + 14);
      if (p == 0) return 0;
      // Calls of the list come before it.
      if (load<u32>(p) != NULL_4) {
        if ((has & HAS_TOOL_CALLS) != 0) isOdd = true;
        p = target(p, newCall());
      } else p += 4;
    } else {
      // They belong to another form.
      if (key == K_CHANNEL || (key == K_TOOL_CAL && (load<u16>(p, 9) == 0x226c))) isOdd = true;
      p = otherMember(p);
    }
    if (p == 0) return 0;
    if ((has & bit) != 0 || (bit == HAS_TOOL_CALLS && (has & HAS_FUNCTION_CALL) != 0)) isOdd = true;
    has |= bit;
    p = skipBlanks(p);
    const byte = <u32>load<u8>(p);
    if (byte == CLOSE_OBJECT) break;
    if (byte != COMMA) return 0;
    p = skipBlanks(p + 1);
  }
  p++;
  if (!isOdd) writeEntry(from, p);
  return p;
}

/** Writes the rows of the entry [from, to). */
function writeEntry(from: usize, to: usize): void {
  if (role == ASSISTANT) {
    writeAssistant(from, to);
    isOpening = false;
    return;
  }
  if (!hasRoom(4)) isOdd = isFull = true;
  if (role == 0) isOdd = true;
  if (isOdd) return;
  let word = MESSAGE | PLAIN | (END << TOKEN_SHIFT) | (role << ROLE_SHIFT);
  if (role == TOOL) word |= COMMENTARY << CHANNEL_SHIFT;
  const at = push(word, from, to, 0);
  if (role == TOOL) {
    isOpening = false;
    if (callIdFrom != 0) {
      if (!isWord(callIdFrom, callIdTo)) isOdd = true;
      push(CALL_ID, callIdFrom, callIdTo, numberOf(row) + 1);
    } else flags |= LACKS_ID;
    if (nameFrom != 0 && !isToolName(nameFrom, nameTo)) isOdd = true;
  } else {
    if (nameFrom != 0 && !isWord(nameFrom, nameTo)) isOdd = true;
    if (role == USER) isOpening = false;
    else if (isOpening) {
      if (role == DEVELOPER) flags |= HAS_DEVELOPER;
      // Definitions in a text that opens the record count as tools of the record.
      if (contentFrom != 0 && (contentKind & (ESCAPED | PARTS)) != 0 && mayHoldList(contentFrom, contentTo)) isOdd = true;
    }
  }
  if (nameFrom != 0) push(NAME, nameFrom, nameTo, numberOf(row) + 1);
  writeBody(contentKind, contentFrom, contentTo, from, to);
  store<u32>(at, numberOf(row), 12);
}

/** Whether the inside of a JSON string may hold JSON with a member `name`: as `\\"name\\"`, or with an escape of its own. */
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
  if (nameFrom != 0 && !isWord(nameFrom, nameTo)) isOdd = true;
  // Whether a list of parts beside calls is empty would have to be found out.
  if (calls > 0 && contentFrom != 0 && (contentKind & PARTS) != 0) isOdd = true;
  if (!hasRoom(6 + 5 * <usize>calls)) isOdd = isFull = true;
  if (isOdd) return;
  const word = MESSAGE | PLAIN | (END << TOKEN_SHIFT) | (ASSISTANT << ROLE_SHIFT);
  if (thinkingFrom != 0) {
    const at = push(word | (ANALYSIS << CHANNEL_SHIFT), from, to, 0);
    if (nameFrom != 0) push(NAME, nameFrom, nameTo, numberOf(row) + 1);
    push(thinkingKind, thinkingFrom, thinkingTo, numberOf(row) + 1);
    store<u32>(at, numberOf(row), 12);
  }
  const hasContent = contentFrom != 0 && (calls == 0 || contentTo > contentFrom);
  if (hasContent || (calls == 0 && thinkingFrom == 0)) {
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
    isOdd = true;
    return;
  }
  flags |= HAS_CALLS;
  const word = MESSAGE | PLAIN | (CALL << TOKEN_SHIFT) | (ASSISTANT << ROLE_SHIFT) | (COMMENTARY << CHANNEL_SHIFT)
    | (TO_TOOL << RECIPIENT_SHIFT);
  const at = push(word, from, to, 0);
  if (idFrom != 0) push(CALL_ID, idFrom, idTo, numberOf(row) + 1);
  else flags |= LACKS_ID;
  if (nameFrom != 0) push(NAME, nameFrom, nameTo, numberOf(row) + 1);
  push(RECIPIENT, toolFrom, toolTo, numberOf(row) + 1);
  const kind = load<u32>(call, 24);
  if (kind == 0) push(BODY | VALUE | ABSENT, NO_ARGUMENTS, NO_ARGUMENTS + 2, numberOf(row) + 1);
  else push(kind, load<u32>(call, 16), load<u32>(call, 20), numberOf(row) + 1);
  if ((kind & VALUE) != 0 || kind == 0) flags |= HAS_VALUES;
  store<u32>(at, numberOf(row), 12);
}

/** The list of messages at p. */
function entries(p: usize): usize {
  p = skipBlanks(p + 1);
  if (load<u8>(p) == CLOSE_LIST) return p + 1;
  while (true) {
    if (load<u8>(p) == OPEN_OBJECT) p = entry(p);
    else {
      isOdd = true;
      p = valueEnd(p, BELOW);
    }
    if (p == 0) return 0;
    p = skipBlanks(p);
    const byte = <u32>load<u8>(p);
    if (byte == CLOSE_LIST) return p + 1;
    if (byte != COMMA) return 0;
    p = skipBlanks(p + 1);
  }
}

/** The record at p, an object, whose rows begin at `tools`: behind it, or 0. */
function record(p: usize, tools: usize): usize {
  let has: u32 = 0;
  p = skipBlanks(p + 1);
  if (load<u8>(p) == CLOSE_OBJECT) {
    isOdd = true;
    return p + 1;
  }
  while (true) {
    if (load<u8>(p) != QUOTE) return 0;
    const key = load<u64>(p, 1);
    let bit: u32 = 0;
    if (key == K_MESSAGES && load<u8>(p, 9) == QUOTE) {
      bit = 1;
      p = afterKey(p + 9);
      if (p == 0) return 0;
      if (load<u8>(p) == OPEN_LIST) p = entries(p);
      else {
        isOdd = true;
        p = valueEnd(p, BELOW);
      }
    } else if ((key & M6) == K_TOOLS) {
      bit = 2;
      p = afterKey(p + 6);
      if (p == 0) return 0;
      const from = p;
      p = toolsEnd(p);
      if (p == 0) return 0;
      store<u32>(tools, TOOLS | (toolsStatus << TOOLS_SHIFT) | (toolsEntry << ENTRY_SHIFT));
      store<u32>(tools, <u32>from, 4);
      store<u32>(tools, <u32>p, 8);
    } else {
      // A version tells another form.
      if (key == K_VERSION) isOdd = true;
      p = otherMember(p);
    }
    if (p == 0) return 0;
    if ((has & bit) != 0) isOdd = true;
    has |= bit;
    p = skipBlanks(p);
    const byte = <u32>load<u8>(p);
    if (byte == CLOSE_OBJECT) break;
    if (byte != COMMA) return 0;
    p = skipBlanks(p + 1);
  }
  if ((has & 1) == 0) isOdd = isOther = true;
  return p + 1;
}

/** Where the last scan stopped, and the lines and records that it passed. */
let stop: usize = 0;
let lines: u32 = 0;
let records: u32 = 0;
export function scanTo(): usize { return stop; }
export function linesPassed(): u32 { return lines; }
export function recordsPassed(): u32 { return records; }

/** The first line feed at or behind p: there is one. */
function lineEnd(p: usize): usize {
  while (true) {
    if (ASC_FEATURE_SIMD) {
      const mask = i8x16.bitmask(i8x16.eq(v128.load(p), i8x16.splat(0x0a)));
      if (mask != 0) return p + <usize>ctz<i32>(mask);
      p += 16;
    } else if (load<u8>(p++) == LF) return p - 1;
  }
}

/**
 * Rows of the lines [p, end), of which the last one ends with a line feed, from the table's beginning on; answers the number of rows.
 * Stops where the table is full, or behind a first record that is of another form (`scanTo`). A line of nothing but white space is no record. `isValid`: all of it is UTF-8.
 */
export function scanLines(p: usize, end: usize, isValid: bool): u32 {
  rewindTo(table);
  lines = records = 0;
  while (p < end) {
    const from = p;
    p = skipBlanks(p);
    if (load<u8>(p) == LF) {
      p++;
      lines++;
      continue;
    }
    if (!hasRoom(2)) {
      p = from;
      break;
    }
    isOdd = isFull = isOther = false;
    flags = RECORD;
    isOpening = true;
    const first = push(RECORD, from, 0, 0);
    const tools = push(TOOLS, 0, 0, lines);
    let to: usize = 0;
    if (load<u8>(p) == OPEN_OBJECT) {
      to = record(p, tools);
      if (to != 0) {
        const after = skipBlanks(to);
        if (load<u8>(after) == LF && (isValid || isUtf8(from, after))) p = after;
        else to = 0;
      }
    }
    if (to == 0 || isOdd) {
      // A full table, unless this record alone fills it, is emptied first.
      if (isFull && first != table) {
        rewindTo(first);
        p = from;
        break;
      }
      rewindTo(tools + ROW_BYTES);
      flags = RECORD | SLOW | (to != 0 && isOther ? IS_OTHER : 0);
      // Without an end that is known the line's end is looked for.
      if (to == 0) p = lineEnd(from);
    }
    store<u32>(first, flags | (records << RECORD_SHIFT));
    store<u32>(first, <u32>p, 8);
    store<u32>(first, numberOf(row), 12);
    p++;
    lines++;
    records++;
    // Records of another form are for another reader, which is told by the first of them.
    if (isOther && records == 1) break;
  }
  stop = p;
  return numberOf(row);
}
