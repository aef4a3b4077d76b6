// How the JSON values of an input are laid out: one a line, in one list, or one after the other over many lines.

import { isBlankByte } from '../../model/bytes.ts';
import type { Source } from '../../scan/source.ts';
import {
  BACKSLASH, CLOSE_LIST, CLOSE_OBJECT, LF, looksWide, MARK, OPEN_LIST, OPEN_OBJECT, QUOTE, SEPARATOR,
} from './json-bytes.ts';

/**
 * `values`: whatever is neither a list nor lines, as a pretty-printed object, objects without a line feed between them.
 */
export type Layout = 'lines' | 'list' | 'values';

const PEEK = 4096;
/** Bytes that `looksWide` looks at. */
export const WIDEST = 4;
/** Blank bytes before a value, and bytes of a first line, that are looked through. */
const MOST = 1024 * 1024;

/**
 * The layout of an input, told by its first value. A list begins with its bracket, unless it is the first of several
 * lines: it ends with its line, and the next one begins with a list or an object. Values are not lines where the first
 * one goes on behind a line feed, or ends before it and another object follows at once. Where the next line begins with
 * an object, the first one is a broken line. Text of UTF-16 has no lines of bytes.
 */
export function layoutOf(source: Source): Layout {
  if (looksWide(source.bytes(0, WIDEST))) return 'values';
  const bytes = new FirstBytes(source);
  let byte = bytes.next();
  while (isBlankByte(byte)) byte = bytes.next();
  if (byte === SEPARATOR) return 'values';
  const isList = byte === OPEN_LIST;
  if (byte !== OPEN_OBJECT && !isList) return 'lines';
  let isString = false;
  for (let depth = 1; depth > 0; ) {
    byte = bytes.next();
    if (isList && (byte === undefined || byte === LF)) return 'list';
    if (byte === undefined) return 'lines';
    if (byte === LF) return isString || beginsObject(bytes) ? 'lines' : 'values';
    if (isString) {
      if (byte === BACKSLASH) bytes.next();
      else isString = byte !== QUOTE;
    } else if (byte === QUOTE) isString = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth--;
  }
  do byte = bytes.next();
  while (byte !== LF && isBlankByte(byte));
  if (isList) return byte === LF && beginsValue(bytes) ? 'lines' : 'list';
  return byte === OPEN_OBJECT || byte === SEPARATOR ? 'values' : 'lines';
}

/** Whether the next line that is not blank begins with an object, or there is none. */
function beginsObject(bytes: FirstBytes): boolean {
  let column = 0;
  for (let byte = bytes.next(); byte !== undefined; byte = bytes.next()) {
    if (!isBlankByte(byte)) return column === 0 && byte === OPEN_OBJECT;
    column = byte === LF ? 0 : column + 1;
  }
  return true;
}

/** Whether the next line begins with a list or an object. */
function beginsValue(bytes: FirstBytes): boolean {
  let byte = bytes.next();
  while (isBlankByte(byte)) byte = bytes.next();
  return byte === OPEN_LIST || byte === OPEN_OBJECT;
}

/** The first bytes of a source, as far as a layout is looked for, behind a byte order mark. */
export class FirstBytes {
  readonly #source: Source;
  readonly #part = new Uint8Array(PEEK);
  /** Of the part, in the source. */
  #from = 0;
  #length = 0;
  #next = 0;

  constructor(source: Source) {
    this.#source = source;
  }

  /** The next byte; undefined: there is none, or it lies too far behind. */
  next(): number | undefined {
    if (this.#next === this.#length && !this.#read()) return undefined;
    return this.#part[this.#next++];
  }

  #read(): boolean {
    do {
      this.#from += this.#length;
      const isBehind = this.#from >= Math.min(MOST, this.#source.end ?? MOST);
      this.#length = isBehind ? 0 : this.#source.read(this.#from, this.#part);
      this.#next = 0;
      // A source may give a mark in pieces.
      while (this.#next < this.#length && this.#part[this.#next] === MARK[this.#from + this.#next]) this.#next++;
    } while (this.#length > 0 && this.#next === this.#length);
    return this.#length > 0;
  }
}
