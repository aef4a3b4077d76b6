// Where the rows of chat records lie, how one is written, and what is known of the record at hand.

import { ELSEWHERE, HAS_LOSSES, HAS_SIDES, IS_TEXT, IS_TRANSCRIPT, MOST_LOST, ROW_BYTES } from '../../src/abi';

/** First row, the one that is written next, and where the table ends. */
export let table: usize = 0;
export let row: usize = 0;
export let tableEnd: usize = 0;

export function placeTable(from: usize, to: usize): void {
  table = row = from;
  tableEnd = to;
}

export function rewindTo(at: usize): void { row = at; }

/** Number of the row at an address. */
// @ts-ignore: decorator
@inline
export function numberOf(at: usize): u32 { return <u32>((at - table) / ROW_BYTES); }

/** There is room for so many rows. */
// @ts-ignore: decorator
@inline
export function hasRoom(count: usize): bool { return row + count * ROW_BYTES <= tableEnd; }

/** Writes a row; answers its address. */
// @ts-ignore: decorator
@inline
export function push(kind: u32, from: usize, to: usize, next: u32): usize {
  const at = row;
  store<u32>(at, kind);
  store<u32>(at, <u32>from, 4);
  store<u32>(at, <u32>to, 8);
  store<u32>(at, next, 12);
  row = at + ROW_BYTES;
  return at;
}

/**
 * Of the record at hand: something in it is rare, and the host must read it; its rows do not fit into the table; it has
 * no messages; what its RECORD row says, and its TOOLS row beside what is known of them.
 */
export let isOdd: bool = false;
export let isFull: bool = false;
export let isOther: bool = false;
export let flags: u32 = 0;
export let toolsFlags: u32 = 0;
/** Its TOOLS row; definitions that are written in a content stand there. */
export let toolsRow: usize = 0;
export let hasWrittenTools: bool = false;

/** Fields that are lost (LOST_SHIFT). */
export let lost: u32 = 0;
export function loseFields(count: u32): void {
  lost += count;
  if (count > 0 && (!countsLost || lost > <u32>MOST_LOST)) flags |= HAS_LOSSES;
}

/** Whether what is lost is counted: only a conversion asks, and other members take time. */
export let countsLost: bool = false;
export function setCountsLost(does: bool): void { countsLost = does; }

/** Words that are renamed, each a bit. */
export let renamed: u32 = 0;
export function rename(word: u32): void {
  renamed |= word;
  if (!countsLost) flags |= HAS_LOSSES;
}

/** Calls and replies of the record: written in texts, or calls that stand by themselves. */
export const WRITTEN: u32 = 1;
export const BY_THEMSELVES: u32 = 2;
let acts: u32 = 0;
/** Which reply answers which call is the host's to tell where there are both. */
export function markActs(kind: u32): void {
  acts |= kind;
  if (acts == (WRITTEN | BY_THEMSELVES)) markOdd();
}

export function beginRecord(kind: u32): void {
  lost = renamed = acts = 0;
  isOdd = isFull = isOther = false;
  flags = kind;
  toolsFlags = 0;
  hasWrittenTools = false;
}
export function placeToolsRow(at: usize): void { toolsRow = at; }
export function markWrittenTools(): void { hasWrittenTools = true; }
export function markOdd(): void { isOdd = true; }
export function markFull(): void { isOdd = isFull = true; }
export function markOther(): void { isOdd = isOther = true; }
/** Members of messages stand where no chat record of OpenAI has them. */
export function markElsewhere(): void { toolsFlags |= ELSEWHERE; }
export function markSides(): void { toolsFlags |= HAS_SIDES; }
export function markText(): void { toolsFlags |= IS_TEXT; }
export function markTranscript(): void { toolsFlags |= IS_TEXT | IS_TRANSCRIPT; }
export function addFlag(flag: u32): void { flags |= flag; }
