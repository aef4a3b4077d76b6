// Reasoning that is written as text (R-THINK).
//
// What an assistant says before a call may be nothing else: nobody sees it then (R-CALL). The simple version reads the
// text: isThoughtAlone in src/model/visibility.ts. In what is said it becomes a message of its own; the simple version
// is src/formats/written-thoughts.ts.

import { ABSENT, CODED, ESCAPED, PARTS } from '../../src/abi';
import { isSame } from '../same';
import { holdsPair, isEscape, MARKER_END, mayEndMarker } from './tags';
import { behindBlanks, CLOSE_THINK, find, OPEN_THINK, THINK_TAG } from './written';

export const IS_SAID: u32 = 0;
export const IS_THOUGHT: u32 = 1;
/** An escape may stand for a character of a marker: only the host can tell. */
export const MAY_BE_THOUGHT: u32 = 2;

/** What a preamble is whose BODY row is at an address. */
export function thoughtIn(body: usize): u32 {
  const kind = load<u32>(body);
  if ((kind & ABSENT) != 0) return IS_SAID;
  const from = <usize>load<u32>(body, 4);
  const to = <usize>load<u32>(body, 8);
  if ((kind & (CODED | PARTS)) != 0) return mayEndMarker(from, to, (kind & PARTS) != 0) ? MAY_BE_THOUGHT : IS_SAID;
  if (!holdsPair(from, to, MARKER_END)) return IS_SAID;
  const closed = find(from, to, CLOSE_THINK, THINK_TAG + 1);
  if (closed != 0) return behindBlanks(closed + THINK_TAG + 1) >= to ? IS_THOUGHT : IS_SAID;
  const opened = behindBlanks(from);
  return opened + THINK_TAG <= to && isSame(opened, OPEN_THINK, THINK_TAG) ? IS_THOUGHT : IS_SAID;
}

/** A line feed, and two, in a string. */
const NEWLINE: u32 = 0x6e5c;
const NEWLINES: u32 = 0x6e5c6e5c;
const NEWLINE_BYTES: usize = 2;
/** `\u00` */
const CODE_OF_ASCII: u32 = 0x3030755c;

/** What `splitsUsual` found, as a JSON string has it: the thought, and what is said behind it. */
export let innerFrom: usize = 0;
export let innerTo: usize = 0;
export let saidFrom: usize = 0;
export let saidTo: usize = 0;

/**
 * Whether the content whose BODY row is at an address is a thought as it is mostly written, `<think>`, a newline, the
 * thought, a newline, `</think>`, two newlines, and something that is said. Of others the host tells.
 */
export function splitsUsual(body: usize): bool {
  const kind = load<u32>(body);
  const from = <usize>load<u32>(body, 4);
  const to = <usize>load<u32>(body, 8);
  if ((kind & (ESCAPED | PARTS | ABSENT)) != ESCAPED || !isSame(from, OPEN_THINK, THINK_TAG)) return false;
  innerFrom = from + THINK_TAG + NEWLINE_BYTES;
  const closed = find(innerFrom, to, CLOSE_THINK, THINK_TAG + 1);
  innerTo = closed - NEWLINE_BYTES;
  const behind = closed + THINK_TAG + 1;
  saidFrom = behind + 2 * NEWLINE_BYTES;
  saidTo = to;
  if (closed == 0 || saidFrom >= to || load<u32>(behind) != NEWLINES || !beginsText(saidFrom, saidTo)) return false;
  if (load<u16>(innerFrom - NEWLINE_BYTES) != NEWLINE || load<u16>(innerTo) != NEWLINE || !isEscape(innerTo)) {
    return false;
  }
  return beginsText(behindBlanks(innerFrom), innerTo) && !mayHoldMarker(innerFrom, innerTo, kind)
    && !mayHoldMarker(saidFrom, saidTo, kind);
}

/** Whether [p, to), of a string, begins with what is no white space. False also for an escape that may be some. */
function beginsText(p: usize, to: usize): bool {
  return p < to && behindBlanks(p) == p && load<u32>(p) != CODE_OF_ASCII;
}

function mayHoldMarker(from: usize, to: usize, kind: u32): bool {
  return (kind & CODED) != 0 ? mayEndMarker(from, to, false) : holdsPair(from, to, MARKER_END);
}
