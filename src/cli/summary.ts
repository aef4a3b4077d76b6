// The last line of a command that goes through a corpus: what there was, and how fast it went. For people: never in
// the output itself.

import { sizeText } from '../corpus/size-text.ts';
import { countOf } from './print.ts';

export interface Sums {
  readonly files: number;
  /** Null or 0: there are none. */
  readonly records?: number | null;
  readonly messages?: number | null;
  /** Null: was not looked at. */
  readonly errors?: number | null;
  readonly warnings?: number | null;
  readonly bytes: number;
  readonly seconds: number;
}

/**
 * `3 files, 120 records, 4,000 messages, 2 errors, 1 warning; 1.2 GB in 0.60 s, 2.0 GB/s`. `found`: begins with these
 * words instead, `2 errors, 1 warning in 3 files`.
 */
export function summaryOf(sums: Sums, found: string | null = null): string {
  const { records, bytes, seconds } = sums;
  const counts = found === null ? countsOf(sums) : `${found}${records ? `, ${countOf(records, 'record')}` : ''}`;
  return `${counts}; ${sizeText(bytes)} in ${seconds.toFixed(2)} s, ${sizeText(rateOf(bytes, seconds))}/s`;
}

function countsOf({ files, records, messages, errors, warnings }: Sums): string {
  const counts = [countOf(files, 'file')];
  if (records) counts.push(countOf(records, 'record'));
  if (messages != null) counts.push(countOf(messages, 'message'));
  if (errors != null) counts.push(countOf(errors, 'error'));
  if (warnings != null) counts.push(countOf(warnings, 'warning'));
  return counts.join(', ');
}

/** Bytes a second. A clock stands still for a while. */
export function rateOf(bytes: number, seconds: number): number {
  return bytes / Math.max(seconds, 0.001);
}

/** `2 s`, `3 min`, `1 h 20 min`. */
export function timeText(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 120) return `${whole} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
