// A batch with other rows in the place of some: it is copied when the first row is replaced.

import { type Batch, GrowingTable } from './table.ts';

export class BatchEdit {
  readonly #batch: Batch;
  #table: GrowingTable | null = null;
  /** Rows from here on are not in the table yet. */
  #left: number;

  constructor(batch: Batch) {
    this.#batch = batch;
    this.#left = batch.from;
  }

  /** Leaves the rows [row, to) out: what is added to the table next stands in their place. Rows come in order. */
  replace(row: number, to: number): GrowingTable {
    this.#table ??= new GrowingTable(new Float64Array(0));
    if (this.#left <= row) this.#copy(this.#table, row);
    this.#left = to;
    return this.#table;
  }

  /** The batch as it is now; the same one where no row was replaced. */
  end(): Batch {
    const table = this.#table;
    if (table === null) return this.#batch;
    this.#copy(table, this.#batch.to);
    return { ...this.#batch, words: table.words, base: 0, first: 0, from: 0, to: table.count };
  }

  #copy(table: GrowingTable, to: number): void {
    const { words, first, base } = this.#batch;
    table.append(words, this.#left - first, to - first, base, table.count - this.#left);
  }
}
