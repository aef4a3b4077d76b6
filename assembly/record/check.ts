// Records of which nothing is to be told: every reply answers an open call, every call is of a tool that is defined,
// with arguments that fit. Stops before a record that the host must look at; what it tells then is for the rules in
// src/ to say.

import {
  ABSENT, ANALYSIS, ASSISTANT, BEGINS_SIDE, CALL, CHANNEL_MASK, CHANNEL_SHIFT, CODED, COMMENTARY, DEVELOPER, ELSEWHERE,
  ENTRY_SHIFT, ESCAPED, HAS_CALLS, HAS_DEVELOPER, HAS_MARKED, HAS_SIDES, IS_TEXT, IS_TRANSCRIPT, MAY_NOT_FIT,
  MAY_THINK, MISMATCHES, PARTS, RECORD_ROWS, RECORD_SUM_CALLS, RECORD_SUM_MESSAGES, RECORD_SUM_PLAIN, RECORD_SUM_TEXTS,
  RECORD_SUM_TRANSCRIPTS, ROLE_MASK, ROLE_SHIFT, ROW_BYTES, SLOW, SYSTEM, TOKEN_MASK, TOKEN_SHIFT, TOOL, TOOLS_ASK,
  TOOLS_NONE, VALUE,
} from '../../src/abi';
import {
  addCall, beginCalls, body, hasOpen, markOpen, nameFrom, nameLength, readBelow, rowAt, statusOf, takeReply,
} from './calls';
import { fits, mayNameFields, nodeOf } from './fit';
import { firstItem, nextItem, pass } from './members';
import { holdsNamespace, holdsPair, mayCodeWord, mayEndMarker, MARKER_END } from './tags';
import { OPEN_OBJECT } from './text';
import { IS_THOUGHT, thoughtIn } from './thought';
import { areGiven, givenTools, tableOf } from './tools';

/** Longer texts of a system or developer are not read for definitions, which the host tells. */
const LONGEST_TEXT: usize = 1 << 19;
/** Longer arguments are not told of by their row. */
const LONGEST_ARGUMENTS: usize = 1 << 16;

/** The host must say whether the tools of the record at this row can be read. */
export function asksForTools(record: u32): bool { return statusOf(rowAt(record) + ROW_BYTES) == TOOLS_ASK; }

/**
 * Adds the records from row `record` on, below row `end`, to the sums at `sums`. Answers the first one that the host
 * must look at, or `end`.
 */
export function countRecords(record: u32, end: u32, sums: usize): u32 {
  while (record < end) {
    const at = rowAt(record);
    if ((load<u32>(at) & SLOW) != 0 || statusOf(at + ROW_BYTES) == TOOLS_ASK) return record;
    if ((load<u32>(at, ROW_BYTES) & IS_TRANSCRIPT) != 0) return record;
    record = load<u32>(at, 12);
    if ((load<u32>(at, ROW_BYTES) & IS_TEXT) != 0) {
      add(sums + (RECORD_SUM_TEXTS << 2));
      continue;
    }
    const to = rowAt(record);
    let messages: u32 = 0;
    for (let row = at + RECORD_ROWS * ROW_BYTES; row < to; row = rowAt(load<u32>(row, 12))) {
      const word = load<u32>(row);
      add(sums + ((RECORD_SUM_PLAIN + ((word >> ROLE_SHIFT) & 31)) << 2));
      messages++;
      if (((word >> TOKEN_SHIFT) & TOKEN_MASK) == CALL) add(sums + (RECORD_SUM_CALLS << 2));
    }
    const sides = sidesOf(at);
    // Its definitions stand in a message of their own, or in a developer's that is there.
    if (statusOf(at + ROW_BYTES) != TOOLS_NONE && (load<u32>(at) & HAS_DEVELOPER) == 0) {
      add(sums + ((RECORD_SUM_PLAIN + DEVELOPER) << 2), sides);
      messages += sides;
    }
    add(sums + (RECORD_SUM_MESSAGES << 2), messages);
    add(sums + (RECORD_SUM_TRANSCRIPTS << 2), sides);
  }
  return end;
}

// @ts-ignore: decorator
@inline
function add(at: usize, count: u32 = 1): void { store<u32>(at, load<u32>(at) + count); }

/** Transcripts of the record at an address. */
// @ts-ignore: decorator
@inline
export function sidesOf(record: usize): u32 { return (load<u32>(record, ROW_BYTES) & HAS_SIDES) != 0 ? 2 : 1; }

/** Transcripts of the records that `checkRecords` passed last. */
let transcripts: u32 = 0;
export function transcriptsPassed(): u32 { return transcripts; }

/**
 * Looks at the records from row `record` on, below row `end`: the first one that the host must look at, or `end`. It is
 * SLOW then, or HAS_MARKED: of such a one nothing is to be told but that its calls which are IS_OPEN have no reply, and
 * what the messages which are MAY_THINK and MAY_NOT_FIT may hold; or, if it has MISMATCHES, which calls its replies
 * answer.
 */
export function checkRecords(record: u32, end: u32): u32 {
  transcripts = 0;
  while (record < end) {
    const at = rowAt(record);
    const flags = load<u32>(at);
    if ((flags & SLOW) != 0 || statusOf(at + ROW_BYTES) == TOOLS_ASK) return record;
    const next = load<u32>(at, 12);
    if (!isClean(at, rowAt(next)) || thoughts >= UNSURE) {
      store<u32>(at, flags | SLOW);
      return record;
    }
    if (markOpen() || thoughts != 0 || hasMisfits || hasMismatches) {
      markRecord(at);
      return record;
    }
    transcripts += sidesOf(at);
    record = next;
  }
  return end;
}

/** Marks the record at an address that was looked at last, and is clean but for what is marked in it. */
export function markRecord(at: usize): void {
  const flags = load<u32>(at);
  // Definitions in a developer's message, or of two transcripts, are for the host.
  const others: u32 = hasMisfits || hasMismatches ? ELSEWHERE | HAS_SIDES : ELSEWHERE;
  const tools = load<u32>(at, ROW_BYTES);
  const isOther = (tools & others) != 0
    || (hasMisfits && ((flags & HAS_DEVELOPER) != 0 || (areGiven && statusOf(at + ROW_BYTES) == TOOLS_NONE)));
  if (hasMismatches) store<u32>(at, tools | MISMATCHES, ROW_BYTES);
  store<u32>(at, flags | (isOther ? SLOW : HAS_MARKED));
}

/** Reasoning as text in the last record that was looked at: some message MAY_THINK; only the host can tell. */
export let thoughts: u32 = 0;
const MARKED: u32 = 1;
export const UNSURE: u32 = 2;
/** Some call of it is MAY_NOT_FIT. */
export let hasMisfits: bool = false;
/** Some reply of it answers no call, or some call has no id of its own. */
export let hasMismatches: bool = false;

/** Whether nothing is to be told of the record but open and unmatched calls, `thoughts`, and what may not fit. */
export function isClean(record: usize, end: usize): bool {
  const tools = record + ROW_BYTES;
  // That it is text, and no transcript, is for the host to tell.
  if ((load<u32>(tools) & IS_TEXT) != 0) return false;
  const hasCalls = (load<u32>(record) & HAS_CALLS) != 0;
  const status = statusOf(tools);
  let definitions: usize = 0;
  if (hasCalls && (status != TOOLS_NONE || areGiven)) {
    definitions = status != TOOLS_NONE ? tableOf(load<u32>(tools) >> ENTRY_SHIFT) : givenTools;
    if (definitions == 0) return false;
  }
  beginCalls();
  thoughts = 0;
  hasMisfits = hasMismatches = false;
  for (let row = record + RECORD_ROWS * ROW_BYTES; row < end; ) {
    const word = load<u32>(row);
    const next = rowAt(load<u32>(row, 12));
    const role = (word >> ROLE_SHIFT) & ROLE_MASK;
    if ((word & BEGINS_SIDE) != 0) {
      // What is open is for the host to tell.
      if (hasOpen()) return false;
      beginCalls();
    }
    if (role == TOOL) {
      readBelow(row + ROW_BYTES, next);
      if (!takeReply()) hasMismatches = true;
    } else if (((word >> TOKEN_SHIFT) & TOKEN_MASK) == CALL) {
      readBelow(row + ROW_BYTES, next);
      const fit = argumentsFit(definitions);
      if (fit == WRONG) return false;
      if (!addCall(row)) hasMismatches = true;
      if (fit == MISFITS) {
        store<u32>(row, word | MAY_NOT_FIT);
        hasMisfits = true;
      }
    } else if (hasCalls && role <= <u32>DEVELOPER) {
      readBelow(row + ROW_BYTES, next);
      if (mayDefine(role)) return false;
    } else if (role == ASSISTANT && ((word >> CHANNEL_SHIFT) & CHANNEL_MASK) != ANALYSIS) {
      readBelow(row + ROW_BYTES, next);
      const isHidden = ((word >> CHANNEL_SHIFT) & CHANNEL_MASK) == COMMENTARY && thoughtIn(body) == IS_THOUGHT;
      if (!isHidden && mayThink()) store<u32>(row, word | MAY_THINK);
    }
    row = next;
  }
  return true;
}

const WRONG: u32 = 0;
const FITS: u32 = 1;
const MISFITS: u32 = 2;

/**
 * FITS: the call at hand is of a tool that is defined (0: none is), and its arguments fit. MISFITS: only the host knows
 * whether it is so, but they name no field that documents ask for.
 */
function argumentsFit(definitions: usize): u32 {
  let node: usize = 0;
  if (definitions != 0) {
    node = nodeOf(definitions, nameFrom, nameLength);
    if (node == 0 && areGiven) return WRONG;
  }
  const kind = load<u32>(body);
  const from = <usize>load<u32>(body, 4);
  const to = <usize>load<u32>(body, 8);
  const isValue = (kind & VALUE) != 0;
  const isEscaped = (kind & ESCAPED) != 0 && !isValue;
  if (node != 0) {
    // Of a schema that cannot be used the host tells at every call.
    if (load<u32>(definitions, 4) == 0 && fits(from, to, isEscaped, isValue, node)) return FITS;
  }
  if (mayNameFields(from, to)) return WRONG;
  if (definitions == 0 && fits(from, to, isEscaped, isValue, 0)) return FITS;
  return to - from > LONGEST_ARGUMENTS ? WRONG : MISFITS;
}

/** Whether the text of the system or developer message at hand may define tools (R-TOOLS). */
function mayDefine(role: u32): bool {
  const kind = load<u32>(body);
  const from = <usize>load<u32>(body, 4);
  const to = <usize>load<u32>(body, 8);
  if ((kind & ABSENT) != 0) return false;
  if (to - from > LONGEST_TEXT) return true;
  // Parts are joined, so a word may begin in one and end in the next.
  if ((kind & PARTS) != 0 && nextItem(pass(firstItem(from))) != 0) return true;
  if ((kind & (CODED | PARTS)) != 0 && mayCodeWord(from, to)) return true;
  if (role == SYSTEM) return holdsNamespace(from, to);
  for (let p = from; p < to; p++) if (<u32>load<u8>(p) == OPEN_OBJECT) return true;
  return false;
}

/** Whether reasoning may be written as text in the body at hand (R-THINK); `thoughts` follows. */
function mayThink(): bool {
  const kind = load<u32>(body);
  const from = <usize>load<u32>(body, 4);
  const to = <usize>load<u32>(body, 8);
  if ((kind & ABSENT) != 0) return false;
  if ((kind & (CODED | PARTS)) != 0) {
    if (mayEndMarker(from, to, (kind & PARTS) != 0)) thoughts |= UNSURE;
    return false;
  }
  if (!holdsPair(from, to, MARKER_END)) return false;
  thoughts |= MARKED;
  return true;
}

