// A column of an Arrow batch as buffers, which are checked once: whoever reads a value then need not look.

import { Type, type DataType } from '@uwdata/flechette';

/** What the library holds of a column. */
export interface ColumnBatch {
  readonly length: number;
  readonly nullCount: number;
  readonly type: DataType;
  /** A bit for each value; none of them when there are no nulls. */
  readonly validity?: Uint8Array;
  readonly values?: ArrayLike<number | bigint>;
  readonly offsets?: Int32Array | BigInt64Array;
  readonly children?: readonly ColumnBatch[];
  /** Buffers of views. */
  readonly data?: readonly Uint8Array[];
  /** What a column of numbers of words refers to. */
  readonly dictionary?: { readonly length: number; readonly data: readonly ColumnBatch[] };
}

/** A batch does not hold what it promises. The message says what. */
export class Damaged extends Error {}

export const VIEW_BYTES = 16;
/** Bytes of a text that stand in its view. */
export const INLINE_BYTES = 12;

/** Checks that every value of a column lies in its buffers. Throws Damaged. */
export function checkBatch(batch: ColumnBatch): void {
  const { length, nullCount, validity, values, children = [] } = batch;
  if (!Number.isSafeInteger(length) || length < 0) throw new Damaged('a column has no such length');
  if (nullCount > 0 && batch.type.typeId !== Type.Null) demand(validity?.length ?? 0, Math.ceil(length / 8));
  switch (batch.type.typeId) {
    case Type.Bool:
      demand(values!.length, Math.ceil(length / 8));
      break;
    case Type.Int:
    case Type.Float:
    case Type.Date:
    case Type.Timestamp:
      demand(values!.length, length);
      break;
    case Type.Utf8:
    case Type.Binary:
    case Type.LargeUtf8:
    case Type.LargeBinary:
      checkOffsets(batch, values!.length);
      break;
    case Type.Utf8View:
    case Type.BinaryView:
      checkViews(batch);
      break;
    case Type.List:
    case Type.LargeList:
    case Type.Map:
      checkOffsets(batch, children[0]!.length);
      break;
    case Type.FixedSizeList:
      demand(children[0]!.length, length * strideOf(batch.type));
      break;
    case Type.Struct:
      for (const child of children) demand(child.length, length);
      break;
    case Type.Dictionary:
      checkDictionary(batch);
      break;
  }
  for (const child of children) checkBatch(child);
}

export const strideOf = (type: DataType): number => (type as unknown as { stride: number }).stride;

function demand(there: number, needed: number): void {
  if (there < needed) throw new Damaged('a column has fewer values than rows');
}

/** Rising offsets: no byte belongs to two values, so that nothing grows when it is read. */
function checkOffsets({ length, offsets }: ColumnBatch, most: number): void {
  // A batch without rows may have no offsets at all.
  if (length === 0) return;
  if (offsets === undefined || offsets.length <= length) throw new Damaged('a column has fewer offsets than rows');
  let before = Number(offsets[0]);
  if (before < 0) throw new Damaged('a value begins before its buffer');
  for (let row = 1; row <= length; row++) {
    const next = Number(offsets[row]);
    if (next < before) throw new Damaged('a value ends before it begins');
    before = next;
  }
  if (before > most) throw new Damaged('a value ends behind its buffer');
}

function checkViews({ length, values, data = [] }: ColumnBatch): void {
  const views = values as Uint8Array;
  demand(views.length, length * VIEW_BYTES);
  const view = new DataView(views.buffer, views.byteOffset, views.length);
  for (let row = 0; row < length; row++) {
    const at = row * VIEW_BYTES;
    const size = view.getInt32(at, true);
    if (size < 0) throw new Damaged('a value has no such length');
    if (size <= INLINE_BYTES) continue;
    const buffer = data[view.getInt32(at + 8, true)];
    const from = view.getInt32(at + 12, true);
    if (buffer === undefined || from < 0 || from + size > buffer.length) {
      throw new Damaged('a value ends behind its buffer');
    }
  }
}

function checkDictionary(batch: ColumnBatch): void {
  const { length, values, dictionary } = batch;
  demand(values!.length, length);
  if (dictionary === undefined) throw new Damaged('a column has no dictionary');
  for (const part of dictionary.data) checkBatch(part);
  const bits = bitsOf(batch);
  for (let row = 0; row < length; row++) {
    const number = Number(values![row]);
    if (isThere(bits, row) && !(number >= 0 && number < dictionary.length)) {
      throw new Damaged('a value is not in its dictionary');
    }
  }
}

const NOTHING = new Uint8Array(0);

/**
 * A bit for each row that has a value; null: all of them have one. What is asked of each row is taken out of the batch
 * once: batches have many shapes, and looking a property up took longer than what was done with it.
 */
export function bitsOf({ type, nullCount, validity }: ColumnBatch): Uint8Array | null {
  if (type.typeId === Type.Null) return NOTHING;
  return nullCount === 0 || validity === undefined ? null : validity;
}

/** Whether a row has a value, by the bits of its column. */
export const isThere = (bits: Uint8Array | null, row: number): boolean =>
  bits === null || (bits[row >> 3]! & (1 << (row & 7))) !== 0;
