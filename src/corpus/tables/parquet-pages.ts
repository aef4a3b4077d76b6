// The pages of a column, as Parquet has them: which values are there, and the values, compressed.

import type { Encoding, Statistics } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import { MOST_VALUES, PackMachine } from '../../scan/pack-machine.ts';
import { type Booleans, type Column, countNulls, type Integers, nullsOf, type Store, type Words } from './columns.ts';

/** Bytes of texts in a page. */
const PAGE = 1024 * 1024;
/** A dictionary has at least so many rows for each of its texts, or saves half of their bytes. */
const ROWS_A_TEXT = 8;
/** The file tells no more than 16 bytes of the least and of the greatest text. */
const BOUND = 24;
const ENCODER = new TextEncoder();

/** What the file has to know of the pages of a column. Places are those of the writer's `out`. */
export interface WrittenPages {
  readonly encoding: Encoding;
  /** -1: there is none. */
  readonly dictionaryAt: number;
  readonly pagesAt: number;
  readonly pageCount: number;
  /** Before they were compressed. */
  readonly bytes: number;
  readonly statistics: Statistics;
}

/** Texts one after the other, as in a column of texts. */
interface TextRows {
  readonly values: Uint8Array;
  readonly ends: Int32Array;
}

export class PageWriter {
  /** Where the pages are written to. */
  readonly out = new ByteWriter(PAGE);
  readonly #pack = new PackMachine();
  // Of the column at hand.
  /** null: every row has a value. */
  #nulls: Uint8Array | null = null;
  #encoding: Encoding = 'PLAIN';
  #dictionaryAt = -1;
  #pagesAt = -1;
  #pageCount = 0;
  #bytes = 0;

  /** Writes the pages of a column; stops after each. */
  *write({ nullable }: Column, store: Store, rows: number): Generator<void, WrittenPages, void> {
    this.#nulls = nullable ? nullsOf(store, rows) : null;
    this.#dictionaryAt = this.#pagesAt = -1;
    this.#pageCount = this.#bytes = 0;
    const bounds = yield* this.#store(store, rows);
    return {
      encoding: this.#encoding,
      dictionaryAt: this.#dictionaryAt,
      pagesAt: this.#pagesAt,
      pageCount: this.#pageCount,
      bytes: this.#bytes,
      statistics: { null_count: BigInt(this.#nulls === null ? 0 : countNulls(this.#nulls)), ...bounds },
    };
  }

  #store(store: Store, rows: number): Generator<void, Bounds, void> {
    switch (store.kind) {
      case 'words': return this.#words(store, rows);
      case 'texts': return this.#texts(store, rows);
      case 'integers': return this.#integers(store, rows);
      case 'booleans': return this.#booleans(store, rows);
    }
  }

  *#words(store: Words, rows: number): Generator<void, Bounds, void> {
    const { ids, texts } = store;
    const encoded = texts.map((text) => ENCODER.encode(text));
    if (!hasDictionary(store, rows)) return yield* this.#texts(spread(ids, encoded, rows), rows);
    this.#dictionary(encoded);
    const width = 32 - Math.clz32(texts.length - 1);
    yield* this.#pages('RLE_DICTIONARY', rows, (from, to) => {
      const { words } = this.#pack;
      let count = 0;
      for (let row = from; row < to; row++) if (ids[row]! >= 0) words[count++] = ids[row]!;
      this.#pack.addByte(width);
      this.#pack.addIds(count, width);
    });
    return boundsOf(encoded);
  }

  #dictionary(texts: readonly Uint8Array[]): void {
    const values = new ByteWriter();
    for (const text of texts) {
      values.appendUint32(text.length);
      values.appendBytes(text);
    }
    this.#pack.begin();
    this.#pack.addBytes(values.getBytes());
    const packed = this.#pack.compressed();
    const { out } = this;
    this.#dictionaryAt = out.offset;
    writePageHeader(out, {
      type: 'DICTIONARY_PAGE',
      uncompressed_page_size: values.offset,
      compressed_page_size: packed.length,
      dictionary_page_header: { num_values: texts.length, encoding: 'PLAIN' },
    });
    this.#bytes += out.offset - this.#dictionaryAt + values.offset;
    out.appendBytes(packed);
  }

  *#texts({ values, ends }: TextRows, rows: number): Generator<void, Bounds, void> {
    const nulls = this.#nulls;
    /** Where the texts of the next page begin. */
    let begin = 0;
    /** A page ends with the text that reaches its bytes. */
    const pageEnd = (from: number, most: number): number => {
      let to = from + 1;
      while (to < most && ends[to - 1]! - begin <= PAGE) to++;
      return to;
    };
    yield* this.#pages('DELTA_LENGTH_BYTE_ARRAY', rows, (from, to) => {
      const { words } = this.#pack;
      let count = 0;
      let at = begin;
      for (let row = from; row < to; row++) {
        const end = ends[row]!;
        if (nulls === null || nulls[row] === 0) words[count++] = end - at;
        at = end;
      }
      this.#pack.addLengths(count);
      this.#pack.addBytes(values.subarray(begin, at));
      begin = at;
    }, pageEnd);
    return textBounds(values, ends, nulls, rows);
  }

  *#integers({ values }: Integers, rows: number): Generator<void, Bounds, void> {
    let least = Infinity;
    let greatest = -Infinity;
    yield* this.#pages('DELTA_BINARY_PACKED', rows, (from, to) => {
      const { numbers } = this.#pack;
      let count = 0;
      for (let row = from; row < to; row++) {
        const value = values[row]!;
        // Null is NaN.
        if (value !== value) continue;
        numbers[count++] = value;
        if (value < least) least = value;
        if (value > greatest) greatest = value;
      }
      this.#pack.addDifferences(count);
    });
    return least > greatest ? {} : { min_value: BigInt(least), max_value: BigInt(greatest) };
  }

  *#booleans({ values }: Booleans, rows: number): Generator<void, Bounds, void> {
    const found = [false, false];
    yield* this.#pages('RLE', rows, (from, to) => {
      const { marks } = this.#pack;
      let count = 0;
      for (let row = from; row < to; row++) {
        const value = values[row]!;
        if (value > 1) continue;
        marks[count++] = value;
        found[value] = true;
      }
      this.#pack.addMarks(count);
      // Their length comes first.
      const runs = this.#pack.plain.slice();
      this.#pack.begin();
      for (let shift = 0; shift < 32; shift += 8) this.#pack.addByte(runs.length >> shift);
      this.#pack.addBytes(runs);
    });
    const [hasFalse, hasTrue] = found;
    return hasFalse || hasTrue ? { min_value: !hasFalse, max_value: hasTrue! } : {};
  }

  /**
   * Writes all rows as pages. `add`: adds the values of rows to the page; `endOf`: where a page ends, at most at row
   * `most`.
   */
  *#pages(
    encoding: Encoding,
    rows: number,
    add: (from: number, to: number) => void,
    endOf = (_from: number, most: number): number => most,
  ): Generator<void, void, void> {
    this.#encoding = encoding;
    this.#pagesAt = this.out.offset;
    for (let from = 0; from < rows; ) {
      const to = endOf(from, Math.min(rows, from + MOST_VALUES));
      this.#page(from, to, add);
      from = to;
      yield;
    }
  }

  #page(from: number, to: number, add: (from: number, to: number) => void): void {
    const { out } = this;
    const pack = this.#pack;
    const nulls = this.#nulls?.subarray(from, to);
    pack.begin();
    if (nulls !== undefined) {
      for (let i = 0; i < nulls.length; i++) pack.marks[i] = 1 - nulls[i]!;
      pack.addMarks(nulls.length);
    }
    const levels = pack.plain.slice();
    pack.begin();
    add(from, to);
    const length = levels.length + pack.length;
    const packed = pack.compressed();
    const start = out.offset;
    writePageHeader(out, {
      type: 'DATA_PAGE_V2',
      uncompressed_page_size: length,
      compressed_page_size: levels.length + packed.length,
      data_page_header_v2: {
        num_values: to - from,
        num_nulls: nulls === undefined ? 0 : countNulls(nulls),
        num_rows: to - from,
        encoding: this.#encoding,
        definition_levels_byte_length: levels.length,
        repetition_levels_byte_length: 0,
        is_compressed: true,
      },
    });
    this.#pageCount++;
    this.#bytes += out.offset - start + length;
    out.appendBytes(levels);
    out.appendBytes(packed);
  }
}

type Bounds = Pick<Statistics, 'min_value' | 'max_value'>;

function hasDictionary({ ids, texts, lengths, bytes }: Words, rows: number): boolean {
  if (texts.length === 0) return false;
  if (texts.length === 1 || ROWS_A_TEXT * texts.length <= rows) return true;
  let total = 0;
  for (let row = 0; row < rows; row++) if (ids[row]! >= 0) total += lengths[ids[row]!]!;
  return 2 * bytes <= total;
}

/** Words of which hardly any comes twice, one after the other. */
function spread(ids: Int32Array, encoded: readonly Uint8Array[], rows: number): TextRows {
  const ends = new Int32Array(rows);
  let at = 0;
  for (let row = 0; row < rows; row++) ends[row] = at += encoded[ids[row]!]?.length ?? 0;
  const values = new Uint8Array(at);
  for (let row = 0; row < rows; row++) {
    const word = encoded[ids[row]!];
    if (word !== undefined) values.set(word, ends[row]! - word.length);
  }
  return { values, ends };
}

function boundsOf(texts: readonly Uint8Array[]): Bounds {
  if (texts.length === 0) return {};
  let [least, greatest] = [texts[0]!, texts[0]!];
  for (const text of texts) {
    if (Buffer.compare(text, least) < 0) least = text;
    if (Buffer.compare(text, greatest) > 0) greatest = text;
  }
  return { min_value: least.slice(0, BOUND), max_value: greatest.slice(0, BOUND) };
}

function textBounds(values: Uint8Array, ends: Int32Array, nulls: Uint8Array | null, rows: number): Bounds {
  let [leastFrom, leastTo, greatestFrom, greatestTo] = [-1, -1, -1, -1];
  let [low, high] = [-1, -1];
  for (let row = 0, from = 0; row < rows; row++) {
    const to = ends[row]!;
    if (nulls === null || nulls[row] === 0) {
      // Most texts are told apart by their first byte.
      const first = to > from ? values[from]! : -1;
      if (leastFrom < 0) {
        leastFrom = greatestFrom = from;
        leastTo = greatestTo = to;
        low = high = first;
      } else if (first <= low && compare(values, from, to, leastFrom, leastTo) < 0) {
        leastFrom = from;
        leastTo = to;
        low = first;
      } else if (first >= high && compare(values, from, to, greatestFrom, greatestTo) > 0) {
        greatestFrom = from;
        greatestTo = to;
        high = first;
      }
    }
    from = to;
  }
  if (leastFrom < 0) return {};
  return boundsOf([values.subarray(leastFrom, leastTo), values.subarray(greatestFrom, greatestTo)]);
}

/** In the order of bytes, as far as it matters. */
function compare(values: Uint8Array, from: number, to: number, otherFrom: number, otherTo: number): number {
  const length = Math.min(to - from, otherTo - otherFrom, BOUND);
  for (let i = 0; i < length; i++) {
    const difference = values[from + i]! - values[otherFrom + i]!;
    if (difference !== 0) return difference;
  }
  return to - from - (otherTo - otherFrom);
}
