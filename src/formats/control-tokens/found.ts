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
  readonly severity: Severity;
  readonly detail?: string | undefined;
}

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
      this.#alone.push(once(found));
      return;
    }
    const { rule, to, severity } = found;
    for (const run of this.#runs) {
      if (run.rule !== rule || run.severity !== severity) continue;
      run.to = Math.max(run.to, to);
      run.times++;
      return;
    }
    this.#runs.push(once(found));
  }

  get inOrder(): readonly FoundRun[] {
    return [...this.#alone, ...this.#runs];
  }
}

/** Field by field: texts may have one each, and an object that is spread takes ten times as long. */
const once = ({ rule, index, to, token, severity, detail }: Found): FoundRun =>
  ({ rule, index, to, token, severity, detail, times: 1 });
