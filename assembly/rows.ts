// The offset table: where rows are written, and the rows that are open.
//
// An open row is known by its address. When the host empties the table, an open row is copied into a slot of the same
// layout and its address becomes the slot's: whoever fills it later need not know where it lies.

import {
  FROM, KIND, NEXT, ROW_BYTES, SLOT_BODY, SLOT_COUNT, SLOT_FIELD, SLOT_HEADER, SLOT_LITERAL, SLOT_MESSAGE, SLOT_TEXT,
  TO, UNCHANGED,
} from '../src/abi';

/** Copies of open rows, SLOT_COUNT rows; and their row numbers, SLOT_COUNT words. */
// @ts-ignore: decorator
@lazy export const SLOTS: usize = memory.data(96, 16);
// @ts-ignore: decorator
@lazy export const SLOT_ROWS: usize = memory.data(24, 16);

/** The table, placed by the host; `next` is the first free row, `numbered` the number of the row at its beginning. */
export let table: usize = 0;
export let tableEnd: usize = 0;
export let next: usize = 0;
export let numbered: i32 = 0;

/** Open rows; 0: none. `message` stays set after its terminator, while trailing ones may still lengthen it. */
export let message: usize = 0;
export let field: usize = 0;
export let body: usize = 0;
export let literal: usize = 0;
export let text: usize = 0;
export let header: usize = 0;

export function setNext(row: usize): void { next = row; }
export function setMessage(row: usize): void { message = row; }
export function setField(row: usize): void { field = row; }
export function setBody(row: usize): void { body = row; }
export function setLiteral(row: usize): void { literal = row; }
export function setText(row: usize): void { text = row; }
export function setHeader(row: usize): void { header = row; }

export function placeTable(at: usize, end: usize): void {
  table = at;
  tableEnd = end;
}

export function clearRows(): void {
  next = table;
  numbered = 0;
  message = field = body = literal = text = header = 0;
  memory.fill(SLOT_ROWS, 0xff, 24);
}

/** Number of the row that would be written next. */
// @ts-ignore: decorator
@inline
export function nextNumber(): i32 {
  return numbered + <i32>((next - table) >> 4);
}

/** Writes a row that has no descendants and is closed. */
// @ts-ignore: decorator
@inline
export function leaf(kind: i32, from: i32, to: i32): usize {
  const row = next;
  store<i32>(row, kind, KIND << 2);
  store<i32>(row, from, FROM << 2);
  store<i32>(row, to, TO << 2);
  next = row + ROW_BYTES;
  store<i32>(row, nextNumber(), NEXT << 2);
  return row;
}

/** Writes a row that `close` will finish. */
// @ts-ignore: decorator
@inline
export function open(kind: i32, from: i32): usize {
  const row = next;
  store<i32>(row, kind, KIND << 2);
  store<i32>(row, from, FROM << 2);
  store<i32>(row, 0, TO << 2);
  store<i32>(row, 0, NEXT << 2);
  next = row + ROW_BYTES;
  return row;
}

/** Fills TO and NEXT of an open row and adds bits to its kind. */
// @ts-ignore: decorator
@inline
export function close(row: usize, bits: i32, to: i32): void {
  store<i32>(row, load<i32>(row, KIND << 2) | bits, KIND << 2);
  store<i32>(row, to, TO << 2);
  store<i32>(row, nextNumber(), NEXT << 2);
}

/** Number of an open row, wherever it lies. */
export function numberOf(row: usize): i32 {
  return row >= table && row < tableEnd
    ? numbered + <i32>((row - table) >> 4)
    : load<i32>(SLOT_ROWS + ((row - SLOTS) >> 4 << 2));
}

/** Moves an open row into its slot, when it lies in the table; empties the slot when its row was closed. */
function keep(row: usize, slot: i32): usize {
  const at = SLOTS + (<usize>slot << 4);
  if (row == at) {
    store<i32>(at, UNCHANGED, TO << 2);
    return row;
  }
  if (row == 0) {
    store<i32>(SLOT_ROWS + (<usize>slot << 2), -1);
    return 0;
  }
  store<i32>(SLOT_ROWS + (<usize>slot << 2), numberOf(row));
  memory.copy(at, row, ROW_BYTES);
  store<i32>(at, UNCHANGED, TO << 2);
  return at;
}

/** The rows were taken: the table is empty, row numbers go on. */
export function drainRows(): void {
  message = keep(message, SLOT_MESSAGE);
  field = keep(field, SLOT_FIELD);
  body = keep(body, SLOT_BODY);
  literal = keep(literal, SLOT_LITERAL);
  text = keep(text, SLOT_TEXT);
  header = keep(header, SLOT_HEADER);
  numbered = nextNumber();
  next = table;
}

/** Numbers rows anew: the host keeps `kept` rows, which get the numbers before the next one. */
export function restartNumbers(kept: i32): void {
  const by = numbered - kept;
  numbered = kept;
  for (let slot: usize = 0; slot < <usize>SLOT_COUNT; slot++) {
    const number = load<i32>(SLOT_ROWS + (slot << 2));
    if (number < 0) continue;
    store<i32>(SLOT_ROWS + (slot << 2), kept == 0 ? -1 : number - by);
    const row = SLOTS + (slot << 4);
    const following = load<i32>(row, NEXT << 2);
    if (following != 0) store<i32>(row, following - by, NEXT << 2);
  }
}

/** Of a saved state: the rows that are open. */
const OPENED: usize = 124;

export function saveRows(at: usize): void {
  store<i32>(at, numbered);
  memory.copy(at + 4, SLOTS, 96);
  memory.copy(at + 100, SLOT_ROWS, 24);
  // With an empty table each lies in its slot, or is not open.
  store<u32>(at, <u32>message, OPENED);
  store<u32>(at, <u32>field, OPENED + 4);
  store<u32>(at, <u32>body, OPENED + 8);
  store<u32>(at, <u32>literal, OPENED + 12);
  store<u32>(at, <u32>text, OPENED + 16);
  store<u32>(at, <u32>header, OPENED + 20);
}

export function restoreRows(at: usize): void {
  clearRows();
  numbered = load<i32>(at);
  memory.copy(SLOTS, at + 4, 96);
  memory.copy(SLOT_ROWS, at + 100, 24);
  message = <usize>load<u32>(at, OPENED);
  field = <usize>load<u32>(at, OPENED + 4);
  body = <usize>load<u32>(at, OPENED + 8);
  literal = <usize>load<u32>(at, OPENED + 12);
  text = <usize>load<u32>(at, OPENED + 16);
  header = <usize>load<u32>(at, OPENED + 20);
}
