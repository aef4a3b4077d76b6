// What is found in a text: every one up to a bound, then those of one rule and severity as one, so that a text of
// nothing but tokens takes no more memory than the text.

import type { Severity } from '../../errors.ts';
import type { AuditRuleName } from './rules.ts';

/** What is found, before its bytes are counted. */
export interface Found {
  readonly rule: AuditRuleName;
  readonly index: number;
  readonly to: number;
  readonly token: string | null;
  readonly severity?: Severity;
  readonly detail?: string;
}

/** One finding, or several that are told as one: then it spans all of them. */
export interface FoundRun extends Found {
  readonly times: number;
}

export class FoundTokens {
  readonly #most: number;
  readonly #alone: FoundRun[] = [];
  readonly #runs: { -readonly [K in keyof FoundRun]: FoundRun[K] }[] = [];
  readonly #seams: Found[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  add(found: Found): void {
    if (this.#alone.length < this.#most) {
      this.#alone.push({ ...found, times: 1 });
      return;
    }
    const run = this.#runs.find(({ rule, severity }) => rule === found.rule && severity === found.severity);
    if (run === undefined) {
      this.#runs.push({ ...found, times: 1 });
      return;
    }
    run.index = Math.min(run.index, found.index);
    run.to = Math.max(run.to, found.to);
    run.times++;
  }

  /** Part of a token, at an edge of the text. */
  addSeam(found: Found): void {
    this.#seams.push(found);
    this.add(found);
  }

  /** A seam, which may be part of a token, begins there, or ends. */
  seamBeginsAt(index: number): boolean {
    return this.#seams.some((seam) => seam.index === index);
  }

  seamEndsAt(index: number): boolean {
    return this.#seams.some((seam) => seam.to === index);
  }

  inOrder(): FoundRun[] {
    return [...this.#alone, ...this.#runs].sort((a, b) => a.index - b.index || rankOf(a) - rankOf(b));
  }
}

/** What is a token comes before what looks like one. */
const rankOf = ({ rule }: Found): number => (rule === 'token-look-alike' ? 1 : 0);
