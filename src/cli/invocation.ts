// One invocation of a command over its inputs: opens them, hands them on, tells what cannot be read, and answers with
// the exit code.

import { statSync } from 'node:fs';
import { InputError } from '../corpus/error.ts';
import { stampOf, stampOfInput, stampOfOpen } from '../corpus/input/stamp.ts';
import { type Event, Flow, type FlowOptions } from '../corpus/jobs/flow.ts';
import type { JobInput } from '../corpus/jobs/job.ts';
import { TableError } from '../corpus/tables/error.ts';
import { FileOutputError } from '../corpus/output-file.ts';
import { findInputs, type Input, isReadOnce, optionsFor, STANDARD_INPUT } from '../corpus/input/paths.ts';
import type { FileOptions } from '../corpus/records/unit.ts';
import { type Encoding, loadTokenizer, TokenizerError } from '../corpus/tokens.ts';
import type { PlainReadOptions } from '../model/part-walk.ts';
import { EmptyInputs } from './empty-inputs.ts';
import { type CorpusOptions, readOptionsOf, type SharedOptions } from './options.ts';
import { Output } from './output.ts';
import { type Colors, colorsFor, countOf, escapeLine } from './print.ts';
import { type MakeSpinner, Progress } from './progress.ts';
import { SignalGuard } from './signals.ts';
import { ClosedPipe, type Host, OutputError } from './stream.ts';
import { type Sums, summaryOf } from './summary.ts';

/** Exit codes. */
export const OK = 0;
export const FOUND = 1;
export const FAILED = 2;
export const BUG = 70;
/** What failed may pass by itself: a scheduler may try again. */
export const TRY_AGAIN = 75;

/** What comes out of the inputs; `broken`: nothing more comes of one that began, which is told. */
export type InvocationEvent = Exclude<Event, { kind: 'error' }> | { readonly kind: 'broken' };

/** A line for people. That nobody listens is no reason to stop. */
export function tell(host: Host, line: string): void {
  try {
    host.stderr.write(`${line}\n`);
  } catch (error) {
    if (!(error instanceof ClosedPipe || error instanceof OutputError)) throw error;
  }
}

/** Bytes of all inputs; null: not all of them can be told, or are read as they lie there. */
function totalOf(paths: readonly string[]): number | null {
  let total = 0;
  for (const input of findInputs(paths.length > 0 ? paths : [STANDARD_INPUT], -1)) {
    if (input instanceof InputError) continue;
    if (input.ref.kind !== 'file' || /\.(?:gz|zst|parquet)$/.test(input.path)) return null;
    const path = typeof input.ref.path === 'string' ? input.ref.path : Buffer.from(input.ref.path);
    total += statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  }
  return total;
}

export interface EventSettings extends Pick<FlowOptions, 'work' | 'tellsAtEnd' | 'columns' | 'watching' | 'parts'> {
  /** Those that are read. */
  readonly inputs?: Iterable<Input | InputError>;
  /** People are told of inputs that hold no message. */
  readonly tellsEmpty?: boolean;
  /** Bytes of a record that is still read. */
  readonly largestRecord?: number | undefined;
  /** Is told of what cannot be read, instead of people. */
  readonly onFailure?: (error: InputError) => void;
}

/** Complaints that are known when they come again. */
const MOST_COMPLAINTS = 10_000;

export class Invocation {
  readonly out: Output;
  readonly progress: Progress;
  /** Colours of standard output and of standard error. */
  readonly colors: Colors;
  readonly #errorColors: Colors;
  readonly #showsProgress: boolean;
  readonly #host: Host;
  readonly #options: PlainReadOptions;
  readonly #complaints = new Set<string>();
  #flow: Flow | undefined;
  /** Inputs read to their end, and whether anything could not be read. */
  files = 0;
  failed = false;
  /** System messages by which headerless text looks like Harmony. */
  #likeHarmony = 0;
  #toldLikeness = false;

  /** `makeSpinner` null: no progress. */
  constructor(options: SharedOptions, host: Host, makeSpinner: MakeSpinner | null) {
    const { stdout, stderr, env } = host;
    this.#host = host;
    this.#options = readOptionsOf(options);
    this.out = new Output(stdout);
    this.progress = new Progress(stderr, makeSpinner);
    this.#showsProgress = makeSpinner !== null;
    this.colors = colorsFor(options.color, stdout.isTTY, env);
    this.#errorColors = colorsFor(options.color, stderr.isTTY, env);
  }

  /**
   * What comes out of the inputs that the arguments mean, or of those of them in `settings.inputs`, on threads where
   * that pays; what cannot be read is told. Bytes that were read are counted, unless `settings.watching` does it.
   */
  async *events(
    paths: readonly string[],
    { threads, form, field, quiet }: CorpusOptions,
    { inputs, largestRecord, onFailure, tellsEmpty, ...settings }: EventSettings,
  ): AsyncGenerator<InvocationEvent, void, void> {
    if (this.#showsProgress && inputs === undefined) this.progress.setTotal(totalOf(paths));
    const { jobs } = this.#host;
    const read = (path: string): FileOptions => ({ ...optionsFor(path, this.#options), form, field, largestRecord });
    // Reading from a pipe would hold a signal up until something comes.
    const { signals } = this.#host;
    const guard = signals && paths.length > 0 && !paths.some(isReadOnce) ? new SignalGuard(signals) : null;
    const empty = tellsEmpty && !quiet ? new EmptyInputs() : null;
    const flow = (this.#flow = new Flow({ ...settings, threads, read, ...(jobs && { jobs }) }));
    try {
      for await (const event of flow.events(
        inputs ?? findInputs(paths.length > 0 ? paths : [STANDARD_INPUT], this.#host.stdin.fd),
      )) {
        if (event.kind === 'error') {
          if (onFailure) onFailure(event.error);
          else this.complain(event.error);
          if (event.isBroken) yield { kind: 'broken' };
          continue;
        }
        if (event.kind === 'part' && event.opened === null) this.progress.add(event.result.bytes, event.input.path);
        if (event.kind === 'part') this.#likeHarmony += event.result.likeHarmony;
        if (event.kind === 'end') {
          this.files++;
          if (event.transcripts === 0) this.#tellIfAny(empty?.add(event.input, event.records > 0));
        }
        yield event;
        const pause = guard?.pause();
        if (pause) await pause;
      }
      this.#tellIfAny(empty?.end());
      if (!quiet) this.#tellLikeness();
    } finally {
      guard?.close();
      // A spinner that goes on would keep the process alive.
      this.progress.stop();
    }
  }

  /** Nothing more of an input is wanted: it comes to no end. */
  skip(input: JobInput): void {
    this.#flow!.skip(input);
  }

  /** What `work` gives; null when an input of it cannot be read, which is told. */
  attempt<T>(work: () => T): T | null {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      this.complain(error);
      return null;
    }
  }

  /** Tells what is wrong with an input, once: some commands read their inputs twice. */
  complain({ path, reason, remedy }: InputError): void {
    this.failed = true;
    const complaint = JSON.stringify([path, reason]);
    if (this.#complaints.has(complaint)) return;
    if (this.#complaints.size < MOST_COMPLAINTS) this.#complaints.add(complaint);
    this.out.flush();
    this.tell(`${this.#errorColors.red('error:')} ${escapeLine(path)}: ${reason}${remedy && `; ${remedy}`}`);
  }

  /** Whether the inputs can be read again, as an option asks; else it is told. */
  canReadTwice(paths: readonly string[], option: string): boolean {
    if (paths.length > 0 && !paths.some(isReadOnce)) return true;
    this.tell(`error: ${option} reads the inputs twice, and a pipe is read once; store the input in a file`);
    return false;
  }

  /** Loads what counts tokens. False: it is not there, which is told. */
  async loadsTokenizer(encoding: Encoding): Promise<boolean> {
    try {
      await loadTokenizer(encoding);
      return true;
    } catch (error) {
      if (!(error instanceof TokenizerError)) throw error;
      this.tell(`${this.#errorColors.red('error:')} --tokens: ${error.message}`);
      return false;
    }
  }

  /** Whether an output would take the place of an input, which is told. */
  refusesTarget(paths: readonly string[], target: string): boolean {
    const state = stampOf(target);
    if (state === null) return false;
    for (const input of findInputs(paths.length > 0 ? paths : [STANDARD_INPUT], this.#host.stdin.fd)) {
      if (input instanceof InputError) continue;
      const { ref } = input;
      const own = ref.kind === 'stdin' ? stampOfOpen(ref.fd) : stampOfInput(ref);
      if (own?.file !== state.file) continue;
      this.complain(new InputError(target, 'is an input, which the output would replace', 'give another name'));
      return true;
    }
    return false;
  }

  /** Tells what is wrong with an output file; false: the error is another one. */
  complainOfOutput(error: unknown): boolean {
    if (!(error instanceof FileOutputError || error instanceof TableError)) return false;
    this.failed = true;
    const where = error instanceof FileOutputError ? `${escapeLine(error.path)}: ` : '';
    this.tell(`${this.#errorColors.red('error:')} ${where}${error.reason}; ${error.remedy}`);
    return true;
  }

  /** Lines for people, who have seen what was written before. */
  tellAll(lines: readonly string[]): void {
    this.out.flush();
    for (const line of lines) this.tell(escapeLine(line));
  }

  /** A line for people. */
  tell(line: string): void {
    this.progress.stop();
    tell(this.#host, line);
  }

  #tellIfAny(line: string | null | undefined): void {
    if (typeof line !== 'string') return;
    this.out.flush();
    this.tell(line);
  }

  /** What is read as OpenChatML and looks like Harmony (R-LIKELY); told once. */
  #tellLikeness(): void {
    const count = this.#likeHarmony;
    if (count === 0 || this.#toldLikeness) return;
    this.#toldLikeness = true;
    const words = `${countOf(count, 'system message')} ${count === 1 ? 'looks' : 'look'} like Harmony`;
    this.tell(`${words}, and the text is read as OpenChatML 2.2; --dialect harmony reads it as Harmony`);
  }

  /**
   * At the end, where a person looks on or asks for it: sums, and how fast it was. `found`: what was found, which
   * everybody is told.
   */
  tellSums(
    sums: Omit<Sums, 'files' | 'bytes' | 'seconds'>, { quiet, summary }: CorpusOptions, found: string | null = null,
  ): void {
    if (quiet) return;
    const { bytes, seconds } = this.progress;
    if (this.#host.stderr.isTTY || summary) {
      const line = summaryOf({ files: this.files, ...sums, bytes, seconds }, found);
      this.tell(found === null ? this.#errorColors.dim(line) : line);
    } else if (found !== null) this.tell(found);
  }
}
