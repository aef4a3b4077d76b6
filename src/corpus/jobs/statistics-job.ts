// Gathering statistics: what a check sees, summed up. Lines of samples are found later, for those that are kept.

import { diagnose } from '../../errors.ts';
import type { TranscriptInfo } from '../../model/transcript.ts';
import type { Range } from '../../model/part-walk.ts';
import type { Source } from '../../scan/source.ts';
import { Checker } from '../../rules/check.ts';
import { type Job, type JobResult, NO_RESULT } from './job.ts';
import type { Scanners } from './scanners.ts';
import { Statistics } from '../report/statistics.ts';
import type { RecordRows } from '../records/rows.ts';
import type { BadRecord, Unit, FileOptions } from '../records/unit.ts';
import { giveTools } from './settled-tools.ts';
import { StatisticsRows } from './statistics-rows.ts';
import type { UnitWorker } from './unit-worker.ts';

/** What of the job is needed. */
type StatisticsJob = Pick<Extract<Job, { kind: 'statistics' }>, 'tools' | 'characters' | 'tokens'>
  & { readonly input: Pick<Job['input'], 'path'> };

/** Is told where each transcript of a raw text begins. */
export type TranscriptWatch = (from: number) => void;

class WatchedStatistics extends Statistics {
  readonly #watch: TranscriptWatch;

  constructor(job: StatisticsJob, watch: TranscriptWatch) {
    super(job);
    this.#watch = watch;
  }

  override transcriptEnd(transcript: TranscriptInfo, messages: number, to: number): void {
    super.transcriptEnd(transcript, messages, to);
    this.#watch(transcript.from);
  }
}

const NOWHERE = { line: null, column: null };

/** Statistics of a part of raw text. */
export function rawStatistics(
  scanners: Scanners, job: StatisticsJob, source: Source, options: FileOptions, range: Range,
): JobResult {
  const steps = rawStatisticsSteps(scanners, job, source, options, range);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

/** The same in steps: what is known so far, and the position up to which that is. */
export function* rawStatisticsSteps(
  scanners: Scanners, job: StatisticsJob, source: Source, options: FileOptions, range: Range, watch?: TranscriptWatch,
): Generator<{ readonly statistics: Statistics; readonly position: number }, JobResult, void> {
  const statistics = watch === undefined ? new Statistics(job) : new WatchedStatistics(job, watch);
  const checker = new Checker(scanners.machine, source, { ...options, tools: job.tools, visitor: statistics }, {
    range, known: scanners.headers, memory: scanners.tools,
  });
  for (const diagnostic of checker.steps()) {
    if (diagnostic === null) yield { statistics, position: checker.position };
    else statistics.diagnostic(diagnostic, {
      path: job.input.path, record: null, from: diagnostic.from, place: () => NOWHERE,
    });
  }
  const bytes = Math.min(range.to, checker.position) - (range.start?.position ?? 0);
  const { transcripts, likeHarmony } = checker;
  return { ...NO_RESULT, statistics: statistics.toJSON(), transcripts, likeHarmony, bytes };
}

/** Statistics of records: those of which nothing is to be told come as rows. */
export class StatisticsWorker implements UnitWorker {
  readonly takes = 'definitions';
  readonly rows: UnitWorker['rows'];
  readonly #scanners: Scanners;
  readonly #job: StatisticsJob;
  readonly #statistics: Statistics;
  readonly #counted: StatisticsRows;
  readonly #isTable: boolean;
  /** The record that was counted last. */
  #record = -1;
  transcripts: number;
  messages = 0;

  /** `isTable`: positions are those in a row of a table. */
  constructor(scanners: Scanners, job: StatisticsJob, transcripts: number, isTable: boolean) {
    this.#isTable = isTable;
    this.#scanners = scanners;
    this.#job = job;
    this.#statistics = new Statistics(job);
    this.#counted = new StatisticsRows(scanners, this.#statistics);
    scanners.tools.budget.restart();
    giveTools(scanners, job.tools);
    this.rows = (rows, record) => this.#rows(rows, record);
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
    statistics.unread(options.writtenCalls?.size ?? 0);
    const checker = new Checker(
      this.#scanners.machine, source, { ...options, tools: this.#job.tools, visitor: statistics },
      { known: this.#scanners.headers, memory: this.#scanners.tools, at },
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
    this.#statistics.badRecord(rule, message, this.#at(record, line, this.#isTable ? 0 : from));
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
