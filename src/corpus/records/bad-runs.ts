// What is told of records that cannot be read: of the first ones each, of further ones how many there are. Telling of a
// line takes many times longer than the line, and an input may hold nothing but such lines.

import { BLOCK } from '../../scan/source.ts';

/** Of a block. */
const MOST_ALONE = 1000;

/** Where a bad record stands. */
interface Place {
  /** Bytes of the input. */
  readonly from: number;
  readonly to: number;
  readonly line: number;
}

/** Records that break one rule, told as one. */
export interface BadRun<T> {
  readonly rule: string;
  readonly first: T;
  times: number;
  to: number;
  lastLine: number;
}

/** `T`: what is kept of the first record of a run. */
export class BadRuns<T> {
  #block = -1;
  #alone = 0;
  #runs: BadRun<T>[] = [];
  /** The last bad record. */
  last: T | null = null;

  /** Whether what waits is to be told before a record that begins there, as it is in another block. */
  endsBefore(from: number): boolean {
    const block = Math.floor(from / BLOCK);
    if (block === this.#block) return false;
    this.#block = block;
    this.#alone = 0;
    return this.#runs.length > 0;
  }

  /** Whether bad records, at last one at a place, only make a run longer; nothing else is to be known of them then. */
  isFurther(rule: string, from: number, to: number, line: number, times: number): boolean {
    if (this.#alone < MOST_ALONE || Math.floor(from / BLOCK) !== this.#block) return false;
    for (const run of this.#runs) {
      if (run.rule !== rule) continue;
      run.times += times;
      run.to = to;
      run.lastLine = line;
      return true;
    }
    return false;
  }

  /** Whether a bad record is told by itself; else it waits. */
  isAlone(rule: string, { to, line }: Place, first: T): boolean {
    this.last = first;
    if (this.#alone < MOST_ALONE) {
      this.#alone++;
      return true;
    }
    const run = this.#runs.find((other) => other.rule === rule);
    if (run === undefined) this.#runs.push({ rule, first, times: 1, to, lastLine: line });
    else {
      run.times++;
      run.to = to;
      run.lastLine = line;
    }
    return false;
  }

  get isAny(): boolean {
    return this.#runs.length > 0;
  }

  /** What waits is told now. */
  take(): readonly BadRun<T>[] {
    const runs = this.#runs;
    this.#runs = [];
    return runs;
  }
}
