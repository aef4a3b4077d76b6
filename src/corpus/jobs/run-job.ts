// What a run writes of a part of an input, as lines or for a table, with its sums. Raw text is never cut: findings in
// front of a transcript's first message belong to its verdict.

import { applyRules } from '../../rules/settings.ts';
import type { LinesPart } from '../records/units.ts';
import { type JobResult, NO_RESULT, type Piece, type RunJob } from './job.ts';
import type { Kind } from './kind.ts';
import { columnsLeftOut, type Opened, type ThreadContext } from './open.ts';
import { RunMessages } from './run-messages.ts';
import { readRun } from './run-read.ts';
import { lineRows, type RunOutput } from './run-rows.ts';
import { VerdictTable } from './run-tables.ts';
import { Judge } from './verdict-judge.ts';

export const RUN: Kind<RunJob> = {
  raw: (context, job, opened) => run(context, job, opened, null),
  records: run,
};

function* run(
  context: ThreadContext, job: RunJob, { input, options }: Opened, part: LinesPart | null,
): Generator<Piece, JobResult, void> {
  const { emit, tools, warnings, rules, strict, input: { path } } = job;
  if (options.positions === 'field' && emit === 'keep') throw columnsLeftOut(path);
  const judge = new Judge({ tools, warnings, adjust: applyRules(rules, strict) }, context);
  const rows = outputOf(job, options.positions === 'field');
  const reading = readRun({ path, input, source: context.watched(input), options, judge, rows, part });
  for (let next = reading.next(); ; next = reading.next()) {
    if (rows.isReady) yield* rows.take();
    if (!next.done) continue;
    yield* rows.end();
    const { counts, statistics, records, transcripts, likeHarmony, bytes } = next.value;
    const sums = { records, transcripts, likeHarmony, bytes };
    return { ...NO_RESULT, run: counts, statistics: statistics.toJSON(), ...sums };
  }
}

/** What a run writes of the input of a job. What cannot become a row throws an InputError. */
export function outputOf(job: RunJob, isTable = false): RunOutput {
  const { emit, form, input: { path } } = job;
  if (emit === 'messages') return new RunMessages(job, isTable);
  return form === 'lines' || emit === 'keep' ? lineRows(emit, path) : new VerdictTable(path, form);
}
