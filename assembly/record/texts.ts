// Records as text of OpenChatML 2.2 or Harmony, as chat records of OpenAI (chats.ts), or as ShareGPT (sharegpt.ts):
// bytes to bytes. Only such as lose nothing on the way but what is counted, and whose contents need no escape in text;
// the others are for the host.
// As they are given, to be read rather than kept, what has no place in the text may be lost.
//
// What stands between the values of a message depends on its kind alone (lines.ts). The host cuts these pieces out of
// what the writer gives (src/formats/chat/record-texts.ts):
//
//   0 what every text begins with   1 before a call's id   2 before a name   3 before a tool's name
//   4 + 3 k …  of kind k: its beginning, of calls up to the tool's name; from behind names and ids up to the body;
//   its end
//   31 what a line begins with   32 of an id that is missing, up to the record's number   33 from behind the id up to
//   the text   34 a line's end
//
// Harmony says no ids; a reply begins with its tool's name.

import {
  ABSENT, ELSEWHERE, ENTRY_SHIFT, HAS_DEVELOPER, HAS_LOSSES, HAS_PARTS, HAS_SIDES, HAS_VALUES, IS_TEXT,
  LACKS_ID, LOST_SHIFT, MOST_LOST, RECORD_ROWS, RENAMED_SHIFT, ROLE_MASK, ROLE_SHIFT, ROW_BYTES, SLOW, SYSTEM,
  TEXTS_AS_GIVEN, TEXTS_CHATS, TEXTS_HARMONY, TEXTS_IDS, TEXTS_LINES, TEXTS_LOSING, TEXTS_NAMES, TEXTS_PREAMBLES,
  TEXTS_RENAMING, TEXTS_SHAREGPT, TEXTS_THOUGHTS, TOOLS_NONE,
} from '../../src/abi';
import { copy } from '../text-line';
import {
  addCall, beginCalls, body, firstId, firstIdRecord, idFrom, idLength, ids, isInOrder, makeCountedId, nameFrom,
  nameLength, readBelow, rowAt, setIds, statusOf, takeReply,
} from './calls';
import { isTurn, putId, writeChat } from './chats';
import { beginCut, isWhole, putContent, putText } from './contents';
import {
  KIND_ANALYSIS, KIND_BARE, KIND_CALL, KIND_DEVELOPER, KIND_FINAL, KIND_PREAMBLE, KIND_TOOL, kindOf, mayJoin, most,
  piece, stopAt, TEXTS,
} from './lines';
import { developersHere, idsHere, preamblesHere, thoughtsHere, writeShareGpt } from './sharegpt';
import { holdsPair, MARKER_END } from './tags';
import { NULL_4, QUOTE } from './text';
import { innerFrom, innerTo, saidFrom, saidTo, splitsUsual } from './thought';
import { isKept } from './tools';
import { isPlainInteger } from './verdicts';

const BEGINNING: u32 = 0;
const BEFORE_ID: u32 = 1;
const BEFORE_NAME: u32 = 2;
const BEFORE_TOOL: u32 = 3;
const OF_KINDS: u32 = 4;
const LINE: u32 = 31;
const ID_OF_PLACE: u32 = 32;
const BEFORE_TEXT: u32 = 33;
const LINE_END: u32 = 34;
const NO_KIND: u32 = 0xff;
/** Records that are no text of their own: two transcripts, or text already. */
const UNLIKE: u32 = HAS_SIDES | IS_TEXT;
/** Bytes behind a text that copies write over. */
const SLACK: usize = 256;

let out: usize = 0;
let texts: u32 = 0;
let missing: u32 = 0;
let named: u32 = 0;
let namedRecord: u32 = 0;
let namedMessage: u32 = 0;
let asGiven: bool = false;
let isHarmony: bool = false;
let isLines: bool = false;
/** TEXTS_…: what is told already, of which more may be lost. */
let told: u32 = 0;

/** Where the texts end that were written; how many they are. */
export function textsTo(): usize { return out; }
export function textsWritten(): u32 { return texts; }
/** The entry of tools whose text is missing; 0: none is. */
export function missingText(): u32 { return missing; }
/** Replies that got a name; of the first its record, and its number among the messages. */
export function repliesNamed(): u32 { return named; }
export function firstNamedRecord(): u32 { return namedRecord; }
export function firstNamedMessage(): u32 { return namedMessage; }
/** Fields that were lost, and words that were renamed. */
export function fieldsLost(): u32 { return lost; }
export function wordsRenamed(): u32 { return words; }
let lost: u32 = 0;
let words: u32 = 0;
/** Preambles of which Harmony and ShareGPT do not say that they are. */
export function preamblesLost(): u32 { return preambles; }
let preambles: u32 = 0;
/** Ids of calls and replies that these do not say. */
export function idsLost(): u32 { return lostIds; }
let lostIds: u32 = 0;
/** Thoughts that ShareGPT leaves out. */
export function thoughtsLost(): u32 { return thoughts; }
let thoughts: u32 = 0;
/** Ids that were made; of the first the record, and which message's it is (calls.ts). */
export function idsMade(): u32 { return ids; }
export function firstMadeRecord(): u32 { return firstIdRecord; }
export function firstMadeMessage(): u32 { return firstId; }

/**
 * Writes the texts of the records from row `record` on, below row `end`, into [q, limit). Answers the record before
 * which it stopped, or `end`: it is SLOW, the text of its tools is missing (`missingText`), it holds nothing to be
 * read, or there was no more room. `what`: TEXTS_…; `records`: number of the table's first record, for ids.
 */
export function writeTexts(record: u32, end: u32, q: usize, limit: usize, what: u32, records: f64): u32 {
  const untold: u32 = ((what & TEXTS_LOSING) != 0 ? 0 : <u32>MOST_LOST << LOST_SHIFT)
    | ((what & TEXTS_RENAMING) != 0 ? 0 : 0xf << RENAMED_SHIFT);
  told = what;
  what &= TEXTS_LOSING - 1;
  const given = what == TEXTS_AS_GIVEN;
  asGiven = given;
  isHarmony = what == TEXTS_HARMONY;
  isLines = (told & TEXTS_LINES) != 0;
  const lossy: u32 = given ? 0 : HAS_LOSSES | HAS_PARTS | HAS_VALUES;
  out = q;
  texts = missing = named = lost = words = preambles = lostIds = thoughts = 0;
  setIds(0);
  while (record < end) {
    const at = rowAt(record);
    const flags = load<u32>(at);
    const tools = at + ROW_BYTES;
    const losses = load<u32>(tools, ROW_BYTES);
    const isPlain = (flags & (SLOW | lossy)) == 0 && (load<u32>(tools) & UNLIKE) == 0
      && (given || (losses & untold) == 0)
      && (given || isPlainId(tools + ROW_BYTES));
    if (!isPlain) return stopAt(at, record, true);
    let text: usize = 0;
    if (statusOf(tools) != TOOLS_NONE) {
      const entry = load<u32>(tools) >> ENTRY_SHIFT;
      // A developer's message takes definitions in.
      if (!isKept(entry) || (flags & HAS_DEVELOPER) != 0) return stopAt(at, record, true);
      text = TEXTS + (<usize>entry << 3);
      if (load<u32>(text) == 0) {
        missing = entry;
        return record;
      }
    }
    const next = load<u32>(at, 12);
    // A header alone would belong to the text behind it: the host ends it.
    if (text == 0 && next == record + RECORD_ROWS) return record;
    const bytes = (<usize>load<u32>(at, 8) - <usize>load<u32>(at, 4)) << ((flags & HAS_VALUES) != 0 ? 1 : 0);
    // A message has two rows at least, and may hold a thought that becomes another one.
    const messages = <usize>(next - record) + 1;
    if (out + bytes + messages * most + (text != 0 ? <usize>load<u32>(text, 4) : 0) + SLACK > limit) return record;
    beginCut(tools);
    const made = ids;
    const to = what == TEXTS_CHATS ? writeChat(out, record, rowAt(next), text, records)
      : what == TEXTS_SHAREGPT ? writeTurns(record, rowAt(next), text, records)
      : writeText(record, rowAt(next), text, records);
    if (to == 0) {
      setIds(made);
      return stopAt(at, record, true);
    }
    out = to;
    texts++;
    lost += (losses >> LOST_SHIFT) & MOST_LOST;
    words += losses >> RENAMED_SHIFT;
    record = next;
  }
  return end;
}

/** Nothing is lost with the id: it is text, an integer that every reader holds, or none. */
function isPlainId(id: usize): bool {
  const from = <usize>load<u32>(id, 4);
  if (from == 0 || load<u8>(from) == QUOTE || load<u32>(from) == NULL_4) return true;
  return isPlainInteger(from, load<u32>(id, 8));
}

/** Writes a record as ShareGPT, if nothing is lost that is not told yet. */
function writeTurns(record: u32, end: usize, tools: usize, records: f64): usize {
  const q = writeShareGpt(out, record, end, tools, records);
  const lost: u32 = (idsHere != 0 ? TEXTS_IDS : 0) | (preamblesHere != 0 ? TEXTS_PREAMBLES : 0)
    | (thoughtsHere != 0 ? TEXTS_THOUGHTS : 0) | (developersHere != 0 ? TEXTS_RENAMING : 0);
  if (q == 0 || (lost & ~told) != 0) return 0;
  lostIds += idsHere;
  preambles += preamblesHere;
  thoughts += thoughtsHere;
  words += developersHere;
  return q;
}

function word(q: usize, from: usize, length: usize): usize { return copy(q, from, from + length); }

/**
 * Writes one text; `tools`: where the text of its definitions is told, or 0. Answers its end; 0: it is for the host.
 */
function writeText(record: u32, end: usize, tools: usize, records: f64): usize {
  let row = rowAt(record) + RECORD_ROWS * ROW_BYTES;
  let q = out;
  if (isLines) {
    if (row < end && isTurn(rowAt(record), row)) return 0;
    q = putId(piece(q, LINE), rowAt(record), records, ID_OF_PLACE);
    if (q == 0) return 0;
    q = piece(q, BEFORE_TEXT);
  }
  q = piece(q, BEGINNING);
  let isOpening = tools != 0;
  let index: u32 = 0;
  let gained: u32 = 0;
  let idsOfText: u32 = 0;
  let preamblesOfText: u32 = 0;
  let entry: u32 = 0;
  let before = NO_KIND;
  const lacksIds = (load<u32>(rowAt(record)) & LACKS_ID) != 0;
  // What stands between tags is matched by the host as it takes it out.
  const asWritten = (load<u32>(rowAt(record), ROW_BYTES) & ELSEWHERE) == 0;
  beginCalls(asWritten && !isHarmony);
  while (true) {
    const kindWord = row < end ? load<u32>(row) : 0;
    const role = (kindWord >> ROLE_SHIFT) & ROLE_MASK;
    // Definitions stand behind the messages of the system that open the record.
    if (isOpening && (row >= end || role != SYSTEM)) {
      isOpening = false;
      const pieces = OF_KINDS + 3 * KIND_DEVELOPER;
      q = piece(piece(q, pieces), pieces + 1);
      q = word(q, load<u32>(tools), load<u32>(tools, 4));
      q = piece(q, pieces + 2);
      index++;
    }
    if (row >= end) break;
    const next = rowAt(load<u32>(row, 12));
    const kind = kindOf(kindWord);
    if (!asGiven && mayJoin(row, before, entry)) return 0;
    entry = load<u32>(row, 4);
    before = kind;
    readBelow(row + ROW_BYTES, next);
    if (isHarmony) {
      // Only what is said first is a system's; a developer's message has a layout; names are of users and tools.
      const isOther = kind == KIND_BARE || kind == KIND_DEVELOPER || (kind < KIND_CALL && nameFrom != 0);
      if (isOther || (role == SYSTEM && index != 0)) return 0;
      if (kind == KIND_PREAMBLE) preamblesOfText++;
      if (idFrom != 0) idsOfText++;
      if (preamblesOfText != 0 && (told & TEXTS_PREAMBLES) == 0) return 0;
      if (idsOfText != 0 && (told & TEXTS_IDS) == 0) return 0;
    }
    const splits = kind == KIND_FINAL && !asGiven && splitsUsual(body);
    if (splits) {
      q = putThought(q);
      if (q == 0) return 0;
      index++;
    }
    const pieces = OF_KINDS + 3 * kind;
    q = piece(q, pieces);
    if (kind == KIND_CALL) {
      if (next - row > (idFrom != 0 ? 4 : 3) * ROW_BYTES || !addCall(row)) return 0;
      q = word(q, nameFrom, nameLength);
    } else if (kind == KIND_TOOL) {
      const isNamed = nameFrom != 0;
      if (!takeReply() || (isHarmony && !isInOrder())) return 0;
      if (!isNamed && nameFrom != 0 && isWhole(body) && gained++ == 0 && named == 0) {
        if (isHarmony && (told & TEXTS_NAMES) == 0) return 0;
        namedRecord = record;
        namedMessage = index;
      }
    }
    if (lacksIds && !isHarmony && (kind == KIND_CALL || kind == KIND_TOOL)) {
      // Definitions are no message of the record.
      if (!makeCountedId(record, tools != 0 ? index - 1 : index, kind == KIND_TOOL)) return 0;
    }
    if (idFrom != 0 && !isHarmony) q = word(piece(q, BEFORE_ID), idFrom, idLength);
    if (kind != KIND_CALL && nameFrom != 0) {
      q = word(piece(q, kind == KIND_TOOL ? BEFORE_TOOL : BEFORE_NAME), nameFrom, nameLength);
    }
    const bodyFrom = piece(q, pieces + 1);
    q = splits ? putPart(bodyFrom, saidFrom, saidTo) : putBody(bodyFrom, body);
    if (q == 0) return 0;
    const isSaid = !splits && (kind == KIND_FINAL || kind == KIND_PREAMBLE || kind == KIND_BARE);
    if (isSaid && holdsPair(bodyFrom, q, MARKER_END)) return 0;
    q = piece(q, pieces + 2);
    index++;
    row = next;
  }
  if (isLines) q = piece(q, LINE_END);
  named += gained;
  preambles += preamblesOfText;
  lostIds += idsOfText;
  return q;
}

/** The body whose row is `row`; 0: the host must write it. */
function putBody(q: usize, row: usize): usize {
  if ((load<u32>(row) & ABSENT) != 0) return 0;
  const end = putContent(q, row, !isLines);
  return mayNeedEscape(q, end) ? 0 : end;
}

/** A part of the body at hand; 0: the host must write it. */
function putPart(q: usize, from: usize, to: usize): usize {
  const end = putText(q, load<u32>(body), from, to, !isLines);
  return mayNeedEscape(q, end) ? 0 : end;
}

/** The thought that stands in the body at hand, as a message; 0: the host must write it. */
function putThought(q: usize): usize {
  const pieces = OF_KINDS + 3 * KIND_ANALYSIS;
  q = piece(q, pieces);
  if (nameFrom != 0) q = word(piece(q, BEFORE_NAME), nameFrom, nameLength);
  q = putPart(piece(q, pieces + 1), innerFrom, innerTo);
  return q == 0 ? 0 : piece(q, pieces + 2);
}

const SIGN: u32 = 0x7c3c;

/** A control token may begin in the text [p, end), or make one with what follows it. */
function mayNeedEscape(p: usize, end: usize): bool {
  return end != 0 && p != end && (load<u8>(end - 1) == 0x3c || holdsPair(p, end, SIGN));
}
