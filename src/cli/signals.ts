// What becomes of files that are being written when a signal ends the program.
//
// Node handles a signal when nothing else runs, and the work seldom pauses by itself. So signals are caught only while
// some file is being written, and the work pauses for them from time to time.

import { now } from '../corpus/clock.ts';
import { discardOpenFiles, OPEN_FILES } from '../corpus/open-files.ts';

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

export class SignalGuard {
  readonly #signals: Signals;
  #isCatching = false;
  #paused = 0;

  constructor(signals: Signals) {
    this.#signals = signals;
  }

  /** To be called between pieces of work: null when nothing is to be awaited. */
  pause(time = now()): Promise<void> | null {
    if (OPEN_FILES.size > 0 !== this.#isCatching) this.#catch(!this.#isCatching);
    if (!this.#isCatching || time - this.#paused < PAUSE_MS) return null;
    this.#paused = time;
    return new Promise((resolve) => setImmediate(resolve));
  }

  close(): void {
    if (this.#isCatching) this.#catch(false);
  }

  #catch(begins: boolean): void {
    this.#isCatching = begins;
    for (const name of SIGNALS) {
      if (begins) this.#signals.on(name, this.#end);
      else this.#signals.off(name, this.#end);
    }
  }

  /** The files go, and then the signal does what it does to a program that does not care. */
  readonly #end = (name: Name): void => {
    discardOpenFiles();
    this.close();
    this.#signals.kill(this.#signals.pid, name);
  };
}
