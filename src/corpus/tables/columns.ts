// Rows of a table, column by column, as numbers and bytes: what is filled where messages are read, and encoded for a
// file.
//
// A row's cells are set first, in any order; `next` makes them a row. What was set of a row that does not come to its
// end is set again.

import { isUtf8 } from 'node:buffer';
import { decodeUtf8 } from '../../utf8.ts';

/**
 * A column of a table. Text is UTF-8, integers have 64 bits. Of words, which are texts too, there are few different
 * ones.
 */
export interface Column {
  readonly name: string;
  readonly type: 'word' | 'text' | 'integer' | 'boolean';
  readonly nullable: boolean;
}

/**
 * Where a group of rows ends: with the row that reaches this number of rows, or of bytes of texts, words among them.
 */
export interface Bounds {
  readonly rows: number;
  readonly bytes: number;
}

/** Rows that there is room for at first. */
const ROWS = 1024;
const TEXT_BYTES = 64 * 1024;
/** Bytes of text, and rows, for which memory is kept when they are gone. */
const KEPT_BYTES = 32 * 1024 * 1024;
const KEPT_ROWS = 256 * 1024;
const ENCODER = new TextEncoder();

/** No value. */
export const NULL_WORD = -1;

/** Texts of which each is kept once, and its number for every row. */
export class Words {
  readonly kind = 'words';
  ids = new Int32Array(ROWS);
  texts: string[] = [];
  /** Bytes of each, and of all of them. */
  lengths: number[] = [];
  bytes = 0;
  readonly #known = new Map<string, number>();

  /** The number of a text. */
  idOf(text: string | null): number {
    if (text === null) return NULL_WORD;
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const id = this.texts.length;
    const length = Buffer.byteLength(text, 'utf8');
    this.texts.push(text);
    this.lengths.push(length);
    this.bytes += length;
    this.#known.set(text, id);
    return id;
  }

  /** Bytes of a row's text. */
  lengthOf(id: number): number {
    return id < 0 ? 0 : this.lengths[id]!;
  }

  reserve(rows: number): void {
    this.ids = grown(this.ids, rows);
  }

  clear(): void {
    this.texts = [];
    this.lengths = [];
    this.bytes = 0;
    this.#known.clear();
    if (this.ids.length > KEPT_ROWS) this.ids = new Int32Array(ROWS);
  }

  append({ ids, texts }: WordsData, rows: number, from: number): void {
    // Numbered as they come, whatever the numbers were.
    const own = new Int32Array(texts.length).fill(-1);
    for (let row = 0; row < rows; row++) {
      const id = ids[row]!;
      let now = id;
      if (id >= 0 && (now = own[id]!) < 0) now = own[id] = this.idOf(texts[id]!);
      this.ids[from + row] = now;
    }
  }

  data(rows: number): WordsData {
    return { ids: this.ids.slice(0, rows), texts: this.texts };
  }
}

interface WordsData {
  readonly ids: Int32Array;
  readonly texts: readonly string[];
}

/** Texts one after the other. */
export class Texts {
  readonly kind = 'texts';
  /** The bytes of all texts; row `r` ends at `ends[r]` and begins where the one before ends. */
  values = new Uint8Array(TEXT_BYTES);
  ends = new Int32Array(ROWS);
  /** 1: the row has no text. */
  nulls = new Uint8Array(ROWS);
  #at = 0;
  #from = 0;
  #isNull = 0;
  #mayBeBad = false;

  /** Bytes of the texts. */
  get bytes(): number {
    return this.#from;
  }

  /** Bytes of the row's text so far. */
  get length(): number {
    return this.#at - this.#from;
  }

  /** Begins the text of the row. */
  begin(): void {
    this.#at = this.#from;
    this.#isNull = 0;
  }

  /** The row has no text. */
  setNull(): void {
    this.#at = this.#from;
    this.#isNull = 1;
  }

  /**
   * Adds bytes to the text of the row. They need be no UTF-8: each call's bytes become a text by themselves, bad ones
   * U+FFFD.
   */
  add(bytes: Uint8Array): void {
    // A continuation byte could make a character of the bytes before, which are another text.
    if (bytes.length > 0 && (bytes[0]! & 0xc0) === 0x80) {
      this.addText(decodeUtf8(bytes));
      return;
    }
    this.#mayBeBad = true;
    this.#reserveBytes(bytes.length);
    this.values.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** A few bytes, which are UTF-8. */
  addShort(bytes: Uint8Array, from: number, to: number): void {
    this.#reserveBytes(to - from);
    const { values } = this;
    let at = this.#at;
    for (let i = from; i < to; i++) values[at++] = bytes[i]!;
    this.#at = at;
  }

  /**
   * Bytes of the texts of rows that follow, one after the other, which are UTF-8; each row `take`s its own, or they
   * are left.
   */
  fill(bytes: Uint8Array): void {
    this.#at = this.#from;
    this.#reserveBytes(bytes.length);
    this.values.set(bytes, this.#from);
  }

  take(length: number): void {
    this.#at = this.#from + length;
    this.#isNull = 0;
  }

  addText(text: string): void {
    this.#reserveBytes(3 * text.length);
    this.#at += ENCODER.encodeInto(text, this.values.subarray(this.#at)).written;
  }

  reserve(rows: number): void {
    this.ends = grown(this.ends, rows);
    this.nulls = grown(this.nulls, rows);
  }

  next(row: number): void {
    this.ends[row] = this.#from = this.#at;
    this.nulls[row] = this.#isNull;
  }

  clear(): void {
    this.#at = this.#from = 0;
    this.#mayBeBad = false;
    if (this.values.length > KEPT_BYTES) this.values = new Uint8Array(TEXT_BYTES);
    if (this.ends.length > KEPT_ROWS) {
      this.ends = new Int32Array(ROWS);
      this.nulls = new Uint8Array(ROWS);
    }
  }

  /** Makes bad bytes U+FFFD. Nearly always there are none. */
  mend(rows: number): void {
    if (!this.#mayBeBad || isUtf8(this.values.subarray(0, this.#from))) return;
    this.#mayBeBad = false;
    const { values, ends } = this;
    this.values = new Uint8Array(values.length);
    this.#at = 0;
    for (let row = 0, from = 0; row < rows; row++) {
      const to = ends[row]!;
      const bytes = values.subarray(from, to);
      if (isUtf8(bytes)) this.add(bytes);
      else this.addText(decodeUtf8(bytes));
      ends[row] = this.#at;
      from = to;
    }
    this.#from = this.#at;
  }

  append({ values, ends, nulls }: TextsData, rows: number, from: number): void {
    const before = this.#from;
    this.#at = before;
    this.#reserveBytes(values.length);
    this.values.set(values, before);
    for (let row = 0; row < rows; row++) this.ends[from + row] = before + ends[row]!;
    this.nulls.set(nulls, from);
    this.#at = this.#from = before + values.length;
  }

  data(rows: number): TextsData {
    const { ends, nulls, values } = this;
    return { values: values.slice(0, this.#from), ends: ends.slice(0, rows), nulls: nulls.slice(0, rows) };
  }

  #reserveBytes(count: number): void {
    if (this.#at + count > this.values.length) this.values = grown(this.values, this.#at + count);
  }
}

interface TextsData {
  readonly values: Uint8Array;
  readonly ends: Int32Array;
  readonly nulls: Uint8Array;
}

/** Integers, where null is NaN; or booleans, which are 0, 1, or NULL_BOOLEAN. */
class Values<Kind extends string, A extends Float64Array | Uint8Array> {
  readonly kind: Kind;
  values: A;
  readonly #none: A;

  /** `none`: an array without numbers. */
  constructor(kind: Kind, none: A) {
    this.kind = kind;
    this.#none = none;
    this.values = grown(none, ROWS);
  }

  reserve(rows: number): void {
    this.values = grown(this.values, rows);
  }

  clear(): void {
    if (this.values.length > KEPT_ROWS) this.values = grown(this.#none, ROWS);
  }

  append({ values }: { readonly values: A }, _rows: number, from: number): void {
    this.values.set(values, from);
  }

  data(rows: number): { readonly values: A } {
    return { values: this.values.slice(0, rows) as A };
  }
}

export const NULL_BOOLEAN = 2;
export type Integers = Values<'integers', Float64Array>;
export type Booleans = Values<'booleans', Uint8Array>;
export type Store = Words | Texts | Integers | Booleans;
interface StoreOf {
  readonly word: Words;
  readonly text: Texts;
  readonly integer: Integers;
  readonly boolean: Booleans;
}
/** What holds the cells, by the names of the columns. */
export type CellsOf<Schema extends readonly Column[]> = {
  readonly [C in Schema[number] as C['name']]: StoreOf[C['type']];
};

/** The rows as plain data, to be handed to another thread. */
export interface ColumnsData {
  readonly rows: number;
  readonly wordBytes: number;
  readonly stores: readonly unknown[];
}

/** The rows of a table that are there. */
export class Columns<Schema extends readonly Column[] = readonly Column[]> {
  readonly schema: Schema;
  /** What holds the cells, in the order of the columns and by their names. */
  readonly stores: readonly Store[];
  readonly cells: CellsOf<Schema>;
  readonly #texts: readonly Texts[];
  /** Rows that there is room for: while it stays, so do the arrays of the cells. */
  room = ROWS;
  #wordBytes = 0;
  rows = 0;

  constructor(schema: Schema) {
    this.schema = schema;
    this.stores = schema.map(({ type }): Store => {
      switch (type) {
        case 'word': return new Words();
        case 'text': return new Texts();
        case 'integer': return new Values('integers', new Float64Array(0));
        case 'boolean': return new Values('booleans', new Uint8Array(0));
      }
    });
    this.#texts = this.stores.filter((store) => store.kind === 'texts');
    this.cells = Object.fromEntries(schema.map(({ name }, i) => [name, this.stores[i]!])) as CellsOf<Schema>;
  }

  /** Bytes of all texts, words as often as they stand in a row. */
  get bytes(): number {
    let bytes = this.#wordBytes;
    for (const texts of this.#texts) bytes += texts.bytes;
    return bytes;
  }

  isFull({ rows, bytes }: Bounds): boolean {
    return this.rows >= rows || this.bytes >= bytes;
  }

  /** The cells that were set are a row, whose words have so many bytes. */
  next(wordBytes: number): void {
    this.#wordBytes += wordBytes;
    for (const texts of this.#texts) texts.next(this.rows);
    this.rows++;
    if (this.rows === this.room) this.#reserve(this.rows + 1);
  }

  clear(): void {
    for (const store of this.stores) store.clear();
    this.rows = this.#wordBytes = 0;
    if (this.room > KEPT_ROWS) this.room = ROWS;
  }

  /** Makes texts UTF-8: to be done before they are encoded or handed on. */
  mend(): void {
    for (const texts of this.#texts) texts.mend(this.rows);
  }

  /** A copy of the rows. */
  data(): ColumnsData {
    this.mend();
    return { rows: this.rows, wordBytes: this.#wordBytes, stores: this.stores.map((store) => store.data(this.rows)) };
  }

  append({ rows, wordBytes, stores }: ColumnsData): void {
    this.#reserve(this.rows + rows + 1);
    for (const [i, store] of this.stores.entries()) store.append(stores[i] as never, rows, this.rows);
    this.rows += rows;
    this.#wordBytes += wordBytes;
  }

  #reserve(rows: number): void {
    if (rows <= this.room) return;
    while (this.room < rows) this.room *= 2;
    for (const store of this.stores) store.reserve(this.room);
  }
}

/** The same numbers with room for at least so many. */
function grown<A extends Uint8Array | Int32Array | Float64Array>(array: A, least: number): A {
  let length = Math.max(array.length, ROWS);
  while (length < least) length *= 2;
  const larger = new (array.constructor as new (length: number) => A)(length);
  larger.set(array as never);
  return larger;
}
