// Where the values of one JSON text stand in its bytes. Linear, without recursion, never throws; on what is no JSON the
// answer is null, or a place within the text.

import { isBlankByte, standsAt } from '../../model/bytes.ts';
import { pointerTo } from '../../tools/json.ts';
import { decodeUtf8 } from '../../utf8.ts';
import {
  BACKSLASH, CLOSE_LIST, CLOSE_OBJECT, COLON, COMMA, OPEN_LIST, OPEN_OBJECT, QUOTE,
} from './json-bytes.ts';

/** Bytes, half open. */
export interface JsonSpan {
  readonly from: number;
  readonly to: number;
}

/** A value with those within it. A string's span holds its quotes. */
export interface JsonPlace extends JsonSpan {
  /** Of an object by key, of duplicate keys the last one, as JSON.parse; of a list in order; null of anything else. */
  readonly inner: Map<string, JsonPlace> | JsonPlace[] | null;
  /** Of a member of an object: its key, with its quotes. */
  readonly key: JsonSpan | null;
}

const SMALL_U = 0x75;

/** Byte span of the value at a path of keys and indices; null: there is none. Of duplicate keys the last one. */
export function spanOf(json: Uint8Array, path: readonly (string | number)[]): JsonSpan | null {
  const reader = new JsonReader(json);
  // Containers that are open, and how many of them, from the outermost, lie on the path.
  let depth = 0;
  let matched = 0;
  // Of the matched containers: the index of the item at hand.
  const index: number[] = [];
  let start = -1;
  let startDepth = -1;
  let found: JsonSpan | null = null;
  let isOnPath = true;
  while (reader.next()) {
    const { token, from, to } = reader;
    if (token === CLOSE_LIST || token === CLOSE_OBJECT) {
      if (--depth < 0) return found;
      if (depth < matched) index.length = matched = depth;
      if (depth === startDepth) {
        found = { from: start, to };
        startDepth = -1;
      }
      if (depth === 0) return found;
      continue;
    }
    if (token === COMMA || token === COLON) continue;
    // A key, an item or the outermost value; its containers on the path are `matched`.
    if (depth > 0) {
      if (depth !== matched) isOnPath = false;
      else if (reader.isKey) {
        isOnPath = keyText(json, from, to) === path[depth - 1];
        if (isOnPath) {
          found = null;
          startDepth = -1;
        }
        continue;
      } else if (reader.isItem) isOnPath = index[depth - 1]!++ === path[depth - 1];
    }
    if (reader.isKey) continue;
    const isContainer = token === OPEN_LIST || token === OPEN_OBJECT;
    if (isOnPath && depth === path.length) {
      if (isContainer) {
        start = from;
        startDepth = depth;
      } else found = { from, to };
    }
    if (isContainer) {
      if (isOnPath && depth < path.length) {
        matched = depth + 1;
        index.push(0);
      }
      depth++;
    } else if (depth === 0) return found;
    isOnPath = false;
  }
  return found;
}

/** All values of a JSON text; null: there is none. */
export function placesOf(json: Uint8Array): JsonPlace | null {
  const reader = new JsonReader(json);
  const open: { place: JsonPlace & { to: number }; name: string; key: JsonSpan | null }[] = [];
  while (reader.next()) {
    const { token, from, to } = reader;
    const top = open.at(-1);
    if (token === CLOSE_LIST || token === CLOSE_OBJECT) {
      if (!top) return null;
      top.place.to = to;
      open.pop();
      if (open.length === 0) return top.place;
    } else if (reader.isKey) {
      if (top) {
        top.name = keyText(json, from, to);
        top.key = { from, to };
      }
    } else if (token !== COMMA && token !== COLON) {
      const inner = token === OPEN_LIST ? [] : token === OPEN_OBJECT ? new Map<string, JsonPlace>() : null;
      const place = { from, to, inner, key: top?.key ?? null };
      if (Array.isArray(top?.place.inner)) top.place.inner.push(place);
      else if (top?.place.inner) top.place.inner.set(top.name, place);
      if (inner) open.push({ place, name: '', key: null });
      else if (!top) return place;
    }
  }
  return null;
}

/** JSON pointers of values of one text, by where they begin: linear over all of them when these rise. */
export class JsonPointers {
  readonly #json: Uint8Array;
  #reader: JsonReader;
  /** Of each container around the value at hand: the index of its item, or the key of its member. */
  #path: (number | JsonSpan)[] = [];
  /** The value at hand is a container; null: no value is at hand. */
  #opens: boolean | null = null;

  constructor(json: Uint8Array) {
    this.#json = json;
    this.#reader = new JsonReader(json);
  }

  /** The pointer of the value that begins at a byte; null: none does. */
  at(from: number): string | null {
    if (from < this.#reader.from) {
      this.#reader = new JsonReader(this.#json);
      this.#path = [];
      this.#opens = null;
    }
    while (this.#reader.to === 0 || this.#reader.from < from) if (!this.#next()) return null;
    return this.#opens !== null && this.#reader.from === from ? this.#pointer() : null;
  }

  /** Goes to the next token. False at the end. */
  #next(): boolean {
    const reader = this.#reader;
    const path = this.#path;
    const isList = reader.token === OPEN_LIST;
    if (this.#opens) path.push(isList ? -1 : { from: 0, to: 0 });
    this.#opens = null;
    if (!reader.next()) return false;
    const { token, from, to } = reader;
    if (token === CLOSE_LIST || token === CLOSE_OBJECT) path.pop();
    else if (reader.isKey) path[path.length - 1] = { from, to };
    else if (token !== COMMA && token !== COLON) {
      if (reader.isItem) path[path.length - 1] = (path.at(-1) as number) + 1;
      this.#opens = token === OPEN_LIST || token === OPEN_OBJECT;
    }
    return true;
  }

  #pointer(): string {
    return this.#path.reduce<string>((pointer, step) =>
      pointerTo(pointer, typeof step === 'number' ? step : keyText(this.#json, step.from, step.to)), '');
  }
}

/**
 * The byte in the JSON text of a string value (span with its quotes) that the UTF-8 byte `offset` of its value comes
 * from. A byte within a character that is written as an escape comes from the first byte of the escape; the end of the
 * value, and whatever lies behind it, is the closing quote. Half a surrogate pair counts as U+FFFD, 3 bytes.
 */
export function rawOffset(json: Uint8Array, span: JsonSpan, offset: number): number {
  return new RawOffsets(json, span).of(offset);
}

/** `rawOffset` for many offsets of one string: linear over all when they ascend, and nearly so otherwise. */
export class RawOffsets {
  readonly #json: Uint8Array;
  readonly #end: number;
  /** Places that were passed, at least `STEP` bytes of the value from each other: in the value, and in the text. */
  readonly #passed: { readonly decoded: number; readonly raw: number }[];
  #lastPassed = 0;
  /** The byte `#raw` of the text is the byte `#decoded` of the value. */
  #raw: number;
  #decoded = 0;
  /** No backslash stands between these. */
  #plainFrom = 0;
  #plainTo = 0;

  constructor(json: Uint8Array, span: JsonSpan) {
    this.#end = Math.max(0, Math.min(span.to, json.length) - 1);
    // The rest of the record is not looked through for each of its strings.
    this.#json = new Uint8Array(json.buffer, json.byteOffset, this.#end);
    this.#raw = Math.max(0, Math.min(span.from + 1, this.#end));
    this.#passed = [{ decoded: 0, raw: this.#raw }];
  }

  of(offset: number): number {
    // Most lie before the next escape, and behind the last one.
    const next = this.#raw + offset - this.#decoded;
    if (next >= this.#plainFrom && Math.max(next, this.#raw) <= this.#plainTo) {
      this.#decoded = offset;
      return (this.#raw = next);
    }
    if (offset < this.#decoded || this.#lastPassed > this.#decoded) this.#goNear(offset);
    const json = this.#json;
    const end = this.#end;
    let raw = this.#raw;
    let decoded = this.#decoded;
    let plainTo = this.#plainTo;
    while (decoded < offset && raw < end) {
      if (raw >= plainTo) {
        this.#plainFrom = raw;
        plainTo = plainEnd(json, raw, end);
      }
      const plain = Math.min(plainTo - raw, offset - decoded);
      if (plain > 0) {
        raw += plain;
        decoded += plain;
        continue;
      }
      const unit = unitAt(json, raw, end);
      const bytes = unit < 0x80 ? 1 : unit < 0x800 ? 2 : isPairAt(json, raw, end) ? 4 : 3;
      if (decoded + bytes > offset) break;
      raw += unit < 0 ? Math.min(2, end - raw) : bytes === 4 ? 12 : 6;
      decoded += bytes;
      if (decoded >= this.#lastPassed + STEP) {
        this.#lastPassed = decoded;
        this.#passed.push({ decoded, raw });
      }
    }
    this.#plainTo = plainTo;
    this.#decoded = decoded;
    return (this.#raw = raw);
  }

  /** To the last place before an offset that was passed, unless it is behind this one already. */
  #goNear(offset: number): void {
    const passed = this.#passed;
    let low = 0;
    let high = passed.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (passed[middle]!.decoded <= offset) low = middle;
      else high = middle;
    }
    const near = passed[low]!;
    if (offset >= this.#decoded && near.decoded <= this.#decoded) return;
    ({ decoded: this.#decoded, raw: this.#raw } = near);
    this.#plainTo = 0;
  }
}

/** Findings of several rules may each go from the beginning of a value of many MiB to its end. */
const STEP = 64 * 1024;

/** Bytes that are looked at one by one: escapes are often near each other. */
const NEAR = 32;

/** Position of the next backslash, or the end. */
function plainEnd(json: Uint8Array, from: number, end: number): number {
  const near = Math.min(end, from + NEAR);
  for (let at = from; at < near; at++) if (json[at] === BACKSLASH) return at;
  const found = json.indexOf(BACKSLASH, near);
  return found < 0 ? end : found;
}

/** Whether the escapes of a surrogate pair stand there. */
function isPairAt(json: Uint8Array, at: number, end: number): boolean {
  return (unitAt(json, at, end) & 0xfc00) === 0xd800 && (unitAt(json, at + 6, end) & 0xfc00) === 0xdc00;
}

/** What hexadecimal digits mean; -1: a byte is none. */
const DIGITS = new Int8Array(256).fill(-1);
for (const digit of '0123456789abcdefABCDEF') DIGITS[digit.charCodeAt(0)] = parseInt(digit, 16);

/** The code unit of a `\u` escape; negative: there is none. */
function unitAt(json: Uint8Array, at: number, end: number): number {
  if (at + 6 > end || json[at] !== BACKSLASH || json[at + 1] !== SMALL_U) return -1;
  const high = DIGITS[json[at + 2]!]! << 12 | DIGITS[json[at + 3]!]! << 8;
  return high | DIGITS[json[at + 4]!]! << 4 | DIGITS[json[at + 5]!]!;
}

/** Keys that were met: records have the same ones, and to decode one takes as long as to read ten. */
const KEYS: ({ readonly bytes: Uint8Array; readonly text: string } | undefined)[] = new Array(256).fill(undefined);
const LONGEST_KEY = 32;

/** The text of a key, span with its quotes. */
function keyText(json: Uint8Array, from: number, to: number): string {
  if (to - from > LONGEST_KEY) return decodedKey(json.subarray(from, to));
  const at = (31 * (to - from) + 7 * json[from + 1]! + json[to - 2]!) & 0xff;
  const known = KEYS[at];
  if (known !== undefined && known.bytes.length === to - from && standsAt(known.bytes, json, from)) return known.text;
  // A copy: `slice` of a Buffer is none, and memory of records is written over.
  const bytes = Uint8Array.from(json.subarray(from, to));
  const text = decodedKey(bytes);
  KEYS[at] = { bytes, text };
  return text;
}

function decodedKey(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes);
  if (!bytes.includes(BACKSLASH)) return text.slice(1, -1);
  try {
    return JSON.parse(text) as string;
  } catch {
    return text.slice(1, -1);
  }
}

/** The tokens of a JSON text, one after another. */
export class JsonReader {
  readonly #json: Uint8Array;
  #at = 0;
  /** Of each open container, whether it is an object. */
  readonly #objects: boolean[] = [];
  #wantsKey = false;
  /** The first byte of the token. */
  token = 0;
  from = 0;
  to = 0;
  /** The token is a key of an object; it is an item of a list. */
  isKey = false;
  isItem = false;

  constructor(json: Uint8Array) {
    this.#json = json;
  }

  /** False at the end. */
  next(): boolean {
    const json = this.#json;
    let at = this.#at;
    while (at < json.length && isBlankByte(json[at]!)) at++;
    if (at >= json.length) return false;
    const token = (this.token = json[at]!);
    this.from = at++;
    this.isKey = this.isItem = false;
    const isObject = this.#objects.at(-1);
    if (token === COMMA) this.#wantsKey = isObject === true;
    else if (token === COLON) this.#wantsKey = false;
    else if (token === CLOSE_LIST || token === CLOSE_OBJECT) {
      this.#objects.pop();
      this.#wantsKey = false;
    } else {
      this.isKey = this.#wantsKey;
      this.isItem = isObject === false;
      if (token === OPEN_LIST || token === OPEN_OBJECT) {
        this.#objects.push(token === OPEN_OBJECT);
        this.#wantsKey = token === OPEN_OBJECT;
        this.isKey = false;
      } else if (token === QUOTE) at = afterString(json, at);
      else while (at < json.length && !isEnd(json[at]!)) at++;
    }
    this.#at = this.to = at;
    return true;
  }
}


const isEnd = (byte: number): boolean =>
  isBlankByte(byte) || byte === COMMA || byte === COLON || byte === CLOSE_LIST || byte === CLOSE_OBJECT;

/** The position behind the closing quote of a string whose text begins at `at`. */
function afterString(json: Uint8Array, at: number): number {
  for (let quote = json.indexOf(QUOTE, at); quote >= 0; quote = json.indexOf(QUOTE, quote + 1)) {
    let before = quote;
    while (before > at && json[before - 1] === BACKSLASH) before--;
    if ((quote - before) % 2 === 0) return quote + 1;
  }
  return json.length;
}
