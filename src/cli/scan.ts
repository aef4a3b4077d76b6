// `scan`: what the inputs hold, in numbers.

import { type Counts, Counter } from '../semantics/count.ts';
import type { SharedOptions } from './options.ts';
import { escapeLine, thousands } from './print.ts';
import type { MakeSpinner } from './progress.ts';
import { FAILED, OK, Run } from './run.ts';
import type { Host } from './stream.ts';

export interface ScanOptions extends SharedOptions {
  readonly format: 'table' | 'json';
}

const SCHEMA = 'openchatml/scan/1';

export function scan(
  paths: readonly string[],
  options: ScanOptions,
  host: Host,
  makeSpinner: MakeSpinner | null,
): number {
  const run = new Run(options, host, makeSpinner);
  const counter = new Counter();
  let started = 0;
  run.each(paths, ({ source, options: readOptions }) => {
    started++;
    counter.add(run.machine, source, readOptions);
  });
  // The sums cannot take back an input that broke off in the middle.
  if (run.files === 0 || run.files < started) return FAILED;
  const counts = counter.result();
  if (options.format === 'json') run.out.json(JSON.stringify({ schema: SCHEMA, ...counts }));
  else run.out.line(table(counts, run.colors.bold));
  run.out.flush();
  run.tellSpeed();
  return run.failed ? FAILED : OK;
}

/** Names from data may be long. */
const LONGEST_NAME = 40;

function table(counts: Counts, heading: (text: string) => string): string {
  const { dialects, roles, channels, ends, tokens, findings, ...totals } = counts;
  const { files, bytes, transcripts, messages, calls, files_in_sequences, fill_ins } = totals;
  const hasSequences = files_in_sequences + fill_ins > 0;
  const sequences = { 'files in sequences': files_in_sequences, 'fill-ins': fill_ins };
  const groups: [string, Record<string, number>][] = [
    ['', { files, bytes, transcripts, messages, calls, ...(hasSequences && sequences) }],
    ['transcripts by dialect', dialects],
    ['messages by role', roles],
    ['messages by channel', channels],
    ['messages by end', ends],
    ['control tokens', tokens],
    ['findings', findings],
  ];
  const rows = groups.flatMap(([, group]) => Object.entries(group));
  const names = Math.max(...rows.map(([name]) => cut(name).length));
  const numbers = Math.max(...rows.map(([, count]) => thousands(count).length));
  let text = '';
  for (const [title, group] of groups) {
    if (title !== '' && Object.keys(group).length === 0) continue;
    if (title !== '') text += `\n${heading(title)}\n`;
    for (const [name, count] of Object.entries(group)) {
      text += `  ${cut(name).padEnd(names)}  ${thousands(count).padStart(numbers)}\n`;
    }
  }
  return text;
}

function cut(name: string): string {
  const text = escapeLine(name);
  return text.length > LONGEST_NAME ? `${text.slice(0, LONGEST_NAME - 3)}...` : text;
}
