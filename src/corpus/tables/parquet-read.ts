// The rows of a Parquet file as JSON lines, one object a row, of the wanted columns only. Row group by row group: one
// of them is in memory.
//
// - Keys come in the order of the file. What is null is left out, in structs too; a null in a list stays.
// - The rest is told by parquet-values.ts. A row with a value that JSON cannot tell becomes a line that is a string,
//   not an object, and so no record: `"the column NAME cannot be written as JSON"`.
// - Checksums of pages are checked where a file has them, and what pages promise (parquet-checks.ts).

import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { AsyncBuffer, ColumnData, Compressors, FileMetaData, RowGroup } from 'hyparquet';
import { readAt } from '../input/decoder.ts';
import type { Decoded } from '../input/pass.ts';
import { Cancelled } from '../input/ring.ts';
import { InputError } from '../error.ts';
import { checkPages, type PageReading } from './parquet-checks.ts';
import { jsonOf, PARSERS, Untellable } from './parquet-values.ts';

/** Lines are handed on when they are this long together. */
const BATCH = 2 ** 18;
/** Columns that a message names. */
const MOST_NAMED = 20;

export interface ParquetTask {
  readonly path: string;
  readonly descriptor: number | null;
  readonly columns: readonly string[];
}

type Column = { readonly name: string; readonly values: ColumnData['columnData'][] };

/** Gives all rows. Throws InputError. */
export async function readParquet(task: ParquetTask, size: number, output: Decoded): Promise<void> {
  const reader = new ParquetReader(task, size, output);
  await reader.run();
}

class ParquetReader {
  readonly #path: string;
  readonly #wanted: readonly string[];
  readonly #file: AsyncBuffer;
  readonly #output: Decoded;
  #rows = 0;

  constructor(task: ParquetTask, size: number, output: Decoded) {
    this.#path = task.path;
    this.#wanted = task.columns;
    this.#output = output;
    this.#file = { byteLength: size, slice: (from, to = size) => this.#slice(task.descriptor!, from, to) };
  }

  async run(): Promise<void> {
    const [{ parquetMetadataAsync, parquetSchema }, { parquetRead }, library, decompressors] = await Promise.all([
      import('hyparquet/src/metadata.js'),
      import('hyparquet/src/read.js'),
      loadPageReading(),
      loadCompressors(),
    ]);
    const metadata = await this.#attempt(() => parquetMetadataAsync(this.#file, { geoparquet: false }));
    const names = await this.#attempt(async () => parquetSchema(metadata).children.map(({ element }) => element.name));
    const columns = this.#choose(names);
    const file = this.#file;
    for (const group of metadata.row_groups) {
      const rows = Number(group.num_rows);
      if (rows === 0) continue;
      const rowStart = this.#groupStart;
      this.#groupStart += rows;
      const read = columns.map((name): Column => ({ name, values: [] }));
      const onChunk = ({ columnName, columnData }: ColumnData): void => {
        read.find(({ name }) => name === columnName)?.values.push(columnData);
      };
      await this.#attempt(async () => {
        this.#checkGroup(group, columns);
        const compressors = await checkPages(file, group, columns, metadata.schema, decompressors, library);
        const options = { file, metadata, columns, compressors, parsers: PARSERS as never, onChunk };
        await parquetRead({ ...options, rowStart, rowEnd: rowStart + rows });
      });
      this.#give(read, rows);
    }
    this.#checkRows(metadata);
  }

  #groupStart = 0;

  /** The wanted columns that the file has, in its order. */
  #choose(names: string[]): string[] {
    const columns = names.filter((name) => this.#wanted.includes(name));
    if (columns.length > 0) return columns;
    const named = names.slice(0, MOST_NAMED).map((name) => JSON.stringify(name)).join(', ');
    const more = names.length > MOST_NAMED ? `, and ${names.length - MOST_NAMED} more` : '';
    const reason = `has none of the columns ${this.#wanted.join(', ')}; its columns are ${named || 'none'}${more}`;
    throw new InputError(this.#path, reason, 'name the column that holds the transcripts: --field NAME');
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

  #give(columns: Column[], rows: number): void {
    const read = columns.map(({ name, values }) => ({ name, key: JSON.stringify(name), values: join(values) }));
    for (const { key, values } of read) {
      if (values.length !== rows) throw this.#damage(`the column ${key} has ${values.length} of ${rows} rows`);
    }
    let batch = '';
    for (let row = 0; row < rows; row++) {
      batch += `${lineOf(read, row)}\n`;
      this.#rows++;
      if (batch.length < BATCH && row < rows - 1) continue;
      this.#output.write(Buffer.from(batch));
      batch = '';
    }
  }

  #slice(descriptor: number, from: number, to: number): ArrayBuffer {
    this.#output.check();
    const size = this.#file.byteLength;
    if (!(from >= 0 && from <= to && to <= size)) throw this.#damage('it refers to bytes that it does not have');
    const into = new Uint8Array(to - from);
    for (let read = 0; read < into.length; ) {
      const length = readAt(descriptor, into.subarray(read), from + read, this.#path);
      if (length === 0) throw new InputError(this.#path, 'became shorter while it was read', 'try again');
      read += length;
    }
    return into.buffer;
  }

  /** What goes wrong in the library is damage, or a kind that it does not know. */
  async #attempt<T>(work: () => Promise<T>): Promise<T> {
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

function join(parts: Column['values']): ArrayLike<unknown> {
  if (parts.length === 1) return parts[0]!;
  return parts.flatMap((part) => Array.from(part as ArrayLike<unknown>));
}

function lineOf(columns: { name: string; key: string; values: ArrayLike<unknown> }[], row: number): string {
  let line = '';
  for (const { name, key, values } of columns) {
    try {
      const json = jsonOf(values[row]);
      if (json !== 'null') line += `${line && ','}${key}:${json}`;
    } catch (error) {
      if (!(error instanceof Untellable)) throw error;
      return JSON.stringify(`the column ${name} cannot be written as JSON`);
    }
  }
  return `{${line}}`;
}

async function loadPageReading(): Promise<PageReading> {
  const [{ parquetHeader }, schema, { readRleBitPackedHybrid }, { deltaBinaryUnpack }] = await Promise.all([
    import('hyparquet/src/column.js'),
    import('hyparquet/src/schema.js'),
    import('hyparquet/src/encoding.js'),
    import('hyparquet/src/delta.js'),
  ]);
  const { getSchemaPath, getMaxRepetitionLevel, getMaxDefinitionLevel } = schema;
  return {
    parquetHeader, getSchemaPath, getMaxRepetitionLevel, getMaxDefinitionLevel, readRleBitPackedHybrid,
    deltaBinaryUnpack,
  };
}

/** Node's own decoders where it has them: they are faster, and check checksums. */
async function loadCompressors(): Promise<Compressors> {
  const { compressors } = await import('hyparquet-compressors');
  return {
    ...compressors,
    GZIP: (bytes, length) => gunzipSync(bytes, { maxOutputLength: Math.max(1, length) }),
    BROTLI: (bytes, length) => brotliDecompressSync(bytes, { maxOutputLength: Math.max(1, length) }),
  };
}
