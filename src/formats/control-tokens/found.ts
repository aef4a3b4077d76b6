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
  /** Of whole tokens, in order. */
  readonly #begins: number[] = [];
  readonly #ends: number[] = [];

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

  /** A whole token stands there, whether it is told or not. */
  pass({ index, to }: { readonly index: number; readonly to: number }): void {
    this.#begins.push(index);
    this.#ends.push(to);
  }

  beginsAt(index: number): boolean {
    return holds(this.#begins, index) || this.#seams.some((seam) => seam.index === index);
  }

  endsAt(index: number): boolean {
    return holds(this.#ends, index) || this.#seams.some((seam) => seam.to === index);
  }

  inOrder(): FoundRun[] {
    return [...this.#alone, ...this.#runs].sort((a, b) => a.index - b.index || rankOf(a) - rankOf(b));
  }
}

/** What is a token comes before what looks like one. */
const rankOf = ({ rule }: Found): number => (rule === 'token-look-alike' ? 1 : 0);

/** Whether numbers that rise hold one. */
function holds(numbers: readonly number[], wanted: number): boolean {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return numbers[low] === wanted;
}
