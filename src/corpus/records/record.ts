// Records of a corpus: the values of JSON lines, of one JSON list that is the whole file, or one after the other over
// many lines. Of any size, in constant memory; whatever is wrong with a record is told in its place, and the next one
// is read.

import { isUtf8 } from 'node:buffer';
import { type Source, WatchedSource } from '../../scan/source.ts';
import { isBlank, isBlankByte } from '../../model/bytes.ts';
import { KnownBytes } from '../../model/known-bytes.ts';
import { crowdOf } from './crowded.ts';
import { type Cause, causeOf, invalidUtf8At, UNKNOWN } from './json-cause.ts';
import { isMarked, LF, MARK } from './json-bytes.ts';
import type { ValuesPlace } from './framing.ts';
import { type Layout, layoutOf } from './layout.ts';
import type { CorpusRecord, Placed, RecordProblem } from './record-types.ts';
import { CHUNK, RecordWindow } from './record-window.ts';
import { beginsWithTurn, TurnRun, withTurnsJoined } from './turns.ts';
import { afterList, listed, type ValueSpan, valuesOf } from './values.ts';
import type { LineRange } from './window.ts';

export type { CorpusRecord, Placed, RecordProblem } from './record-types.ts';

export interface RecordOptions {
  /** Bytes of one record that are still read. 64 MiB by default. */
  readonly largest?: number | undefined;
  /** Finds the first byte at which bytes are no JSON; null: unknown. */
  readonly locate?: ((bytes: Uint8Array) => number | null) | undefined;
  /** An input that begins with a turn: those that follow each other are one record, their list. */
  readonly joinsTurns?: boolean | undefined;
}

const EVERY_LINE: LineRange = { from: 0, to: Infinity, record: 0, line: 1 };

export const LARGEST = 64 * 1024 * 1024;

/** The records of a source, or of a part of its lines, in order. Never throws on data. */
export function readRecords(
  source: Source, options: RecordOptions = {}, range: LineRange = EVERY_LINE,
): Generator<CorpusRecord | RecordProblem, void, void> {
  const joins = options.joinsTurns === true && range.from === 0 && beginsWithTurn(source);
  if (!joins) return everyRecord(source, options, range);
  const run = new TurnRun(options.largest ?? LARGEST);
  return withTurnsJoined(everyRecord(turnsHeld(source, run), options, range), run);
}

/** A source whose bytes stay as long as turns among them are to be looked into: lines and columns are counted then. */
export const turnsHeld = (source: Source, run: TurnRun): Source =>
  new WatchedSource(source, { mayRelease: (before) => Math.min(before, run.keptFrom) });

function everyRecord(
  source: Source, options: RecordOptions, { from, to, record, line: first }: LineRange,
): Generator<CorpusRecord | RecordProblem, void, void> {
  const layout = from === 0 ? layoutOf(source) : 'lines';
  const input = new RecordWindow(source, options.largest ?? LARGEST, from);
  if (from === 0) input.skip(input.has(2) && isMarked(input.bytes) ? MARK.length : 0);
  let at = 0;
  let line = first;
  // Blanks in front of a line's first value belong to the line.
  let lineAt = 0;
  while (record === 0 && input.has(at) && isBlankByte(input.bytes[at])) {
    if (input.bytes[at++] === LF) {
      line++;
      lineAt = at;
    }
    if (at === CHUNK) {
      at -= input.skip(at);
      lineAt = 0;
    }
  }
  if (layout === 'lines') {
    input.skip(lineAt);
    return lines(input, { to, record, line }, options);
  }
  const isList = layout === 'list';
  input.skip(isList ? at + 1 : at);
  return valueRecords(isList ? listed(input, line) : valuesOf(input, line), 0, options);
}

/** Where the records of an input go on; of a source without lines the `state` of its values. */
export type RecordsRest = LineRange & Partial<ValuesPlace>;

/** The records of a source from a place on. */
export function restOfRecords(
  source: Source, layout: Layout, options: RecordOptions, rest: RecordsRest,
): Generator<CorpusRecord | RecordProblem, void, void> {
  if (layout === 'lines') return readRecords(source, options, rest);
  const { from, line, record, state } = rest;
  const input = new RecordWindow(source, options.largest ?? LARGEST, from);
  const spans = layout === 'values' ? valuesOf(input, line)
    : state === 'after' ? afterList(input, 0, line) : listed(input, line, state === 'first');
  return valueRecords(spans, record, options);
}

function* valueRecords(
  spans: Iterable<ValueSpan>, first: number, options: RecordOptions,
): Generator<CorpusRecord | RecordProblem, void, void> {
  let number = first;
  for (const { line, from, to, bytes, problem } of spans) {
    const placed = { number: number++, line, from, to };
    if (problem !== undefined) yield problemOf(placed, problem.problem, problem.remedy, problem.at);
    else if (bytes === null) yield tooLarge(placed);
    else yield recordOf(bytes, placed, options)!;
  }
}

function* lines(
  input: RecordWindow,
  { to: end, record, line: first }: Omit<LineRange, 'from'>,
  options: RecordOptions,
): Generator<CorpusRecord | RecordProblem, void, void> {
  const knownBad = new KnownBytes<RecordProblem>();
  let number = record;
  let line = first;
  // The line at hand begins at `start`; up to `seen` it has no end. Bytes of a line that is too large are let go.
  let start = 0;
  let seen = 0;
  let dropped = 0;
  let read = input.bytes.subarray(0, input.length);
  while (input.base + start - dropped < end) {
    // There may be millions of lines without a byte.
    if (seen === start && dropped === 0 && start < input.length && read[start] === LF) {
      start = ++seen;
      line++;
      continue;
    }
    const lf = read.indexOf(LF, seen);
    if (lf < 0) {
      seen = input.length;
      if (dropped > 0 || input.isTooLarge(seen - start)) {
        dropped += seen - start;
        start = seen;
      }
      seen -= start;
      input.skip(start);
      start = 0;
      const isMore = input.more();
      read = input.bytes.subarray(0, input.length);
      if (isMore) continue;
    }
    const to = lf < 0 ? input.length : lf;
    const place = { number, line, from: input.base + start - dropped, to: input.base + to };
    const known = dropped > 0 ? undefined : knownBad.get(read, start, to);
    const record = known !== undefined ? movedTo(known, place)
      : dropped > 0 || input.isTooLarge(to - start) ? tooLarge(place)
      : recordOf(read.subarray(start, to), place, options);
    if (record !== null) {
      number++;
      if (known === undefined && 'problem' in record) knownBad.keep(read.subarray(start, to), record);
      yield record;
    }
    if (lf < 0) return;
    start = seen = lf + 1;
    dropped = 0;
    line++;
  }
}

/** What was wrong with the same bytes at another place. */
function movedTo({ problem, remedy, from, at }: RecordProblem, place: Placed): RecordProblem {
  return problemOf(place, problem, remedy, at === null ? null : at - from + place.from);
}

/** What is wrong with a record. Field by field: an input may hold millions, and a spread costs as much as the rest. */
export function problemOf(
  { number, line, from, to }: Placed, problem: string, remedy: string, at: number | null = null,
): RecordProblem {
  return { number, line, from, to, problem, remedy, at };
}

export function tooLarge(place: Placed): RecordProblem {
  return problemOf(place, 'the record is too large', 'split it');
}

/** Null: there is nothing but white space. */
export function recordOf(bytes: Buffer, place: Placed, { locate }: RecordOptions): CorpusRecord | RecordProblem | null {
  const { number, line, from, to } = place;
  if (!isUtf8(bytes)) return notUtf8(bytes, place);
  const crowd = crowdOf(bytes);
  if (crowd !== null) return problemOf(place, `it holds ${crowd}`, 'split it');
  const found = locate === undefined ? -1 : surelyWrong(bytes, locate);
  if (found >= 0) return notJson(bytes, place, found, locate);
  const text = bytes.toString('utf8');
  try {
    const value = JSON.parse(text) as unknown;
    return { number, line, from, to, value, bytes };
  } catch {
    return notJson(bytes, place, locate?.(bytes) ?? null, locate);
  }
}

type Locate = RecordOptions['locate'];

/** `found`: the first byte at which it is none; null: unknown. Null: there is nothing but white space. */
export function notJson(
  bytes: Uint8Array, place: Placed, found: number | null, locate: Locate,
): RecordProblem | null {
  if (isBlank(bytes, 0, bytes.length)) return null;
  // Only the scanner's answer can be looked at: the engine's parser tells no place.
  const isKnown = found !== null && found >= 0 && locate !== undefined;
  const cause: Cause = isKnown ? causeOf(bytes, found, (part) => locate(part)! < 0) : UNKNOWN;
  return problemOf(place, cause.problem, cause.remedy, isKnown ? place.from + found : null);
}

/** Bytes that are no UTF-8. */
export function notUtf8(bytes: Uint8Array, place: Placed): RecordProblem {
  return problemOf(place, 'it is not valid UTF-8', 'write it as UTF-8', place.from + invalidUtf8At(bytes));
}

/** Bytes of a line for which an error of the engine's parser costs more than looking before. */
const SHORT = 256;

/** Where a short line, which nests no deeper than `locate` looks, is no JSON; negative: nobody knows. */
export function surelyWrong(bytes: Uint8Array, locate: (bytes: Uint8Array) => number | null): number {
  return bytes.length < SHORT ? locate(bytes) ?? -1 : -1;
}
