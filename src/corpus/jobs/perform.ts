// Doing a job: counting, checking, writing messages. Everything that a command learns of an input comes from here, in
// the thread that asked or in another.

import { type Range, WHOLE } from '../../model/walk.ts';
import { Checker } from '../../rules/check.ts';
import { guessStart } from './guess.ts';
import { type Found, GATHERED, type Job, type JobResult, NO_RESULT, type Piece } from './job.ts';
import type { Kit, Opened } from './open.ts';
import { countLines, performRecords } from './record-job.ts';
import { rawStatistics } from './statistics-job.ts';
import { MessageOutput } from './message-output.ts';
import { messagesOf } from '../messages.ts';
import { Places } from '../places.ts';
import type { InputSource } from '../input/source.ts';
import { isContainer, type UnitOptions } from '../records/unit.ts';

/** Does a job; gives its pieces, and its result at the end. `opened`: its input, when it is open already. Throws an InputError; never on data. */
export function* perform(kit: Kit, job: Job, opened?: Opened): Generator<Piece, JobResult, void> {
  const { input, options } = opened ?? kit.open(job.input);
  const { part } = job;
  if (part.of === 'lines') return job.kind === 'lines' ? countLines(kit, input, part) : yield* performRecords(kit, job, input, options, part);
  if (part.of === 'raw') return yield* performRaw(kit, job, input, options, part);
  if (part.of === 'guess') {
    const start = guessStart(input, part.from, part.to, part.like);
    return start === null ? NO_RESULT : yield* performRaw(kit, job, input, options, { start, to: part.to });
  }
  if (isContainer(job.input.path, input, options)) return yield* performRecords(kit, job, input, options, null);
  return yield* performRaw(kit, job, input, options, WHOLE);
}

function* performRaw(kit: Kit, job: Job, input: InputSource, options: UnitOptions, range: Range): Generator<Piece, JobResult, void> {
  const { machine } = kit;
  const from = range.start?.position ?? 0;
  const source = kit.watched(input);
  if (job.kind === 'count') {
    const { counter, isOwn } = kit.counter;
    const before = counter.totals;
    const end = counter.addRange(machine, source, options, range, kit.headers);
    const { bytes, transcripts, messages } = counter.since(before);
    return { ...NO_RESULT, counts: isOwn ? counter.partial() : null, start: range.start?.position ?? null, end, bytes, transcripts, messages };
  }
  if (job.kind === 'check') {
    const places = new Places(input, from);
    const { openCalls } = places;
    const checker = new Checker(machine, places.over(source), { ...options, tools: job.tools, openCalls }, { range, known: kit.headers, memory: kit.tools, watch: places });
    let found: Found[] = [];
    try {
      for (const diagnostic of checker.run()) {
        found.push({ diagnostic, record: null, line: null, place: places.at(diagnostic.from) });
        // What is read once must be looked at before it is let go.
        if (found.length < GATHERED && input.canReread) continue;
        yield found;
        found = [];
      }
    } catch (error) {
      if (found.length > 0) yield found;
      throw error;
    }
    if (found.length > 0) yield found;
    const to = Math.min(range.to, checker.position);
    return { ...NO_RESULT, transcripts: checker.transcripts, bytes: to - from, place: range.to === Infinity ? null : places.at(to) };
  }
  if (job.kind === 'statistics') return rawStatistics(kit, job, source, options, range);
  if (job.kind !== 'messages') return NO_RESULT;
  const out = new MessageOutput(job, !input.canReread);
  const reading = messagesOf(machine, source, options, { range, known: kit.headers });
  let result = NO_RESULT;
  try {
    for (let next = reading.next(); ; next = reading.next()) {
      if (next.done) {
        const { transcripts, end, position } = next.value;
        result = { ...NO_RESULT, transcripts, end, bytes: position - from };
        break;
      }
      if (!out.add(next.value, null)) break;
      yield* out.take();
    }
  } catch (error) {
    // What was read before belongs to the output.
    yield* out.end();
    throw error;
  }
  yield* out.end();
  return { ...result, messages: out.messages };
}
