// `scan`: what the inputs hold, in numbers.

import { Counter } from '../../rules/count.ts';
import type { Counts } from '../../rules/counts.ts';
import type { OutputFile } from '../../corpus/output-file.ts';
import type { Encoding } from '../../corpus/tokens.ts';
import type { CorpusOptions } from '../options.ts';
import { columnName, thousands } from '../print.ts';
import type { MakeSpinner } from '../progress.ts';
import { FAILED, Invocation, OK } from '../invocation.ts';
import { lengthsOf, lengthsTable } from './scan-lengths.ts';
import { gatherStatistics, openReportFile, writeReportFile } from './scan-report.ts';
import type { Host } from '../stream.ts';

export interface ScanOptions extends CorpusOptions {
  readonly format: 'table' | 'json';
  /** A page that shows what the inputs hold. */
  readonly report?: string;
  /** How long contents are, by role and channel. */
  readonly lengths?: boolean;
  /** In tokens too. */
  readonly tokens?: Encoding;
}

const SCHEMA = 'openchatml/scan/1';

export async function scan(
  paths: readonly string[],
  options: ScanOptions,
  host: Host,
  makeSpinner: MakeSpinner | null,
): Promise<number> {
  const { report, tokens } = options;
  const readsTwice = report !== undefined || options.lengths === true || tokens !== undefined;
  const run = new Invocation(options, host, makeSpinner);
  const option = report !== undefined ? '--report' : tokens === undefined ? '--lengths' : '--tokens';
  if (readsTwice && !run.canReadTwice(paths, option)) return FAILED;
  if (tokens !== undefined && !await run.loadsTokenizer(tokens)) return FAILED;
  if (report !== undefined && run.refusesTarget(paths, report)) return FAILED;
  // Whether it can be written shows before the inputs are read.
  const file = report === undefined ? null : openReportFile(run, report);
  if (report !== undefined && file === null) return FAILED;
  try {
    return await scanTo(file, run, paths, options, host);
  } finally {
    file?.discard();
  }
}

async function scanTo(
  file: OutputFile | null, run: Invocation, paths: readonly string[], options: ScanOptions, host: Host,
): Promise<number> {
  const { rules, tokens } = options;
  const lengths = options.lengths === true || tokens !== undefined;
  const readsTwice = file !== null || lengths;
  const counter = new Counter();
  let records = 0;
  let isBroken = false;
  for await (const event of run.events(paths, options, {
    work: { kind: 'count' },
    tellsAtEnd: true,
    tellsEmpty: true,
    watching: (_, { input }) => ({ source: () => run.progress.watch(input), counter }),
  })) {
    if (event.kind === 'broken') isBroken = true;
    else if (event.kind === 'part' && event.result.counts !== null) counter.merge(event.result.counts);
    else if (event.kind === 'end') {
      counter.addFile(0);
      records += event.records;
    }
  }
  // The sums cannot take back an input that broke off in the middle.
  if (run.files === 0 || isBroken) return FAILED;
  const counts = counter.result();
  const gathered = readsTwice ? await gatherStatistics(run, paths, options, lengths, tokens) : null;
  const found = lengths && gathered !== null ? lengthsOf(gathered.statistics.toJSON()) : null;
  if (options.format === 'json') {
    run.out.json(JSON.stringify({ schema: SCHEMA, ...counts, ...(found !== null && { lengths: found }) }));
  } else {
    run.out.line(table(counts, run.colors.bold) + (found === null ? '' : lengthsTable(found, run.colors.bold)));
  }
  run.out.flush();
  if (readsTwice && gathered === null) return FAILED;
  if (file !== null && !await writeReportFile(run, gathered!, paths, rules, file, host.version)) return FAILED;
  run.tellSums({ records, messages: counts.messages }, options);
  return run.failed ? FAILED : OK;
}

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
  const names = Math.max(...rows.map(([name]) => columnName(name).length));
  const numbers = Math.max(...rows.map(([, count]) => thousands(count).length));
  let text = '';
  for (const [title, group] of groups) {
    if (title !== '' && Object.keys(group).length === 0) continue;
    if (title !== '') text += `\n${heading(title)}\n`;
    for (const [name, count] of Object.entries(group)) {
      text += `  ${columnName(name).padEnd(names)}  ${thousands(count).padStart(numbers)}\n`;
    }
  }
  return text;
}
