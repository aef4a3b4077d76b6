// What a configuration makes of findings: another severity, or nothing.

import type { Severity } from '../errors.ts';

/** What a configuration says of rules: another severity; off: their diagnostics are neither told nor counted. */
export type RuleSettings = Readonly<Record<string, Severity | 'off'>>;

/**
 * What becomes of a diagnostic: itself, the same with another severity, or null: it is neither told nor counted.
 * `strict`: warnings are errors, those of the configuration too.
 */
export function applyRules(
  rules: RuleSettings = {}, strict = false,
): <D extends { readonly rule: string; readonly severity: Severity }>(diagnostic: D) => D | null {
  return (diagnostic) => {
    const { rule, severity } = diagnostic;
    const wanted = Object.hasOwn(rules, rule) ? rules[rule]! : severity;
    if (wanted === 'off') return null;
    const settled = strict && wanted === 'warning' ? 'error' : wanted;
    return settled === severity ? diagnostic : { ...diagnostic, severity: settled };
  };
}
