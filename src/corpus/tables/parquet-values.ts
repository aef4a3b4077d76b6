// Values of Parquet as JSON.
//
// Texts stay bytes until their row is told: that keeps them out of the heap, and shows what is no UTF-8.
//
// - Integers are digits, however long; NaN and the infinities are null; decimals are numbers.
// - Dates are YYYY-MM-DD; times are ISO 8601 in UTC, with as many digits as they have.
// - Lists are arrays, structs and maps objects. Bytes without a type are UTF-8 text. A JSON column is what it holds.

import { isUtf8 } from 'node:buffer';

/** JSON has no way to tell a value: bytes that are no UTF-8, a JSON column that holds no JSON. */
export class Untellable extends Error {}

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
    if (!isUtf8(bytes)) throw new Untellable();
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
  }
}

/** Bytes that should be JSON. */
class Json extends Text {}

/** Makes values of bytes and numbers; see jsonOf. */
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

/** One value as JSON, on one line. Throws Untellable. */
export function jsonOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
      return Number.isFinite(value) ? String(value) : 'null';
    case 'bigint':
    case 'boolean':
      return String(value);
  }
  if (value instanceof Json) return compact(value.toString());
  if (value instanceof Text) return JSON.stringify(value.toString());
  if (value instanceof Uint8Array) return JSON.stringify(new Text(value).toString());
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    return `[${Array.from(value as ArrayLike<unknown>, jsonOf).join(',')}]`;
  }
  let members = '';
  for (const [key, member] of Object.entries(value)) {
    const json = jsonOf(member);
    if (json !== 'null') members += `${members && ','}${JSON.stringify(key)}:${json}`;
  }
  return `{${members}}`;
}

/** As it stands, so that long numbers keep their digits, but on one line. */
function compact(json: string): string {
  try {
    const value: unknown = JSON.parse(json);
    return /[\n\r]/.test(json) ? JSON.stringify(value) : json.trim();
  } catch {
    throw new Untellable();
  }
}
