// What the kinds of jobs on records have in common.

import type { PassesBad } from '../records/pass-bad.ts';
import type { RecordRows } from '../records/rows.ts';
import type { RowsWanted } from '../records/units.ts';
import type { BadRecord, Unit } from '../records/unit.ts';
import type { JobResult, Piece } from './job.ts';

/** What a kind of job does with units. */
export interface UnitWorker {
  /** Transcripts of the input so far. */
  transcripts: number;
  messages: number;
  /** System messages by which texts without a header look like Harmony (R-LIKELY). */
  readonly likeHarmony?: number;
  /** The next unit's line begins here in the input; 0 where that is not known. */
  begins?(position: number): void;
  /** What is ready must go out before anything is taken. */
  readonly isFull?: boolean;
  /**
   * `lineFrom`: where its line begins in the input, if that is known. False: nothing further is wanted. What comes of
   * one unit may be many times longer than the unit: a generator gives it as it is made.
   */
  take(unit: Unit, lineFrom: number | null): boolean | Generator<Piece, boolean, void>;
  bad(record: BadRecord, lineFrom: number | null): void;
  /** Takes a bad record of which it needs no more than this, or answers false. */
  readonly passesBad?: PassesBad;
  /**
   * Takes records from row `record` on. Answers the row of the first one that must come as a unit, or the end; it is
   * called again with what follows. Null: all must.
   */
  readonly rows: ((rows: RecordRows, record: number) => number) | null;
  /** What it takes as rows; chat records, if it does not say. */
  readonly takes?: RowsWanted;
  ready(all: boolean): Iterable<Piece>;
  counts?(bytes: number): JobResult['counts'];
  /** Records that hold nothing which can be written. */
  readonly badRecords?: number;
  readonly statistics?: JobResult['statistics'];
}
