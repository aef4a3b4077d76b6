// Counting, checking, gathering statistics, writing messages.

import type { Checkpoint, Range } from '../../model/part-walk.ts';
import { Checker } from '../../rules/check.ts';
import { type Found, GATHERED, type Job, type JobResult, NO_RESULT, type Piece } from './job.ts';
import type { Kind } from './kind.ts';
import type { ThreadContext } from './open.ts';
import { performRecords } from './record-job.ts';
import { rawStatistics } from './statistics-job.ts';
import { MessageOutput } from './message-output.ts';
import { messagesOf } from '../messages.ts';
import { Places } from '../places.ts';
import type { InputSource } from '../input/source.ts';
import type { FileOptions } from '../records/unit.ts';
import type { Source } from '../../scan/source.ts';

export const COMMON: Kind = {
  raw: (context, job, { input, options }, range) => performRaw(context, job, input, options, range),
  records: (context, job, { input, options }, part) => performRecords(context, job, input, options, part),
};

function* performRaw(
  context: ThreadContext, job: Job, input: InputSource, options: FileOptions, range: Range,
): Generator<Piece, JobResult, void> {
  const work: RawWork = { context, input, source: context.watched(input), options, range };
  switch (job.kind) {
    case 'count': return counted(work);
    case 'check': return yield* checked(job, work);
    case 'statistics': return rawStatistics(context, job, work.source, options, range);
    case 'messages': return yield* written(job, work);
    default: return NO_RESULT;
  }
}

interface RawWork {
  readonly context: ThreadContext;
  readonly input: InputSource;
  /** The input, watched. */
  readonly source: Source;
  readonly options: FileOptions;
  readonly range: Range;
}

function counted({ context, source, options, range }: RawWork): JobResult {
  const { counter, isOwn } = context.counter;
  const before = counter.totals;
  const end = counter.addRange(context.machine, source, options, range, context.headers);
  const { bytes, transcripts, messages, likeHarmony } = counter.since(before);
  const counts = isOwn ? counter.partial() : null;
  return { ...NO_RESULT, counts, start: range.start, end, likeHarmony, bytes, transcripts, messages };
}

function* checked(
  job: Extract<Job, { kind: 'check' }>, { context, input, source, options, range }: RawWork,
): Generator<Piece, JobResult, void> {
  let begins = range.start?.position ?? 0;
  const places = new Places(input, begins);
  let unsaid: Piece | null = null;
  // What is found belongs to transcripts that begin in the range.
  const begun = (at: Checkpoint): void => {
    begins = at.position;
    places.countFrom(begins);
    if (job.part.of === 'guess') unsaid = { begins: at };
  };
  // A watcher sees every open call, so there is none where the input can be read again.
  const openCalls = input.canReread ? undefined : places.openCalls;
  const checker = new Checker(context.machine, places.over(source), { ...options, tools: job.tools, openCalls }, {
    range, known: context.headers, memory: context.tools, watch: places, most: job.most, begun,
  });
  let found: Found[] = [];
  try {
    for (const diagnostic of checker.run()) {
      if (unsaid !== null) {
        yield unsaid;
        unsaid = null;
      }
      const told = { ...diagnostic, pointer: null };
      found.push({ diagnostic: told, record: null, line: null, place: places.at(diagnostic.from) });
      // What is read once must be looked at before it is let go.
      if (found.length < GATHERED && input.canReread) continue;
      yield found;
      found = [];
    }
  } catch (error) {
    if (found.length > 0) yield found;
    throw error;
  }
  if (unsaid !== null) yield unsaid;
  if (found.length > 0) yield found;
  const { end, position, transcripts, likeHarmony } = checker;
  return { ...NO_RESULT, end, transcripts, likeHarmony, bytes: position - begins, place: end && places.at(position) };
}

function* written(
  job: Extract<Job, { kind: 'messages' }>, { context, input, source, options, range }: RawWork,
): Generator<Piece, JobResult, void> {
  const out = new MessageOutput(job, !input.canReread);
  const reading = messagesOf(context.machine, source, options, { range, known: context.headers });
  let result = NO_RESULT;
  try {
    for (let next = reading.next(); ; next = reading.next()) {
      if (next.done) {
        const { transcripts, end, position, likeHarmony } = next.value;
        result = { ...NO_RESULT, transcripts, end, likeHarmony, bytes: position - (range.start?.position ?? 0) };
        break;
      }
      const { message } = next.value;
      if (message.missingStart === 'no') out.begins(message.from);
      if (out.isFull) yield* out.take();
      if (!out.add(next.value, null)) {
        result = { ...NO_RESULT, transcripts: next.value.transcript.number + 1 };
        break;
      }
      if (out.isReady) yield* out.take();
    }
  } catch (error) {
    // What was read before belongs to the output.
    yield* out.end();
    throw error;
  }
  yield* out.end();
  return { ...result, messages: out.messages };
}
