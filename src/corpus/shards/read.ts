// One input of a run read to its end: its records, or the transcripts of raw text, judged and counted.

import { JSON_DEEPEST } from '../../abi.ts';
import { Lines } from '../../errors.ts';
import { type Source, WatchedSource } from '../../scan/source.ts';
import type { Container } from '../input/container.ts';
import { readRecords } from '../records/record.ts';
import type { Rows } from './rows.ts';
import type { RunCounts } from './sidecar.ts';
import type { InputSource } from '../input/source.ts';
import { Statistics } from '../report/statistics.ts';
import { isContainer, joinsTurnsOf, type Unit, type UnitOptions } from '../records/unit.ts';
import type { PlaceOf, Verdict } from '../jobs/verdict.ts';
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
      const locate = (bytes: Uint8Array): number => judge.machine.checkJson(bytes, JSON_DEEPEST);
      // Rows of Parquet stand in no line: positions are those in the field.
      const reading: UnitOptions = container === 'parquet' ? { ...options, positions: 'field' } : options;
      const joinsTurns = joinsTurnsOf(options);
      for (const record of readRecords(source, { locate, largest: options.largestRecord, joinsTurns })) {
        statistics.record();
        const verdict = judge.record(record, reading, watcher);
        before += judge.transcripts;
        count(verdict);
        rows.verdict?.(verdict, record.number, record);
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
    end: (transcript, messages, to) => statistics.transcriptEnd(transcript, messages, to),
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
