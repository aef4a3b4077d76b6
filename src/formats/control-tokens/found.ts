// What is found in a text: every one up to a bound, then those of one rule and severity as one, so that a text of
// nothing but tokens takes no more memory than the text.

import type { Severity } from '../../errors.ts';
import { AUDIT_RULES, type AuditRuleName } from './rules.ts';

/** What is found, before its bytes are counted. */
export interface Found {
  readonly rule: AuditRuleName;
  readonly index: number;
  readonly to: number;
  readonly token: string | null;
  readonly severity?: Severity;
  readonly detail?: string;
}

export const severityOfFound = ({ rule, severity }: Found): Severity => severity ?? AUDIT_RULES[rule].severity;

/** One finding, or several that are told as one: then it spans all of them. */
export interface FoundRun extends Found {
  readonly times: number;
}

export class FoundTokens {
  readonly #most: number;
  readonly #alone: FoundRun[] = [];
  readonly #runs: { -readonly [K in keyof FoundRun]: FoundRun[K] }[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** In their order. */
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
    run.to = Math.max(run.to, found.to);
    run.times++;
  }

  get inOrder(): readonly FoundRun[] {
    return [...this.#alone, ...this.#runs];
  }
}

/** Found in several ways, each in order: all of them in order, at one place as the ways are. */
export function* mergedInOrder(ways: readonly Iterator<Found, unknown, void>[]): Generator<Found, void, void> {
  const next = ways.map((way) => way.next());
  while (true) {
    let least = -1;
    let index = Infinity;
    for (let i = 0; i < next.length; i++) {
      const { done, value } = next[i]!;
      if (done || (value as Found).index >= index) continue;
      least = i;
      index = (value as Found).index;
    }
    if (least < 0) return;
    yield next[least]!.value as Found;
    next[least] = ways[least]!.next();
  }
}
