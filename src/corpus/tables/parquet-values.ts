// Values of Parquet as JSON.
//
// Texts stay bytes until their row is told: that keeps them out of the heap, and shows what is no UTF-8.
//
// - Integers are digits, however long; NaN and the infinities are null; decimals are numbers.
// - Dates are YYYY-MM-DD; times are ISO 8601 in UTC, with as many digits as they have.
// - Lists are arrays, structs and maps objects. Bytes without a type are UTF-8 text. A JSON column is what it holds.

import { isUtf8 } from 'node:buffer';
import { jsonKey, type JsonWriter } from './json-writer.ts';

/** JSON has no way to tell a value. Its message says why: bytes are no UTF-8, a JSON column holds no JSON. */
export class Untellable extends Error {}

const NO_UTF8 = 'bytes that are not valid UTF-8';

/** Bytes that should be UTF-8. */
class Text {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    // So it is where a damaged page names another encoding.
    if (!(bytes instanceof Uint8Array)) throw new Error('parquet value is of another type than its column');
    this.bytes = bytes;
  }

  /** Also makes keys of maps. */
  toString(): string {
    const { bytes } = this;
    if (!isUtf8(bytes)) throw new Untellable(NO_UTF8);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
  }
}

/** Bytes that should be JSON. */
class Json extends Text {}

/** A map: keys with what stands behind them. A key that JSON cannot tell shows when it is told. */
export class MapValue {
  readonly entries: readonly (readonly [key: unknown, value: unknown])[];

  constructor(entries: MapValue['entries']) {
    this.entries = entries;
  }
}

/** Makes values of bytes and numbers; see writeJson. */
export const PARSERS = {
  timestampFromMilliseconds: (time: bigint) => timeOf(BigInt(time), 1000n, 3),
  timestampFromMicroseconds: (time: bigint) => timeOf(BigInt(time), 1_000_000n, 6),
  timestampFromNanoseconds: (time: bigint) => timeOf(BigInt(time), 1_000_000_000n, 9),
  dateFromDays: dayOf,
  stringFromBytes: (bytes: Uint8Array | undefined) => bytes && new Text(bytes),
  jsonFromBytes: (bytes: Uint8Array | undefined) => bytes && new Json(bytes),
  geometryFromBytes: (bytes: Uint8Array | undefined) => bytes && new Text(bytes),
  geographyFromBytes: (bytes: Uint8Array | undefined) => bytes && new Text(bytes),
};

/** A day since 1970. */
export function dayOf(days: number): string {
  return timeOf(BigInt(days) * 86_400n, 1n, 0).slice(0, -'T00:00:00Z'.length);
}

/** A time since 1970 in parts of a second. */
export function timeOf(time: bigint, parts: bigint, digits: number): string {
  const part = ((time % parts) + parts) % parts;
  const date = new Date(Number((time - part) / parts) * 1000);
  // Years that Date does not have.
  if (Number.isNaN(date.getTime())) return String(time);
  const fraction = digits === 0 ? '' : `.${String(part).padStart(digits, '0')}`;
  return `${date.toISOString().slice(0, -'.000Z'.length)}${fraction}Z`;
}

/** Writes a value as JSON, on one line. False: it is null, and nothing is written. Throws Untellable. */
export function writeJson(out: JsonWriter, value: unknown): boolean {
  if (value === null || value === undefined) return false;
  switch (typeof value) {
    case 'string':
      out.copy(Buffer.from(JSON.stringify(value)));
      return true;
    case 'number':
      if (!Number.isFinite(value)) return false;
      out.ascii(String(value));
      return true;
    case 'bigint':
    case 'boolean':
      out.ascii(String(value));
      return true;
  }
  if (value instanceof Json) return writeCompact(out, value.toString());
  if (value instanceof Text) writeText(out, value.bytes);
  else if (value instanceof Uint8Array) writeText(out, value);
  else if (Array.isArray(value) || ArrayBuffer.isView(value)) writeList(out, value as ArrayLike<unknown>);
  else if (value instanceof MapValue) {
    writeObject(out, Object.fromEntries(value.entries.map(([key, member]) => [String(key), member])));
  } else writeObject(out, value as Readonly<Record<string, unknown>>);
  return true;
}

function writeText(out: JsonWriter, bytes: Uint8Array): void {
  if (!isUtf8(bytes)) throw new Untellable(NO_UTF8);
  out.string(bytes, 0, bytes.length);
}

function writeList(out: JsonWriter, items: ArrayLike<unknown>): void {
  out.ascii('[');
  for (let i = 0; i < items.length; i++) {
    if (i > 0) out.ascii(',');
    if (!writeJson(out, items[i])) out.ascii('null');
  }
  out.ascii(']');
}

/** Writes the members that are no null, and the content of a message, which is null beside calls and may not lack. */
function writeObject(out: JsonWriter, object: Readonly<Record<string, unknown>>): void {
  out.ascii('{');
  const first = out.at;
  for (const key of Object.keys(object)) {
    const value = object[key];
    if (value !== null || key !== 'content') writeMember(out, first, keyOf(key), value);
    else out.ascii(`${out.at > first ? ',' : ''}"content":null`);
  }
  out.ascii('}');
}

/** Writes a member of an object, unless it is null. `first`: where the first one of the object begins. */
export function writeMember(out: JsonWriter, first: number, key: Uint8Array, value: unknown): void {
  const before = out.at;
  if (before > first) out.ascii(',');
  out.copy(key);
  if (!writeJson(out, value)) out.at = before;
}

/** Names of members that were met: there are few. */
const KEYS = new Map<string, Uint8Array>();
const MOST_KEYS = 256;

function keyOf(name: string): Uint8Array {
  let key = KEYS.get(name);
  if (key === undefined) {
    key = jsonKey(name);
    if (KEYS.size < MOST_KEYS) KEYS.set(name, key);
  }
  return key;
}

function writeCompact(out: JsonWriter, json: string): boolean {
  const text = compact(json);
  if (text === 'null') return false;
  out.copy(Buffer.from(text));
  return true;
}

/** As it stands, so that long numbers keep their digits, but on one line. */
function compact(json: string): string {
  try {
    const value: unknown = JSON.parse(json);
    return /[\n\r]/.test(json) ? JSON.stringify(value) : json.trim();
  } catch {
    throw new Untellable('text that is no JSON');
  }
}
