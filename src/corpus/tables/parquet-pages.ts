// The pages of a column, as Parquet has them: which values are there, and the values, compressed.

import type { Encoding, Statistics } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import { MOST_VALUES, PackMachine } from '../../scan/pack-machine.ts';
import {
  type Booleans, type Column, type Integers, NULL_BOOLEAN, NULL_WORD, type Store, type Texts, type Words,
} from './columns.ts';

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
type TextRows = Pick<Texts, 'values' | 'ends' | 'nulls'>;

/** How the values of a column become pages. */
interface Pages {
  readonly encoding: Encoding;
  readonly rows: number;
  /** Where a page ends that begins with row `from`; at `most`, if nobody says otherwise. */
  readonly end?: (from: number, most: number) => number;
  /** Puts what is there in rows [from, to) where the machine takes it, and marks it. Answers how many that are. */
  readonly put: (from: number, to: number) => number;
  /** Adds so many values to the page. */
  readonly add: (count: number) => void;
}

export class PageWriter {
  /** Where the pages are written to. */
  readonly out = new ByteWriter(PAGE);
  readonly #pack = new PackMachine();
  // Of the column at hand.
  #nullable = false;
  #encoding: Encoding = 'PLAIN';
  #dictionaryAt = -1;
  #pagesAt = -1;
  #pageCount = 0;
  #bytes = 0;
  #nulls = 0;

  /** Writes the pages of a column; stops after each. */
  *write({ nullable }: Column, store: Store, rows: number): Generator<void, WrittenPages, void> {
    this.#nullable = nullable;
    this.#dictionaryAt = this.#pagesAt = -1;
    this.#pageCount = this.#bytes = this.#nulls = 0;
    const bounds = yield* this.#store(store, rows);
    return {
      encoding: this.#encoding,
      dictionaryAt: this.#dictionaryAt,
      pagesAt: this.#pagesAt,
      pageCount: this.#pageCount,
      bytes: this.#bytes,
      statistics: { null_count: BigInt(this.#nulls), ...bounds },
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
    const pack = this.#pack;
    const width = 32 - Math.clz32(texts.length - 1);
    yield* this.#pages({
      encoding: 'RLE_DICTIONARY',
      rows,
      put: (from, to) => {
        pack.words.set(ids.subarray(from, to));
        return this.#nullable ? pack.presentWords(to - from) : to - from;
      },
      add: (count) => {
        pack.addByte(width);
        pack.addIds(count, width);
      },
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

  *#texts({ values, ends, nulls }: TextRows, rows: number): Generator<void, Bounds, void> {
    const pack = this.#pack;
    const { words, marks } = pack;
    const bounds = new TextBounds(values);
    // Where the texts of the page begin and end.
    let begin = 0;
    let at = 0;
    yield* this.#pages({
      encoding: 'DELTA_LENGTH_BYTE_ARRAY',
      rows,
      /** With the text that reaches the bytes of a page. */
      end: (from, most) => {
        let to = from + 1;
        while (to < most && ends[to - 1]! - at <= PAGE) to++;
        return to;
      },
      put: (from, to) => {
        begin = at;
        let count = 0;
        for (let row = from; row < to; row++) {
          const end = ends[row]!;
          const present = 1 - nulls[row]!;
          if (present === 1) bounds.add(at, end);
          words[count] = end - at;
          marks[row - from] = present;
          count += present;
          at = end;
        }
        return count;
      },
      add: (count) => {
        pack.addLengths(count);
        pack.addBytes(values.subarray(begin, at));
      },
    });
    return bounds.bounds;
  }

  *#integers({ values }: Integers, rows: number): Generator<void, Bounds, void> {
    const pack = this.#pack;
    const { numbers } = pack;
    let least = Infinity;
    let greatest = -Infinity;
    yield* this.#pages({
      encoding: 'DELTA_BINARY_PACKED',
      rows,
      put: (from, to) => {
        numbers.set(values.subarray(from, to));
        return this.#nullable ? pack.presentNumbers(to - from) : to - from;
      },
      add: (count) => {
        const bounds = pack.addDifferences(count);
        if (bounds === null) return;
        least = Math.min(least, bounds[0]);
        greatest = Math.max(greatest, bounds[1]);
      },
    });
    return least > greatest ? {} : { min_value: BigInt(least), max_value: BigInt(greatest) };
  }

  *#booleans({ values }: Booleans, rows: number): Generator<void, Bounds, void> {
    const pack = this.#pack;
    const { words, marks } = pack;
    const found = [false, false];
    yield* this.#pages({
      encoding: 'RLE',
      rows,
      put: (from, to) => {
        let count = 0;
        for (let row = from; row < to; row++) {
          const value = values[row]!;
          const isPresent = value !== NULL_BOOLEAN;
          marks[row - from] = isPresent ? 1 : 0;
          if (!isPresent) continue;
          words[count++] = value;
          found[value] = true;
        }
        return count;
      },
      add: (count) => {
        pack.addIds(count, 1);
        // Their length comes first.
        const runs = pack.plain.slice();
        pack.begin();
        for (let shift = 0; shift < 32; shift += 8) pack.addByte(runs.length >> shift);
        pack.addBytes(runs);
      },
    });
    const [hasFalse, hasTrue] = found;
    return hasFalse || hasTrue ? { min_value: !hasFalse, max_value: hasTrue! } : {};
  }

  /** Writes all rows. */
  *#pages(pages: Pages): Generator<void, void, void> {
    const { encoding, rows, end } = pages;
    this.#encoding = encoding;
    this.#pagesAt = this.out.offset;
    for (let from = 0; from < rows; ) {
      const most = Math.min(rows, from + MOST_VALUES);
      const to = end?.(from, most) ?? most;
      this.#page(pages, from, to);
      from = to;
      yield;
    }
  }

  #page({ encoding, put, add }: Pages, from: number, to: number): void {
    const { out } = this;
    const pack = this.#pack;
    const count = put(from, to);
    const nulls = to - from - count;
    pack.begin();
    if (this.#nullable) pack.addMarks(to - from);
    const levels = pack.plain.slice();
    pack.begin();
    add(count);
    const length = levels.length + pack.length;
    const packed = pack.compressed();
    const start = out.offset;
    writePageHeader(out, {
      type: 'DATA_PAGE_V2',
      uncompressed_page_size: length,
      compressed_page_size: levels.length + packed.length,
      data_page_header_v2: {
        num_values: to - from,
        num_nulls: nulls,
        num_rows: to - from,
        encoding,
        definition_levels_byte_length: levels.length,
        repetition_levels_byte_length: 0,
        is_compressed: true,
      },
    });
    this.#pageCount++;
    this.#nulls += nulls;
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
  const nulls = new Uint8Array(rows);
  let at = 0;
  for (let row = 0; row < rows; row++) {
    const id = ids[row]!;
    if (id === NULL_WORD) nulls[row] = 1;
    else at += encoded[id]!.length;
    ends[row] = at;
  }
  const values = new Uint8Array(at);
  if (at > 0) {
    for (let row = 0; row < rows; row++) {
      const id = ids[row]!;
      if (id !== NULL_WORD) values.set(encoded[id]!, ends[row]! - encoded[id]!.length);
    }
  }
  return { values, ends, nulls };
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

/** The least and the greatest of texts. */
class TextBounds {
  readonly #values: Uint8Array;
  // Most texts are told apart by their first byte, which is -1 where there is none.
  #least = { from: 0, to: 0, first: Infinity };
  #greatest = { from: 0, to: 0, first: -Infinity };

  constructor(values: Uint8Array) {
    this.#values = values;
  }

  add(from: number, to: number): void {
    const values = this.#values;
    const first = to > from ? values[from]! : -1;
    const [least, greatest] = [this.#least, this.#greatest];
    if (first < least.first || (first === least.first && compare(values, from, to, least.from, least.to) < 0)) {
      this.#least = { from, to, first };
    }
    if (
      first > greatest.first
      || (first === greatest.first && compare(values, from, to, greatest.from, greatest.to) > 0)
    ) {
      this.#greatest = { from, to, first };
    }
  }

  get bounds(): Bounds {
    if (this.#least.first === Infinity) return {};
    const textOf = ({ from, to }: { from: number; to: number }): Uint8Array => this.#values.subarray(from, to);
    return boundsOf([textOf(this.#least), textOf(this.#greatest)]);
  }
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
