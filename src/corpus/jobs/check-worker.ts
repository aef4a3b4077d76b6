// Checking records: those of which nothing is to be told are passed by their rows, and so are those of which rows tell
// all that there is; others are checked as units.

import { FROM, KIND, SLOW } from '../../abi.ts';
import { diagnose, type Diagnostic, manyTimes } from '../../errors.ts';
import { Checker } from '../../rules/check.ts';
import { wordAt } from '../../scan/record-rows.ts';
import type { InputSource } from '../input/source.ts';
import { LinePlaces } from '../places.ts';
import { BadRuns } from '../records/bad-runs.ts';
import type { PassesBad } from '../records/pass-bad.ts';
import { bytesOfRow } from '../records/row-pointers.ts';
import { lineOf, nextRecord, ordinalOf, type RecordRows } from '../records/rows.ts';
import type { BadRecord, Unit } from '../records/unit.ts';
import { type Found, GATHERED, type Job, type Piece, type Told } from './job.ts';
import { MarkedRecords } from './marked-records.ts';
import { giveTools, settleTools } from './settled-tools.ts';
import type { ThreadContext } from './open.ts';
import type { UnitWorker } from './unit-worker.ts';

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

export class CheckWorker implements UnitWorker {
  readonly rows: UnitWorker['rows'];
  readonly #context: ThreadContext;
  readonly #job: Extract<Job, { kind: 'check' }>;
  readonly #most: number;
  readonly #places: LinePlaces | null;
  readonly #marked: MarkedRecords;
  readonly #isTable: boolean;
  #found: Found[] = [];
  readonly #runs = new BadRuns<PlacedBad>();
  transcripts: number;
  messages = 0;
  likeHarmony = 0;

  /** `isTable`: positions are those in a row of a table. */
  constructor(
    context: ThreadContext, job: Extract<Job, { kind: 'check' }>, transcripts: number, input: InputSource,
    isTable: boolean,
  ) {
    this.#isTable = isTable;
    this.#context = context;
    this.#job = job;
    this.transcripts = transcripts;
    this.#most = input.canReread ? GATHERED : 1;
    this.#places = input.canReread ? new LinePlaces(input) : null;
    this.#marked = new MarkedRecords(context.machine, context.tools);
    context.tools.budget.restart();
    giveTools(context, job.tools);
    this.rows = job.most !== undefined ? null : (rows, record) => this.#rows(rows, record);
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
        if (!settleTools(machine, tools, next, this.#context.tools)) return next;
      } else {
        this.#endRuns();
        if (!this.#tellMarked(rows, next)) return next;
        this.transcripts++;
        record = nextRecord(rows, next);
      }
    }
    return record;
  }

  /** False: the record must be read. */
  #tellMarked(rows: RecordRows, record: number): boolean {
    const { machine, base } = rows;
    const number = rows.record + ordinalOf(rows, record);
    const line = lineOf(rows, record);
    const lineFrom = rows.framing === null ? base + wordAt(machine.rows, record, FROM) : null;
    const told = this.#marked.told(rows, record, this.transcripts);
    if (told === null) return false;
    if (lineFrom !== null) this.#places?.hold(lineFrom, bytesOfRow(rows, record));
    const shift = this.#isTable ? base + wordAt(machine.rows, record, FROM) : 0;
    for (const one of told) {
      const diagnostic = shift === 0 ? one : { ...one, from: one.from - shift, to: one.to - shift };
      this.#tell(diagnostic, number, line, lineFrom);
    }
    this.#places?.letGo();
    return true;
  }

  take({ source, options, place, pointer, record, line, at, kind }: Unit, lineFrom: number | null): boolean {
    this.#endRuns();
    const { tools } = this.#job;
    const isChat = kind === 'chat';
    const checker = new Checker(this.#context.machine, source, { ...options, tools }, {
      known: this.#context.headers, memory: this.#context.tools, at,
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
      if (times === 1) this.#tellBad(first, to, first.bad.detail);
      else this.#tellBad(first, to, manyTimes(times), times);
    }
  }

  #tellBad({ bad, lineFrom, transcript }: PlacedBad, to: number, detail: string, times?: number): void {
    const { rule, record, line, pointer } = bad;
    // From one row of a table to another nothing has an end.
    const span = this.#isTable ? { from: 0, to: bad.to - bad.from } : { from: bad.from, to };
    const finding = { rule, ...span, detail, ...(times !== undefined && { times }) };
    const faultAt = bad.fault === null ? undefined : span.from + bad.fault;
    this.#tell({ ...diagnose(finding, transcript, true), pointer, faultAt }, record, line, lineFrom);
  }

  #tell(diagnostic: Told, record: number | null, line: number | null, lineFrom: number | null): void {
    const isKnown = this.#places !== null && line !== null && lineFrom !== null;
    const place = isKnown ? this.#places.at(diagnostic.faultAt ?? diagnostic.from, line, lineFrom) : null;
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
