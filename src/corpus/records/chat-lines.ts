// JSON lines of chat records as rows: whole windows of lines are scanned at once, and what most records hold is never
// looked at as a value. A record that the scanner leaves to the host becomes a unit, as by record.ts and unit.ts, which
// all others are compared with.

import {
  COUNTS_LOST, FORM_CONVERSATIONS, FORM_MESSAGES, FORM_OTHERS, FORM_TRANSCRIPTS, FORM_TURNS, FROM, IS_OTHER, KIND, NEXT,
  SLOW, TO,
} from '../../abi.ts';
import type { Machine } from '../../scan/machine.ts';
import type { RecordMachine } from '../../scan/record-machine.ts';
import { wordAt } from '../../scan/record-rows.ts';
import type { Source } from '../../scan/source.ts';
import type { TextMachine } from '../../scan/text-machine.ts';
import { ValueFraming } from './framing.ts';
import { LF } from './json-bytes.ts';
import { KnownBad } from './known-bad.ts';
import type { Layout } from './layout.ts';
import { locateWith, RecordLines } from './lines.ts';
import { type RecordTools, toolsOf } from './record-tools.ts';
import {
  type CorpusRecord, LARGEST, type Placed, recordOf, type RecordProblem, type RecordsRest, restOfRecords, tooLarge,
  turnsHeld,
} from './record.ts';
import { isRows, lineOf, ordinalOf, type RecordRows } from './rows.ts';
import { dividedByTurns, isRecord } from './turn-rows.ts';
import { TurnRun, withTurnsJoined } from './turns.ts';
import { type BadRecord, type Unit, type FileForm, type FileOptions, joinsTurnsOf, unitsOfRecord } from './unit.ts';
import { type LineRange, LineWindow } from './window.ts';

/**
 * Whether chat records are read as rows: in any other way the options leave nothing to the scanner. Rows have positions
 * of the decoded file, also where those in a row of a table are wanted. `takesField`: also where a field is named that
 * holds the messages.
 */
export function canReadRows(
  { form = 'auto', field, largestRecord = LARGEST }: FileOptions, { takesField = false } = {},
): boolean {
  const isNamed = field === undefined || (takesField && canNameField(field));
  return FORMS[form] !== 0 && isNamed && largestRecord >= LARGEST;
}

/** The same of turns that follow each other and are one transcript. */
export const canJoinRows = (options: FileOptions): boolean =>
  joinsTurnsOf(options) && (options.largestRecord ?? LARGEST) === LARGEST;

/**
 * The forms that the scanner is to take. Texts are none where the options say how to read them. `takesTexts`: those
 * that may be transcripts are wanted too.
 */
export function formsOf(options: FileOptions, takesTexts = false): number {
  const { form = 'auto', field, dialect = 'auto', role, edges, rescue = false } = options;
  // Entries say themselves which form they have.
  if (field !== undefined) return FORM_MESSAGES;
  const isPlain = form === 'auto' && dialect === 'auto' && role === undefined && edges === undefined && !rescue;
  return FORMS[form] | (isPlain && takesTexts ? FORM_TRANSCRIPTS : 0);
}

/** Scanners, each made when it is asked for. */
export interface Machines {
  readonly machine: Machine;
  readonly records: RecordMachine;
  readonly text: TextMachine;
}

/** Bytes of a value that is made a line: it is looked for again whenever more bytes are there. */
const LONGEST_FRAMED = 4 * 1024 * 1024;

interface ChatLinesOptions {
  readonly takesTexts?: boolean;
  readonly takesTurns?: boolean;
  readonly joinsTurns?: boolean;
  readonly writesTools?: boolean;
  readonly countsLost?: boolean;
}

export class ChatLines {
  readonly #machine: Machine;
  readonly #records: RecordMachine;
  readonly #machines: Machines;
  readonly #source: Source;
  readonly #options: FileOptions;
  readonly #range: LineRange;
  readonly #tools: RecordTools;
  readonly #layout: Layout;
  readonly #forms: number;
  readonly #writesTools: boolean;
  #window: LineWindow | undefined;
  #otherLines: RecordLines | undefined;
  /** What units that were bad were told. */
  readonly knownBad: KnownBad;
  /** Turns that follow each other; null: each is a record by itself. */
  readonly #turns: TurnRun | null;
  #lineFrom: number | null = 0;
  /** Records and lines met so far, those before the range included. */
  records: number;
  lines: number;
  /** All lines up to here are among them. */
  countsLines = true;

  /**
   * Of a source that has no lines the range is all of it. `takesTexts`: texts that may be transcripts are wanted among
   * rows, `takesTurns`: turns, beside the forms of the options; `joinsTurns`: those that follow each other are one
   * record, their list; `writesTools`: what definitions say is wanted; `countsLost`: so is what a conversion loses.
   */
  constructor(
    machines: Machines, source: Source, options: FileOptions, range: LineRange, layout: Layout = 'lines',
    {
      takesTexts = false, takesTurns = false, joinsTurns = false, writesTools = false, countsLost = false,
    }: ChatLinesOptions = {},
  ) {
    this.#forms = formsOf(options, takesTexts) | (takesTurns ? FORM_TURNS : 0) | (countsLost ? COUNTS_LOST : 0);
    this.knownBad = new KnownBad(options);
    this.#writesTools = writesTools;
    this.#machines = machines;
    this.#machine = machines.machine;
    this.#records = machines.records;
    this.#turns = joinsTurns ? new TurnRun(LARGEST) : null;
    this.#source = this.#turns === null ? source : turnsHeld(source, this.#turns);
    this.#options = options;
    this.#range = range;
    this.#layout = layout;
    this.#tools = toolsOf(this.#records);
    this.records = range.record;
    this.lines = range.line - 1;
  }

  /** Where the line begins in the input that was made a value last; null: records are not lines. */
  get lineFrom(): number | null {
    if (this.#layout !== 'lines') return null;
    return this.#otherLines?.lineFrom ?? this.#lineFrom;
  }

  /** What the lines hold, in order. Never throws on data. */
  *units(): Generator<Unit | BadRecord | RecordRows, void, void> {
    const scanned = this.scanned();
    for (let next = scanned.next(); ; next = scanned.next()) {
      if (next.done) {
        if (next.value === null) return;
        if (this.#layout === 'lines') yield* this.#others(next.value);
        else yield* this.#restOf(next.value);
        return;
      }
      if (isRows(next.value)) yield next.value;
      else yield* unitsOfRecord(next.value, this.#options);
    }
  }

  /**
   * Rows of the lines, and records that are longer than the window; answers the lines of records of another form, to
   * which it has come.
   */
  *scanned(): Generator<RecordRows | CorpusRecord | RecordProblem, RecordsRest | null, void> {
    const machine = this.#records;
    const { to } = this.#range;
    const { field } = this.#options;
    const framing = this.#layout === 'lines' ? null : new ValueFraming(machine, this.#layout);
    const longest = framing === null ? LARGEST + 1 : LONGEST_FRAMED;
    const window = new LineWindow(machine, this.#source, this.#range, longest, framing);
    this.#window = window;
    while (window.position < to) {
      if (window.holdsLine()) {
        const { at, base } = window;
        const forms = this.#forms;
        const rows = machine.scan(at, this.#endOfLines(window), forms, this.#writesTools, field);
        const first = rows === 0 ? 0 : wordAt(machine.rows, 0, KIND);
        if (first & SLOW && first & IS_OTHER && this.#turns === null) {
          const from = base + wordAt(machine.rows, 0, FROM) - machine.origin;
          const line = framing?.lineAt(from) ?? this.lines + 1 + wordAt(machine.rows, 1, NEXT);
          this.countsLines = false;
          return { from, to, isLine: true, record: this.records, line, state: 'next' };
        }
        const { records, lines, stop } = machine;
        const place = { base: base - machine.origin, record: this.records, line: this.lines + 1 };
        const batch = { machine, to: rows, records, ...place, tools: this.#tools, framing };
        if (this.#turns !== null) yield* this.#withoutTurns(batch, forms, this.#turns);
        else {
          if (rows > 0) yield batch;
          this.records += records;
        }
        if (framing === null) this.lines += lines;
        window.at = stop;
      } else if (framing !== null) return { ...framing.rest, to, isLine: true, record: this.records };
      else if (window.ended) break;
      else {
        const { from, length, bytes } = window.longLine(LARGEST);
        this.lines++;
        const place = { number: this.records, line: this.lines, from, to: from + length };
        const record = bytes === null ? tooLarge(place) : recordOf(bytes, place, { locate: locateWith(this.#machine) });
        if (record === null || this.#turns?.takes(record)) continue;
        yield* this.#endTurns();
        this.#lineFrom = from;
        yield { ...record, number: this.records++ };
      }
    }
    yield* this.#endTurns();
    return null;
  }

  /** What stands between turns among rows: it is scanned again by itself. */
  *#withoutTurns(
    batch: RecordRows, forms: number, turns: TurnRun,
  ): Generator<RecordRows | CorpusRecord | RecordProblem, void, void> {
    const { machine } = batch;
    const parts = dividedByTurns(batch, (row) => this.record(batch, row), (row) => this.bytesOf(batch, row));
    for (const part of parts) {
      if (isRecord(part) && turns.takes(part)) continue;
      yield* this.#endTurns();
      if (isRecord(part)) {
        this.#lineFrom = part.from;
        yield { ...part, number: this.records++ };
        continue;
      }
      if (parts.length === 1) {
        yield { ...batch, record: this.records };
        this.records += batch.records;
        return;
      }
      let { line } = part;
      const to = part.to - machine.origin;
      for (let at = part.from - machine.origin; at < to; at = machine.stop) {
        const rows = machine.scan(at, to, forms, this.#writesTools, this.#options.field);
        const { records, lines } = machine;
        yield { ...batch, to: rows, records, record: this.records, line };
        this.records += records;
        line += lines;
      }
    }
  }

  /** The transcript of turns that have come to an end. */
  *#endTurns(): Generator<CorpusRecord | RecordProblem, void, void> {
    const turns = this.#turns;
    if (turns === null || turns.isEmpty) return;
    // What is found in it is in many lines.
    this.#lineFrom = null;
    yield turns.record(this.records++);
    turns.clear();
  }

  /** Records as rows, up to where those of another form begin. */
  *rowsAndRecords(): Generator<RecordRows | CorpusRecord | RecordProblem, void, void> {
    const others = yield* this.scanned();
    if (others !== null) yield* this.rest(others);
  }

  /** Bytes of a record among rows; valid until the next ones are asked for. */
  bytesOf({ machine }: RecordRows, row: number): Buffer {
    const [from, to] = [wordAt(machine.rows, row, FROM), wordAt(machine.rows, row, TO)];
    return this.#window!.bytes(from - machine.origin, to - machine.origin);
  }

  /** A record among rows, as a value. */
  record(rows: RecordRows, row: number, place = this.placeOf(rows, row)): CorpusRecord | RecordProblem {
    const bytes = this.bytesOf(rows, row);
    // The scanner has no row for a line of nothing but white space.
    return recordOf(bytes, place, { locate: locateWith(this.#machine) })!;
  }

  /** The units of a record that the scanner leaves to the host. */
  slow(rows: RecordRows, row: number): Iterable<Unit | BadRecord> {
    const place = this.#unitPlace(rows, row);
    return this.knownBad.units(this.bytesOf(rows, row), place, () => this.record(rows, row, place));
  }

  /** Bytes of the file, or, as a row of a table has none there, of the row. */
  #unitPlace(rows: RecordRows, row: number): Placed {
    const { number, line, from, to } = this.placeOf(rows, row);
    return this.#options.positions === 'field' ? { number, line, from: 0, to: to - from } : { number, line, from, to };
  }

  /** The unit of a record that was written as text from its rows. The scanner of text may be at work. */
  whole(rows: RecordRows, row: number): Unit {
    const record = recordOf(this.bytesOf(rows, row), this.#unitPlace(rows, row), {});
    const [unit] = unitsOfRecord(record!, this.#options);
    return unit as Unit;
  }

  /** Where a record among rows stands, which is looked at next. */
  placeOf(rows: RecordRows, row: number): Placed {
    const { machine, base } = rows;
    const from = base + wordAt(machine.rows, row, FROM);
    this.#lineFrom = from;
    const to = base + wordAt(machine.rows, row, TO);
    return { number: rows.record + ordinalOf(rows, row), line: lineOf(rows, row), from, to };
  }

  /** Behind the last whole line that begins before the range's end. */
  #endOfLines(window: LineWindow): number {
    const { last, base } = window;
    // The input may end without a line feed.
    if (window.ended) this.#records.input[last] = LF;
    const behind = this.#range.to - base;
    if (behind > last) return last + 1;
    const lf = window.lineFeed(behind - 1);
    return lf < 0 ? last + 1 : Math.min(lf, last) + 1;
  }

  /** The units of lines of records of another form. */
  *#others(range: LineRange): Generator<Unit | BadRecord, void, void> {
    const others = new RecordLines(this.#machines.text, this.#machine, this.#source, this.#options, range);
    this.#otherLines = others;
    for (const unit of others.units()) {
      this.records = others.records;
      yield unit;
    }
    this.records = others.records;
    this.lines = others.lines;
    this.countsLines = true;
  }

  /** The same of values that are not one a line. */
  *#restOf(place: RecordsRest): Generator<Unit | BadRecord, void, void> {
    for (const record of this.rest(place)) {
      this.records++;
      yield* unitsOfRecord(record, this.#options);
    }
  }

  /** The records from a place on that `scanned` has answered. */
  rest(place: RecordsRest): Generator<CorpusRecord | RecordProblem, void, void> {
    const options = { locate: locateWith(this.#machine), largest: this.#options.largestRecord };
    const records = restOfRecords(this.#source, this.#layout, options, place);
    return this.#turns === null ? records : withTurnsJoined(records, this.#turns, place.record);
  }
}

/** Members in which the scanner looks for something else. */
const OTHER_MEMBERS: ReadonlySet<string> = new Set(['id', 'system', 'tools', 'version']);
const FIELD_NAME = /^[\w .-]{1,64}$/;

/** Whether the scanner can be told that a field of this name holds the messages. */
const canNameField = (field: string): boolean => FIELD_NAME.test(field) && !OTHER_MEMBERS.has(field);

/** All forms, and what the scanner reads of each. */
export const FORMS: Readonly<Record<FileForm, number>> = {
  auto: FORM_MESSAGES | FORM_CONVERSATIONS | FORM_OTHERS | FORM_TURNS,
  messages: FORM_MESSAGES, conversations: FORM_CONVERSATIONS,
  // What the scanner knows nothing of.
  text: 0, 'interchange-2.0': 0, 'interchange-2.2': 0,
};
