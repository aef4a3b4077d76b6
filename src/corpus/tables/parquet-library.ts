// What Parquet is read with: parts of the library that it does not export by name, and decompressors.

import * as zlib from 'node:zlib';
import type { Compressors, DecodedArray, ParquetParsers, SchemaTree } from 'hyparquet';
import type { readPage } from 'hyparquet/src/column.js';
import type { Page } from './parquet-checks.ts';
import type { Unpacking } from './parquet-runs.ts';

/** What the library decodes a column's pages by. */
export type ColumnDecoder = Parameters<typeof readPage>[2];

interface Reader {
  view: DataView;
  offset: number;
}

/** A page without its dictionary; no levels: all of them are the highest, or there are none. */
interface DataPage {
  readonly definitionLevels: number[] | undefined;
  readonly repetitionLevels: number[];
  readonly dataPage: DecodedArray;
}

export interface PageLibrary extends Unpacking {
  readonly DEFAULT_PARSERS: ParquetParsers;
  parquetHeader(reader: Reader): Page;
  readPage(
    reader: Reader, header: never, decoder: ColumnDecoder, dictionary: undefined, previous: undefined, from: number,
  ): { readonly data?: DecodedArray };
  decompressPage(
    bytes: Uint8Array, length: number, codec: ColumnDecoder['codec'], compressors: Compressors | undefined,
  ): Uint8Array;
  readDataPage(bytes: Uint8Array, header: never, decoder: ColumnDecoder): DataPage;
  readDataPageV2(bytes: Uint8Array, page: never, decoder: ColumnDecoder): DataPage;
  convert(data: DecodedArray, decoder: ColumnDecoder): DecodedArray;
  convertWithDictionary(
    data: DecodedArray, dictionary: DecodedArray | undefined, encoding: never, decoder: ColumnDecoder,
  ): DecodedArray;
  decodeVariantColumn(value: unknown, parsers: ParquetParsers): unknown;
  isListLike(schema: SchemaTree): boolean;
  isMapLike(schema: SchemaTree): boolean;
  getTreePath(tree: SchemaTree, name: string[]): SchemaTree[];
  getMaxRepetitionLevel(path: SchemaTree[]): number;
  getMaxDefinitionLevel(path: SchemaTree[]): number;
}

export async function loadPageLibrary(): Promise<PageLibrary> {
  const parts = await Promise.all([
    import('hyparquet/src/column.js'),
    import('hyparquet/src/datapage.js'),
    import('hyparquet/src/convert.js'),
    import('hyparquet/src/variant.js'),
    import('hyparquet/src/schema.js'),
    import('hyparquet/src/encoding.js'),
    import('hyparquet/src/delta.js'),
  ]);
  return Object.assign({}, ...parts) as PageLibrary;
}

type Decompress = (bytes: Uint8Array, options: { maxOutputLength: number }) => Uint8Array;

/** Node's own decoders where it has them: they are faster, and check checksums. From Node 22.15 on it has zstd. */
export async function loadCompressors(): Promise<Compressors> {
  const { compressors } = await import('hyparquet-compressors');
  const { brotliDecompressSync, gunzipSync, zstdDecompressSync } = zlib as typeof zlib & {
    zstdDecompressSync?: Decompress;
  };
  const native = (decompress: Decompress) => (bytes: Uint8Array, length: number): Uint8Array =>
    decompress(bytes, { maxOutputLength: Math.max(1, length) });
  return {
    ...compressors,
    GZIP: native(gunzipSync),
    BROTLI: native(brotliDecompressSync),
    ...(zstdDecompressSync && { ZSTD: native(zstdDecompressSync) }),
  };
}
