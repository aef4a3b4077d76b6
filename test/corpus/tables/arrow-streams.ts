// Arrow IPC streams for tests, and the lines that rows of them become.
import * as arrow from '@uwdata/flechette';
import type { InputSource } from '../../../src/corpus/input/source.ts';
import { COLUMNS } from '../../../src/corpus/input/columns.ts';
import { ArrowLines, type ArrowLinesOptions } from '../../../src/corpus/jobs/arrow-lines.ts';
import { ArrowReader } from '../../../src/corpus/tables/arrow-read.ts';

/** Bytes that come in pieces, as from a pipe. */
export function pipeOf(bytes: Uint8Array, piece = Infinity): InputSource {
  return {
    path: 'standard input', size: null, canReread: false, first: 0,
    read: (at, into) => {
      const part = bytes.subarray(at, at + Math.min(into.length, piece));
      into.set(part);
      return part.length;
    },
    bytes: () => {
      throw new Error('read once');
    },
    release: () => {},
    close: () => {},
  };
}

export type Cells = Readonly<Record<string, readonly [values: readonly unknown[], type: arrow.DataType]>>;

/** A stream of the columns, so many rows a batch; `end`: with the mark that ends it. */
export function streamOf(cells: Cells, rows = Infinity, end = true): Uint8Array {
  const columns = Object.entries(cells).map(([name, [values, type]]) => {
    const column = arrow.columnFromArray(values as unknown[], type, { maxBatchRows: rows });
    return [name, column] as [string, arrow.Column<unknown>];
  });
  const bytes = arrow.tableToIPC(arrow.tableFromColumns(columns), { format: 'stream' })!;
  return end ? bytes : bytes.subarray(0, -8);
}

/** The lines that all rows become. */
export function linesOfRows(bytes: Uint8Array, options: Partial<ArrowLinesOptions> = {}, piece = Infinity): string[] {
  const lines = new ArrowLines(new ArrowReader(pipeOf(bytes, piece)), {
    path: 'standard input', fields: COLUMNS, largest: 1e6,
    begin: () => {}, batchDone: () => {}, end: () => {}, ...options,
  });
  const parts: Buffer[] = [];
  const into = new Uint8Array(1000);
  for (let count = lines.read(0, into); count > 0; count = lines.read(0, into)) {
    parts.push(Buffer.from(into.subarray(0, count)));
  }
  const text = Buffer.concat(parts).toString('utf8').split('\n');
  text.pop();
  return text;
}
