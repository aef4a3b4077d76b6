// Where the values of an input begin and end that are not one a line: those of one list, and those that follow each
// other.

import { isBlank, isBlankByte } from '../../model/bytes.ts';
import {
  BACKSLASH, CLOSE_LIST, CLOSE_OBJECT, COMMA, LF, looksWide, OPEN_LIST, OPEN_OBJECT, QUOTE, SEPARATOR,
} from './json-bytes.ts';
import { WIDE } from './json-cause.ts';
import { WIDEST } from './layout.ts';
import { CHUNK, type RecordWindow } from './record-window.ts';

/** The bytes of a value, or what stands where one should. */
export interface ValueSpan {
  /** Line of its first byte. */
  readonly line: number;
  /** Bytes in the input, half open. */
  readonly from: number;
  readonly to: number;
  /** Valid until the next one is asked for; null: too large to be kept. */
  readonly bytes: Buffer | null;
  readonly problem?: { readonly problem: string; readonly remedy: string; readonly at: number | null };
}

type Spans = Generator<ValueSpan, void, void>;

/**
 * The values of a list that is the whole input: what stands between its commas. `beginsList`: the window begins behind
 * the bracket, not behind a comma.
 */
export function* listed(input: RecordWindow, firstLine: number, beginsList = true): Spans {
  let isFirst = beginsList;
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
      const from = input.base + start - dropped;
      const to = input.base + at;
      const isEmpty = dropped === 0 && isBlank(input.bytes, start, at);
      if (!isEmpty) {
        const isKept = dropped === 0 && !input.isTooLarge(at - start);
        yield { line: startLine, from, to, bytes: isKept ? input.bytes.subarray(start, at) : null };
      } else if (byte === COMMA || !isFirst) {
        yield problemAt({ line: startLine, from, to }, from, 'a value is missing in the list', 'remove the comma');
      }
      isFirst = false;
      start = at + 1;
      dropped = 0;
      startLine = line;
      if (byte === CLOSE_LIST) {
        yield* afterList(input, start, line);
        return;
      }
    } else if (isBlankByte(byte) && start === at) {
      start++;
      startLine = line;
    }
  }
  const place = { line: startLine, from: input.base - dropped, to: input.base + input.length };
  yield problemAt(place, place.to, 'the list is not ended', 'complete the file');
}

type Place = Pick<ValueSpan, 'line' | 'from' | 'to'>;

const problemAt = (place: Place, at: number | null, problem: string, remedy: string): ValueSpan => ({
  ...place, bytes: null, problem: { problem, remedy, at },
});

/** What stands behind a list: nothing should. */
export function* afterList(input: RecordWindow, start: number, firstLine: number): Spans {
  let line = firstLine;
  for (let at = start; input.has(at); at++) {
    const byte = input.bytes[at];
    if (byte === LF) line++;
    if (!isBlankByte(byte)) {
      const from = input.base + at;
      const remedy = 'give one list, or one object a line';
      yield problemAt({ line, from, to: from + 1 }, from, 'something follows the list', remedy);
      // All bytes count as read, whatever the size of reads.
      do input.skip(input.length);
      while (input.more());
      return;
    }
    if (at >= CHUNK) at -= input.skip(at);
  }
}

/** An input that is no UTF-8 at all is one broken value (R-UTF16). */
function wide(input: RecordWindow, line: number): ValueSpan {
  do input.skip(input.length);
  while (input.more());
  const place = { line, from: 0, to: input.base + input.length };
  return problemAt(place, null, WIDE.problem, WIDE.remedy);
}

/**
 * The values that follow each other, with white space or separators between them, or nothing. One that is not ended
 * goes on to the next separator or the end; what begins as neither object nor list goes on to the line's end.
 */
export function* valuesOf(input: RecordWindow, firstLine: number): Spans {
  if (input.base === 0 && input.has(WIDEST - 1) && looksWide(input.bytes)) {
    yield wide(input, firstLine);
    return;
  }
  let line = firstLine;
  let startLine = line;
  /** The value at hand begins at `start`; -1: there is none. */
  let start = -1;
  let dropped = 0;
  let depth = 0;
  let isString = false;
  let isContainer = false;
  let at = 0;
  const take = (to: number): ValueSpan => {
    const from = input.base + start - dropped;
    const isKept = dropped === 0 && !input.isTooLarge(to - start);
    const bytes = isKept ? input.bytes.subarray(start, to) : null;
    start = -1;
    dropped = depth = 0;
    isString = false;
    return { line: startLine, from, to: input.base + to, bytes };
  };
  for (; ; at++) {
    if (at === input.length) {
      if (start >= 0 && (dropped > 0 || input.isTooLarge(at - start))) {
        dropped += at - start;
        start = at;
      }
      const free = start < 0 ? at : start;
      at -= input.skip(free);
      if (start >= 0) start = 0;
      if (!input.more()) break;
    }
    const byte = input.bytes[at]!;
    if (start < 0) {
      if (byte === LF) line++;
      if (isBlankByte(byte) || byte === SEPARATOR) continue;
      start = at;
      startLine = line;
      isContainer = byte === OPEN_OBJECT || byte === OPEN_LIST;
    }
    if (byte === SEPARATOR) yield take(at);
    else if (byte === LF) {
      // No string goes on in the next line: whatever is wrong ends there.
      isString = false;
      if (!isContainer) yield take(at);
      line++;
    } else if (isString) {
      if (byte === BACKSLASH && input.has(at + 1) && input.bytes[at + 1] !== LF) at++;
      else isString = byte !== QUOTE;
    } else if (byte === QUOTE) isString = true;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth++;
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      if (isContainer && --depth === 0) yield take(at + 1);
    }
  }
  if (start >= 0) yield take(input.length);
}
