// What a run writes of each record or transcript, and how it goes out. As lines of JSON: verdicts, messages, or the
// records themselves.

import { InputError } from '../error.ts';
import type { RecordRows } from '../records/rows.ts';
import type { Unit } from '../records/unit.ts';
import { GatheredBytes } from './gathered-bytes.ts';
import type { Piece } from './job.ts';
import type { PlacedMessage } from '../messages.ts';
import type { JudgedRecord, Verdict } from './verdict.ts';

/** Takes what was read of one input, in order. */
export interface Rows {
  /** A record begins at a position of the input. */
  begins?(position: number): void;
  /** `before`: transcripts of the file before those of the record. */
  message?(visited: PlacedMessage, unit: Unit, before: number): void;
  /**
   * Takes the messages of records from row `record` on, before anything else is told of them; what is ready must go out
   * before the memory of the rows is used for anything. Answers the first record that was not taken.
   */
  messages?(rows: RecordRows, record: number, before: number): number;
  /** Where `messages` stopped, it goes on when what is ready is out. */
  readonly isFull?: boolean;
  /** The verdict on record `n`, or on transcript `n` of raw text (record null). */
  verdict?(verdict: Verdict, n: number, record: JudgedRecord | null): void;
}

/** Rows, and the pieces that they become. */
export interface RunOutput extends Rows {
  /** There is something to be taken. */
  readonly isReady: boolean;
  take(): Iterable<Piece>;
  /** All that is left. */
  end(): Iterable<Piece>;
}

/** The lines of the input at `path`. What cannot become a line throws an InputError. */
export const lineRows = (emit: 'verdict' | 'keep', path: string): RunOutput =>
  emit === 'keep' ? new KeptRecords(path) : new VerdictLines(path);

abstract class RunLines implements RunOutput {
  protected readonly path: string;
  readonly #out = new GatheredBytes();
  #lines = '';

  constructor(path: string) {
    this.path = path;
  }

  /** A line, without its end. */
  protected write(text: string): void {
    this.#lines += `${text}\n`;
  }

  get isReady(): boolean {
    return this.#lines !== '';
  }

  take(): Iterable<Piece> {
    const lines = this.#lines;
    this.#lines = '';
    return this.#out.addText(lines);
  }

  *end(): Generator<Piece, void, void> {
    yield* this.take();
    yield* this.#out.flush();
    this.#out.close();
  }
}

class VerdictLines extends RunLines {
  readonly #start: string;

  constructor(path: string) {
    super(path);
    this.#start = `{"path":${JSON.stringify(path)},"n":`;
  }

  verdict(verdict: Verdict, n: number, record: JudgedRecord | null): void {
    const id = record && record.id();
    const where = record === null ? '' : `"line":${record.line},${id === null ? '' : `"id":${id},`}`;
    this.write(`${this.#start}${n},${where}${verdict.text()}`);
  }
}

/** The records without errors, one a line, each as it is written. */
class KeptRecords extends RunLines {
  verdict(verdict: Verdict, _n: number, record: JudgedRecord | null): void {
    if (record === null) {
      throw new InputError(this.path, 'is raw text, and has no records to keep', 'write verdicts or messages of it');
    }
    const text = verdict.ok ? record.text() : null;
    if (text !== null) this.write(text);
  }
}
