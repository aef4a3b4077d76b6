// What the kinds of jobs on records have in common.

import type { JobResult, Piece } from './job.ts';
import type { BadRecord, Unit } from '../records/unit.ts';

/** What a kind of job does with units. */
export interface UnitWorker {
  /** Transcripts of the input so far. */
  transcripts: number;
  messages: number;
  /** False: nothing further is wanted. */
  take(unit: Unit): boolean;
  bad(record: BadRecord): void;
  ready(all: boolean): Iterable<Piece>;
  counts?(bytes: number): JobResult['counts'];
  /** Records that hold nothing which can be written. */
  readonly badRecords?: number;
  readonly statistics?: JobResult['statistics'];
}
