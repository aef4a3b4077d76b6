// The values of a column of a row group with their levels, one after another: of the file a page is in memory, however
// large its row groups are. The library decodes pages, which are looked at before.

import { RECORD_FURTHER } from '../../abi.ts';
import type { ColumnMetaData, Compressors, DecodedArray, SchemaTree } from 'hyparquet';
import {
  checkDecoded, type CheckedColumn, checkLevels, checkPage, isTooMany, lengthOfLevels, type Page,
} from './parquet-checks.ts';
import type { ColumnDecoder, PageLibrary } from './parquet-library.ts';
import { PARSERS } from './parquet-values.ts';

/** Bytes that are read at once; a longer page is read as a whole. */
const WINDOW = 256 * 1024;
/** Bytes of a page's header that are tried first, and at most: it may hold the least and the greatest value. */
const HEADER = 16 * 1024;
const LONGEST_HEADER = 2 ** 24;
/** Values of a row in a column: a record may have as many. */
const MOST_OF_ROW = RECORD_FURTHER;
/** A level is a byte: a page may have a million values of few bytes. */
const MOST_LEVELS = 255;
/** The repetition level behind the last value. */
const OVER = -1;

/** What a file has at [from, to). */
export type Slice = (from: number, to: number) => ArrayBuffer;

/** What the columns of a row group are decoded with. */
export interface Decoding {
  readonly library: PageLibrary;
  readonly compressors: Compressors;
  /** Bytes of pages and dictionaries that are in memory, of all columns. */
  held: number;
}

/** Bytes of pages that are in memory together. */
const MOST_HELD = 2 ** 28;

export class ColumnValues {
  readonly #slice: Slice;
  readonly #library: PageLibrary;
  readonly #decoding: Decoding;
  /** Bytes of the page at hand. */
  #held = 0;
  readonly #column: CheckedColumn;
  readonly #decoder: ColumnDecoder;
  /** Where the next page begins, and the last one ends. */
  #at: number;
  readonly #end: number;
  #window = new Uint8Array(0);
  #windowFrom = 0;
  #dictionary: DecodedArray | undefined;
  /** Values so far with the bytes of their pages, and values that are promised. */
  #values = 0;
  #pages = 0;
  readonly #promised: number;
  readonly #isNested: boolean;
  /** Of the page at hand; no levels: they are all the same. */
  #page: Page | undefined;
  #definitions = new Uint8Array(0);
  #repetitions = new Uint8Array(0);
  #decoded: DecodedArray = [];
  /** The entry at hand, how many there are, and those before it that are no null. */
  #entry = -1;
  #entries = 0;
  #defined = 0;
  /** Levels of the entry at hand. */
  definition = 0;
  repetition = 0;
  /** The row at hand, which counts from 1, and entries of it so far. */
  row = 0;
  #ofRow = 0;

  /** `path`: of the schema, from its root. What `slice` throws is thrown, and Errors as the library's. */
  constructor(slice: Slice, data: ColumnMetaData, path: SchemaTree[], decoding: Decoding) {
    const { library, compressors } = decoding;
    this.#decoding = decoding;
    this.#slice = slice;
    this.#library = library;
    this.#column = {
      repetition: library.getMaxRepetitionLevel(path),
      definition: library.getMaxDefinitionLevel(path),
      isBoolean: data.type === 'BOOLEAN',
      library,
    };
    this.#at = Number(data.dictionary_page_offset || data.data_page_offset);
    this.#end = this.#at + Number(data.total_compressed_size);
    this.#promised = Number(data.num_values);
    this.#isNested = path.length > 2;
    this.#decoder = {
      ...data, pathInSchema: data.path_in_schema, element: path.at(-1)!.element, schemaPath: path,
      parsers: { ...library.DEFAULT_PARSERS, ...PARSERS } as never, codec: CHECKED as never,
      compressors: { [CHECKED]: this.#decompressor(data.codec, compressors) } as never,
    };
    if (Math.max(this.#column.definition, this.#column.repetition) > MOST_LEVELS) {
      throw new Error('parquet schema is too deep');
    }
    this.next();
  }

  /** There is no further entry. */
  get isOver(): boolean {
    return this.repetition === OVER;
  }

  /** The value of the entry at hand; null: it is none, or a list or a group around it. */
  get value(): unknown {
    return this.definition === this.#column.definition ? this.#decoded[this.#defined] : null;
  }

  /** Goes to the next entry. */
  next(): void {
    if (this.#entry >= 0 && this.definition === this.#column.definition) this.#defined++;
    this.#entry++;
    while (this.#entry >= this.#entries) {
      if (!this.#hasPage) {
        if (this.#values !== this.#promised) throw new Error(OTHER_NUMBER);
        this.repetition = OVER;
        return;
      }
      this.#readPage();
    }
    this.definition = this.#definitions.length === 0 ? this.#column.definition : this.#definitions[this.#entry]!;
    this.repetition = this.#repetitions.length === 0 ? 0 : this.#repetitions[this.#entry]!;
    if (this.repetition === 0) {
      this.row++;
      this.#ofRow = 0;
    }
    if (++this.#ofRow > MOST_OF_ROW) throw new Error(`parquet row has more than ${MOST_OF_ROW} values`);
  }

  /** Of nested columns the library reads what lies behind the last value, too. */
  get #hasPage(): boolean {
    return this.#values < this.#promised ? this.#at < this.#end : this.#isNested && this.#at < this.#end - 1;
  }

  #readPage(): void {
    const page = this.#header();
    const size = page.compressed_page_size;
    if (!(size >= 0 && this.#at + size <= this.#end)) throw new Error('parquet page has no such size');
    const bytes = this.#bytes(this.#at, this.#at + size);
    this.#at += size;
    this.#values += checkPage(page, bytes);
    this.#pages += page.uncompressed_page_size;
    if (this.#values > this.#promised) throw new Error(OTHER_NUMBER);
    if (isTooMany(this.#values, this.#pages)) throw new Error('parquet row group has too many values');
    this.#hold(page);
    this.#page = page;
    this.#entry = this.#entries = this.#defined = 0;
    this.#decode(page, bytes);
  }

  /** A page takes the place of the one before; a dictionary stays. */
  #hold({ type, uncompressed_page_size: size }: Page): void {
    this.#decoding.held += size - this.#held;
    this.#held = type === 'DICTIONARY_PAGE' ? 0 : size;
    if (this.#decoding.held > MOST_HELD) {
      throw new Error(`parquet pages are needed together that are longer than ${MOST_HELD >> 20} MiB`);
    }
  }

  #decode(page: Page, bytes: Uint8Array): void {
    const library = this.#library;
    const { data_page_header: first, data_page_header_v2: second } = page;
    if (page.type === 'DICTIONARY_PAGE') {
      const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset: 0 };
      const { data } = library.readPage(reader, page as never, this.#decoder, undefined, undefined, 0);
      if (data !== undefined) this.#dictionary = library.convert(data, this.#decoder);
      return;
    }
    if (page.type === 'DATA_PAGE' && first !== undefined) {
      const size = page.uncompressed_page_size;
      const decoded = library.decompressPage(bytes, size, CHECKED as never, this.#decoder.compressors);
      this.#give(library.readDataPage(decoded, first as never, this.#decoder), first);
    } else if (page.type === 'DATA_PAGE_V2' && second !== undefined) {
      checkLevels(bytes, second, this.#column);
      if (second.is_compressed === false) checkDecoded(bytes.subarray(lengthOfLevels(second)), page, this.#column);
      this.#give(library.readDataPageV2(bytes, page as never, this.#decoder), second);
    } else throw new Error(`parquet unsupported page type: ${page.type}`);
  }

  #give(
    { definitionLevels, repetitionLevels, dataPage }: ReturnType<PageLibrary['readDataPage']>,
    { num_values: entries, encoding }: { readonly num_values: number; readonly encoding: string | undefined },
  ): void {
    this.#definitions = bytesOf(definitionLevels ?? []);
    this.#repetitions = bytesOf(repetitionLevels);
    this.#decoded = this.#library.convertWithDictionary(dataPage, this.#dictionary, encoding as never, this.#decoder);
    this.#entries = entries;
  }

  /** Reads the header of the next page, and goes behind it. */
  #header(): Page {
    for (let size = HEADER; ; size *= 8) {
      const to = Math.min(this.#end, this.#at + size);
      const bytes = this.#bytes(this.#at, to);
      const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset: 0 };
      try {
        const page = this.#library.parquetHeader(reader);
        this.#at += reader.offset;
        return page;
      } catch (error) {
        // The header may go on.
        if (to === this.#end || size > LONGEST_HEADER) throw error;
      }
    }
  }

  /** Bytes [from, to) of the file. */
  #bytes(from: number, to: number): Uint8Array {
    const isThere = from >= this.#windowFrom && to <= this.#windowFrom + this.#window.length;
    if (!isThere) {
      this.#window = new Uint8Array(this.#slice(from, Math.max(to, Math.min(from + WINDOW, this.#end))));
      this.#windowFrom = from;
    }
    return this.#window.subarray(from - this.#windowFrom, to - this.#windowFrom);
  }

  #decompressor(codec: ColumnMetaData['codec'], compressors: Compressors): Compressors[ColumnMetaData['codec']] {
    const decompress = codec === 'UNCOMPRESSED' ? (bytes: Uint8Array) => bytes : compressors[codec];
    if (decompress === undefined) throw new Error(`parquet unsupported compression codec: ${codec}`);
    return (bytes, length) => {
      const decoded = decompress(bytes, length);
      if (decoded.length === length) checkDecoded(decoded, this.#page!, this.#column);
      return decoded;
    };
  }
}

/** Faster than the constructor, of an array that was made with holes. */
function bytesOf(levels: readonly number[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(levels.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = levels[i]!;
  return bytes;
}

/** Stands for a codec whose pages are looked at when they are decompressed. */
const CHECKED = 'checked';
const OTHER_NUMBER = 'parquet pages have another number of values than promised';
