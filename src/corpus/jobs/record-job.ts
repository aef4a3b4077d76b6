// Doing a job on records: JSON lines, a JSON list, rows of a table.

import { diagnose, type Diagnostic } from '../../errors.ts';
import { Checker } from '../../rules/check.ts';
import type { Counter } from '../../rules/count.ts';
import type { Totals } from '../../rules/counts.ts';
import { type Found, GATHERED, type Job, type JobResult, NO_RESULT, type Piece } from './job.ts';
import type { Kit } from './open.ts';
import { StatisticsWorker } from './statistics-job.ts';
import { MessageOutput } from './message-output.ts';
import { messagesOf } from '../messages.ts';
import type { LineRange } from '../records/lines.ts';
import { ALL, type LinesPart, Units } from '../records/units.ts';
import type { InputSource } from '../input/source.ts';
import { type BadRecord, isBad, type Unit, type UnitOptions } from '../records/unit.ts';
import type { UnitWorker } from './unit-worker.ts';

const COUNT_STEP = 256 * 1024;
const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** `part` null: all of the input. */
export function* performRecords(
  kit: Kit,
  job: Job,
  input: InputSource,
  options: UnitOptions,
  part: LinesPart | null,
): Generator<Piece, JobResult, void> {
  const range = part ?? ALL;
  const units = new Units(kit, job.input.path, kit.watched(input), options, range);
  const worker = workerFor(kit, job, range, input.canReread);
  try {
    for (const unit of units) {
      if (isBad(unit)) worker.bad(unit);
      else if (!worker.take(unit)) break;
      yield* worker.ready(false);
    }
  } catch (error) {
    // What was read before belongs to the output.
    yield* worker.ready(true);
    throw error;
  }
  yield* worker.ready(true);
  const { transcripts, messages } = worker;
  const bytes = units.end(range.to) - range.from;
  const counts = worker.counts?.(bytes) ?? null;
  const statistics = worker.statistics ?? null;
  return { ...NO_RESULT, counts, statistics, records: units.records, lines: units.lines, transcripts, messages, badRecords: worker.badRecords ?? 0, bytes };
}

function workerFor(kit: Kit, job: Job, { record, surplus }: LinesPart, canReread: boolean): UnitWorker {
  if (job.kind === 'check') return new CheckWorker(kit, job, record + surplus, canReread);
  if (job.kind === 'statistics') return new StatisticsWorker(kit, job, record + surplus);
  if (job.kind === 'messages') return new MessagesWorker(kit, job, record + surplus, !canReread);
  return new CountWorker(kit, record + surplus);
}

class CountWorker implements UnitWorker {
  readonly #kit: Kit;
  readonly #counter: Counter;
  readonly #isOwn: boolean;
  readonly #totals: Totals;
  readonly #first: number;
  transcripts: number;
  messages = 0;

  constructor(kit: Kit, transcripts: number) {
    const { counter, isOwn } = kit.counter;
    this.#kit = kit;
    this.#counter = counter;
    this.#isOwn = isOwn;
    this.#totals = counter.totals;
    this.transcripts = this.#first = transcripts;
  }

  take({ source, options, kind }: Unit): boolean {
    this.#counter.addText(this.#kit.machine, source, options, kind === 'chat', this.#kit.headers);
    return true;
  }

  bad({ rule }: BadRecord): void {
    this.#counter.addFinding(rule);
  }

  ready(): readonly Piece[] {
    return [];
  }

  counts(bytes: number): JobResult['counts'] {
    this.#counter.addBytes(bytes);
    const { transcripts, messages } = this.#counter.since(this.#totals);
    this.transcripts = this.#first + transcripts;
    this.messages = messages;
    return this.#isOwn ? this.#counter.partial() : null;
  }
}

/** A diagnostic of a record's text as one of the file. `before`: transcripts of the file before those of the record. */
export function placedDiagnostic(diagnostic: Diagnostic, before: number, place: Unit['place']): Diagnostic {
  const { from, to, transcript } = diagnostic;
  const start = place(from);
  return { ...diagnostic, transcript: before + transcript, from: start, to: to === from ? start : place(to, true) };
}

class CheckWorker implements UnitWorker {
  readonly #kit: Kit;
  readonly #job: Extract<Job, { kind: 'check' }>;
  readonly #most: number;
  #found: Found[] = [];
  transcripts: number;
  messages = 0;

  constructor(kit: Kit, job: Extract<Job, { kind: 'check' }>, transcripts: number, canReread: boolean) {
    this.#kit = kit;
    this.#job = job;
    this.transcripts = transcripts;
    this.#most = canReread ? GATHERED : 1;
  }

  take({ source, options, place, record, line }: Unit): boolean {
    const { tools } = this.#job;
    const checker = new Checker(this.#kit.machine, source, { ...options, tools }, { known: this.#kit.headers });
    for (const diagnostic of checker.run()) {
      this.#found.push({ diagnostic: placedDiagnostic(diagnostic, this.transcripts, place), record, line, place: null });
    }
    this.transcripts += checker.transcripts;
    return true;
  }

  bad({ rule, from, to, detail, record, line }: BadRecord): void {
    const diagnostic = diagnose({ rule, from, to, detail }, this.transcripts, true);
    this.#found.push({ diagnostic, record, line, place: null });
  }

  *ready(all: boolean): Generator<Piece, void, void> {
    if (this.#found.length === 0 || (!all && this.#found.length < this.#most)) return;
    const found = this.#found;
    this.#found = [];
    yield found;
  }
}

class MessagesWorker implements UnitWorker {
  badRecords = 0;
  readonly #kit: Kit;
  readonly #out: MessageOutput;
  transcripts: number;

  constructor(kit: Kit, job: Extract<Job, { kind: 'messages' }>, transcripts: number, isLive: boolean) {
    this.#kit = kit;
    this.#out = new MessageOutput(job, isLive);
    this.transcripts = transcripts;
  }

  get messages(): number {
    return this.#out.messages;
  }

  take({ source, options, record, place }: Unit): boolean {
    const where = { record: record!, transcripts: this.transcripts, place };
    const reading = messagesOf(this.#kit.machine, source, options, { known: this.#kit.headers });
    for (let next = reading.next(); ; next = reading.next()) {
      if (next.done) {
        this.transcripts += next.value.transcripts;
        return true;
      }
      if (!this.#out.add(next.value, where)) return false;
    }
  }

  bad(): void {
    this.badRecords++;
  }

  ready(all: boolean): Iterable<Piece> {
    return all ? this.#out.end() : this.#out.take();
  }
}

/** Counts the lines and records of a part that ends with a line. */
export function countLines(kit: Kit, input: InputSource, { from, to }: LineRange): JobResult {
  const { text } = kit;
  text.beginLines();
  // A byte order mark makes no record.
  let at = from === 0 && MARK.equals(input.bytes(0, MARK.length)) ? MARK.length : from;
  while (at < to) {
    const read = input.read(at, text.input.subarray(0, Math.min(COUNT_STEP, to - at)));
    if (read === 0) break;
    text.countLines(0, read);
    at += read;
  }
  return { ...NO_RESULT, lines: text.lines, records: text.records + (text.inRecord ? 1 : 0), bytes: at - from };
}
