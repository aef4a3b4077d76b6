// Records of a corpus: the values of JSON lines, or of one JSON list that is the whole file. Of any size, in constant
// memory; whatever is wrong with a record is told in its place, and the next one is read.

import { isUtf8 } from 'node:buffer';
import type { Source } from '../../scan/source.ts';
import { isRounded } from './exact.ts';
import type { LineRange } from './window.ts';

/** Where a record stands. */
export interface Placed {
  /** From 0, in the input; a record that cannot be read counts. */
  readonly number: number;
  /** Line of its first byte, from 1. */
  readonly line: number;
  /** Bytes in the input, half open. */
  readonly from: number;
  readonly to: number;
}

export interface CorpusRecord extends Placed {
  readonly value: unknown;
  /** Its text; valid until the next record is asked for. */
  readonly bytes: Uint8Array;
  /** A number in it is not the one that is written: a double does not hold it. */
  readonly isRounded: boolean;
}

/** A record that cannot be read. */
export interface RecordProblem extends Placed {
  /** What is wrong and what to do; hold nothing of the record. */
  readonly problem: string;
  readonly remedy: string;
  /** Byte position in the input where it goes wrong, when that is known. */
  readonly at: number | null;
}

export interface RecordOptions {
  /** Bytes of one record that are still read. 64 MiB by default. */
  readonly largest?: number | undefined;
  /** Finds the first byte at which bytes are no JSON; null: unknown. */
  readonly locate?: ((bytes: Uint8Array) => number | null) | undefined;
}

const EVERY_LINE: LineRange = { from: 0, to: Infinity, record: 0, line: 1 };

export const LARGEST = 64 * 1024 * 1024;
const CHUNK = 256 * 1024;
const LF = 0x0a;
const COMMA = 0x2c;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

export const isBlank = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === LF || byte === 0x0d || byte === 0x09;

/** The records of a source, or of a part of its lines, in order. Never throws on data. */
export function* readRecords(
  source: Source,
  options: RecordOptions = {},
  { from, to, record, line: first }: LineRange = EVERY_LINE,
): Generator<CorpusRecord | RecordProblem, void, void> {
  const asList = from === 0 && isList(source);
  const input = new Window(source, options.largest ?? LARGEST, from);
  if (from === 0) input.skip(input.has(2) && MARK.every((byte, i) => input.bytes[i] === byte) ? 3 : 0);
  let at = 0;
  let line = first;
  while (record === 0 && input.has(at) && isBlank(input.bytes[at])) {
    if (input.bytes[at++] === LF) line++;
    if (at === CHUNK) at -= input.skip(at);
  }
  input.skip(asList ? at + 1 : at);
  yield* asList ? listed(input, line, options) : lines(input, { to, record, line }, options);
}

/** Whether an input is one JSON list, not lines: its first byte that is not white space tells. */
export function isList(source: Source): boolean {
  const part = new Uint8Array(PEEK);
  for (let at = 0; ; ) {
    const read = source.read(at, part);
    for (let i = 0; i < read; i++) {
      const isMark = at + i < 3 && part[i] === MARK[at + i];
      if (!isMark && !isBlank(part[i])) return part[i] === OPEN_LIST;
    }
    if (read === 0 || at > MOST_BLANK) return false;
    at += read;
  }
}

/** Blank bytes before a list that are still looked through. */
const MOST_BLANK = 1024 * 1024;
const PEEK = 4096;
/** The byte order mark. */
const MARK = [0xef, 0xbb, 0xbf];

/** A part of the input: bytes [base, base + length). Grows while a record needs it. */
class Window {
  readonly #source: Source;
  readonly #largest: number;
  bytes: Buffer = Buffer.allocUnsafe(CHUNK);
  base: number;
  length = 0;
  #ended = false;

  /** From a position on. */
  constructor(source: Source, largest: number, from: number) {
    this.#source = source;
    this.#largest = largest;
    this.base = from;
  }

  /** The byte at an index is there, or comes. */
  has(index: number): boolean {
    while (index >= this.length) if (!this.more()) return false;
    return true;
  }

  /** Lets go of the first bytes. Answers how many. */
  skip(count: number): number {
    this.bytes.copyWithin(0, count, this.length);
    this.base += count;
    this.length -= count;
    return count;
  }

  /** Whether a record of so many bytes is too large. */
  isTooLarge(bytes: number): boolean {
    return bytes > this.#largest;
  }

  /** Reads on; false at the end. */
  more(): boolean {
    if (this.#ended) return false;
    if (this.length === this.bytes.length) {
      const grown = Buffer.allocUnsafe(2 * this.length);
      this.bytes.copy(grown, 0, 0, this.length);
      this.bytes = grown;
    }
    const read = this.#source.read(this.base + this.length, this.bytes.subarray(this.length));
    this.length += read;
    this.#source.release(this.base);
    this.#ended = read === 0 || this.base + this.length === this.#source.end;
    return read > 0;
  }
}

function* lines(
  input: Window,
  { to: end, record, line: first }: Omit<LineRange, 'from'>,
  options: RecordOptions,
): Generator<CorpusRecord | RecordProblem, void, void> {
  let number = record;
  let line = first;
  // The line at hand begins at `start`; up to `seen` it has no end. Bytes of a line that is too large are let go.
  let start = 0;
  let seen = 0;
  let dropped = 0;
  while (input.base + start - dropped < end) {
    const lf = input.bytes.subarray(0, input.length).indexOf(LF, seen);
    if (lf < 0) {
      seen = input.length;
      if (dropped > 0 || input.isTooLarge(seen - start)) {
        dropped += seen - start;
        start = seen;
      }
      seen -= start;
      input.skip(start);
      start = 0;
      if (input.more()) continue;
    }
    const to = lf < 0 ? input.length : lf;
    const place = { number, line, from: input.base + start - dropped, to: input.base + to };
    const record =
      dropped > 0 || input.isTooLarge(to - start)
        ? tooLarge(place)
        : recordOf(input.bytes.subarray(start, to), place, options);
    if (record !== null) {
      number++;
      yield record;
    }
    if (lf < 0) return;
    start = seen = lf + 1;
    dropped = 0;
    line++;
  }
}

export function tooLarge(place: Placed): RecordProblem {
  return { ...place, problem: 'the record is too large', remedy: 'split it', at: null };
}

/** Null: there is nothing but white space. */
export function recordOf(bytes: Buffer, place: Placed, { locate }: RecordOptions): CorpusRecord | RecordProblem | null {
  if (!isUtf8(bytes)) return { ...place, problem: 'it is not valid UTF-8', remedy: 'write it as UTF-8', at: null };
  const text = bytes.toString('utf8');
  try {
    return { ...place, value: JSON.parse(text) as unknown, bytes, isRounded: isRounded(text) };
  } catch {
    if (bytes.every(isBlank)) return null;
    const found = locate?.(bytes) ?? null;
    return {
      ...place,
      problem: 'it is no JSON',
      remedy: 'give one JSON object a line, or one list',
      at: found === null ? null : place.from + found,
    };
  }
}

/** The values of a list that is the whole input: what stands between its commas. */
function* listed(
  input: Window,
  firstLine: number,
  options: RecordOptions,
): Generator<CorpusRecord | RecordProblem, void, void> {
  let number = 0;
  let line = firstLine;
  let start = 0;
  let at = 0;
  let dropped = 0;
  let depth = 0;
  let inString = false;
  let startLine = line;
  const letGo = (): void => {
    if (dropped > 0 || input.isTooLarge(at - start)) {
      dropped += at - start;
      start = at;
    }
    at -= input.skip(start);
    start = 0;
  };
  for (; ; at++) {
    if (at === input.length) {
      letGo();
      if (!input.more()) break;
    }
    const byte = input.bytes[at];
    if (byte === LF) line++;
    if (inString) {
      if (byte === BACKSLASH) {
        if (!input.has(at + 1)) continue;
        if (input.bytes[at + 1] !== LF) at++;
      } else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth++;
    else if (byte === CLOSE_OBJECT || (byte === CLOSE_LIST && depth > 0)) depth = Math.max(0, depth - 1);
    else if (depth === 0 && (byte === COMMA || byte === CLOSE_LIST)) {
      const place = { number, line: startLine, from: input.base + start - dropped, to: input.base + at };
      const isEmpty = dropped === 0 && input.bytes.subarray(start, at).every(isBlank);
      if (!isEmpty || byte === COMMA || number > 0) {
        number++;
        if (dropped > 0 || input.isTooLarge(at - start)) yield tooLarge(place);
        else yield recordOf(input.bytes.subarray(start, at), place, options) ?? noValue(place);
      }
      start = at + 1;
      dropped = 0;
      startLine = line;
      if (byte === CLOSE_LIST) {
        yield* afterList(input, start, number, line);
        return;
      }
    } else if (isBlank(byte) && start === at) {
      start++;
      startLine = line;
    }
  }
  const place = { number, line: startLine, from: input.base - dropped, to: input.base + input.length };
  yield { ...place, problem: 'the list is not ended', remedy: 'complete the file', at: place.to };
}

function noValue(place: Placed): RecordProblem {
  return { ...place, problem: 'a value is missing in the list', remedy: 'remove the comma', at: place.from };
}

function* afterList(input: Window, start: number, number: number, line: number): Generator<RecordProblem, void, void> {
  for (let at = start; input.has(at); at++) {
    const byte = input.bytes[at];
    if (byte === LF) line++;
    if (!isBlank(byte)) {
      const from = input.base + at;
      yield {
        number,
        line,
        from,
        to: from + 1,
        problem: 'something follows the list',
        remedy: 'give one list, or one object a line',
        at: from,
      };
      return;
    }
    if (at >= CHUNK) at -= input.skip(at);
  }
}
