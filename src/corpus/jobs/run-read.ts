// One input of a run, or a part of it: its records, or the transcripts of raw text, judged and counted.

import { FROM, JSON_DEEPEST } from '../../abi.ts';
import { Lines } from '../../errors.ts';
import { wordAt } from '../../scan/record-rows.ts';
import { type Source, WatchedSource } from '../../scan/source.ts';
import type { InputSource } from '../input/source.ts';
import { type Fault, faultOf, faultyRecord } from '../records/known-bad.ts';
import { KnownBytes } from '../../model/known-bytes.ts';
import { type Layout, layoutOf } from '../records/layout.ts';
import { type CorpusRecord, type Placed, readRecords, type RecordProblem } from '../records/record.ts';
import { canJoinRows, canReadRows, ChatLines } from '../records/chat-lines.ts';
import { isRows, nextRecord, ordinalOf, type RecordRows } from '../records/rows.ts';
import { beginsWithTurn } from '../records/turns.ts';
import { type BadRecord, joinsTurnsOf, type Unit, type FileOptions } from '../records/unit.ts';
import type { LinesPart } from '../records/units.ts';
import { Statistics } from '../report/statistics.ts';
import type { RunCounts } from './job.ts';
import { countsOf, judgedRow } from './judged-rows.ts';
import type { Rows } from './run-rows.ts';
import { giveTools } from './settled-tools.ts';
import { StatisticsRows } from './statistics-rows.ts';
import type { Judge, Watcher } from './verdict-judge.ts';
import { judgedApart, type JudgedRecord, type PlaceOf, Verdict } from './verdict.ts';

export interface RunReading {
  readonly path: string;
  readonly input: InputSource;
  /** What is read of it. */
  readonly source: Source;
  readonly options: FileOptions;
  readonly judge: Judge;
  readonly rows: Rows;
  /** Of records: the lines that are read; null: it is raw text. */
  readonly part: LinesPart | null;
}

export interface RunRead {
  readonly counts: RunCounts;
  readonly statistics: Statistics;
  readonly records: number;
  readonly transcripts: number;
  readonly likeHarmony: number;
  readonly bytes: number;
}

/** Reads an input, or a part of it; stops after each record, or piece of raw text, for what was written to be taken. */
export function* readRun(reading: RunReading): Generator<void, RunRead, void> {
  const { part } = reading;
  const from = part?.from ?? 0;
  let furthest = from;
  const source = new WatchedSource(reading.source, { hasRead: (to) => void (furthest = Math.max(furthest, to)) });
  const sums = new Sums(part);
  if (part === null) yield* readRaw(reading, source, sums);
  else yield* readPart(new RecordRun(reading, source, part, sums), reading, part);
  const { counts, statistics, records, before, likeHarmony } = sums;
  const bytes = Math.min(part?.to ?? Infinity, furthest) - from;
  return { counts, statistics, records: (part?.record ?? 0) + records, transcripts: before, likeHarmony, bytes };
}

/** What is told of all that was read. */
class Sums {
  readonly counts: RunCounts = { records: 0, ok: 0, bad: 0, messages: 0, calls: 0 };
  readonly statistics = new Statistics();
  /** Transcripts before what is read next. */
  before: number;
  records = 0;
  likeHarmony = 0;

  constructor(part: LinesPart | null) {
    this.before = part === null ? 0 : part.record + part.surplus;
  }

  count({ ok, messages, calls }: Verdict): void {
    this.counts.records++;
    this.counts[ok ? 'ok' : 'bad']++;
    this.counts.messages += messages;
    this.counts.calls += calls;
  }
}

/** Hands messages on, with the number of their transcript. */
const handing = ({ judge, rows }: RunReading, sums: Sums): Watcher['message'] =>
  (visited, unit) => rows.message?.(visited, unit, sums.before + judge.transcripts);

function* readRaw(reading: RunReading, source: Source, sums: Sums): Generator<void, void, void> {
  const { path, input, options, judge, rows } = reading;
  const unit: Unit = {
    kind: 'raw', record: null, line: null, at: null, source, options, place: same, pointer: () => null,
  };
  const lines = input.canReread ? placesIn(input) : null;
  const watcher = watching(path, sums.statistics, lines, handing(reading, sums));
  yield* judge.raw(unit, lines, watcher, (verdict, transcript) => {
    sums.count(verdict);
    rows.verdict?.(verdict, transcript, null);
  });
  sums.before = judge.transcripts;
  sums.likeHarmony = judge.likeHarmony;
}

/** The records of a part: those among rows, where the options leave them to the scanner, or values. */
function* readPart(
  run: RecordRun, { judge, options, rows }: RunReading, part: LinesPart,
): Generator<void, void, void> {
  const { source, sums } = run;
  judge.context.tools.budget.restart();
  giveTools(judge.context, judge.tools);
  const isTurns = part.from === 0 && beginsWithTurn(source);
  const joinsRows = isTurns && canJoinRows(options);
  if (!canReadRows(options) || isTurns !== joinsRows) {
    const locate = (bytes: Uint8Array): number => judge.machine.checkJson(bytes, JSON_DEEPEST);
    const joinsTurns = joinsTurnsOf(options);
    const all = readRecords(source, { locate, largest: options.largestRecord, joinsTurns }, part);
    for (const record of all) yield run.take(record);
    return;
  }
  const lines = new ChatLines(judge.context, source, options, part, run.layout, {
    joinsTurns: joinsRows, writesTools: true,
  });
  const counted = new StatisticsRows(judge.context, sums.statistics);
  const takeRow = (row: RecordRows, at: number, isWritten: boolean): void => run.takeRow(lines, row, at, isWritten);
  for (const item of lines.rowsAndRecords()) {
    if (isRows(item)) {
      yield* readRows(item, counted, rows, () => sums.before, takeRow, (from, ...verdict) => {
        sums.before++;
        if (rows.messages === undefined) run.begins(from);
        run.give(...verdict);
      });
    } else {
      yield run.take(item);
    }
  }
}

/** Records of a run, judged one by one. */
class RecordRun {
  readonly source: Source;
  readonly sums: Sums;
  readonly layout: Layout;
  readonly #reading: RunReading;
  readonly #watcher: Watcher;
  readonly #silent: Watcher;
  readonly #known = new KnownBytes<Known>();

  constructor(reading: RunReading, source: Source, part: LinesPart, sums: Sums) {
    this.#reading = reading;
    this.source = source;
    this.sums = sums;
    this.layout = part.from > 0 ? 'lines' : layoutOf(source);
    this.#watcher = watching(reading.path, sums.statistics, null, handing(reading, sums));
    this.#silent = watching(reading.path, sums.statistics, null, () => {});
  }

  begins(position: number): void {
    this.#reading.rows.begins?.(this.layout === 'lines' ? position : 0);
  }

  give(verdict: Verdict, n: number, record: JudgedRecord): void {
    this.sums.records++;
    this.sums.count(verdict);
    this.#reading.rows.verdict?.(verdict, n, record);
  }

  /** `isWritten`: its messages were taken before. */
  take(read: CorpusRecord | RecordProblem, isWritten = false): void {
    const { judge, options } = this.#reading;
    if (!isWritten) this.begins(read.from);
    const record = this.#placed(read);
    this.sums.statistics.record();
    const verdict = judge.record(record, options, isWritten ? this.#silent : this.#watcher);
    this.sums.before += judge.transcripts;
    this.sums.likeHarmony += judge.likeHarmony;
    this.give(verdict, record.number, judgedApart(record));
  }

  /** The record of a row; what was wrong with a short one is known when its bytes come again. */
  takeRow(lines: ChatLines, row: RecordRows, at: number, isWritten: boolean): void {
    const { judge } = this.#reading;
    const bytes = lines.bytesOf(row, at);
    const old = this.#known.get(bytes);
    if (old === undefined) {
      const record = lines.record(row, at);
      this.take(record, isWritten);
      const { onlyBad } = judge;
      if (onlyBad !== null && KnownBytes.fits(bytes.length)) this.#known.keep(bytes, knownOf(onlyBad, record));
      return;
    }
    this.sums.statistics.record();
    const place = lines.placeOf(row, at);
    if (!isWritten) this.begins(place.from);
    const verdict = judge.bad(faultyRecord(this.#placed(place), old.fault), this.#watcher);
    this.give(verdict, place.number, { ...old.judged, line: place.line });
  }

  /** A row of a table has no bytes of its own in the file: positions are those in the row. */
  #placed<T extends Placed & Partial<RecordProblem>>(one: T): T {
    return this.#reading.options.positions === 'field' ? inRow(one) : one;
  }
}

/** What is told of short records that are bad, and alike. */
interface Known {
  readonly fault: Fault;
  readonly judged: Omit<JudgedRecord, 'line'>;
}

/** Keeps nothing of the record's own memory. */
function knownOf(bad: BadRecord, record: CorpusRecord | RecordProblem): Known {
  const own = judgedApart(record);
  const [id, text] = [own.id(), own.text()];
  return { fault: faultOf(record, bad), judged: { id: () => id, text: () => text } };
}

/**
 * Records that were scanned together: those of which nothing is to be told by their rows, the others as values. Their
 * messages are taken first, as far as rows say them; `before`: transcripts before the record at hand.
 */
function* readRows(
  rows: RecordRows, counted: StatisticsRows, out: Rows, before: () => number,
  take: (rows: RecordRows, row: number, isWritten: boolean) => void,
  give: (from: number, verdict: Verdict, n: number, record: JudgedRecord) => void,
): Generator<void, void, void> {
  const areTaken = out.messages !== undefined;
  /** Of records before it the messages were taken. */
  let taken = areTaken ? 0 : rows.to;
  for (let record = 0; record < rows.to; ) {
    const first = record;
    if (taken <= first) {
      taken = out.messages!(rows, first, before());
      const isFull = out.isFull === true;
      yield;
      if (taken === first && isFull) continue;
    }
    const next = taken > first ? counted.take(rows, first, taken) : first;
    for (; record < next; record = nextRecord(rows, record)) {
      const { messages, calls } = countsOf(rows, record);
      const from = rows.base + wordAt(rows.machine.rows, record, FROM);
      give(from, Verdict.clean(messages, calls), rows.record + ordinalOf(rows, record), judgedRow(rows, record));
    }
    yield;
    if (next === rows.to) return;
    // The messages of what stands there are taken next.
    if (next === taken && next > first) continue;
    take(rows, next, areTaken && next < taken);
    record = nextRecord(rows, next);
  }
}

const same = (offset: number): number => offset;

/** Counts what goes by, and hands messages on. */
function watching(path: string, statistics: Statistics, lines: PlaceOf | null, hand: Watcher['message']): Watcher {
  return {
    message: (visited, unit) => {
      statistics.message(visited.message, visited.transcript, visited.source);
      hand!(visited, unit);
    },
    diagnostic: (diagnostic, { record, line, place }) => statistics.diagnostic(diagnostic, {
      path,
      record,
      from: place(diagnostic.from),
      place: () => lines?.(diagnostic.from) ?? { line, column: null },
    }),
    end: (transcript, messages, to, { kind, options }) => {
      statistics.isChat = kind === 'chat';
      statistics.unread(options.writtenCalls?.size ?? 0);
      statistics.transcriptEnd(transcript, messages, to);
    },
    bad: ({ rule, message, from }, { record, line }) => {
      statistics.badRecord(rule, message, { path, record, from, place: () => ({ line, column: null }) });
    },
  };
}

function placesIn(input: InputSource): PlaceOf {
  let part = new Uint8Array(64 * 1024);
  const lines = new Lines((from, to) => {
    if (to - from > part.length) part = new Uint8Array(to - from);
    return part.subarray(0, input.read(from, part.subarray(0, to - from)));
  });
  return (position) => lines.at(position);
}

/** Positions in the input as those in the row. */
function inRow<T extends Placed & Partial<RecordProblem>>(one: T): T {
  const { from, to, at } = one;
  const placed = { ...one, from: 0, to: to - from };
  return at == null ? placed : { ...placed, at: at - from };
}
