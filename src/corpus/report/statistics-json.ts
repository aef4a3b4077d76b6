// The JSON form of statistics: written in a fixed order, so that the same sums are the same text; read with every field
// looked at.

import type { Severity } from '../../errors.ts';
import type { DialectId } from '../../scan/dialects.ts';
import { CHANNEL_NAMES, ROLE_NAMES } from '../../scan/dialects.ts';
import type { End } from '../../model/message.ts';
import { BUCKETS, type Calls, type Cell, type Named, type Spread, type Tally } from './statistics-parts.ts';
import { Reader } from './statistics-reader.ts';
import { type Found, type Sample, SAMPLES } from './statistics-samples.ts';
import { CHANNELS, DIALECT_IDS, ENDS, type Sums } from './statistics-sums.ts';

export const SCHEMA = 'openchatml/statistics/1';

export interface SpreadJson {
  readonly count: number;
  readonly sum: number;
  /** Null when there is nothing. */
  readonly min: number | null;
  readonly max: number | null;
  /** Number of lengths 0, then of those in [2^(i-1), 2^i); without the zeros at the end. */
  readonly log2: readonly number[];
}

export interface CellJson {
  /** Bytes of bodies, as they stand in the text. */
  readonly bodies: SpreadJson;
  /** Their code points, where these were counted. */
  readonly characters?: SpreadJson;
  /** Of contents, where they were counted. */
  readonly tokens?: SpreadJson;
  readonly visible: { readonly messages: number; readonly bytes: number };
}

export interface CallsJson {
  readonly calls: number;
  /** Calls with at least one error; and how many have an error of each rule. */
  readonly failing: number;
  readonly reasons: readonly { readonly rule: string; readonly count: number }[];
}

export interface FindingsJson extends Record<Severity, number> {
  readonly rule: string;
  readonly samples: readonly Sample[];
}

/** Lists are by name in a fixed order; `other` is the sum of names beyond the bound. */
export interface StatisticsJson {
  readonly schema: typeof SCHEMA;
  readonly files: number;
  readonly bytes: number;
  readonly records: number;
  readonly bad_records: number;
  readonly transcripts: {
    readonly dialects: Readonly<Record<DialectId, number>>;
    readonly messages: SpreadJson;
    readonly bytes: SpreadJson;
  };
  readonly messages: {
    readonly pairs: readonly (CellJson & { readonly role: string | null; readonly channel: string })[];
    readonly other: CellJson;
    readonly ends: Readonly<Record<End, number>>;
  };
  readonly content_types: {
    readonly names: readonly { readonly name: string; readonly count: number }[];
    readonly other: number;
  };
  readonly calls: {
    readonly tools: readonly (CallsJson & { readonly name: string })[];
    readonly other: CallsJson;
    /** Failing calls of messages that call several tools, which are not known to be of one. */
    readonly several: CallsJson;
  };
  readonly replies: number;
  readonly findings: readonly FindingsJson[];
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export function writeStatistics(sums: Sums): StatisticsJson {
  return {
    schema: SCHEMA,
    files: sums.files,
    bytes: sums.bytes,
    records: sums.records,
    bad_records: sums.badRecords,
    transcripts: {
      dialects: numbersOf(DIALECT_IDS, sums.dialects),
      messages: spreadJson(sums.transcriptMessages),
      bytes: spreadJson(sums.transcriptBytes),
    },
    messages: { pairs: pairsOf(sums), other: cellJson(sums.otherCells.other), ends: numbersOf(ENDS, sums.ends) },
    content_types: {
      names: sums.contentTypes.entries().map(([name, { count }]) => ({ name, count })),
      other: sums.contentTypes.other.count,
    },
    calls: {
      tools: sums.tools.entries().map(([name, calls]) => ({ name, ...callsJson(calls) })),
      other: callsJson(sums.tools.other),
      several: callsJson(sums.severalCalls),
    },
    replies: sums.replies,
    findings: [...sums.findings].sort(([a], [b]) => byText(a, b)).map(([rule, found]) => findingsJson(rule, found)),
  };
}

function numbersOf<Name extends string>(names: readonly Name[], numbers: Float64Array): Record<Name, number> {
  return Object.fromEntries(names.map((name, i) => [name, numbers[i]])) as Record<Name, number>;
}

function spreadJson({ count, sum, least, most, buckets }: Spread): SpreadJson {
  const length = buckets.findLastIndex((bucket) => bucket > 0) + 1;
  return { count, sum, min: count ? least : null, max: count ? most : null, log2: [...buckets.subarray(0, length)] };
}

const cellJson = ({ bodies, characters, tokens, visible, visibleBytes }: Cell): CellJson => ({
  bodies: spreadJson(bodies),
  ...(characters.count > 0 && { characters: spreadJson(characters) }),
  ...(tokens.count > 0 && { tokens: spreadJson(tokens) }),
  visible: { messages: visible, bytes: visibleBytes },
});

function pairsOf(sums: Sums): StatisticsJson['messages']['pairs'] {
  const known = sums.cells.flatMap((cell, i) =>
    (cell
      ? [{ role: ROLE_NAMES[Math.floor(i / CHANNELS)]!, channel: CHANNEL_NAMES[i % CHANNELS]!, ...cellJson(cell) }]
      : []));
  const others = sums.otherCells.entries().map(([key, cell]) => {
    const [role, channel] = JSON.parse(key) as [string | null, string];
    return { role, channel, ...cellJson(cell) };
  });
  return [...known, ...others];
}

function callsJson({ calls, failing, reasons }: Calls): CallsJson {
  const sorted = [...reasons].sort(([a], [b]) => byText(a, b));
  return { calls, failing, reasons: sorted.map(([rule, count]) => ({ rule, count })) };
}

function findingsJson(rule: string, { counts: { error, warning, info }, samples }: Found): FindingsJson {
  return { rule, error, warning, info, samples: [...samples] };
}

/** Adds what the JSON form says to empty sums. Throws a TypeError that names the field when it is none. */
export function readStatistics(json: unknown, sums: Sums): void {
  const whole = new Reader(json, 'statistics');
  if (whole.text('schema') !== SCHEMA) throw new TypeError(`statistics: schema: expected ${SCHEMA}`);
  sums.files = whole.number('files');
  sums.bytes = whole.number('bytes');
  sums.records = whole.number('records');
  sums.badRecords = whole.number('bad_records');
  sums.replies = whole.number('replies');
  const transcripts = whole.object('transcripts');
  readNumbers(transcripts.object('dialects'), DIALECT_IDS, sums.dialects);
  readSpread(transcripts.object('messages'), sums.transcriptMessages);
  readSpread(transcripts.object('bytes'), sums.transcriptBytes);
  const messages = whole.object('messages');
  readNumbers(messages.object('ends'), ENDS, sums.ends);
  for (const pair of messages.list('pairs')) readCell(pair, sums.cell(pair.textOrNull('role'), pair.text('channel')));
  readCell(messages.object('other'), sums.otherCells.other);
  readNames(whole.object('content_types'), sums.contentTypes);
  const calls = whole.object('calls');
  for (const tool of calls.list('tools')) readCalls(tool, sums.tools.at(tool.text('name')));
  readCalls(calls.object('other'), sums.tools.other);
  readCalls(calls.object('several'), sums.severalCalls);
  for (const finding of whole.list('findings')) readFinding(finding, sums.found(finding.text('rule')));
}

function readNumbers(from: Reader, names: readonly string[], into: Float64Array): void {
  names.forEach((name, i) => (into[i]! += from.number(name)));
}

function readSpread(from: Reader, into: Spread): void {
  into.count += from.number('count');
  into.sum += from.number('sum');
  into.least = Math.min(into.least, from.numberOrNull('min') ?? Infinity);
  into.most = Math.max(into.most, from.numberOrNull('max') ?? 0);
  from.numbers('log2', BUCKETS).forEach((count, i) => (into.buckets[i]! += count));
}

function readCell(from: Reader, into: Cell): void {
  readSpread(from.object('bodies'), into.bodies);
  if (from.has('characters')) readSpread(from.object('characters'), into.characters);
  if (from.has('tokens')) readSpread(from.object('tokens'), into.tokens);
  const visible = from.object('visible');
  into.visible += visible.number('messages');
  into.visibleBytes += visible.number('bytes');
}

function readNames(from: Reader, into: Named<Tally>): void {
  for (const name of from.list('names')) into.at(name.text('name')).count += name.number('count');
  into.other.count += from.number('other');
}

function readCalls(from: Reader, into: Calls): void {
  into.calls += from.number('calls');
  into.failing += from.number('failing');
  for (const reason of from.list('reasons')) into.fail(reason.text('rule'), reason.number('count'));
}

function readFinding(from: Reader, into: Found): void {
  for (const severity of ['error', 'warning', 'info'] as const) into.counts[severity] += from.number(severity);
  for (const sample of from.list('samples', SAMPLES)) {
    into.keep({
      path: sample.text('path'),
      record: sample.numberOrNull('record'),
      from: sample.number('from'),
      line: sample.numberOrNull('line'),
      column: sample.numberOrNull('column'),
      message: sample.text('message'),
    });
  }
}
