// `check`: every diagnostic of the inputs, and an exit code that tells whether there were errors.

import type { Severity } from '../errors.ts';
import { checkSource } from '../semantics/check.ts';
import type { SharedOptions } from './options.ts';
import { Places } from './place.ts';
import type { MakeSpinner } from './progress.ts';
import { makeReport, type ReportFormat, type Summary } from './report.ts';
import { FAILED, FOUND, OK, Run } from './run.ts';
import type { Host } from './stream.ts';

export interface CheckOptions extends SharedOptions {
  readonly format: ReportFormat;
  readonly maxWarnings?: number;
}

export function check(
  paths: readonly string[],
  options: CheckOptions,
  host: Host,
  makeSpinner: MakeSpinner | null,
): number {
  const run = new Run(options, host, makeSpinner);
  const report = makeReport(options.format, run.out, run.colors);
  const counts: Record<Severity, number> = { error: 0, warning: 0, info: 0 };
  const rules = new Map<string, number>();
  run.each(paths, ({ path, source, input, options: readOptions }) => {
    const places = new Places(input);
    for (const diagnostic of checkSource(run.machine, places.watch(source), readOptions)) {
      counts[diagnostic.severity]++;
      rules.set(diagnostic.rule, (rules.get(diagnostic.rule) ?? 0) + 1);
      report.diagnostic(path, diagnostic, places.at(diagnostic.from), input);
    }
  });
  const { error: errors, warning: warnings, info: infos } = counts;
  const byRule = Object.fromEntries([...rules].sort(([a], [b]) => (a < b ? -1 : 1)));
  const summary: Summary = { schema: 'openchatml/check/1', files: run.files, errors, warnings, infos, rules: byRule };
  const words = report.end(summary);
  run.out.flush();
  if (words !== null) run.tell(words);
  if (run.failed) return FAILED;
  return errors > 0 || warnings > (options.maxWarnings ?? Infinity) ? FOUND : OK;
}
