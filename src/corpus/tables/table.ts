// Tables for other programs: rows as an Arrow IPC stream or as a Parquet file, and the columns of `messages`.

import { type Bounds, type Column, Columns, type ColumnsData } from './columns.ts';
import type { TableFile, TableFormat, TableWriter } from './writer.ts';
import { loadWriter } from './writers.ts';

export type { Column } from './columns.ts';
export type { TableFormat } from './writer.ts';

/** What stands in the metadata of every table under the key `openchatml.schema`, and its columns. */
export interface TableSchema<Schema extends readonly Column[] = readonly Column[]> {
  readonly schema: string;
  readonly columns: Schema;
}

export const BOUNDS: Bounds = { rows: 64 * 1024, bytes: 16 * 1024 * 1024 };

/**
 * Bytes of a text as UTF-8 that a cell takes: about the longest string there is. Both formats count the bytes of a
 * column with 31 bits, and need several times as much memory to encode it.
 */
export const LARGEST_CELL = 512 * 1024 * 1024;

/**
 * What a table is made of: bytes of a group, and what the file has to know of it when they all have come; or rows
 * that are too few for a group.
 */
export type TablePiece = Uint8Array | { readonly group: unknown } | { readonly columns: ColumnsData };

/**
 * A table file that is written while its rows come in. What `write` throws comes out of the calls, and the table is
 * broken then.
 */
export class Table {
  readonly #writer: TableWriter;
  readonly #file: TableFile;
  readonly #bounds: Bounds;
  /** Rows that came as columns and are too few for a group of their own. */
  readonly #joined: Columns;
  /** Why nothing can be added any more. */
  #over: string | null = null;

  constructor(
    writer: TableWriter,
    { schema, columns }: TableSchema,
    write: (bytes: Uint8Array) => void,
    bounds: Bounds = BOUNDS,
  ) {
    this.#writer = writer;
    this.#file = writer.file(columns, new Map([['openchatml.schema', schema]]), write);
    this.#bounds = bounds;
    this.#joined = new Columns(columns);
  }

  /** The next piece of what was made elsewhere. */
  take(piece: TablePiece): void {
    if ('columns' in piece) {
      this.#demandOpen();
      this.#joined.append(piece.columns);
      if (this.#joined.isFull(this.#bounds)) this.#flush();
      return;
    }
    this.#flush();
    this.#guarded(() => ('group' in piece ? this.#file.group(piece.group) : this.#file.bytes(piece)));
  }

  /** Writes what is left. There is nothing to be added or ended after it. */
  end(): void {
    this.#flush();
    this.#guarded(() => this.#file.end());
    this.#over = 'the table was ended';
  }

  /** Throws when nothing can be added any more. */
  #demandOpen(): void {
    if (this.#over !== null) throw new Error(this.#over);
  }

  #flush(): void {
    const joined = this.#joined;
    if (joined.rows === 0) return;
    this.#guarded(() => this.#write(joined));
    joined.clear();
  }

  #write(columns: Columns): void {
    const pieces = this.#writer.group(columns);
    for (let next = pieces.next(); ; next = pieces.next()) {
      if (next.done) {
        this.#file.group(next.value);
        return;
      }
      this.#file.bytes(next.value);
    }
  }

  /** An error leaves a piece of a group behind, which nothing may follow. */
  #guarded(work: () => void): void {
    this.#demandOpen();
    this.#over = 'the table could not be written';
    work();
    this.#over = null;
  }
}

export async function openTable(
  format: TableFormat,
  schema: TableSchema,
  write: (bytes: Uint8Array) => void,
  bounds?: Bounds,
): Promise<Table> {
  return new Table(await loadWriter(format), schema, write, bounds);
}
