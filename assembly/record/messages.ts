// The rows of the messages that entries mean.

import {
  ABSENT, ANALYSIS, ASSISTANT, BODY, CALL, CALL_ID, CHANNEL_MASK, CHANNEL_SHIFT, COMMENTARY, DEVELOPER, END, ESCAPED,
  FINAL, HAS_CALLS, HAS_DEVELOPER, HAS_VALUES, LACKS_ID, MESSAGE, NAME, PARTS, PLAIN, RECIPIENT, RECIPIENT_SHIFT,
  ROLE_SHIFT, SYSTEM, TOKEN_SHIFT, TO_TOOL, TOOL, USER, VALUE,
} from '../../src/abi';
import { addFlag, hasRoom, isOdd, markFull, markOdd, numberOf, push, row } from './state';
import { mayCodeWord } from './tags';
import { CALL_BYTES, calls, CALLS } from './tool-calls';
import { isToolName, isWord } from './value';
import { find } from './written';

// @ts-ignore: decorator
@lazy const NO_ARGUMENTS: usize = memory.data<u8>([123, 125, 34, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 16); // {}
// @ts-ignore: decorator
@lazy const NAME_MEMBER: usize = memory.data<u8>([92, 34, 110, 97, 109, 101, 92, 34], 16); // \"name\"

const OF_ASSISTANT: u32 = MESSAGE | PLAIN | (END << TOKEN_SHIFT) | (ASSISTANT << ROLE_SHIFT);

/** Only system and developer messages were met so far in the record. */
let isOpening: bool = true;
/** How many of them there are. */
export let systems: u32 = 0;

export function beginMessages(): void {
  isOpening = true;
  systems = 0;
}

/** A message of the entry [from, to), with an author's name (FROM 0: none) and a body (`kind` 0: none). Its row. */
function write(
  word: u32, from: usize, to: usize, nameFrom: usize, nameTo: usize, kind: u32, bodyFrom: usize, bodyTo: usize,
): usize {
  const at = push(word, from, to, 0);
  if (nameFrom != 0) push(NAME, nameFrom, nameTo, numberOf(row) + 1);
  writeBody(at, kind, bodyFrom, bodyTo, from, to);
  return at;
}

/** The body, with which the message at `at` ends. */
function writeBody(at: usize, kind: u32, bodyFrom: usize, bodyTo: usize, from: usize, to: usize): void {
  if (kind == 0) push(BODY | ABSENT, from, to, numberOf(row) + 1);
  else push(kind, bodyFrom, bodyTo, numberOf(row) + 1);
  store<u32>(at, numberOf(row), 12);
}

/** A message of a user, the system, a developer. */
export function writePlain(
  role: u32, from: usize, to: usize, nameFrom: usize, nameTo: usize, kind: u32, bodyFrom: usize, bodyTo: usize,
): void {
  if (!hasRoom(3)) markFull();
  if (role == 0 || (nameFrom != 0 && !isWord(nameFrom, nameTo))) markOdd();
  if (isOdd) return;
  if (role == USER) isOpening = false;
  else {
    systems++;
    if (isOpening) {
      if (role == DEVELOPER) addFlag(HAS_DEVELOPER);
      // Definitions in a text that opens the record count as tools of the record.
      if ((kind & (ESCAPED | PARTS)) != 0 && mayHoldList(bodyFrom, bodyTo)) markOdd();
    }
  }
  write(MESSAGE | PLAIN | (END << TOKEN_SHIFT) | (role << ROLE_SHIFT), from, to, nameFrom, nameTo, kind, bodyFrom,
    bodyTo);
}

/** A message of the system in which definitions stand: other ones in it are text. */
export function writeSystem(
  from: usize, to: usize, nameFrom: usize, nameTo: usize, kind: u32, bodyFrom: usize, bodyTo: usize,
): void {
  if (!hasRoom(3)) markFull();
  if (nameFrom != 0 && !isWord(nameFrom, nameTo)) markOdd();
  if (isOdd) return;
  systems++;
  write(MESSAGE | PLAIN | (END << TOKEN_SHIFT) | (SYSTEM << ROLE_SHIFT), from, to, nameFrom, nameTo, kind, bodyFrom,
    bodyTo);
}

/** A tool's reply. */
export function writeReply(
  from: usize, to: usize, idFrom: usize, idTo: usize, nameFrom: usize, nameTo: usize, kind: u32, bodyFrom: usize,
  bodyTo: usize,
): void {
  if (!hasRoom(4)) markFull();
  if ((idFrom != 0 && !isWord(idFrom, idTo)) || (nameFrom != 0 && !isToolName(nameFrom, nameTo))) markOdd();
  if (isOdd) return;
  isOpening = false;
  const word = MESSAGE | PLAIN | (END << TOKEN_SHIFT) | (TOOL << ROLE_SHIFT) | (COMMENTARY << CHANNEL_SHIFT);
  const at = push(word, from, to, 0);
  if (idFrom != 0) push(CALL_ID, idFrom, idTo, numberOf(row) + 1);
  else addFlag(LACKS_ID);
  if (nameFrom != 0) push(NAME, nameFrom, nameTo, numberOf(row) + 1);
  writeBody(at, kind, bodyFrom, bodyTo, from, to);
}

/** Whether the inside of a JSON string may hold JSON with a member `name`: as `\"name\"`, or with a code in it. */
function mayHoldList(p: usize, to: usize): bool {
  return find(p, to, NAME_MEMBER, 8) != 0 || mayCodeWord(p, to);
}

/** What an assistant says on a channel. Answers its row; 0: there is none. */
export function writeSaid(
  channel: u32, from: usize, to: usize, nameFrom: usize, nameTo: usize, kind: u32, bodyFrom: usize, bodyTo: usize,
): usize {
  if (!hasRoom(3)) markFull();
  if (isOdd) return 0;
  isOpening = false;
  return write(OF_ASSISTANT | (channel << CHANNEL_SHIFT), from, to, nameFrom, nameTo, kind, bodyFrom, bodyTo);
}

/** What an assistant said at a row leads to a call. */
export function makePreamble(at: usize): void {
  store<u32>(at, (load<u32>(at) & ~(CHANNEL_MASK << CHANNEL_SHIFT)) | (COMMENTARY << CHANNEL_SHIFT));
}

/** An assistant's thought, content and calls (tool-calls.ts). */
export function writeAssistant(
  from: usize, to: usize, nameFrom: usize, nameTo: usize, thoughtKind: u32, thoughtFrom: usize, thoughtTo: usize,
  kind: u32, bodyFrom: usize, bodyTo: usize,
): void {
  if (nameFrom != 0 && !isWord(nameFrom, nameTo)) markOdd();
  // Whether a list of parts beside calls is empty would have to be found out.
  if (calls > 0 && (kind & PARTS) != 0) markOdd();
  if (!hasRoom(6 + 5 * <usize>calls)) markFull();
  if (isOdd) return;
  const hasThought = thoughtFrom != 0 && thoughtTo > thoughtFrom;
  if (hasThought) writeSaid(ANALYSIS, from, to, nameFrom, nameTo, thoughtKind, thoughtFrom, thoughtTo);
  const hasContent = kind != 0 && (calls == 0 || bodyTo > bodyFrom);
  if (hasContent || (calls == 0 && !hasThought)) {
    writeSaid(calls > 0 ? COMMENTARY : FINAL, from, to, nameFrom, nameTo, kind, bodyFrom, bodyTo);
  }
  for (let i = 0; i < calls; i++) writeCall(CALLS + <usize>i * CALL_BYTES, from, to, nameFrom, nameTo);
  isOpening = false;
}

/** The call that is kept at an address. */
export function writeCall(call: usize, from: usize, to: usize, nameFrom: usize, nameTo: usize): void {
  const idFrom = <usize>load<u32>(call);
  const idTo = <usize>load<u32>(call, 4);
  const toolFrom = <usize>load<u32>(call, 8);
  const toolTo = <usize>load<u32>(call, 12);
  if (!hasRoom(5)) markFull();
  if (toolFrom == 0 || !isToolName(toolFrom, toolTo) || (idFrom != 0 && !isWord(idFrom, idTo))) markOdd();
  if (isOdd) return;
  isOpening = false;
  addFlag(HAS_CALLS);
  const word = MESSAGE | PLAIN | (CALL << TOKEN_SHIFT) | (ASSISTANT << ROLE_SHIFT) | (COMMENTARY << CHANNEL_SHIFT)
    | (TO_TOOL << RECIPIENT_SHIFT);
  const at = push(word, from, to, 0);
  if (idFrom != 0) push(CALL_ID, idFrom, idTo, numberOf(row) + 1);
  else addFlag(LACKS_ID);
  if (nameFrom != 0) push(NAME, nameFrom, nameTo, numberOf(row) + 1);
  push(RECIPIENT, toolFrom, toolTo, numberOf(row) + 1);
  const kind = load<u32>(call, 24);
  if (kind == 0) push(BODY | VALUE | ABSENT, NO_ARGUMENTS, NO_ARGUMENTS + 2, numberOf(row) + 1);
  else push(kind, load<u32>(call, 16), load<u32>(call, 20), numberOf(row) + 1);
  if ((kind & VALUE) != 0 || kind == 0) addFlag(HAS_VALUES);
  store<u32>(at, numberOf(row), 12);
}
