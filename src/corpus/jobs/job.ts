// A job: one part of one input, and what is to be done with it. Plain data, so that any thread can do it; its result
// depends on nothing else.

import type { ToolDefinition } from '../../model/data.ts';
import type { Checkpoint } from '../../model/walk.ts';
import type { PartialCounts } from '../../rules/counts.ts';
import type { Diagnostic, Place } from '../../errors.ts';
import type { MessageRow } from '../tables/table.ts';
import type { InputRef } from '../input/paths.ts';
import type { LineRange } from '../records/window.ts';
import type { StatisticsJson } from '../report/statistics.ts';
import type { UnitOptions } from '../records/unit.ts';

/**
 * A part of an input. Raw text: from a checkpoint, or (`guess`) from the first start token at or behind `from` that is
 * taken for one; JSON lines: those that begin in a range; or everything, in whatever form it is.
 */
export type Part =
  | { readonly of: 'raw'; readonly start: Checkpoint | null; readonly to: number }
  | { readonly of: 'guess'; readonly from: number; readonly to: number; readonly like: Checkpoint }
  | ({ readonly of: 'lines' } & LineRange & {
      /** Transcripts that the records before have beyond one each. */
      readonly surplus: number;
    })
  | { readonly of: 'whole' };

export interface JobInput {
  readonly ref: InputRef;
  readonly path: string;
  readonly options: UnitOptions;
  /** Nothing is told before the end: damage may be noticed late. */
  readonly tellsAtEnd: boolean;
}

export interface MessageFilters {
  readonly onlyRole?: readonly string[] | undefined;
  readonly onlyChannel?: readonly string[] | undefined;
  readonly transcript?: number | undefined;
  readonly at?: number | undefined;
}

export type Job = { readonly input: JobInput; readonly part: Part } & (
  | { readonly kind: 'count' }
  | { readonly kind: 'lines' }
  | { readonly kind: 'check'; readonly tools: readonly ToolDefinition[] }
  | { readonly kind: 'statistics'; readonly tools: readonly ToolDefinition[] }
  | { readonly kind: 'messages'; readonly filters: MessageFilters; readonly form: 'lines' | 'rows' }
);

/** A finding, with its place in the file. */
export interface Found {
  readonly diagnostic: Diagnostic;
  readonly record: number | null;
  /** Of a record: its line. */
  readonly line: number | null;
  /** In raw text, counted from where the part begins; null: whoever wants to know finds it. */
  readonly place: Place | null;
}

/** Findings that are handed out at once. */
export const GATHERED = 256;

/** What comes out of a job while it is done: findings, bytes of output (valid until the next piece is asked for), rows of a table. */
export type Piece = readonly Found[] | Uint8Array | { readonly rows: readonly MessageRow[] };

/** What a job answers at its end. */
export interface JobResult {
  /** Of `count`. */
  readonly counts: PartialCounts | null;
  /** Of `statistics`. */
  readonly statistics: StatisticsJson | null;
  /** Of a guess: where it began; null: nowhere. */
  readonly start: number | null;
  /** Of raw text: where the next part begins; null: at the input's end. */
  readonly end: Checkpoint | null;
  /** Of records: their number, and that of lines and transcripts. */
  readonly records: number;
  readonly lines: number;
  readonly transcripts: number;
  readonly messages: number;
  /** Of `messages`: records that hold none which can be read. */
  readonly badRecords: number;
  /** Bytes of the input that were done with. */
  readonly bytes: number;
  /** Where the part ends, counted from where it begins; null: nobody counted. */
  readonly place: Place | null;
}

export const NO_RESULT: JobResult = {
  counts: null,
  statistics: null,
  start: null,
  end: null,
  records: 0,
  lines: 0,
  transcripts: 0,
  messages: 0,
  badRecords: 0,
  bytes: 0,
  place: null,
};
