// `convert`: transcripts from any form to any other. What a form loses is summed up, what it cannot carry is refused
// record by record.

import { ConvertSums } from '../../corpus/jobs/convert-sums.ts';
import type { ConvertWork } from '../../corpus/jobs/job.ts';
import { isDialect } from '../../formats/convert.ts';
import { FAILED, FOUND, Invocation, OK, tell } from '../invocation.ts';
import type { SharedOptions } from '../options.ts';
import { countOf, escapeLine, thousands } from '../print.ts';
import type { MakeSpinner } from '../progress.ts';
import type { Host } from '../stream.ts';

export interface ConvertCommandOptions extends SharedOptions, Omit<ConvertWork, 'format' | 'forTerminal'> {
  /** `text` by default for dialects; the other forms are always lines of JSON. */
  readonly format?: ConvertWork['format'];
  readonly threads?: number;
  /** Transcripts that are converted or refused, of all inputs. */
  readonly limit?: number;
}

export async function convert(
  paths: readonly string[],
  options: ConvertCommandOptions,
  host: Host,
  makeSpinner: MakeSpinner | null,
): Promise<number> {
  const { from, to, quiet, neutralise, constrain, harmonyPreambles, reasoning } = options;
  if (isDialect(from) && options.dialect !== 'auto' && options.dialect !== from) {
    tell(host, `error: --from ${from} and --dialect ${options.dialect} contradict each other; give one of them`);
    return FAILED;
  }
  if (options.format === 'text' && !isDialect(to)) {
    tell(host, `error: --format text is for dialects; ${to} is written as lines of JSON`);
    return FAILED;
  }
  const format = options.format ?? (isDialect(to) ? 'text' : 'ndjson');
  const run = new Invocation(isDialect(from) ? { ...options, dialect: from } : options, host, makeSpinner);
  const sums = new ConvertSums();
  // A form that is named is one of records.
  const given = from === 'auto' || isDialect(from) ? options : { ...options, form: 'messages' as const };
  const { limit = Infinity } = options;
  const how = { neutralise, constrain, harmonyPreambles, reasoning, apart: limit < Infinity };
  for await (const event of run.events(paths, given, {
    work: { kind: 'convert', to, from, format, forTerminal: host.stdout.isTTY, ...how },
    tellsAtEnd: false,
    watching: (_, { input }) => ({ source: () => run.progress.watch(input) }),
  })) {
    if (event.kind === 'piece') {
      if (event.piece instanceof Uint8Array) {
        if (format === 'text') run.out.bytes(event.piece);
        else run.out.jsonBytes(event.piece);
      } else if ('words' in event.piece) run.tellAll(event.piece.words);
      else if ('converted' in event.piece) sums.add(event.piece.converted);
      if (sums.converted + sums.refused >= limit) break;
    } else if (event.kind === 'end' && event.messages === 0 && !event.holdsRecords) {
      run.tell(`${escapeLine(event.input.path)}: holds no message to convert`);
    }
  }
  run.out.flush();
  if (!quiet) {
    const { losses, converted, refused } = sums;
    for (const [what, count, first] of losses) {
      run.tell(escapeLine(`lost: ${what} ${thousands(count)} (first: ${first})`));
    }
    if (refused > 0) run.tell(`${countOf(converted, 'transcript')} converted, ${thousands(refused)} refused`);
  }
  if (run.failed) return FAILED;
  return sums.refused > 0 ? FOUND : OK;
}
