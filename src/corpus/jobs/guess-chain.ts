// Parts of a raw input counted side by side, each from a guess, and joined: a guess that the part before does not
// confirm is done again from where that part really ended.

import type { Checkpoint } from '../../model/part-walk.ts';
import type { PartialCounts } from '../../rules/counts.ts';
import { leadsOn, shifted, unlessRefused } from './guess.ts';
import type { Job, JobInput, JobResult, Part } from './job.ts';
import type { Jobs, Running } from './pool.ts';

export interface CountedPart {
  readonly counts: PartialCounts;
  readonly transcripts: number;
  /** Where the next part begins, exactly; null: at the input's end. */
  readonly end: Checkpoint | null;
  readonly likeHarmony: number;
  readonly bytes: number;
}

/** Jobs that are begun before their results are wanted, for each thread. */
const AHEAD = 4;

/** The counts of the parts of one input, in order, without gap or overlap. `isUrgent`: other jobs wait for them. */
export async function* guessChain(
  jobs: Jobs, input: JobInput, parts: readonly Part[], isUrgent = false,
): AsyncGenerator<CountedPart, void, void> {
  const running: Running[] = [];
  const begin = (upTo: number): void => {
    while (running.length < Math.min(upTo, parts.length)) {
      running.push(jobs.start(countJob(input, parts[running.length]!), isUrgent));
    }
  };
  let exact: Checkpoint | null = null;
  try {
    for (let i = 0; i < parts.length; i++) {
      begin(i + 1 + AHEAD * jobs.threads);
      const part = parts[i]!;
      if (part.of !== 'guess') {
        const result = await resultOf(running[i]!);
        exact = result.end;
        yield counted(result, exact);
      } else if (exact!.position >= part.to) {
        // A message that is longer than the part took it along.
        running[i]!.drop();
        continue;
      } else {
        const guessed = await unlessRefused(resultOf(running[i]!));
        let end: Checkpoint | null;
        const start = guessed?.start ?? null;
        if (guessed !== null && start !== null && start.position === exact!.position && leadsOn(exact!, start)) {
          end = guessed.end && shifted(guessed.end, start, exact!);
          yield counted(guessed, end);
        } else {
          const again = await resultOf(jobs.start(countJob(input, { of: 'raw', start: exact, to: part.to }), true));
          end = again.end;
          yield counted(again, end);
        }
        exact = end;
      }
      if (exact === null) return;
    }
  } finally {
    for (const task of running) task.drop();
  }
}

const countJob = (input: JobInput, part: Part): Job => ({ kind: 'count', input, part });

async function resultOf(running: Running): Promise<JobResult> {
  while (true) {
    const answer = await running.next();
    if ('result' in answer) return answer.result;
  }
}

const counted = ({ counts, transcripts, likeHarmony, bytes }: JobResult, end: Checkpoint | null): CountedPart =>
  ({ counts: counts!, transcripts, end, likeHarmony, bytes });
