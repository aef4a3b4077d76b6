// Calls that are written as text, as JSON objects with `name` and `arguments`: the value of a turn of ShareGPT, or what
// stands between `<tool_call>` and `</tool_call>` in what an assistant says (R-HERMES).

import { isSame } from '../same';
import { markOdd } from './state';
import { LF, OPEN_OBJECT, setSpansLines, skipBlanks } from './text';
import { CALLS, newCall } from './tool-calls';
import {
  behindWhite, CALL_TAG, CLOSE_CALL, CLOSE_THINK, find, givenFrom, givenTo, goTo, nameFrom, nameTo, OPEN_CALL,
  OPEN_THINK, rawFrom, rawKind, rawTo, readNamed, readText, text, textEnd, THINK_TAG, withoutNewline,
} from './written';

/** Whether [from, to), the inside of a string, is a call: then it is kept. */
export function textCall(from: usize, to: usize): bool {
  if (!readText(from, to)) return false;
  setSpansLines(true);
  const end = callEnd(skipBlanks(text));
  const isCall = end != 0 && skipBlanks(end) == textEnd;
  if (isCall) keepCall();
  setSpansLines(false);
  return isCall;
}

/** Behind the call object at p, or 0. */
function callEnd(p: usize): usize {
  const end = readNamed(p, false);
  return nameFrom == 0 || givenFrom == 0 || load<u8>(givenFrom) != OPEN_OBJECT ? 0 : end;
}

/** The call that was read last, with its place in the JSON. */
function keepCall(): void {
  const call = newCall();
  const isNameFirst = nameFrom < givenFrom;
  if (isNameFirst) keepName(call);
  goTo(givenFrom, givenTo);
  store<u32>(call, <u32>rawFrom, 16);
  store<u32>(call, <u32>rawTo, 20);
  store<u32>(call, rawKind, 24);
  if (!isNameFirst) keepName(call);
}

function keepName(call: usize): void {
  goTo(nameFrom, nameTo);
  store<u32>(call, <u32>rawFrom, 8);
  store<u32>(call, <u32>rawTo, 12);
}

/** The bytes between `{` and the name, and between the name and the arguments, as they are mostly written. */
const BEFORE_NAME: usize = 13;
const BEFORE_ARGUMENTS: usize = 19;

/**
 * Whether the one call of [from, to), the inside of a string, is written as our writer writes it: `{"name": "x",
 * "arguments": {}}`. The call was read already, so that only blanks can differ.
 */
export function isUsualCall(from: usize, to: usize): bool {
  const name = <usize>load<u32>(CALLS, 8);
  const behind = <usize>load<u32>(CALLS, 12);
  if (name != from + BEFORE_NAME || load<u16>(from, 9) != COLON_BLANK) return false;
  if (<usize>load<u32>(CALLS, 16) != behind + BEFORE_ARGUMENTS || <usize>load<u32>(CALLS, 20) + 1 != to) return false;
  return load<u16>(behind, 2) == COMMA_BLANK && load<u16>(behind, 17) == COLON_BLANK;
}
const COLON_BLANK: u32 = 0x203a;
const COMMA_BLANK: u32 = 0x202c;

const MOST_THOUGHT: usize = 1 << 18;

/** What is said before the calls: its kind (0: nothing but white space is) and where it stands. */
export let saidKind: u32 = 0;
export let saidFrom: usize = 0;
export let saidTo: usize = 0;

/**
 * Keeps the calls in what an assistant says, the content [from, to). False: it holds none. One that cannot be read, or
 * after which something else is said, is for the host.
 */
export function writtenCalls(from: usize, to: usize): bool {
  if (!readText(from, to)) return false;
  const front = behindThought();
  // How many tags it holds is for the host to count.
  if (front - text > MOST_THOUGHT) markOdd();
  const first = nextCall(front);
  if (first == 0) return false;
  // White space after a thought belongs to it.
  const said = first == front && front > text ? first : withoutNewline(text, first);
  saidKind = 0;
  if (behindWhite(text, said) < said) {
    goTo(text, said);
    saidKind = rawKind;
    saidFrom = rawFrom;
    saidTo = rawTo;
  }
  setSpansLines(true);
  for (let tag = first; tag != 0; ) {
    const next = nextCall(tag + CALL_TAG);
    const end = next == 0 ? textEnd : next;
    const close = callEnd(skipBlanks(tag + CALL_TAG));
    const closed = skipBlanks(close == 0 ? tag : close);
    if (close == 0 || !isSame(closed, CLOSE_CALL, CALL_TAG + 1) || behindWhite(closed + CALL_TAG + 1, end) < end) {
      markOdd();
      break;
    }
    keepCall();
    tag = next;
  }
  setSpansLines(false);
  return true;
}

/** Address of the next tag from p on that begins a line, or the text; 0: none does. */
function nextCall(p: usize): usize {
  do p = find(p, textEnd, OPEN_CALL, CALL_TAG);
  while (p != 0 && p != text && load<u8>(p - 1) != LF && ++p != 0);
  return p;
}

/**
 * Behind the thought with which the text begins (R-THINK), or its beginning. A marker that may stand in what a call
 * gives is for the host.
 */
function behindThought(): usize {
  const isOpened = isSame(behindWhite(text, textEnd), OPEN_THINK, THINK_TAG);
  const closed = find(text, textEnd, CLOSE_THINK, THINK_TAG + 1);
  if (closed == 0) return isOpened ? textEnd : text;
  if (!isOpened && nextCall(text) - 1 < closed) markOdd();
  return behindWhite(closed + THINK_TAG + 1, textEnd);
}
