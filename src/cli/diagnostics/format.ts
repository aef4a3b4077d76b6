// The report of a format, with the bounds that hold for it.

import type { Output } from '../output.ts';
import type { Colors } from '../print.ts';
import type { Report, ReportFormat, ReportSchema } from './report.ts';
import { GitHub } from './github.ts';
import { GitLab } from './gitlab.ts';
import { Lines, Whole } from './json.ts';
import { JUnit } from './junit.ts';
import { LimitedReport, TERMINAL_LIMITS } from './limit.ts';
import { Reviewdog } from './rdjson.ts';
import { Sarif } from './sarif.ts';
import { Concise, Pretty } from './text.ts';

export interface ReportSetting {
  readonly format: ReportFormat;
  /** Left out: all of them, or what a person at a terminal can take in. */
  readonly maxDiagnostics?: number | undefined;
  readonly schema: ReportSchema;
  readonly out: Output;
  /** Colours of standard output. */
  readonly colors: Colors;
  /** Standard output is a terminal. */
  readonly isTTY: boolean;
  readonly version: string;
}

export function makeReport(setting: ReportSetting): Report {
  const { format, maxDiagnostics, isTTY } = setting;
  const report = reportOf(setting);
  // SARIF keeps the most severe ones, which are not the first ones: it has a bound of its own.
  if (format === 'sarif' || maxDiagnostics === Infinity) return report;
  if (maxDiagnostics !== undefined) return new LimitedReport(report, { perFile: Infinity, inAll: maxDiagnostics });
  const isForPeople = format === 'pretty' || format === 'concise';
  return isForPeople && isTTY ? new LimitedReport(report, TERMINAL_LIMITS) : report;
}

function reportOf({ format, maxDiagnostics, schema, out, colors, version }: ReportSetting): Report {
  switch (format) {
    case 'pretty':
      return new Pretty(out, colors);
    case 'concise':
      return new Concise(out);
    case 'ndjson':
      return new Lines(out);
    case 'json':
      return new Whole(out, schema);
    case 'github':
      return new GitHub(out);
    case 'sarif':
      return new Sarif(out, version, maxDiagnostics);
    case 'gitlab':
      return new GitLab(out);
    case 'junit':
      return new JUnit(out);
    case 'rdjson':
      return new Reviewdog(out);
  }
}
