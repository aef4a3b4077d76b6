// What becomes of files that are being written when a signal ends the program.
//
// Node handles a signal when nothing else runs, and the work seldom pauses by itself. So signals are caught only while
// some file is being written, from its first moment on, and the work pauses for them from time to time.

import { now } from '../corpus/clock.ts';
import { areFilesOpen, discardOpenFiles, watchOpenFiles } from '../corpus/open-files.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type Name = (typeof SIGNALS)[number];

/** What of `process` is needed. */
export interface Signals {
  readonly pid: number;
  on(name: Name, listener: (name: Name) => void): unknown;
  off(name: Name, listener: (name: Name) => void): unknown;
  kill(pid: number, name: Name): unknown;
}

/** How long a signal waits, if the work comes by as often. */
const PAUSE_MS = 50;

/** Node asks the system for signals between these two, wherever it was. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

export class SignalGuard {
  readonly #signals: Signals;
  readonly #unwatch: () => void;
  #isCatching = false;
  #isClosed = false;
  #paused = 0;

  constructor(signals: Signals) {
    this.#signals = signals;
    this.#unwatch = watchOpenFiles(() => this.#look());
    this.#look();
  }

  /** To be called between pieces of work: null when nothing is to be awaited. */
  pause(time = now()): Promise<void> | null {
    if (!this.#isCatching || time - this.#paused < PAUSE_MS) return null;
    this.#paused = time;
    return this.#hear();
  }

  /** No pieces of work are left; files that are open are guarded until they are in their places. */
  close(): void {
    this.#isClosed = true;
    this.#look();
  }

  #look(): void {
    if (areFilesOpen()) {
      this.#catch(true);
    } else if (this.#isClosed) {
      this.#unwatch();
      if (this.#isCatching) void this.#hear();
    }
  }

  /** A signal that came while the work went on would be lost if it were no longer caught. */
  async #hear(): Promise<void> {
    await turn();
    if (this.#isClosed || !areFilesOpen()) this.#catch(false);
  }

  #catch(begins: boolean): void {
    if (begins === this.#isCatching) return;
    this.#isCatching = begins;
    for (const name of SIGNALS) {
      if (begins) this.#signals.on(name, this.#end);
      else this.#signals.off(name, this.#end);
    }
  }

  /** The files go, and then the signal does what it does to a program that does not care. */
  readonly #end = (name: Name): void => {
    this.#unwatch();
    discardOpenFiles();
    this.#catch(false);
    this.#signals.kill(this.#signals.pid, name);
  };
}
