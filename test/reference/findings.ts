// What can be found wrong: the rules of rulings section 7, with their codes and severities.

export type Severity = 'error' | 'warning' | 'info';

export interface Finding {
  transcript: number;
  code: string | null;
  rule: string;
  severity: Severity;
  from: number;
  to: number;
}

/** A finding before the transcript that it belongs to is known. */
export interface Note {
  rule: string;
  from: number;
  to: number;
  severity?: Severity;
}

const HEADER = 'E-PARSE-HEADER';
const CALL = 'E-CALL-SCHEMA';
const TRUNCATED = 'E-STREAM-TRUNCATED';

/** Code and usual severity; where a ruling says another severity for a case, the note says it. */
const RULES: Readonly<Record<string, readonly [string | null, Severity]>> = {
  'missing-header': [HEADER, 'error'],
  'missing-version': [HEADER, 'error'],
  'bad-yaml': [HEADER, 'error'],
  'duplicate-key': [HEADER, 'error'],
  'not-a-mapping': [HEADER, 'error'],
  'header-limit': [HEADER, 'error'],
  'unsupported-version': [HEADER, 'error'],
  'newer-version': [HEADER, 'warning'],
  'not-utf8': [HEADER, 'error'],
  'missing-role': [HEADER, 'error'],
  'unknown-role': [HEADER, 'error'],
  'stray-word': [HEADER, 'error'],
  'duplicate-attribute': [HEADER, 'error'],
  'empty-attribute': [HEADER, 'error'],
  'duplicate-channel': [HEADER, 'error'],
  'unknown-channel': [HEADER, 'error'],
  'missing-start': [HEADER, 'error'],
  'missing-message': [HEADER, 'error'],
  'stray-token': [HEADER, 'error'],
  'bare-recipient': [HEADER, 'warning'],
  'unusual-value': [HEADER, 'warning'],
  'unknown-intent': [HEADER, 'warning'],
  'missing-tool-name': [HEADER, 'warning'],
  'reply-recipient': [HEADER, 'warning'],
  'return-not-final': [HEADER, 'warning'],
  'call-end': [CALL, 'warning'],
  'bad-header-value': [HEADER, 'warning'],
  undeclared: [HEADER, 'warning'],
  'mixed-call': [CALL, 'warning'],
  'bad-deadline': [CALL, 'warning'],
  'reply-order': [CALL, 'warning'],
  'missing-channel': ['E-PARSE-CHANNEL-MISSING', 'error'],
  'missing-end': [TRUNCATED, 'error'],
  truncated: [TRUNCATED, 'error'],
  'unterminated-literal': [TRUNCATED, 'error'],
  'nothing-found': [null, 'warning'],
  'looks-like-harmony': [null, 'info'],
  'text-between-messages': [null, 'warning'],
  'invalid-utf8': [null, 'warning'],
  completion: [null, 'info'],
  'open-turn': [null, 'info'],
  'trailing-terminator': [null, 'info'],
  'missing-call-id': [CALL, 'error'],
  'duplicate-call-id': [CALL, 'error'],
  'unmatched-reply': [CALL, 'error'],
  'duplicate-reply': [CALL, 'error'],
  'call-without-recipient': [CALL, 'error'],
  'call-channel': [CALL, 'error'],
  'bad-call-object': [CALL, 'warning'],
  'open-call': [null, 'info'],
  'invalid-json': ['E-BODY-CONSTRAINT-VIOLATION', 'error'],
  'hint-mismatch': [null, 'warning'],
  'unknown-content-type': [null, 'info'],
  'cot-in-final': ['E-PERM-VISIBILITY', 'error'],
  'leaked-channel': ['E-PERM-VISIBILITY', 'error'],
  'reasoning-in-final': ['E-PERM-VISIBILITY', 'warning'],
  'unknown-attribute': [null, 'info'],
};

export function finding(transcript: number, note: Note): Finding {
  const [code, usual] = RULES[note.rule];
  const { rule, from, to } = note;
  return { transcript, code, rule, severity: note.severity ?? usual, from, to };
}

/** By position, then by rule; the end and the severity only make the order total. */
export function byPosition(a: Finding, b: Finding): number {
  return a.from - b.from || order(a.rule, b.rule) || a.to - b.to || order(a.severity, b.severity);
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
