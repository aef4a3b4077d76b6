// What `check` tells its diagnostics by: a report, which writes each one as it becomes known. SARIF alone gathers them,
// within bounds.

import type { InputSource } from '../corpus/source.ts';
import type { Diagnostic, Place } from '../errors.ts';
import { countOf } from './print.ts';

export const REPORT_FORMATS = ['pretty', 'concise', 'ndjson', 'json', 'github', 'sarif'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

export interface Summary {
  readonly schema: 'openchatml/check/1';
  readonly files: number;
  readonly errors: number;
  readonly warnings: number;
  readonly infos: number;
  /** Diagnostics by rule. */
  readonly rules: Readonly<Record<string, number>>;
}

export interface Report {
  diagnostic(path: string, diagnostic: Diagnostic, place: Place, input: InputSource): void;
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
