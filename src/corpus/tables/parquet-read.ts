// The rows of a Parquet file as JSON lines, one object a row, of the wanted columns only. Page by page: a page of each
// column is in memory.
//
// - Keys come in the order of the file. What is null is left out, in structs too, but for their content; a null in a
//   list stays.
// - The rest is told by parquet-values.ts. A row with a value that JSON cannot tell becomes a line that is a string,
//   not an object, and so no record: `"the column NAME holds bytes that are not valid UTF-8"`.
// - Checksums of pages are checked where a file has them, and what pages promise (parquet-checks.ts).

import { isUtf8 } from 'node:buffer';
import type { AsyncBuffer, ColumnMetaData, FileMetaData, RowGroup, SchemaTree } from 'hyparquet';
import { chooseColumns } from '../input/columns.ts';
import { readAt } from '../input/decoder.ts';
import type { Decoded } from '../input/pass.ts';
import { Cancelled } from '../input/ring.ts';
import { InputError } from '../error.ts';
import { JsonWriter, TooLong } from './json-writer.ts';
import { LARGEST } from '../records/record.ts';
import { isTooMany } from './parquet-checks.ts';
import { ColumnValues, type Decoding, type Slice } from './parquet-column.ts';
import { loadCompressors, loadPageLibrary } from './parquet-library.ts';
import { RowNode, UNEQUAL } from './parquet-rows.ts';
import { NO_UTF8, Untellable } from './parquet-values.ts';

/** Lines are handed on when they are this long together. */
const BATCH = 2 ** 18;
/** Bytes of room for lines that is kept. */
const MOST_KEPT = 2 ** 21;
/** Columns that a message names. */
const MOST_NAMED = 20;

export interface ParquetTask {
  readonly path: string;
  readonly descriptor: number | null;
  readonly columns: readonly string[];
}

/** Gives all rows. Throws InputError. */
export async function readParquet(task: ParquetTask, size: number, output: Decoded): Promise<void> {
  const reader = new ParquetReader(task, size, output);
  await reader.run();
}

class ParquetReader {
  readonly #path: string;
  readonly #wanted: readonly string[];
  readonly #descriptor: number;
  readonly #file: AsyncBuffer;
  readonly #output: Decoded;
  readonly #lines = new JsonWriter();
  #rows = 0;

  constructor(task: ParquetTask, size: number, output: Decoded) {
    this.#path = task.path;
    this.#wanted = task.columns;
    this.#output = output;
    this.#descriptor = task.descriptor!;
    this.#file = { byteLength: size, slice: (from, to = size) => this.#slice(from, to) };
  }

  async run(): Promise<void> {
    const [{ parquetMetadataAsync, parquetSchema }, library, compressors] = await Promise.all([
      import('hyparquet/src/metadata.js'),
      loadPageLibrary(),
      loadCompressors(),
    ]);
    const metadata = await this.#attempt(() => parquetMetadataAsync(this.#file, { geoparquet: false }));
    const rows = metadata.row_groups.reduce((sum, { num_rows: some }) => sum + Number(some), 0);
    if (isTooMany(rows, this.#file.byteLength)) throw this.#damage('it promises more rows than it can hold');
    const root = await this.#attempt(() => parquetSchema(metadata));
    const names = root.children.map(({ element }) => element.name);
    const wanted = this.#choose(names);
    this.#leaveOut(names.filter((name) => !wanted.includes(name)));
    const schemas = root.children.filter(({ element }) => wanted.includes(element.name));
    for (const group of metadata.row_groups) {
      await this.#attempt(() => {
        this.#checkGroup(group, wanted);
        const rows = Number(group.num_rows);
        if (rows === 0) return;
        const columnOf = columnsOf(group, root, this.#slice, { library, compressors, held: 0 });
        this.#giveGroup(schemas.map((schema) => new RowNode(schema, columnOf, library)), rows);
      });
    }
    this.#checkRows(metadata);
  }

  /** The wanted columns that the file has, in its order. */
  #choose(names: string[]): string[] {
    const columns = chooseColumns(names, this.#wanted);
    if (columns.length > 0) return columns;
    const named = names.slice(0, MOST_NAMED).map((name) => JSON.stringify(name)).join(', ');
    const more = names.length > MOST_NAMED ? `, and ${names.length - MOST_NAMED} more` : '';
    const reason = `has none of the columns ${this.#wanted.join(', ')}; its columns are ${named || 'none'}${more}`;
    throw new InputError(this.#path, reason, 'name the column that holds the transcripts: --field NAME');
  }

  #leaveOut(names: readonly string[]): void {
    if (names.length > 0) this.#output.leaveOut({ count: names.length, first: shown(names[0]!) });
  }

  #checkGroup({ columns }: RowGroup, wanted: string[]): void {
    for (const { meta_data: data, file_path: path, crypto_metadata: crypto } of columns) {
      if (data !== undefined && !wanted.includes(data.path_in_schema[0]!)) continue;
      if (crypto !== undefined || data === undefined) {
        throw new InputError(this.#path, 'is an encrypted Parquet file', 'decrypt it first');
      }
      if (path) throw new InputError(this.#path, 'is a Parquet file whose data are in other files', 'name those');
    }
  }

  #checkRows({ num_rows: rows }: FileMetaData): void {
    if (Number(rows) !== this.#rows) throw this.#damage(`it promises ${rows} rows and has ${this.#rows}`);
  }

  #giveGroup(columns: readonly RowNode[], rows: number): void {
    const out = this.#lines;
    let whole = 0;
    const give = (): void => {
      const lines = out.bytes.subarray(0, out.at);
      out.clear(MOST_KEPT);
      whole = 0;
      if (lines.length > 0) this.#output.write(lines);
    };
    try {
      this.#checkColumns(columns, 0, rows);
      for (let row = 1; row <= rows; row++) {
        writeLine(out, columns, row);
        this.#checkColumns(columns, row, rows);
        whole = out.at;
        this.#rows++;
        if (whole >= BATCH) give();
      }
    } finally {
      // Rows before damage are whole, and given.
      out.at = whole;
      give();
    }
  }

  /** Behind a row of each column that it is followed by another one, or not. */
  #checkColumns(columns: readonly RowNode[], row: number, rows: number): void {
    for (const column of columns) {
      if (!column.isBetweenRows) throw new Error(UNEQUAL);
      if (column.isOver === (row === rows)) continue;
      const found = row === rows ? 'more than' : `${row} of`;
      throw this.#damage(`the column ${JSON.stringify(column.name)} has ${found} ${rows} rows`);
    }
  }

  readonly #slice = (from: number, to: number): ArrayBuffer => {
    this.#output.check();
    const size = this.#file.byteLength;
    if (!(from >= 0 && from <= to && to <= size)) throw this.#damage('it refers to bytes that it does not have');
    const into = new Uint8Array(to - from);
    for (let read = 0; read < into.length; ) {
      const length = readAt(this.#descriptor, into.subarray(read), from + read, this.#path);
      if (length === 0) throw new InputError(this.#path, 'became shorter while it was read', 'try again');
      read += length;
    }
    return into.buffer;
  };

  /** What goes wrong in the library is damage, or a kind that it does not know. */
  async #attempt<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof InputError || error instanceof Cancelled) throw error;
      const { message } = error as Error;
      throw this.#damage(/^parquet [\w ():=!-]{1,100}$/.test(message) ? message.slice(8) : 'it cannot be decoded');
    }
  }

  #damage(what: string): InputError {
    const reason =
      `is a Parquet file that is damaged or of an unknown kind: ${what}; ${this.#rows} rows before it are whole`;
    return new InputError(this.#path, reason, 'restore it from its source, or convert it into JSON lines');
  }
}

/** The columns of a row group by the leaves of the schema. */
function columnsOf(
  { columns }: RowGroup, root: SchemaTree, slice: Slice, decoding: Decoding,
): (leaf: SchemaTree) => ColumnValues {
  const byPath = new Map<string, ColumnMetaData>();
  for (const { meta_data: data } of columns) {
    if (data === undefined) continue;
    const path = JSON.stringify(data.path_in_schema);
    if (byPath.has(path)) throw new Error('parquet row group has a column twice');
    byPath.set(path, data);
  }
  return ({ path }) => {
    const data = byPath.get(JSON.stringify(path));
    if (data === undefined) throw new Error('parquet row group lacks a column');
    return new ColumnValues(slice, data, decoding.library.getTreePath(root, data.path_in_schema), decoding);
  };
}

/** Names that people may be shown. */
const PLAIN_NAME = /^\w{1,64}$/;
const shown = (name: string): string => (PLAIN_NAME.test(name) ? name : '');
const nameOf = ({ name }: RowNode): string => (shown(name) ? `the column ${name}` : 'a column');

/** Writes a row. What is wrong with one that cannot be written stands in its place as a text. `row`: counts from 1. */
function writeLine(out: JsonWriter, columns: readonly RowNode[], row: number): void {
  const start = out.at;
  out.limit = start + LARGEST;
  let reason: string | null;
  try {
    reason = writeRow(out, columns);
  } catch (error) {
    if (!(error instanceof TooLong)) throw error;
    reason = `the row is longer than ${LARGEST >> 20} MiB`;
  }
  if (reason === null) return;
  for (const column of columns) column.skip(row);
  out.at = start;
  out.copy(Buffer.from(`${JSON.stringify(reason)}\n`));
}

/** Null: it is written. Or why JSON cannot tell it. */
function writeRow(out: JsonWriter, columns: readonly RowNode[]): string | null {
  out.ascii('{');
  const first = out.at;
  for (const column of columns) {
    const before = out.at;
    let reason: string | null = null;
    try {
      column.writeMember(out, first);
    } catch (error) {
      if (!(error instanceof Untellable)) throw error;
      reason = error.message;
    }
    if (!isUtf8(out.bytes.subarray(before, out.at))) reason = NO_UTF8;
    if (reason !== null) return `${nameOf(column)} holds ${reason}`;
  }
  out.ascii('}\n');
  return null;
}
