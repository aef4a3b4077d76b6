// Every rule that a report may tell of: those of transcripts, and those of the audit.

import { type Rule, type RuleName, RULES } from '../../errors.ts';
import type { Told } from '../../corpus/jobs/job.ts';
import { AUDIT_RULES, type AuditRuleName } from '../../formats/control-tokens/rules.ts';
import { shownName } from '../../printable.ts';

export type AnyRuleName = RuleName | AuditRuleName;

const ROWS: Readonly<Record<AnyRuleName, Rule>> = { ...AUDIT_RULES, ...RULES };

/** The names of all rules, those of transcripts first. */
export const ALL_RULES: readonly AnyRuleName[] = [
  ...(Object.keys(RULES) as RuleName[]),
  ...(Object.keys(AUDIT_RULES) as AuditRuleName[]).filter((name) => !Object.hasOwn(RULES, name)),
];

export const ruleOf = (name: AnyRuleName): Rule => ROWS[name];

/** What to do: chat data has members where text has headers. */
export function remedyOf({ rule, isChat }: Told): string {
  const { remedy, inRecords } = ruleOf(rule);
  return (isChat ? inRecords : undefined) ?? remedy;
}

/** Where in its record something stands, for people; empty where that says nothing. */
export function whereInRecord({ pointer }: Told): string {
  return pointer ? ` at ${shownName(pointer)}` : '';
}

/** What is wrong, where in the record, and what to do. */
export function sentenceOf(told: Told): string {
  return `${told.message}${whereInRecord(told)} (remedy: ${remedyOf(told)})`;
}
