// What the headers of calls and replies say whose messages become those of a chat record: which tool, and which id. In
// 2.2 the header has the id; in Harmony it is made, and a reply has that of the first call of its tool that waits.

import {
  CHAT_ARGUMENTS, CHAT_ASSISTANT, CHAT_BODY, CHAT_COMMENTARY, CHAT_FROM_NAME, CHAT_FROM_TOOL, CHAT_HINT, CHAT_ID,
  CHAT_JSON, CHAT_MADE_ID, CHAT_MESSAGES, CHAT_RESULT, CHAT_TO, CHAT_TOOL, CHAT_TO_ASSISTANT, CHAT_TO_TOOL,
} from '../src/abi';
import { isSame } from './same';
import { copy, writeShort } from './text-line';
import { past, put, wordEnd } from './text-pieces';

/** Bytes of `<|start|>`. */
export const START_BYTES: usize = 9;
const ROLE_OF_TOOL: u32 = 0x6c6f6f74;

/** The name of the tool, without `functions.`. */
export let name: usize = 0;
export let nameTo: usize = 0;
/** The type of a call's arguments is a hint. */
export let isHint: bool = false;
/** The id in the header, or the number of which one is made. */
let id: usize = 0;
let idTo: usize = 0;
let number: u32 = 0;

/** The names of Harmony's calls, by their numbers; nowhere: they are answered. */
// @ts-ignore: decorator
@lazy const CALLS: usize = memory.data(CHAT_MESSAGES * 8, 8);
let calls: u32 = 0;
/** Before it none waits. */
let firstOpen: u32 = 0;

/** Another transcript begins. */
export function beginCalls(): void {
  calls = firstOpen = 0;
}

export function putId(q: usize): usize {
  return id != 0 ? copy(q, id, idTo) : writeShort(put(q, CHAT_MADE_ID), number);
}

/** `browser`, `python`, `container`: names that mean another tool without `functions.`. */
function isBuiltin(): bool {
  const length = nameTo - name;
  if (length < 6) return false;
  const first = load<u32>(name);
  return (length == 7 && first == 0x776f7262) || (length == 6 && first == 0x68747970)
    || (length == 9 && first == 0x746e6f63);
}

/** Whether a name stands at p that can be that of a tool; it is the one at hand then. */
function takeName(p: usize): bool {
  name = p;
  nameTo = wordEnd(p);
  return nameTo != name && !isBuiltin();
}

/** Reads the header [header, p) of a call; false: it is written otherwise. */
export function readCall(header: usize, p: usize, isHarmony: bool): bool {
  return isHarmony ? readHarmonyCall(header, p) : readIdCall(header, p);
}

function readIdCall(header: usize, p: usize): bool {
  isHint = false;
  const from = past(header, p, CHAT_TO_TOOL);
  if (from == 0 || !takeName(from)) return false;
  id = past(nameTo, p, CHAT_ID);
  if (id == 0) return false;
  idTo = wordEnd(id);
  return idTo != id && past(idTo, p, CHAT_ARGUMENTS) == p;
}

/** The recipient stands before the channel or behind it. */
function readHarmonyCall(header: usize, p: usize): bool {
  let at = past(header, p, CHAT_ASSISTANT);
  if (at == 0) return false;
  const before = past(at, p, CHAT_TO);
  if (before != 0) {
    if (!takeName(before)) return false;
    at = nameTo;
  }
  at = past(at, p, CHAT_COMMENTARY);
  if (at == 0) return false;
  if (before == 0) {
    at = past(at, p, CHAT_TO);
    if (at == 0 || !takeName(at)) return false;
    at = nameTo;
  }
  const hint = past(at, p, CHAT_HINT);
  isHint = hint != 0;
  if (!isHint && load<u8>(at) == 0x20 && load<u8>(at, 1) == 0x3c) at++;
  const bound = isHint ? hint : past(at, p, CHAT_JSON);
  if (past(bound != 0 ? bound : at, p, CHAT_BODY) != p) return false;
  id = 0;
  store<u32>(CALLS + (<usize>calls << 3), <u32>name);
  store<u32>(CALLS + (<usize>calls << 3), <u32>nameTo, 4);
  number = ++calls;
  return true;
}

/** Reads the header of a reply likewise. */
export function readReply(header: usize, p: usize, isHarmony: bool): bool {
  return isHarmony ? readHarmonyReply(header, p) : readIdReply(header, p);
}

/** Three words, in any order, say whose it is. */
function readIdReply(header: usize, p: usize): bool {
  if (load<u32>(header, START_BYTES) != ROLE_OF_TOOL) return false;
  let at = header + START_BYTES + 4;
  let isAddressed = false;
  id = idTo = 0;
  name = nameTo = 0;
  for (let words = 0; words < 3; words++) {
    let from = past(at, p, CHAT_ID);
    if (from != 0) {
      id = from;
      at = idTo = wordEnd(from);
      continue;
    }
    from = past(at, p, CHAT_FROM_NAME);
    if (from != 0) {
      name = from;
      at = nameTo = wordEnd(from);
      continue;
    }
    at = past(at, p, CHAT_FROM_TOOL);
    if (at == 0) return false;
    isAddressed = true;
  }
  return isAddressed && idTo != id && nameTo != name && !isBuiltin() && past(at, p, CHAT_RESULT) == p;
}

/** Its role is the tool; that it is for the assistant, and on commentary, goes without saying. */
function readHarmonyReply(header: usize, p: usize): bool {
  const from = past(header, p, CHAT_TOOL);
  if (from == 0 || !takeName(from)) return false;
  let at = past(nameTo, p, CHAT_TO_ASSISTANT);
  if (at == 0) at = nameTo;
  const behind = past(at, p, CHAT_COMMENTARY);
  return past(behind != 0 ? behind : at, p, CHAT_BODY) == p && answer();
}

/** Answers the first call of the tool that waits; false: none does. */
function answer(): bool {
  id = 0;
  while (firstOpen < calls && load<u32>(CALLS + (<usize>firstOpen << 3)) == 0) firstOpen++;
  const length = nameTo - name;
  for (let call = firstOpen; call < calls; call++) {
    const at = CALLS + (<usize>call << 3);
    const from = <usize>load<u32>(at);
    if (from == 0 || <usize>load<u32>(at, 4) - from != length || !isSame(from, name, length)) continue;
    store<u32>(at, 0);
    number = call + 1;
    return true;
  }
  return false;
}
