// What `check` and `audit` tell their diagnostics by: a report, which writes each one as it becomes known. SARIF alone
// gathers them, within bounds.

import type { InputSource } from '../../corpus/input/source.ts';
import type { Told } from '../../corpus/jobs/job.ts';
import type { Place } from '../../errors.ts';
import { countOf } from '../print.ts';

export type { Told } from '../../corpus/jobs/job.ts';

export const REPORT_FORMATS = [
  'pretty', 'concise', 'ndjson', 'json', 'github', 'sarif', 'gitlab', 'junit', 'rdjson',
] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** What the machine output of a command is called. */
export type ReportSchema = 'openchatml/check/1' | 'openchatml/audit/1';

export interface Summary {
  readonly schema: ReportSchema;
  readonly files: number;
  readonly errors: number;
  readonly warnings: number;
  readonly infos: number;
  /** Diagnostics by rule. */
  readonly rules: Readonly<Record<string, number>>;
}

export interface Report {
  /**
   * Whether a diagnostic of this path would be told now; when this says no, its place need not be found: `leave` counts
   * it. Not there: every one is told.
   */
  wants?(path: string): boolean;
  leave?(): void;
  /**
   * `place`: in the file. `input`: what the diagnostic's span is a span of, to be looked into; null: nothing can be.
   * `record`: the number of the record that holds the transcript; null or left out in raw text. No excerpt is shown of
   * a record.
   */
  diagnostic(path: string, diagnostic: Told, place: Place, input: InputSource | null, record?: number | null): void;
  /** The end; `complete`: every input was read. Answers what is to be told to people. */
  end(summary: Summary, complete: boolean): string | null;
}

/** `2 errors, 1 warning in 3 files`; infos are named when there are some. */
export function summaryLine({ files, errors, warnings, infos }: Summary): string {
  const parts = [countOf(errors, 'error'), countOf(warnings, 'warning')];
  if (infos > 0) parts.push(countOf(infos, 'info'));
  const found = errors + warnings + infos > 0 ? parts.join(', ') : 'no findings';
  return `${found} in ${countOf(files, 'file')}`;
}
