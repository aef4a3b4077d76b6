// `messages`: one record a message, as lines of JSON or as a table.

import { MessagesSink } from './messages-sink.ts';
import type { CorpusOptions } from '../options.ts';
import { countOf, escapeLine, thousands } from '../print.ts';
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
}

export async function messages(
  paths: readonly string[],
  options: MessagesOptions,
  host: Host,
  makeSpinner: MakeSpinner | null,
): Promise<number> {
  const run = new Invocation(options, host, makeSpinner);
  const { format, output, onlyRole, onlyChannel, transcript, at } = options;
  if (output !== undefined && run.refusesTarget(paths, output)) return FAILED;
  const sink = await MessagesSink.open(run, format, output);
  if (sink === null) return FAILED;
  let records = 0;
  let count = 0;
  try {
    for await (const event of run.events(paths, options, {
      work: {
        kind: 'messages',
        filters: { onlyRole, onlyChannel, transcript, at },
        form: format === 'ndjson' ? 'lines' : { format, section: SECTION },
      },
      tellsAtEnd: false,
      watching: (_, { input }) => ({ source: () => run.progress.watch(input) }),
    })) {
      if (event.kind === 'piece') sink.take(event.piece);
      if (event.kind !== 'end') continue;
      if (event.badRecords > 0 && !options.quiet) {
        const part = `${thousands(event.badRecords)} of ${countOf(event.records, 'record')}`;
        run.tell(escapeLine(`${event.input.path}: ${part} cannot be read; \`openchatml check\` tells why`));
      }
      records += event.records;
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
  run.tellSums({ records, messages: count }, options);
  return run.failed ? FAILED : OK;
}
