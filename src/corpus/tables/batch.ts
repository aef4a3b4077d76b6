// Rows on their way into a table file: columns of simple types, gathered into batches of bounded size.

/** A column of a table. Text is UTF-8, integers have 64 bits. */
export interface Column {
  readonly name: string;
  readonly type: 'text' | 'integer' | 'boolean';
  readonly nullable: boolean;
}

export type Cell = string | number | boolean | null;

interface CellTypes {
  readonly text: string;
  readonly integer: number;
  readonly boolean: boolean;
}
type CellOf<C extends Column> = CellTypes[C['type']] | (true extends C['nullable'] ? null : never);

/** A row with these columns. */
export type RowOf<Columns extends readonly Column[]> = {
  readonly [C in Columns[number] as C['name']]: CellOf<C>;
};

/** Takes rows, writes a table. */
export interface TableSink<Row> {
  /** Throws a TableError for a text that is too long; the row is not taken, others may follow. */
  add(row: Row): void;
  /** Writes what is left. There is nothing to be added or ended after it. */
  end(): void;
}

/** What does not fit into a table. */
export class TableError extends Error {
  override readonly name = 'TableError';
  readonly reason: string;
  readonly remedy: string;

  constructor(reason: string, remedy: string) {
    super(`${reason}; ${remedy}`);
    this.reason = reason;
    this.remedy = remedy;
  }
}

/** Some rows, column by column. */
export interface Batch {
  readonly rows: number;
  readonly cells: readonly Cell[][];
  /** For every column: bytes of its texts together, and of the longest. 0 for other types. */
  readonly bytes: readonly number[];
  readonly longest: readonly number[];
}

/** Writes batches in the form of a file. */
export interface Encoder {
  /** At least one row. */
  batch(batch: Batch): void;
  end(): void;
}

/** A batch ends with the row that reaches this number, or before the row whose texts would lead past these bytes. */
export interface Bounds {
  readonly rows: number;
  readonly bytes: number;
  /** Bytes of the longest text that is taken; LARGEST_CELL when it is left out. */
  readonly cell?: number;
}

export const BOUNDS: Bounds = { rows: 64 * 1024, bytes: 16 * 1024 * 1024 };

/**
 * Bytes of a text as UTF-8 that a cell takes: about the longest string there is. Both formats count the bytes of a
 * column with 31 bits, and need several times as much memory to encode it.
 */
export const LARGEST_CELL = 512 * 1024 * 1024;

/** Both formats hold more; numbers do not. */
const LARGEST_INTEGER = 2 ** 53;

/** Gathers rows and hands them to an encoder. */
export class Batches<Columns extends readonly Column[]> implements TableSink<RowOf<Columns>> {
  readonly #columns: Columns;
  readonly #encoder: Encoder;
  readonly #bounds: Bounds;
  readonly #largest: number;
  #cells: Cell[][];
  #bytes: number[];
  #longest: number[];
  #rows = 0;
  #total = 0;
  /** Rows before this batch. */
  #before = 0;
  /** Lengths of the texts of the row that is being added. */
  readonly #lengths: number[];
  /** Why nothing can be added any more. */
  #over: string | null = null;

  constructor(columns: Columns, encoder: Encoder, bounds: Bounds = BOUNDS) {
    this.#columns = columns;
    this.#encoder = encoder;
    this.#bounds = bounds;
    this.#largest = bounds.cell ?? LARGEST_CELL;
    this.#lengths = columns.map(() => 0);
    this.#cells = columns.map(() => []);
    this.#bytes = columns.map(() => 0);
    this.#longest = columns.map(() => 0);
  }

  add(row: RowOf<Columns>): void {
    this.#demandOpen();
    const cells = row as Readonly<Record<string, Cell>>;
    const length = this.#measure(cells);
    if (this.#rows > 0 && this.#total + length > this.#bounds.bytes) this.#flush();
    for (let i = 0; i < this.#columns.length; i++) {
      this.#cells[i]!.push(cells[this.#columns[i]!.name]!);
      const bytes = this.#lengths[i]!;
      this.#bytes[i]! += bytes;
      if (bytes > this.#longest[i]!) this.#longest[i] = bytes;
    }
    this.#total += length;
    if (++this.#rows >= this.#bounds.rows) this.#flush();
  }

  end(): void {
    this.#demandOpen();
    this.#flush();
    this.#over = 'the table was ended';
    this.#encoder.end();
  }

  #demandOpen(): void {
    if (this.#over !== null) throw new Error(this.#over);
  }

  /** Checks a row, and answers with the bytes of its texts. */
  #measure(row: Readonly<Record<string, Cell>>): number {
    let total = 0;
    for (let i = 0; i < this.#columns.length; i++) {
      const column = this.#columns[i]!;
      const cell = row[column.name];
      if (!isCell(column, cell)) throw new TypeError(`the column ${column.name} takes no such ${typeof cell}`);
      let length = 0;
      if (typeof cell === 'string') {
        length = Buffer.byteLength(cell, 'utf8');
        if (length > this.#largest) this.#refuse(column, length);
      }
      this.#lengths[i] = length;
      total += length;
    }
    return total;
  }

  #refuse(column: Column, length: number): never {
    const row = this.#before + this.#rows;
    const reason = `${column.name} of row ${row} has ${length} bytes, and a cell of a table takes ${this.#largest}`;
    throw new TableError(reason, 'write lines of JSON, which have no such limit');
  }

  #flush(): void {
    if (this.#rows === 0) return;
    const batch = { rows: this.#rows, cells: this.#cells, bytes: this.#bytes, longest: this.#longest };
    this.#before += this.#rows;
    this.#rows = this.#total = 0;
    this.#cells = this.#columns.map(() => []);
    this.#bytes = this.#columns.map(() => 0);
    this.#longest = this.#columns.map(() => 0);
    // An error leaves a piece of a batch behind, which nothing may follow.
    this.#over = 'the table could not be written';
    this.#encoder.batch(batch);
    this.#over = null;
  }
}

function isCell(column: Column, cell: unknown): boolean {
  if (cell === null) return column.nullable;
  if (column.type === 'text') return typeof cell === 'string';
  if (column.type === 'boolean') return typeof cell === 'boolean';
  return Number.isInteger(cell) && Math.abs(cell as number) <= LARGEST_INTEGER;
}
