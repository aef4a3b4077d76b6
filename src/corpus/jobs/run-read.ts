// One input of a run, or a part of it: its records, or the transcripts of raw text, judged and counted.

import { FROM, JSON_DEEPEST } from '../../abi.ts';
import { Lines } from '../../errors.ts';
import { wordAt } from '../../scan/record-rows.ts';
import { type Source, WatchedSource } from '../../scan/source.ts';
import type { InputSource } from '../input/source.ts';
import { type Fault, faultOf, faultyRecord } from '../records/known-bad.ts';
import { KnownBytes } from '../../model/known-bytes.ts';
import { layoutOf } from '../records/layout.ts';
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
export function* readRun({ path, input, source: given, options, judge, rows, part }: RunReading): Generator<
  void, RunRead, void
> {
  const counts: RunCounts = { records: 0, ok: 0, bad: 0, messages: 0, calls: 0 };
  const statistics = new Statistics();
  let [records, likeHarmony] = [0, 0];
  let before = part === null ? 0 : part.record + part.surplus;
  const hand: Watcher['message'] = (visited, unit) => rows.message?.(visited, unit, before + judge.transcripts);
  const count = ({ ok, messages, calls }: Verdict): void => {
    counts.records++;
    counts[ok ? 'ok' : 'bad']++;
    counts.messages += messages;
    counts.calls += calls;
  };
  const from = part?.from ?? 0;
  let furthest = from;
  const source = new WatchedSource(given, { hasRead: (to) => void (furthest = Math.max(furthest, to)) });
  if (part !== null) {
    judge.context.tools.budget.restart();
    const watcher = watching(path, statistics, null, hand);
    const silent = watching(path, statistics, null, () => {});
    const give = (verdict: Verdict, n: number, record: JudgedRecord): void => {
      records++;
      count(verdict);
      rows.verdict?.(verdict, n, record);
    };
    const layout = part.from > 0 ? 'lines' : layoutOf(source);
    // A row of a table has no bytes of its own in the file: positions are those in the row.
    const isTable = options.positions === 'field';
    const placed = <T extends Placed & Partial<RecordProblem>>(one: T): T => (isTable ? inRow(one) : one);
    const begins = (position: number): void => rows.begins?.(layout === 'lines' ? position : 0);
    /** `isWritten`: its messages were taken before. */
    const take = (read: CorpusRecord | RecordProblem, isWritten = false): void => {
      if (!isWritten) begins(read.from);
      const record = placed(read);
      statistics.record();
      const verdict = judge.record(record, options, isWritten ? silent : watcher);
      before += judge.transcripts;
      likeHarmony += judge.likeHarmony;
      give(verdict, record.number, judgedApart(record));
    };
    giveTools(judge.context, judge.tools);
    const isTurns = part.from === 0 && beginsWithTurn(source);
    const joinsRows = isTurns && canJoinRows(options);
    if (canReadRows(options) && isTurns === joinsRows) {
      const lines = new ChatLines(judge.context, source, options, part, layout, {
        joinsTurns: joinsRows, writesTools: true,
      });
      const counted = new StatisticsRows(judge.context, statistics);
      const known = new KnownBytes<Known>();
      const takeRow = (row: RecordRows, at: number, isWritten: boolean): void => {
        const bytes = lines.bytesOf(row, at);
        const old = known.get(bytes);
        if (old === undefined) {
          const record = lines.record(row, at);
          take(record, isWritten);
          const { onlyBad } = judge;
          if (onlyBad !== null && KnownBytes.fits(bytes.length)) known.keep(bytes, knownOf(onlyBad, record));
          return;
        }
        statistics.record();
        const place = lines.placeOf(row, at);
        if (!isWritten) begins(place.from);
        const verdict = judge.bad(faultyRecord(placed(place), old.fault), watcher);
        give(verdict, place.number, { ...old.judged, line: place.line });
      };
      for (const item of lines.rowsAndRecords()) {
        if (isRows(item)) {
          yield* readRows(item, counted, rows, () => before, takeRow, (from, ...verdict) => {
            before++;
            if (rows.messages === undefined) begins(from);
            give(...verdict);
          });
        } else {
          yield take(item);
        }
      }
    } else {
      const locate = (bytes: Uint8Array): number => judge.machine.checkJson(bytes, JSON_DEEPEST);
      const joinsTurns = joinsTurnsOf(options);
      const all = readRecords(source, { locate, largest: options.largestRecord, joinsTurns }, part);
      for (const record of all) yield take(record);
    }
  } else {
    const unit: Unit = {
      kind: 'raw', record: null, line: null, at: null, source, options, place: same, pointer: () => null,
    };
    const lines = input.canReread ? placesIn(input) : null;
    const watcher = watching(path, statistics, lines, hand);
    yield* judge.raw(unit, lines, watcher, (verdict, transcript) => {
      count(verdict);
      rows.verdict?.(verdict, transcript, null);
    });
    ({ transcripts: before, likeHarmony } = judge);
  }
  const bytes = Math.min(part?.to ?? Infinity, furthest) - from;
  return { counts, statistics, records: (part?.record ?? 0) + records, transcripts: before, likeHarmony, bytes };
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
