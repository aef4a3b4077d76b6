// The verdicts that a run writes, as columns of a table.

import { InputError } from '../error.ts';
import { TableError } from '../tables/error.ts';
import { VerdictColumns } from '../tables/verdict-columns.ts';
import type { Piece, TableForm } from './job.ts';
import type { RunOutput } from './run-rows.ts';
import { TableGroups } from './table-groups.ts';
import type { JudgedRecord, Verdict } from './verdict.ts';

/** Columns that a job has done with, for the next one. */
const IDLE: VerdictColumns[] = [];

/**
 * Groups are encoded as soon as they end, wherever the reading is, and handed out when it stops: where they end depends
 * on the rows alone, and not on the places where it can stop.
 */
export class VerdictTable implements RunOutput {
  readonly #path: string;
  readonly #filled = IDLE.pop() ?? new VerdictColumns();
  readonly #groups: TableGroups;
  #ready: Piece[] = [];

  /** The rows of the input at `path`. What cannot become a row throws an InputError. */
  constructor(path: string, form: TableForm) {
    this.#path = path;
    this.#groups = new TableGroups(form);
    this.#filled.begin(path);
  }

  begins(position: number): void {
    if (this.#groups.endsBefore(position, this.#filled.columns)) this.#endGroup();
  }

  verdict({ ok, messages, calls, err, more }: Verdict, n: number, record: JudgedRecord | null): void {
    const id = record?.id() ?? null;
    try {
      this.#filled.add({
        n, line: record?.line ?? null, id: id?.startsWith('"') ? JSON.parse(id) as string : id, ok, messages, calls,
        findings: err.length + more, err: err.length === 0 ? '[]' : JSON.stringify(err),
      });
    } catch (error) {
      if (error instanceof TableError) throw new InputError(this.#path, error.reason, error.remedy);
      throw error;
    }
    // Of a record all rows go into one group.
    if (record === null && this.#groups.isFull(this.#filled.columns)) this.#endGroup();
  }

  get isReady(): boolean {
    return this.#ready.length > 0;
  }

  *take(): Generator<Piece, void, void> {
    const ready = this.#ready;
    this.#ready = [];
    yield* ready;
  }

  *end(): Generator<Piece, void, void> {
    this.#endGroup();
    yield* this.take();
    IDLE.push(this.#filled);
  }

  #endGroup(): void {
    for (const piece of this.#groups.pieces(this.#filled.columns)) {
      // The next one is written over it.
      this.#ready.push(piece instanceof Uint8Array ? piece.slice() : piece);
    }
    this.#filled.clear();
  }
}
