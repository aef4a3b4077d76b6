// One input of a run read to its end: its records, or the transcripts of raw text, judged and counted.

import {
  CALL, FROM, JSON_DEEPEST, KIND, NEXT, RECORD_ROWS, TO, TOKEN_MASK, TOKEN_SHIFT, TOOLS_MASK, TOOLS_NONE, TOOLS_SHIFT,
} from '../../abi.ts';
import { Lines } from '../../errors.ts';
import { type Source, WatchedSource } from '../../scan/source.ts';
import type { Container } from '../input/container.ts';
import { layoutOf } from '../records/layout.ts';
import { type CorpusRecord, readRecords, type RecordProblem } from '../records/record.ts';
import {
  canBeRows, ChatLines, isRows, lineOf, nextRecord, ordinalOf, type RecordRows,
} from '../records/rows.ts';
import { beginsWithTurn } from '../records/turns.ts';
import { ALL } from '../records/units.ts';
import { wordAt } from '../../scan/record-rows.ts';
import { StatisticsRows } from '../jobs/statistics-rows.ts';
import type { Rows } from './rows.ts';
import type { RunCounts } from './sidecar.ts';
import type { InputSource } from '../input/source.ts';
import { Statistics } from '../report/statistics.ts';
import { isContainer, joinsTurnsOf, type Unit, type UnitOptions } from '../records/unit.ts';
import { judged, judgedBytes, type JudgedRecord, type PlaceOf, Verdict } from '../jobs/verdict.ts';
import type { Judge, Watcher } from '../jobs/verdict-judge.ts';

export interface ShardReading {
  readonly path: string;
  /** Throws an InputError. */
  readonly open: () => { readonly input: InputSource; readonly container: Container };
  /** The source to read instead of an input: shows progress. */
  readonly watch: (input: InputSource) => Source;
  readonly options: UnitOptions;
  readonly judge: Judge;
  readonly rows: Rows;
}

export interface ShardCounted {
  readonly counts: RunCounts;
  readonly statistics: Statistics;
}

/** Reads an input. Throws an InputError when it cannot be read. */
export function readShard({ path, open, watch, options, judge, rows }: ShardReading): ShardCounted {
  const counts: RunCounts = { records: 0, ok: 0, bad: 0, messages: 0, calls: 0 };
  const statistics = new Statistics();
  let before = 0;
  const hand: Watcher['message'] = (visited, unit) => rows.message?.(visited, unit, before);
  const count = ({ ok, messages, calls }: Verdict): void => {
    counts.records++;
    counts[ok ? 'ok' : 'bad']++;
    counts.messages += messages;
    counts.calls += calls;
  };
  const { input, container } = open();
  try {
    let bytesRead = 0;
    const source = new WatchedSource(watch(input), { hasRead: (to) => void (bytesRead = Math.max(bytesRead, to)) });
    if (isContainer(path, source, options)) {
      const watcher = watching(path, statistics, null, hand);
      // Rows of Parquet stand in no line: positions are those in the field.
      const reading: UnitOptions = container === 'parquet' ? { ...options, positions: 'field' } : options;
      const give = (verdict: Verdict, n: number, record: JudgedRecord): void => {
        count(verdict);
        rows.verdict?.(verdict, n, record);
      };
      const take = (record: CorpusRecord | RecordProblem): void => {
        statistics.record();
        const verdict = judge.record(record, reading, watcher);
        before += judge.transcripts;
        give(verdict, record.number, judged(record));
      };
      // Messages are views, and tools that the caller knows are for views.
      const areRows = rows.message === undefined && judge.tools.length === 0 && canBeRows(reading);
      if (areRows && !beginsWithTurn(source)) {
        const lines = new ChatLines(judge.kit, source, reading, ALL, layoutOf(source));
        const counted = new StatisticsRows(judge.kit, statistics);
        for (const item of lines.rowsAndRecords()) {
          if (isRows(item)) readRows(item, lines, counted, take, give);
          else take(item);
        }
      } else {
        const locate = (bytes: Uint8Array): number => judge.machine.checkJson(bytes, JSON_DEEPEST);
        const joinsTurns = joinsTurnsOf(options);
        for (const record of readRecords(source, { locate, largest: options.largestRecord, joinsTurns })) take(record);
      }
    } else {
      const unit: Unit = { kind: 'raw', record: null, line: null, source, options, place: same, pointer: () => null };
      const lines = input.canReread ? linesOf(input) : null;
      judge.raw(unit, lines, watching(path, statistics, lines, hand), (verdict, transcript) => {
        count(verdict);
        rows.verdict?.(verdict, transcript, null);
      });
    }
    statistics.file(bytesRead);
    return { counts, statistics };
  } finally {
    input.close();
  }
}

/** Records that were scanned together: those of which nothing is to be told by their rows, the others as values. */
function readRows(
  rows: RecordRows, lines: ChatLines, counted: StatisticsRows,
  take: (record: CorpusRecord | RecordProblem) => void,
  give: (verdict: Verdict, n: number, record: JudgedRecord) => void,
): void {
  for (let record = 0; record < rows.to; ) {
    const next = counted.take(rows, record);
    for (; record < next; record = nextRecord(rows, record)) {
      const verdict = cleanVerdict(rows.machine.rows, record);
      give(verdict, rows.record + ordinalOf(rows, record), rowRecord(rows, lines, record));
    }
    if (next === rows.to) return;
    take(lines.record(rows, next));
    record = nextRecord(rows, next);
  }
}

/** The verdict on a record of which nothing is to be told. */
function cleanVerdict(rows: Int32Array, record: number): Verdict {
  // Definitions are a message.
  const hasTools = ((wordAt(rows, record + 1, KIND) >> TOOLS_SHIFT) & TOOLS_MASK) !== TOOLS_NONE;
  let [messages, calls] = [hasTools ? 1 : 0, 0];
  const end = wordAt(rows, record, NEXT);
  for (let row = record + RECORD_ROWS; row < end; row = wordAt(rows, row, NEXT)) {
    messages++;
    if (((wordAt(rows, row, KIND) >> TOKEN_SHIFT) & TOKEN_MASK) === CALL) calls++;
  }
  return Verdict.clean(messages, calls);
}

function rowRecord(rows: RecordRows, lines: ChatLines, record: number): JudgedRecord {
  const { rows: words, memory } = rows.machine;
  const id = memory.subarray(wordAt(words, record + 2, FROM), wordAt(words, record + 2, TO));
  return judgedBytes(lineOf(rows, record), lines.bytesOf(rows, record), id);
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
    end: (transcript, messages, to, { kind }) => {
      statistics.isChat = kind === 'chat';
      statistics.transcriptEnd(transcript, messages, to);
    },
    bad: ({ rule, message, from }, { record, line }) => {
      statistics.badRecord(rule, message, { path, record, from, place: () => ({ line, column: null }) });
    },
  };
}

function linesOf(input: InputSource): PlaceOf {
  let part = new Uint8Array(64 * 1024);
  const lines = new Lines((from, to) => {
    if (to - from > part.length) part = new Uint8Array(to - from);
    return part.subarray(0, input.read(from, part.subarray(0, to - from)));
  });
  return (position) => lines.at(position);
}
