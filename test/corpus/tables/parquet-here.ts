// Parquet files for tests: how they are written, and read in this thread.
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { parquetMetadata, type SchemaElement } from 'hyparquet';
import { ByteWriter, type ColumnSource, parquetWriteBuffer, type ParquetWriteOptions } from 'hyparquet-writer';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';
import { InputError } from '../../../src/corpus/error.ts';
import { COLUMNS } from '../../../src/corpus/input/columns.ts';
import { readParquet } from '../../../src/corpus/tables/parquet-read.ts';
import { file } from '../../cli/harness.ts';

export interface Read {
  text: string;
  error: InputError | null;
}

export function write(name: string, columnData: ColumnSource[], options: Partial<ParquetWriteOptions> = {}): string {
  return file(`parquet/${name}`, new Uint8Array(parquetWriteBuffer({ columnData, ...options })));
}

/** Gives a file another schema of as many columns in the same order, and with the same levels. */
export function withSchema(path: string, schema: SchemaElement[]): string {
  const whole = readFileSync(path);
  const metadata = parquetMetadata(Uint8Array.from(whole).buffer);
  const paths = leavesOf(schema);
  for (const { columns } of metadata.row_groups) {
    for (const [index, { meta_data: data }] of columns.entries()) data!.path_in_schema = paths[index]!;
  }
  const end = new ByteWriter();
  writeMetadata(end, { ...metadata, schema });
  const pages = whole.subarray(0, whole.length - 8 - whole.readUInt32LE(whole.length - 8));
  return file(`${path}.other`, Buffer.concat([pages, end.getBytes(), Buffer.from('PAR1')]));
}

function leavesOf(schema: SchemaElement[]): string[][] {
  const leaves: string[][] = [];
  let next = 0;
  const visit = (above: string[]): void => {
    const { name, num_children: children = 0 } = schema[next++]!;
    const path = next === 1 ? [] : [...above, name];
    if (children === 0) leaves.push(path);
    for (let child = 0; child < children; child++) visit(path);
  };
  visit([]);
  return leaves;
}

/** In this thread. */
export async function readHere(path: string, columns = COLUMNS): Promise<Read> {
  const descriptor = openSync(path, 'r');
  let text = '';
  try {
    const output = {
      write: (bytes: Uint8Array) => void (text += Buffer.from(bytes).toString()),
      check: () => {},
      leaveOut: () => {},
      ask: () => null,
    };
    await readParquet({ path, descriptor, columns }, fstatSync(descriptor).size, output);
    return { text, error: null };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { text, error };
  } finally {
    closeSync(descriptor);
  }
}
