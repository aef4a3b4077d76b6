// `scan --lengths`: how long contents are, by role and channel, in bytes and in code points; in tokens, when these
// were asked for.

import type { SpreadJson, StatisticsJson } from '../../corpus/report/statistics.ts';
import { quantile } from '../../corpus/report/totals.ts';
import { columnName, thousands } from '../print.ts';

export interface LengthsJson {
  /** Null: of messages without one, or of all those that are not counted by themselves. */
  readonly role: string | null;
  readonly channel: string | null;
  readonly bytes: Lengths;
  readonly code_points: Lengths;
  readonly tokens?: Lengths;
}

interface Lengths {
  readonly count: number;
  readonly sum: number;
  readonly mean: number;
  /** So many percent are up to this length: to the next power of two less 1, and at most the largest. */
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

/** `statistics` that count code points. */
export function lengthsOf({ messages: { pairs, other } }: StatisticsJson): LengthsJson[] {
  const cells = [...pairs, ...(other.bodies.count > 0 ? [{ ...other, role: null, channel: null }] : [])];
  return cells.map(({ role, channel, bodies, characters, tokens }) => {
    const counted = tokens === undefined ? {} : { tokens: lengths(tokens) };
    return { role, channel, bytes: lengths(bodies), code_points: lengths(characters!), ...counted };
  });
}

function lengths(spread: SpreadJson): Lengths {
  const { count, sum, max } = spread;
  return {
    count,
    sum,
    mean: count === 0 ? 0 : Math.round(sum / count * 100) / 100,
    p50: quantile(spread, 0.5),
    p90: quantile(spread, 0.9),
    p99: quantile(spread, 0.99),
    max: max ?? 0,
  };
}

const COLUMNS = ['messages', 'sum', 'mean', '50 % up to', '90 % up to', '99 % up to', 'largest'];

/** Tables for people; none where there is no message. */
export function lengthsTable(all: readonly LengthsJson[], heading: (text: string) => string): string {
  if (all.length === 0) return '';
  const table = (unit: string, of: (one: LengthsJson) => Lengths): string => {
    const rows = all.map((one) => {
      const { count, sum, mean, p50, p90, p99, max } = of(one);
      return [nameOf(one), ...[count, sum, Math.round(mean), p50, p90, p99, max].map(thousands)];
    });
    const whole = [['', ...COLUMNS], ...rows];
    const widths = whole[0]!.map((_, column) => Math.max(...whole.map((row) => row[column]!.length)));
    const lines = whole.map((row) => row.map((cell, column) =>
      (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('  '));
    return `\n${heading(`lengths in ${unit}`)}\n${lines.map((line) => `  ${line}\n`).join('')}`;
  };
  const inTokens = all.some(({ tokens }) => tokens !== undefined) ? table('tokens', ({ tokens }) => tokens!) : '';
  return table('bytes', ({ bytes }) => bytes) + table('code points', ({ code_points: points }) => points) + inTokens;
}

function nameOf({ role, channel }: LengthsJson): string {
  return channel === null ? '(others)' : columnName(`${role ?? '(none)'} ${channel}`);
}
