// Doing a job, in the thread that asked or in another: everything that a command learns of an input comes from here.

import { WHOLE } from '../../model/part-walk.ts';
import { isContainer } from '../records/unit.ts';
import { ALL } from '../records/units.ts';
import { guessStart, takesTranscripts } from './guess.ts';
import { type Job, type JobResult, NO_RESULT, type Piece } from './job.ts';
import type { Kind } from './kind.ts';
import type { Opened, ThreadContext } from './open.ts';
import { takesLines } from './parts.ts';

/** Bytes before a part in which some message begins, most likely. */
const BEFORE = 64 * 1024;

/**
 * Does a job of a kind; gives its pieces, and its result at the end. `given`: its input, when it is open already.
 * Throws an InputError; never on data.
 */
export function* perform(
  context: ThreadContext, kind: Kind, job: Job, given?: Opened,
): Generator<Piece, JobResult, void> {
  const opened = given ?? context.open(job.input);
  const { input, options } = opened;
  const { part } = job;
  switch (part.of) {
    case 'lines':
      return { ...(yield* kind.records(context, job, opened, part)), holdsRecords: true };
    case 'raw':
      return yield* kind.raw(context, job, opened, part);
    case 'guess': {
      const { from, to, like } = part;
      // Whoever takes whole transcripts sees in what is before the part where its first one begins.
      const start = guessStart(input, takesTranscripts(job) ? Math.max(0, from - BEFORE) : from, to, like);
      return start === null ? NO_RESULT : yield* kind.raw(context, job, opened, { start, from, to });
    }
    case 'whole': {
      const areRecords = takesLines(job) || isContainer(job.input.path, input, options);
      if (!areRecords) return yield* kind.raw(context, job, opened, WHOLE);
      return { ...(yield* kind.records(context, job, opened, ALL)), holdsRecords: true };
    }
  }
}
