// Rows of a job on their way into a table: columns are encoded where they were filled, in groups that depend on the
// input alone.
//
// An input is divided into sections: each begins with the first message (in containers: the first record) that begins
// at or behind a multiple of the section's bytes, and a group never goes on into the next one. Parts for threads
// begin where sections do: whoever does the work, the groups are the same.

import type { Bounds, Columns } from '../tables/columns.ts';
import type { TableWriter } from '../tables/writer.ts';
import { writerOf } from '../tables/writers.ts';
import type { Piece, TableForm } from './job.ts';

const MIB = 1024 * 1024;
/** A group ends with the message, or the record, that reaches one of these, whatever the section holds. */
const MOST: Bounds = { rows: 64 * 1024, bytes: 32 * MIB };
/**
 * A group with less than these parts of a section, bytes for each row and bytes of text, is handed on as it is, to be
 * put together with others.
 */
const FEW_ROWS = 1024;
const FEW_BYTES = 8;
/** Bytes that travel at once. */
const SLICE = 256 * 1024;

export class TableGroups {
  readonly #writer: TableWriter;
  readonly #section: number;
  /** Where the next section begins. */
  #next: number | null = null;

  constructor({ format, section }: TableForm) {
    this.#writer = writerOf(format);
    this.#section = section;
  }

  /** Whether the group ends before what begins at a position of the input. */
  endsBefore(position: number, columns: Columns): boolean {
    if (this.#next !== null && position < this.#next) return this.isFull(columns);
    this.#next = (Math.floor(position / this.#section) + 1) * this.#section;
    return columns.rows > 0;
  }

  isFull(columns: Columns): boolean {
    return columns.isFull(MOST);
  }

  /** The rows as pieces; they are to be cleared then. */
  *pieces(columns: Columns): Generator<Piece, void, void> {
    if (columns.rows === 0) return;
    if (columns.rows < this.#section / FEW_ROWS && columns.bytes < this.#section / FEW_BYTES) {
      yield { columns: columns.data() };
      return;
    }
    const group = this.#writer.group(columns);
    let next = group.next();
    for (; !next.done; next = group.next()) {
      for (let at = 0; at < next.value.length; at += SLICE) yield next.value.subarray(at, at + SLICE);
    }
    yield { group: next.value };
  }
}
