// The rules of the audit: what of a template may stand in text that should hold none of it. They are beside the rules
// of transcripts, as the text that they are about is no transcript yet.

import type { Rule } from '../../errors.ts';

interface AuditRule extends Rule {
  readonly code: null;
  readonly severity: 'error' | 'warning';
}

function rule(severity: 'error' | 'warning', clause: string, text: string, remedy: string): AuditRule {
  return { code: null, severity, clause, text, remedy };
}

const REMEDY = 'escape it or break it up (`openchatml audit --fix` writes a copy), or leave the record out';

/** Every rule of the audit, one row each. */
export const AUDIT_RULES = {
  'control-token': rule('error', 'R-REFUSE, 2.2 §3', 'a control token stands in text that should hold none', REMEDY),
  'assembled-token': rule('error', 'R-TAIL, R-REFUSE',
    'the text makes or unmakes a control token together with what a template puts beside it', REMEDY),
  'cot-marker': rule('error', 'R-COT', 'a marker of private reasoning stands in text that is no reasoning', REMEDY),
  'bound-token': rule('warning', 'R-GAP', 'a bound of 0.1 stands where it could begin or end a transcript',
    'remove it: whoever writes the transcript puts it there'),
  'foreign-token': rule('warning', 'R-TEXT', 'a control token of another chat format stands in the text',
    'nothing, when the text will never meet that format; else break it up'),
  'token-look-alike': rule('warning', 'R-TEXT', 'text looks like a control token and is none',
    'nothing, when it is meant; what normalises or decodes text could make a token of it'),
} as const satisfies Record<string, AuditRule>;

/** The name of a rule of the audit, such as `control-token`. */
export type AuditRuleName = keyof typeof AUDIT_RULES;
