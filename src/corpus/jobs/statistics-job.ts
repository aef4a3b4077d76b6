// Gathering statistics: what a check sees, summed up. Lines of samples are found later, for those that are kept.

import { KIND, SLOW } from '../../abi.ts';
import { diagnose, type Diagnostic } from '../../errors.ts';
import type { Range } from '../../model/walk.ts';
import { wordAt } from '../../scan/record-rows.ts';
import { MemorySource, type Source } from '../../scan/source.ts';
import { Checker, type CheckOptions } from '../../rules/check.ts';
import { type Job, type JobResult, NO_RESULT } from './job.ts';
import { RecordTexts } from './convert-rows.ts';
import type { Kit } from './open.ts';
import { Statistics } from '../report/statistics.ts';
import type { RecordRows } from '../records/rows.ts';
import type { BadRecord, Unit, UnitOptions } from '../records/unit.ts';
import { READING } from '../records/unit-chat.ts';
import type { UnitWorker } from './unit-worker.ts';

type StatisticsJob = Extract<Job, { kind: 'statistics' }>;

const NOWHERE = { line: null, column: null };

/** Statistics of a part of raw text. */
export function rawStatistics(
  kit: Kit, job: StatisticsJob, source: Source, options: UnitOptions, range: Range,
): JobResult {
  const statistics = new Statistics(job);
  const checker = new Checker(kit.machine, source, { ...options, tools: job.tools, visitor: statistics }, {
    range, known: kit.headers, memory: kit.tools,
  });
  for (const diagnostic of checker.run()) {
    statistics.diagnostic(diagnostic, {
      path: job.input.path, record: null, from: diagnostic.from, place: () => NOWHERE,
    });
  }
  const bytes = Math.min(range.to, checker.position) - (range.start?.position ?? 0);
  const { transcripts, likeHarmony } = checker;
  return { ...NO_RESULT, statistics: statistics.toJSON(), transcripts, likeHarmony, bytes };
}

/**
 * Statistics of records. Those of which nothing is to be told are written as text from their rows, many at once; the
 * others come as units, which hold the same text.
 */
export class StatisticsWorker implements UnitWorker {
  readonly rows = (rows: RecordRows, record: number): number => this.#rows(rows, record);
  readonly #texts = new RecordTexts();
  readonly #kit: Kit;
  readonly #job: StatisticsJob;
  readonly #statistics: Statistics;
  /** The record that was counted last. */
  #record = -1;
  transcripts: number;
  messages = 0;

  constructor(kit: Kit, job: StatisticsJob, transcripts: number) {
    this.#kit = kit;
    this.#job = job;
    this.#statistics = new Statistics(job);
    this.transcripts = transcripts;
  }

  #rows(rows: RecordRows, record: number): number {
    const { machine, tools, to } = rows;
    while (record < to) {
      const next = machine.check(record, to);
      const written = next === record ? record : this.#write(rows, record, next);
      if (written < next || next === to) return written;
      record = next;
      const asks = !(wordAt(machine.rows, next, KIND) & SLOW) && machine.asksForTools(next);
      if (!asks || !tools.settle(next)) return next;
    }
    return record;
  }

  /** Counts records of which nothing is to be told; answers the first one that must come as a unit, or `to`. */
  #write(rows: RecordRows, record: number, to: number): number {
    const texts = this.#texts.write(rows, record, to, true);
    for (let next = texts.next(); ; next = texts.next()) {
      if (next.done) return next.value;
      this.#statistics.records += next.value.texts;
      for (const _ of this.#text(new MemorySource(next.value.bytes), READING, true));
    }
  }

  take({ source, options, place, record, line, kind }: Unit): boolean {
    this.#count(record!);
    for (const diagnostic of this.#text(source, options, kind === 'chat')) {
      this.#statistics.diagnostic(diagnostic, this.#at(record!, line!, place(diagnostic.from)));
    }
    return true;
  }

  *#text(source: Source, options: CheckOptions, isChat: boolean): Generator<Diagnostic, void, void> {
    const statistics = this.#statistics;
    statistics.isChat = isChat;
    const checker = new Checker(
      this.#kit.machine, source, { ...options, tools: this.#job.tools, visitor: statistics },
      { known: this.#kit.headers, memory: this.#kit.tools },
    );
    yield* checker.run();
    this.transcripts += checker.transcripts;
  }

  bad({ rule, from, to, detail, record, line }: BadRecord): void {
    this.#count(record);
    const { message } = diagnose({ rule, from, to, detail }, 0, true);
    this.#statistics.badRecord(rule, message, this.#at(record, line, from));
  }

  ready(): readonly never[] {
    return [];
  }

  get statistics(): JobResult['statistics'] {
    return this.#statistics.toJSON();
  }

  #count(record: number): void {
    if (record !== this.#record) this.#statistics.record();
    this.#record = record;
  }

  #at(
    record: number, line: number, from: number,
  ): { path: string; record: number; from: number; place(): { line: number; column: null } } {
    return { path: this.#job.input.path, record, from, place: () => ({ line, column: null }) };
  }
}
