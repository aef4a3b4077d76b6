// Progress of long work on a terminal: how much is read, how fast, how long it will take. Nothing otherwise.

import { now as monotonic } from '../corpus/clock.ts';
import type { InputSource } from '../corpus/input/source.ts';
import { sizeText } from '../corpus/size-text.ts';
import { type Source, WatchedSource } from '../scan/source.ts';
import { escapeLine } from './print.ts';
import type { TextStream } from './stream.ts';
import { rateOf, timeText } from './summary.ts';

interface Spinner {
  text: string;
  start(): unknown;
  stop(): unknown;
}

/** How the spinner is made; loaded only when it may be needed. */
export type MakeSpinner = (stream: TextStream) => Spinner;

const PATIENCE_MS = 1000;
const STEP_MS = 100;

/** The input that is being read, as far as it is known. */
interface Current {
  readonly path: string;
  readonly position: number;
  readonly size: number | null;
}

export class Progress {
  readonly #stream: TextStream;
  readonly #make: MakeSpinner | null;
  readonly #now: () => number;
  readonly #began: number;
  #shown: number;
  #spinner: Spinner | undefined;
  #bytes = 0;
  #total: number | null = null;
  #current: Current | undefined;

  /** `make` null: never show anything. `now`: milliseconds of a clock that does not go back. */
  constructor(stream: TextStream, make: MakeSpinner | null, now = monotonic) {
    this.#stream = stream;
    this.#make = make;
    this.#now = now;
    this.#began = this.#shown = now();
  }

  /** Bytes read so far, of all inputs. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Since the work began. */
  get seconds(): number {
    return (this.#now() - this.#began) / 1000;
  }

  /** Bytes of all inputs together; null: not known. */
  setTotal(bytes: number | null): void {
    this.#total = bytes;
  }

  /** Counts bytes that were read, by whomever. */
  add(bytes: number, path?: string): void {
    this.#bytes += bytes;
    if (path !== undefined) {
      const before = this.#current?.path === path ? this.#current.position : 0;
      this.#current = { path, position: before + bytes, size: null };
    }
    this.step();
  }

  /** The same source, watched. */
  watch(source: InputSource): Source {
    let furthest = 0;
    const hasRead = (to: number): void => {
      if (to <= furthest) return;
      this.#bytes += to - furthest;
      furthest = to;
      this.#current = { path: source.path, position: furthest, size: source.size };
      this.step();
    };
    return new WatchedSource(source, { hasRead });
  }

  /** Shows where the work stands, when it lasts and it is time to. */
  step(): void {
    if (this.#make === null) return;
    const now = this.#now();
    if (now - this.#began < PATIENCE_MS || now - this.#shown < STEP_MS) return;
    this.#shown = now;
    if (this.#spinner === undefined) {
      this.#spinner = this.#make(this.#stream);
      this.#spinner.start();
    }
    this.#spinner.text = this.#total === null ? this.#partText() : this.#totalText(this.#total);
  }

  /** Takes the spinner away: something else is to be written. */
  stop(): void {
    this.#spinner?.stop();
    this.#spinner = undefined;
  }

  #rate(): string {
    return `${sizeText(rateOf(this.#bytes, this.seconds))}/s`;
  }

  /** Of one input, where nobody knows how much is to come. */
  #partText(): string {
    if (this.#current === undefined) return `${sizeText(this.#bytes)}  ${this.#rate()}`;
    const { path, position, size } = this.#current;
    const part = size === null ? sizeText(position) : `${Math.floor((100 * position) / size)} %`;
    return `${escapeLine(path)}  ${part}  ${this.#rate()}`;
  }

  #totalText(total: number): string {
    // A file may have grown since its size was asked for.
    const done = Math.min(this.#bytes, total);
    const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
    const rate = rateOf(this.#bytes, this.seconds);
    const rest = rate === 0 ? '' : `, ${timeText((total - done) / rate)} left`;
    return `${percent} %  ${sizeText(done)} of ${sizeText(total)}, ${sizeText(rate)}/s${rest}`;
  }
}
