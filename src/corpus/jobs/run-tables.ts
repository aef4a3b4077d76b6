// What a run writes of each record or transcript, as columns of a table: verdicts, or messages.

import { InputError } from '../error.ts';
import type { Unit } from '../records/unit.ts';
import type { Columns } from '../tables/columns.ts';
import { TableError } from '../tables/error.ts';
import { MessageColumns } from '../tables/message-columns.ts';
import { VerdictColumns } from '../tables/verdict-columns.ts';
import type { Piece, TableForm } from './job.ts';
import { refuseLong, type RunOutput } from './run-rows.ts';
import { TableGroups } from './table-groups.ts';
import type { JudgedRecord, Verdict, VisitedMessage } from './verdict.ts';

/** The rows of the input at `path`. What cannot become a row throws an InputError. */
export function tableRows(emit: 'verdict' | 'messages', path: string, form: TableForm): RunOutput {
  return emit === 'verdict' ? new VerdictTable(path, form) : new MessageTable(path, form);
}

interface FilledColumns {
  readonly columns: Columns;
  /** Begins with nothing. */
  begin(path: string): void;
  clear(): void;
}

/**
 * Groups are encoded as soon as they end, wherever the reading is, and handed out when it stops: where they end depends
 * on the rows alone, and not on the places where it can stop.
 */
abstract class RunTable<Filled extends FilledColumns> implements RunOutput {
  protected readonly path: string;
  protected readonly filled: Filled;
  readonly #groups: TableGroups;
  readonly #idle: Filled[];
  #ready: Piece[] = [];

  /** `idle`: columns that a job has done with, for the next one. */
  constructor(path: string, form: TableForm, filled: Filled, idle: Filled[]) {
    this.path = path;
    this.#groups = new TableGroups(form);
    this.#idle = idle;
    this.filled = filled;
    filled.begin(path);
  }

  begins(position: number): void {
    if (this.#groups.endsBefore(position, this.filled.columns)) this.#endGroup();
  }

  /** A row was added; of a record all rows go into one group. */
  protected added(isOfRecord: boolean): void {
    if (!isOfRecord && this.#groups.isFull(this.filled.columns)) this.#endGroup();
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
    this.#idle.push(this.filled);
  }

  #endGroup(): void {
    for (const piece of this.#groups.pieces(this.filled.columns)) {
      // The next one is written over it.
      this.#ready.push(piece instanceof Uint8Array ? piece.slice() : piece);
    }
    this.filled.clear();
  }
}

const IDLE_VERDICTS: VerdictColumns[] = [];

class VerdictTable extends RunTable<VerdictColumns> {
  constructor(path: string, form: TableForm) {
    super(path, form, IDLE_VERDICTS.pop() ?? new VerdictColumns(), IDLE_VERDICTS);
  }

  verdict({ ok, messages, calls, err, more }: Verdict, n: number, record: JudgedRecord | null): void {
    const id = record?.id() ?? null;
    try {
      this.filled.add({
        n, line: record?.line ?? null, id: id?.startsWith('"') ? JSON.parse(id) as string : id, ok, messages, calls,
        findings: err.length + more, err: err.length === 0 ? '[]' : JSON.stringify(err),
      });
    } catch (error) {
      if (error instanceof TableError) throw new InputError(this.path, error.reason, error.remedy);
      throw error;
    }
    this.added(record !== null);
  }
}

const IDLE_MESSAGES: MessageColumns[] = [];

class MessageTable extends RunTable<MessageColumns> {
  constructor(path: string, form: TableForm) {
    super(path, form, IDLE_MESSAGES.pop() ?? new MessageColumns(), IDLE_MESSAGES);
  }

  message(visited: VisitedMessage, { record, place }: Unit, before: number): void {
    refuseLong(this.path, visited);
    const { message, transcript, index, source } = visited;
    this.filled.addMessage(message, transcript, before + transcript.number, index, source, record, place);
    this.added(record !== null);
  }
}
