// Batches as a Parquet file: a row group each, compressed with Snappy.

import type { SchemaElement } from 'hyparquet';
import { ByteWriter, type ColumnSource, ParquetWriter } from 'hyparquet-writer';
import type { Batch, Cell, Column, Encoder } from './batch.ts';
import { compressSnappy } from './snappy.ts';

/** Bytes that are gathered before they go out. */
const GATHERED = 1024 * 1024;
/**
 * The least and the greatest text of a row group stay in memory up to the end of the file. Where one is longer than
 * this the column has none in that row group.
 */
const LONGEST_BOUND = 1024;

/** The library's writer, which counts all bytes in `offset`; those in its buffer go out again and again. */
class Outlet extends ByteWriter {
  readonly #write: (bytes: Uint8Array) => void;

  constructor(write: (bytes: Uint8Array) => void) {
    super();
    this.#write = write;
  }

  override ensure(size: number): void {
    if (this.index >= GATHERED) this.flush();
    super.ensure(size);
  }

  override appendBytes(bytes: Uint8Array): void {
    if (bytes.length < GATHERED) {
      super.appendBytes(bytes);
      return;
    }
    this.flush();
    this.#write(bytes);
    this.offset += bytes.length;
  }

  flush(): void {
    if (this.index > 0) this.#write(this.getBytes());
    this.index = 0;
  }

  override finish(): void {
    this.flush();
  }
}

export function parquetEncoder(
  columns: readonly Column[],
  metadata: ReadonlyMap<string, string>,
  write: (bytes: Uint8Array) => void,
): Encoder {
  const writer = new ParquetWriter({
    writer: new Outlet(write),
    schema: [{ name: 'root', num_children: columns.length }, ...columns.map(elementOf)],
    kvMetadata: [...metadata].map(([key, value]) => ({ key, value })),
    createdBy: 'openchatml',
    // The library's own compressor takes three times as long.
    compressors: { SNAPPY: compressSnappy },
  });
  return {
    batch: (batch) => {
      const columnData = columns.map((column, i) => sourceOf(column, batch, i));
      // All is written when it returns: the outlet is never asked to wait.
      void writer.write({ columnData, rowGroupSize: batch.rows });
    },
    end: () => void writer.finish(),
  };
}

function elementOf({ name, type, nullable }: Column): SchemaElement {
  const repetition_type = nullable ? 'OPTIONAL' : 'REQUIRED';
  switch (type) {
    case 'text':
      return { name, repetition_type, type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } };
    case 'integer': return { name, repetition_type, type: 'INT64' };
    case 'boolean': return { name, repetition_type, type: 'BOOLEAN' };
  }
}

function sourceOf({ name, type }: Column, batch: Batch, index: number): ColumnSource {
  const cells = batch.cells[index]!;
  switch (type) {
    case 'text': return { name, data: cells, statistics: batch.longest[index]! <= LONGEST_BOUND };
    // Numbers and places grow from row to row: their differences are small.
    case 'integer': return { name, data: integersOf(cells), encoding: 'DELTA_BINARY_PACKED' };
    case 'boolean': return { name, data: cells };
  }
}

function integersOf(cells: readonly Cell[]): (bigint | null)[] {
  return cells.map((cell) => (cell === null ? null : BigInt(cell as number)));
}
