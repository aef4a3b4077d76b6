// What a run writes of each record or transcript, as a table: verdicts, or messages.

import { InputError } from '../error.ts';
import { MESSAGE_TABLE } from '../tables/message-schema.ts';
import { MessageColumns } from '../tables/message-columns.ts';
import { makeTable } from '../tables/rows.ts';
import { TableError } from '../tables/error.ts';
import { BOUNDS, openTable, type Table } from '../tables/table.ts';
import type { Unit } from '../records/unit.ts';
import type { TableFormat } from '../tables/writer.ts';
import { refuseLong, type Rows } from '../jobs/run-rows.ts';
import type { VisitedMessage } from '../jobs/verdict.ts';

export const RUN_FORMATS = ['ndjson', 'arrow', 'parquet'] as const;
export type RunFormat = (typeof RUN_FORMATS)[number];

/**
 * The columns of a table of verdicts. `err` is JSON: the list of findings; `findings` counts those that it has no room
 * for, too.
 */
export const VERDICT_TABLE = {
  schema: 'openchatml/verdicts/1',
  columns: [
    { name: 'path', type: 'word', nullable: false },
    { name: 'n', type: 'integer', nullable: false },
    { name: 'line', type: 'integer', nullable: true },
    { name: 'id', type: 'text', nullable: true },
    { name: 'ok', type: 'boolean', nullable: false },
    { name: 'messages', type: 'integer', nullable: false },
    { name: 'calls', type: 'integer', nullable: false },
    { name: 'findings', type: 'integer', nullable: false },
    { name: 'err', type: 'text', nullable: false },
  ],
} as const;

/** A table of the input at `path`. What cannot become a row throws an InputError. */
export async function tableRows(
  emit: 'verdict' | 'messages', format: TableFormat, path: string, write: (bytes: Uint8Array) => void,
): Promise<Rows> {
  if (emit === 'verdict') {
    const table = await makeTable(format, VERDICT_TABLE, write);
    return {
      verdict: (verdict, n, record) => {
        const { ok, messages, calls, err, more } = verdict;
        const id = record && record.id();
        const text = id?.startsWith('"') ? (JSON.parse(id) as string) : id;
        const told = { ok, messages, calls, findings: err.length + more, err: JSON.stringify(err) };
        add(path, () => table.add({ path, n, line: record?.line ?? null, id: text ?? null, ...told }));
      },
      end: () => void table.end(),
    };
  }
  return new MessageTable(path, await openTable(format, MESSAGE_TABLE, write));
}

/** Messages as a table. */
class MessageTable implements Rows {
  readonly #path: string;
  readonly #table: Table;
  readonly #rows = new MessageColumns();

  constructor(path: string, table: Table) {
    this.#path = path;
    this.#table = table;
    this.#rows.begin(path);
  }

  message(visited: VisitedMessage, { record, place }: Unit, before: number): void {
    refuseLong(this.#path, visited);
    const { message, transcript, index, source } = visited;
    this.#rows.addMessage(message, transcript, before + transcript.number, index, source, record, place);
    if (this.#rows.columns.isFull(BOUNDS)) this.#flush();
  }

  end(): void {
    this.#flush();
    this.#table.end();
  }

  #flush(): void {
    if (this.#rows.columns.rows > 0) this.#table.group(this.#rows.columns);
    this.#rows.clear();
  }
}

/** Adds a row to a table. */
function add(path: string, row: () => void): void {
  try {
    row();
  } catch (error) {
    if (error instanceof TableError) throw new InputError(path, error.reason, error.remedy);
    throw error;
  }
}
