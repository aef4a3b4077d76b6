// Findings by rule: how many of each severity, and the first ones as samples.

import type { Diagnostic, Severity } from '../../errors.ts';

/** Samples that are kept of each rule. */
export const SAMPLES = 10;
/** UTF-16 units of a message or a path that are kept. */
const LONGEST = 1000;

/** Where a finding is. Holds nothing of a body. */
export interface Sample {
  readonly path: string;
  /** Number of the record in its container, from 0; null in raw text. */
  readonly record: number | null;
  /** Byte position in the file. */
  readonly from: number;
  /** From 1; null where there are no lines. Without a column it is the line on which the record begins. */
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
}

/** Where a finding is, with its line and column still to be found. */
export interface SamplePlace {
  readonly path: string;
  readonly record: number | null;
  readonly from: number;
  place(): { readonly line: number | null; readonly column: number | null };
}

const compare = <T extends string | number>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

type Position = Pick<Sample, 'path' | 'record' | 'from'>;

const comparePlaces = (a: Position, b: Position): number =>
  compare(a.path, b.path) || compare(a.record ?? -1, b.record ?? -1) || compare(a.from, b.from);

/** An order of all samples that differ: the same ones are kept, whatever is seen when. */
const compareSamples = (a: Sample, b: Sample): number =>
  comparePlaces(a, b) || compare(a.line ?? -1, b.line ?? -1) || compare(a.column ?? -1, b.column ?? -1)
  || compare(a.message, b.message);

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 3)}...` : text;
}

export class Found {
  readonly counts: Record<Severity, number> = { error: 0, warning: 0, info: 0 };
  readonly samples: Sample[] = [];

  note({ severity, message, times = 1 }: Pick<Diagnostic, 'severity' | 'message' | 'times'>, at: SamplePlace): void {
    this.counts[severity] += times;
    // Lines are counted for what is kept only.
    const position = { path: cut(at.path), record: at.record, from: at.from };
    const last = this.samples[SAMPLES - 1];
    if (last && comparePlaces(position, last) > 0) return;
    const { line, column } = at.place();
    this.keep({ ...position, line, column, message: cut(message) });
  }

  /** Keeps a sample when it is one of the first. */
  keep(sample: Sample): void {
    let at = this.samples.length;
    while (at > 0 && compareSamples(this.samples[at - 1]!, sample) > 0) at--;
    if (at >= SAMPLES) return;
    this.samples.splice(at, 0, sample);
    if (this.samples.length > SAMPLES) this.samples.pop();
  }

  add(other: Found): void {
    for (const severity of ['error', 'warning', 'info'] as const) this.counts[severity] += other.counts[severity];
    for (const sample of other.samples) this.keep(sample);
  }
}
