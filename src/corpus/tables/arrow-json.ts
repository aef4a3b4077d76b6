// Values of Arrow as JSON: as those of Parquet are (parquet-values.ts), but from the buffers of a batch to bytes, since
// most of them are texts.
//
// - What is null is left out of structs and maps; a null in a list stays.
// - Bytes are text. Integers are digits, however long; NaN and the infinities are null; times are ISO 8601 in UTC.

import { DateUnit, type DataType, type Field, TimeUnit, Type } from '@uwdata/flechette';
import { bitsOf, type ColumnBatch, INLINE_BYTES, isThere, strideOf, VIEW_BYTES } from './arrow-batch.ts';
import { jsonKey, type JsonWriter } from './json-writer.ts';
import { dayOf, timeOf } from './parquet-values.ts';

/** Writes the value of a row that has one. */
export type WriteValue = (row: number) => void;

/** Where the text of a row stands. */
export interface TextSpan {
  bytes: Uint8Array;
  from: number;
  to: number;
}

const TEXTS: ReadonlySet<number> = new Set([
  Type.Utf8, Type.Binary, Type.LargeUtf8, Type.LargeBinary, Type.Utf8View, Type.BinaryView,
]);
const READ: ReadonlySet<number> = new Set([
  ...TEXTS, Type.Null, Type.Bool, Type.Int, Type.Float, Type.Date, Type.Timestamp, Type.List, Type.LargeList,
  Type.FixedSizeList, Type.Map, Type.Struct, Type.Dictionary,
]);
const NAMES = new Map<number, string>(Object.entries(Type).map(([name, id]) => [id as number, name]));

/** The name of a type, in a column or below it, that cannot be written as JSON; null: there is none. */
export function untellable(type: DataType): string | null {
  if (!READ.has(type.typeId)) return NAMES.get(type.typeId) ?? String(type.typeId);
  if (type.typeId === Type.Dictionary) return untellable((type as unknown as { dictionary: DataType }).dictionary);
  for (const { type: child } of childrenOf(type)) {
    const found = untellable(child);
    if (found !== null) return found;
  }
  return null;
}

const childrenOf = (type: DataType): readonly Field[] => (type as { children?: readonly Field[] }).children ?? [];

/** Whether a column holds text, or bytes that should be text. */
export const isText = (type: DataType): boolean =>
  TEXTS.has(type.typeId)
  || (type.typeId === Type.Dictionary && isText((type as unknown as { dictionary: DataType }).dictionary));

/** Finds the text of a row that has one: the span is valid until the next call. */
export function textsOf(batch: ColumnBatch): (row: number) => TextSpan {
  const span: TextSpan = { bytes: batch.values as Uint8Array, from: 0, to: 0 };
  const { typeId } = batch.type;
  if (typeId === Type.Dictionary) {
    const find = wordsOf(batch, textsOf);
    return (row) => {
      const word = find(row);
      return word.use(word.row);
    };
  }
  if (typeId === Type.Utf8View || typeId === Type.BinaryView) return viewsOf(batch, span);
  const offsets = offsetsOf(batch);
  return (row) => {
    span.from = offsets[row]!;
    span.to = offsets[row + 1]!;
    return span;
  };
}

/** Offsets as numbers. */
function offsetsOf({ offsets }: ColumnBatch): Int32Array | Float64Array {
  return offsets instanceof Int32Array ? offsets : Float64Array.from(offsets ?? [], Number);
}

function viewsOf({ values, data = [] }: ColumnBatch, span: TextSpan): (row: number) => TextSpan {
  const views = values as Uint8Array;
  const view = new DataView(views.buffer, views.byteOffset, views.length);
  return (row) => {
    const at = row * VIEW_BYTES;
    const length = view.getInt32(at, true);
    const isInline = length <= INLINE_BYTES;
    span.bytes = isInline ? views : data[view.getInt32(at + 8, true)]!;
    span.from = isInline ? at + 4 : view.getInt32(at + 12, true);
    span.to = span.from + length;
    return span;
  };
}

/** The word of a row: what reads the part of the dictionary in which it stands, and its row there. */
function wordsOf<T>({ values, dictionary }: ColumnBatch, make: (part: ColumnBatch) => T) {
  const parts = dictionary!.data.map((batch) => ({ batch, use: make(batch) }));
  return (row: number): { batch: ColumnBatch; use: T; row: number } => {
    let at = Number(values![row]);
    for (const { batch, use } of parts) {
      if (at < batch.length) return { batch, use, row: at };
      at -= batch.length;
    }
    throw new RangeError('a dictionary was checked and lacks a value');
  };
}

/** Writes values of a column. */
export function valuesOf(batch: ColumnBatch, out: JsonWriter): WriteValue {
  const { type } = batch;
  if (TEXTS.has(type.typeId)) {
    const textOf = textsOf(batch);
    return (row) => {
      const { bytes, from, to } = textOf(row);
      out.string(bytes, from, to);
    };
  }
  switch (type.typeId) {
    case Type.Struct: return structsOf(batch, out);
    case Type.Map: return mapsOf(batch, out);
    case Type.List:
    case Type.LargeList:
    case Type.FixedSizeList: return listsOf(batch, out);
    case Type.Dictionary: {
      const find = wordsOf(batch, (part) => elementsOf(part, out));
      return (row) => {
        const word = find(row);
        word.use(word.row);
      };
    }
    case Type.Null: return () => out.ascii('null');
  }
  const scalar = scalarsOf(batch);
  return (row) => out.ascii(scalar(row));
}

/** Where the elements of a row begin; those of the row before end there. */
function listEnds(batch: ColumnBatch): (row: number) => number {
  if (batch.offsets === undefined) {
    const stride = strideOf(batch.type);
    return (row) => row * stride;
  }
  const offsets = offsetsOf(batch);
  return (row) => offsets[row]!;
}

function elementsOf(child: ColumnBatch, out: JsonWriter): WriteValue {
  const write = valuesOf(child, out);
  const bits = bitsOf(child);
  return (row) => (isThere(bits, row) ? write(row) : out.ascii('null'));
}

function listsOf(batch: ColumnBatch, out: JsonWriter): WriteValue {
  const startOf = listEnds(batch);
  const write = elementsOf(batch.children![0]!, out);
  return (row) => {
    out.byte(0x5b);
    const to = startOf(row + 1);
    for (let from = startOf(row), at = from; at < to; at++) {
      if (at > from) out.byte(0x2c);
      write(at);
    }
    out.byte(0x5d);
  };
}

function structsOf({ type, children = [] }: ColumnBatch, out: JsonWriter): WriteValue {
  const members = childrenOf(type).map(({ name }, i) => ({ name, batch: children[i]! }));
  const write = membersOf(members, out);
  return (row) => {
    out.byte(0x7b);
    write(row);
    out.byte(0x7d);
  };
}

/** Writes the members of an object whose values stand in columns. */
export function membersOf(
  members: readonly { readonly name: string; readonly batch: ColumnBatch }[], out: JsonWriter,
): WriteValue {
  const writers = members.map(({ name, batch }) => {
    return { key: jsonKey(name), bits: bitsOf(batch), write: valuesOf(batch, out) };
  });
  return (row) => {
    let isFirst = true;
    for (const { key, bits, write } of writers) {
      if (!isThere(bits, row)) continue;
      if (!isFirst) out.byte(0x2c);
      isFirst = false;
      out.copy(key);
      write(row);
    }
  };
}

function mapsOf(batch: ColumnBatch, out: JsonWriter): WriteValue {
  const startOf = listEnds(batch);
  const [keys, values] = batch.children![0]!.children!;
  const isKeyText = isText(keys!.type);
  const writeKey = valuesOf(keys!, out);
  const writeValue = valuesOf(values!, out);
  const bits = bitsOf(values!);
  return (row) => {
    out.byte(0x7b);
    let isFirst = true;
    for (let at = startOf(row), to = startOf(row + 1); at < to; at++) {
      if (!isThere(bits, at)) continue;
      if (!isFirst) out.byte(0x2c);
      isFirst = false;
      if (!isKeyText) out.byte(0x22);
      writeKey(at);
      if (!isKeyText) out.byte(0x22);
      out.byte(0x3a);
      writeValue(at);
    }
    out.byte(0x7d);
  };
}

/** Values that are short: as text of JSON. */
function scalarsOf(batch: ColumnBatch): (row: number) => string {
  const values = batch.values!;
  const { unit } = batch.type as { unit?: number };
  switch (batch.type.typeId) {
    case Type.Bool: {
      const bits = values as Uint8Array;
      return (row) => ((bits[row >> 3]! & (1 << (row & 7))) !== 0 ? 'true' : 'false');
    }
    case Type.Date:
      return (row) => {
        const days = unit === DateUnit.DAY ? Number(values[row]) : Math.floor(Number(values[row]) / 86_400_000);
        return `"${dayOf(days)}"`;
      };
    case Type.Timestamp: {
      const digits = [TimeUnit.SECOND, TimeUnit.MILLISECOND, TimeUnit.MICROSECOND, TimeUnit.NANOSECOND]
        .indexOf(unit as never) * 3;
      return (row) => `"${timeOf(BigInt(values[row]!), 10n ** BigInt(digits), digits)}"`;
    }
    case Type.Float: {
      // Half floats have no array of their own.
      const { at } = batch as unknown as { at(row: number): number };
      return (row) => {
        const value = at.call(batch, row);
        return Number.isFinite(value) ? String(value) : 'null';
      };
    }
  }
  return (row) => String(values[row]);
}
