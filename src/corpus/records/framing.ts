// Objects of one list, or one after the other over many lines, as lines: for the scanner of chat records, which reads
// nothing else. They are made lines in the window, byte for byte, so that positions stay what they are.
//
// The simple version is values.ts, and anything unusual is left to it: an item that is not an object, not JSON or
// longer than the window, a comma too many, what stands behind the list. This one stops before it, and says where.

import { isBlankByte } from '../../model/bytes.ts';
import { CLOSE_LIST, COMMA, isMarked, LF, MARK, OPEN_OBJECT, SEPARATOR } from './json-bytes.ts';
import type { Layout } from './layout.ts';
import type { Framing } from './window.ts';

/** What knows the values: a scanner whose memory holds the window. */
export interface ValueMachine {
  objectEnd(from: number): number;
  joinLines(from: number, to: number): number;
}

/** Where the values of an input go on. */
export interface ValuesPlace {
  /** Position in the input, and its line, from 1. */
  readonly from: number;
  readonly line: number;
  /** In a list: before its bracket, before its first item, behind an item's comma, behind the list's end. */
  readonly state: 'start' | 'first' | 'next' | 'after';
}

const BLANK = 0x20;
/** No input begins before it. */
const START: ValuesPlace = { from: 0, line: 1, state: 'start' };

export class ValueFraming implements Framing {
  readonly #machine: ValueMachine;
  readonly #isList: boolean;
  /** Where the first value is looked for that is not a line yet. */
  #rest = START;
  #hasStopped = false;
  /** Where the values of the window begin, and their lines. */
  readonly #starts: number[] = [];
  readonly #lines: number[] = [];

  constructor(machine: ValueMachine, layout: Exclude<Layout, 'lines'>) {
    this.#machine = machine;
    this.#isList = layout === 'list';
  }

  /** What is left when the window has no further line. */
  get rest(): ValuesPlace {
    return this.#rest;
  }

  /** The line on which a value begins. */
  lineAt(position: number): number {
    return this.#lines[this.#indexOf(position)]!;
  }

  frame(bytes: Uint8Array, base: number, at: number, length: number, ended: boolean): number {
    this.#forget(base + at);
    if (this.#rest === START && !this.#begin(bytes, length, ended)) return -1;
    // No value goes on behind it.
    bytes[length] = 0;
    let last = -1;
    while (!this.#hasStopped) {
      const to = this.#frameOne(bytes, base, at, length, ended);
      if (to < 0) break;
      last = to;
    }
    return last;
  }

  /** Passes a byte order mark; false: there is too little yet. */
  #begin(bytes: Uint8Array, length: number, ended: boolean): boolean {
    if (length < MARK.length && !ended) return false;
    const from = length >= MARK.length && isMarked(bytes) ? MARK.length : 0;
    this.#rest = { ...START, from };
    return true;
  }

  /** Makes a line of the next value. Answers where it ends; -1: there is none, or it is not there as a whole. */
  #frameOne(bytes: Uint8Array, base: number, at: number, length: number, ended: boolean): number {
    const { from, state } = this.#rest;
    let { line } = this.#rest;
    const behind = Math.max(from - base, at);
    let start = behind;
    for (; start < length && (isBlankByte(bytes[start]) || this.#isBetween(bytes[start])); start++) {
      if (bytes[start] === LF) line++;
    }
    if (start >= length) return -1;
    if (this.#isList && state === 'start') {
      // The bracket.
      bytes[start] = LF;
      this.#rest = { from: base + start + 1, line, state: 'first' };
      return this.#frameOne(bytes, base, at, length, ended);
    }
    if (bytes[start] !== OPEN_OBJECT) return this.#stop();
    const to = this.#machine.objectEnd(start);
    // It may be the window that ends.
    if (to < 0) return -1;
    const end = this.#isList ? endOfItem(bytes, to, length) : to;
    if (end >= length && (this.#isList || !ended)) return -1;
    const byte = bytes[end]!;
    const isEnded = this.#isList ? byte === COMMA || byte === CLOSE_LIST
      : end >= length || byte === SEPARATOR || isBlankByte(byte);
    if (!isEnded) return this.#stop();
    // A separator is no line by itself.
    for (let i = behind; i < start; i++) if (bytes[i] === SEPARATOR) bytes[i] = BLANK;
    if (start > behind) bytes[start - 1] = LF;
    this.#starts.push(base + start);
    this.#lines.push(line);
    line += this.#machine.joinLines(start, end) + (byte === LF && end < length ? 1 : 0);
    bytes[end] = LF;
    this.#rest = { from: base + Math.min(end + 1, length), line, state: byte === CLOSE_LIST ? 'after' : 'next' };
    this.#hasStopped = byte === CLOSE_LIST;
    return end;
  }

  #isBetween(byte: number | undefined): boolean {
    return byte === SEPARATOR && !this.#isList;
  }

  #stop(): number {
    this.#hasStopped = true;
    return -1;
  }

  /** Values that end before a position are no longer asked for. */
  #forget(position: number): void {
    const count = this.#indexOf(position);
    if (count <= 0) return;
    this.#starts.splice(0, count);
    this.#lines.splice(0, count);
  }

  /** Of the last value that begins at or before a position; -1: there is none. */
  #indexOf(position: number): number {
    let low = -1;
    for (let high = this.#starts.length; high - low > 1; ) {
      const middle = (low + high) >> 1;
      if (this.#starts[middle]! <= position) low = middle;
      else high = middle;
    }
    return low;
  }
}

/** Behind the white space that follows an item. */
function endOfItem(bytes: Uint8Array, to: number, length: number): number {
  let end = to;
  while (end < length && isBlankByte(bytes[end])) end++;
  return end;
}

