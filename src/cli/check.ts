// `check`: every diagnostic of the inputs, and an exit code that tells whether there were errors.

import { readToolsFile } from '../corpus/tools-file.ts';
import type { Severity } from '../errors.ts';
import { checkSource } from '../semantics/check.ts';
import type { SharedOptions } from './options.ts';
import { Places } from './place.ts';
import type { MakeSpinner } from './progress.ts';
import type { Report, ReportFormat, Summary } from './report.ts';
import { GitHub } from './report-github.ts';
import { Lines, Whole } from './report-json.ts';
import { Sarif } from './report-sarif.ts';
import { Concise, Pretty } from './report-text.ts';
import { FAILED, FOUND, OK, Run } from './run.ts';
import type { Host } from './stream.ts';

export interface CheckOptions extends SharedOptions {
  readonly format: ReportFormat;
  readonly maxWarnings?: number;
  readonly tools?: readonly string[];
}

export function check(
  paths: readonly string[],
  options: CheckOptions,
  host: Host,
  makeSpinner: MakeSpinner | null,
): number {
  const run = new Run(options, host, makeSpinner);
  const tools = run.attempt(() => (options.tools ?? []).flatMap(readToolsFile));
  if (!tools) return FAILED;
  const report = makeReport(options.format, run, host);
  const counts: Record<Severity, number> = { error: 0, warning: 0, info: 0 };
  const rules = new Map<string, number>();
  run.each(paths, ({ path, source, input, options: readOptions }) => {
    const places = new Places(input);
    for (const diagnostic of checkSource(run.machine, places.watch(source), { ...readOptions, tools, openCalls: places.openCalls })) {
      counts[diagnostic.severity]++;
      rules.set(diagnostic.rule, (rules.get(diagnostic.rule) ?? 0) + 1);
      report.diagnostic(path, diagnostic, places.at(diagnostic.from), input);
    }
  });
  const { error: errors, warning: warnings, info: infos } = counts;
  const byRule = Object.fromEntries([...rules].sort(([a], [b]) => (a < b ? -1 : 1)));
  const summary: Summary = { schema: 'openchatml/check/1', files: run.files, errors, warnings, infos, rules: byRule };
  const words = report.end(summary, !run.failed);
  run.out.flush();
  if (words !== null) run.tell(words);
  if (run.failed) return FAILED;
  return errors > 0 || warnings > (options.maxWarnings ?? Infinity) ? FOUND : OK;
}

function makeReport(format: ReportFormat, { out, colors }: Run, { version }: Host): Report {
  switch (format) {
    case 'pretty':
      return new Pretty(out, colors);
    case 'concise':
      return new Concise(out);
    case 'ndjson':
      return new Lines(out);
    case 'json':
      return new Whole(out);
    case 'github':
      return new GitHub(out);
    case 'sarif':
      return new Sarif(out, version);
  }
}
