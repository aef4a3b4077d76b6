// Everything that comes out of an input, for tests that compare ways through it.
import { ConvertSums } from '../../../src/corpus/jobs/convert-sums.ts';
import { Flow } from '../../../src/corpus/jobs/flow.ts';
import { isFindings, isTablePiece, type Job, tableOf, type Work } from '../../../src/corpus/jobs/job.ts';
import { kindOf } from '../../../src/corpus/jobs/kinds.ts';
import { ThreadContext } from '../../../src/corpus/jobs/open.ts';
import { perform } from '../../../src/corpus/jobs/perform.ts';
import { findInputs } from '../../../src/corpus/input/paths.ts';
import type { PartOptions } from '../../../src/corpus/jobs/parts.ts';
import type { Jobs } from '../../../src/corpus/jobs/pool.ts';
import { textOfWords } from '../../../src/corpus/jobs/words.ts';
import { MESSAGE_TABLE } from '../../../src/corpus/tables/message-schema.ts';
import { openTable } from '../../../src/corpus/tables/table.ts';
import { VERDICT_TABLE } from '../../../src/corpus/tables/verdict-columns.ts';
import { Statistics } from '../../../src/corpus/report/statistics.ts';
import { RUN_COUNTS } from '../../../src/corpus/shards/sidecar.ts';
import type { FileOptions } from '../../../src/corpus/records/unit.ts';
import { Counter } from '../../../src/rules/count.ts';

export const context = new ThreadContext();
/** For jobs that are counted while another one is under way. */
const counting = new ThreadContext();

/** Jobs done at once, in this thread: every part is a job of its own all the same. */
export function jobsHere(): Jobs & { begun: number } {
  const jobs = {
    threads: 2,
    begun: 0,
    start(job: Job) {
      jobs.begun++;
      let pieces: ReturnType<typeof perform> | undefined;
      const next = async () => {
        pieces ??= perform(job.kind === 'count' ? counting : context, await kindOf(job), job);
        const { done, value } = pieces.next();
        return done ? { result: value } : { piece: value };
      };
      return { job, next, drop: () => void pieces?.return(undefined as never) };
    },
  };
  return jobs;
}

/** Everything that a command sees of an input. */
export async function seen(
  path: string,
  work: Work,
  read: FileOptions,
  threads: number,
  parts?: PartOptions,
  jobs?: Jobs,
): Promise<unknown> {
  const sum = new Counter();
  const found: unknown[] = [];
  const bytes: Uint8Array[] = [];
  const form = tableOf(work);
  const schema = work.kind === 'run' && work.emit === 'verdict' ? VERDICT_TABLE : MESSAGE_TABLE;
  const put = (part: Uint8Array): void => void bytes.push(part.slice());
  const table = form && (await openTable(form.format, schema, put, { rows: 20, bytes: 500 }));
  const changes: unknown[] = [];
  const texts = { changed: 0, left: 0, likeHarmony: 0 };
  const sums = new ConvertSums();
  const statistics = new Statistics();
  const run = { records: 0, ok: 0, bad: 0, messages: 0, calls: 0 };
  let end: unknown;
  const flow = new Flow({
    threads,
    work,
    read: () => read,
    tellsAtEnd: false,
    watching: (_, { input }) => ({ source: () => input, ...(work.kind === 'count' && { counter: sum }) }),
    ...(parts && { parts }),
    ...(jobs && { jobs }),
  });
  for await (const event of flow.events(findInputs([path], -1))) {
    if (event.kind === 'error') throw event.error;
    if (event.kind === 'part' && event.result.counts !== null) sum.merge(event.result.counts);
    if (event.kind === 'part') {
      texts.changed += event.result.changed;
      texts.left += event.result.left;
      texts.likeHarmony += event.result.likeHarmony;
      if (event.result.statistics !== null) statistics.merge(event.result.statistics);
      for (const name of RUN_COUNTS) run[name] += event.result.run?.[name] ?? 0;
    }
    if (event.kind === 'end') end = { records: event.records, messages: event.messages, ...texts };
    if (event.kind !== 'piece') continue;
    const { piece } = event;
    if (isFindings(piece)) found.push(...piece);
    else if ('changes' in piece) changes.push(...piece.changes);
    // Where the words stand among the output belongs to it.
    else if ('words' in piece) bytes.push(Buffer.from(`\0${piece.words.map(textOfWords).join('\0')}\0`));
    else if ('converted' in piece) sums.add(piece.converted);
    else if (table !== null && isTablePiece(piece)) table.take(piece);
    else bytes.push((piece as Uint8Array).slice());
  }
  table?.end();
  context.close();
  counting.close();
  const isCount = work.kind === 'count';
  const lines = Buffer.concat(bytes).toString('latin1');
  const converted = work.kind === 'convert' ? { ...sums.toJSON(), edge: null } : null;
  const counts = isCount ? sum.result() : null;
  const ofRun = { run, statistics: statistics.toJSON() };
  return { counts, found, changes, lines, converted, ofRun, end: isCount ? texts.likeHarmony : end };
}
