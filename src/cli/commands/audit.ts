// `audit`: control tokens in texts that should hold none; a copy without them, or what that copy would have otherwise.

import { statSync } from 'node:fs';
import { type AuditFinding, type AuditOptions, auditSource } from '../../corpus/audit/audit.ts';
import { containerOf } from '../../corpus/input/container.ts';
import { InputError } from '../../corpus/error.ts';
import { FileOutputError, OutputFile } from '../../corpus/output-file.ts';
import { ENDINGS, STANDARD_INPUT } from '../../corpus/input/paths.ts';
import { FileSource, type InputSource } from '../../corpus/input/source.ts';
import type { Severity } from '../../errors.ts';
import type { EscapeStyle } from '../../formats/control-tokens/escape.ts';
import { type Source, type SourceWatcher, WatchedSource } from '../../scan/source.ts';
import { Copier, type TargetOptions, Targets } from './audit-copy.ts';
import { writeDiff, writeDiffHead } from './audit-diff.ts';
import { applyRules } from '../config.ts';
import type { SharedOptions } from '../options.ts';
import { Places } from '../../corpus/places.ts';
import { countOf } from '../print.ts';
import type { MakeSpinner } from '../progress.ts';
import type { Report, ReportFormat, Summary } from '../diagnostics/report.ts';
import { makeReport } from '../diagnostics/format.ts';
import { FAILED, FOUND, Invocation, OK, type OpenInput, tell } from '../invocation.ts';
import type { Host } from '../stream.ts';

export interface AuditCommandOptions extends SharedOptions, TargetOptions {
  readonly format: ReportFormat;
  readonly maxWarnings?: number;
  readonly maxDiagnostics?: number;
  readonly exitZero?: true;
  readonly form?: 'auto' | 'text' | 'messages' | 'conversations';
  readonly field?: string;
  /** Write copies without errors; without look-alikes, foreign tokens and bounds, too. */
  readonly fix?: true;
  readonly fixWarnings?: true;
  readonly how?: EscapeStyle;
  /** Show what a copy would have otherwise, instead of the findings, and write none. */
  readonly diff?: true;
}

export function audit(
  paths: readonly string[],
  options: AuditCommandOptions,
  host: Host,
  makeSpinner: MakeSpinner | null,
): number {
  const refusal = refuse(paths, options);
  if (refusal !== null) {
    tell(host, `error: ${refusal}`);
    return FAILED;
  }
  const run = new Invocation(options, host, makeSpinner);
  const work = new Audit(run, paths, options, host);
  run.each(paths, (input) => work.read(input), ENDINGS);
  return work.end();
}

const isFixing = ({ fix, fixWarnings }: AuditCommandOptions): boolean => fix === true || fixWarnings === true;

function refuse(paths: readonly string[], options: AuditCommandOptions): string | null {
  const { output, outputDir, inPlace, diff } = options;
  const places = [output, outputDir, inPlace].filter((it) => it !== undefined).length;
  if (diff && places > 0) return '--diff writes no copy; leave --output, --output-dir and --in-place out';
  if (places > 1) return 'give one of --output, --output-dir and --in-place';
  if (places === 1 && !isFixing(options)) return 'a copy is written with --fix; say so, too';
  if (isFixing(options) && places === 0 && !diff) {
    return '--fix needs a place for the copy: --output <file>, --output-dir <folder> or --in-place';
  }
  if (output === '-') return '--output names a file; findings go to standard output';
  if (output === undefined || paths.length <= 1) return null;
  return `--output is for one input, not ${paths.length}; use --output-dir`;
}

class Audit {
  readonly #run: Invocation;
  readonly #options: AuditCommandOptions;
  readonly #report: Report;
  readonly #targets: Targets;
  readonly #adjust: (finding: AuditFinding) => AuditFinding | null;
  readonly #counts: Record<Severity, number> = { error: 0, warning: 0, info: 0 };
  readonly #rules = new Map<string, number>();
  /** Texts that a copy has otherwise, and errors that it still has. */
  #changed = 0;
  #left = 0;

  constructor(run: Invocation, paths: readonly string[], options: AuditCommandOptions, host: Host) {
    this.#run = run;
    this.#options = options;
    this.#targets = new Targets(options, paths);
    this.#adjust = applyRules(options.rules);
    const { format, maxDiagnostics } = options;
    this.#report = makeReport({
      format, maxDiagnostics, schema: 'openchatml/audit/1', out: run.out, colors: run.colors,
      isTTY: host.stdout.isTTY, version: host.version,
    });
  }

  read(input: OpenInput): void {
    if (!isFixing(this.#options) || this.#options.diff) {
      this.#audit(input, null);
      return;
    }
    const target = this.#targets.of(input.path);
    refusePacked(input.path);
    try {
      const file = OutputFile.create(target);
      try {
        const copier = new Copier(input.input, file);
        this.#audit(input, copier);
        copier.passed(Infinity);
        file.commit();
      } finally {
        // Nothing, when it stands.
        file.discard();
      }
    } catch (error) {
      if (!(error instanceof FileOutputError)) throw error;
      throw new InputError(error.path, error.reason, error.remedy, error);
    }
  }

  #audit({ path, source, input, options: reading }: OpenInput, copier: Copier | null): void {
    const { how, fixWarnings, form, field, diff } = this.#options;
    const { out, colors, machine } = this.#run;
    const places = new Places(input);
    const watched = places.over(source);
    const held = new Held(watched);
    const options: AuditOptions = {
      ...reading, how, field, lookAlikes: fixWarnings, foreign: fixWarnings,
      form: form === 'messages' || form === 'conversations' ? 'records' : 'auto',
      passed: (position) => {
        copier?.passed(position);
        held.passed(position);
      },
    };
    let isFirst = true;
    for (const { findings, change, left } of auditSource(machine, path, new WatchedSource(watched, held), options)) {
      for (const finding of findings) this.#tell(path, finding, places, input);
      this.#left += left;
      if (change === null) continue;
      this.#changed++;
      copier?.edit(change.bytes);
      if (!diff) continue;
      if (isFirst) writeDiffHead(out, path, colors);
      isFirst = false;
      writeDiff(out, change, change.line ?? places.at(change.from).line, colors);
    }
  }

  #tell(path: string, given: AuditFinding, places: Places, input: InputSource): void {
    const finding = this.#adjust(given);
    if (finding === null) return;
    const { severity, rule, from, record } = finding;
    this.#counts[severity]++;
    this.#rules.set(rule, (this.#rules.get(rule) ?? 0) + 1);
    if (this.#options.diff) return;
    if (this.#report.wants?.(path) === false) this.#report.leave?.();
    else this.#report.diagnostic(path, finding, places.at(from), input, record);
  }

  end(): number {
    const { maxWarnings = Infinity, exitZero, diff } = this.#options;
    const { error: errors, warning: warnings, info: infos } = this.#counts;
    const run = this.#run;
    const rules = Object.fromEntries([...this.#rules].sort(([a], [b]) => (a < b ? -1 : 1)));
    const summary: Summary = { schema: 'openchatml/audit/1', files: run.files, errors, warnings, infos, rules };
    const words = diff ? null : this.#report.end(summary, !run.failed);
    run.out.flush();
    if (words !== null && !this.#options.quiet) run.tell(words);
    if (diff || isFixing(this.#options)) {
      const verb = diff ? 'would be' : this.#changed === 1 ? 'was' : 'were';
      const changed = `${countOf(this.#changed, 'text')} ${verb} changed`;
      run.tell(this.#left === 0 ? changed : `${changed}, ${countOf(this.#left, 'error')} left`);
    }
    if (run.failed) return FAILED;
    return !exitZero && (errors > 0 || warnings > maxWarnings) ? FOUND : OK;
  }
}

/** A copy of packed data would be the data without its packing. */
function refusePacked(path: string): void {
  // What is no file is read once, and only by whoever audits it.
  if (path === STANDARD_INPUT || !statSync(path, { throwIfNoEntry: false })?.isFile()) return;
  const input = FileSource.open(path);
  try {
    if (containerOf(input.bytes(0, 4)) === 'plain') return;
  } finally {
    input.close();
  }
  throw new InputError(path, 'is compressed, and a copy of it would not be', 'decompress it first');
}

/** Lets a source let nothing go before it was looked at and copied. */
class Held implements SourceWatcher {
  readonly #source: Source;
  #passed = 0;
  #released = 0;

  constructor(source: Source) {
    this.#source = source;
  }

  mayRelease(before: number): number {
    this.#released = before;
    return Math.min(before, this.#passed);
  }

  passed(position: number): void {
    this.#passed = position;
    this.#source.release(Math.min(this.#released, position));
  }
}
