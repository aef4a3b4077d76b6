// The messages of the records that were scanned, for `messages`: as lines, bytes to bytes, or as cells of a table with
// their contents.
//
// What stands between the values of a line depends on the kind of its message alone. The host writes these pieces once
// (src/formats/chat/record-lines.ts, the only one that knows what they say):
//
//   0 the line's beginning, up to `record`   1 up to `transcript`   2 up to `index`   3 up to `to`
//   4 up to `body_from`   5 up to `body_to`
//   6 up to the content, with its quote   7 the line's end   8 what stands before a tool's name, with its quote
//   9 + 4 k …  of kind k: from behind `index` up to the name; behind it, of calls up to the tool's name; behind that of
//   calls, else nothing, up to the call's id; behind it up to `from`
//
// Kinds: system, developer, user, and of assistants final, analysis, preamble, call; tool; an assistant on no
// channel; a preamble that is reasoning alone, which nobody sees.

import {
  ABSENT, ANALYSIS, ASSISTANT, BEGINS_SIDE, CALL, CELLS, CHANNEL_MASK, CHANNEL_SHIFT, COMMENTARY, DEVELOPER, ELSEWHERE,
  ENTRY_SHIFT, HAS_DEVELOPER, HAS_SIDES, HAS_VALUES, IN_PART, LACKS_ID, PARTS, RECORD_ROWS, RECORD_SHIFT, ROLE_MASK,
  ROLE_SHIFT, ROW_BYTES, SLOW, SYSTEM, TOKEN_MASK, TOKEN_SHIFT, TOOL, TOOLS_ASK, TOOLS_NONE, USER, VALUE,
} from '../../src/abi';
import { copy, HALF, writeNumber, writeRest, writeShort } from '../text-line';
import {
  addCall, beginCalls, body, idFrom, idLength, makeId, nameFrom, nameLength, readBelow, rowAt, statusOf, takeReply,
} from './calls';
import { askedTo, beginContents, beginCut, isAsked, putContent } from './contents';
import { NULL_4, QUOTE, stringEnd } from './text';
import { IS_THOUGHT, MAY_BE_THOUGHT, thoughtIn } from './thought';
import { isKept } from './tools';

const KIND_SYSTEM: u32 = 0;
export const KIND_DEVELOPER: u32 = 1;
export const KIND_USER: u32 = 2;
export const KIND_FINAL: u32 = 3;
export const KIND_ANALYSIS: u32 = 4;
export const KIND_PREAMBLE: u32 = 5;
export const KIND_CALL: u32 = 6;
export const KIND_TOOL: u32 = 7;
export const KIND_BARE: u32 = 8;
const KIND_THOUGHT: u32 = 9;
const OF_KINDS: u32 = 9;

/**
 * Address and length of each piece, of the text of each entry of tools; and the most bytes that pieces and numbers of a
 * line have.
 */
// @ts-ignore: decorator
@lazy const PIECES: usize = memory.data(49 * 8, 16);
// @ts-ignore: decorator
@lazy export const TEXTS: usize = memory.data(4097 * 8, 16);
export let most: usize = 0;

export function setPiece(number: u32, from: usize, length: usize): void {
  store<u32>(PIECES + (<usize>number << 3), <u32>from);
  store<u32>(PIECES + (<usize>number << 3), <u32>length, 4);
}
/** The text of an entry of tools: for lines as the inside of a JSON string. */
export function setText(entry: u32, from: usize, length: usize): void {
  store<u32>(TEXTS + (<usize>entry << 3), <u32>from);
  store<u32>(TEXTS + (<usize>entry << 3), <u32>length, 4);
}
export function clearTexts(): void { memory.fill(TEXTS, 0, 4097 * 8); }

/** `longest`: the most bytes that the pieces of a line have, all together. */
export function beginLines(longest: usize, from: usize, to: usize): void {
  // Names, ids, and seven numbers.
  most = longest + 512;
  beginContents(from, to);
}

/**
 * Why the last call stopped before `end`, when the record is not SLOW: the entry whose text is missing; 0: there is no
 * more room.
 */
let wanted: u32 = 0;
let out: usize = 0;
export function wantedText(): u32 { return wanted; }
/**
 * Where the lines end that were written; messages that were; transcripts that their records have beyond one each.
 */
export function linesTo(): usize { return out; }
let written: u32 = 0;
export function linesWritten(): u32 { return written; }
let sides: u32 = 0;
export function linesSides(): u32 { return sides; }

// Where the next message's cells go; 0: lines are written. Behind the last ones there is no room.
let cells: usize = 0;
let cellsEnd: usize = 0;
const CELL_BYTES: usize = 4 * CELLS;
/** What reading a text may write behind it. */
const SLACK: usize = 256;

// What is told of a record whose line is written.
let record: f64 = 0;
let transcript: f64 = 0;
let base: f64 = 0;
let index: u32 = 0;
/** The beginning of its first line, up to `index`, which all of them have; 0: no line is written yet. */
let head: usize = 0;
let headTo: usize = 0;

/** What positions at hand begin with before their last eight digits, and the address at which these are all 0. */
// @ts-ignore: decorator
@lazy const UPPER: usize = memory.data(16, 16);
let upperLength: usize = 0;
let upperAt: u32 = 0;

/** Positions from that of an address on are written next. */
function beginPositions(at: u32): void {
  const upper = floor<f64>((base + <f64>at) / HALF);
  upperAt = <u32><i64>(upper * HALF - base);
  upperLength = upper == 0 ? 0 : writeNumber(UPPER, upper) - UPPER;
}

/** The position of an address in the file. Nearly all that are written together have the same upper digits. */
function putPosition(q: usize, at: u32): usize {
  const rest = at - upperAt;
  if (rest >= <u32>HALF) return writeNumber(q, base + <f64>at);
  if (upperLength == 0) return writeShort(q, rest);
  store<u64>(q, load<u64>(UPPER));
  return writeRest(q + upperLength, rest);
}

// @ts-ignore: decorator
@inline
export function put(q: usize, number: u32): usize {
  const piece = PIECES + (<usize>number << 3);
  const from = <usize>load<u32>(piece);
  return copy(q, from, from + load<u32>(piece, 4));
}

/** The same, not inlined. */
export function piece(q: usize, number: u32): usize { return put(q, number); }

/** A value, and the quote behind it. */
export function quoted(q: usize, from: usize, length: usize): usize { return putText(q, from, length); }

// @ts-ignore: decorator
@inline
function putText(q: usize, from: usize, length: usize): usize {
  q = copy(q, from, from + length);
  store<u8>(q, 0x22);
  return q + 1;
}

// @ts-ignore: decorator
@inline
function putNull(q: usize): usize {
  store<u32>(q, NULL_4);
  return q + 4;
}

export function kindOf(word: u32): u32 {
  const role = (word >> ROLE_SHIFT) & ROLE_MASK;
  if (role == SYSTEM) return KIND_SYSTEM;
  if (role == DEVELOPER) return KIND_DEVELOPER;
  if (role == USER) return KIND_USER;
  if (role == TOOL) return KIND_TOOL;
  if (((word >> TOKEN_SHIFT) & TOKEN_MASK) == CALL) return KIND_CALL;
  const channel = (word >> CHANNEL_SHIFT) & CHANNEL_MASK;
  if (channel == 0) return KIND_BARE;
  return channel == ANALYSIS ? KIND_ANALYSIS : channel == COMMENTARY ? KIND_PREAMBLE : KIND_FINAL;
}

/**
 * Whether an assistant's entry may come back as one with the one before: the message of row `row` stands in another
 * entry than the one before it, at `entry`, of kind `before`, that is a call or a thought. The host tells it.
 */
export function mayJoin(row: usize, before: u32, entry: u32): bool {
  if (before != KIND_CALL && before != KIND_ANALYSIS) return false;
  return ((load<u32>(row) >> ROLE_SHIFT) & ROLE_MASK) == ASSISTANT && entry != load<u32>(row, 4);
}

/** The columns before the content, of a message of the record at hand. */
function putColumns(q: usize, kind: u32, from: u32, to: u32, bodyFrom: u32, bodyTo: u32): usize {
  if (head != 0) q = copy(q, head, headTo);
  else {
    head = q;
    headTo = q = put(writeNumber(put(writeNumber(put(q, 0), record), 1), transcript), 2);
  }
  q = writeShort(q, index);
  const pieces = OF_KINDS + 4 * kind;
  q = put(q, pieces);
  if (kind == KIND_CALL) {
    // Callers have no name here.
    q = put(putNull(q), pieces + 1);
    q = putText(q, nameFrom, nameLength);
    q = put(q, pieces + 2);
  } else {
    if (nameFrom == 0) q = putNull(q);
    else {
      if (kind == KIND_TOOL) q = put(q, 8);
      else store<u8>(q++, 0x22);
      q = putText(q, nameFrom, nameLength);
    }
    q = put(q, pieces + 1);
  }
  if (idFrom == 0) q = putNull(q);
  else {
    store<u8>(q, 0x22);
    q = putText(q + 1, idFrom, idLength);
  }
  q = put(q, pieces + 3);
  q = putPosition(q, from);
  q = putPosition(put(q, 3), to);
  q = putPosition(put(q, 4), bodyFrom);
  q = putPosition(put(q, 5), bodyTo);
  return put(q, 6);
}

/** The cells of a message of the record at hand, whose content ends at q. */
function putCells(q: usize, recordRow: u32, kind: u32, from: u32, to: u32, bodyFrom: u32, bodyTo: u32): void {
  const p = cells;
  store<u32>(p, kind);
  store<u32>(p, recordRow, 4);
  store<u32>(p, index, 8);
  store<u32>(p, from, 12);
  store<u32>(p, to, 16);
  store<u32>(p, bodyFrom, 20);
  store<u32>(p, bodyTo, 24);
  store<u32>(p, <u32>nameFrom, 28);
  store<u32>(p, <u32>(nameFrom + nameLength), 32);
  store<u32>(p, <u32>idFrom, 36);
  store<u32>(p, <u32>(idFrom + idLength), 40);
  store<u32>(p, <u32>q, 44);
  cells = p + CELL_BYTES;
}

/**
 * Writes the lines of the records from row `first` on, below row `end`, into [q, limit). `origin`: file position of
 * address 0; `records`, `transcripts`: numbers of the table's first record; `channels`: bits of role | channel << 3
 * that are wanted. Answers the record before which it stopped, or `end`.
 */
export function writeLines(
  first: u32, end: u32, q: usize, limit: usize, origin: f64, records: f64, transcripts: f64, channels: u32,
): u32 {
  cells = 0;
  base = origin;
  beginPositions(load<u32>(rowAt(first), 4));
  return writeRecords(first, end, q, limit, records, transcripts, channels);
}

/** Writes the contents of these messages one after the other into [q, limit), and their cells into [into, intoEnd). */
export function writeCells(
  first: u32, end: u32, q: usize, limit: usize, into: usize, intoEnd: usize, channels: u32,
): u32 {
  cells = into;
  cellsEnd = intoEnd;
  return writeRecords(first, end, q, limit, 0, 0, channels);
}

function writeRecords(
  first: u32, end: u32, q: usize, limit: usize, records: f64, transcripts: f64, channels: u32,
): u32 {
  wanted = written = sides = 0;
  out = q;
  while (first < end) {
    const at = rowAt(first);
    const flags = load<u32>(at);
    const tools = at + ROW_BYTES;
    const status = statusOf(tools);
    if ((flags & SLOW) != 0 || status == TOOLS_ASK) {
      return stopAt(at, first, status != TOOLS_ASK);
    }
    const entry = load<u32>(tools) >> ENTRY_SHIFT;
    if (status != TOOLS_NONE && (!isKept(entry) || (flags & HAS_DEVELOPER) != 0)) {
      return stopAt(at, first, true);
    }
    const text = TEXTS + ((isKept(entry) ? <usize>entry : 0) << 3);
    const hasText = status != TOOLS_NONE;
    if (hasText && load<u32>(text) == 0) {
      wanted = entry;
      return first;
    }
    const next = load<u32>(at, 12);
    const rows = <usize>(next - first);
    const bytes = <usize>load<u32>(at, 8) - <usize>load<u32>(at, 4);
    const messages = (rows >> 1) + 1;
    // Both sides may hold the prompt, and arguments that become text have twice as many bytes at most.
    const doubled = ((load<u32>(tools) & HAS_SIDES) != 0 ? 1 : 0) + ((flags & HAS_VALUES) != 0 ? 1 : 0);
    const textLength = hasText ? <usize>load<u32>(text, 4) << 1 : 0;
    const needed = (bytes << <usize>doubled) + (cells != 0 ? SLACK : messages * most) + textLength;
    if (out + needed > limit || (cells != 0 && cells + messages * CELL_BYTES > cellsEnd)) return first;
    record = records + <f64>(flags >> RECORD_SHIFT);
    transcript = transcripts + <f64>(flags >> RECORD_SHIFT) + <f64>sides;
    const before = written;
    const sidesBefore = sides;
    const cellsBefore = cells;
    q = writeRecord(at, first, rowAt(next), hasText ? text : 0, out, channels);
    if (q == 0) {
      written = before;
      sides = sidesBefore;
      cells = cellsBefore;
      return stopAt(at, first, true);
    }
    out = q;
    first = next;
  }
  return end;
}

/** The host must look at the record. */
export function stopAt(at: usize, record: u32, isSlow: bool): u32 {
  if (isSlow) store<u32>(at, load<u32>(at) | SLOW);
  return record;
}

/** Bytes of a string within a string that is empty. */
const NO_INNER: u32 = 4;

/** Writes the messages of one record; 0: the host must. */
function writeRecord(at: usize, number: u32, end: usize, text: usize, q: usize, channels: u32): usize {
  const isTable = cells != 0;
  const lacksIds = (load<u32>(at) & LACKS_ID) != 0;
  // What stands between tags is matched by the host as it takes it out.
  const asWritten = (load<u32>(at, ROW_BYTES) & ELSEWHERE) == 0;
  let isOpening = text != 0;
  index = 0;
  head = 0;
  beginCalls(asWritten);
  beginCut(at + ROW_BYTES);
  let row = at + RECORD_ROWS * ROW_BYTES;
  while (true) {
    const word = row < end ? load<u32>(row) : 0;
    if ((word & BEGINS_SIDE) != 0) {
      // Definitions of a side that says nothing else are the host's; and cells tell of one transcript alone.
      if (isOpening || isTable) return 0;
      isOpening = text != 0;
      transcript++;
      sides++;
      index = 0;
      head = 0;
      beginCalls(asWritten);
    }
    // Definitions stand behind the messages of the system that open the record.
    if (isOpening && (row >= end || ((word >> ROLE_SHIFT) & ROLE_MASK) != SYSTEM)) {
      isOpening = false;
      if (((channels >> DEVELOPER) & 1) != 0) {
        readBelow(0, 0);
        const start = load<u32>(at, 4);
        if (!isTable) q = putColumns(q, KIND_DEVELOPER, start, start, start, start);
        q = copy(q, load<u32>(text), load<u32>(text) + load<u32>(text, 4));
        if (isTable) putCells(q, number, KIND_DEVELOPER, start, start, start, start);
        else q = put(q, 7);
        written++;
      }
      index++;
    }
    if (row >= end) return q;
    const next = rowAt(load<u32>(row, 12));
    let kind = kindOf(word);
    let isAlone = false;
    readBelow(row + ROW_BYTES, next);
    if (kind == KIND_CALL) {
      if (next - row > (idFrom != 0 ? 4 : 3) * ROW_BYTES || !addCall(row)) return 0;
    } else if (kind == KIND_TOOL) {
      isAlone = !takeReply();
      if (isAlone && !asWritten) return 0;
    }
    // Ids that are there may be those that would be made. A reply without one that answers no call gets none.
    if (lacksIds && (kind == KIND_CALL || (kind == KIND_TOOL && !isAlone)) && !makeId()) return 0;
    if (((channels >> ((word >> ROLE_SHIFT) & 31)) & 1) != 0) {
      let from = load<u32>(row, 4);
      let to = load<u32>(row, 8);
      let bodyFrom = load<u32>(body, 4);
      let bodyTo = load<u32>(body, 8);
      const isBeside = kind == KIND_SYSTEM && load<u8>(from) == QUOTE
        && (next == end || (load<u32>(next) & BEGINS_SIDE) != 0 || load<u8>(load<u32>(next, 4)) != QUOTE);
      if (isBeside) {
        // A text beside a list of messages is placed where the record begins.
        from = to = bodyFrom = bodyTo = load<u32>(at, 4);
      } else if ((load<u32>(body) & (kind == KIND_TOOL ? PARTS | IN_PART : PARTS | IN_PART | VALUE)) != 0) {
        // Such a content is placed by its entry, or by its first text.
        if ((load<u32>(body) & PARTS) != 0 && isAsked(bodyFrom)) to = <u32>askedTo(bodyFrom);
        bodyFrom = from;
        bodyTo = to;
      } else if ((load<u32>(body) & ABSENT) == 0 && load<u8>(bodyTo) != QUOTE && load<u8>(from) != QUOTE) {
        // A part of an entry's text ends where the text does, and an empty one begins there.
        const end = <u32>stringEnd(bodyTo);
        if (bodyFrom + ((load<u32>(body) & VALUE) != 0 ? NO_INNER : 0) == bodyTo) bodyFrom = end;
        bodyTo = end;
      }
      if (kind == KIND_PREAMBLE) {
        const thought = thoughtIn(body);
        if (thought == MAY_BE_THOUGHT) return 0;
        if (thought == IS_THOUGHT) kind = KIND_THOUGHT;
      }
      if (!isTable) q = putColumns(q, kind, from, to, bodyFrom, bodyTo);
      q = putContent(q, body, isTable);
      if (q == 0) return 0;
      if (isTable) putCells(q, number, kind, from, to, bodyFrom, bodyTo);
      else q = put(q, 7);
      written++;
    }
    index++;
    row = next;
  }
}
