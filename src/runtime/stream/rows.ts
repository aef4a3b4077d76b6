// Rows of a scan as they come, told in the order of the text: what begins, what ends, what stands by itself.
//
// A row that is open when the table is emptied goes on in a slot (assembly/README.md). Here both look alike.

import {
  BODY, FIELD, FROM, HEADER, KIND, KIND_MASK, LITERAL, MESSAGE, NEXT, ROW_WORDS, SLOT_BODY, SLOT_COUNT, SLOT_FIELD,
  SLOT_HEADER, SLOT_LITERAL, SLOT_MESSAGE, SLOT_TEXT, TEXT, TO, UNCHANGED,
} from '../../abi.ts';
import type { RowMachine } from '../../scan/machine.ts';

/** A row that may be open. Positions are bytes since the stream's beginning. */
export interface OpenRow {
  isOpen: boolean;
  /** The KIND word as far as it is known: later bits may be in it already when the row begins. */
  word: number;
  from: number;
  /** Valid when the row ends; of text, as far as it is known. */
  to: number;
  /** Number of the row after its last descendant; 0: not known. */
  next: number;
  number: number;
}

export interface RowVisitor {
  begin(slot: number, row: OpenRow): void;
  end(slot: number, row: OpenRow): void;
  /** A row without descendants that is whole. */
  leaf(word: number, from: number, to: number): void;
}

const SLOTS: Readonly<Record<number, number>> = {
  [MESSAGE]: SLOT_MESSAGE, [FIELD]: SLOT_FIELD, [BODY]: SLOT_BODY, [LITERAL]: SLOT_LITERAL, [TEXT]: SLOT_TEXT,
  [HEADER]: SLOT_HEADER,
};
/** What ends at one place ends in this order. A message's end is that of its body, text ends where the next row is. */
const INNER_FIRST = [SLOT_LITERAL, SLOT_FIELD, SLOT_BODY];
const WITH_HEADERS = [...INNER_FIRST, SLOT_HEADER];
/** Numbers are made small again beyond this one. */
const MANY_ROWS = 1 << 24;

export class Rows {
  readonly #visitor: RowVisitor;
  readonly open: readonly OpenRow[] = Array.from({ length: SLOT_COUNT }, () => (
    { isOpen: false, word: 0, from: 0, to: 0, next: 0, number: -1 }
  ));
  /** Number of the row at the beginning of the machine's table. */
  #first = 0;

  readonly #ending: readonly number[];

  /** `asks`: a document header ends when the caller says so (`endHeader`), not by itself. */
  constructor(visitor: RowVisitor, asks: boolean) {
    this.#visitor = visitor;
    this.#ending = asks ? INNER_FIRST : WITH_HEADERS;
  }

  /** The machine began anew. */
  reset(): void {
    for (const row of this.open) row.isOpen = false;
    this.#first = 0;
  }

  /** Tells the rows of the last scan and empties the table. `base`: position of the window's first byte. */
  take(machine: RowMachine, base: number): void {
    const count = machine.count();
    if (count === 0 && this.#isQuiet(machine)) return;
    this.#copySlots(machine, base);
    const { rows } = machine;
    for (let i = 0; i < count; i++) {
      const at = i * ROW_WORDS;
      const number = this.#first + i;
      this.#endBefore(number);
      this.endText();
      const word = rows[at + KIND]!;
      const slot = SLOTS[word & KIND_MASK];
      const from = base + rows[at + FROM]!;
      const to = base + rows[at + TO]!;
      if (slot === undefined) {
        this.#visitor.leaf(word, from, to);
        continue;
      }
      const row = this.open[slot]!;
      row.isOpen = true;
      row.word = word;
      row.from = from;
      row.to = to;
      row.next = rows[at + NEXT]!;
      row.number = number;
      this.#visitor.begin(slot, row);
    }
    this.#endBefore(Infinity);
    if (count > 0) this.#first += count;
    const settled = this.#first > MANY_ROWS ? machine.settled() : 0;
    machine.drain();
    if (settled > 0) this.#renumber(machine, settled);
  }

  /** The text in a gap has ended. */
  endText(): void {
    const text = this.open[SLOT_TEXT]!;
    if (!text.isOpen) return;
    text.isOpen = false;
    this.#visitor.end(SLOT_TEXT, text);
  }

  /** Ends or drops the document header that is over: only the caller knows whether it counts. */
  endHeader(counts: boolean): void {
    const header = this.open[SLOT_HEADER]!;
    header.isOpen = false;
    if (counts) this.#visitor.end(SLOT_HEADER, header);
  }

  /** In a body, without a new row: it goes on, and so does what is open in it. */
  #isQuiet({ slots, slotRows }: RowMachine): boolean {
    const body = this.open[SLOT_BODY]!;
    if (!body.isOpen || slotRows[SLOT_BODY] !== body.number || slots[SLOT_BODY * ROW_WORDS + NEXT] !== 0) return false;
    return !this.open[SLOT_LITERAL]!.isOpen || slots[SLOT_LITERAL * ROW_WORDS + NEXT] === 0;
  }

  #copySlots(machine: RowMachine, base: number): void {
    const { slots, slotRows } = machine;
    for (let slot = 0; slot < SLOT_COUNT; slot++) {
      const row = this.open[slot]!;
      if (!row.isOpen || slotRows[slot] !== row.number) continue;
      const at = slot * ROW_WORDS;
      row.word = slots[at + KIND]!;
      row.next = slots[at + NEXT]!;
      const to = slots[at + TO]!;
      if (to !== UNCHANGED) row.to = base + to;
    }
  }

  #endBefore(number: number): void {
    for (const slot of this.#ending) {
      const row = this.open[slot]!;
      if (!row.isOpen || row.next === 0 || row.next > number) continue;
      row.isOpen = false;
      this.#visitor.end(slot, row);
    }
  }

  #renumber(machine: RowMachine, settled: number): void {
    machine.restart(this.#first - settled);
    this.#first -= settled;
    for (const row of this.open) {
      row.number -= settled;
      if (row.next !== 0) row.next -= settled;
    }
  }
}
