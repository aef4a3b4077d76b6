// Lines and columns of what is found in an input, of any size. What lies in a scanner's window is counted there, while
// it passes; else bytes are read again from a file, and of a pipe they are counted before they are let go.

import { isAscii } from 'node:buffer';
import { countLineFeeds, type LineCounting, Lines, type Place } from '../errors.ts';
import type { OpenCalls } from '../rules/calls.ts';
import type { Machine } from '../scan/machine.ts';
import type { Watch } from '../scan/reading.ts';
import { type Source, type SourceWatcher, WatchedSource } from '../scan/source.ts';
import { countCodePoints } from '../utf8.ts';
import type { InputSource } from './input/source.ts';

const START: Place = { line: 1, column: 1 };
/** Bytes that are read again at once. */
const PART = 64 * 1024;

/** Most texts are ASCII, which the platform tells in a tenth of the time. */
const codePointsIn = (part: Uint8Array): number => isAscii(part) ? part.length : countCodePoints(part, 0, part.length);

const COUNTING: LineCounting = { lines: countLineFeeds, codePoints: codePointsIn };

export class Places implements Watch, LineCounting, SourceWatcher {
  readonly #input: InputSource;
  #lines: Lines;
  readonly #open = new Map<number, Place>();
  readonly #closed: number[] = [];
  #forgotten = 0;
  /** Bytes that were read last, and where they stand. */
  #part = new Uint8Array(0);
  #partFrom = 0;
  #partTo = 0;
  /** The window that was seen last. */
  #machine: Machine | null = null;
  #base = 0;
  #length = 0;

  /** `from`: the position that lines and columns are counted from. */
  constructor(input: InputSource, from = 0) {
    this.#input = input;
    this.#lines = this.#linesFrom(from);
  }

  /** From now on lines and columns are counted from this position. */
  countFrom(position: number): void {
    this.#lines = this.#linesFrom(position);
  }

  #linesFrom(from: number): Lines {
    return new Lines((first, end) => this.#window(first, end) ?? this.#read(first, end), from, this);
  }

  /** The place of a byte that was not let go. */
  at(position: number): Place {
    return this.#open.get(position) ?? (position === 0 ? START : this.#lines.at(position));
  }

  /** An open call is told long after its bytes were let go: of a pipe its place is kept. */
  readonly openCalls: OpenCalls = {
    opened: (from) => {
      if (this.#input.canReread) return;
      // What was closed before has been told by now, if it was to be told.
      for (const closed of this.#closed.splice(0)) this.#open.delete(closed);
      this.#open.set(from, this.#lines.at(from));
    },
    closed: (from) => {
      if (!this.#input.canReread) this.#closed.push(from);
    },
  };

  /** The source to look through: what it lets go is counted first. */
  over(source: Source): Source {
    return this.#input.canReread ? source : new WatchedSource(source, this);
  }

  mayRelease(before: number): number {
    if (before > 0) this.#lines.forget(before);
    this.#forgotten = Math.max(this.#forgotten, before);
    return before;
  }

  /** The bytes up to this position were let go, and its place was not kept. */
  hasForgotten(position: number): boolean {
    return position < this.#forgotten && !this.#open.has(position);
  }

  watch(machine: Machine, base: number, _: number, to: number): void {
    this.#machine = machine;
    this.#base = base;
    this.#length = to;
  }

  leave(position: number): void {
    if (position > this.#base) this.#lines.at(position);
    this.#length = 0;
  }

  lines(part: Uint8Array): number {
    const from = this.#offset(part);
    return from >= 0 ? this.#machine!.countLines(from, from + part.length) : countLineFeeds(part);
  }

  codePoints(part: Uint8Array): number {
    const from = this.#offset(part);
    const to = from + part.length;
    const isCounted = from >= 0 && this.#machine!.invalidUtf8(from, to) < 0;
    return isCounted ? this.#machine!.countCharacters(from, to) : codePointsIn(part);
  }

  /** Where a part lies in the window; negative: elsewhere. */
  #offset(part: Uint8Array): number {
    if (this.#machine === null || part.buffer !== this.#machine.source.buffer) return -1;
    return part.byteOffset - this.#machine.source.byteOffset;
  }

  #window(from: number, to: number): Uint8Array | null {
    if (from < this.#base || to > this.#base + this.#length) return null;
    return this.#machine!.source.subarray(from - this.#base, to - this.#base);
  }

  /** Findings may be a few bytes apart: of a file more is read than is asked for, and kept. */
  #read(from: number, to: number): Uint8Array {
    const at = from - this.#partFrom;
    if (at >= 0 && to <= this.#partTo) return this.#part.subarray(at, to - this.#partFrom);
    if (to - from > this.#part.length) this.#part = new Uint8Array(Math.max(PART, to - from));
    const most = this.#input.canReread ? this.#part.length : to - from;
    this.#partFrom = from;
    this.#partTo = from + this.#input.read(from, this.#part.subarray(0, most));
    return this.#part.subarray(0, Math.min(to, this.#partTo) - from);
  }
}

/** Places in lines that are known by their numbers, of a file: nothing is read again but the line and what is near. */
export class LinePlaces {
  readonly #input: InputSource;
  #lineFrom = -1;
  #lines: Lines | undefined;
  /** Bytes that were read last, and where they stand. Every line of a file may have a finding. */
  #part = new Uint8Array(0);
  #partFrom = 0;
  #partTo = 0;
  #held: { readonly from: number; readonly bytes: Uint8Array } | null = null;

  constructor(input: InputSource) {
    this.#input = input;
  }

  /** Bytes of the input that are not read again until others are held: those of a line for example. */
  hold(from: number, bytes: Uint8Array): void {
    this.#held = { from, bytes };
  }

  /** They are valid no longer. */
  letGo(): void {
    this.#held = null;
  }

  /** The place of a byte of line `line`, which begins at `lineFrom`. */
  at(position: number, line: number, lineFrom: number): Place {
    if (this.#lineFrom !== lineFrom) this.#lines = undefined;
    this.#lineFrom = lineFrom;
    this.#lines ??= new Lines((from, to) => this.#read(from, to), lineFrom, COUNTING);
    return { line, column: this.#lines.at(position).column };
  }

  #read(from: number, to: number): Uint8Array {
    const held = this.#held;
    if (held !== null && from >= held.from && to <= held.from + held.bytes.length) {
      return held.bytes.subarray(from - held.from, to - held.from);
    }
    if (from < this.#partFrom || to > this.#partTo) this.#fill(from, to);
    return this.#part.subarray(from - this.#partFrom, Math.min(to, this.#partTo) - this.#partFrom);
  }

  #fill(from: number, to: number): void {
    if (to - from > this.#part.length) this.#part = new Uint8Array(Math.max(PART, to - from));
    this.#partFrom = from;
    this.#partTo = from + this.#input.read(from, this.#part);
  }
}
