// Gathering statistics: what a check sees, summed up. Lines of samples are found later, for those that are kept.

import { diagnose } from '../../errors.ts';
import type { Range } from '../../model/walk.ts';
import type { Source } from '../../scan/source.ts';
import { Checker } from '../../rules/check.ts';
import { type Job, type JobResult, NO_RESULT } from './job.ts';
import type { Kit } from './open.ts';
import { Statistics } from '../report/statistics.ts';
import type { RecordRows } from '../records/rows.ts';
import type { BadRecord, Unit, FileOptions } from '../records/unit.ts';
import { StatisticsRows } from './statistics-rows.ts';
import type { UnitWorker } from './unit-worker.ts';

type StatisticsJob = Extract<Job, { kind: 'statistics' }>;

const NOWHERE = { line: null, column: null };

/** Statistics of a part of raw text. */
export function rawStatistics(
  kit: Kit, job: StatisticsJob, source: Source, options: FileOptions, range: Range,
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

/** Statistics of records: those of which nothing is to be told come as rows. */
export class StatisticsWorker implements UnitWorker {
  readonly rows: UnitWorker['rows'];
  readonly #kit: Kit;
  readonly #job: StatisticsJob;
  readonly #statistics: Statistics;
  readonly #counted: StatisticsRows;
  /** The record that was counted last. */
  #record = -1;
  transcripts: number;
  messages = 0;

  constructor(kit: Kit, job: StatisticsJob, transcripts: number) {
    this.#kit = kit;
    this.#job = job;
    this.#statistics = new Statistics(job);
    this.#counted = new StatisticsRows(kit, this.#statistics);
    kit.tools.budget.restart();
    // Tools that the caller knows are for views.
    this.rows = job.tools.length > 0 ? null : (rows, record) => this.#rows(rows, record);
    this.transcripts = transcripts;
  }

  #rows(rows: RecordRows, record: number): number {
    const next = this.#counted.take(rows, record);
    this.transcripts += this.#counted.transcripts;
    return next;
  }

  take({ source, options, place, record, line, at, kind }: Unit): boolean {
    this.#count(record!);
    const statistics = this.#statistics;
    statistics.isChat = kind === 'chat';
    const checker = new Checker(
      this.#kit.machine, source, { ...options, tools: this.#job.tools, visitor: statistics },
      { known: this.#kit.headers, memory: this.#kit.tools, at },
    );
    for (const diagnostic of checker.run()) {
      statistics.diagnostic(diagnostic, this.#at(record!, line!, place(diagnostic.from)));
    }
    this.transcripts += checker.transcripts;
    return true;
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
