// Drives a scanner over bytes that are pushed: the window, what of the text must stay at hand, and the dialect
// (R-DETECT).
//
// Detection looks ahead as R-DETECT says: until the first control token of any dialect has come, nothing is read, and
// after a document header again. Text of more than DETECT_BYTES without one is read as 2.2. The same when a document
// header of more than the bound on headers is followed by a 0.1 token: it cannot be read again.

import {
  AFTER_HEADER, AT_INPUT, AT_ROLE, AT_START, DONE, FULL, HEADER, IN_GAP, KIND, KIND_MASK, SLOT_HEADER,
} from '../../abi.ts';
import { DETECTED_22, type Dialect, DIALECTS } from '../../scan/dialects.ts';
import type { StreamMachine } from '../../scan/machine.ts';
import type { Family } from '../../scan/peek.ts';
import { InvalidUtf8 } from '../../rules/utf8.ts';
import { copy, encodeInto, SHORT } from './bytes.ts';
import { Kept } from './kept.ts';
import { CUT, DETECT_BYTES, LookAhead } from './look-ahead.ts';
import type { Machines, Seat, Tenant } from './machines.ts';
import { type OpenRow, Rows, type RowVisitor } from './rows.ts';

/** Bytes of a UTF-16 unit. */
const MOST_BYTES = 3;
const ENCODER = new TextEncoder();
const NOTHING = new Uint8Array(0);
const NO_POSITIONS: readonly number[] = [];
/** Bytes that are not kept for another time. */
const LARGE_TAIL = 1024;

export interface ScanVisitor extends RowVisitor {
  /** All before `to` is read; `final`: the input ends there. */
  sure(to: number, final: boolean): void;
  /** The first position that will be asked for again, when all before `sure` is read. */
  needs(sure: number): number;
}

export interface ScanOptions {
  /** Undefined: it is detected. */
  readonly dialect: Dialect | undefined;
  readonly role: boolean;
  /** Bytes of a header that stay at hand. */
  readonly headerBytes: number;
  /** The dialect that the document header [from, to) asks for. */
  decide(from: number, to: number): Dialect;
}

export class StreamScan implements Tenant {
  readonly #machines: Machines;
  readonly #visitor: ScanVisitor;
  readonly #options: ScanOptions;
  readonly #rows: Rows;
  readonly #utf8 = new InvalidUtf8();
  /** For Machines alone. */
  seat: Seat | null = null;
  dialect: Dialect;
  /** The window: position of its first byte, bytes in it, bytes read. */
  #base = 0;
  #length = 0;
  #scanned = 0;
  #final = false;
  #machine: StreamMachine | null = null;
  /** What left the window and is still needed; what was left in it for another stream. */
  readonly #kept: Kept;
  #state: Int32Array | null = null;
  #tail = NOTHING;
  #began = false;
  /** Detection waits for a control token. */
  #waits: 'start' | 'header' | null = null;
  readonly #ahead = new LookAhead();
  /** The first control token is one of 0.1: it decides, unless a document header opens the input. */
  #undecided = false;
  /** Positions where a `<` stands that belongs to no token; the window has another byte there. */
  readonly #masked: number[] = [];

  constructor(machines: Machines, visitor: ScanVisitor, options: ScanOptions) {
    this.#machines = machines;
    this.#visitor = visitor;
    this.#options = options;
    this.dialect = options.dialect ?? DETECTED_22;
    this.#rows = new Rows(visitor, options.dialect === undefined);
    this.#kept = new Kept(Math.max(options.headerBytes, DETECT_BYTES) + CUT);
    if (!options.dialect) this.#waits = 'start';
  }

  get rows(): readonly OpenRow[] {
    return this.#rows.open;
  }

  /** Takes the next bytes: the first `length` of these. */
  push(bytes: Uint8Array, length = bytes.length): void {
    const machine = this.#machines.take(this);
    try {
      this.#push(machine, bytes, length);
    } finally {
      this.#machines.release(this);
    }
  }

  /** Takes the next text, which has no half of a surrogate pair at its ends: it is encoded where it is read. */
  pushText(text: string): void {
    const machine = this.#machines.take(this);
    try {
      if (this.#length > machine.capacity >> 1 && !this.#waits) this.#slide(machine);
      if (this.#waits || text.length * MOST_BYTES > machine.capacity - this.#length) {
        const bytes = ENCODER.encode(text);
        this.#push(machine, bytes, bytes.length);
      } else {
        this.#length += encodeInto(text, machine.source, this.#length);
        this.#run(machine);
      }
    } finally {
      this.#machines.release(this);
    }
  }

  /** All that came is read, up to `to`, and is valid UTF-8 as far as it was not told, with no character cut. */
  isReadTo(to: number): boolean {
    if (this.#machine === null || this.#waits !== null || this.#undecided) return false;
    if (this.#scanned !== this.#length || this.#base + this.#length !== to) return false;
    this.#see();
    return this.#utf8.isClear;
  }

  /** Behind what was read, `count` bytes of a body need not be: plain text. */
  skip(count: number): void {
    const machine = this.#machines.take(this);
    machine.slide(this.#length, this.#length);
    for (let left = count; left > 0; left -= machine.capacity) {
      const part = Math.min(left, machine.capacity);
      // The byte before the window is looked at; any but a `<` is as good.
      machine.source[part - 1] = BLANK;
      machine.slide(part, part);
    }
    this.#base += this.#length + count;
    this.#length = this.#scanned = 0;
    this.#kept.clear(this.#base);
    if (this.#masked.length > 0) this.#masked.splice(0, this.#maskedFrom(this.#base));
    this.#utf8.pass(this.#base);
    this.#machines.release(this);
  }

  /** The input has ended. */
  end(): void {
    const machine = this.#machines.take(this);
    try {
      if (this.#waits) this.#settle(machine, this.#ahead.familyHeld() ?? 'none');
      if (this.#waits) this.#settle(machine, 'none');
      this.#final = true;
      this.#run(machine);
    } finally {
      this.#machines.release(this);
    }
    this.close();
  }

  /** Nothing follows. */
  close(): void {
    this.#machines.forget(this);
  }

  /** The byte at the next position belongs to no token: it is a `<`, and 0x7f is pushed for it. */
  mask(position: number): void {
    this.#masked.push(position);
  }

  /** Bad UTF-8 (R-UTF8): what is known of it, or with `all`, what there is in all that came. */
  invalidUtf8(all: boolean): InvalidUtf8 {
    if (all) this.#see();
    return this.#utf8;
  }

  #see(): void {
    this.#utf8.watch(this.#machine!, this.#base, 0, this.#length, this.#final);
  }

  /** Bytes [from, to) as far as they are at hand. */
  bytes(from: number, to: number): Uint8Array {
    const bytes = this.#bytes(from, to);
    const masked = this.#masked;
    if (masked.length === 0 || masked.at(-1)! < from) return bytes;
    let next = this.#maskedFrom(from);
    if (masked[next]! >= from + bytes.length) return bytes;
    const unmasked = bytes.slice();
    for (; next < masked.length && masked[next]! < from + bytes.length; next++) unmasked[masked[next]! - from] = LT;
    return unmasked;
  }

  /** The masked positions in [from, to): what stands there is text, also for who looks for marks in it. */
  maskedIn(from: number, to: number): readonly number[] {
    const masked = this.#masked;
    if (masked.length === 0 || masked.at(-1)! < from) return NO_POSITIONS;
    return masked.slice(this.#maskedFrom(from), this.#maskedFrom(to));
  }

  /** Index of the first masked position at or after `from`. */
  #maskedFrom(from: number): number {
    let low = 0;
    let high = this.#masked.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#masked[middle]! < from) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #bytes(from: number, to: number): Uint8Array {
    const base = this.#base;
    const window = this.#machine!.source;
    const end = Math.min(to, base + this.#length);
    if (from >= base) return window.subarray(from - base, Math.max(end, from) - base);
    const kept = this.#kept.bytes(from, Math.min(to, base));
    if (end <= base || this.#kept.end < base) return kept;
    const joined = new Uint8Array(kept.length + end - base);
    joined.set(kept);
    joined.set(window.subarray(0, end - base), kept.length);
    return joined;
  }

  /** Position of the window's first byte: from there on everything is at hand. */
  get windowFrom(): number {
    return this.#base;
  }

  leave(machine: StreamMachine): void {
    this.#slide(machine);
    this.#state = machine.save(this.#state);
    const length = this.#length;
    // Mostly nothing is left, or a few bytes.
    if (this.#tail.length < length) this.#tail = new Uint8Array(Math.max(length, SHORT));
    if (length <= SHORT) copy(machine.source, 0, length, this.#tail, 0);
    else this.#tail.set(machine.source.subarray(0, length));
    this.#machine = null;
  }

  enter(machine: StreamMachine): void {
    this.#machine = machine;
    if (this.#state === null) return;
    machine.setDialect(this.dialect);
    machine.restore(this.#state);
    const length = this.#length;
    if (length <= SHORT) copy(this.#tail, 0, length, machine.source, 0);
    else machine.source.set(this.#tail.subarray(0, length));
    if (this.#tail.length > LARGE_TAIL) this.#tail = NOTHING;
  }

  #push(machine: StreamMachine, bytes: Uint8Array, length: number): void {
    for (let at = 0; at < length; ) {
      if (this.#waits) {
        const part = bytes.subarray(at, Math.min(length, at + this.#ahead.room));
        at += part.length;
        this.#ahead.add(part);
        const family = this.#ahead.familyHeld();
        if (family) this.#settle(machine, family);
        continue;
      }
      if (this.#length > machine.capacity >> 1) this.#slide(machine);
      const room = Math.min(length - at, machine.capacity - this.#length);
      if (room <= SHORT) copy(bytes, at, room, machine.source, this.#length);
      else machine.source.set(room === bytes.length ? bytes : bytes.subarray(at, at + room), this.#length);
      this.#length += room;
      at += room;
      this.#run(machine);
    }
  }

  #begin(machine: StreamMachine, how: number): void {
    this.#began = true;
    machine.begin(how, this.dialect);
    this.#rows.reset();
  }

  /** Reads the window as far as it goes. */
  #run(machine: StreamMachine): void {
    if (!this.#began) this.#begin(machine, this.#options.role ? AT_ROLE : AT_INPUT);
    let status = FULL;
    while (status !== DONE) {
      status = machine.scan(this.#scanned, this.#length, this.#final, 0);
      this.#scanned = machine.consumed();
      if (this.#undecided && this.#isNoHeader(machine)) return this.#again(machine, 0, AT_INPUT);
      this.#rows.take(machine, this.#base);
      const isOver = status === DONE && this.#final;
      if (isOver) this.#rows.endText();
      this.#visitor.sure(this.#base + this.#scanned, isOver);
      if (status !== AFTER_HEADER) continue;
      const ahead = machine.source.subarray(this.#scanned, Math.min(this.#length, this.#scanned + DETECT_BYTES));
      const family = this.#ahead.familyAhead(ahead, this.#base + this.#scanned, this.#final);
      if (!family) return this.#wait(machine);
      if (!this.#accept(machine, family)) return;
    }
  }

  /** Moves what is needed to the window's beginning, or aside when it is much. */
  #slide(machine: StreamMachine): void {
    this.#see();
    const sure = this.#base + this.#scanned;
    const needs = this.#undecided ? 0 : Math.min(sure, this.#visitor.needs(sure));
    let from = sure;
    if (needs < this.#base) {
      this.#kept.add(this.#base, machine.source.subarray(0, this.#scanned));
    } else {
      this.#kept.clear(needs);
      if (sure - needs <= machine.capacity >> 2) from = needs;
      else this.#kept.add(needs, machine.source.subarray(needs - this.#base, this.#scanned));
    }
    const by = from - this.#base;
    if (by > 0) {
      machine.slide(by, this.#length);
      this.#base = from;
      this.#length -= by;
      this.#scanned -= by;
    }
    if (this.#masked.length > 0) this.#masked.splice(0, this.#maskedFrom(needs));
  }

  // -- Detection.

  /** The document header that is over may not count: wait for a control token. */
  #wait(machine: StreamMachine): void {
    this.#see();
    this.#waits = 'header';
    this.#ahead.hold(this.#base + this.#scanned, machine.source.subarray(this.#scanned, this.#length));
    this.#length = this.#scanned;
  }

  /** The first control token is known: what was held is read. */
  #settle(machine: StreamMachine, family: Family): void {
    const waited = this.#waits;
    this.#waits = null;
    const held = this.#ahead.release();
    if (waited === 'header') this.#accept(machine, family);
    else if (family === '0.1' && this.#options.role) this.dialect = DIALECTS['openchatml-0.1'];
    else this.#undecided = family === '0.1';
    this.#push(machine, held, held.length);
  }

  /**
   * A document header is over. Takes the dialect that it asks for; or, where its text stands before 0.1 tokens, it is
   * none: it is read again as 0.1, and the answer is false.
   */
  #accept(machine: StreamMachine, family: Family): boolean {
    const header = this.#rows.open[SLOT_HEADER]!;
    const from = header.word & AT_START ? 0 : header.from;
    if (family === '0.1' && (from >= this.#base || (this.#kept.from <= from && this.#kept.isWhole))) {
      this.#rows.endHeader(false);
      this.#again(machine, from, from === 0 ? AT_INPUT : IN_GAP);
      return false;
    }
    this.#undecided = false;
    const dialect = family === 'none' ? DETECTED_22 : this.#options.decide(header.from, header.to);
    if (dialect !== this.dialect) machine.setDialect(dialect);
    this.dialect = dialect;
    this.#rows.endHeader(true);
    return true;
  }

  /** Something other than a document header stands first. */
  #isNoHeader(machine: StreamMachine): boolean {
    if (this.#rows.open[SLOT_HEADER]!.isOpen || machine.count() === 0) return false;
    return (machine.rows[KIND]! & KIND_MASK) !== HEADER;
  }

  /** From a position on the input is 0.1: all since then is read again. */
  #again(machine: StreamMachine, from: number, how: number): void {
    this.#see();
    const bytes = this.#bytes(from, this.#base + this.#length).slice();
    const final = this.#final;
    this.#undecided = false;
    this.dialect = DIALECTS['openchatml-0.1'];
    this.#begin(machine, how);
    this.#base = from;
    this.#length = this.#scanned = 0;
    this.#kept.clear(from);
    this.#final = false;
    this.#push(machine, bytes, bytes.length);
    this.#final = final;
    if (final) this.#run(machine);
  }
}

const LT = 0x3c;
const BLANK = 0x20;
