// Every rule that a report may tell of: those of transcripts, and those of the audit.

import { type Rule, type RuleName, RULES } from '../../errors.ts';
import { AUDIT_RULES, type AuditRuleName } from '../../formats/control-tokens/rules.ts';

export type AnyRuleName = RuleName | AuditRuleName;

const ROWS: Readonly<Record<AnyRuleName, Rule>> = { ...AUDIT_RULES, ...RULES };

/** The names of all rules, those of transcripts first. */
export const ALL_RULES: readonly AnyRuleName[] = [
  ...(Object.keys(RULES) as RuleName[]),
  ...(Object.keys(AUDIT_RULES) as AuditRuleName[]).filter((name) => !Object.hasOwn(RULES, name)),
];

export const ruleOf = (name: AnyRuleName): Rule => ROWS[name];
