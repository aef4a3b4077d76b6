// `messages`: one record a message, as lines of JSON or as a table.

import { MessagesSink } from './messages-sink.ts';
import type { CorpusOptions } from '../options.ts';
import { countOf, escapeLine, thousands } from '../print.ts';
import { shownName } from '../../printable.ts';
import { Counter } from '../../rules/count.ts';
import type { Encoding } from '../../corpus/tokens.ts';
import { isReadOnce } from '../../corpus/input/paths.ts';
import { SECTION } from '../../corpus/jobs/job.ts';
import type { MakeSpinner } from '../progress.ts';
import { FAILED, Invocation, OK } from '../invocation.ts';
import type { Host } from '../stream.ts';

export interface MessagesOptions extends CorpusOptions {
  readonly format: 'ndjson' | 'arrow' | 'parquet';
  /** A file to write; standard output without it. */
  readonly output?: string;
  readonly onlyRole?: readonly string[];
  readonly onlyChannel?: readonly string[];
  readonly transcript?: number;
  readonly at?: number;
  readonly grep?: string;
  readonly ignoreCase?: boolean;
  readonly limit?: number;
  readonly sample?: number;
  readonly seed?: number;
  readonly tokens?: Encoding;
}

export async function messages(
  paths: readonly string[],
  options: MessagesOptions,
  host: Host,
  makeSpinner: MakeSpinner | null,
): Promise<number> {
  const run = new Invocation(options, host, makeSpinner);
  const { format, output, onlyRole, onlyChannel, transcript, at, grep, ignoreCase, tokens } = options;
  if (tokens !== undefined && !await run.loadsTokenizer(tokens)) return FAILED;
  if (output !== undefined && run.refusesTarget(paths, output)) return FAILED;
  const sink = await MessagesSink.open(run, format, output, options);
  if (sink === null) return FAILED;
  const choosesMessages = [onlyRole, onlyChannel, at, grep].some((choice) => choice !== undefined);
  let records = 0;
  let transcripts = 0;
  let count = 0;
  try {
    for await (const event of run.events(paths, options, {
      work: {
        kind: 'messages',
        filters: { onlyRole, onlyChannel, transcript, at, grep, ignoreCase },
        form: format === 'ndjson' ? 'lines' : { format, section: SECTION },
        tokens,
      },
      tellsAtEnd: false,
      tellsEmpty: true,
      watching: (_, { input }) => ({ source: () => run.progress.watch(input) }),
    })) {
      if (event.kind === 'piece') sink.take(event.piece);
      if (sink.isDone) {
        count = options.limit!;
        run.files++;
        break;
      }
      if (event.kind !== 'end') continue;
      // Behind the transcript that was asked for nothing is read, by each thread in its own place.
      const isWhole = transcript === undefined || (event.messages === 0 && !choosesMessages);
      if (event.badRecords > 0 && !options.quiet && isWhole) {
        const part = `${thousands(event.badRecords)} of ${countOf(event.records, 'record')}`;
        run.tell(escapeLine(`${event.input.path}: ${part} cannot be read; \`openchatml check\` reports why`));
      }
      if (isWhole) records += event.records;
      transcripts = Math.max(transcripts, event.transcripts);
      count += event.messages;
    }
    // What is a file holds everything, or is not there.
    if (output !== undefined && run.failed) return FAILED;
    sink.end();
  } catch (error) {
    if (!run.complainOfOutput(error)) throw error;
    return FAILED;
  } finally {
    sink.close();
  }
  if (count === 0 && !run.failed && !options.quiet) {
    const chosen = noneChosen(options, transcripts);
    if (chosen === null) await tellNames(run, paths, options);
    else run.tell(chosen);
  }
  run.tellSums({ records, messages: count }, options);
  return run.failed ? FAILED : OK;
}

/**
 * That there is no message of the transcript, at the byte or with the text that was asked for; null: nothing was.
 * `transcripts`: of the input that has most of them.
 */
function noneChosen({ transcript, at, grep }: MessagesOptions, transcripts: number): string | null {
  if (transcript !== undefined && transcript >= transcripts) {
    const there = transcripts === 0 ? 'there is none' : `the last one is ${transcripts - 1}`;
    return `no input has a transcript ${transcript}: ${there}`;
  }
  const among = transcript === undefined ? '' : ` in transcript ${transcript}`;
  if (at !== undefined) return `no message stands at byte ${at}${among}`;
  return grep === undefined ? null : `no message matches --grep${among}`;
}

/** Names that are told. */
const MOST_NAMES = 20;

/** No message has the role or the channel that was asked for: those that there are, by another reading. */
async function tellNames(
  run: Invocation, paths: readonly string[], options: MessagesOptions,
): Promise<void> {
  const { onlyRole, onlyChannel } = options;
  if ((!onlyRole && !onlyChannel) || paths.length === 0 || paths.some(isReadOnce)) return;
  const counter = new Counter();
  const { files } = run;
  for await (const event of run.events(paths, options, {
    work: { kind: 'count' },
    tellsAtEnd: true,
    watching: (_, { input }) => ({ source: () => input, counter }),
  })) {
    if (event.kind === 'part' && event.result.counts !== null) counter.merge(event.result.counts);
  }
  run.files = files;
  const { roles, channels } = counter.result();
  const tell = (what: string, wanted: readonly string[] | undefined, there: readonly string[]): void => {
    const missing = (wanted ?? []).filter((name) => !there.includes(name));
    if (missing.length === 0 || there.length === 0) return;
    const list = there.slice(0, MOST_NAMES).map(shownName).join(', ');
    const names = there.length > MOST_NAMES ? `${list} and ${thousands(there.length - MOST_NAMES)} more` : list;
    run.tell(`no message has the ${what} ${missing.map(shownName).join(', ')}; there are ${names}`);
  };
  tell('role', onlyRole, Object.keys(roles));
  tell('channel', onlyChannel, Object.keys(channels));
}
