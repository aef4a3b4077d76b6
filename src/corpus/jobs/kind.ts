// A kind of job: what it makes of a part of raw text, and of a part of records.

import type { Range } from '../../model/part-walk.ts';
import type { LinesPart } from '../records/units.ts';
import type { Job, JobResult, Piece } from './job.ts';
import type { Opened, ThreadContext } from './open.ts';

/** Both ways give pieces, and the result at the end. They throw an InputError; never on data. */
export interface Kind<J extends Job = Job> {
  raw(context: ThreadContext, job: J, opened: Opened, range: Range): Generator<Piece, JobResult, void>;
  /** `part`: some of the lines, or all that the input holds. */
  records(context: ThreadContext, job: J, opened: Opened, part: LinesPart): Generator<Piece, JobResult, void>;
}
