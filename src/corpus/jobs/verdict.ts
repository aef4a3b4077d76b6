// The verdict on one record, or on one transcript of raw text: whether it is without errors, and what was found.

import type { Code, Diagnostic, Place, RuleName, Severity } from '../../errors.ts';
import type { MessageRecord } from '../../model/message.ts';
import { countCalls } from '../../rules/call-count.ts';
import type { PlacedMessage } from '../messages.ts';
import { spanOf } from '../records/json-place.ts';
import type { CorpusRecord, RecordProblem } from '../records/record.ts';
import { isTurn } from '../records/turns.ts';
import type { Unit } from '../records/unit-types.ts';

export interface VerdictFinding {
  readonly rule: RuleName;
  readonly code: Code | null;
  readonly severity: Severity;
  /** Bytes of the input. */
  readonly from: number;
  readonly to: number;
  /** Of raw text only: a record stands on one line. */
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
}

/** A message of a record: the columns of `messages` without the record's number. */
export type VerdictMessage = Omit<MessageRecord, 'record'>;

/** Line and column of a byte of raw text. */
export type PlaceOf = (position: number) => Place;

/** Findings that a verdict names; of further ones it tells how many there are. */
const MOST = 100;

export class Verdict {
  readonly #warnings: boolean;
  readonly err: VerdictFinding[] = [];
  #pending: Diagnostic[] = [];
  /** No error was found. */
  ok = true;
  messages = 0;
  calls = 0;
  /** Findings that are not in `err` for want of room. */
  more = 0;

  /** `warnings`: findings that are no errors are named too. */
  constructor(warnings: boolean) {
    this.#warnings = warnings;
  }

  /** The verdict on a record of which nothing is to be told. */
  static clean(messages: number, calls: number): Verdict {
    const verdict = new Verdict(false);
    [verdict.messages, verdict.calls] = [messages, calls];
    return verdict;
  }

  message({ message }: PlacedMessage): void {
    this.messages++;
    this.calls += countCalls(message);
  }

  /** A diagnostic, to be placed later. */
  diagnostic(diagnostic: Diagnostic): void {
    if (this.#counts(diagnostic)) this.#pending.push(diagnostic);
  }

  /** A diagnostic whose positions are bytes of the input already. */
  placed(diagnostic: Diagnostic): void {
    if (this.#counts(diagnostic)) this.err.push(findingOf(diagnostic));
  }

  /** To be called when a unit has been read: `place` and `lines` place what was found in it. */
  settle(place: Unit['place'], lines: PlaceOf | null): void {
    if (this.#pending.length === 0) return;
    const pending = this.#pending.sort((a, b) => a.from - b.from || a.to - b.to);
    this.#pending = [];
    // Rising positions are found fastest.
    const starts = new Map(rising(pending.map(({ from }) => from)).map((offset) => [offset, place(offset)]));
    const ends = new Map(rising(pending.map(({ to }) => to)).map((offset) => [offset, place(offset, true)]));
    for (const found of pending) {
      const from = starts.get(found.from)!;
      const to = found.to === found.from ? from : ends.get(found.to)!;
      this.err.push(findingOf({ ...found, from, to }, lines?.(found.from)));
    }
  }

  /** Whether there is room for a diagnostic that is to be named. */
  #counts({ severity }: Diagnostic): boolean {
    if (severity === 'error') this.ok = false;
    else if (!this.#warnings) return false;
    if (this.err.length + this.#pending.length < MOST) return true;
    this.more++;
    return false;
  }

  /** The end of the verdict's line of JSON, from `"ok"` on. `messages`: their number, or JSON that stands for it. */
  text(messages: number | string = this.messages): string {
    const { ok, calls, err, more } = this;
    const rest = more > 0 ? `,"more":${more}` : '';
    return `"ok":${ok},"messages":${messages},"calls":${calls},"err":${JSON.stringify(err)}${rest}}`;
  }
}

const rising = (offsets: readonly number[]): number[] => [...new Set(offsets)].sort((a, b) => a - b);

function findingOf({ rule, code, severity, from, to, message }: Diagnostic, place?: Place): VerdictFinding {
  return { rule, code, severity, from, to, ...place, message };
}

/** A message as data, its positions in the input. */
export function verdictMessage(
  { message, transcript, index }: PlacedMessage, place: Unit['place'],
): VerdictMessage {
  const { record: _, ...columns } = message.toRecord();
  // Rising positions are found fastest.
  const from = place(columns.from);
  const body_from = place(columns.body_from);
  const body_to = place(columns.body_to, true);
  const to = place(columns.to, true);
  return { ...columns, transcript: transcript.number, index, from, to, body_from, body_to };
}

/** What is told of a record beside the verdict on it. */
export interface JudgedRecord {
  readonly line: number;
  /** Its id as JSON, a number as it is written; null: it has none that is text or a number. */
  id(): string | null;
  /** The record as one line of JSON, numbers as they are written; null: it is none that can be read. */
  text(): string | null;
}

export function judged(record: CorpusRecord | RecordProblem): JudgedRecord {
  const { line } = record;
  if ('problem' in record) return { line, id: () => null, text: () => null };
  const { value, bytes } = record;
  return { line, id: () => idText(value, bytes), text: () => lineOf(bytes) };
}

/** The same, to be written as one of several lines. */
export function judgedApart(record: CorpusRecord | RecordProblem): JudgedRecord {
  const own = judged(record);
  return 'problem' in record || !isTurn(record.value) ? own : judgedTurn(own);
}

/** A turn as one of several lines: those that follow each other would be read as one record. */
export const judgedTurn = (own: JudgedRecord): JudgedRecord => ({ ...own, text: () => `[${own.text()}]` });

/** The same of a record that lies in `bytes`, with the value of its id there. */
export function judgedBytes(line: number, bytes: Uint8Array, id: Uint8Array): JudgedRecord {
  return {
    line,
    id: () => {
      const text = textOf(id);
      return text === '' ? null : idJson(JSON.parse(text), () => text);
    },
    text: () => lineOf(bytes),
  };
}

// Line ends stand between the tokens of JSON, never within one.
const lineOf = (bytes: Uint8Array): string => textOf(bytes).replaceAll(/[\r\n]/g, ' ');

function idText(value: unknown, bytes: Uint8Array): string | null {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'id')) return null;
  return idJson((value as { id: unknown }).id, () => {
    const span = spanOf(bytes, ['id']);
    return span && textOf(bytes.subarray(span.from, span.to));
  });
}

/** `written`: the id as it is written. */
function idJson(id: unknown, written: () => string | null): string | null {
  if (typeof id === 'string' || Number.isSafeInteger(id)) return JSON.stringify(id);
  // As a double it may be another number.
  return typeof id === 'number' ? written() : null;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8').trim();
}
