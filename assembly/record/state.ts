// Where the rows of chat records lie, and how one is written.

import { ROW_BYTES } from '../../src/abi';

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
