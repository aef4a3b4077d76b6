// What a run writes of each record or transcript, and how it goes out. As lines of JSON: verdicts, messages, or the
// records themselves.

import { InputError } from '../error.ts';
import type { Unit } from '../records/unit.ts';
import { GatheredBytes } from './gathered-bytes.ts';
import type { Piece, RunEmit } from './job.ts';
import { type JudgedRecord, type Verdict, verdictMessage, type VisitedMessage } from './verdict.ts';

/** Takes what was read of one input, in order. */
export interface Rows {
  /** A record begins at a position of the input. */
  begins?(position: number): void;
  /** `before`: transcripts of the file before those of the record. */
  message?(visited: VisitedMessage, unit: Unit, before: number): void;
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
export function lineRows(emit: RunEmit, path: string): RunOutput {
  if (emit === 'keep') return new KeptRecords(path);
  return emit === 'verdict' ? new VerdictLines(path) : new MessageLines(path);
}

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

class MessageLines extends RunLines {
  message(visited: VisitedMessage, { record, place }: Unit, before: number): void {
    const { path } = this;
    refuseLong(path, visited);
    const columns = verdictMessage(visited, place);
    this.write(JSON.stringify({ path, record, ...columns, transcript: before + columns.transcript }));
  }
}

/** Bytes of a body that becomes one text. */
const LARGEST_BODY = 256 * 1024 * 1024;

export function refuseLong(path: string, { message }: VisitedMessage): void {
  const { from, to } = message.body;
  if (to - from <= LARGEST_BODY) return;
  const reason = `the message at byte ${from} has ${to - from} bytes, too many for a row`;
  throw new InputError(path, reason, 'use `messages`, which writes it in parts');
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
