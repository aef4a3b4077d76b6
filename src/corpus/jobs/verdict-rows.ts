// Verdicts on lines of JSON, quickly: those of chat records that hold nothing rare and no error are written from their
// rows. What comes out is what a verdict on each line by itself gives (verdict-judge.ts).

import { FROM, HAS_MARKED, IS_OTHER, KIND, NEXT, RECORD_SHIFT, SLOW, TO } from '../../abi.ts';
import type { RecordMachine } from '../../scan/record-machine.ts';
import { wordAt } from '../../scan/record-rows.ts';
import type { Source } from '../../scan/source.ts';
import type { ToolMemory } from '../../tools/known.ts';
import { LF, MARK } from '../records/json-bytes.ts';
import { RecordTools } from '../records/record-tools.ts';
import type { RecordRows } from '../records/rows.ts';
import { type LineRange, LineWindow } from '../records/window.ts';
import { settleTools } from './settled-tools.ts';
import type { JudgedLine, Line, LineItem } from './verdict-lines.ts';
import { VerdictMessages } from './verdict-messages.ts';

export interface VerdictRowsOptions {
  /** Bytes of a line that are kept; not less than LEAST_BOUND. */
  readonly largest: number;
  /** FORM_MESSAGES, FORM_CONVERSATIONS. */
  readonly forms: number;
  /** The field that holds the messages, when one is named. */
  readonly field?: string | undefined;
  /** Nothing but errors is told. */
  readonly onlyErrors: boolean;
  readonly range: LineRange;
  /** What is known of definitions. */
  readonly memory: ToolMemory;
  /** What comes for a line without errors: its verdict, a line of JSON; the line as it is; or nothing. */
  readonly gives: 'verdicts' | 'messages' | 'lines' | 'nothing';
  /** With `messages`, verdicts hold these: characters of the messages of a line, at most. */
  readonly largestList?: number;
  /** Overlong lines come as bytes, with their LF, before each of them comes as a line. */
  readonly givesLong?: boolean;
  /**
   * Judges the record at a row that is HAS_MARKED, if rows tell all that there is; `shift`: where its line begins in
   * the input. Lines without a verdict are judged one by one.
   */
  readonly judge?: (rows: RecordRows, record: number, shift: number) => JudgedLine | null;
}

/** Lines that are bounded by less are judged one by one: a window would hold few of them. */
export const LEAST_BOUND = 4 * 1024 * 1024;

const NO_BYTES = Buffer.alloc(0);
const LINE_END = Buffer.of(LF);

export class VerdictRows {
  readonly #machine: RecordMachine;
  readonly #window: LineWindow;
  readonly #tools: RecordTools;
  #messages: VerdictMessages | undefined;
  readonly #options: VerdictRowsOptions;
  /** The byte order mark that begins the input, until the first line is given, to which it belongs. */
  #mark: Buffer;
  /** Number of the line at hand. */
  #number: number;

  constructor(machine: RecordMachine, source: Source, options: VerdictRowsOptions) {
    const { range, largest } = options;
    this.#machine = machine;
    this.#window = new LineWindow(machine, source, range, largest + 1 - MARK.length);
    this.#number = range.line - 1;
    // The window passes it, and may let it go.
    this.#mark = Buffer.from(MARK.slice(0, range.isLine ? 0 : this.#window.at));
    this.#tools = new RecordTools(machine);
    this.#options = options;
  }

  /**
   * What comes out of all lines, in order: bytes for those that are settled, and lines that are to be judged one by
   * one. Each is valid until the next one is asked for. Never throws on data.
   */
  *items(): Generator<LineItem, void, void> {
    const window = this.#window;
    const { to } = this.#options.range;
    while (window.position < to && !window.isDone) {
      yield null;
      if (window.holdsLine()) yield* this.#lines();
      else if (!window.ended) yield* this.#longLine();
    }
    // A mark and nothing else: the last line need not end.
    if (this.#mark.length > 0) yield this.#line(NO_BYTES, window.position, false);
  }

  /** The lines of the range that the window holds. */
  *#lines(): Generator<LineItem, void, void> {
    const window = this.#window;
    const machine = this.#machine;
    const { forms, gives, field } = this.#options;
    const last = this.#lastLine();
    // The input may end without a line feed.
    const isEnded = !window.isEnd(last);
    machine.input[last] = LF;
    while (window.at <= last) {
      // What definitions say stands among messages.
      const rows = machine.scan(window.at, last + 1, forms, gives === 'messages', field);
      const first = rows === 0 ? 0 : wordAt(machine.rows, 0, KIND);
      const { stop } = machine;
      // Lines of another form are judged one by one.
      const areOther = (first & SLOW) !== 0 && (first & IS_OTHER) !== 0;
      if (!areOther) yield* this.#records(rows, last, isEnded);
      const to = areOther ? last + 1 : stop;
      while (window.at < to) yield this.#next(last, isEnded);
    }
  }

  /** Where the last line of the range ends that the window holds: more than the range may have been read. */
  #lastLine(): number {
    const { last, base } = this.#window;
    const behind = this.#options.range.to - base;
    const lf = behind > last ? -1 : this.#window.lineFeed(behind - 1);
    return lf < 0 ? last : Math.min(lf, last);
  }

  /** Records that were scanned, and the lines between them. */
  *#records(rows: number, last: number, isEnded: boolean): Generator<LineItem, void, void> {
    const machine = this.#machine;
    const window = this.#window;
    const { onlyErrors, gives } = this.#options;
    const base = this.#number;
    const line = (record: number): number => wordAt(machine.rows, record + 1, NEXT);
    for (let record = 0; record < rows; ) {
      while (this.#number - base < line(record)) yield this.#next(last, isEnded);
      const next = machine.writeVerdicts(record, rows, 0, line(record), base, onlyErrors);
      if (next > record && gives === 'messages') {
        yield* this.#withMessages(record, next, last, isEnded);
        record = next;
        continue;
      }
      if (next > record) {
        const ordinal = (row: number): number =>
          (row === rows ? machine.records : wordAt(machine.rows, row, KIND) >>> RECORD_SHIFT);
        this.#number += ordinal(next) - ordinal(record);
        const from = window.at;
        const to = wordAt(machine.rows, this.#before(record, next), TO) - machine.origin;
        window.at = to + 1;
        const mark = this.#takeMark();
        if (gives === 'verdicts') yield machine.output.subarray(0, machine.verdictsTo);
        else if (gives === 'lines') {
          if (mark.length > 0) yield mark;
          yield window.bytes(from, to < last || isEnded ? to + 1 : to);
        }
        record = next;
        continue;
      }
      const kind = wordAt(machine.rows, record, KIND);
      const asks = !(kind & SLOW) && machine.asksForTools(record);
      if (asks && settleTools(machine, this.#tools, record, this.#options.memory)) continue;
      const judged = kind & HAS_MARKED && gives !== 'messages' ? this.#judge(record, rows) : undefined;
      record = wordAt(machine.rows, record, NEXT);
      yield this.#next(last, isEnded, judged);
    }
  }

  /** The verdict on the record at hand, by its rows; undefined: it must be read. */
  #judge(record: number, to: number): JudgedLine | undefined {
    const machine = this.#machine;
    const { position } = this.#window;
    const base = position - wordAt(machine.rows, record, FROM);
    const first = this.#number - wordAt(machine.rows, record + 1, NEXT);
    const place = { base, record: first, line: first + 1, framing: null };
    const rows: RecordRows = { machine, to, records: machine.records, tools: this.#tools, ...place };
    return this.#options.judge?.(rows, record, position - this.#mark.length) ?? undefined;
  }

  /** Records of which verdicts were written, before row `next`, with their messages. */
  *#withMessages(record: number, next: number, last: number, isEnded: boolean): Generator<LineItem, void, void> {
    const machine = this.#machine;
    const window = this.#window;
    const messages = (this.#messages ??= new VerdictMessages(machine, this.#tools, this.#options.largestList!));
    // The messages are written over them.
    const verdicts = Buffer.from(machine.output.subarray(0, machine.verdictsTo));
    let at = 0;
    for (let row = record; row < next; row = wordAt(machine.rows, row, NEXT)) {
      const end = verdicts.indexOf(LF, at) + 1;
      const lineAt = machine.origin + window.at - this.#mark.length;
      const text = messages.lineOf(verdicts.subarray(at, end), row, lineAt);
      at = end;
      if (text === null) {
        yield this.#next(last, isEnded);
        continue;
      }
      this.#number++;
      this.#takeMark();
      window.at = wordAt(machine.rows, row, TO) - machine.origin + 1;
      yield text;
    }
  }

  /** The record before another one, from an earlier one on. */
  #before(record: number, next: number): number {
    for (let at = record; ; at = wordAt(this.#machine.rows, at, NEXT)) {
      if (wordAt(this.#machine.rows, at, NEXT) === next) return at;
    }
  }

  /** The line at hand, which the window holds; then the next one is at hand. `judged`: its verdict. */
  #next(last: number, isEnded: boolean, judged?: JudgedLine): Line {
    const window = this.#window;
    const { at, position } = window;
    const lf = window.lineFeed(at);
    const to = lf < 0 ? last : Math.min(lf, last);
    window.at = to + 1;
    return this.#line(window.bytes(at, to), position, to < last || isEnded, judged);
  }

  *#longLine(): Generator<LineItem, void, void> {
    const { largest, givesLong = false } = this.#options;
    const parts = this.#window.longLineParts(largest - this.#mark.length);
    let isMarked = givesLong && this.#mark.length > 0;
    for (let next = parts.next(); ; next = parts.next()) {
      if (!next.done) {
        if (next.value === null) yield null;
        else if (givesLong) {
          if (isMarked) yield this.#mark;
          isMarked = false;
          yield next.value;
        }
        continue;
      }
      const { from, length, bytes, isEnded } = next.value;
      if (bytes !== null) yield this.#line(bytes, from, isEnded);
      else {
        if (givesLong && isEnded) yield LINE_END;
        const mark = this.#takeMark().length;
        const size = length + mark;
        yield { number: this.#number++, from: from - mark, bytes: NO_BYTES, isEnded, isTooLong: true, size };
      }
      return;
    }
  }

  /** A line that stands at a position, behind the mark of the first one. */
  #line(bytes: Buffer, position: number, isEnded: boolean, judged?: JudgedLine): Line {
    const mark = this.#takeMark();
    const whole = mark.length > 0 ? Buffer.concat([mark, bytes]) : bytes;
    const [number, from, size] = [this.#number++, position - mark.length, whole.length];
    return { number, from, bytes: whole, isEnded, isTooLong: false, size, judged };
  }

  #takeMark(): Buffer {
    const mark = this.#mark;
    if (mark.length > 0) this.#mark = NO_BYTES;
    return mark;
  }
}
