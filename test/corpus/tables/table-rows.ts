// Rows as objects on their way into a table, for tests: groups are encoded as jobs do it.
import { type Bounds, type Column, Columns, NULL_BOOLEAN } from '../../../src/corpus/tables/columns.ts';
import { BOUNDS, openTable, type Table, type TableSchema } from '../../../src/corpus/tables/table.ts';
import type { TableFormat } from '../../../src/corpus/tables/writer.ts';
import { writerOf } from '../../../src/corpus/tables/writers.ts';

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

/** Takes rows, writes a table. */
export class TableRows<Schema extends readonly Column[]> {
  readonly #columns: Columns;
  readonly #format: TableFormat;
  readonly #table: Table;
  readonly #bounds: Bounds;

  constructor(format: TableFormat, table: Table, schema: Schema, bounds: Bounds) {
    this.#format = format;
    this.#table = table;
    this.#columns = new Columns(schema);
    this.#bounds = bounds;
  }

  add(row: RowOf<Schema>): void {
    const columns = this.#columns;
    let words = 0;
    for (const [i, { name }] of columns.schema.entries()) words += this.#set(i, (row as Record<string, Cell>)[name]!);
    columns.next(words);
    if (columns.isFull(this.#bounds)) this.#flush();
  }

  end(): void {
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

  #flush(): void {
    if (this.#columns.rows === 0) return;
    const group = writerOf(this.#format).group(this.#columns);
    let next = group.next();
    for (; !next.done; next = group.next()) this.#table.take(next.value);
    this.#table.take({ group: next.value });
    this.#columns.clear();
  }
}

/** A table that goes out through `write` while its rows come in. */
export async function makeTable<const Schema extends readonly Column[]>(
  format: TableFormat,
  schema: TableSchema<Schema>,
  write: (bytes: Uint8Array) => void,
  bounds: Bounds = BOUNDS,
): Promise<TableRows<Schema>> {
  return new TableRows(format, await openTable(format, schema, write), schema.columns, bounds);
}
