// What an input consists of for those who scan and check it: units, and records that hold none.

import type { RuleName } from '../../errors.ts';
import type { CheckOptions } from '../../rules/check-options.ts';
import type { Source } from '../../scan/source.ts';

/** One text that holds transcripts. Valid until the next one is asked for. */
export interface Unit {
  /** A raw input; text of a record's field; chat data of a record, written as OpenChatML 2.2. */
  readonly kind: 'raw' | 'text' | 'chat';
  /** Number of the record in its container, from 0, and its line (Parquet: row) from 1; null in raw text. */
  readonly record: number | null;
  readonly line: number | null;
  /** Where the record begins in the file; null in raw text. */
  readonly at: number | null;
  readonly source: Source;
  /** How to read it. */
  readonly options: CheckOptions;
  /**
   * Position in the file of a position in the text; cheapest when asked with rising positions. `isEnd`: the end of a
   * span, which belongs to what stands before it.
   */
  place(offset: number, isEnd?: boolean): number;
  /**
   * JSON pointer, in the record, of what a finding in the text is about; null in raw text. Made when something is told:
   * the record is read again.
   */
  pointer(finding: { readonly rule: RuleName; readonly from: number }): string | null;
}

export type BadRecordRule = 'bad-record' | 'unknown-record' | 'refused-record';

/** A record that holds no transcript which can be read. */
export interface BadRecord {
  readonly record: number;
  readonly line: number;
  /** Bytes in the file. */
  readonly from: number;
  readonly to: number;
  readonly rule: BadRecordRule;
  /** JSON pointer of what is wrong in it; empty: the record. */
  readonly pointer: string;
  /** What is wrong; holds nothing of the record. */
  readonly detail: string;
  /** The byte of the record where it goes wrong, which people are led to; null: unknown. */
  readonly fault: number | null;
}

export const isBad = (unit: Unit | BadRecord): unit is BadRecord => 'rule' in unit;

/** What is wrong with a record, and at which of its bytes, if that is known. */
export const detailOf = (problem: string, at: number | null): string =>
  at === null ? problem : `${problem}, at byte ${at} of the record`;

/** What a record is told that gives no unit. */
export function badRecord(
  { number, line, from, to }: { number: number; line: number; from: number; to: number },
  rule: BadRecordRule,
  detail: string,
  pointer = '',
  fault: number | null = null,
): BadRecord {
  return { record: number, line, from, to, rule, pointer, detail, fault };
}
