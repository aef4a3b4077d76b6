// What an audit tells of a text or a record, and what a copy has otherwise.

import { RULES, type Severity } from '../../errors.ts';
import type { TokenEdit } from '../../formats/control-tokens/edits.ts';
import type { AuditRuleName } from '../../formats/control-tokens/rules.ts';
import type { CorpusRecord } from '../records/record-types.ts';
import type { BadRecordRule } from '../records/unit-types.ts';

/** As a diagnostic: with a rule of the audit, or what is wrong with a whole record. */
export interface AuditFinding {
  readonly code: null;
  readonly rule: AuditRuleName | BadRecordRule;
  readonly severity: Severity;
  /** Bytes of the input, half open. */
  readonly from: number;
  readonly to: number;
  /** From 0; of a record that holds no text of several transcripts 0. */
  readonly transcript: number;
  /** Number of the record, from 0; null in raw text. */
  readonly record: number | null;
  /** The field of the record, `messages[3].content` for example; null in raw text. */
  readonly field: string | null;
  readonly message: string;
  /** How many it stands for; left out: one. */
  readonly times?: number;
  /** Byte that line and column lead people to; left out: `from`. */
  readonly faultAt?: number;
}

/** What is known of a finding before it is told. */
export type Brief = Pick<AuditFinding, 'rule' | 'severity' | 'from' | 'to' | 'times'>;

/** Bytes [from, to) of the input become others. */
export interface ByteEdit {
  readonly from: number;
  readonly to: number;
  readonly bytes: Uint8Array;
}

/** The edit at hand of several, in order. */
export interface ByteEditCursor extends ByteEdit {
  /** Goes to the next one, to the first one at first; false: there is none. */
  next(): boolean;
}

/** Of one text, in order; made when they are asked for. */
export type Edits = Iterable<TokenEdit> & { readonly length: number };

/** A text that a copy has otherwise. */
export interface TextChange {
  /** The field, or the message. */
  readonly where: string;
  /** Line of the record; null in raw text. */
  readonly line: number | null;
  /** First byte of the text in the input. */
  readonly from: number;
  readonly text: string;
  readonly edits: Edits;
  /** The edits of the input: one by one, as there may be millions. */
  byteEdits(): ByteEditCursor;
}

/** A text in which something was found, or a record that cannot be looked into. */
export interface AuditedText {
  /** Where its message or record begins. */
  readonly at: number;
  /** What is found, in order; the places count from `base` on. A text may repeat: findings are made when asked for. */
  readonly briefs: readonly Brief[];
  readonly base: number;
  readonly findings: readonly AuditFinding[];
  /** Line of the record; null in raw text. */
  readonly line: number | null;
  /** Of a record that is a line, which begins at `at`: its bytes, valid until the next text is asked for. */
  readonly lineBytes?: Uint8Array | undefined;
  /** Null: nothing of it is changed. */
  readonly change: TextChange | null;
  /** Errors that the change leaves. */
  readonly left: number;
}

/** A text in which something was found; or a position: everything before it has been looked at. */
export type Audited = AuditedText | number;

/** Bytes [from, to) that cannot be looked into, of a record or of raw text (null). */
export function badText(
  rule: BadRecordRule, of: Pick<CorpusRecord, 'number' | 'line'> | null, from: number, to: number, detail: string,
  transcript = 0, faultAt?: number,
): AuditedText {
  const message = `${RULES[rule].text}: ${detail}`;
  const severity = 'error';
  const record = of?.number ?? null;
  const finding = { code: null, rule, severity, from, to, transcript, record, field: null, message } as const;
  const findings = [faultAt === undefined ? finding : { ...finding, faultAt }];
  return { at: from, briefs: findings, base: 0, findings, line: of?.line ?? null, change: null, left: 1 };
}
