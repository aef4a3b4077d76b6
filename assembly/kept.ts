// Texts that the host wants to know again: a corpus repeats its definitions of tools. They are copied, and found by
// their bytes. Beside each stands what the host says of it, and the tools that it defines, as far as they are known.

import { handOver } from './ledger';
import { isSame } from './same';

/**
 * An entry: address, length, hash, the next entry of the bucket, what it is (KEPT_…), its first tool, its tag. Numbers
 * count from 1.
 */
const ENTRY_BYTES: usize = 32;
/** A tool: its name and its length, the node of its arguments, the next one. */
const TOOL_BYTES: usize = 16;
const MOST_ENTRIES: u32 = 1024;
// @ts-ignore: decorator
@lazy const ENTRIES: usize = memory.data(1024 * 32, 16);
const BUCKETS: u32 = 1024;
// @ts-ignore: decorator
@lazy const HEADS: usize = memory.data(1024 * 4, 16);
/** Entries of a bucket that are looked at. */
const MOST_TRIES: i32 = 8;
/** Bytes of a text that is kept; a hash reads so many. */
const LEAST: usize = 64;
const MOST: usize = 256 * 1024;

let keepFrom: usize = 0;
let keepEnd: usize = 0;
let free: usize = 0;
let entries: u32 = 0;

/** Where copies go. */
export function placeKept(from: usize, end: usize): void {
  keepFrom = free = from;
  keepEnd = end;
}

export function forgetKept(): void {
  if (free == keepFrom) return;
  memory.fill(HEADS, 0, <usize>BUCKETS << 2);
  free = keepFrom;
  entries = 0;
  // What stood in force is gone.
  handOver();
}

// @ts-ignore: decorator
@inline
function entryAt(number: u32): usize { return ENTRIES + <usize>(number - 1) * ENTRY_BYTES; }

export function keptState(number: u32): u32 { return load<u32>(entryAt(number), 16); }

export function setKeptState(number: u32, state: u32): void { store<u32>(entryAt(number), state, 16); }

/** So many bytes of the memory of kept texts, for what is known of them; 0: there is no room. */
export function allocate(bytes: usize): usize {
  if (free + bytes + 64 > keepEnd) return 0;
  const at = free;
  free = (free + bytes + 31) & ~15;
  return at;
}

/** The calls of a tool that a kept text defines are known: its name lies at `name`. False: there is no room. */
export function learnTool(number: u32, name: usize, length: u32, node: usize): bool {
  const tool = allocate(TOOL_BYTES);
  if (tool == 0) return false;
  const entry = entryAt(number);
  store<u32>(tool, <u32>name);
  store<u32>(tool, length, 4);
  store<u32>(tool, <u32>node, 8);
  store<u32>(tool, load<u32>(entry, 20), 12);
  store<u32>(entry, <u32>tool, 20);
  return true;
}

/** The tool [name, nameTo) of a kept text, its node stands at 8; 0: it is not known. */
export function toolAt(number: u32, name: usize, nameTo: usize): usize {
  let tool = <usize>load<u32>(entryAt(number), 20);
  const length = nameTo - name;
  while (tool != 0 && (<usize>load<u32>(tool, 4) != length || !isSame(load<u32>(tool), name, length))) {
    tool = load<u32>(tool, 12);
  }
  return tool;
}

/** Of words that lie far apart: texts that begin and end alike differ somewhere. */
function hashOf(p: usize, length: usize): u32 {
  let hash = <u64>length * 0x9e3779b97f4a7c15;
  const step = (length - 8) >> 3;
  for (let i = 0; i <= 8; i++) {
    hash = (hash ^ load<u64>(p) ^ (hash >> 29)) * 0xbf58476d1ce4e5b9;
    p += step;
  }
  return <u32>(hash >> 32);
}

/** The number of the text [p, p + length) that was kept with this tag; 0: it is not known. */
export function keptNumber(p: usize, length: usize, tag: u32): u32 {
  if (entries == 0 || length < LEAST || length > MOST) return 0;
  const hash = hashOf(p, length);
  let number = load<u32>(HEADS + (<usize>(hash & (BUCKETS - 1)) << 2));
  for (let tries = 0; number != 0 && tries < MOST_TRIES; tries++) {
    const at = entryAt(number);
    const isAlike = load<u32>(at, 8) == hash && <usize>load<u32>(at, 4) == length && load<u32>(at, 24) == tag;
    if (isAlike && isSame(load<u32>(at), p, length)) return number;
    number = load<u32>(at, 12);
  }
  return 0;
}

/**
 * Keeps the text [p, end); `tag`: what else it is known by. Answers its number; 1: all others were forgotten; 0: it is
 * none to be kept.
 */
export function keep(p: usize, end: usize, tag: u32): u32 {
  const length = end - p;
  if (length < LEAST || length > MOST) return 0;
  if (free + length + 64 > keepEnd || entries == MOST_ENTRIES) forgetKept();
  const hash = hashOf(p, length);
  const head = HEADS + (<usize>(hash & (BUCKETS - 1)) << 2);
  const at = ENTRIES + <usize>entries * ENTRY_BYTES;
  memory.copy(free, p, length);
  store<u32>(at, <u32>free);
  store<u32>(at, <u32>length, 4);
  store<u32>(at, hash, 8);
  store<u32>(at, load<u32>(head), 12);
  store<u64>(at, 0, 16);
  store<u32>(at, tag, 24);
  free = (free + length + 31) & ~15;
  entries++;
  store<u32>(head, entries);
  return entries;
}
