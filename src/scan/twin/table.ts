// The offset table of the TypeScript scanner: rows, and slots for open rows that left it. assembly/README.md specifies
// both.

import * as abi from '../../abi.ts';

export class Table {
  readonly rows: Int32Array;
  readonly slots = new Int32Array(abi.SLOT_COUNT * abi.ROW_WORDS);
  readonly slotRows = new Int32Array(abi.SLOT_COUNT);
  /** Rows in the table now. */
  count = 0;
  /** Number of the first of them. */
  base = 0;
  private readonly capacity: number;
  /** By slot: number of the row that may still change, in the table or in its slot; -1: none. */
  readonly open = new Int32Array(abi.SLOT_COUNT);

  constructor(capacity: number) {
    this.capacity = capacity;
    this.rows = new Int32Array(capacity * abi.ROW_WORDS);
    this.reset();
  }

  reset(): void {
    this.base = 0;
    this.count = 0;
    this.open.fill(-1);
    this.slotRows.fill(-1);
  }

  /** No step adds more than two rows. */
  hasRoom(): boolean {
    return this.count + 2 <= this.capacity;
  }

  /** A row that is complete. */
  add(kind: number, from: number, to: number): void {
    this.#push(kind, from, to, this.base + this.count + 1);
  }

  /** A row that stays open: its slot says how to reach it from now on. */
  start(slot: number, kind: number, from: number): void {
    this.open[slot] = this.base + this.count;
    this.#push(kind, from, from, 0);
  }

  isOpen(slot: number): boolean {
    return this.open[slot]! >= 0;
  }

  /** More bits for the KIND word of an open row. */
  mark(slot: number, bits: number): void {
    const at = this.#place(slot);
    if (this.#inTable(slot)) this.rows[at + abi.KIND]! |= bits;
    else this.slots[at + abi.KIND]! |= bits;
  }

  /** The row ends here, after all rows there are; it may still be changed. */
  end(slot: number, to: number): void {
    const words = this.#inTable(slot) ? this.rows : this.slots;
    const at = this.#place(slot);
    words[at + abi.TO] = to;
    words[at + abi.NEXT] = this.base + this.count;
  }

  /** The open row will not change any more. */
  release(slot: number): void {
    this.open[slot] = -1;
  }

  /** The first top-level row that may still change. */
  settled(): number {
    let first = this.base + this.count;
    for (const slot of [abi.SLOT_MESSAGE, abi.SLOT_TEXT, abi.SLOT_HEADER]) {
      if (this.isOpen(slot)) first = Math.min(first, this.open[slot]!);
    }
    return first;
  }

  /** A closed row stays in its slot until here, so that the host can look at it after the scan that closed it. */
  drain(): void {
    for (let slot = 0; slot < abi.SLOT_COUNT; slot++) {
      const to = slot * abi.ROW_WORDS;
      if (this.isOpen(slot) && this.#inTable(slot)) {
        const from = this.#place(slot);
        for (let word = 0; word < abi.ROW_WORDS; word++) this.slots[to + word] = this.rows[from + word]!;
      }
      this.slots[to + abi.TO] = abi.UNCHANGED;
      this.slotRows[slot] = this.open[slot]!;
    }
    this.base += this.count;
    this.count = 0;
  }

  /** Numbers rows anew; of what is open the host keeps `kept` rows. */
  restart(kept: number): void {
    if (this.count > 0 || (kept === 0 && this.open.some((row) => row >= 0))) {
      throw new Error('Rows are numbered anew only when none is open, or the host says how many it keeps.');
    }
    const by = this.base - kept;
    this.base = kept;
    for (let slot = 0; slot < abi.SLOT_COUNT; slot++) {
      if (this.open[slot]! >= 0) this.open[slot]! -= by;
      if (this.slotRows[slot]! < 0) continue;
      this.slotRows[slot] = kept === 0 ? -1 : this.slotRows[slot]! - by;
      const next = slot * abi.ROW_WORDS + abi.NEXT;
      if (this.slots[next] !== 0) this.slots[next]! -= by;
    }
  }

  #push(kind: number, from: number, to: number, next: number): void {
    const at = this.count++ * abi.ROW_WORDS;
    this.rows[at + abi.KIND] = kind;
    this.rows[at + abi.FROM] = from;
    this.rows[at + abi.TO] = to;
    this.rows[at + abi.NEXT] = next;
  }

  #inTable(slot: number): boolean {
    return this.open[slot]! >= this.base;
  }

  #place(slot: number): number {
    return (this.#inTable(slot) ? this.open[slot]! - this.base : slot) * abi.ROW_WORDS;
  }
}
