// `audit`: control tokens in texts that should hold none; a copy without them, or what that copy would have otherwise.

import { statSync } from 'node:fs';
import { AUDITED } from '../../corpus/audit/fields.ts';
import { containerOf } from '../../corpus/input/container.ts';
import { InputError } from '../../corpus/error.ts';
import { type Found, isFindings, type JobInput, type ShownChange } from '../../corpus/jobs/job.ts';
import type { Opened } from '../../corpus/jobs/open.ts';
import { FileOutputError, OutputFile } from '../../corpus/output-file.ts';
import { STANDARD_INPUT } from '../../corpus/input/paths.ts';
import { FileSource } from '../../corpus/input/source.ts';
import type { EscapeStyle } from '../../formats/control-tokens/escape.ts';
import { type TargetOptions, Targets } from './audit-copy.ts';
import { Diff, writeDiffHead } from './audit-diff.ts';
import { applyRules } from '../../rules/settings.ts';
import type { CorpusOptions } from '../options.ts';
import { FindingPlaces } from '../diagnostics/finding-places.ts';
import { countOf } from '../print.ts';
import type { MakeSpinner } from '../progress.ts';
import type { Report, ReportFormat, Summary } from '../diagnostics/report.ts';
import { makeReport } from '../diagnostics/format.ts';
import { Tally } from '../diagnostics/tally.ts';
import { FAILED, FOUND, Invocation, type InvocationEvent, OK, tell } from '../invocation.ts';
import type { Host } from '../stream.ts';

export interface AuditCommandOptions extends CorpusOptions, TargetOptions {
  readonly format: ReportFormat;
  readonly maxWarnings?: number;
  readonly maxDiagnostics?: number;
  readonly exitZero?: true;
  /** Write copies without errors; without look-alikes, foreign tokens and bounds, too. */
  readonly fix?: true;
  readonly fixWarnings?: true;
  readonly how?: EscapeStyle;
  /** Show what a copy would have otherwise, instead of the findings, and write none. */
  readonly diff?: true;
}

export async function audit(
  paths: readonly string[],
  options: AuditCommandOptions,
  host: Host,
  makeSpinner: MakeSpinner | null,
): Promise<number> {
  const refusal = refuse(paths, options);
  if (refusal !== null) {
    tell(host, `error: ${refusal}`);
    return FAILED;
  }
  const run = new Invocation(options, host, makeSpinner);
  const work = new Audit(run, paths, options, host);
  await work.read(paths);
  return work.end();
}

const isFixing = ({ fix, fixWarnings }: AuditCommandOptions): boolean => fix === true || fixWarnings === true;

function refuse(paths: readonly string[], options: AuditCommandOptions): string | null {
  const { output, outputDir, inPlace, diff, how } = options;
  if (how !== undefined && !isFixing(options) && !diff) return '--how is for --fix, --fix-warnings and --diff';
  const places = [output, outputDir, inPlace].filter((it) => it !== undefined).length;
  if (diff && places > 0) return '--diff writes no copy; leave --output, --output-dir and --in-place out';
  if (places > 1) return 'give one of --output, --output-dir and --in-place';
  if (places === 1 && !isFixing(options)) return 'a copy is written with --fix; say so, too';
  if (isFixing(options) && places === 0 && !diff) {
    return '--fix needs a place for the copy: --output <file>, --output-dir <folder> or --in-place';
  }
  if (output === undefined || paths.length <= 1) return null;
  return `--output is for one input, not ${paths.length}; use --output-dir`;
}

class Audit {
  readonly #run: Invocation;
  readonly #options: AuditCommandOptions;
  readonly #report: Report;
  readonly #targets: Targets;
  readonly #adjust: ReturnType<typeof applyRules>;
  readonly #tally = new Tally();
  readonly #places = new FindingPlaces();
  readonly #diff: Diff;
  /** The copy of the input at hand. */
  #copy: OutputFile | null = null;
  /** The input at hand has no head of changes yet. */
  #isHeadless = true;
  /** Texts that a copy has otherwise, and errors that it still has. */
  #changed = 0;
  #left = 0;

  constructor(run: Invocation, paths: readonly string[], options: AuditCommandOptions, host: Host) {
    this.#run = run;
    this.#options = options;
    this.#targets = new Targets(options, paths, host.stdin.fd);
    this.#adjust = applyRules(options.rules);
    this.#diff = new Diff(run.out, run.colors);
    const { format, maxDiagnostics } = options;
    this.#report = makeReport({
      format, maxDiagnostics, schema: 'openchatml/audit/1', out: run.out, colors: run.colors,
      isTTY: host.stdout.isTTY, version: host.version,
    });
  }

  async read(paths: readonly string[]): Promise<void> {
    const { how, fixWarnings, diff, rules } = this.#options;
    const copies = isFixing(this.#options) && !diff;
    const run = this.#run;
    const events = run.events(paths, this.#options, {
      work: {
        kind: 'audit',
        fix: { how, lookAlikes: fixWarnings, foreign: fixWarnings, rules },
        gives: diff ? 'changes' : copies ? 'copy' : null,
      },
      tellsAtEnd: false,
      columns: AUDITED,
      tellsEmpty: true,
      watching: (input, opened) => this.#places.watch(input, opened, run.progress.watch(opened.input)),
    });
    try {
      for await (const event of events) {
        if (event.kind === 'broken') this.#leave();
        else {
          const taken = run.attempt(() => this.#take(event, copies));
          if (taken !== null) continue;
          // Its copy cannot be written.
          this.#leave();
          run.skip(event.input);
        }
      }
    } finally {
      this.#leave();
    }
  }

  /** Throws an InputError. */
  #take(event: Exclude<InvocationEvent, { kind: 'broken' }>, copies: boolean): true {
    try {
      switch (event.kind) {
        case 'begin':
          this.#isHeadless = true;
          if (copies) this.#copy = this.#begin(event.input.path);
          break;
        case 'piece':
          this.#takePiece(event);
          break;
        case 'part':
          this.#changed += event.result.changed;
          this.#left += event.result.left;
          break;
        case 'end':
          this.#copy?.commit();
          this.#leave();
      }
      return true;
    } catch (error) {
      if (!(error instanceof FileOutputError)) throw error;
      throw new InputError(error.path, error.reason, error.remedy, error);
    }
  }

  #begin(path: string): OutputFile {
    const target = this.#targets.of(path);
    refusePacked(path);
    return OutputFile.create(target);
  }

  /** The input at hand is done with; what was not put in its place is taken away. */
  #leave(): void {
    this.#copy?.discard();
    this.#copy = null;
    this.#places.close();
  }

  #takePiece({ input, opened, piece }: Extract<InvocationEvent, { kind: 'piece' }>): void {
    if (piece instanceof Uint8Array) this.#copy!.write(piece);
    else if ('changes' in piece) for (const { change, line } of piece.changes) this.#show(input, change, line);
    else if (isFindings(piece)) for (const found of piece) this.#tell(input, opened, found);
  }

  #show(input: JobInput, change: ShownChange, line: number): void {
    const { out, colors } = this.#run;
    if (this.#isHeadless) writeDiffHead(out, input.path, colors);
    this.#isHeadless = false;
    this.#diff.write(change, line);
  }

  #tell(input: JobInput, opened: Opened | null, found: Found): void {
    const { path } = input;
    const finding = this.#adjust(found.diagnostic);
    if (finding === null) return;
    this.#tally.add(finding);
    if (this.#options.diff) return;
    if (this.#report.wants?.(path) === false) {
      this.#report.leave?.();
      return;
    }
    const placed = this.#places.of(input, opened, found);
    this.#report.diagnostic(path, finding, placed.place, placed.input, found.record);
  }

  end(): number {
    const { maxWarnings = Infinity, exitZero, diff } = this.#options;
    const { error: errors, warning: warnings, info: infos } = this.#tally.severities;
    const run = this.#run;
    const summary: Summary = {
      schema: 'openchatml/audit/1', files: run.files, errors, warnings, infos, rules: this.#tally.rules,
    };
    const words = diff ? null : this.#report.end(summary, !run.failed);
    run.out.flush();
    // Nothing found in what could not be read is no news.
    const isNews = !(run.failed && errors + warnings + infos === 0);
    if (words !== null && isNews && !this.#options.quiet) run.tell(words);
    const isUntouched = run.failed && run.files === 0;
    if ((diff || isFixing(this.#options)) && !isUntouched) this.#tellChanges();
    if (run.failed) return FAILED;
    return !exitZero && (errors > 0 || warnings > maxWarnings) ? FOUND : OK;
  }

  #tellChanges(): void {
    const verb = this.#options.diff ? 'would be' : this.#changed === 1 ? 'was' : 'were';
    const changed = `${countOf(this.#changed, 'text')} ${verb} changed`;
    this.#run.tell(this.#left === 0 ? changed : `${changed}, ${countOf(this.#left, 'error')} left`);
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
