// One entry of a record: its members, and the rows of the messages that it means.

import { ASSISTANT, BODY, ESCAPED, HAS_LOSSES, HAS_PARTS, IN_PART, PARTS, SYSTEM, TOOL, USER } from '../../src/abi';
import {
  B_CALL, B_REDACTED, B_REPLY, B_THINKING, beginBlocks, BLOCK_BODY, BLOCK_BODY_TO, BLOCK_ID, BLOCK_ID_TO, BLOCK_KIND,
  blockAt, blocks, bodyFrom, bodyKind, bodyOf, bodyTo, hasOtherBlocks, isActing, parts,
} from './blocks';
import * as K from './keys';
import { after, firstKey, hasKey, hasLongKey, isKey, isLongKey, keyBehind, memberValue, valueAt } from './members';
import { writeAssistant, writeCall, writePlain, writeReply, writeSystem } from './messages';
import { beginRole, fromValue, isCall, role, roleValue } from './roles';
import {
  addFlag, BY_THEMSELVES, isOdd, loseFields, markActs, markElsewhere, markOdd, WRITTEN,
} from './state';
import { clearSeen, longEnd, NULL_4, OPEN_LIST, QUOTE, valueEnd } from './text';
import { isUsualCall, saidFrom, saidKind, saidTo, textCall, writtenCalls } from './text-call';
import { writtenReplies } from './text-replies';
import { NO_TOOLS, takeTools, TOOLS_AND_TEXT } from './text-tools';
import { beginEntryCalls, calls, CALLS, newCall, target, toolCalls } from './tool-calls';
import { beginMembers, countedValue, IN_ENTRY, kindOfBody, textFrom, textTo, textValue, wordValue } from './value';
import { refuseTags, tagIn } from './written';

/** What the entries of the record are: of chat, or of ShareGPT. */
const OF_CHAT: u32 = 1;
const OF_SHAREGPT: u32 = 2;
let form: u32 = 0;

export function beginEntries(): void { form = 0; }

/** Whether the entries that were met are of ShareGPT. */
export function isShareGpt(): bool { return form == OF_SHAREGPT; }

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
/** There are members that are none of these. */
let hasOthers: bool = false;
/** An assistant refuses: that is what it says where it has no content. */
let refuses: bool = false;

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
    const to = longEnd(p + 1);
    if (to == 0) return 0;
    contentFrom = p + 1;
    contentTo = to;
    contentKind = kindOfBody();
    return to + 1;
  }
  if (byte == OPEN_LIST) {
    beginBlocks();
    const to = parts(p);
    contentFrom = p;
    contentTo = to;
    contentKind = BODY | PARTS;
    // Texts are joined, which is told.
    if (hasOtherBlocks || blocks == 0) addFlag(HAS_PARTS);
    else loseFields(1);
    return to;
  }
  if (load<u32>(p) != NULL_4) markOdd();
  return valueEnd(p, IN_ENTRY);
}

/** All entries of a record are of one form, told by the first; others are for the host. */
function takeForm(has: u32): void {
  const isShareGpt = (has & (HAS_ROLE | HAS_FROM)) == HAS_FROM;
  if (form == 0) form = isShareGpt ? OF_SHAREGPT : OF_CHAT;
  const members = HAS_FROM | HAS_VALUE;
  if (form == OF_CHAT ? (has & members) != 0 : (has & members) != members || (has & ~members) != 0) markOdd();
}

/** The entry at hand is a record by itself. */
let isTurn: bool = false;

/**
 * The record at p, if it is a turn by itself (R-JSON), and says nothing but a text: it means the same then as an entry.
 * Else 0 or isOdd, and there are no rows.
 */
export function turn(p: usize): usize {
  isTurn = true;
  p = entry(p);
  isTurn = false;
  return p;
}

/** The entry at p, an object: its rows. */
export function entry(p: usize): usize {
  const from = p;
  let has: u32 = 0;
  beginRole();
  contentFrom = nameFrom = callIdFrom = thinkingFrom = 0;
  contentKind = 0;
  hasOthers = refuses = false;
  beginEntryCalls();
  beginBlocks();
  beginMembers(true);
  p = firstKey(p);
  if (p == 0) markOdd();
  for (; p != 0; p = keyBehind(p)) {
    let bit: u32 = 0;
    if (hasKey(p, 4, K.ROLE)) {
      bit = HAS_ROLE;
      p = roleValue(valueAt(p, 4));
    } else if (hasKey(p, 7, K.CONTENT)) {
      bit = HAS_CONTENT;
      p = contentValue(valueAt(p, 7));
    } else if (hasLongKey(p, 10, K.TOOL_CAL, K.TOOL_CALLS_END)) {
      bit = HAS_TOOL_CALLS;
      const before = calls;
      p = toolCalls(valueAt(p, 10));
      if (before > 0 && calls > before) markOdd();
    } else if (hasLongKey(p, 12, K.TOOL_CAL, K.TOOL_CALL_ID_END)) {
      bit = HAS_CALL_ID;
      p = wordValue(valueAt(p, 12), IN_ENTRY);
      callIdFrom = textFrom;
      callIdTo = textTo;
    } else if (hasKey(p, 4, K.NAME)) {
      bit = HAS_NAME;
      p = wordValue(valueAt(p, 4), IN_ENTRY);
      nameFrom = textFrom;
      nameTo = textTo;
    } else if (hasKey(p, 8, K.THINKING)) {
      bit = HAS_THINKING;
      p = thinking(valueAt(p, 8));
    } else if (hasLongKey(p, 9, K.REASONIN, K.REASONING_END)) {
      bit = HAS_REASONING;
      p = thinking(valueAt(p, 9));
      if (textFrom != 0 && textFrom != textTo) loseFields(1);
    } else if (hasLongKey(p, 17, K.REASONIN, K.REASONING_CONTENT_END) && load<u8>(p, 9) == 0x67) {
      bit = HAS_REASONING_CONTENT;
      p = thinking(valueAt(p, 17));
      if (textFrom != 0 && textFrom != textTo) loseFields(1);
    } else if (hasLongKey(p, 13, K.FUNCTION, K.FUNCTION_CALL_END)) {
      bit = HAS_FUNCTION_CALL;
      p = valueAt(p, 13);
      // Calls of the list come before that of this member: to have both is rare.
      if (load<u32>(p) != NULL_4) {
        if (calls > 0) markOdd();
        addFlag(HAS_LOSSES);
        p = target(p, newCall(), IN_ENTRY);
      } else p += 4;
    } else if (hasKey(p, 4, K.FROM)) {
      bit = HAS_FROM;
      p = fromValue(valueAt(p, 4));
    } else if (hasKey(p, 5, K.VALUE)) {
      bit = HAS_VALUE;
      p = valueAt(p, 5);
      // In an entry of chat it would be nothing.
      if ((has & HAS_CONTENT) != 0 || load<u8>(p) != QUOTE) markOdd();
      p = contentValue(p);
    } else {
      p = memberValue(p);
      // They belong to another form.
      if (isTurn || isKey(7, K.CHANNEL) || isLongKey(9, K.TOOL_CAL, K.TOOL_CALL_END)) markOdd();
      hasOthers = true;
      if (isKey(7, K.REFUSAL)) refuses = load<u32>(p) != NULL_4;
      p = countedValue(p, true);
    }
    if ((has & bit) != 0) markOdd();
    has |= bit;
  }
  p = after;
  if (p == 0) return 0;
  takeForm(has);
  if (isTurn) {
    if (has != (HAS_ROLE | HAS_CONTENT) || (contentKind & (BODY | PARTS)) != BODY || role > <u32>ASSISTANT) markOdd();
    refuseTags(role, contentKind, contentFrom, contentTo);
  }
  // Where nothing else is said, the host looks for what is said in other members.
  const further = has & ~(HAS_ROLE | HAS_CONTENT | HAS_NAME);
  if (contentKind == 0 && (hasOthers || further != 0) && (role != ASSISTANT || refuses || !acts())) markOdd();
  if (isOdd) return p;
  if (isCall) {
    if (form == OF_CHAT && has != (HAS_ROLE | HAS_CONTENT)) markOdd();
    else writeTextCall(from, p);
    return p;
  }
  if (isActing) {
    writeBlocks(from, p, has);
    return p;
  }
  if (calls > 0) markActs(BY_THEMSELVES);
  if (losesMembers(has)) addFlag(HAS_LOSSES);
  if (contentKind != 0 && tagIn(role, contentKind, contentFrom, contentTo) != 0 && takeWritten(from, p)) return p;
  if (role == ASSISTANT) writeOfAssistant(from, p, thinkingKind, thinkingFrom, thinkingTo);
  else if (role == TOOL) {
    writeReply(from, p, callIdFrom, callIdTo, nameFrom, nameTo, contentKind, contentFrom, contentTo);
  } else writePlain(role, from, p, nameFrom, nameTo, contentKind, contentFrom, contentTo);
  return p;
}

/** Whether there are calls, or thinking that is not empty. */
function acts(): bool { return calls > 0 || (thinkingFrom != 0 && thinkingFrom != thinkingTo); }

/**
 * The content of the entry [from, to) holds a tag: takes what is written between tags, which an assistant's messages
 * have then. True: the entry's messages are written.
 */
function takeWritten(from: usize, to: usize): bool {
  if ((contentKind & PARTS) != 0 || (role == ASSISTANT && calls > 0)) {
    markOdd();
    return true;
  }
  if (role == SYSTEM) {
    const found = takeTools(contentFrom, contentTo);
    if (found == TOOLS_AND_TEXT) writeSystem(from, to, nameFrom, nameTo, contentKind, contentFrom, contentTo);
    return found != NO_TOOLS;
  }
  if (role == ASSISTANT) {
    if (!writtenCalls(contentFrom, contentTo)) return false;
    contentKind = saidKind;
    contentFrom = saidFrom;
    contentTo = saidTo;
  } else if (!writtenReplies(
    role, from, to, callIdFrom, callIdTo, nameFrom, nameTo, contentFrom, contentTo,
  )) return false;
  markElsewhere();
  markActs(WRITTEN);
  loseFields(1);
  return role != ASSISTANT || isOdd;
}

/** Members are there that the role has no place for. Empty content beside calls, or none at all, is counted. */
function losesMembers(has: u32): bool {
  if (role != ASSISTANT) return thinkingFrom != 0 || calls > 0 || (role != TOOL && callIdFrom != 0);
  const isEmpty = contentFrom != 0 && contentFrom == contentTo;
  if (calls > 0 && (isEmpty || (has & HAS_CONTENT) == 0)) loseFields(1);
  return callIdFrom != 0;
}

function writeOfAssistant(from: usize, to: usize, kind: u32, thoughtFrom: usize, thoughtTo: usize): void {
  writeAssistant(
    from, to, nameFrom, nameTo, kind, thoughtFrom, thoughtTo, contentKind, contentFrom, contentTo,
  );
}

/** Writes the call that is the text of the turn [from, to). */
function writeTextCall(from: usize, to: usize): void {
  markElsewhere();
  markActs(BY_THEMSELVES);
  // Nothing in it is escaped that need not be.
  if (contentKind != (BODY | ESCAPED) || !textCall(contentFrom, contentTo)) markOdd();
  else {
    if (!isUsualCall(contentFrom, contentTo)) addFlag(HAS_LOSSES);
    store<u32>(CALLS, load<u32>(CALLS, 24) | IN_PART, 24);
    writeCall(CALLS, from, to, 0, 0);
  }
}

/** Writes the messages of the entry [from, to) that has blocks as Anthropic has them. */
function writeBlocks(from: usize, to: usize, has: u32): void {
  if (form != OF_CHAT || (has & ~(HAS_ROLE | HAS_CONTENT)) != 0) markOdd();
  refuseTags(role, contentKind, contentFrom, contentTo);
  if (isOdd) return;
  addFlag(HAS_LOSSES);
  markElsewhere();
  if (role == ASSISTANT) writeActs(from, to);
  else if (role == USER) writeReplies(from, to);
  else markOdd();
}

/** Thinking, what is said, calls: in this order they are one entry. */
function writeActs(from: usize, to: usize): void {
  let thought: usize = 0;
  let said = -1;
  let saidTo = 0;
  for (let i = 0; i < blocks; i++) {
    const at = blockAt(i);
    const what = load<u32>(at);
    if (what == B_REDACTED) continue;
    if (what == B_THINKING) {
      if (thought != 0 || said >= 0 || calls > 0) markOdd();
      thought = at;
    } else if (what == B_CALL) {
      const call = newCall();
      memory.copy(call, at + BLOCK_ID, 16);
      memory.copy(call + 16, at + BLOCK_BODY, 8);
      store<u32>(call, load<u32>(at, BLOCK_KIND), 24);
    } else {
      if (what == B_REPLY || calls > 0 || (said >= 0 && saidTo != i)) markOdd();
      if (said < 0) said = i;
      saidTo = i + 1;
    }
  }
  if (thought == 0 && said < 0 && calls == 0) markOdd();
  contentKind = 0;
  if (said >= 0) {
    bodyOf(said, saidTo);
    contentKind = bodyKind;
    contentFrom = bodyFrom;
    contentTo = bodyTo;
  }
  if (thought == 0) writeOfAssistant(from, to, 0, 0, 0);
  else writeOfAssistant(from, to, load<u32>(thought, BLOCK_KIND), load<u32>(thought, BLOCK_BODY),
    load<u32>(thought, BLOCK_BODY_TO));
}

/** Replies, and what a user says between them. */
function writeReplies(from: usize, to: usize): void {
  for (let i = 0; i < blocks; ) {
    const at = blockAt(i);
    const what = load<u32>(at);
    if (what == B_REPLY) {
      writeReply(
        from, to, load<u32>(at, BLOCK_ID), load<u32>(at, BLOCK_ID_TO), 0, 0, load<u32>(at, BLOCK_KIND),
        load<u32>(at, BLOCK_BODY), load<u32>(at, BLOCK_BODY_TO),
      );
      i++;
      continue;
    }
    const first = i;
    for (; i < blocks && load<u32>(blockAt(i)) != B_REPLY; i++) if (load<u32>(blockAt(i)) >= B_THINKING) markOdd();
    bodyOf(first, i);
    writePlain(USER, from, to, 0, 0, bodyKind, bodyFrom, bodyTo);
  }
}
