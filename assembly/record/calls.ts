// The calls and replies of a record, which the walks over its rows match: who answers what.
//
// The simple version is src/rules/, with maps of ids and names. Here the calls lie in a list, and a reply looks from
// the first call that waits on, which is mostly the one.

import {
  BODY, CALL_ID, ENTRY_SHIFT, IS_OPEN, KIND_MASK, RECIPIENT, ROW_BYTES, TOOLS_ASK, TOOLS_MASK, TOOLS_SHIFT,
} from '../../src/abi';
import { isSame } from '../same';
import { writeShort } from '../text-line';
import { table } from './state';
import { entryStatus, isKept } from './tools';

/** Calls of a record: what has more is for the host. */
const MOST_CALLS: i32 = 256;
/** A call: its MESSAGE row, its id and its name as addresses and lengths (0: none); whether it was answered. */
const CALL_BYTES: usize = 32;
// @ts-ignore: decorator
@lazy const CALLS: usize = memory.data(256 * 32, 16);
let calls: i32 = 0;
/** Ids that are made, by the number of the call. */
// @ts-ignore: decorator
@lazy const IDS: usize = memory.data(256 * 16, 16);
/** `call_` */
const ID_START: u64 = 0x5f6c6c6163;
/** The call that was taken last, or answered. */
let taken: i32 = 0;
/** The first call that waits. */
let first: i32 = 0;

// @ts-ignore: decorator
@inline
export function rowAt(number: u32): usize { return table + <usize>number * ROW_BYTES; }

/** The status of a record's tools, from its TOOLS row. */
// @ts-ignore: decorator
@inline
export function statusOf(tools: usize): u32 {
  const word = load<u32>(tools);
  const status = (word >> TOOLS_SHIFT) & TOOLS_MASK;
  // The host may have said it since the row was written.
  return status == TOOLS_ASK && isKept(word >> ENTRY_SHIFT) ? entryStatus(word >> ENTRY_SHIFT) : status;
}

/** What stands below the message at hand: addresses and lengths (0: it is not there), and the row of its body. */
export let idFrom: usize = 0;
export let idLength: usize = 0;
/** Of a call the tool's name, else the author's. */
export let nameFrom: usize = 0;
export let nameLength: usize = 0;
export let body: usize = 0;

/** Reads the rows [at, end) below a message. */
export function readBelow(at: usize, end: usize): void {
  idFrom = idLength = nameFrom = nameLength = 0;
  for (; at < end; at += ROW_BYTES) {
    const kind = load<u32>(at) & KIND_MASK;
    const from = <usize>load<u32>(at, 4);
    const length = <usize>load<u32>(at, 8) - from;
    if (kind == BODY) body = at;
    else if (kind == CALL_ID) {
      idFrom = from;
      idLength = length;
    } else if (kind == RECIPIENT || nameFrom == 0) {
      // The recipient stands behind the author's name.
      nameFrom = from;
      nameLength = length;
    }
  }
}

/** `asWritten`: replies and ids may be such as the rules do not allow, which is to be told by somebody else. */
export function beginCalls(asWritten: bool = false): void {
  calls = first = 0;
  hasIds = makesIds = false;
  isFree = asWritten;
}
let isFree: bool = false;

/** Some call or reply has an id, and some got one. */
let hasIds: bool = false;
let makesIds: bool = false;

/**
 * Gives the call that was taken last, or the reply to it, an id if it has none: a reply that of its call, a call
 * `call_1`, `call_2` … (src/formats/chat/calls.ts). False: that may be one that is there.
 */
export function makeId(): bool {
  if (idFrom != 0 && !isFree) return false;
  if (idFrom == 0) {
    const call = CALLS + <usize>taken * CALL_BYTES;
    idFrom = <usize>load<u32>(call, 4);
    idLength = <usize>load<u32>(call, 8);
  }
  if (idFrom != 0) {
    hasIds = true;
    return !makesIds;
  }
  makesIds = true;
  if (hasIds) return false;
  idFrom = IDS + (<usize>taken << 4);
  store<u64>(idFrom, ID_START);
  idLength = writeShort(idFrom + 5, taken + 1) - idFrom;
  return true;
}

/** Ids that were made; of the first its record, and its message's number, twice, and one more of a reply. */
export let ids: u32 = 0;
export let firstIdRecord: u32 = 0;
export let firstId: u32 = 0;
export function setIds(count: u32): void { ids = count; }

/** The same for the message of this number in a record, counted. */
export function makeCountedId(record: u32, message: u32, isReply: bool): bool {
  if (idFrom == 0 && ids++ == 0) {
    firstIdRecord = record;
    firstId = (message << 1) | (isReply ? 1 : 0);
  }
  return makeId();
}

/**
 * Takes the call at hand, whose row is `row`. False: its id is not the only one, or there are too many. As written it
 * may be that of calls that were answered.
 */
export function addCall(row: usize): bool {
  if (calls == MOST_CALLS) return false;
  if (idFrom != 0) {
    for (let i = 0; i < calls; i++) {
      const call = CALLS + <usize>i * CALL_BYTES;
      if (isFree && load<u32>(call, 20) != 0) continue;
      if (<usize>load<u32>(call, 8) == idLength && isSame(load<u32>(call, 4), idFrom, idLength)) return false;
    }
  }
  const call = CALLS + <usize>calls * CALL_BYTES;
  store<u32>(call, <u32>row);
  store<u32>(call, <u32>idFrom, 4);
  store<u32>(call, <u32>idLength, 8);
  store<u32>(call, <u32>nameFrom, 12);
  store<u32>(call, <u32>nameLength, 16);
  store<u32>(call, 0, 20);
  taken = calls++;
  return true;
}

/**
 * The call that the reply at hand answers: the one with its id; without an id the first of its name, or the first.
 * False: none that waits is. A reply without a name gets that of its call. As written one with an id may answer no
 * call, or name another tool than its call.
 */
export function takeReply(): bool {
  for (let i = first; i < calls; i++) {
    const call = CALLS + <usize>i * CALL_BYTES;
    if (load<u32>(call, 20) != 0) continue;
    const length = <usize>load<u32>(call, 16);
    const isNamed = nameFrom == 0 || (length == nameLength && isSame(load<u32>(call, 12), nameFrom, nameLength));
    if (idFrom == 0) {
      if (!isNamed) continue;
    } else {
      if (<usize>load<u32>(call, 8) != idLength || !isSame(load<u32>(call, 4), idFrom, idLength)) continue;
      if (!isNamed && !isFree) return false;
    }
    store<u32>(call, 1, 20);
    taken = i;
    if (nameFrom == 0) {
      nameFrom = load<u32>(call, 12);
      nameLength = length;
    }
    while (first < calls && load<u32>(CALLS + <usize>first * CALL_BYTES, 20) != 0) first++;
    return true;
  }
  return isFree && idFrom != 0;
}

/** The reply that was taken last answers the first of the calls that waited. */
export function isInOrder(): bool { return taken < first; }

/** Marks the calls that wait. Answers whether there are any. */
export function markOpen(): bool {
  for (let i = first; i < calls; i++) {
    const call = CALLS + <usize>i * CALL_BYTES;
    const row = <usize>load<u32>(call);
    if (load<u32>(call, 20) == 0) store<u32>(row, load<u32>(row) | IS_OPEN);
  }
  return first < calls;
}

/** Some call waits for its reply. */
export function hasOpen(): bool { return first < calls; }
