// Tables for other programs: rows as an Arrow IPC stream or as a Parquet file, and the columns of `messages`.

import {
  Batches, type Bounds, BOUNDS, type Column, type Encoder, type RowOf, type TableSink,
} from './batch.ts';

export { type Column, type RowOf, TableError, type TableSink } from './batch.ts';

export type TableFormat = 'arrow' | 'parquet';

/** What stands in the metadata of every table under the key `openchatml.schema`, and its columns. */
export interface TableSchema<Columns extends readonly Column[] = readonly Column[]> {
  readonly schema: string;
  readonly columns: Columns;
}

/** The columns of `messages`. They do not change while the number at the end of `MESSAGE_TABLE.schema` stays. */
export const MESSAGE_COLUMNS = [
  { name: 'path', type: 'text', nullable: false },
  { name: 'record', type: 'integer', nullable: true },
  { name: 'transcript', type: 'integer', nullable: false },
  { name: 'index', type: 'integer', nullable: false },
  { name: 'role', type: 'text', nullable: true },
  { name: 'name', type: 'text', nullable: true },
  { name: 'recipient', type: 'text', nullable: true },
  { name: 'channel', type: 'text', nullable: false },
  { name: 'explicit_channel', type: 'text', nullable: true },
  { name: 'content_type', type: 'text', nullable: true },
  { name: 'intent', type: 'text', nullable: true },
  { name: 'call_id', type: 'text', nullable: true },
  { name: 'end', type: 'text', nullable: false },
  { name: 'visible', type: 'boolean', nullable: false },
  { name: 'from', type: 'integer', nullable: false },
  { name: 'to', type: 'integer', nullable: false },
  { name: 'body_from', type: 'integer', nullable: false },
  { name: 'body_to', type: 'integer', nullable: false },
  { name: 'content', type: 'text', nullable: false },
] as const satisfies readonly Column[];

export const MESSAGE_TABLE = { schema: 'openchatml/messages/1', columns: MESSAGE_COLUMNS } as const;

/** A row of `messages`: a MessageRecord with its path and its content. */
export type MessageRow = RowOf<typeof MESSAGE_COLUMNS>;

/**
 * A table that goes out through `write` while its rows come in. Bytes belong to `write` while it runs, not longer; what
 * it throws comes out of `add` or `end`, and the table is broken. The same rows give the same bytes.
 */
export async function makeTable<const Columns extends readonly Column[]>(
  format: TableFormat,
  { schema, columns }: TableSchema<Columns>,
  write: (bytes: Uint8Array) => void,
  bounds: Bounds = BOUNDS,
): Promise<TableSink<RowOf<Columns>>> {
  const metadata = new Map([['openchatml.schema', schema]]);
  const encoder = await encoderOf(format, columns, metadata, write);
  return new Batches(columns, encoder, bounds);
}

/** The libraries are large: each is loaded when it is needed. */
async function encoderOf(
  format: TableFormat,
  ...parts: [columns: readonly Column[], metadata: ReadonlyMap<string, string>, write: (bytes: Uint8Array) => void]
): Promise<Encoder> {
  if (format === 'arrow') return (await import('./arrow.ts')).arrowEncoder(...parts);
  return (await import('./parquet-write.ts')).parquetEncoder(...parts);
}
