// Verdicts on lines of JSON, quickly: those of chat records that hold nothing rare and no error are written from their
// rows. What comes out is what a verdict on each line by itself gives (verdict-judge.ts).

import { IS_OTHER, KIND, NEXT, RECORD_SHIFT, SLOW, TO } from '../../abi.ts';
import type { RecordMachine } from '../../scan/record-machine.ts';
import { wordAt } from '../../scan/record-rows.ts';
import type { Source } from '../../scan/source.ts';
import { LF, MARK } from '../records/json-bytes.ts';
import { RecordTools } from '../records/rows.ts';
import { LineWindow } from '../records/window.ts';
import type { Line } from './verdict-lines.ts';

export interface VerdictRowsOptions {
  /** Bytes of a line that are kept; not less than LEAST_BOUND. */
  readonly largest: number;
  /** FORM_MESSAGES, FORM_CONVERSATIONS. */
  readonly forms: number;
  /** Nothing but errors is told. */
  readonly onlyErrors: boolean;
  /** A line begins where the input begins, and no byte order mark. */
  readonly isLine?: true;
  /** Gives the verdict on a line that is not read as rows. */
  readonly judge: (line: Line) => void;
  /** Takes verdicts, lines of JSON, valid until it returns. */
  readonly write: (bytes: Uint8Array) => void;
}

/** Lines that are bounded by less are judged one by one: a window would hold few of them. */
export const LEAST_BOUND = 4 * 1024 * 1024;

export class VerdictRows {
  readonly #machine: RecordMachine;
  readonly #window: LineWindow;
  readonly #tools: RecordTools;
  readonly #options: VerdictRowsOptions;
  /** The byte order mark that begins the input, which belongs to the first line. */
  readonly #mark: Buffer;
  /** Number of the line at hand. */
  #number = 0;

  constructor(machine: RecordMachine, source: Source, options: VerdictRowsOptions) {
    this.#machine = machine;
    this.#window = new LineWindow(
      machine, source, { from: 0, to: Infinity, record: 0, line: 1, ...(options.isLine && { isLine: true }) },
      options.largest + 1 - MARK.length,
    );
    // The window passes it, and may let it go.
    this.#mark = Buffer.from(MARK.slice(0, this.#window.at));
    this.#tools = new RecordTools(machine);
    this.#options = options;
  }

  /** Gives the verdicts on all lines, in order. Never throws on data. */
  run(): void {
    const window = this.#window;
    while (!window.isDone) {
      if (window.holdsLine()) this.#lines();
      else if (!window.ended) this.#longLine();
    }
    // A mark and nothing else: the last line need not end.
    if (this.#number === 0 && this.#mark.length > 0) {
      this.#options.judge({ number: 0, bytes: this.#mark, isEnded: false, isTooLong: false, size: this.#mark.length });
    }
  }

  /** The lines that the window holds. */
  #lines(): void {
    const window = this.#window;
    const machine = this.#machine;
    const { last } = window;
    // The input may end without a line feed.
    const isEnded = !window.isEnd(last);
    machine.input[last] = LF;
    while (window.at <= last) {
      const rows = machine.scan(window.at, last + 1, this.#options.forms);
      const first = rows === 0 ? 0 : wordAt(machine.rows, 0, KIND);
      const { stop } = machine;
      // Lines of another form are judged one by one.
      if (first & SLOW && first & IS_OTHER) this.#judgeTo(last + 1, last, isEnded);
      else {
        this.#records(rows, last, isEnded);
        this.#judgeTo(stop, last, isEnded);
      }
    }
  }

  /** Verdicts on records that were scanned, and on the lines between them. */
  #records(rows: number, last: number, isEnded: boolean): void {
    const machine = this.#machine;
    const base = this.#number;
    const line = (record: number): number => wordAt(machine.rows, record + 1, NEXT);
    for (let record = 0; record < rows; ) {
      while (this.#number - base < line(record)) this.#judgeOne(last, isEnded);
      const next = machine.writeVerdicts(record, rows, 0, line(record), base, this.#options.onlyErrors);
      if (next > record) {
        this.#options.write(machine.output.subarray(0, machine.verdictsTo));
        const ordinal = (row: number): number =>
          (row === rows ? machine.records : wordAt(machine.rows, row, KIND) >>> RECORD_SHIFT);
        this.#number += ordinal(next) - ordinal(record);
        this.#window.at = wordAt(machine.rows, this.#before(record, next), TO) - machine.origin + 1;
        record = next;
        continue;
      }
      if (!(wordAt(machine.rows, record, KIND) & SLOW) && machine.asksForTools(record) && this.#tools.settle(record)) {
        continue;
      }
      record = wordAt(machine.rows, record, NEXT);
      this.#judgeOne(last, isEnded);
    }
  }

  /** The record before another one, from an earlier one on. */
  #before(record: number, next: number): number {
    for (let at = record; ; at = wordAt(this.#machine.rows, at, NEXT)) {
      if (wordAt(this.#machine.rows, at, NEXT) === next) return at;
    }
  }

  /** Judges the lines up to a position. */
  #judgeTo(to: number, last: number, isEnded: boolean): void {
    while (this.#window.at < to) this.#judgeOne(last, isEnded);
  }

  #judgeOne(last: number, isEnded: boolean): void {
    const window = this.#window;
    const lf = window.lineFeed(window.at);
    const to = lf < 0 ? last : Math.min(lf, last);
    const bytes = this.#marked(window.bytes(window.at, to));
    const isTooLong = false;
    this.#options.judge({
      number: this.#number++, bytes, isEnded: to < last || isEnded, isTooLong, size: bytes.length,
    });
    window.at = to + 1;
  }

  #longLine(): void {
    const mark = this.#number === 0 ? this.#mark.length : 0;
    const { length, bytes } = this.#window.longLine(this.#options.largest - mark);
    const isTooLong = bytes === null;
    const whole = isTooLong ? Buffer.alloc(0) : this.#marked(bytes);
    this.#options.judge({ number: this.#number++, bytes: whole, isEnded: true, isTooLong, size: length + mark });
  }

  #marked(bytes: Buffer): Buffer {
    return this.#number === 0 && this.#mark.length > 0 ? Buffer.concat([this.#mark, bytes]) : bytes;
  }
}
