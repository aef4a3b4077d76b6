// One run of a command over its inputs: opens them, hands them on, tells what cannot be read, and answers with the
// exit code.

import { InputError } from '../corpus/error.ts';
import { ENDINGS, findInputs, optionsFor, STANDARD_INPUT } from '../corpus/paths.ts';
import type { InputSource } from '../corpus/source.ts';
import type { ReadOptions } from '../model/walk.ts';
import { createMachine } from '../scan/engine.ts';
import type { Machine } from '../scan/machine.ts';
import type { Source } from '../scan/source.ts';
import { readOptionsOf, type SharedOptions } from './options.ts';
import { Output } from './output.ts';
import { type Colors, colorsFor, escapeLine } from './print.ts';
import { type MakeSpinner, Progress } from './progress.ts';
import { ClosedPipe, type Host, OutputError } from './stream.ts';

/** Exit codes. */
export const OK = 0;
export const FOUND = 1;
export const FAILED = 2;
export const BUG = 70;

/** An open input. */
export interface OpenInput {
  readonly path: string;
  /** To be scanned; shows progress. */
  readonly source: Source;
  /** To be looked into. */
  readonly input: InputSource;
  readonly options: ReadOptions;
}

/** A line for people. That nobody listens is no reason to stop. */
export function tell(host: Host, line: string): void {
  try {
    host.stderr.write(`${line}\n`);
  } catch (error) {
    if (!(error instanceof ClosedPipe || error instanceof OutputError)) throw error;
  }
}

export class Run {
  readonly out: Output;
  readonly progress: Progress;
  /** Colours of standard output and of standard error. */
  readonly colors: Colors;
  readonly #errorColors: Colors;
  readonly #host: Host;
  readonly #options: ReadOptions;
  #machine: Machine | undefined;
  /** Inputs read to their end, and whether anything could not be read. */
  files = 0;
  failed = false;

  /** `makeSpinner` null: no progress. */
  constructor(options: SharedOptions, host: Host, makeSpinner: MakeSpinner | null) {
    const { stdout, stderr, env } = host;
    this.#host = host;
    this.#options = readOptionsOf(options);
    this.out = new Output(stdout);
    this.progress = new Progress(stderr, makeSpinner);
    this.colors = colorsFor(options.color, stdout.isTTY, env);
    this.#errorColors = colorsFor(options.color, stderr.isTTY, env);
  }

  /** The one scanner of the run. */
  get machine(): Machine {
    return (this.#machine ??= createMachine());
  }

  /**
   * Visits the inputs that the arguments mean (of folders the files with `endings`), standard input when there are none. One that cannot be read is told,
   * and the next one is visited.
   */
  each(paths: readonly string[], visit: (input: OpenInput) => void, endings = ENDINGS): void {
    try {
      for (const input of findInputs(paths.length > 0 ? paths : [STANDARD_INPUT], this.#host.stdin.fd, endings)) {
        try {
          if (input instanceof InputError) throw input;
          this.#visit(input.open(), visit);
          this.files++;
        } catch (error) {
          if (!(error instanceof InputError)) throw error;
          this.complain(error);
        }
      }
    } finally {
      // A spinner that goes on would keep the process alive.
      this.progress.stop();
    }
  }

  #visit(input: InputSource, visit: (input: OpenInput) => void): void {
    try {
      const { path } = input;
      visit({ path, input, source: this.progress.watch(input), options: optionsFor(path, this.#options) });
    } finally {
      input.close();
    }
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

  /** Tells what is wrong with an input. */
  complain({ path, reason, remedy }: InputError): void {
    this.failed = true;
    this.out.flush();
    this.tell(`${this.#errorColors.red('error:')} ${escapeLine(path)}: ${reason}${remedy && `; ${remedy}`}`);
  }

  /** A line for people. */
  tell(line: string): void {
    this.progress.stop();
    tell(this.#host, line);
  }

  /** On a terminal, at the end: how fast it was. */
  tellSpeed(): void {
    if (this.#host.stderr.isTTY) this.tell(this.#errorColors.dim(this.progress.summary()));
  }
}
