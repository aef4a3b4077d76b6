// Batches as an Arrow IPC stream: the schema, a record batch each, the end marker. Texts are plain utf8.

import * as arrow from '@uwdata/flechette';
import type { Batch, Cell, Column, Encoder } from './batch.ts';

/** A continuation of no bytes. */
const END = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0);

export function arrowEncoder(
  columns: readonly Column[],
  metadata: ReadonlyMap<string, string>,
  write: (bytes: Uint8Array) => void,
): Encoder {
  const types = { text: arrow.utf8(), integer: arrow.int64(), boolean: arrow.bool() };
  const schema = {
    version: arrow.Version.V5,
    endianness: arrow.Endianness.Little,
    fields: columns.map(({ name, type, nullable }) => arrow.field(name, types[type], nullable)),
    metadata: new Map(metadata),
  } as const;
  const streamOf = (batch: Batch | null, sink: (bytes: Uint8Array) => void): void => {
    const data = columns.map(({ type: name }, i) => {
      const type = types[name];
      const Batch = arrow.batchType(type);
      return new arrow.Column(batch ? [new Batch({ type, ...buffersOf(name, batch, i) })] : [], type);
    });
    const outlet = { write: sink, pad: (count: number) => sink(new Uint8Array(count)), finish: () => null };
    arrow.tableToIPC(new arrow.Table(schema, data), { format: 'stream', sink: outlet });
  };

  // Every stream of the library has a schema and an end of its own; one of each goes out.
  let schemaLength = -END.length;
  streamOf(null, (bytes) => {
    schemaLength += bytes.length;
  });
  const writeWithoutEnd = (batch: Batch | null, skip: number): void => {
    let at = 0;
    let last: Uint8Array | null = null;
    streamOf(batch, (bytes) => {
      if (last !== null) write(last);
      last = at >= skip ? bytes : null;
      at += bytes.length;
    });
    if (last === null || Buffer.compare(last, END) !== 0) throw new Error('an Arrow stream has no end marker');
  };
  writeWithoutEnd(null, 0);
  return {
    batch: (batch) => writeWithoutEnd(batch, schemaLength),
    end: () => write(END.slice()),
  };
}

/** A column of a batch as the format has it in memory. */
function buffersOf(type: Column['type'], batch: Batch, index: number): object {
  const cells = batch.cells[index]!;
  const { validity, nullCount } = validityOf(cells);
  const shared = { length: batch.rows, nullCount, validity };
  switch (type) {
    case 'text': return { ...shared, ...textBuffers(cells, batch.bytes[index]!) };
    case 'integer': return { ...shared, values: BigInt64Array.from(cells, integerOf) };
    case 'boolean': return { ...shared, values: bitsOf(cells, (cell) => cell === true) };
  }
}

/** What stands in the place of a null does not count. */
function integerOf(cell: Cell): bigint {
  return BigInt((cell as number | null) ?? 0);
}

/** Without nulls the bits may be left out. */
function validityOf(cells: readonly Cell[]): { validity: Uint8Array; nullCount: number } {
  let nullCount = 0;
  for (const cell of cells) if (cell === null) nullCount++;
  return { validity: nullCount > 0 ? bitsOf(cells, (cell) => cell !== null) : new Uint8Array(0), nullCount };
}

function bitsOf(cells: readonly Cell[], isSet: (cell: Cell) => boolean): Uint8Array {
  const bits = new Uint8Array(Math.ceil(cells.length / 8));
  for (let i = 0; i < cells.length; i++) if (isSet(cells[i]!)) bits[i >> 3]! |= 1 << (i & 7);
  return bits;
}

const ENCODER = new TextEncoder();

function textBuffers(cells: readonly Cell[], bytes: number): { offsets: Int32Array; values: Uint8Array } {
  const offsets = new Int32Array(cells.length + 1);
  const values = new Uint8Array(bytes);
  let at = 0;
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i] as string | null;
    if (cell !== null && cell !== '') at += ENCODER.encodeInto(cell, values.subarray(at)).written;
    offsets[i + 1] = at;
  }
  if (at !== bytes) throw new Error(`texts of ${bytes} bytes have become ${at}`);
  return { offsets, values };
}
