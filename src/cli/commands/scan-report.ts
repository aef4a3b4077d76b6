// `scan --report`: a page of what the inputs hold, gathered by a second reading, since it tells findings too; lengths
// for `scan --lengths` are gathered with it.

import { now } from '../../corpus/clock.ts';
import { InputError } from '../../corpus/error.ts';
import { existsAt } from '../../corpus/input/stamp.ts';
import { OutputFile } from '../../corpus/output-file.ts';
import { openInput } from '../../corpus/input/paths.ts';
import { type Sample, Statistics, type StatisticsJson } from '../../corpus/report/statistics.ts';
import { Lines } from '../../errors.ts';
import type { Encoding } from '../../corpus/tokens.ts';
import type { RuleSettings } from '../../rules/settings.ts';
import type { CorpusOptions } from '../options.ts';
import type { Invocation } from '../invocation.ts';

export interface Gathered {
  readonly statistics: Statistics;
  readonly seconds: number;
}

/** Null: an input broke off, which is told. `characters`: code points are counted too; `tokens`: those of contents. */
export async function gatherStatistics(
  run: Invocation, paths: readonly string[], options: CorpusOptions, characters: boolean,
  tokens: Encoding | undefined,
): Promise<Gathered | null> {
  const statistics = new Statistics();
  const { files } = run;
  run.files = 0;
  const began = now();
  const work = { kind: 'statistics', tools: [], characters, tokens } as const;
  for await (const event of run.events(paths, options, { work, tellsAtEnd: true })) {
    if (event.kind === 'broken') return null;
    if (event.kind === 'end') statistics.file(0);
    if (event.kind !== 'part') continue;
    if (event.result.statistics !== null) statistics.merge(event.result.statistics);
    statistics.bytes += event.result.bytes;
  }
  // An input that was counted cannot be read any more: the page would not show what the counts tell.
  if (run.files < files) return null;
  return { statistics, seconds: (now() - began) / 1000 };
}

/** The file that will hold the page, under a temporary name. Null: it cannot be written, which is told. */
export function openReportFile(run: Invocation, path: string): OutputFile | null {
  try {
    return OutputFile.create(path);
  } catch (error) {
    if (!run.complainOfOutput(error)) throw error;
    return null;
  }
}

/** Writes the page. False: it could not be written, which is told. */
export async function writeReportFile(
  run: Invocation, { statistics, seconds }: Gathered, paths: readonly string[], rules: RuleSettings | undefined,
  file: OutputFile, version: string,
): Promise<boolean> {
  const { writeReport } = await import('../../corpus/report/report.ts');
  try {
    file.write(writeReport(placed(statistics.toJSON(), rules), { title: titleOf(paths), version, seconds }));
    file.commit();
    return true;
  } catch (error) {
    if (error instanceof InputError) run.complain(error);
    else if (!run.complainOfOutput(error)) throw error;
    return false;
  }
}

const titleOf = (paths: readonly string[]): string =>
  (paths.length === 1 ? paths[0]! : `${paths[0]!} and ${paths.length - 1} more`);

type FindingsJson = StatisticsJson['findings'][number];

/** Findings of a rule as severe as a configuration says; null: it turns them off. */
function settle(finding: FindingsJson, rules: RuleSettings = {}): FindingsJson | null {
  const wanted = Object.hasOwn(rules, finding.rule) ? rules[finding.rule] : undefined;
  if (wanted === undefined) return finding;
  const { error, warning, info } = finding;
  return wanted === 'off' ? null : { ...finding, error: 0, warning: 0, info: 0, [wanted]: error + warning + info };
}

/**
 * The samples with their lines and columns, where the file has them: a few of each rule, found at the end. Throws an
 * InputError.
 */
function placed(json: StatisticsJson, rules: RuleSettings | undefined): StatisticsJson {
  const lines = new Map<string, Lines | null>();
  const at = (sample: Sample): Sample => {
    if (sample.record !== null && sample.line === null) return sample;
    if (!lines.has(sample.path)) lines.set(sample.path, linesOf(sample.path));
    const known = lines.get(sample.path);
    return known ? { ...sample, ...known.at(sample.from) } : sample;
  };
  const told = json.findings.flatMap((finding) => settle(finding, rules) ?? []);
  const findings = told.map((finding) => ({ ...finding, samples: finding.samples.map(at) }));
  return { ...json, findings };
}

/**
 * Of a file that can be read anywhere; null: of none, or of one whose path is told cut or with escapes. Throws an
 * InputError.
 */
function linesOf(path: string): Lines | null {
  if (!existsAt(path)) return null;
  const input = openInput(path);
  if (input.canReread) return new Lines((from, to) => input.bytes(from, to));
  input.close();
  return null;
}
