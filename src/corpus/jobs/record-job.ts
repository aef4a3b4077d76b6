// Doing a job on records: JSON lines, a JSON list, rows of a table.

import { FROM, IS_TRANSCRIPT, KIND, NEXT, RECORD_SUM_TRANSCRIPTS, SLOW, TO } from '../../abi.ts';
import type { Counter } from '../../rules/count.ts';
import type { Totals } from '../../rules/counts.ts';
import { wordAt } from '../../scan/record-rows.ts';
import { CheckWorker } from './check-worker.ts';
import { type Job, type JobResult, type MessagesJob, NO_RESULT, type Piece } from './job.ts';
import type { ThreadContext } from './open.ts';
import { StatisticsWorker } from './statistics-job.ts';
import { MessageOutput } from './message-output.ts';
import { messagesOf } from '../messages.ts';
import { passBad, type PassesBad } from '../records/pass-bad.ts';
import { isRows, nextRecord, ordinalOf, type RecordRows } from '../records/rows.ts';
import { ALL, type LinesPart, Units } from '../records/units.ts';
import type { InputSource } from '../input/source.ts';
import { type BadRecord, isBad, type Unit, type FileOptions } from '../records/unit.ts';
import type { UnitWorker } from './unit-worker.ts';

/** `part` null: all of the input. */
export function* performRecords(
  context: ThreadContext,
  job: Job,
  input: InputSource,
  options: FileOptions,
  part: LinesPart | null,
): Generator<Piece, JobResult, void> {
  const range = part ?? ALL;
  const worker = workerFor(context, job, range, input, options);
  const asRows = worker.rows === null ? 'none' : worker.takes ?? 'chats';
  const units = new Units(context, job.input.path, context.watched(input), options, range, asRows);
  try {
    for (const item of units.items()) {
      if (isRows(item)) yield* takeRows(worker, units, item);
      else if (!(yield* takeUnit(worker, item, units.lineFrom))) break;
      yield* worker.ready(false);
    }
  } catch (error) {
    // What was read before belongs to the output.
    yield* worker.ready(true);
    throw error;
  }
  yield* worker.ready(true);
  const bytes = units.end(range.to) - range.from;
  // They tell of how many transcripts they are, too.
  const counts = worker.counts?.(bytes) ?? null;
  const { transcripts, messages } = worker;
  const statistics = worker.statistics ?? null;
  return {
    ...NO_RESULT,
    counts,
    statistics,
    records: units.records,
    lines: units.lines,
    transcripts,
    messages,
    badRecords: worker.badRecords ?? 0,
    likeHarmony: worker.likeHarmony ?? 0,
    bytes,
  };
}

/** False: nothing further is wanted. */
function* takeUnit(
  worker: UnitWorker, unit: Unit | BadRecord, lineFrom: number | null,
): Generator<Piece, boolean, void> {
  if (isBad(unit)) {
    worker.bad(unit, lineFrom);
    return true;
  }
  worker.begins?.(lineFrom ?? 0);
  if (worker.isFull) yield* worker.ready(false);
  const taken = worker.take(unit, lineFrom);
  return typeof taken === 'boolean' ? taken : yield* taken;
}

/** Records that were scanned together: those that do not go as rows go as units. */
function* takeRows(worker: UnitWorker, units: Units, rows: RecordRows): Generator<Piece, void, void> {
  for (let record = 0; record < rows.to; ) {
    record = worker.rows!(rows, record);
    if (record < rows.to && !worker.isFull) {
      const { passesBad } = worker;
      const next = passesBad === undefined ? record : passBad(rows, record, passesBad, units.knownBad);
      if (next > record) {
        record = next;
        // The next rows are written over what is ready.
        yield* worker.ready(false);
        continue;
      }
      for (const unit of units.slow(rows, record)) yield* takeUnit(worker, unit, units.lineFrom);
      record = nextRecord(rows, record);
    }
    yield* worker.ready(false);
  }
}

function workerFor(
  context: ThreadContext, job: Job, { record, surplus }: LinesPart, input: InputSource, { positions }: FileOptions,
): UnitWorker {
  const isTable = positions === 'field';
  if (job.kind === 'check') return new CheckWorker(context, job, record + surplus, input, isTable);
  if (job.kind === 'statistics') return new StatisticsWorker(context, job, record + surplus, isTable);
  if (job.kind === 'messages') return new MessagesWorker(context, job, record + surplus, !input.canReread, isTable);
  return new CountWorker(context);
}

const isTranscript = (rows: Int32Array, record: number): boolean =>
  (wordAt(rows, record, KIND) & SLOW) === 0 && (wordAt(rows, record + 1, KIND) & IS_TRANSCRIPT) !== 0;

class CountWorker implements UnitWorker {
  readonly takes = 'texts';
  readonly #context: ThreadContext;
  readonly #counter: Counter;
  readonly #isOwn: boolean;
  readonly #totals: Totals;
  /** In this part alone, as of messages. */
  transcripts = 0;
  messages = 0;
  likeHarmony = 0;

  constructor(context: ThreadContext) {
    const { counter, isOwn } = context.counter;
    this.#context = context;
    this.#counter = counter;
    this.#isOwn = isOwn;
    this.#totals = counter.totals;
  }

  take({ source, options, kind }: Unit): boolean {
    const { writtenCalls } = options;
    this.#counter.addText(
      this.#context.machine, source, options, kind === 'chat', this.#context.headers, writtenCalls?.size,
    );
    return true;
  }

  bad({ rule }: BadRecord): void {
    this.#counter.addFinding(rule);
  }

  readonly passesBad: PassesBad = (rule, _from, _to, _line, times) => {
    this.#counter.addFinding(rule, times);
    return true;
  };

  readonly rows = (rows: RecordRows, record: number): number => {
    const { machine, tools, to } = rows;
    let next = machine.count(record, to);
    while (next < to && (this.#texts(rows, next) || (machine.asksForTools(next) && tools.settle(next)))) {
      next = machine.count(Math.max(next, this.#textsTo), to);
    }
    this.#counter.addChat(machine.sums);
    return next;
  };

  /** Behind the texts that were counted last. */
  #textsTo = 0;

  /** Counts the texts of the records from row `record` on that may be transcripts; false: it has none. */
  #texts({ machine, to }: RecordRows, record: number): boolean {
    this.#textsTo = 0;
    if (!isTranscript(machine.rows, record)) return false;
    const { capacity } = this.#context.machine;
    const next = machine.copyTranscripts(record, to, capacity);
    if (next === record) return false;
    this.#textsTo = next;
    const ends: number[] = [];
    for (let at = record; at < next; at = wordAt(machine.rows, at, NEXT)) {
      ends.push(machine.cells[ends.length]! - machine.outputAt);
    }
    // Names are kept in the order in which they are met.
    this.#counter.addChat(machine.sums);
    this.#counter.addTexts(this.#context.machine, machine.output, ends, this.#context.headers);
    return true;
  }

  ready(): readonly Piece[] {
    return [];
  }

  counts(bytes: number): JobResult['counts'] {
    this.#counter.addBytes(bytes);
    const { transcripts, messages, likeHarmony } = this.#counter.since(this.#totals);
    this.transcripts = transcripts;
    this.likeHarmony = likeHarmony;
    this.messages = messages;
    return this.#isOwn ? this.#counter.partial() : null;
  }
}

/** Records from row `record` to before row `next`. */
function passed(rows: RecordRows, record: number, next: number): number {
  return (next === rows.to ? rows.records : ordinalOf(rows, next)) - ordinalOf(rows, record);
}

/** The record that holds a byte, from row `record` on, or the end; where positions are not those of lines, that row. */
function holderOfByte(rows: RecordRows, record: number, at: number): number {
  const { machine, framing, base, to } = rows;
  if (framing !== null) return record;
  while (record < to && base + wordAt(machine.rows, record, TO) <= at) record = nextRecord(rows, record);
  return record < to && base + wordAt(machine.rows, record, FROM) > at ? to : record;
}

class MessagesWorker implements UnitWorker {
  readonly takes = 'definitions';
  readonly rows: UnitWorker['rows'];
  badRecords = 0;
  likeHarmony = 0;
  readonly #context: ThreadContext;
  readonly #out: MessageOutput;
  transcripts: number;

  constructor(context: ThreadContext, job: MessagesJob, transcripts: number, isLive: boolean, isTable: boolean) {
    this.#context = context;
    this.#out = new MessageOutput(job, isLive, isTable);
    this.transcripts = transcripts;
    const { at, transcript } = job.filters;
    const isPlace = at !== undefined && transcript === undefined;
    // Positions in a row of a table may be wanted of each.
    this.rows = this.#out.takesRows ? (rows, record) => this.#rows(rows, record)
      : isPlace && !isTable ? (rows, record) => this.#passTo(rows, record, holderOfByte(rows, record, at)) : null;
  }

  /** Passes the records from row `record` to before row `holder`; answers the first one that must be a unit. */
  #passTo(rows: RecordRows, record: number, holder: number): number {
    const { machine, tools } = rows;
    let next = machine.count(record, holder);
    while (next < holder && machine.asksForTools(next) && tools.settle(next)) next = machine.count(next, holder);
    this.transcripts += machine.sums[RECORD_SUM_TRANSCRIPTS]!;
    machine.sums.fill(0);
    return next;
  }

  #rows(rows: RecordRows, record: number): number {
    const { sides } = this.#out;
    const next = this.#out.addRows(rows, record, this.transcripts);
    this.transcripts += passed(rows, record, next) + this.#out.sides - sides;
    return next;
  }

  get messages(): number {
    return this.#out.messages;
  }

  *take({ source, options, record, place }: Unit): Generator<Piece, boolean, void> {
    const where = { record: record!, transcripts: this.transcripts, place };
    const reading = messagesOf(this.#context.machine, source, options, { known: this.#context.headers });
    for (let next = reading.next(); ; next = reading.next()) {
      if (next.done) {
        this.transcripts += next.value.transcripts;
        this.likeHarmony += next.value.likeHarmony;
        return true;
      }
      if (!this.#out.add(next.value, where)) return false;
      if (this.#out.isReady || this.#out.isFull) yield* this.#out.take();
    }
  }

  begins(position: number): void {
    this.#out.begins(position);
  }

  get isFull(): boolean {
    return this.#out.isFull;
  }

  bad(): void {
    this.badRecords++;
  }

  readonly passesBad: PassesBad = (_rule, _from, _to, _line, times) => {
    this.badRecords += times;
    return true;
  };

  ready(all: boolean): Iterable<Piece> {
    return all ? this.#out.end() : this.#out.isReady ? this.#out.take() : [];
  }
}
