// Rows of a transcript that goes on in the next batch, kept with the bytes that they are about.

import type { Dialect } from '../../scan/dialects.ts';
import type { Source } from '../../scan/source.ts';
import { type Batch, fromOf, GrowingTable, nextOf, toOf } from '../../scan/table.ts';

/** Most transcripts have fewer bytes and rows. A longer one is read at once. */
const MOST_BYTES = 128 * 1024;
const MOST_ROWS = 4096;
/** Bytes that there is room for at first. */
const LEAST = 16 * 1024;

export class KeptRows {
  readonly #rows = new GrowingTable(new Int32Array(0));
  readonly #bytes = new KeptBytes();
  #dialect: Dialect | null = null;

  get isEmpty(): boolean {
    return this.#rows.count === 0;
  }

  clear(): void {
    this.#rows.clear();
  }

  /** Keeps top-level rows [row, to) of a batch, which follow those that are kept; false: they are too many. */
  keep(batch: Batch, row: number, to: number): boolean {
    const from = fromOf(batch, row);
    // The last row may be a descendant, which ends before its message.
    const last = lastOf(batch, row, to);
    if (this.isEmpty) this.#bytes.begin(from);
    const end = toOf(batch, last);
    const { first, base, words } = batch;
    const rows = this.#rows;
    if (end - this.#bytes.from > MOST_BYTES || rows.count + to - row > MOST_ROWS) return false;
    // What stands between the rows is kept, too.
    this.#bytes.add(batch.source, end);
    rows.append(words, row - first, to - first, base - this.#bytes.from, rows.count - row);
    this.#dialect = batch.dialect;
    return true;
  }

  /** All of them. */
  get batch(): Batch {
    const { words, count } = this.#rows;
    const source = this.#bytes;
    return { words, base: source.from, first: 0, from: 0, to: count, dialect: this.#dialect!, source };
  }
}

/** The last of top-level rows [row, to). */
function lastOf(batch: Batch, row: number, to: number): number {
  let last = row;
  for (let next = row; next < to; next = nextOf(batch, next)) last = next;
  return last;
}

/** Bytes of an input from a position on. */
class KeptBytes implements Source {
  #bytes = new Uint8Array(0);
  from = 0;
  #to = 0;

  begin(from: number): void {
    this.from = this.#to = from;
  }

  /** Goes on up to a position. */
  add(source: Source, to: number): void {
    const more = source.bytes(this.#to, to);
    const at = this.#to - this.from;
    if (at + more.length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(LEAST, 2 * (at + more.length)));
      larger.set(this.#bytes.subarray(0, at));
      this.#bytes = larger;
    }
    this.#bytes.set(more, at);
    this.#to = to;
  }

  read(at: number, into: Uint8Array): number {
    const part = this.bytes(at, at + into.length);
    into.set(part);
    return part.length;
  }

  bytes(from: number, to: number): Uint8Array {
    return this.#bytes.subarray(from - this.from, Math.min(to, this.#to) - this.from);
  }

  release(): void {}
}
