// A guessed part whose pieces come while it is read: joined to the part before it, or done again from where that ended.

import type { Checkpoint } from '../../model/part-walk.ts';
import { leadsOn, shifted, unlessRefused } from './guess.ts';
import type { JobResult } from './job.ts';
import { AS_COUNTED, type Counted } from './moved.ts';
import type { Jobs, Running } from './pool.ts';

/** Work whose pieces follow those of the part before. */
export interface Joined {
  readonly work: Running;
  /** What stands before it, beyond what its numbers say. */
  readonly before: Counted;
  /** Its result, as the whole input has it. */
  readonly exact: (result: JobResult) => JobResult;
}

/**
 * `end`: where the part before ended; null: at the input's end. `jobs`: what does a part again. Answers null where the
 * part before took all of this one along.
 */
export async function joined(jobs: () => Jobs, work: Running, end: Checkpoint | null): Promise<Joined | null> {
  const { job } = work;
  if (job.part.of !== 'guess') return asItIs(work);
  const { to } = job.part;
  if (end === null || end.position >= to) {
    work.drop();
    return null;
  }
  const first = await unlessRefused(work.next());
  const begins = first !== null && 'piece' in first && 'begins' in first.piece ? first.piece.begins : null;
  if (begins === null || !isTheSame(begins, end)) {
    work.drop();
    return asItIs(jobs().start({ ...job, part: { of: 'raw', start: end, to } }, true));
  }
  const { number, messages } = begins.transcript;
  const transcripts = end.transcript.number - number;
  return {
    work,
    before: { transcripts, first: number, messages: end.transcript.messages - messages },
    exact: (result) => ({
      ...result, transcripts: result.transcripts + transcripts, end: result.end && shifted(result.end, begins, end),
    }),
  };
}

const asItIs = (work: Running): Joined => ({ work, before: AS_COUNTED, exact: (result) => result });

/** A transcript begins at both, and is read in the same way. */
function isTheSame(guessed: Checkpoint, exact: Checkpoint): boolean {
  const [a, b] = [guessed.transcript, exact.transcript];
  return guessed.position === exact.position && leadsOn(exact, guessed) && a.boundFrom === b.boundFrom
    && (a.messages === 0) === (b.messages === 0);
}
