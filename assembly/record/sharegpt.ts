// Records as ShareGPT: one line each, as src/formats/chat/sharegpt.ts writes them. Calls that follow each other are one
// turn, whose value is JSON in a string; thoughts are left out, also between calls.
//
// The simple version reads the record and writes it anew. Here the contents are copied: arguments are JSON in a string
// where they come from, too. What has no place in the form is counted. The host gives what stands between the values
// (src/formats/chat/record-sharegpt.ts), by the numbers below.

import { ABSENT, ESCAPED, PARTS, RECORD_ROWS, ROW_BYTES, VALUE } from '../../src/abi';
import { copy } from '../text-line';
import {
  addCall, beginCalls, body, idFrom, isInOrder, nameFrom, nameLength, readBelow, rowAt, takeReply,
} from './calls';
import { openRecord } from './chats';
import { putContent } from './contents';
import { fits } from './fit';
import {
  KIND_ANALYSIS, KIND_BARE, KIND_CALL, KIND_DEVELOPER, KIND_FINAL, KIND_PREAMBLE, KIND_TOOL, kindOf, KIND_USER, mayJoin,
  piece,
} from './lines';
import { holdsNamespace, holdsPair, MARKER_END } from './tags';
import { CLOSE_LIST, CLOSE_OBJECT, COMMA, OPEN_LIST, OPEN_OBJECT, QUOTE } from './text';
import { splitsUsual } from './thought';

// 0 to 2 are as in chats.ts.
const END: u32 = 3;
const CALLS: u32 = 4;
const BETWEEN_CALLS: u32 = 5;
const BEFORE_TOOL: u32 = 6;
const BEFORE_ARGUMENTS: u32 = 7;
/** By the kind. */
const TURN: u32 = 8;

/** What the record that was written last loses: ids, preambles that become answers, thoughts, developers' roles. */
export let idsHere: u32 = 0;
export let preamblesHere: u32 = 0;
export let thoughtsHere: u32 = 0;
export let developersHere: u32 = 0;

/** Where the value of the turn of calls at hand begins; how many calls it has. */
let callsFrom: usize = 0;
let calls: u32 = 0;

/**
 * Writes the record of row `number`, whose rows end at `end`, at q. `tools`: where the text of its definitions is told,
 * or 0; `records`: number of the table's first record. Answers its end; 0: it is for the host.
 */
export function writeShareGpt(q: usize, number: u32, end: usize, tools: usize, records: f64): usize {
  const at = rowAt(number);
  let row = at + RECORD_ROWS * ROW_BYTES;
  q = openRecord(q, at, end, tools, records);
  if (q == 0) return 0;
  idsHere = preamblesHere = thoughtsHere = developersHere = calls = 0;
  beginCalls();
  const from = q;
  let entry: u32 = 0;
  let before = KIND_USER;
  while (row < end) {
    const kind = kindOf(load<u32>(row));
    if (mayJoin(row, before, entry)) return 0;
    entry = load<u32>(row, 4);
    before = kind;
    const next = rowAt(load<u32>(row, 12));
    readBelow(row + ROW_BYTES, next);
    if (kind == KIND_ANALYSIS) thoughtsHere++;
    else {
      if (q != from && (kind != KIND_CALL || calls == 0)) {
        q = endCalls(q);
        store<u8>(q++, COMMA);
      }
      q = kind == KIND_CALL ? putCall(q, row, next) : putTurn(q, kind, tools == 0);
      if (q == 0) return 0;
    }
    row = next;
  }
  return piece(endCalls(q), END);
}

/** Ends the turn of calls that is open, if one is. */
function endCalls(q: usize): usize {
  if (calls == 0) return q;
  if (calls > 1) store<u8>(q++, CLOSE_LIST);
  calls = 0;
  return endTurn(q);
}

function endTurn(q: usize): usize {
  store<u8>(q, QUOTE);
  store<u8>(q, CLOSE_OBJECT, 1);
  return q + 2;
}

/** The call at hand, in a turn with those right before it. */
function putCall(q: usize, row: usize, next: usize): usize {
  // Callers have no name here.
  if (next - row > (idFrom != 0 ? 4 : 3) * ROW_BYTES || !addCall(row) || !holdsContainer(body)) return 0;
  if (idFrom != 0) idsHere++;
  if (calls == 0) {
    q = piece(q, CALLS);
    callsFrom = q;
  } else {
    if (calls == 1) {
      memory.copy(callsFrom + 1, callsFrom, q - callsFrom);
      store<u8>(callsFrom, OPEN_LIST);
      q++;
    }
    q = piece(q, BETWEEN_CALLS);
  }
  calls++;
  q = copy(piece(q, BEFORE_TOOL), nameFrom, nameFrom + nameLength);
  q = putContent(piece(q, BEFORE_ARGUMENTS), body, false);
  if (q == 0) return 0;
  store<u8>(q, CLOSE_OBJECT);
  return q + 1;
}

/** Whether arguments are the JSON of an object or a list, and nothing around it. False: nobody knows. */
function holdsContainer(row: usize): bool {
  const kind = load<u32>(row);
  if ((kind & (ABSENT | VALUE | PARTS)) != 0) return false;
  const from = <usize>load<u32>(row, 4);
  const to = <usize>load<u32>(row, 8);
  const first = <u32>load<u8>(from);
  if (first != OPEN_OBJECT && first != OPEN_LIST) return false;
  return <u32>load<u8>(to - 1) == first + 2 && fits(from, to, (kind & ESCAPED) != 0, false, 0);
}

/** The message at hand. `mayDeclare`: definitions in one of the system would count as the record's. */
function putTurn(q: usize, kind: u32, mayDeclare: bool): usize {
  if (kind == KIND_BARE || (kind != KIND_TOOL && nameFrom != 0)) return 0;
  if (kind == KIND_TOOL) {
    // Read again, a reply answers the first call that waits.
    if (!takeReply() || !isInOrder()) return 0;
    if (idFrom != 0) idsHere++;
  }
  if (kind == KIND_PREAMBLE) preamblesHere++;
  if (kind == KIND_DEVELOPER) developersHere++;
  if ((load<u32>(body) & ABSENT) != 0) return 0;
  const from = piece(q, TURN + kind);
  q = putContent(from, body, false);
  if (q == 0 || (mayDeclare && kind < KIND_USER && holdsNamespace(from, q))) return 0;
  // Reasoning in the text stays there (R-THINK), unless it is for the host.
  const isSaid = kind == KIND_PREAMBLE || (kind == KIND_FINAL && !splitsUsual(body));
  if (isSaid && holdsPair(from, q, MARKER_END)) return 0;
  return endTurn(q);
}
