// `check`: every diagnostic of the inputs, and an exit code that tells whether there were errors.

import { ChosenTranscripts, UNREAD } from './check-sample.ts';
import { readToolsFile } from '../../corpus/input/tools-file.ts';
import { applyRules } from '../../rules/settings.ts';
import { FindingPlaces } from '../diagnostics/finding-places.ts';
import type { CorpusOptions } from '../options.ts';
import type { MakeSpinner } from '../progress.ts';
import type { ReportFormat, Summary } from '../diagnostics/report.ts';
import { makeReport } from '../diagnostics/format.ts';
import { FAILED, FOUND, Invocation, OK } from '../invocation.ts';
import type { Host } from '../stream.ts';
import { Tally } from '../diagnostics/tally.ts';

export interface CheckOptions extends CorpusOptions {
  readonly format: ReportFormat;
  readonly maxWarnings?: number;
  readonly maxDiagnostics?: number;
  readonly strict?: true;
  readonly tools?: readonly string[];
  /** Transcripts that are looked at, of all inputs. */
  readonly limit?: number;
  /** As many of all inputs, chosen at random. */
  readonly sample?: number;
  readonly seed?: number;
}

const IN_NO_SAMPLE: ReadonlySet<string> = new Set(UNREAD);

const SCHEMA = 'openchatml/check/1';

export async function check(
  paths: readonly string[],
  options: CheckOptions,
  host: Host,
  makeSpinner: MakeSpinner | null,
): Promise<number> {
  const run = new Invocation(options, host, makeSpinner);
  const tools = run.attempt(() => (options.tools ?? []).flatMap(readToolsFile));
  if (!tools) return FAILED;
  const { sample, seed = 0 } = options;
  if (sample !== undefined && !run.canReadTwice(paths, '--sample')) return FAILED;
  const chosen = sample === undefined ? null : await ChosenTranscripts.count(run, paths, options, sample, seed);
  if (sample !== undefined && chosen === null) return FAILED;
  const { isTTY } = host.stdout;
  const { format, maxDiagnostics } = options;
  const report = makeReport({
    format, maxDiagnostics, schema: SCHEMA, out: run.out, colors: run.colors, isTTY, version: host.version,
  });
  const settle = applyRules(options.rules, options.strict);
  const tally = new Tally();
  const places = new FindingPlaces();
  const lost = new Set<string>();
  let records = 0;
  // Transcripts that may still be looked at, of the input at hand.
  let left = options.limit ?? Infinity;
  for await (const event of run.events(paths, options, {
    work: { kind: 'check', tools, most: options.limit },
    tellsAtEnd: false,
    watching: (input, opened) => places.watch(input, opened, run.progress.watch(opened.input)),
  })) {
    if (event.kind === 'end') {
      records += event.records;
      left -= event.transcripts;
    }
    if (event.kind === 'end' || event.kind === 'broken') {
      places.close();
      chosen?.next();
    }
    if (event.kind === 'part' && event.result.transcripts >= left) {
      run.files++;
      break;
    }
    if (event.kind !== 'piece' || !Array.isArray(event.piece)) continue;
    const { path } = event.input;
    for (const found of event.piece) {
      if (found.diagnostic.transcript >= left) continue;
      if (chosen !== null && (IN_NO_SAMPLE.has(found.diagnostic.rule) || !chosen.has(found.diagnostic.transcript))) {
        continue;
      }
      const diagnostic = settle(found.diagnostic);
      if (diagnostic === null) continue;
      tally.add(diagnostic);
      if (report.wants?.(path) === false) {
        report.leave?.();
        continue;
      }
      if (lost.has(path)) continue;
      const placed = run.attempt(() => places.of(event.input, event.opened, found));
      // What could be read a moment ago cannot be read now: its findings have no places.
      if (placed === null) {
        lost.add(path);
        continue;
      }
      const { place, input } = placed;
      report.diagnostic(path, diagnostic, place, input, found.record);
    }
  }
  places.close();
  const { error: errors, warning: warnings, info: infos } = tally.severities;
  const summary: Summary = { schema: SCHEMA, files: run.files, errors, warnings, infos, rules: tally.rules };
  const words = report.end(summary, !run.failed);
  run.out.flush();
  // Nothing found in what could not be read is no news.
  const isNews = !(run.failed && errors + warnings + infos === 0);
  run.tellSums({ records, errors, warnings }, options, isNews ? words : null);
  if (run.failed) return FAILED;
  return errors > 0 || warnings > (options.maxWarnings ?? Infinity) ? FOUND : OK;
}
