// A report that tells so many diagnostics and no more: what comes beyond is counted, and the count is told at the end.

import type { InputSource } from '../../corpus/input/source.ts';
import type { Place } from '../../errors.ts';
import { thousands } from '../print.ts';
import type { Report, Summary, Told } from './report.ts';

export interface Limits {
  readonly perFile: number;
  readonly inAll: number;
}

/** What a person at a terminal can take in. */
export const TERMINAL_LIMITS: Limits = { perFile: 20, inAll: 200 };

export class LimitedReport implements Report {
  readonly #report: Report;
  readonly #limits: Limits;
  #path: string | undefined;
  #ofPath = 0;
  #told = 0;
  #left = 0;

  constructor(report: Report, limits: Limits) {
    this.#report = report;
    this.#limits = limits;
  }

  wants(path: string): boolean {
    return this.#told < this.#limits.inAll && (path !== this.#path || this.#ofPath < this.#limits.perFile);
  }

  diagnostic(path: string, diagnostic: Told, place: Place, input: InputSource | null, record?: number | null): void {
    if (!this.wants(path)) {
      this.#left++;
      return;
    }
    if (path !== this.#path) {
      this.#path = path;
      this.#ofPath = 0;
    }
    this.#ofPath++;
    this.#told++;
    this.#report.diagnostic(path, diagnostic, place, input, record);
  }

  leave(): void {
    this.#left++;
  }

  end(summary: Summary, complete: boolean): string | null {
    const words = this.#report.end(summary, complete);
    if (this.#left === 0) return words;
    const more = `${thousands(this.#left)} more; --max-diagnostics none reports them`;
    return words === null ? more : `${more}\n${words}`;
  }
}
