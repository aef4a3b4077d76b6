// Doing a job on records: JSON lines, a JSON list, rows of a table.

import { FROM, IS_OPEN, IS_TRANSCRIPT, KIND, MAY_THINK, NEXT, RECORD_ROWS, SLOW, TO, VALUE } from '../../abi.ts';
import { diagnose, type Diagnostic } from '../../errors.ts';
import { Checker } from '../../rules/check.ts';
import type { Counter } from '../../rules/count.ts';
import type { Totals } from '../../rules/counts.ts';
import { wordAt } from '../../scan/record-rows.ts';
import { type Found, GATHERED, type Job, type JobResult, NO_RESULT, type Piece, type Told } from './job.ts';
import type { Kit } from './open.ts';
import { StatisticsWorker } from './statistics-job.ts';
import { MessageOutput } from './message-output.ts';
import { messagesOf } from '../messages.ts';
import { LinePlaces } from '../places.ts';
import { BadRuns } from '../records/bad-runs.ts';
import { markerIn } from '../records/written-thought.ts';
import { RowPointers } from '../records/row-pointers.ts';
import { passBad, type PassesBad } from '../records/pass-bad.ts';
import { isRows, lineOf, nextRecord, ordinalOf, type RecordRows } from '../records/rows.ts';
import { ALL, type LinesPart, Units } from '../records/units.ts';
import type { InputSource } from '../input/source.ts';
import { type BadRecord, isBad, type Unit, type FileOptions } from '../records/unit.ts';
import type { UnitWorker } from './unit-worker.ts';

/** `part` null: all of the input. */
export function* performRecords(
  kit: Kit,
  job: Job,
  input: InputSource,
  options: FileOptions,
  part: LinesPart | null,
): Generator<Piece, JobResult, void> {
  const range = part ?? ALL;
  const worker = workerFor(kit, job, range, input);
  const asRows = worker.rows === null ? 'none' : worker.takes ?? 'chats';
  const units = new Units(kit, job.input.path, kit.watched(input), options, range, asRows);
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
  const { transcripts, messages } = worker;
  const bytes = units.end(range.to) - range.from;
  const counts = worker.counts?.(bytes) ?? null;
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
  return worker.take(unit, lineFrom);
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
        continue;
      }
      for (const unit of units.slow(rows, record)) yield* takeUnit(worker, unit, units.lineFrom);
      record = nextRecord(rows, record);
    }
    yield* worker.ready(false);
  }
}

function workerFor(kit: Kit, job: Job, { record, surplus }: LinesPart, input: InputSource): UnitWorker {
  if (job.kind === 'check') return new CheckWorker(kit, job, record + surplus, input);
  if (job.kind === 'statistics') return new StatisticsWorker(kit, job, record + surplus);
  if (job.kind === 'messages') return new MessagesWorker(kit, job, record + surplus, !input.canReread);
  return new CountWorker(kit, record + surplus);
}

const isTranscript = (rows: Int32Array, record: number): boolean =>
  (wordAt(rows, record, KIND) & SLOW) === 0 && (wordAt(rows, record + 1, KIND) & IS_TRANSCRIPT) !== 0;

class CountWorker implements UnitWorker {
  readonly takes = 'texts';
  readonly #kit: Kit;
  readonly #counter: Counter;
  readonly #isOwn: boolean;
  readonly #totals: Totals;
  readonly #first: number;
  transcripts: number;
  messages = 0;
  likeHarmony = 0;

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
    const { capacity } = this.#kit.machine;
    const next = machine.copyTranscripts(record, to, capacity);
    if (next === record) return false;
    this.#textsTo = next;
    const ends: number[] = [];
    for (let at = record; at < next; at = wordAt(machine.rows, at, NEXT)) {
      ends.push(machine.cells[ends.length]! - machine.outputAt);
    }
    // Names are kept in the order in which they are met.
    this.#counter.addChat(machine.sums);
    this.#counter.addTexts(this.#kit.machine, machine.output, ends, this.#kit.headers);
    return true;
  }

  ready(): readonly Piece[] {
    return [];
  }

  counts(bytes: number): JobResult['counts'] {
    this.#counter.addBytes(bytes);
    const { transcripts, messages, likeHarmony } = this.#counter.since(this.#totals);
    this.transcripts = this.#first + transcripts;
    this.likeHarmony = likeHarmony;
    this.messages = messages;
    return this.#isOwn ? this.#counter.partial() : null;
  }
}

/** Records from row `record` to before row `next`. */
function passed(rows: RecordRows, record: number, next: number): number {
  return (next === rows.to ? rows.records : ordinalOf(rows, next)) - ordinalOf(rows, record);
}

/** A diagnostic of a record's text as one of the file. `before`: transcripts of the file before those of the record. */
export function placedDiagnostic(diagnostic: Diagnostic, before: number, place: Unit['place']): Diagnostic {
  const { from, to, transcript } = diagnostic;
  const start = place(from);
  return { ...diagnostic, transcript: before + transcript, from: start, to: to === from ? start : place(to, true) };
}

interface PlacedBad {
  readonly bad: BadRecord;
  readonly lineFrom: number | null;
  readonly transcript: number;
}

class CheckWorker implements UnitWorker {
  readonly rows: UnitWorker['rows'];
  readonly #kit: Kit;
  readonly #job: Extract<Job, { kind: 'check' }>;
  readonly #most: number;
  readonly #places: LinePlaces | null;
  #found: Found[] = [];
  readonly #runs = new BadRuns<PlacedBad>();
  transcripts: number;
  messages = 0;
  likeHarmony = 0;

  constructor(kit: Kit, job: Extract<Job, { kind: 'check' }>, transcripts: number, input: InputSource) {
    this.#kit = kit;
    this.#job = job;
    this.transcripts = transcripts;
    this.#most = input.canReread ? GATHERED : 1;
    this.#places = input.canReread ? new LinePlaces(input) : null;
    kit.tools.budget.restart();
    // Tools that the caller knows are for views.
    this.rows = job.tools.length > 0 || job.most !== undefined ? null : (rows, record) => this.#rows(rows, record);
  }

  #rows(rows: RecordRows, record: number): number {
    const { machine, tools, to } = rows;
    while (record < to) {
      const next = machine.check(record, to);
      if (next > record) this.#endRuns();
      this.transcripts += machine.transcripts;
      if (next === to) return to;
      record = next;
      if (wordAt(machine.rows, next, KIND) & SLOW) return next;
      if (machine.asksForTools(next)) {
        if (!tools.settle(next)) return next;
      } else {
        this.#endRuns();
        this.#tellMarked(rows, next);
        this.transcripts++;
        record = nextRecord(rows, next);
      }
    }
    return record;
  }

  /** Calls of a record that no reply answers, and reasoning in its texts: nothing else is to be told of it. */
  #tellMarked(rows: RecordRows, record: number): void {
    const { machine, base } = rows;
    const next = nextRecord(rows, record);
    const number = rows.record + ordinalOf(rows, record);
    const line = lineOf(rows, record);
    const lineFrom = rows.framing === null ? base + wordAt(machine.rows, record, FROM) : null;
    const pointers = new RowPointers(rows, record);
    if (lineFrom !== null) this.#places?.hold(lineFrom, pointers.bytes);
    // Open calls are told where the record ends.
    const open: Told[] = [];
    for (let row = record + RECORD_ROWS; row < next; row = wordAt(machine.rows, row, NEXT)) {
      pointers.pass(row);
      const word = wordAt(machine.rows, row, KIND);
      const body = wordAt(machine.rows, row, NEXT) - 1;
      if (word & MAY_THINK) {
        const from = wordAt(machine.rows, body, FROM);
        const marker = markerIn(machine.memory.subarray(from, wordAt(machine.rows, body, TO)));
        if (marker !== null) {
          const start = base + from;
          const finding = { rule: 'reasoning-in-final', from: start + marker.from, to: start + marker.to } as const;
          const diagnostic = diagnose(finding, this.transcripts, true);
          this.#tell({ ...diagnostic, pointer: pointers.text(body), isChat: true }, number, line, lineFrom);
        }
      }
      if (!(word & IS_OPEN)) continue;
      // Up to the arguments, where they are text.
      const isText = !(wordAt(machine.rows, body, KIND) & VALUE);
      const to = isText ? wordAt(machine.rows, body, FROM) : wordAt(machine.rows, row, TO);
      const finding = { rule: 'open-call', from: base + wordAt(machine.rows, row, FROM), to: base + to } as const;
      open.push({ ...diagnose(finding, this.transcripts, true), pointer: pointers.pointer(row), isChat: true });
    }
    for (const diagnostic of open) this.#tell(diagnostic, number, line, lineFrom);
    this.#places?.letGo();
  }

  take({ source, options, place, pointer, record, line, at, kind }: Unit, lineFrom: number | null): boolean {
    this.#endRuns();
    const { tools } = this.#job;
    const isChat = kind === 'chat';
    const checker = new Checker(this.#kit.machine, source, { ...options, tools }, {
      known: this.#kit.headers, memory: this.#kit.tools, at,
    });
    for (const diagnostic of checker.run()) {
      const placed = placedDiagnostic(diagnostic, this.transcripts, place);
      this.#tell({ ...placed, pointer: pointer(diagnostic), isChat }, record, line, lineFrom);
    }
    this.transcripts += checker.transcripts;
    this.likeHarmony += checker.likeHarmony;
    return this.transcripts < (this.#job.most ?? Infinity);
  }

  bad(bad: BadRecord, lineFrom: number | null): void {
    if (this.#runs.endsBefore(lineFrom ?? bad.from)) this.#endRuns();
    const placed = { bad, lineFrom, transcript: this.transcripts };
    if (this.#runs.isAlone(bad.rule, bad, placed)) this.#tellBad(placed, bad.to, bad.detail);
  }

  readonly passesBad: PassesBad = (...bad) => this.#runs.isFurther(...bad);

  /** Bad records that were not told by themselves. */
  #endRuns(): void {
    if (!this.#runs.isAny) return;
    for (const { first, to, times } of this.#runs.take()) {
      this.#tellBad(first, to, times === 1 ? first.bad.detail : `${times} times, from here on`);
    }
  }

  #tellBad({ bad, lineFrom, transcript }: PlacedBad, to: number, detail: string): void {
    const { rule, from, record, line, pointer } = bad;
    this.#tell({ ...diagnose({ rule, from, to, detail }, transcript, true), pointer }, record, line, lineFrom);
  }

  #tell(diagnostic: Told, record: number | null, line: number | null, lineFrom: number | null): void {
    const isKnown = this.#places !== null && line !== null && lineFrom !== null;
    const place = isKnown ? this.#places.at(diagnostic.from, line, lineFrom) : null;
    this.#found.push({ diagnostic, record, line, place });
  }

  *ready(all: boolean): Generator<Piece, void, void> {
    if (all) this.#endRuns();
    if (this.#found.length === 0 || (!all && this.#found.length < this.#most)) return;
    const found = this.#found;
    this.#found = [];
    yield found;
  }
}

class MessagesWorker implements UnitWorker {
  readonly takes = 'definitions';
  readonly rows: UnitWorker['rows'];
  badRecords = 0;
  likeHarmony = 0;
  readonly #kit: Kit;
  readonly #out: MessageOutput;
  transcripts: number;

  constructor(kit: Kit, job: Extract<Job, { kind: 'messages' }>, transcripts: number, isLive: boolean) {
    this.#kit = kit;
    this.#out = new MessageOutput(job, isLive);
    this.transcripts = transcripts;
    this.rows = this.#out.takesRows ? (rows, record) => this.#rows(rows, record) : null;
  }

  #rows(rows: RecordRows, record: number): number {
    const next = this.#out.addRows(rows, record, this.transcripts);
    this.transcripts += passed(rows, record, next);
    return next;
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
        this.likeHarmony += next.value.likeHarmony;
        return true;
      }
      if (!this.#out.add(next.value, where)) return false;
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
