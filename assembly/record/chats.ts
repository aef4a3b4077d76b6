// Records as chat records of OpenAI: one line each, as src/formats/chat/write.ts writes them.
//
// The simple version reads the record and writes it anew. Here the contents are copied, and what stands between them
// depends on the kind of a message alone. The host gives these pieces (src/formats/chat/record-chats.ts), by their
// numbers below.

import {
  ABSENT, ASSISTANT, ELSEWHERE, LACKS_ID, RECORD_ROWS, RECORD_SHIFT, ROLE_MASK, ROLE_SHIFT, ROW_BYTES,
} from '../../src/abi';
import { copy, writeNumber } from '../text-line';
import {
  addCall, beginCalls, body, idFrom, idLength, makeCountedId, nameFrom, nameLength, readBelow, rowAt, takeReply,
} from './calls';
import { isWhole, putContent, putText } from './contents';
import {
  KIND_ANALYSIS, KIND_BARE, KIND_CALL, KIND_FINAL, KIND_PREAMBLE, KIND_TOOL, kindOf, KIND_USER, piece,
  quoted,
} from './lines';
import { holdsNamespace, holdsPair, MARKER_END } from './tags';
import { CLOSE_LIST, CLOSE_OBJECT, COMMA, NULL_4, QUOTE, SEEN_CODE, SEEN_LONE, skipBlanks } from './text';
import { innerFrom, innerTo, saidFrom, saidTo, splitsUsual } from './thought';

const BEGINNING: u32 = 0;
/** Of an id that is missing, up to the record's number. */
const ID_OF_PLACE: u32 = 1;
const MESSAGES: u32 = 2;
const END: u32 = 3;
const BEFORE_NAME: u32 = 4;
const BEFORE_CONTENT: u32 = 5;
const NO_CONTENT: u32 = 6;
const BEFORE_THINKING: u32 = 7;
const BEFORE_CALLS: u32 = 8;
const BEFORE_CALL: u32 = 9;
const BEFORE_TOOL: u32 = 10;
const BEFORE_ARGUMENTS: u32 = 11;
const AFTER_CALL: u32 = 12;
const BEFORE_CALL_ID: u32 = 13;
/** By the kind. */
const ROLES: u32 = 14;

// The record at hand.
let lacksIds: bool = false;
/** Its replies are matched to their calls: one of them may need the id or the name. */
let isMatched: bool = false;
let record: u32 = 0;
let index: u32 = 0;
/** The row of the message at hand, and the one behind it. */
let message: usize = 0;
let after: usize = 0;

function byte(q: usize, value: u32): usize {
  store<u8>(q, value);
  return q + 1;
}

/**
 * Begins the line of the record whose RECORD row is `at`, up to its messages: pieces 0 to 2, its id, its definitions.
 * 0: it is for the host.
 */
export function openRecord(q: usize, at: usize, end: usize, tools: usize, records: f64): usize {
  const row = at + RECORD_ROWS * ROW_BYTES;
  if (row == end || isTurn(at, row)) return 0;
  q = putId(piece(q, BEGINNING), at, records, ID_OF_PLACE);
  if (q == 0) return 0;
  if (tools != 0) q = copy(q, load<u32>(tools), load<u32>(tools) + load<u32>(tools, 4));
  return piece(q, MESSAGES);
}

/**
 * Writes the record of row `number`, whose rows end at `end`, at q. `tools`: where the text of its definitions is told,
 * or 0; `records`: number of the table's first record. Answers its end; 0: it is for the host.
 */
export function writeChat(q: usize, number: u32, end: usize, tools: usize, records: f64): usize {
  const at = rowAt(number);
  let row = at + RECORD_ROWS * ROW_BYTES;
  q = openRecord(q, at, end, tools, records);
  if (q == 0) return 0;
  record = number;
  index = 0;
  lacksIds = (load<u32>(at) & LACKS_ID) != 0;
  isMatched = lacksIds || (load<u32>(at, ROW_BYTES) & ELSEWHERE) != 0;
  beginCalls();
  let isOpen = false;
  for (; row < end; row = after) {
    const word = load<u32>(row);
    if (((word >> ROLE_SHIFT) & ROLE_MASK) == ASSISTANT) {
      // Calls or thinking alone, and an assistant again: their entries may be one in the end.
      if (isOpen) return 0;
      q = putAssistant(q, row, end);
      isOpen = isUnsaid;
    } else {
      q = putOther(q, row, kindOf(word), tools == 0);
      isOpen = false;
    }
    if (q == 0) return 0;
    if (after < end) q = byte(q, COMMA);
  }
  return piece(q, END);
}

/** A record whose first message is at a row is a turn by itself. */
export function isTurn(at: usize, row: usize): bool { return <usize>load<u32>(row, 4) == skipBlanks(load<u32>(at, 4)); }

/** The id, or one that tells the place, with a piece before it; 0: it is none that is written as it stands. */
export function putId(q: usize, at: usize, records: f64, place: u32): usize {
  const id = at + 2 * ROW_BYTES;
  const from = <usize>load<u32>(id, 4);
  if (from == 0 || load<u32>(from) == NULL_4) {
    return byte(writeNumber(piece(q, place), records + <f64>(load<u32>(at) >> RECORD_SHIFT)), QUOTE);
  }
  // An integer was seen to be plain.
  if (load<u8>(from) == QUOTE && ((load<u32>(id) >> 8) & (SEEN_CODE | SEEN_LONE)) != 0) return 0;
  return copy(q, from, load<u32>(id, 8));
}

/** Begins with the message at a row; what stands below it is at hand then. */
function begin(row: usize): void {
  message = row;
  after = rowAt(load<u32>(row, 12));
  readBelow(row + ROW_BYTES, after);
}

/** The inside of the content at hand, and its quote. */
function putBody(q: usize): usize {
  if ((load<u32>(body) & ABSENT) != 0) return 0;
  const end = putContent(q, body, false);
  return end == 0 ? 0 : byte(end, QUOTE);
}

/** A part of a content of this kind, and its quote; 0: the host must write it. */
function putPart(q: usize, kind: u32, from: usize, to: usize): usize {
  const end = putText(q, kind, from, to, false);
  return end == 0 ? 0 : byte(end, QUOTE);
}

function putName(q: usize): usize {
  return nameFrom == 0 ? q : quoted(piece(q, BEFORE_NAME), nameFrom, nameLength);
}

/** Makes sure that the call or the reply at hand has an id. */
function hasId(isReply: bool): bool { return !lacksIds || makeCountedId(record, index, isReply); }

/** A message of anybody but an assistant. `mayDeclare`: definitions in it would count as the record's. */
function putOther(q: usize, row: usize, kind: u32, mayDeclare: bool): usize {
  begin(row);
  q = piece(q, ROLES + kind);
  if (kind == KIND_TOOL) {
    const from = nameFrom;
    if (isMatched && !takeReply()) return 0;
    if (!hasId(true)) return 0;
    q = quoted(piece(q, BEFORE_CALL_ID), idFrom, idLength);
    // The name of its call is no part of it.
    if (isWhole(body)) nameFrom = from;
  }
  const bodyFrom = piece(putName(q), BEFORE_CONTENT);
  q = putBody(bodyFrom);
  if (q == 0 || (mayDeclare && kind < KIND_USER && holdsNamespace(bodyFrom, q))) return 0;
  index++;
  return byte(q, CLOSE_OBJECT);
}

/** The entry of an assistant ended with thinking or calls. */
let isUnsaid: bool = false;

/** What an assistant thinks, says and calls in one entry, from `row` on. */
function putAssistant(q: usize, row: usize, end: usize): usize {
  const entry = load<u32>(row, 4);
  let kind = kindOf(load<u32>(row));
  if (kind == KIND_BARE) return 0;
  begin(row);
  q = piece(q, ROLES + KIND_FINAL);
  let thought: usize = 0;
  /** Of a content that holds a thought, its kind. */
  let written: u32 = 0;
  isUnsaid = true;
  if (kind != KIND_CALL) q = putName(q);
  if (kind == KIND_ANALYSIS) {
    thought = body;
    kind = nextKind(entry, end);
  }
  if (kind == KIND_FINAL || kind == KIND_PREAMBLE) {
    const from = piece(q, BEFORE_CONTENT);
    // Reasoning in the text becomes thinking (R-THINK).
    if (kind == KIND_FINAL && thought == 0 && splitsUsual(body)) {
      written = load<u32>(body);
      q = putPart(from, written, saidFrom, saidTo);
      index++;
    } else {
      q = putBody(from);
      if (q != 0 && holdsPair(from, q, MARKER_END)) return 0;
    }
    if (q == 0) return 0;
    isUnsaid = kind == KIND_PREAMBLE;
    kind = nextKind(entry, end);
  } else q = piece(q, NO_CONTENT);
  if (thought != 0) {
    const ofNext = body;
    body = thought;
    q = putBody(piece(q, BEFORE_THINKING));
    if (q == 0) return 0;
    body = ofNext;
  }
  if (written != 0) {
    q = putPart(piece(q, BEFORE_THINKING), written, innerFrom, innerTo);
    if (q == 0) return 0;
  }
  return kind == KIND_CALL ? putCalls(q, entry, end) : byte(q, CLOSE_OBJECT);
}

/** Goes on to the next message of an entry: its kind, or KIND_BARE where there is none. */
function nextKind(entry: u32, end: usize): u32 {
  index++;
  if (after >= end || load<u32>(after, 4) != entry) return KIND_BARE;
  begin(after);
  return kindOf(load<u32>(message));
}

function putCalls(q: usize, entry: u32, end: usize): usize {
  q = piece(q, BEFORE_CALLS);
  while (true) {
    // Callers have no name here.
    if (after - message > (idFrom != 0 ? 4 : 3) * ROW_BYTES) return 0;
    if (isMatched && !addCall(message)) return 0;
    if (!hasId(false)) return 0;
    q = quoted(piece(q, BEFORE_CALL), idFrom, idLength);
    q = quoted(piece(q, BEFORE_TOOL), nameFrom, nameLength);
    q = putBody(piece(q, BEFORE_ARGUMENTS));
    if (q == 0) return 0;
    q = piece(q, AFTER_CALL);
    if (nextKind(entry, end) != KIND_CALL) break;
    q = byte(q, COMMA);
  }
  return byte(byte(q, CLOSE_LIST), CLOSE_OBJECT);
}
