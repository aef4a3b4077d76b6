// What a run writes of each record or transcript: verdicts, messages, or the records themselves; as lines of JSON or as
// a table.

import { InputError } from '../error.ts';
import { MESSAGE_TABLE } from '../tables/message-schema.ts';
import { MessageColumns } from '../tables/message-columns.ts';
import { makeTable } from '../tables/rows.ts';
import { TableError } from '../tables/error.ts';
import { BOUNDS, openTable, type Table } from '../tables/table.ts';
import type { ShardOutput } from './output.ts';
import type { Unit } from '../records/unit.ts';
import { type JudgedRecord, type Verdict, verdictMessage, type VisitedMessage } from '../jobs/verdict.ts';

export const RUN_EMITS = ['verdict', 'messages', 'keep'] as const;
export type RunEmit = (typeof RUN_EMITS)[number];
export const RUN_FORMATS = ['ndjson', 'arrow', 'parquet'] as const;
export type RunFormat = (typeof RUN_FORMATS)[number];

/** Takes what was read of one input, in order. */
export interface Rows {
  /** `before`: transcripts of the file before those of the record. */
  message?(visited: VisitedMessage, unit: Unit, before: number): void;
  /** The verdict on record `n`, or on transcript `n` of raw text (record null). */
  verdict?(verdict: Verdict, n: number, record: JudgedRecord | null): void;
  end(): void;
}

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

/** The rows of the input at `path`. What cannot become a row throws an InputError. */
export async function makeRows(emit: RunEmit, format: RunFormat, path: string, output: ShardOutput): Promise<Rows> {
  const write = (bytes: Uint8Array): void => output.bytes(bytes);
  if (emit === 'keep') return new KeptRecords(path, output);
  if (format === 'ndjson') return emit === 'verdict' ? verdictLines(path, output) : messageLines(path, output);
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

function verdictLines(path: string, output: ShardOutput): Rows {
  const start = `{"path":${JSON.stringify(path)},"n":`;
  return {
    verdict: (verdict, n, record) => {
      const id = record && record.id();
      const where = record === null ? '' : `"line":${record.line},${id === null ? '' : `"id":${id},`}`;
      output.line(`${start}${n},${where}${verdict.text()}`);
    },
    end: () => {},
  };
}

function messageLines(path: string, output: ShardOutput): Rows {
  return {
    message: (visited, { record, place }, before) => {
      refuseLong(path, visited);
      const columns = verdictMessage(visited, place);
      output.line(JSON.stringify({ path, record, ...columns, transcript: before + columns.transcript }));
    },
    end: () => {},
  };
}

/** Bytes of a body that becomes one text. */
const LARGEST_BODY = 256 * 1024 * 1024;

function refuseLong(path: string, { message }: VisitedMessage): void {
  const { from, to } = message.body;
  if (to - from <= LARGEST_BODY) return;
  const reason = `the message at byte ${from} has ${to - from} bytes, too many for a row`;
  throw new InputError(path, reason, 'use `messages`, which writes it in parts');
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

/** The records without errors, one a line, each as it is written. */
class KeptRecords implements Rows {
  readonly #path: string;
  readonly #output: ShardOutput;

  constructor(path: string, output: ShardOutput) {
    this.#path = path;
    this.#output = output;
  }

  verdict(verdict: Verdict, _n: number, record: JudgedRecord | null): void {
    if (record === null) {
      throw new InputError(this.#path, 'is raw text, and has no records to keep', 'write verdicts or messages of it');
    }
    const text = verdict.ok ? record.text() : null;
    if (text !== null) this.#output.line(text);
  }

  end(): void {}
}
