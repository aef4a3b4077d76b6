// Progress of long work on a terminal: how much of a file is read, how fast. Nothing otherwise.

import type { InputSource } from '../corpus/source.ts';
import type { Source } from '../scan/source.ts';
import { escapeLine } from './print.ts';
import type { TextStream } from './stream.ts';

interface Spinner {
  text: string;
  start(): unknown;
  stop(): unknown;
}

/** How the spinner is made; loaded only when it may be needed. */
export type MakeSpinner = (stream: TextStream) => Spinner;

const PATIENCE_MS = 1000;
const STEP_MS = 100;

export class Progress {
  readonly #stream: TextStream;
  readonly #make: MakeSpinner | null;
  readonly #began = performance.now();
  #shown = this.#began;
  #spinner: Spinner | undefined;
  #bytes = 0;

  /** `make` null: never show anything. */
  constructor(stream: TextStream, make: MakeSpinner | null) {
    this.#stream = stream;
    this.#make = make;
  }

  /** The same source, watched. */
  watch(source: InputSource): Source {
    let furthest = 0;
    return {
      read: (at, into) => {
        const read = source.read(at, into);
        if (at + read > furthest) {
          this.#bytes += at + read - furthest;
          furthest = at + read;
          this.#step(source, furthest);
        }
        return read;
      },
      bytes: (from, to) => source.bytes(from, to),
      release: (before) => source.release(before),
    };
  }

  /** Takes the spinner away: something else is to be written. */
  stop(): void {
    this.#spinner?.stop();
    this.#spinner = undefined;
  }

  /** What was read in all, and how fast. */
  summary(): string {
    const seconds = (performance.now() - this.#began) / 1000;
    return `${this.#rate()} (${(this.#bytes / 1e6).toFixed(1)} MB in ${seconds.toFixed(2)} s)`;
  }

  #rate(): string {
    return `${(this.#bytes / 1e3 / Math.max(performance.now() - this.#began, 1)).toFixed(0)} MB/s`;
  }

  #step(source: InputSource, position: number): void {
    if (this.#make === null) return;
    const now = performance.now();
    if (now - this.#began < PATIENCE_MS || now - this.#shown < STEP_MS) return;
    this.#shown = now;
    const { size } = source;
    const part = size === null ? `${(position / 1e6).toFixed(0)} MB` : `${Math.floor((100 * position) / size)} %`;
    if (this.#spinner === undefined) {
      this.#spinner = this.#make(this.#stream);
      this.#spinner.start();
    }
    this.#spinner.text = `${escapeLine(source.path)}  ${part}  ${this.#rate()}`;
  }
}
