// `convert`: transcripts from any form to any other. What a form loses is summed up, what it cannot carry is refused
// record by record.

import { type ConvertedJson, ConvertSums } from '../../corpus/jobs/convert-sums.ts';
import { textOfWords } from '../../corpus/jobs/words.ts';
import type { ConvertWork } from '../../corpus/jobs/job.ts';
import { isDialect } from '../../formats/convert.ts';
import { FAILED, FOUND, Invocation, OK, tell } from '../invocation.ts';
import type { SharedOptions } from '../options.ts';
import { countOf, escapeLine, thousands } from '../print.ts';
import type { MakeSpinner } from '../progress.ts';
import { Sample } from '../sample.ts';
import type { Host } from '../stream.ts';

export interface ConvertCommandOptions extends SharedOptions, Omit<ConvertWork, 'format' | 'forTerminal' | 'edges'> {
  /** What stands around transcripts of 0.1. */
  /** `text` by default for dialects; the other forms are always lines of JSON. */
  readonly format?: ConvertWork['format'];
  readonly threads?: number;
  /** The field of a record that holds the transcript. */
  readonly field?: string;
  /** Transcripts that are converted or refused, of all inputs. */
  readonly limit?: number;
  readonly sample?: number;
  readonly seed?: number;
}

/** What came out of one transcript. */
interface Part {
  readonly bytes: readonly Uint8Array[];
  readonly words: readonly string[];
  readonly converted: ConvertedJson;
}

export async function convert(
  paths: readonly string[],
  options: ConvertCommandOptions,
  host: Host,
  makeSpinner: MakeSpinner | null,
): Promise<number> {
  const { from, to, quiet, neutralise, constrain, harmonyPreambles, reasoning } = options;
  const { calls, prompt, end, bos, eos, system } = options;
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
  const sample = options.sample === undefined ? null : new Sample<Part>(options.sample, options.seed ?? 0);
  const how = {
    neutralise, constrain, harmonyPreambles, reasoning, calls, prompt, system, end,
    edges: { bos, eos },
    apart: limit < Infinity || sample !== null,
  };
  const write = (bytes: Uint8Array): void => (format === 'text' ? run.out.bytes(bytes) : run.out.jsonBytes(bytes));
  let bytes: Uint8Array[] = [];
  let words: string[] = [];
  for await (const event of run.events(paths, given, {
    work: { kind: 'convert', to, from, format, forTerminal: host.stdout.isTTY, ...how },
    tellsAtEnd: false,
    tellsEmpty: true,
    watching: (_, { input }) => ({ source: () => run.progress.watch(input) }),
  })) {
    if (event.kind === 'piece') {
      const { piece } = event;
      if (piece instanceof Uint8Array) {
        if (sample === null) write(piece);
        else bytes.push(piece.slice());
      } else if ('words' in piece) {
        const lines = piece.words.map(textOfWords);
        if (sample === null) run.tellAll(lines);
        else words.push(...lines);
      } else if ('converted' in piece) {
        if (sample === null) sums.add(piece.converted);
        else if (piece.converted.converted + piece.converted.refused > 0) {
          const part = { bytes, words, converted: piece.converted };
          sample.offer(() => part);
          bytes = [];
          words = [];
        }
      }
      if (sums.converted + sums.refused >= limit) break;
    } else if (event.kind === 'end' && event.messages === 0 && event.transcripts > 0 && !event.holdsRecords) {
      run.tell(`${escapeLine(event.input.path)}: holds no message to convert`);
    }
  }
  for (const part of sample?.take() ?? []) {
    for (const piece of part.bytes) write(piece);
    run.tellAll(part.words);
    sums.add(part.converted);
  }
  run.out.flush();
  if (!quiet) {
    const { losses, converted, refused } = sums;
    for (const [what, count, first] of losses) {
      run.tell(escapeLine(`lost: ${what} ${thousands(count)} (first: ${textOfWords(first)})`));
    }
    if (refused > 0) run.tell(`${countOf(converted, 'transcript')} converted, ${thousands(refused)} refused`);
  }
  if (run.failed) return FAILED;
  return sums.refused > 0 ? FOUND : OK;
}
