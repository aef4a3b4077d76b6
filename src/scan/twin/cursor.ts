// Where the TypeScript scanner is: the window under way, the place in the text, why it stops; and the few moves that
// all places share.

import { Table } from './table.ts';
import { CUT, type Lexicon } from './token.ts';

// Places.
/** At the start of input: a byte order mark may come. */
export const AT_MARK = 0;
/** In the white space before a message of the caller's role. */
export const IN_LEAD = 1;
export const IN_GAP = 2;
/** In a line of a gap that may turn out to open a document header. */
export const IN_OPENER = 3;
export const IN_DOCUMENT = 4;
/** In a message: before its body, in it, in a literal block of it. */
export const IN_HEADER = 5;
export const IN_BODY = 6;
export const IN_LITERAL = 7;

// Why a scan stops before the end of the window.
export const NOT = 0;
const HELD = 1;
export const NO_ROOM = 2;
export const HEADER_OVER = 3;

export const LT = 0x3c;
export const LF = 0x0a;
export const BRACKET = 0x5b;

export class Cursor {
  readonly table: Table;
  lexicon!: Lexicon;
  place = IN_GAP;

  /** The call of `scan` under way: the window up to its end, and the other arguments. */
  bytes: Uint8Array = new Uint8Array(0);
  length = 0;
  final = false;
  origin = 0;
  stop = NOT;

  constructor(tableRows: number) {
    this.table = new Table(tableRows);
  }

  has(flag: number): boolean {
    return (this.lexicon.flags & flag) !== 0;
  }

  /** The token at the `<` at p, as the lexicon says; what the end of input cuts is none. */
  match(p: number): number {
    const word = this.lexicon.match(this.bytes, p, this.length);
    return word === CUT && this.final ? 0 : word;
  }

  /** The token there, or the escaped one. */
  lookAt(p: number): number {
    const word = this.lexicon.lookAt(this.bytes, p, this.length);
    return word === CUT && this.final ? 0 : word;
  }

  findLt(from: number): number {
    if (this.bytes[from] === LT) return from;
    const p = this.bytes.indexOf(LT, from);
    return p < 0 ? this.length : p;
  }

  /** What stands at p can be told only with more input. */
  hold(p: number): number {
    this.stop = HELD;
    return p;
  }

  /** Asked before every step that adds rows: what was read before stays read, the step itself is made again. */
  hasRoom(): boolean {
    if (!this.table.hasRoom()) this.stop = NO_ROOM;
    return this.stop === NOT;
  }

  add(kind: number, from: number, to: number): void {
    this.table.add(kind, from + this.origin, to + this.origin);
  }

  start(slot: number, kind: number, from: number): void {
    this.table.start(slot, kind, from + this.origin);
  }

  /** The row ends here but stays open: it may still grow. */
  end(slot: number, to: number): void {
    this.table.end(slot, to + this.origin);
  }

  close(slot: number, to: number): void {
    if (!this.table.isOpen(slot)) return;
    this.end(slot, to);
    this.table.release(slot);
  }
}
