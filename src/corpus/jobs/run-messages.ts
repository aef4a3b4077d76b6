// The messages that a run writes: as `messages` does, as lines of JSON or for a table.

import { InputError } from '../error.ts';
import type { RecordRows } from '../records/rows.ts';
import type { Unit } from '../records/unit.ts';
import type { Piece, RunJob } from './job.ts';
import { MessageOutput } from './message-output.ts';
import type { RunOutput } from './run-rows.ts';
import type { PlacedMessage } from '../messages.ts';

/** Bytes of a body that is kept until it goes out. */
const LARGEST_BODY = 256 * 1024 * 1024;

export class RunMessages implements RunOutput {
  readonly #path: string;
  readonly #out: MessageOutput;
  /** Copies of what had to go out where the reading could not stop. */
  #kept: Piece[] = [];

  /** `isTable`: records are rows of a table, in which positions are. */
  constructor(job: RunJob, isTable: boolean) {
    this.#path = job.input.path;
    const { input, form } = job;
    this.#out = new MessageOutput({ kind: 'messages', input, form, filters: {} }, false, isTable);
  }

  begins(position: number): void {
    this.#out.begins(position);
    if (this.#out.isFull) this.#keep();
  }

  message({ message, transcript, index, source }: PlacedMessage, { record, place }: Unit, before: number): void {
    const { from, to } = message.body;
    if (to - from > LARGEST_BODY) {
      const reason = `the message at byte ${from} has ${to - from} bytes, too many for a row`;
      throw new InputError(this.#path, reason, 'use `messages`, which writes it in parts');
    }
    const where = record === null ? null : { record, transcripts: before, place };
    this.#out.add({ message, transcript, index, source }, where);
    // The message is a view, which is gone when the next one comes.
    if (this.#out.isReady) this.#keep();
  }

  messages(rows: RecordRows, record: number, before: number): number {
    return this.#out.addRows(rows, record, before);
  }

  get isFull(): boolean {
    return this.#out.isFull;
  }

  get isReady(): boolean {
    return this.#kept.length > 0 || this.#out.isReady;
  }

  *take(): Generator<Piece, void, void> {
    const kept = this.#kept;
    this.#kept = [];
    yield* kept;
    if (this.#out.isReady) yield* this.#out.take();
  }

  *end(): Generator<Piece, void, void> {
    yield* this.take();
    yield* this.#out.end();
  }

  #keep(): void {
    for (const piece of this.#out.take()) this.#kept.push(piece instanceof Uint8Array ? piece.slice() : piece);
  }
}
