// Lines of an input, or of a part of one: every one, blank and overlong ones too, in memory that a line's limit bounds.

import type { Source } from '../../scan/source.ts';
import type { LineRange } from '../records/window.ts';
import type { Verdict } from './verdict.ts';

export interface Line {
  /** From 0. */
  readonly number: number;
  /** Position in the input. */
  readonly from: number;
  /** Without the LF; valid until the next line is asked for. Of an overlong line nothing. */
  readonly bytes: Buffer;
  /** An LF ended it: only the last line may lack it. */
  readonly isEnded: boolean;
  /** It has more bytes than are kept. */
  readonly isTooLong: boolean;
  /** Bytes without the LF. */
  readonly size: number;
  /** What was told of it before it came. */
  readonly judged?: JudgedLine | undefined;
}

/** The verdict on the record of a line. */
export interface JudgedLine {
  readonly verdict: Verdict;
  /** Its id as JSON; null: it has none that is text or a number. */
  id(): string | null;
}

/** What comes out of lines, in order: null before each read, which may wait for long; bytes that go out as they are. */
export type LineItem = Line | Uint8Array | null;

export interface LineOptions {
  /** Bytes of a line that are kept. */
  readonly largest: number;
  /** Which lines; a part ends with a line. */
  readonly range?: LineRange;
  /** Overlong lines are given as bytes, with their LF, before each of them comes as a line. */
  readonly givesLong?: boolean;
}

export const EVERY_LINE: LineRange = { from: 0, to: Infinity, record: 0, line: 1 };

/**
 * Bytes of a line that are kept when nobody says how many, and at most: with what is made of it, it must fit into one
 * text.
 */
export const LARGEST_LINE = 64 * 1024 * 1024;
export const MOST_LINE_BYTES = 128 * 1024 * 1024;
/** Characters of the messages of one line, with which it still is one text. */
export const LARGEST_LIST = 128 * 1024 * 1024;

const CHUNK = 256 * 1024;
const LF = 0x0a;
const NO_BYTES = Buffer.alloc(0);

/** The lines of a source, in order. */
export function* everyLine(
  source: Source, { largest, range = EVERY_LINE, givesLong = false }: LineOptions,
): Generator<LineItem, void, void> {
  let buffer = Buffer.allocUnsafe(CHUNK);
  // Bytes [start, length) of the buffer are the line at hand; up to `seen` there is no LF.
  let [start, seen, length] = [0, 0, 0];
  // Of the line at hand `dropped` bytes were let go.
  let [position, number, dropped] = [range.from, range.line - 1, 0];
  const take = (to: number, isEnded: boolean): Line => {
    const isTooLong = dropped > 0 || to - start > largest;
    const line = {
      number: number++,
      from: position - length + start - dropped,
      bytes: isTooLong ? NO_BYTES : buffer.subarray(start, to),
      isEnded,
      isTooLong,
      size: dropped + to - start,
    };
    dropped = 0;
    return line;
  };
  while (true) {
    for (let lf = find(buffer, seen, length); lf >= 0; lf = find(buffer, seen, length)) {
      if (givesLong && (dropped > 0 || lf - start > largest)) yield buffer.subarray(start, lf + 1);
      yield take(lf, true);
      start = seen = lf + 1;
    }
    seen = length;
    if (length > start && (length - start > largest || dropped > 0)) {
      if (givesLong) yield buffer.subarray(start, length);
      dropped += length - start;
      start = length;
    }
    const rest = length - start;
    // After a long line the room for it is given back.
    if (start > 0 && buffer.length > CHUNK && rest < CHUNK / 2) {
      const small = Buffer.allocUnsafe(CHUNK);
      buffer.copy(small, 0, start, length);
      buffer = small;
    } else if (start > 0) buffer.copyWithin(0, start, length);
    [start, seen, length] = [0, rest, rest];
    if (length === buffer.length) {
      const grown = Buffer.allocUnsafe(2 * length);
      buffer.copy(grown, 0, 0, length);
      buffer = grown;
    }
    if (position >= range.to) break;
    yield null;
    const read = source.read(position, buffer.subarray(length, length + range.to - position));
    if (read === 0) break;
    position += read;
    source.release(position);
    length += read;
  }
  if (length > 0 || dropped > 0) yield take(length, false);
}

function find(buffer: Buffer, from: number, to: number): number {
  const at = buffer.subarray(from, to).indexOf(LF);
  return at < 0 ? -1 : from + at;
}
