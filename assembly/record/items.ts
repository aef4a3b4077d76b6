// Items of OpenAI's Responses: each is a message of its own (src/formats/chat/responses.ts).

import { ANALYSIS, ASSISTANT, BODY, FINAL, IN_PART, PARTS, TOOL } from '../../src/abi';
import {
  beginBlocks, blockAt, blocks, BLOCK_BODY, BLOCK_BODY_TO, bodyFrom, bodyKind, bodyTo, B_TEXT, isActing,
  textOrParts,
} from './blocks';
import * as K from './keys';
import { after, firstItem, firstKey, isKey, isLongKey, memberValue, nextItem, nextKey } from './members';
import { makePreamble, writeCall, writePlain, writeReply, writeSaid } from './messages';
import { role, roleValue } from './roles';
import { isOdd, markElsewhere, markOdd } from './state';
import { OPEN_OBJECT, QUOTE, valueEnd } from './text';
import { argumentsValue, beginEntryCalls, newCall } from './tool-calls';
import { IN_ENTRIES, IN_ENTRY, otherValue, textFrom, textTo, wordValue } from './value';
import { refuseTags } from './written';

const M6: u64 = 0xffffffffffff;
const M7: u64 = 0xffffffffffffff;

// What an item is.
const I_NONE: u32 = 0;
const I_MESSAGE: u32 = 1;
const I_REASONING: u32 = 2;
const I_CALL: u32 = 3;
const I_OUTPUT: u32 = 4;

/** Items of the record. */
export let items: u32 = 0;
/** The message of an assistant that a call may follow; 0: none. */
let said: usize = 0;

export function beginItems(): void {
  items = 0;
  said = 0;
}

/** What a type, at its value, says. */
function typeOf(p: usize): u32 {
  const word = load<u64>(p);
  if (word == 0x6567617373656d22) return load<u8>(p, 8) == QUOTE ? I_MESSAGE : I_NONE;
  if (word == 0x696e6f7361657222) return load<u32>(p, 7) == 0x22676e69 ? I_REASONING : I_NONE;
  if (word != 0x6f6974636e756622) return I_NONE;
  const rest = load<u64>(p, 8);
  if ((rest & M7) == 0x226c6c61635f6e) return I_CALL;
  return rest == 0x6f5f6c6c61635f6e && (load<u64>(p, 16) & M6) == 0x227475707475 ? I_OUTPUT : I_NONE;
}

/** The list of items at p. */
export function itemList(p: usize): usize {
  for (p = firstItem(p); p != 0; p = nextItem(p)) {
    if (load<u8>(p) == OPEN_OBJECT) p = item(p);
    else {
      markOdd();
      p = valueEnd(p, IN_ENTRIES);
    }
    items++;
  }
  return after;
}

/** A text or parts: kind (0: none), span; and whether its text is empty for certain, or may be. */
let textKind: u32 = 0;
let bodyStart: usize = 0;
let bodyEnd: usize = 0;
let isEmpty: bool = false;
let mayBeEmpty: bool = false;

function textMember(p: usize): usize {
  beginBlocks();
  p = textOrParts(p, IN_ENTRY);
  if (p == 0) return 0;
  if (isActing) markOdd();
  textKind = bodyKind;
  bodyStart = bodyFrom;
  bodyEnd = bodyTo;
  isEmpty = bodyKind == 0 || (bodyKind == (BODY | PARTS) && blocks == 0);
  mayBeEmpty = false;
  if (isEmpty) return p;
  if ((bodyKind & PARTS) == 0) isEmpty = bodyFrom == bodyTo;
  else {
    mayBeEmpty = true;
    for (let i = 0; i < blocks; i++) {
      const at = blockAt(i);
      if (load<u32>(at) == B_TEXT && load<u32>(at, BLOCK_BODY) != load<u32>(at, BLOCK_BODY_TO)) mayBeEmpty = false;
    }
  }
  return p;
}

/** The item at p, an object: its rows. */
function item(p: usize): usize {
  const from = p;
  let has: u32 = 0;
  let type = I_NONE;
  let contentKind: u32 = 0;
  let contentFrom: usize = 0;
  let contentTo: usize = 0;
  let isThought = false;
  let isOpenThought = false;
  let isThere = false;
  let summaryKind: u32 = 0;
  let summaryFrom: usize = 0;
  let summaryTo: usize = 0;
  let isSummary = false;
  let isOpenSummary = false;
  let outputKind: u32 = 0;
  let outputFrom: usize = 0;
  let outputTo: usize = 0;
  let idFrom: usize = 0;
  let idTo: usize = 0;
  let itemRole: u32 = 0;
  beginEntryCalls();
  const call = newCall();
  p = firstKey(p);
  if (p == 0) markOdd();
  for (; p != 0; p = nextKey(p)) {
    p = memberValue(p);
    if (p == 0) return 0;
    let bit: u32 = 0;
    if (isKey(4, K.TYPE)) {
      bit = 1;
      type = typeOf(p);
      if (type == I_NONE) markOdd();
      p = valueEnd(p, IN_ENTRY);
    } else if (isKey(4, K.ROLE)) {
      bit = 2;
      p = roleValue(p);
      itemRole = role;
    } else if (isKey(7, K.CONTENT)) {
      bit = 4;
      const isList = load<u8>(p) != QUOTE;
      p = textMember(p);
      contentKind = textKind;
      contentFrom = bodyStart;
      contentTo = bodyEnd;
      isThere = !isList || (textKind != 0 && blocks > 0);
      isThought = !isEmpty;
      isOpenThought = mayBeEmpty;
    } else if (isKey(7, K.SUMMARY)) {
      bit = 8;
      p = textMember(p);
      // Its place is the item's.
      summaryKind = textKind | IN_PART;
      summaryFrom = bodyStart;
      summaryTo = bodyEnd;
      isSummary = !isEmpty;
      isOpenSummary = mayBeEmpty;
    } else if (isKey(6, K.OUTPUT)) {
      bit = 16;
      p = textMember(p);
      outputKind = textKind;
      outputFrom = bodyStart;
      outputTo = bodyEnd;
    } else if (isKey(7, K.CALL_ID)) {
      bit = 32;
      p = wordValue(p, IN_ENTRY);
      idFrom = textFrom;
      idTo = textTo;
    } else if (isKey(4, K.NAME)) {
      bit = 64;
      p = wordValue(p, IN_ENTRY);
      store<u32>(call, <u32>textFrom, 8);
      store<u32>(call, <u32>textTo, 12);
    } else if (isLongKey(9, K.ARGUMENT, K.ARGUMENT_END)) {
      bit = 128;
      p = argumentsValue(p, call, IN_ENTRY);
    } else {
      if (isKey(5, K.PHASE)) markOdd();
      p = otherValue(p, IN_ENTRY);
    }
    if ((has & bit) != 0) markOdd();
    has |= bit;
  }
  p = after;
  if (p == 0) return 0;
  markElsewhere();
  if ((has & 1) == 0) type = (has & 2) != 0 ? I_MESSAGE : I_NONE;
  if (type == I_NONE || ((has & 2) != 0 && type != I_MESSAGE)) markOdd();
  if (isOdd) return p;
  if (type == I_MESSAGE) {
    said = 0;
    refuseTags(itemRole, contentKind, contentFrom, contentTo);
    if (itemRole == ASSISTANT) said = writeSaid(FINAL, from, p, 0, 0, contentKind, contentFrom, contentTo);
    else if (itemRole == TOOL) markOdd();
    else writePlain(itemRole, from, p, 0, 0, contentKind, contentFrom, contentTo);
  } else if (type == I_REASONING) {
    // A summary stands for reasoning that is not there.
    if (isThere ? isOpenThought : isOpenSummary) markOdd();
    if (isThere && isThought) writeSaid(ANALYSIS, from, p, 0, 0, contentKind, contentFrom, contentTo);
    else if (!isThere && isSummary) writeSaid(ANALYSIS, from, p, 0, 0, summaryKind, summaryFrom, summaryTo);
  } else if (type == I_CALL) {
    store<u32>(call, <u32>idFrom);
    store<u32>(call, <u32>idTo, 4);
    if (said != 0) makePreamble(said);
    said = 0;
    writeCall(call, from, p, 0, 0);
  } else {
    said = 0;
    refuseTags(TOOL, outputKind, outputFrom, outputTo);
    writeReply(from, p, idFrom, idTo, 0, 0, outputKind, outputFrom, outputTo);
  }
  return p;
}
