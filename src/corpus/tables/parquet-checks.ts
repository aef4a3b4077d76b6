// Pages of a Parquet file, looked at before the library reads them: it believes every number in them, and a wrong one
// would keep it busy for long or end the process, as no error can.

import { crc32 } from 'node:zlib';
import { checkDeltas, checkRuns, lengthOfPrefixed, readerAt, type Unpacking } from './parquet-runs.ts';

/** Bytes of a page that is decompressed, which is in memory as a whole. */
const LARGEST_PAGE = 2 ** 27;
/** Values of a page: as many take no look at what they take in the file. */
const FEW_VALUES = 2 ** 22;
const MOST_VALUES = 2 ** 26;
/** Values that a byte of a page holds at most, of runs that are one value again and again. */
const VALUES_A_BYTE = 64;

/** Whether so many values, or rows, are more than so many bytes are believed to hold. */
export const isTooMany = (values: number, bytes: number): boolean =>
  values > MOST_VALUES && values > VALUES_A_BYTE * bytes;

interface Levels {
  readonly num_values: number;
  readonly encoding: string | undefined;
}

/** The header of a page. */
export interface Page {
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

/** Bytes of a page's texts that are told by what they have in common; beyond that, so many for each of its bytes. */
const FEW_BYTES = 2 ** 26;
const BYTES_A_BYTE = 16;

/** A column of a row group: its levels, and what its pages are read with. */
export interface CheckedColumn {
  readonly repetition: number;
  readonly definition: number;
  readonly isBoolean: boolean;
  readonly library: Unpacking;
}

/** Bits of a level; 0: there is none. */
const bitsOf = (level: number): number => 32 - Math.clz32(level);

/**
 * Looks at what a page promises, and at its checksum where it has one. Answers with the number of its values. Throws an
 * Error, as all here do.
 */
export function checkPage(page: Page, bytes: Uint8Array): number {
  const { crc, compressed_page_size: size, uncompressed_page_size: decoded, dictionary_page_header: dictionary } = page;
  if (!(decoded >= 0)) throw new Error('parquet page has no such size');
  if (decoded > LARGEST_PAGE) throw new Error(`parquet page decodes to more than ${LARGEST_PAGE >> 20} MiB`);
  if (crc !== undefined && crc32(bytes) !== crc >>> 0) throw new Error('parquet checksum of a page is wrong');
  // Every value has a bit at least.
  if (dictionary !== undefined && !(dictionary.num_values >= 0 && dictionary.num_values <= decoded * 8)) {
    throw new Error('parquet dictionary has no such number of values');
  }
  const { data_page_header_v2: second, data_page_header: first } = page;
  if (first !== undefined && second !== undefined) throw new Error('parquet page has two headers');
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
  const { num_values: values } = header;
  if (values > FEW_VALUES && values > Math.min(MOST_VALUES, VALUES_A_BYTE * decoded)) {
    throw new Error('parquet page has too many values');
  }
  return values;
}

type Second = NonNullable<Page['data_page_header_v2']>;

export const lengthOfLevels = (
  { definition_levels_byte_length: one, repetition_levels_byte_length: other }: Second,
): number => one + other;

/** Those of a page of the second version, which are not compressed. */
export function checkLevels(bytes: Uint8Array, header: Second, { repetition, definition }: CheckedColumn): void {
  const { num_values: values, repetition_levels_byte_length: length } = header;
  if (repetition > 0) checkRuns(bytes, 0, bitsOf(repetition), values);
  if (definition > 0) checkRuns(bytes, length, bitsOf(definition), values);
}

/** What a page holds once it is decompressed: of the second version without its levels. */
export function checkDecoded(bytes: Uint8Array, page: Page, column: CheckedColumn): void {
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
  const texts = lengthOfPrefixed(bytes, at, count, column.library);
  if (texts > FEW_BYTES + BYTES_A_BYTE * page.uncompressed_page_size) {
    throw new Error('parquet page has too long texts');
  }
}

/** Values of a page that are no null. */
function definedIn(bytes: Uint8Array, at: number, values: number, { definition, library }: CheckedColumn): number {
  const levels = new Array<number>(values);
  library.readRleBitPackedHybrid(readerAt(bytes, at), bitsOf(definition), levels);
  return levels.reduce((sum, level) => level === definition ? sum + 1 : sum, 0);
}

/** Where there are no four bytes for it the library fails. */
function lengthAt(bytes: Uint8Array, at: number): number {
  if (at + 4 > bytes.length) throw new Error('parquet page ends in a length');
  return readerAt(bytes, at).view.getUint32(at, true);
}
