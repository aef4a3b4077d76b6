// Pages of a Parquet file, looked at before the library reads them: it believes every number in them, and a wrong one
// would keep it busy for long or end the process, as no error can.

import { crc32 } from 'node:zlib';
import type { AsyncBuffer, ColumnMetaData, CompressionCodec, Compressors, RowGroup, SchemaTree } from 'hyparquet';
import { checkDeltas, checkRuns, lengthOfPrefixed, readerAt, type Unpacking } from './parquet-runs.ts';

/** Values of a column in a row group: as many take no look at what they take in the file. */
const FEW_VALUES = 2 ** 22;
const MOST_VALUES = 2 ** 26;
/** Values that a byte of pages holds at most, of runs that are one value again and again. */
const VALUES_A_BYTE = 64;

interface Levels {
  readonly num_values: number;
  readonly encoding: string | undefined;
}

interface Page {
  type: string | undefined;
  crc?: number | undefined;
  compressed_page_size: number;
  uncompressed_page_size: number;
  data_page_header?: Levels | undefined;
  data_page_header_v2?: Levels & {
    num_nulls: number;
    num_rows: number;
    definition_levels_byte_length: number;
    repetition_levels_byte_length: number;
    is_compressed?: boolean;
  } | undefined;
  dictionary_page_header?: { num_values: number } | undefined;
}

/** Bytes of texts that are told by what they have in common; beyond that, so many for each byte of pages. */
const FEW_BYTES = 2 ** 28;
const BYTES_A_BYTE = 16;

/** What the library reads pages and schemas with. */
export interface PageReading extends Unpacking {
  parquetHeader(reader: { view: DataView; offset: number }): Page;
  getSchemaPath(schema: never, path: string[]): SchemaTree[];
  getMaxRepetitionLevel(path: SchemaTree[]): number;
  getMaxDefinitionLevel(path: SchemaTree[]): number;
}

/** A column of a row group: its levels, and what its pages are read with. */
interface Column {
  readonly repetition: number;
  readonly definition: number;
  readonly isBoolean: boolean;
  readonly isNested: boolean;
  readonly library: PageReading;
  /** Bytes of the pages, and of texts that are told by what they have in common. */
  readonly sums: { pages: number; texts: number };
}

/** Bits of a level; 0: there is none. */
const bitsOf = (level: number): number => 32 - Math.clz32(level);

/**
 * Compares what the pages of a row group promise with what the file promises, and their checksums where there are some.
 * Answers what decompresses the pages, each of which is looked at then: the columns get codecs of their own. Throws an
 * Error, as what it answers does.
 */
export async function checkPages(
  file: AsyncBuffer, { columns }: RowGroup, wanted: readonly string[], schema: unknown, compressors: Compressors,
  library: PageReading,
): Promise<Compressors> {
  const checked: Record<string, Compressors[CompressionCodec]> = {};
  for (const [number, { meta_data: data }] of columns.entries()) {
    if (data === undefined || !wanted.includes(data.path_in_schema[0]!)) continue;
    const path = library.getSchemaPath(schema as never, data.path_in_schema);
    const column: Column = {
      repetition: library.getMaxRepetitionLevel(path), definition: library.getMaxDefinitionLevel(path),
      isBoolean: data.type === 'BOOLEAN', isNested: path.length > 2, library, sums: { pages: 0, texts: 0 },
    };
    const waiting = await pagesOf(file, data, column);
    const { codec } = data;
    const decompress = codec === 'UNCOMPRESSED' ? (bytes: Uint8Array) => bytes : compressors[codec];
    if (decompress === undefined) throw new Error(`parquet unsupported compression codec: ${codec}`);
    let next = 0;
    const name = `checked ${number}`;
    checked[name] = (bytes, length) => {
      const page = waiting[next++];
      if (page === undefined) throw new Error('parquet pages are more than promised');
      const decoded = decompress(bytes, length);
      if (decoded.length === length) checkDecoded(decoded, page, column);
      return decoded;
    };
    data.codec = name as CompressionCodec;
  }
  return checked;
}

/** The pages of a column that the library will ask to decompress, in order. */
async function pagesOf(
  file: AsyncBuffer, data: ColumnMetaData, column: Column,
): Promise<Page[]> {
  const { library, sums } = column;
  const from = Number(data.dictionary_page_offset || data.data_page_offset);
  const size = Number(data.total_compressed_size);
  const most = Number(data.num_values);
  const reader = { view: new DataView(await file.slice(from, from + size)), offset: 0 };
  const waiting: Page[] = [];
  let values = 0;
  // Of nested columns the library reads what lies behind the last value, too.
  while (values < most ? reader.offset < size : column.isNested && reader.offset < size - 1) {
    const page = library.parquetHeader(reader);
    values += checkPage(page, reader);
    sums.pages += page.uncompressed_page_size;
    const { data_page_header_v2: second } = page;
    const bytes = new Uint8Array(reader.view.buffer, reader.offset, page.compressed_page_size);
    if (second !== undefined) checkLevels(bytes, second, column);
    if (second?.is_compressed !== false) waiting.push(page);
    else checkDecoded(bytes.subarray(lengthOfLevels(second)), page, column);
    reader.offset += page.compressed_page_size;
  }
  if (values !== most) throw new Error('parquet pages have another number of values than promised');
  if (most > FEW_VALUES && most > Math.min(MOST_VALUES, VALUES_A_BYTE * sums.pages)) {
    throw new Error('parquet row group has too many values');
  }
  return waiting;
}

/** Answers with the number of values that the page has. */
function checkPage(page: Page, { view, offset }: { view: DataView; offset: number }): number {
  const { crc, compressed_page_size: size, uncompressed_page_size: decoded, dictionary_page_header: dictionary } = page;
  if (!(size >= 0 && offset + size <= view.byteLength && decoded >= 0)) {
    throw new Error('parquet page has no such size');
  }
  if (crc !== undefined && crc32(new Uint8Array(view.buffer, offset, size)) !== crc >>> 0) {
    throw new Error('parquet checksum of a page is wrong');
  }
  // Every value has a bit at least.
  if (dictionary !== undefined && !(dictionary.num_values >= 0 && dictionary.num_values <= decoded * 8)) {
    throw new Error('parquet dictionary has no such number of values');
  }
  const { data_page_header_v2: second, data_page_header: first } = page;
  const header = first ?? second;
  if (header === undefined) return 0;
  const numbers = [header.num_values];
  if (second !== undefined) {
    const levels = lengthOfLevels(second);
    numbers.push(second.num_nulls, second.num_rows, second.definition_levels_byte_length);
    numbers.push(second.repetition_levels_byte_length, size - levels);
    numbers.push(header.num_values - second.num_nulls, header.num_values - second.num_rows, decoded - levels);
  }
  if (header.encoding === undefined || !numbers.every((number) => number >= 0)) {
    throw new Error('parquet page has no such numbers of values');
  }
  return header.num_values;
}

type Second = NonNullable<Page['data_page_header_v2']>;

const lengthOfLevels = ({ definition_levels_byte_length: one, repetition_levels_byte_length: other }: Second): number =>
  one + other;

/** Those of a page of the second version, which are not compressed. */
function checkLevels(bytes: Uint8Array, header: Second, { repetition, definition }: Column): void {
  const { num_values: values, repetition_levels_byte_length: length } = header;
  if (repetition > 0) checkRuns(bytes, 0, bitsOf(repetition), values);
  if (definition > 0) checkRuns(bytes, length, bitsOf(definition), values);
}

/** What a page holds once it is decompressed: of the second version without its levels. */
function checkDecoded(bytes: Uint8Array, page: Page, column: Column): void {
  const { data_page_header: first, data_page_header_v2: second } = page;
  const header = first ?? second;
  if (header === undefined) return;
  const { num_values: values, encoding } = header;
  const { repetition, definition, isBoolean } = column;
  let at = 0;
  let definitionsAt = 0;
  if (first !== undefined) {
    for (const level of [repetition, definition]) {
      if (level === 0) continue;
      definitionsAt = at;
      const length = lengthAt(bytes, at);
      checkRuns(bytes, at + 4, bitsOf(level), values);
      at += 4 + length;
    }
  }
  const isDictionary = encoding === 'PLAIN_DICTIONARY' || encoding === 'RLE_DICTIONARY';
  // A boolean has a bit, before which the length of them all stands.
  if ((isBoolean && isDictionary) || encoding === 'RLE') checkRuns(bytes, at + 4, 1, values);
  else if (isDictionary && at < bytes.length) checkRuns(bytes, at + 1, bytes[at]!, values);
  else if (encoding === 'DELTA_BINARY_PACKED' || encoding === 'DELTA_LENGTH_BYTE_ARRAY') checkDeltas(bytes, at);
  if (encoding !== 'DELTA_BYTE_ARRAY') return;
  const count = second !== undefined ? values - second.num_nulls
    : definition === 0 ? values : definedIn(bytes, definitionsAt, values, column);
  const { sums, library } = column;
  sums.texts += lengthOfPrefixed(bytes, at, count, library);
  if (sums.texts > FEW_BYTES + BYTES_A_BYTE * sums.pages) throw new Error('parquet row group has too long texts');
}

/** Values of a page that are no null. */
function definedIn(bytes: Uint8Array, at: number, values: number, { definition, library }: Column): number {
  const levels = new Array<number>(values);
  library.readRleBitPackedHybrid(readerAt(bytes, at), bitsOf(definition), levels);
  return levels.reduce((sum, level) => level === definition ? sum + 1 : sum, 0);
}

/** Where there are no four bytes for it the library fails. */
function lengthAt(bytes: Uint8Array, at: number): number {
  if (at + 4 > bytes.length) throw new Error('parquet page ends in a length');
  return readerAt(bytes, at).view.getUint32(at, true);
}
