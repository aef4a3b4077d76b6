// The `tools` of records. A corpus repeats its lists: one that is met for the second time is kept, and known again by
// its bytes; where the host writes what lists say, the first time. What is known of a list (definitions.ts) is kept
// beside it; of one that is not kept it is known until the next lines are scanned. Where every record has definitions
// of its own, be it by one character, nothing is copied, and what is known of them stays in the cache.

import { MOST_ENTRIES, TOOLS_ASK, TOOLS_FLAT, TOOLS_GOOD, TOOLS_NONE } from '../../src/abi';
import { isSame } from '../same';
import { compile, compiledTo, hasInput, listTo } from './definitions';
import { askUnlessFlat, isFlat, isGood, isSure } from './schema';
import { copyInside, copyString, textTo } from '../text-string';
import { markFull } from './state';
import {
  CLOSE_LIST, COMMA, containerEnd, DEEPEST, isWide, NULL_4, OPEN_LIST, OPEN_OBJECT, QUOTE, setSpansLines, setWide,
  skipBlanks, valueEnd,
} from './text';

/**
 * An entry: address of the bytes; their length, and WIDE; their hash, the table of definitions (0: none), the next
 * entry of the bucket, the status.
 */
const ENTRY_BYTES: usize = 24;
/** The bytes may not all be ASCII. */
const WIDE: u32 = 0x80000000;
// @ts-ignore: decorator
@lazy const ENTRIES: usize = memory.data(4096 * 24, 16);
const BUCKET_BITS: u32 = 10;
// @ts-ignore: decorator
@lazy const HEADS: usize = memory.data(1024 * 4, 16);
/** Entries of a bucket that are looked at. */
const MOST_TRIES: i32 = 8;
/** Bytes of a list that is kept: shorter ones are read as fast, and the hash reads so far. */
const LEAST: usize = 128;
const MOST: usize = 256 * 1024;

/** Hashes of lists that were met once. */
const SEEN_BITS: u32 = 12;
// @ts-ignore: decorator
@lazy const SEEN_ONCE: usize = memory.data(4096 * 4, 16);
/**
 * Tables of lists that are not kept, by the number of the list from MOST_ENTRIES + 1 on. Their memory, of which each
 * takes two kilobytes at least, ends before they do.
 */
// @ts-ignore: decorator
@lazy const BRIEF_TABLES: usize = memory.data(2048 * 4, 16);
let briefs: u32 = 0;

let entries: u32 = 0;
/** Entry of the list that was met last, from 1. */
let last: u32 = 0;
/**
 * The memory of lists: first what is given with its table, then those that are kept with theirs; and tables that last
 * for the lines that are scanned.
 */
let givenFrom: usize = 0;
let keepFrom: usize = 0;
let keep: usize = 0;
let keepEnd: usize = 0;
let brief: usize = 0;
let briefFrom: usize = 0;
let briefEnd: usize = 0;
/** There was no more room: all is forgotten before the next lines. */
let isCrowded: bool = false;
let keepsAll: bool = false;
let generation: u32 = 0;

/** Of the list that was passed last. */
export let toolsStatus: u32 = 0;
export let toolsEntry: u32 = 0;

export function placeTools(from: usize, to: usize, short: usize, shortEnd: usize): void {
  givenFrom = keepFrom = from;
  keepEnd = to;
  briefFrom = short;
  briefEnd = shortEnd;
  forget();
}

function forget(): void {
  memory.fill(HEADS, 0, <usize>4 << BUCKET_BITS);
  keep = keepFrom;
  entries = last = 0;
  isCrowded = false;
  generation++;
}

/** To be called before lines are scanned: tables of lists that are not kept go. `all`: lists are kept at once. */
export function beginTools(all: bool): void {
  keepsAll = all;
  brief = briefFrom;
  briefs = 0;
  if (isCrowded) forget();
}

/** Tools that every record may call beside its own: whether there are any, and their table; 0: the host knows it. */
export let areGiven: bool = false;
export let givenTools: usize = 0;

/** Where a list is to be written that is given; 0: it is too long. */
export function roomForTools(length: usize): usize {
  return length <= MOST && givenFrom + 2 * length <= keepEnd ? givenFrom : 0;
}

/**
 * Gives the list of `length` bytes that stands there; 0: of one the host alone knows what it says; negative: none.
 * `areTrusted`: all of its schemas can be used. What is kept is forgotten.
 */
export function giveTools(length: i32, areTrusted: bool): void {
  keepFrom = givenFrom;
  areGiven = length >= 0;
  givenTools = length > 0 ? compile(givenFrom, (givenFrom + length + 31) & ~15, keepEnd, DEEPEST) : 0;
  if (givenTools != 0) {
    keepFrom = (compiledTo + 15) & ~15;
    if (areTrusted) store<u32>(givenTools, 0, 4);
  }
  forget();
}

/** Changes whenever entries are forgotten. */
export function toolsGeneration(): u32 { return generation; }

// @ts-ignore: decorator
@inline
function entryAt(number: u32): usize { return ENTRIES + <usize>(number - 1) * ENTRY_BYTES; }

export function entryFrom(number: u32): usize { return load<u32>(entryAt(number)); }
export function entryLength(number: u32): usize { return load<u32>(entryAt(number), 4) & ~WIDE; }
export function entryStatus(number: u32): u32 { return load<u32>(entryAt(number), 20); }
/** What the host says of an entry. */
export function setEntryStatus(number: u32, status: u32): void { store<u32>(entryAt(number), status, 20); }

/** All schemas of an entry can be used. */
export function trustTools(number: u32): void {
  const definitions = <usize>load<u32>(entryAt(number), 12);
  if (definitions != 0) store<u32>(definitions, 0, 4);
}

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

/** Of all of [p, to), which are 32 bytes at least. What differs in one word may differ in the upper bits alone. */
function hashOf(p: usize, to: usize): u32 {
  let a = load<u64>(to - 32);
  let b = load<u64>(to - 24);
  let c = load<u64>(to - 16);
  let d = load<u64>(to - 8);
  // Four at once, as a product takes four steps.
  for (; p + 32 <= to; p += 32) {
    a = (a ^ load<u64>(p)) * 0x9e3779b97f4a7c15;
    b = (b ^ load<u64>(p, 8)) * 0xbf58476d1ce4e5b9;
    c = (c ^ load<u64>(p, 16)) * 0x94d049bb133111eb;
    d = (d ^ load<u64>(p, 24)) * 0xd6e8feb86659fd93;
  }
  return <u32>((a ^ b ^ c ^ d) >> 32);
}

/** Whether the list [p, to) was met before: one that differs anywhere is another. */
function isSeen(p: usize, to: usize): bool {
  const hash = hashOf(p, to);
  const at = SEEN_ONCE + (<usize>(hash >> (32 - SEEN_BITS)) << 2);
  if (load<u32>(at) == hash) return true;
  store<u32>(at, hash);
  return false;
}

// @ts-ignore: decorator
@inline
function isEntry(number: u32, p: usize): bool {
  const at = entryAt(number);
  return isSame(load<u32>(at), p, load<u32>(at, 4) & ~WIDE);
}

function found(number: u32): void {
  last = toolsEntry = number;
  toolsStatus = entryStatus(number);
  if (load<i32>(entryAt(number), 4) < 0) setWide(true);
}

// @ts-ignore: decorator
@inline
function headOf(hash: u32): usize { return HEADS + (<usize>(hash >> (32 - BUCKET_BITS)) << 2); }

/** Of bytes 48 to 112 of the list at hand, by which lists that are kept are found. */
let hash: u32 = 0;

/** Whether a list that is kept stands at p. */
function isKnown(p: usize): bool {
  toolsEntry = 0;
  if (last != 0 && isEntry(last, p)) {
    found(last);
    return true;
  }
  hash = hashOf(p + 48, p + 112);
  let number = load<u32>(headOf(hash));
  for (let tries = 0; number != 0 && tries < MOST_TRIES; tries++) {
    const at = entryAt(number);
    if (load<u32>(at, 8) == hash && isEntry(number, p)) {
      found(number);
      return true;
    }
    number = load<u32>(at, 16);
  }
  return false;
}

/**
 * Behind the value of `tools` at p, or 0: what it is stands in `toolsStatus` and `toolsEntry`. `most`: containers in
 * one another.
 */
export function toolsEnd(p: usize, most: i32): usize {
  return isKnown(p) ? p + entryLength(toolsEntry) : newTools(p, most);
}

/** The same of the list [p, to) in the inside of a string, `<tools>` at p and `</tools>` before `to`. */
export function writtenTools(p: usize, to: usize): void {
  if (isKnown(p)) return;
  const length = to - p;
  toolsStatus = TOOLS_ASK;
  if (mayKeep(p, to)) {
    const from = copyList(p, length);
    const definitions = compileWritten(from, from + length, keep, keepEnd);
    if (definitions != 0) keep = (compiledTo + 15) & ~15;
    addEntry(from, length, definitions);
  } else addBrief(compileWritten(p, to, brief, briefEnd));
}

function newTools(p: usize, most: i32): usize {
  const byte = <u32>load<u8>(p);
  const isList = byte == OPEN_LIST;
  toolsStatus = TOOLS_ASK;
  // One that is not kept is passed while its table is made.
  const passed = isList ? compile(p, brief, briefEnd, most) : 0;
  const to = passed != 0 ? listTo : valueEnd(p, most);
  if (to == 0) return 0;
  if (
    load<u32>(p) == NULL_4 || (byte == QUOTE && to == p + 2) || (isList && load<u8>(skipBlanks(p + 1)) == CLOSE_LIST)
  ) {
    toolsStatus = TOOLS_NONE;
    return to;
  }
  // A number does not end by itself: another one may begin with it.
  if ((isList || byte == OPEN_OBJECT || byte == QUOTE) && mayKeep(p, to)) {
    const from = copyList(p, to - p);
    const definitions = isList ? compile(from, keep, keepEnd, DEEPEST)
      : byte == QUOTE ? compileText(from, keep, keep, keepEnd) : 0;
    if (definitions != 0) keep = (compiledTo + 15) & ~15;
    addEntry(from, to - p, definitions);
  } else addBrief(byte == QUOTE ? compileText(p, to, brief, briefEnd) : passed);
  return to;
}

/** Whether the list [p, to), which is not known, is kept: it was met before, or all are; and there is room. */
function mayKeep(p: usize, to: usize): bool {
  const length = to - p;
  if (length < LEAST || length > MOST || (!keepsAll && !isSeen(p, to))) return false;
  const hasRoom = keep + 2 * length + 128 <= keepEnd && entries < <u32>MOST_ENTRIES;
  if (!hasRoom) {
    isCrowded = true;
    // The record waits for the next scan, when there is room again.
    if (keepsAll) markFull();
  }
  return hasRoom;
}

function copyList(p: usize, length: usize): usize {
  const from = keep;
  memory.copy(from, p, length);
  keep = (from + length + 31) & ~15;
  return from;
}

/** Keeps what is known of the list that was copied last. `definitions`: their table, or 0. */
function addEntry(from: usize, length: usize, definitions: usize): void {
  // Whether all of its schemas can be used the host says once, when it is asked.
  if (definitions != 0) toolsStatus = isFlat ? TOOLS_FLAT : isGood && isSure ? TOOLS_GOOD : TOOLS_ASK;
  const head = headOf(hash);
  const at = ENTRIES + <usize>entries * ENTRY_BYTES;
  store<u32>(at, <u32>from);
  store<u32>(at, <u32>length | (isWide ? WIDE : 0), 4);
  store<u32>(at, hash, 8);
  store<u32>(at, <u32>definitions, 12);
  store<u32>(at, load<u32>(head), 16);
  store<u32>(at, toolsStatus, 20);
  entries++;
  store<u32>(head, entries);
  last = toolsEntry = entries;
}

/** Keeps the table of a list that is not kept, until the next lines. */
function addBrief(definitions: usize): void {
  if (definitions == 0) {
    // There may have been no more room: the record waits for the next scan, when it has all of it.
    if (brief + brief > briefFrom + briefEnd) markFull();
    return;
  }
  brief = (compiledTo + 15) & ~15;
  store<u32>(BRIEF_TABLES + (<usize>briefs << 2), <u32>definitions);
  toolsEntry = MOST_ENTRIES + 1 + briefs;
  briefs++;
  toolsStatus = isFlat ? TOOLS_FLAT : isGood ? TOOLS_GOOD : TOOLS_ASK;
}

/** The table of a list that stands in the string [string, end) as JSON: its text is written at `into`, and stays. */
function compileText(string: usize, end: usize, into: usize, limit: usize): usize {
  if (into + (end - string) + 192 > limit || copyString(string + 1, end, into) == 0) return 0;
  const to = textTo;
  // It ends what stands there.
  store<u8>(to, 0);
  setSpansLines(true);
  const list = skipBlanks(into);
  const listEnd = load<u8>(list) == OPEN_LIST ? valueEnd(list, DEEPEST) : 0;
  let definitions: usize = 0;
  if (listEnd != 0 && skipBlanks(listEnd) == to) definitions = compile(list, (to + 31) & ~15, limit, DEEPEST);
  setSpansLines(false);
  return definitions;
}

/**
 * The table of the list [p, to) between tags in the inside of a string: an array, or objects with white space or commas
 * between. Its text is written at `into`, as an array.
 */
function compileWritten(p: usize, to: usize, into: usize, limit: usize): usize {
  const inside = p + OPENING;
  const end = to - OPENING - 1;
  if (into + (end - inside) + 192 > limit) return 0;
  const textEnd = copyInside(inside, end, into + 1);
  if (textEnd == 0) return 0;
  store<u8>(textEnd, 0);
  setSpansLines(true);
  let list = skipBlanks(into + 1);
  if (load<u8>(list) == OPEN_OBJECT) list = asArray(list, textEnd);
  else if (load<u8>(list) == OPEN_LIST) {
    const listTo = containerEnd(list, DEEPEST);
    if (listTo == 0 || skipBlanks(listTo) != textEnd) list = 0;
  } else list = 0;
  const table = (textEnd + 31) & ~15;
  let definitions: usize = 0;
  if (list != 0) definitions = compile(list, table, limit, DEEPEST);
  askUnlessFlat();
  setSpansLines(false);
  // Those of Anthropic are none in a text.
  return hasInput ? 0 : definitions;
}

/** `<tools>`, which is one byte shorter than the tag that closes it. */
const OPENING: usize = 7;

/** Makes the objects [p, end) an array: brackets and commas take the place of white space. 0: they are none. */
function asArray(p: usize, end: usize): usize {
  const list = p - 1;
  let to = p;
  while (true) {
    to = load<u8>(p) == OPEN_OBJECT ? containerEnd(p, DEEPEST) : 0;
    if (to == 0) return 0;
    p = skipBlanks(to);
    if (p == end) break;
    if (load<u8>(p) == COMMA) p = skipBlanks(p + 1);
    else if (p == to) return 0;
    else store<u8>(to, COMMA);
    if (p == end) return 0;
  }
  store<u8>(list, OPEN_LIST);
  store<u8>(to, CLOSE_LIST);
  return list;
}
