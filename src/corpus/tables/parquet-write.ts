// Columns as a row group of a Parquet file, compressed with Snappy; and the file around its row groups.
//
// The library takes a value for every cell, which costs ten times what the bytes do. So pages are put together in
// parquet-pages.ts; the headers of pages and the footer are the library's.

import type { ColumnChunk, RowGroup, SchemaElement } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';
import type { Column, Columns } from './columns.ts';
import { PageWriter } from './parquet-pages.ts';
import type { TableFile, TableWriter } from './writer.ts';

/** Bytes that are gathered before they go out. */
const GATHERED = 256 * 1024;
const MAGIC = new TextEncoder().encode('PAR1');

export const writer: TableWriter<RowGroup> = { group, file };

/**
 * What the next group uses, while it has no more than so many bytes. A group has one of its own as long as its bytes
 * are taken: another group may be written meanwhile.
 */
let idle: PageWriter | undefined;
const KEPT = 4 * 1024 * 1024;

/** The bytes of a row group; its places count from its own beginning. */
function* group(columns: Columns): Generator<Uint8Array, RowGroup, void> {
  columns.mend();
  const pages = idle ?? new PageWriter();
  idle = undefined;
  const { out } = pages;
  out.index = out.offset = 0;
  const chunks: ColumnChunk[] = [];
  let total = 0n;
  for (const [i, column] of columns.schema.entries()) {
    const from = out.offset;
    const written = pages.write(column, columns.stores[i]!, columns.rows);
    let next = written.next();
    for (; !next.done; next = written.next()) {
      if (out.index < GATHERED) continue;
      yield out.getBytes();
      out.index = 0;
    }
    const { encoding, dictionaryAt, pagesAt, pageCount, bytes, statistics } = next.value;
    const hasDictionary = dictionaryAt >= 0;
    chunks.push({
      file_offset: BigInt(from),
      meta_data: {
        type: elementOf(column).type!,
        encodings: hasDictionary ? ['PLAIN', encoding] : [encoding],
        path_in_schema: [column.name],
        codec: 'SNAPPY',
        num_values: BigInt(columns.rows),
        total_uncompressed_size: BigInt(bytes),
        total_compressed_size: BigInt(out.offset - from),
        data_page_offset: BigInt(pagesAt),
        ...(hasDictionary && { dictionary_page_offset: BigInt(dictionaryAt) }),
        statistics,
        encoding_stats: [
          ...(hasDictionary ? [{ page_type: 'DICTIONARY_PAGE', encoding: 'PLAIN', count: 1 } as const] : []),
          { page_type: 'DATA_PAGE_V2', encoding, count: pageCount },
        ],
      },
    });
    total += BigInt(bytes);
  }
  if (out.index > 0) yield out.getBytes();
  if (out.buffer.byteLength <= KEPT) idle = pages;
  return {
    columns: chunks,
    total_byte_size: total,
    num_rows: BigInt(columns.rows),
    total_compressed_size: BigInt(out.offset),
  };
}

/** The file around row groups. */
function file(
  columns: readonly Column[],
  metadata: ReadonlyMap<string, string>,
  write: (bytes: Uint8Array) => void,
): TableFile<RowGroup> {
  const groups: RowGroup[] = [];
  let rows = 0n;
  let offset = 0;
  const put = (bytes: Uint8Array): void => {
    write(bytes);
    offset += bytes.length;
  };
  put(MAGIC.slice());
  let groupAt = offset;
  return {
    bytes: put,
    group: (found) => {
      groups.push({ ...found, columns: found.columns.map((chunk) => shifted(chunk, BigInt(groupAt))) });
      rows += found.num_rows;
      groupAt = offset;
    },
    end: () => {
      const out = new ByteWriter();
      // It asks for the length of what it writes.
      writeMetadata(out, {
        version: 2,
        created_by: 'openchatml',
        schema: [{ name: 'root', num_children: columns.length }, ...columns.map(elementOf)],
        num_rows: rows,
        row_groups: groups,
        key_value_metadata: [...metadata].map(([key, value]) => ({ key, value })),
        metadata_length: 0,
      });
      out.appendBytes(MAGIC);
      put(out.getBytes());
    },
  };
}

/** A column of a row group that begins so many bytes further on. */
function shifted({ file_offset: at, meta_data: data }: ColumnChunk, by: bigint): ColumnChunk {
  const { data_page_offset: pagesAt, dictionary_page_offset: dictionaryAt } = data!;
  const meta_data = { ...data!, data_page_offset: pagesAt + by };
  if (dictionaryAt !== undefined) meta_data.dictionary_page_offset = dictionaryAt + by;
  return { file_offset: at + by, meta_data };
}

function elementOf({ name, type, nullable }: Column): SchemaElement {
  const repetition_type = nullable ? 'OPTIONAL' : 'REQUIRED';
  switch (type) {
    case 'word':
    case 'text':
      return { name, repetition_type, type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } };
    case 'integer': return { name, repetition_type, type: 'INT64' };
    case 'boolean': return { name, repetition_type, type: 'BOOLEAN' };
  }
}
