// Diagnostics counted, for summaries and exit codes.

import type { Diagnostic, Severity } from '../../errors.ts';

export class Tally {
  readonly severities: Record<Severity, number> = { error: 0, warning: 0, info: 0 };
  readonly #rules = new Map<string, number>();

  add({ severity, rule, times = 1 }: Pick<Diagnostic, 'severity' | 'times'> & { readonly rule: string }): void {
    this.severities[severity] += times;
    this.#rules.set(rule, (this.#rules.get(rule) ?? 0) + times);
  }

  /** Numbers by rule, in the order of the names. */
  get rules(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#rules].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
