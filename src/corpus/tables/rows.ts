// Rows as objects on their way into a table: for what is made of values anyway.

import { type Bounds, type Column, Columns, NULL_BOOLEAN } from './columns.ts';
import { TableError } from './error.ts';
import { BOUNDS, LARGEST_CELL, Table, type TableFormat, type TableSchema } from './table.ts';
import { loadWriter } from './writers.ts';

interface CellTypes {
  readonly word: string;
  readonly text: string;
  readonly integer: number;
  readonly boolean: boolean;
}
type CellOf<C extends Column> = CellTypes[C['type']] | (true extends C['nullable'] ? null : never);

/** A row with these columns. */
export type RowOf<Schema extends readonly Column[]> = {
  readonly [C in Schema[number] as C['name']]: CellOf<C>;
};

type Cell = string | number | boolean | null;

/** Both formats hold more; numbers do not. */
const LARGEST_INTEGER = 2 ** 53;

/** Takes rows, writes a table. */
export class TableRows<Schema extends readonly Column[]> {
  readonly #columns: Columns;
  readonly #table: Table;
  readonly #bounds: Bounds;
  readonly #largest: number;
  /** Rows before those of the group. */
  #before = 0;

  constructor(table: Table, schema: Schema, bounds: Bounds, largest: number) {
    this.#table = table;
    this.#columns = new Columns(schema);
    this.#bounds = bounds;
    this.#largest = largest;
  }

  /** Throws a TableError for a text that is too long; the row is not taken, others may follow. */
  add(row: RowOf<Schema>): void {
    this.#table.demandOpen();
    const columns = this.#columns;
    const cells = row as Readonly<Record<string, Cell>>;
    for (const column of columns.schema) {
      const cell = cells[column.name];
      if (!isCell(column, cell)) throw new TypeError(`the column ${column.name} takes no such ${typeof cell}`);
      // A string has at most three bytes for each unit.
      if (typeof cell !== 'string' || 3 * cell.length <= this.#largest) continue;
      const length = Buffer.byteLength(cell, 'utf8');
      if (length > this.#largest) this.#refuse(column, length);
    }
    let words = 0;
    for (const [i, { name }] of columns.schema.entries()) words += this.#set(i, cells[name]!);
    columns.next(words);
    if (columns.isFull(this.#bounds)) this.#flush();
  }

  /** Writes what is left. There is nothing to be added or ended after it. */
  end(): void {
    this.#table.demandOpen();
    this.#flush();
    this.#table.end();
  }

  /** Answers with the bytes of a word. */
  #set(index: number, cell: Cell): number {
    const { rows, stores } = this.#columns;
    const store = stores[index]!;
    if (store.kind === 'words') {
      const id = (store.ids[rows] = store.idOf(cell as string | null));
      return store.lengthOf(id);
    }
    if (store.kind === 'integers') store.values[rows] = cell === null ? NaN : (cell as number);
    else if (store.kind === 'booleans') store.values[rows] = cell === null ? NULL_BOOLEAN : cell ? 1 : 0;
    else if (cell === null) store.setNull();
    else {
      store.begin();
      store.addText(cell as string);
    }
    return 0;
  }

  #refuse(column: Column, length: number): never {
    const row = this.#before + this.#columns.rows;
    const reason = `${column.name} of row ${row} has ${length} bytes, and a cell of a table takes ${this.#largest}`;
    throw new TableError(reason, 'write lines of JSON, which have no such limit');
  }

  #flush(): void {
    if (this.#columns.rows === 0) return;
    this.#table.group(this.#columns);
    this.#before += this.#columns.rows;
    this.#columns.clear();
  }
}

/** A table that goes out through `write` while its rows come in. The same rows give the same bytes. */
export async function makeTable<const Schema extends readonly Column[]>(
  format: TableFormat,
  schema: TableSchema<Schema>,
  write: (bytes: Uint8Array) => void,
  bounds: Bounds = BOUNDS,
  largest = LARGEST_CELL,
): Promise<TableRows<Schema>> {
  return new TableRows(new Table(await loadWriter(format), schema, write, bounds), schema.columns, bounds, largest);
}

function isCell(column: Column, cell: unknown): boolean {
  if (cell === null) return column.nullable;
  if (column.type === 'text' || column.type === 'word') return typeof cell === 'string';
  if (column.type === 'boolean') return typeof cell === 'boolean';
  return Number.isInteger(cell) && Math.abs(cell as number) <= LARGEST_INTEGER;
}
