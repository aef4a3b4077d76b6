// The scanner of rows in TypeScript: used where WebAssembly is refused, and the reference that the other builds are
// compared with. assembly/README.md specifies the rows. The machine is always in one of the places that cursor.ts
// lists; `scan` steps from place to place until the window is used up, a possible token is cut by its end, the table is
// full, or a document header is over. Nothing is looked at twice but the few bytes held back, so the time is linear.

import * as abi from '../../abi.ts';
import { DETECTED_22, type Dialect } from '../dialects.ts';
import type { RowMachine } from '../machine.ts';
import {
  AT_MARK, Cursor, HEADER_OVER, IN_BODY, IN_DOCUMENT, IN_GAP, IN_HEADER, IN_LEAD, IN_OPENER, NO_ROOM, NOT,
} from './cursor.ts';
import { Gaps } from './gap.ts';
import { Messages } from './message.ts';
import { lexiconOf } from './token.ts';

export interface TwinOptions {
  /** Bytes of the window. */
  window?: number;
  /** Rows of the table. */
  tableRows?: number;
}

/** What is held back, and some input, must have room. */
const LEAST_WINDOW = 2 * abi.LONGEST_TOKEN;
/** One step adds up to two rows. */
const LEAST_ROWS = 2;

export class TwinRows implements RowMachine {
  readonly engine = 'js';
  readonly source: Uint8Array;
  readonly capacity: number;
  readonly rows: Int32Array;
  readonly slots: Int32Array;
  readonly slotRows: Int32Array;
  protected readonly cursor: Cursor;
  protected readonly messages: Messages;
  protected readonly gaps: Gaps;
  protected done = 0;

  constructor({ window = 1 << 18, tableRows = 1 << 14 }: TwinOptions = {}) {
    if (!(window >= LEAST_WINDOW)) throw new RangeError(`A window has at least ${LEAST_WINDOW} bytes.`);
    if (!(tableRows >= LEAST_ROWS)) throw new RangeError(`A table has at least ${LEAST_ROWS} rows.`);
    this.source = new Uint8Array(window);
    this.capacity = window;
    this.cursor = new Cursor(tableRows);
    this.messages = new Messages(this.cursor);
    this.gaps = new Gaps(this.cursor, this.messages);
    // Its state may be put away before it has begun.
    this.setDialect(DETECTED_22);
    ({ rows: this.rows, slots: this.slots, slotRows: this.slotRows } = this.cursor.table);
  }

  begin(how: number, dialect: Dialect): void {
    this.cursor.table.reset();
    this.setDialect(dialect);
    this.gaps.begin(how);
    this.done = 0;
  }

  setDialect(dialect: Dialect): void {
    this.cursor.lexicon = lexiconOf(dialect);
  }

  scan(from: number, length: number, final: boolean, origin: number): number {
    const { cursor } = this;
    cursor.bytes = this.source.subarray(0, length);
    cursor.length = length;
    cursor.final = final;
    cursor.origin = origin;
    cursor.stop = NOT;
    let p = from;
    while (p < length && cursor.stop === NOT) p = this.#step(p);
    if (final && cursor.stop === NOT) this.#finish(p);
    this.done = p;
    return this.#answer();
  }

  consumed(): number {
    return this.done;
  }

  count(): number {
    return this.cursor.table.count;
  }

  settled(): number {
    return this.cursor.table.settled();
  }

  drain(): void {
    this.cursor.table.drain();
  }

  restart(kept: number): void {
    this.cursor.table.restart(kept);
  }

  slide(from: number, length: number): void {
    this.source.copyWithin(0, from, length);
    this.gaps.slide(from);
    this.done -= from;
  }

  #step(p: number): number {
    switch (this.cursor.place) {
      case AT_MARK: return this.gaps.mark(p);
      case IN_LEAD: return this.gaps.lead(p);
      case IN_GAP: return this.gaps.gap(p);
      case IN_OPENER: return this.gaps.openerLine(p);
      case IN_DOCUMENT: return this.gaps.document(p);
      case IN_HEADER: return this.messages.header(p);
      case IN_BODY: return this.messages.body(p);
      default: return this.messages.literal(p);
    }
  }

  /** The input ends at p: everything that is open ends there too. */
  #finish(p: number): void {
    const { cursor, gaps } = this;
    if (cursor.place === IN_OPENER) gaps.endOpener(p);
    if (cursor.place === IN_DOCUMENT) gaps.endDocument(p, false);
    if (cursor.stop === NOT && cursor.place >= IN_HEADER) this.messages.cutOff(p);
    if (cursor.stop !== NOT) return;
    cursor.table.release(abi.SLOT_MESSAGE);
    cursor.table.release(abi.SLOT_TEXT);
  }

  #answer(): number {
    const { stop } = this.cursor;
    return stop === NO_ROOM ? abi.FULL : stop === HEADER_OVER ? abi.AFTER_HEADER : abi.DONE;
  }
}
