// The `tools` of records. A corpus repeats its lists: one that is met for the second time is kept, and known again by
// its bytes. What is known of a list (schema.ts) is kept beside it; of one that is not kept it is known until the next
// lines are scanned. Where every record has definitions of its own nothing is copied, and what is known of them stays
// in the cache.

import { MOST_ENTRIES, TOOLS_ASK, TOOLS_FLAT, TOOLS_NONE } from '../../src/abi';
import { compile, compiledTo, isFlat } from './schema';
import { copyString, textTo } from '../text-string';
import {
  CLOSE_LIST, DEEPEST, isSame, NULL_4, OPEN_LIST, OPEN_OBJECT, QUOTE, setSpansLines, skipBlanks, valueEnd,
} from './text';

/**
 * An entry: address and length of the bytes, their hash, the table of definitions (0: none), the next entry of the
 * bucket, the status.
 */
const ENTRY_BYTES: usize = 24;
// @ts-ignore: decorator
@lazy const ENTRIES: usize = memory.data(4096 * 24, 16);
const BUCKETS: u32 = 1024;
// @ts-ignore: decorator
@lazy const HEADS: usize = memory.data(1024 * 4, 16);
/** Entries of a bucket that are looked at. */
const MOST_TRIES: i32 = 8;
/** Bytes of a list that is kept: shorter ones are read as fast, and the hash reads so far. */
const LEAST: usize = 128;
const MOST: usize = 256 * 1024;

/** Hashes of lists that were met once. */
const SEEN: u32 = 4096;
// @ts-ignore: decorator
@lazy const SEEN_ONCE: usize = memory.data(4096 * 4, 16);
/** Tables of lists that are not kept, by the number of the list from MOST_ENTRIES + 1 on. */
const MOST_BRIEF: u32 = 2048;
// @ts-ignore: decorator
@lazy const BRIEF_TABLES: usize = memory.data(2048 * 4, 16);
let briefs: u32 = 0;

let entries: u32 = 0;
/** Entry of the list that was met last, from 1. */
let last: u32 = 0;
/** The memory of kept lists and of their tables; and of tables that last for the lines that are scanned. */
let keepFrom: usize = 0;
let keep: usize = 0;
let keepEnd: usize = 0;
let brief: usize = 0;
let briefFrom: usize = 0;
let briefEnd: usize = 0;
/** There was no more room: all is forgotten before the next lines. */
let isCrowded: bool = false;
let generation: u32 = 0;

/** Of the list that was passed last. */
export let toolsStatus: u32 = 0;
export let toolsEntry: u32 = 0;

export function placeTools(from: usize, to: usize, short: usize, shortEnd: usize): void {
  keepFrom = from;
  keepEnd = to;
  briefFrom = short;
  briefEnd = shortEnd;
  forget();
}

function forget(): void {
  memory.fill(HEADS, 0, <usize>BUCKETS * 4);
  keep = keepFrom;
  entries = last = 0;
  isCrowded = false;
  generation++;
}

/** To be called before lines are scanned: tables of lists that are not kept go. */
export function beginTools(): void {
  brief = briefFrom;
  briefs = 0;
  if (isCrowded) forget();
}

/** Changes whenever entries are forgotten. */
export function toolsGeneration(): u32 { return generation; }

// @ts-ignore: decorator
@inline
function entryAt(number: u32): usize { return ENTRIES + <usize>(number - 1) * ENTRY_BYTES; }

export function entryFrom(number: u32): usize { return load<u32>(entryAt(number)); }
export function entryLength(number: u32): usize { return load<u32>(entryAt(number), 4); }
export function entryStatus(number: u32): u32 { return load<u32>(entryAt(number), 20); }
/** What the host says of an entry. */
export function setEntryStatus(number: u32, status: u32): void { store<u32>(entryAt(number), status, 20); }

/** Whether a list of this number is kept. */
// @ts-ignore: decorator
@inline
export function isKept(entry: u32): bool { return entry - 1 < <u32>MOST_ENTRIES; }

/** The table of a list's definitions; 0: there is none. */
export function tableOf(entry: u32): usize {
  if (entry == 0) return 0;
  return isKept(entry)
    ? <usize>load<u32>(entryAt(entry), 12)
    : <usize>load<u32>(BRIEF_TABLES + (<usize>(entry - MOST_ENTRIES - 1) << 2));
}

/** Whether a list of this hash was met before. */
function isSeen(hash: u32): bool {
  const at = SEEN_ONCE + (<usize>((hash >> 10) & (SEEN - 1)) << 2);
  if (load<u32>(at) == hash) return true;
  store<u32>(at, hash);
  return false;
}

/** Words of a list's beginning, far enough apart to tell those that begin alike. */
function hashOf(p: usize): u32 {
  let hash = load<u64>(p, 40) * 0x9e3779b97f4a7c15;
  hash = (hash ^ load<u64>(p, 56) ^ (hash >> 29)) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ load<u64>(p, 88) ^ (hash >> 29)) * 0x94d049bb133111eb;
  hash = (hash ^ load<u64>(p, 112) ^ (hash >> 29)) * 0x9e3779b97f4a7c15;
  return <u32>(hash >> 32);
}

// @ts-ignore: decorator
@inline
function isEntry(number: u32, p: usize): bool {
  const at = entryAt(number);
  return isSame(load<u32>(at), p, load<u32>(at, 4));
}

function found(number: u32, p: usize): usize {
  last = toolsEntry = number;
  toolsStatus = entryStatus(number);
  return p + entryLength(number);
}

/**
 * Behind the value of `tools` at p, or 0: what it is stands in `toolsStatus` and `toolsEntry`. `most`: containers in
 * one another.
 */
export function toolsEnd(p: usize, most: i32): usize {
  toolsEntry = 0;
  if (last != 0 && isEntry(last, p)) return found(last, p);
  const hash = hashOf(p);
  const head = HEADS + (<usize>(hash & (BUCKETS - 1)) << 2);
  let number = load<u32>(head);
  for (let tries = 0; number != 0 && tries < MOST_TRIES; tries++) {
    const at = entryAt(number);
    if (load<u32>(at, 8) == hash && isEntry(number, p)) return found(number, p);
    number = load<u32>(at, 16);
  }
  return newTools(p, hash, head, most);
}

function newTools(p: usize, hash: u32, head: usize, most: i32): usize {
  const to = valueEnd(p, most);
  if (to == 0) return 0;
  const byte = <u32>load<u8>(p);
  const isList = byte == OPEN_LIST;
  toolsStatus = TOOLS_ASK;
  if (
    load<u32>(p) == NULL_4 || (byte == QUOTE && to == p + 2) || (isList && load<u8>(skipBlanks(p + 1)) == CLOSE_LIST)
  ) {
    toolsStatus = TOOLS_NONE;
    return to;
  }
  const length = to - p;
  // A number does not end by itself: another one may begin with it.
  const mayBeKept =
    (isList || byte == OPEN_OBJECT || byte == QUOTE) && length >= LEAST && length <= MOST && isSeen(hash);
  if (!mayBeKept || keep + 2 * length + 128 > keepEnd || entries == MOST_ENTRIES) {
    if (mayBeKept) isCrowded = true;
    if (isList) compileBriefly(p);
    return to;
  }
  memory.copy(keep, p, length);
  const at = ENTRIES + <usize>entries * ENTRY_BYTES;
  const from = keep;
  keep = (keep + length + 31) & ~15;
  const definitions = isList ? compile(from, keep, keepEnd) : byte == QUOTE ? compileText(from) : 0;
  if (definitions != 0) {
    keep = (compiledTo + 15) & ~15;
    if (isFlat) toolsStatus = TOOLS_FLAT;
  }
  store<u32>(at, <u32>from);
  store<u32>(at, <u32>length, 4);
  store<u32>(at, hash, 8);
  store<u32>(at, <u32>definitions, 12);
  store<u32>(at, load<u32>(head), 16);
  store<u32>(at, toolsStatus, 20);
  entries++;
  store<u32>(head, entries);
  last = toolsEntry = entries;
  return to;
}

/** The table of a list that stands in a string as JSON: its text is kept, too. */
function compileText(string: usize): usize {
  const from = keep;
  if (copyString(string + 1, keep, from) == 0) return 0;
  const to = textTo;
  // It ends what stands there.
  store<u8>(to, 0);
  setSpansLines(true);
  const list = skipBlanks(from);
  const end = load<u8>(list) == OPEN_LIST ? valueEnd(list, DEEPEST) : 0;
  let definitions: usize = 0;
  if (end != 0 && skipBlanks(end) == to) {
    keep = (to + 31) & ~15;
    definitions = compile(list, keep, keepEnd);
  }
  setSpansLines(false);
  return definitions;
}

/** Makes the table of a list that is not kept, when there is room for it. */
function compileBriefly(p: usize): void {
  if (briefs == MOST_BRIEF) return;
  const definitions = compile(p, brief, briefEnd);
  if (definitions == 0) return;
  brief = (compiledTo + 15) & ~15;
  store<u32>(BRIEF_TABLES + (<usize>briefs << 2), <u32>definitions);
  toolsEntry = MOST_ENTRIES + 1 + briefs;
  briefs++;
  if (isFlat) toolsStatus = TOOLS_FLAT;
}
