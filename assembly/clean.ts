// Messages of which nothing is to be told, passed over as rows; and a list of those that the host must look at, with
// what it needs of their headers. The simple version is src/rules/message-findings.ts, which makes a view of each.
//
// Clean is a plain message, well ended, with nothing in its body but text, escapes and literal blocks, whose content is
// of the type that its header names. A call must be of a tool that is known, with arguments that fit, and a reply must
// answer one; definitions must be known. Bodies are looked at only before the first byte that is no UTF-8. When one
// message of a transcript is listed, the host takes the rest of its calls, replies and definitions over, and these are
// listed as well.

import {
  ANALYSIS, ASSISTANT, BY_ROLE, CALL, CHANNEL, CHANNEL_MASK, CHANNEL_SHIFT, CLEAN_BODY, CLEAN_BODY_TO, CLEAN_CALL,
  CLEAN_DEFINER, CLEAN_DEPTH, CLEAN_FLAGS, CLEAN_ID, CLEAN_ID_TO, CLEAN_ITEM, CLEAN_JSON, CLEAN_KIND, CLEAN_LAST,
  CLEAN_LAST_TO, CLEAN_LIST, CLEAN_LISTED, CLEAN_MESSAGES, CLEAN_MOST, CLEAN_NAME, CLEAN_NAME_TO, CLEAN_NEEDS_CHANNEL,
  CLEAN_OTHER, CLEAN_REPLY, CLEAN_ROW, CLEAN_STOPS, CLEAN_TAG, CLEAN_VALID, CLEAN_WORDS, COMMENTARY, DEVELOPER, EOF_END,
  END, ESCAPE, FIELD, FINAL, HAS_LINE, IMPLICIT_END, IMPLIED, KEPT_DEFINES, KEPT_EMPTY, KEPT_UNKNOWN, KIND_MASK,
  LEDGER_BY_HOST, LEDGER_NEEDS_COMMENTARY, LEDGER_NEEDS_IDS, LEDGER_NEEDS_RECIPIENT, LITERAL, LONGEST_DEFINER, MESSAGE,
  NEXT, NO_BODY_TOKEN, PLAIN, RECIPIENT_MASK, RECIPIENT_SHIFT, RETURN, ROLE_MASK, ROLE_SHIFT, TOKEN_MASK, TOKEN_SHIFT,
  TOOL, TO_TOOL, USER,
} from '../src/abi';
import { jsonWhole } from './json';
import { keptNumber, keptState, toolAt } from './kept';
import { addCall, answer, define, handOver, ledgerRules, toolsInForce } from './ledger';
import { textFits } from './record/fit';
import { findBoth, findPair } from './pair';
import { numbered, table } from './rows';
import { flags as dialectFlags, window } from './state';
import { isBlank, keyAt, roleAt, wordEnd, wordId, wordLength } from './words';

// @ts-ignore: decorator
@lazy export const CLEAN: usize = memory.data(CLEAN_WORDS << 2, 16);

const FORM: u32 = MESSAGE | PLAIN;
const FORM_MASK: u32 = KIND_MASK | PLAIN | IMPLIED | BY_ROLE | NO_BODY_TOKEN | IMPLICIT_END | EOF_END;

/** Lengths of `<|start|>`, `<|message|>` and `<|channel|>`, `<|constrain|>`. */
const START_BYTES: usize = 9;
const NAME_BYTES: usize = 11;
const CONSTRAIN_BYTES: usize = 13;

// What the header at hand says; 0: nothing. Of a word's end only what has a beginning counts.
let id: usize = 0;
let idTo: usize = 0;
let name: usize = 0;
let nameTo: usize = 0;
let recipient: usize = 0;
let recipientTo: usize = 0;
let type: usize = 0;
let typeTo: usize = 0;
/** Behind a channel a word that stands alone: a type where nothing else names one. */
let bare: usize = 0;
let bareTo: usize = 0;
/** The intent is another one than that of most, about which the host knows more. */
let isOddIntent: bool = false;

/**
 * Of the message at hand: its number among the texts that are kept; its body's row and bytes, and whether nothing
 * stands below it but fields and body.
 */
let kept: u32 = 0;
let body: usize = 0;
let bodyFrom: usize = 0;
let bodyTo: usize = 0;
let isLeaf: bool = false;

// @ts-ignore: decorator
@inline
function setting(word: i32): u32 { return load<u32>(CLEAN + (<usize>word << 2)); }

// @ts-ignore: decorator
@inline
function from(row: usize): usize { return window + <usize>load<u32>(row, 4); }

// @ts-ignore: decorator
@inline
function to(row: usize): usize { return window + <usize>load<u32>(row, 8); }

// @ts-ignore: decorator
@inline
function bits(word: u32, shift: i32, mask: u32): u32 { return (word >> shift) & mask; }

/** Why a message that has rows [at, next) is for the host: CLEAN_…; 0: nothing is to be told of it. */
function reasonOf(at: usize, next: usize, word: u32): u32 {
  const role = bits(word, ROLE_SHIFT, ROLE_MASK);
  if ((dialectFlags & HAS_LINE) != 0) {
    // Of the known keys `intent=` alone ends so.
    const isLine = role >= <u32>USER && at + 32 == next && !mayThink(role, at + 16);
    return isLine && findPair(from(at), from(at + 16), 0x74, 0x3d) == 0 ? 0 : CLEAN_OTHER;
  }
  const token = bits(word, TOKEN_SHIFT, TOKEN_MASK);
  const channel = bits(word, CHANNEL_SHIFT, CHANNEL_MASK);
  const isCall = bits(word, RECIPIENT_SHIFT, RECIPIENT_MASK) == TO_TOOL;
  if (channel == 0 && role >= <u32>ASSISTANT && (setting(CLEAN_FLAGS) & CLEAN_NEEDS_CHANNEL) != 0) return CLEAN_OTHER;
  if (role == ASSISTANT) {
    if ((token == CALL) != isCall || (token == RETURN && channel != 0 && channel != FINAL)) return CLEAN_OTHER;
  } else if (token != END) return CLEAN_OTHER;
  // Nothing but role, channel and body: most messages.
  const leaf = channel == 0 ? at + 16 : at + 32;
  if (role >= <u32>USER && role <= <u32>ASSISTANT && !isCall && leaf + 16 == next) {
    const bytes =
      START_BYTES + NAME_BYTES + (role == USER ? 4 : 9) + (channel == 0 ? 0 : NAME_BYTES + channelBytes(channel));
    if (from(leaf) - from(at) == bytes) return channel == ANALYSIS || !mayThink(role, leaf) ? 0 : CLEAN_OTHER;
  }
  if (!readBelow(at, next)) return CLEAN_OTHER;
  readHeader(at);
  if (isOddIntent) return CLEAN_OTHER;
  const rules = ledgerRules();
  const isKnown = (rules & LEDGER_BY_HOST) == 0;
  if (role == TOOL) {
    if (name == 0 && (rules & LEDGER_NEEDS_IDS) != 0) return CLEAN_OTHER;
    if (recipient == 0 && (rules & LEDGER_NEEDS_RECIPIENT) != 0) return CLEAN_OTHER;
    if (!isOfType(at)) return CLEAN_OTHER;
    const plain = name == 0 ? name : plainName(name, nameTo);
    return isKnown && answer(id, idTo, plain, nameTo) ? 0 : CLEAN_REPLY;
  }
  if (isCall) {
    if (role != ASSISTANT || !isLeaf || to(at) > window + <usize>setting(CLEAN_VALID)) return CLEAN_OTHER;
    const json = isJson();
    if (!json && !isFree()) return CLEAN_OTHER;
    return isKnown && isKnownCall(at, channel, json) ? 0 : json ? CLEAN_CALL | CLEAN_JSON : CLEAN_CALL;
  }
  if (!isOfType(at) || (channel != ANALYSIS && mayThink(role, body))) return CLEAN_OTHER;
  if (role <= <u32>DEVELOPER) {
    const length = bodyTo - bodyFrom;
    if (!isLeaf || length > <usize>LONGEST_DEFINER) return CLEAN_OTHER;
    kept = keptNumber(bodyFrom, length, setting(CLEAN_TAG) | role);
    const state = kept == 0 ? KEPT_UNKNOWN : keptState(kept);
    const isClear = kept == 0 ? findBoth(bodyFrom, bodyTo, 0x7b, 0, 0x7b) == 0
      : isKnown && (state == KEPT_EMPTY || (state == KEPT_DEFINES && define(kept)));
    if (!isClear) return CLEAN_DEFINER;
  }
  return 0;
}

/** `functions.` and `s.` */
const FUNCTION_8: u64 = 0x6e6f6974636e7566;
const S_DOT_2: u16 = 0x2e73;

/** Where the name of a tool begins as names are compared. */
function plainName(word: usize, end: usize): usize {
  return end - word >= 10 && load<u64>(word) == FUNCTION_8 && load<u16>(word, 8) == S_DOT_2 ? word + 10 : word;
}

/** Whether the call at hand is one of which nothing is to be told; it is in the ledger then. */
function isKnownCall(at: usize, channel: u32, json: bool): bool {
  if (channel != COMMENTARY && (ledgerRules() & LEDGER_NEEDS_COMMENTARY) != 0) return false;
  const plain = plainName(recipient, recipientTo);
  const tools = toolsInForce();
  let node: usize = 0;
  if (tools != 0) {
    const tool = toolAt(tools, plain, recipientTo);
    if (tool == 0) return false;
    node = load<u32>(tool, 8);
  }
  if (node != 0) {
    if (!fitsNode(bodyFrom, bodyTo, node)) return false;
  } else if (json && jsonWhole(bodyFrom, bodyTo, setting(CLEAN_DEPTH) | 0x80000000) != 0) return false;
  else if (findPair(bodyFrom, bodyTo, 0x5f, 0x63) + findPair(bodyFrom, bodyTo, 0x5f, 0x6d)
    + findPair(bodyFrom, bodyTo, 0x5c, 0x75) != 0) return false;
  return addCall(base + <f64>load<i32>(at, 4), base + <f64>load<i32>(body, 4), id, idTo, plain, recipientTo);
}

/** Whether [p, end) is JSON that fits a node. What follows is a token or another byte that is put back. */
export function fitsNode(p: usize, end: usize, node: usize): bool {
  const byte = load<u8>(end);
  store<u8>(end, 0);
  const does = textFits(p, end, node, true);
  store<u8>(end, byte);
  return does;
}

// @ts-ignore: decorator
@inline
function channelBytes(channel: u32): usize { return channel == FINAL ? 5 : channel == ANALYSIS ? 8 : 10; }

/** Finds the body. False: below is what something is told of, or may be. */
function readBelow(at: usize, next: usize): bool {
  at += 16;
  while ((load<u32>(at) & KIND_MASK) == FIELD) at += 16;
  body = at;
  bodyFrom = from(at);
  bodyTo = to(at);
  at += 16;
  isLeaf = at == next;
  for (; at < next; at += 16) {
    const kind = load<u32>(at) & KIND_MASK;
    if (kind != ESCAPE && kind != LITERAL) return false;
  }
  return true;
}

/** A field ends with a token. */
function afterBlanks(p: usize): usize {
  while (isBlank(load<u8>(p))) p++;
  return p;
}

/** Where the word at p ends; not later than `end`. */
function afterWord(p: usize, end: usize): usize { return wordEnd(p, end); }

/** Reads a plain header (README.md): known words and attributes, each once. */
function readHeader(at: usize): void {
  id = name = recipient = type = bare = 0;
  isOddIntent = false;
  const end = bodyFrom - NAME_BYTES;
  let field = at + 16;
  let p = from(at) + START_BYTES;
  let fieldTo = field == body ? end : from(field);
  p = afterBlanks(p);
  const role = roleAt(p);
  if (wordId(role) != 0) p += wordLength(role);
  else {
    // `functions.<name>`
    name = p;
    p = nameTo = afterWord(p, fieldTo);
  }
  readRest(p, fieldTo);
  for (; field != body; field = field + 16) {
    fieldTo = field + 16 == body ? end : from(field + 16);
    p = from(field);
    const isChannel = bits(load<u32>(field), TOKEN_SHIFT, TOKEN_MASK) == CHANNEL;
    p += isChannel ? NAME_BYTES : CONSTRAIN_BYTES;
    p = afterBlanks(p);
    const first = p;
    p = afterWord(p, fieldTo);
    if (isChannel) readRest(p, fieldTo);
    else {
      type = first;
      typeTo = p;
    }
  }
  if (type == 0) {
    type = bare;
    typeTo = bareTo;
  }
}

/** Further words of a field: attributes, and behind a channel a word that stands alone. */
function readRest(p: usize, end: usize): void {
  while (p < end) {
    const first = afterBlanks(p);
    if (first >= end) return;
    p = afterWord(first, end);
    const key = keyAt(first);
    const value = first + <usize>(key & 0xff);
    switch (key >> 8) {
      case 0:
        bare = first;
        bareTo = p;
        break;
      case 8:
        recipient = value;
        recipientTo = p;
        break;
      case 16:
        // What a role names counts before it.
        if (name == 0) {
          name = value;
          nameTo = p;
        }
        break;
      case 32:
        isOddIntent = p - value != 8 || load<u64>(value) != PREAMBLE_8;
        break;
      case 64:
        id = value;
        idTo = p;
        break;
      case 128:
        type = value;
        typeTo = p;
        break;
      default:
        break;
    }
  }
}

/** `preamble` */
const PREAMBLE_8: u64 = 0x656c626d61657270;
const JSON_4: u32 = 0x6e6f736a;
const TEXT_4: u32 = 0x74786574;
/** `markdown` */
const MARKDOWN_8: u64 = 0x6e776f646b72616d;

/** The header names a type that any text is of, or none. */
function isFree(): bool {
  if (type == 0) return true;
  const length = typeTo - type;
  return length == 4 ? load<u32>(type) == TEXT_4 : length == 8 && load<u64>(type) == MARKDOWN_8;
}

function isJson(): bool {
  return type != 0 && typeTo - type == 4 && load<u32>(type) == JSON_4;
}

/** The body of the message at row `at` is of the type that the header names. False: it is not, or nobody knows. */
function isOfType(at: usize): bool {
  if (isFree()) return true;
  if (!isJson() || !isLeaf || to(at) > window + <usize>setting(CLEAN_VALID)) return false;
  return jsonWhole(bodyFrom, bodyTo, setting(CLEAN_DEPTH) | 0x80000000) == 0;
}

/** Whether reasoning may be written as text in the body at a row (R-THINK): `<think>` and `</think>` end alike. */
function mayThink(role: u32, row: usize): bool {
  return role == ASSISTANT && findPair(from(row), to(row), 0x6b, 0x3e) != 0;
}

/** Below 0 when there is none. */
function position(word: usize): i32 { return <i32>(word - window); }

/** Adds the message at row `at` to the list. */
function list(item: usize, at: usize, why: u32): void {
  const isCall = (why & 0xff) == CLEAN_CALL;
  store<u32>(item, why, CLEAN_KIND << 2);
  store<i32>(item, <i32>((at - table) >> 4), CLEAN_ROW << 2);
  store<i32>(item, why == CLEAN_DEFINER ? <i32>kept : position(id), CLEAN_ID << 2);
  store<i32>(item, position(idTo), CLEAN_ID_TO << 2);
  store<i32>(item, position(isCall ? recipient : name), CLEAN_NAME << 2);
  store<i32>(item, position(isCall ? recipientTo : nameTo), CLEAN_NAME_TO << 2);
  store<i32>(item, load<i32>(body, 4), CLEAN_BODY << 2);
  store<i32>(item, load<i32>(body, 8), CLEAN_BODY_TO << 2);
}

/** Position of the window's first byte in the input. */
let base: f64 = 0;

/**
 * Passes over messages from table row `first` on, below row `last`, all of one transcript; stops before anything else,
 * and before a role whose bit is in CLEAN_STOPS. `windowAt`: position of the window's first byte in the input. Answers
 * the row where it stopped.
 */
export function skipClean(first: i32, last: i32, windowAt: f64): i32 {
  base = windowAt;
  let at = table + (<usize>first << 4);
  const end = table + (<usize>last << 4);
  const shift = table - (<usize>numbered << 4);
  const stops = setting(CLEAN_STOPS);
  let messages: i32 = 0;
  let listed: i32 = 0;
  while (at < end && listed < CLEAN_MOST) {
    const word = load<u32>(at);
    if ((word & KIND_MASK) != MESSAGE) break;
    const isPlain = (word & PLAIN) != 0;
    if (stops != 0 && (!isPlain || ((stops >> bits(word, ROLE_SHIFT, ROLE_MASK)) & 1) != 0)) break;
    const next = shift + (<usize>load<u32>(at, NEXT << 2) << 4);
    const why = (word & FORM_MASK) == FORM ? reasonOf(at, next, word) : CLEAN_OTHER;
    if (why != 0) {
      handOver();
      list(CLEAN + (CLEAN_LIST << 2) + <usize>listed * (CLEAN_ITEM << 2), at, why);
      listed++;
    }
    store<u32>(CLEAN, word, CLEAN_LAST << 2);
    store<u32>(CLEAN, load<u32>(at, 8), CLEAN_LAST_TO << 2);
    messages++;
    at = next;
  }
  store<i32>(CLEAN, messages, CLEAN_MESSAGES << 2);
  store<i32>(CLEAN, listed, CLEAN_LISTED << 2);
  return <i32>((at - table) >> 4);
}
