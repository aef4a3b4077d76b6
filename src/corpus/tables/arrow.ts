// Columns as a record batch of an Arrow IPC stream; and the stream around its batches: the schema, the end marker.
// Texts are plain utf8.

import * as arrow from '@uwdata/flechette';
import {
  type Column, type Columns, type Integers, NULL_BOOLEAN, NULL_WORD, type Store, type Words,
} from './columns.ts';
import type { TableFile, TableWriter } from './writer.ts';

/** A continuation of no bytes. */
const END = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0);
const TYPES = { word: arrow.utf8(), text: arrow.utf8(), integer: arrow.int64(), boolean: arrow.bool() };
const NO_METADATA: ReadonlyMap<string, string> = new Map();
const ENCODER = new TextEncoder();

export const writer: TableWriter<null> = { group, file };

/** A record batch. */
function* group(columns: Columns): Generator<Uint8Array, null, void> {
  columns.mend();
  yield* batchPieces(fieldsOf(columns.schema), batchesOf(columns));
  return null;
}

/** The pieces of a record batch. */
export function* batchPieces(
  fields: arrow.Field[], batches: readonly arrow.Batch<unknown>[],
): Generator<Uint8Array, void, void> {
  // Every stream of the library has a schema and an end of its own; neither is part of a batch.
  const schema = lengthOf(schemaPieces(fields));
  let at = 0;
  for (const part of withoutEnd(streamOf(fields, NO_METADATA, batches))) {
    if (at >= schema) yield part;
    at += part.length;
  }
}

/** The pieces of what begins a stream. */
export const schemaPieces = (
  fields: arrow.Field[], metadata: ReadonlyMap<string, string> = NO_METADATA,
): readonly Uint8Array[] => withoutEnd(streamOf(fields, metadata, null));

/** What ends a stream. */
export const endPiece = (): Uint8Array => END.slice();

function file(
  columns: readonly Column[],
  metadata: ReadonlyMap<string, string>,
  write: (bytes: Uint8Array) => void,
): TableFile<null> {
  for (const part of schemaPieces(fieldsOf(columns), metadata)) write(part);
  return { bytes: write, group: () => {}, end: () => write(endPiece()) };
}

/** Fields of a schema. */
export const fieldsOf = (schema: readonly Column[]): arrow.Field[] =>
  schema.map(({ name, type, nullable }) => arrow.field(name, TYPES[type], nullable));

/** Each column of the rows as the library has it. */
export function batchesOf(columns: Columns): arrow.Batch<unknown>[] {
  return columns.schema.map((column, i) => {
    const type = TYPES[column.type];
    return batchOf(type, buffersOf(column, columns.stores[i]!, columns.rows));
  });
}

export function batchOf(type: arrow.DataType, buffers: object): arrow.Batch<unknown> {
  const Batch = arrow.batchType(type);
  return new Batch({ type, ...buffers });
}

/** The pieces of a whole stream with no batch or one. */
function streamOf(
  fields: arrow.Field[], metadata: ReadonlyMap<string, string>, batches: readonly arrow.Batch<unknown>[] | null,
): Uint8Array[] {
  const data = fields.map(({ type }, i) => new arrow.Column(batches ? [batches[i]!] : [], type));
  const whole = new arrow.Table({
    version: arrow.Version.V5, endianness: arrow.Endianness.Little, fields, metadata: new Map(metadata),
  }, data);
  const parts: Uint8Array[] = [];
  const sink = {
    write: (bytes: Uint8Array): void => void parts.push(bytes),
    pad: (count: number): void => void parts.push(new Uint8Array(count)),
    finish: () => null,
  };
  arrow.tableToIPC(whole, { format: 'stream', sink });
  return parts;
}

function withoutEnd(parts: readonly Uint8Array[]): readonly Uint8Array[] {
  if (Buffer.compare(parts.at(-1)!, END) !== 0) throw new Error('an Arrow stream has no end marker');
  return parts.slice(0, -1);
}

function lengthOf(parts: readonly Uint8Array[]): number {
  let length = 0;
  for (const part of parts) length += part.length;
  return length;
}

/** A column of a batch as the format has it in memory. */
function buffersOf({ nullable }: Column, store: Store, rows: number): object {
  const nulls = nullable ? nullsOf(store, rows) : null;
  return { length: rows, ...validityOf(store, nulls, rows), ...valuesOf(store, rows) };
}

/** What is made of a column for a batch. */
type Part = 'nulls' | 'validity' | 'offsets' | 'values';

const ROOMS = new WeakMap<Store, Map<Part, ArrayBuffer>>();

/**
 * Memory of a column for one part of a batch, which the column's next batch takes again: new memory for each was 60 MiB
 * of garbage with two threads. It holds anything.
 */
function roomFor(store: Store, part: Part, bytes: number): ArrayBuffer {
  let rooms = ROOMS.get(store);
  if (rooms === undefined) ROOMS.set(store, rooms = new Map<Part, ArrayBuffer>());
  let room = rooms.get(part);
  if (room === undefined || room.byteLength < bytes) {
    room = new ArrayBuffer(2 ** Math.ceil(Math.log2(Math.max(bytes, 64))));
    rooms.set(part, room);
  }
  return room;
}

/** 1 where a row has no value. */
function nullsOf(store: Store, rows: number): Uint8Array {
  if (store.kind === 'texts') return store.nulls.subarray(0, rows);
  const nulls = new Uint8Array(roomFor(store, 'nulls', rows), 0, rows);
  if (store.kind === 'words') {
    const { ids } = store;
    for (let row = 0; row < rows; row++) nulls[row] = ids[row] === NULL_WORD ? 1 : 0;
  } else if (store.kind === 'integers') {
    const { values } = store;
    for (let row = 0; row < rows; row++) nulls[row] = Number.isNaN(values[row]) ? 1 : 0;
  } else {
    const { values } = store;
    for (let row = 0; row < rows; row++) nulls[row] = values[row] === NULL_BOOLEAN ? 1 : 0;
  }
  return nulls;
}

/** Without nulls the bits may be left out. */
function validityOf(
  store: Store, nulls: Uint8Array | null, rows: number,
): { validity: Uint8Array; nullCount: number } {
  let nullCount = 0;
  if (nulls !== null) for (let row = 0; row < rows; row++) nullCount += nulls[row]!;
  return { validity: nullCount > 0 ? bitsOf(store, 'validity', nulls!, 0, rows) : new Uint8Array(0), nullCount };
}

/** A bit for each value that is this one. */
function bitsOf(store: Store, part: Part, values: Uint8Array, one: number, rows: number): Uint8Array {
  const bytes = Math.ceil(rows / 8);
  const bits = new Uint8Array(roomFor(store, part, bytes), 0, bytes).fill(0);
  for (let row = 0; row < rows; row++) if (values[row] === one) bits[row >> 3]! |= 1 << (row & 7);
  return bits;
}

/** What stands in the place of a null does not count. */
function valuesOf(store: Store, rows: number): object {
  switch (store.kind) {
    case 'words': return wordsOf(store, rows);
    case 'texts': {
      const offsets = offsetsOf(store, rows);
      offsets.set(store.ends.subarray(0, rows), 1);
      return { offsets, values: store.values.subarray(0, store.bytes) };
    }
    case 'integers': return { values: longsOf(store, rows) };
    case 'booleans': return { values: bitsOf(store, 'values', store.values, 1, rows) };
  }
}

/** Where the first text begins, and each one ends. */
function offsetsOf(store: Store, rows: number): Int32Array {
  const offsets = new Int32Array(roomFor(store, 'offsets', 4 * (rows + 1)), 0, rows + 1);
  offsets[0] = 0;
  return offsets;
}

/** Words as texts one after the other. */
function wordsOf(store: Words, rows: number): { offsets: Int32Array; values: Uint8Array } {
  const { ids, texts, bytes } = store;
  // All words, each behind the one before.
  const words = new Uint8Array(bytes + STEP);
  const starts = new Int32Array(texts.length + 1);
  for (const [id, text] of texts.entries()) {
    starts[id + 1] = starts[id]! + ENCODER.encodeInto(text, words.subarray(starts[id])).written;
  }
  const offsets = offsetsOf(store, rows);
  let at = 0;
  for (let row = 0; row < rows; row++) {
    const id = ids[row]!;
    if (id >= 0) at += starts[id + 1]! - starts[id]!;
    offsets[row + 1] = at;
  }
  // Most words are short: four bytes a step, which go over what comes next, are faster than a call.
  const values = new Uint8Array(roomFor(store, 'values', at + STEP), 0, at + STEP);
  const from = new DataView(words.buffer);
  const into = new DataView(values.buffer);
  for (let row = 0; row < rows; row++) {
    const id = ids[row]!;
    if (id < 0) continue;
    const to = offsets[row + 1]!;
    let q = offsets[row]!;
    for (let p = starts[id]!; q < to; p += STEP, q += STEP) into.setInt32(q, from.getInt32(p));
  }
  return { offsets, values: values.subarray(0, at) };
}

const STEP = 4;
const HIGH = 2 ** 32;

function longsOf(store: Integers, rows: number): BigInt64Array {
  const { values } = store;
  const longs = new BigInt64Array(roomFor(store, 'values', 8 * rows), 0, rows);
  const halves = new Int32Array(longs.buffer, 0, 2 * rows);
  for (let row = 0; row < rows; row++) {
    const value = values[row]!;
    halves[2 * row] = value;
    halves[2 * row + 1] = Math.floor(value / HIGH);
  }
  return longs;
}
