// The rows of Arrow batches as lines of JSON, one a row: a source that asks for the next batch when all lines of the
// one before were judged.
//
// A row is a record, whose fields are the columns that records have; or the cell of one column is, as JSON text or as
// a struct.

import type { Source } from '../../scan/source.ts';
import { InputError } from '../error.ts';
import { ASKED, chooseColumns } from '../input/columns.ts';
import { LF } from '../records/json-bytes.ts';
import { bitsOf, type ColumnBatch, isThere } from '../tables/arrow-batch.ts';
import { isText, membersOf, textsOf, untellable, valuesOf, type WriteValue } from '../tables/arrow-json.ts';
import type { ArrowField, ArrowMessage, ArrowReader } from '../tables/arrow-read.ts';
import { JsonWriter, TooLong } from '../tables/json-writer.ts';

export interface ArrowLinesOptions {
  /** For messages. */
  readonly path: string;
  /** The column whose cells are records; left out: the columns are fields of records. */
  readonly recordColumn?: string | undefined;
  /** Fields that records have. */
  readonly fields: readonly string[];
  /** Bytes of a record that is still read. */
  readonly largest: number;
  /** A stream begins or ends; all rows of a batch were judged. */
  readonly begin: () => void;
  readonly batchDone: (rows: number) => void;
  readonly end: () => void;
}

/** Bytes of lines that are made at once. */
const PIECE = 256 * 1024;
/** Columns that a message names. */
const MOST_NAMED = 20;
const CR = 0x0d;

export class ArrowLines implements Source {
  readonly #reader: ArrowReader;
  readonly #options: ArrowLinesOptions;
  readonly #out = new JsonWriter();
  /** Bytes of the lines that were given. */
  #given = 0;
  /** Positions of the columns that are read. */
  #columns: readonly number[] = [];
  #fields: readonly ArrowField[] = [];
  /** Writes the line of a row of the batch at hand. */
  #write: WriteValue | null = null;
  #row = 0;
  #rows = 0;
  /** Rows before the batch at hand. */
  #before = 0;
  /** Bytes of records that are too long, by the numbers of their rows: their lines are blank. */
  readonly #tooLong = new Map<number, number>();

  constructor(reader: ArrowReader, options: ArrowLinesOptions) {
    this.#reader = reader;
    this.#options = options;
  }

  /** The bytes of a record that is too long, of which there is no line; null: it is not. */
  takeTooLong(row: number): number | null {
    const size = this.#tooLong.get(row) ?? null;
    this.#tooLong.delete(row);
    return size;
  }

  read(_at: number, into: Uint8Array): number {
    const out = this.#out;
    while (this.#given === out.at) {
      if (!this.#more()) return 0;
    }
    const length = Math.min(into.length, out.at - this.#given);
    into.set(out.bytes.subarray(this.#given, this.#given + length));
    this.#given += length;
    return length;
  }

  bytes(): Uint8Array {
    throw new Error('lines of rows are read once');
  }

  release(): void {}

  /** Makes more lines; false: there are none. */
  #more(): boolean {
    this.#out.clear(4 * PIECE);
    this.#given = 0;
    if (this.#row < this.#rows) {
      this.#fill();
      return true;
    }
    if (this.#write !== null) {
      this.#options.batchDone(this.#rows);
      this.#before += this.#rows;
      this.#write = null;
      this.#row = this.#rows = 0;
    }
    const message = this.#reader.next();
    if (message === null) return false;
    this.#take(message);
    return true;
  }

  #take(message: ArrowMessage): void {
    if (message.kind === 'end') this.#options.end();
    else if (message.kind === 'schema') {
      this.#choose(message.fields);
      this.#options.begin();
    } else {
      this.#rows = message.rows;
      this.#write = this.#writerOf(message.columns);
    }
  }

  #fill(): void {
    const out = this.#out;
    const { largest } = this.#options;
    for (; this.#row < this.#rows && out.at < PIECE; this.#row++) {
      const from = out.at;
      out.limit = from + largest;
      try {
        this.#write!(this.#row);
      } catch (error) {
        if (!(error instanceof TooLong)) throw error;
        out.at = from;
        if (!this.#tooLong.has(this.#before + this.#row)) this.#tooLong.set(this.#before + this.#row, largest + 1);
      }
      out.limit = Infinity;
      out.byte(LF);
    }
  }

  /** Chooses the columns that are read. Throws an InputError. */
  #choose(fields: readonly ArrowField[]): void {
    const { recordColumn, fields: wanted } = this.#options;
    const names = fields.map(({ name }) => name);
    const read = recordColumn === undefined ? chooseColumns(names, wanted) : [recordColumn];
    // What may be something else is read where it can be.
    const isRead = (name: string, i: number): boolean => read.includes(name)
      && (recordColumn !== undefined || !ASKED.includes(name) || untellable(fields[i]!.type) === null);
    this.#columns = names.flatMap((name, i) => (isRead(name, i) ? [i] : []));
    this.#fields = fields;
    if (this.#columns.length === 0) throw this.#missing(fields);
    for (const i of this.#columns) {
      const { name, type } = fields[i]!;
      const found = untellable(type);
      if (found === null) continue;
      throw this.#error(`has a column ${JSON.stringify(name)} with values of the type ${found}, which are not read`,
        'leave the column out, or make it text');
    }
  }

  #missing(fields: readonly ArrowField[]): InputError {
    const { recordColumn } = this.#options;
    const named = fields.slice(0, MOST_NAMED).map(({ name }) => JSON.stringify(name)).join(', ') || 'none';
    const more = fields.length > MOST_NAMED ? `, and ${fields.length - MOST_NAMED} more` : '';
    if (recordColumn !== undefined) {
      return this.#error(`has no column ${JSON.stringify(recordColumn)}; its columns are ${named}${more}`,
        'name one of them: --record-column NAME');
    }
    return this.#error(`has none of the columns that records have; its columns are ${named}${more}`,
      'name the one whose cells are records, --record-column NAME, or the one that holds transcripts, --field NAME');
  }

  #error(reason: string, remedy: string): InputError {
    return new InputError(this.#options.path, reason, remedy);
  }

  #writerOf(batches: readonly ColumnBatch[]): WriteValue {
    const out = this.#out;
    const { recordColumn } = this.#options;
    if (recordColumn === undefined) {
      const write = membersOf(this.#columns.map((i) => ({ name: this.#fields[i]!.name, batch: batches[i]! })), out);
      return (row) => {
        out.byte(0x7b);
        write(row);
        out.byte(0x7d);
      };
    }
    const batch = batches[this.#columns[0]!]!;
    const write = isText(batch.type) ? this.#jsonOf(batch) : valuesOf(batch, out);
    const bits = bitsOf(batch);
    return (row) => (isThere(bits, row) ? write(row) : out.ascii('null'));
  }

  /** Cells that are JSON. Line feeds become carriage returns, which are white space, too, and as wrong in texts. */
  #jsonOf(batch: ColumnBatch): WriteValue {
    const out = this.#out;
    const textOf = textsOf(batch);
    return (row) => {
      const { bytes, from, to } = textOf(row);
      const at = out.at;
      if (to - from > this.#options.largest) {
        this.#tooLong.set(this.#before + row, to - from);
        throw new TooLong();
      }
      out.copy(bytes.subarray(from, to));
      const line = Buffer.from(out.bytes.buffer, at, to - from);
      for (let lf = line.indexOf(LF); lf >= 0; lf = line.indexOf(LF, lf + 1)) line[lf] = CR;
    };
  }
}
