// Verdicts as rows of a table of `run`.

import { Columns } from './columns.ts';
import { TableError } from './error.ts';
import { LARGEST_CELL } from './table.ts';

/** They do not change while the number at the end of `VERDICT_TABLE.schema` stays. */
const VERDICT_COLUMNS = [
  { name: 'path', type: 'word', nullable: false },
  { name: 'n', type: 'integer', nullable: false },
  { name: 'line', type: 'integer', nullable: true },
  { name: 'id', type: 'text', nullable: true },
  { name: 'ok', type: 'boolean', nullable: false },
  { name: 'messages', type: 'integer', nullable: false },
  { name: 'calls', type: 'integer', nullable: false },
  { name: 'findings', type: 'integer', nullable: false },
  { name: 'err', type: 'text', nullable: false },
] as const;

/**
 * The table of verdicts. `err` is JSON: the list of findings; `findings` counts those that it has no room for, too.
 */
export const VERDICT_TABLE = { schema: 'openchatml/verdicts/1', columns: VERDICT_COLUMNS } as const;

export interface VerdictRow {
  /** Number of the record, or of the transcript of raw text, which has neither line nor id. */
  readonly n: number;
  readonly line: number | null;
  readonly id: string | null;
  readonly ok: boolean;
  readonly messages: number;
  readonly calls: number;
  readonly findings: number;
  readonly err: string;
}

export class VerdictColumns {
  readonly columns = new Columns(VERDICT_COLUMNS);
  readonly #largest: number;
  #path = '';

  /** `largest`: bytes of a cell. */
  constructor(largest = LARGEST_CELL) {
    this.#largest = largest;
  }

  /** Begins with nothing. `path`: the file that the rows are about. */
  begin(path: string): void {
    this.clear();
    this.#path = path;
  }

  /** The rows are gone. */
  clear(): void {
    this.columns.clear();
  }

  /** Throws a TableError for a text that is too long; the row is not taken, others may follow. */
  add({ n, line, id, ok, messages, calls, findings, err }: VerdictRow): void {
    const { columns } = this;
    const { cells, rows } = columns;
    this.#refuseLong('id', n, id ?? '');
    this.#refuseLong('err', n, err);
    const path = cells.path.idOf(this.#path);
    cells.path.ids[rows] = path;
    cells.n.values[rows] = n;
    cells.line.values[rows] = line ?? NaN;
    cells.ok.values[rows] = ok ? 1 : 0;
    cells.messages.values[rows] = messages;
    cells.calls.values[rows] = calls;
    cells.findings.values[rows] = findings;
    if (id === null) cells.id.setNull();
    else {
      cells.id.begin();
      cells.id.addText(id);
    }
    cells.err.begin();
    cells.err.addText(err);
    columns.next(cells.path.lengthOf(path));
  }

  #refuseLong(name: string, n: number, text: string): void {
    // A string has at most three bytes for each unit.
    if (3 * text.length <= this.#largest) return;
    const length = Buffer.byteLength(text, 'utf8');
    if (length <= this.#largest) return;
    const reason = `${name} of verdict ${n} has ${length} bytes, and a cell of a table takes ${this.#largest}`;
    throw new TableError(reason, 'write lines of JSON, which have no such limit');
  }
}
