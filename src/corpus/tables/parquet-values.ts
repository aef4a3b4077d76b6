// Values of Parquet as JSON.
//
// Texts stay bytes: that keeps them out of the heap, and shows what is no UTF-8.
//
// - Integers are digits, however long; NaN and the infinities are null; decimals are numbers.
// - Dates are YYYY-MM-DD; times are ISO 8601 in UTC, with as many digits as they have.
// - Lists are arrays, structs and maps objects. Bytes without a type are UTF-8 text. A JSON column is what it holds.

import { isUtf8 } from 'node:buffer';
import { jsonKey, type JsonWriter } from './json-writer.ts';

/** JSON has no way to tell a value. Its message says why: bytes are no UTF-8, a JSON column holds no JSON. */
export class Untellable extends Error {}

export const NO_UTF8 = 'bytes that are not valid UTF-8';

/** The text of bytes that should be UTF-8. */
export function textOf(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new Untellable(NO_UTF8);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}

/** A key of a map as that of an object. */
export const keyText = (key: unknown): string => (key instanceof Uint8Array ? textOf(key) : String(key));

/** Bytes stay what they are. In a damaged page they may be something else, which names another encoding. */
function bytesOf(bytes: Uint8Array | undefined): Uint8Array | undefined {
  if (bytes !== undefined && !(bytes instanceof Uint8Array)) {
    throw new Error('parquet value is of another type than its column');
  }
  return bytes;
}

/** Makes values of bytes and numbers; see writeJson. */
export const PARSERS = {
  timestampFromMilliseconds: (time: bigint) => timeOf(BigInt(time), 1000n, 3),
  timestampFromMicroseconds: (time: bigint) => timeOf(BigInt(time), 1_000_000n, 6),
  timestampFromNanoseconds: (time: bigint) => timeOf(BigInt(time), 1_000_000_000n, 9),
  dateFromDays: dayOf,
  stringFromBytes: bytesOf,
  jsonFromBytes: bytesOf,
  geometryFromBytes: bytesOf,
  geographyFromBytes: bytesOf,
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

/**
 * Writes a value as JSON, on one line. False: it is null, and nothing is written. Bytes are written as they are, for
 * isUtf8 to find in what was written: they are too many for a look at each.
 */
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
  if (value instanceof Uint8Array) out.string(value, 0, value.length);
  else if (Array.isArray(value) || ArrayBuffer.isView(value)) writeList(out, value as ArrayLike<unknown>);
  else writeObject(out, value as Readonly<Record<string, unknown>>);
  return true;
}

function writeList(out: JsonWriter, items: ArrayLike<unknown>): void {
  out.ascii('[');
  for (let i = 0; i < items.length; i++) {
    if (i > 0) out.ascii(',');
    if (!writeJson(out, items[i])) out.ascii('null');
  }
  out.ascii(']');
}

/** Members that are null are left out, but for the content of a message: it is null beside calls, and may not lack. */
export const keepsNull = (name: string): boolean => name === 'content';

function writeObject(out: JsonWriter, object: Readonly<Record<string, unknown>>): void {
  out.ascii('{');
  const first = out.at;
  for (const [key, value] of Object.entries(object)) {
    const before = out.at;
    if (before > first) out.ascii(',');
    out.copy(jsonKey(key));
    if (writeJson(out, value)) continue;
    if (keepsNull(key)) out.ascii('null');
    else out.at = before;
  }
  out.ascii('}');
}

/**
 * Writes text that is JSON as it stands, so that long numbers keep their digits, but on one line. False: it is null,
 * and nothing is written. Throws Untellable.
 */
export function writeJsonText(out: JsonWriter, bytes: Uint8Array): boolean {
  const json = textOf(bytes);
  const text = compact(json);
  if (text === 'null') return false;
  out.copy(Buffer.from(text));
  return true;
}

function compact(json: string): string {
  try {
    const value: unknown = JSON.parse(json);
    return /[\n\r]/.test(json) ? JSON.stringify(value) : json.trim();
  } catch {
    throw new Untellable('text that is no JSON');
  }
}
