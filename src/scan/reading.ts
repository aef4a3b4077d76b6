// Drives a scanner over a source: windows in, batches of finished rows out; asks the model about document headers and
// decides the dialect (R-DETECT). Memory is bounded by the window, the table and the longest message's rows.

import {
  AFTER_HEADER, AT_INPUT, AT_ROLE, AT_START, DONE, FROM, HEADER, IN_GAP, KIND, KIND_MASK, NEXT, ROW_WORDS, SLOT_COUNT,
  TO, UNCHANGED,
} from '../abi.ts';
import { DETECTED_22, type Dialect, DIALECTS } from './dialects.ts';
import type { RowMachine, StreamMachine } from './machine.ts';
import { type Family, familyIn, LT, Peek } from './peek.ts';
import type { Source } from './source.ts';
import { type Batch, GrowingTable } from './table.ts';

/**
 * Looks at the bytes of each window when they have come: [from, to) of the window that begins at `base`. Whoever
 * watches reads with a scanner that finds bad UTF-8.
 */
export interface Watch {
  watch(machine: StreamMachine, base: number, from: number, to: number, final: boolean): void;
  /** The window goes on to this position: bytes before it are there for the last time. */
  leave?(position: number): void;
}

export interface ReadingOptions {
  readonly watch?: Watch | undefined;
  /** The caller's dialect; without it the dialect is detected. */
  readonly dialect?: Dialect | undefined;
  /** The text completes a message of a role that the caller knows. */
  readonly role?: boolean;
  /**
   * Of what stands behind this position little will be wanted: it is read a little at a time, and more if there is no
   * end of it.
   */
  readonly enough?: number | undefined;
  /** Begins at a message's start token, as what was read before it left the scan. */
  readonly start?: { readonly position: number; readonly dialect: Dialect } | undefined;
  /** The dialect that the document header [from, to) of `source` asks for; asked only while detecting. */
  decide(source: Source, from: number, to: number): Dialect;
}

/** Bytes that are read at first where little is wanted. */
const LITTLE = 32 * 1024;
/** Bytes behind a document header that are searched where they lie; and what mostly stands there at once. */
const NEARBY = 256;
const START_TOKEN = new TextEncoder().encode('<|start|>');

/** Most texts are read at once, and have nothing to carry. */
const NO_ROWS = new Int32Array(0);
/** Positions behind it may not fit into 32 bits, nor those of the window. */
const NARROW = 2 ** 30;

export class Reading implements Source {
  readonly #machine: RowMachine;
  readonly #source: Source;
  readonly #options: ReadingOptions;
  readonly #peek: Peek;
  #dialect: Dialect;
  /** Detecting, and the first control token is one of 0.1: it decides, unless a document header opens the input. */
  #undecided = false;
  /**
   * The one top-level row that is not finished, with its descendants: absolute positions, and the first one's number.
   */
  readonly #carried = new GrowingTable(NO_ROWS);
  #carriedFirst = 0;
  /** Number of the row at the beginning of the machine's table. */
  #first = 0;
  /** The window: absolute position of its first byte, bytes in it, bytes scanned, whether the input ends with it. */
  #base = 0;
  #length = 0;
  #scanned = 0;
  #final = false;

  constructor(machine: RowMachine, source: Source, options: ReadingOptions) {
    this.#machine = machine;
    this.#source = source;
    this.#options = options;
    this.#peek = new Peek(source);
    if (options.start) {
      this.#dialect = options.start.dialect;
      machine.begin(IN_GAP, this.#dialect);
      this.#goTo(options.start.position);
      return;
    }
    this.#dialect = options.dialect ?? DETECTED_22;
    if (!options.dialect && this.#peek.familyAfter(0) === '0.1') {
      // A sign begins no document header. Nothing else is looked for: the rest of the window would be read twice.
      if (options.role || source.bytes(0, 1)[0] === LT) this.#dialect = DIALECTS['openchatml-0.1'];
      else this.#undecided = true;
    }
    machine.begin(options.role ? AT_ROLE : AT_INPUT, this.#dialect);
  }

  /** Bytes [from, to), from the window when they lie there. Valid until the next batch. */
  bytes(from: number, to: number): Uint8Array {
    if (from >= this.#base && to <= this.#base + this.#length) {
      return this.#machine.source.subarray(from - this.#base, to - this.#base);
    }
    return this.#source.bytes(from, to);
  }

  read(at: number, into: Uint8Array): number {
    return this.#source.read(at, into);
  }

  release(before: number): void {
    this.#source.release(before);
  }

  get end(): number | undefined {
    return this.#source.end;
  }

  /** Absolute position up to which the input is read and scanned. */
  get position(): number {
    return this.#base + this.#scanned;
  }

  /** The batches, in order. Each is valid until the next one is asked for. */
  *batches(): Generator<Batch, void, void> {
    const machine = this.#machine;
    while (true) {
      if (this.#scanned === this.#length || this.#starved) this.#fill();
      const status = machine.scan(this.#scanned, this.#length, this.#final, 0);
      this.#scanned = machine.consumed();
      this.#starved = status === DONE;
      this.#copySlots();
      if (this.#undecided && this.#decideLine()) continue;
      const before = this.#dialect;
      const isHeader = status === AFTER_HEADER && this.#acceptHeader();
      // Most headers change nothing: their rows may wait for the end of the window, which must not move before.
      const waits = isHeader && this.#nextDialect === before && this.#isCarriedDone && this.#scanned < this.#length;
      if (waits) continue;
      yield* this.#take(status === AFTER_HEADER, isHeader);
      if (status === AFTER_HEADER && !isHeader) {
        this.#beginLines(this.#lineFrom === 0 ? AT_INPUT : IN_GAP, this.#lineFrom);
        continue;
      }
      this.#keep();
      if (status === DONE && this.#final) return;
    }
  }

  /** A document header lies in the table, and so does the end of what is carried. */
  get #isCarriedDone(): boolean {
    if (this.#carried.count === 0) return true;
    return this.#machine.count() > 0 && this.#machine.settled() > this.#carriedFirst;
  }

  #starved = true;
  /** Where the last row that was given out ends. */
  #sureTo = 0;

  #fill(): void {
    const machine = this.#machine;
    this.#options.watch?.leave?.(this.#base + this.#scanned);
    machine.slide(this.#scanned, this.#length);
    this.#base += this.#scanned;
    this.#length -= this.#scanned;
    this.#scanned = 0;
    if (this.#final) return;
    // Behind the last row that is sure, a line may still turn out to be a header from its beginning.
    if (!this.#undecided) {
      this.#source.release(this.#carried.count > 0 ? this.#carried.words[FROM]! : Math.min(this.#base, this.#sureTo));
    }
    const beyond = this.#base + this.#length - (this.#options.enough ?? Infinity);
    const wanted = beyond < 0 ? LITTLE - beyond : Math.max(LITTLE, beyond);
    const free = machine.source.subarray(this.#length, Math.min(this.#length + wanted, machine.capacity));
    const read = this.#source.read(this.#base + this.#length, free);
    this.#length += read;
    // A source that is at its end need not be asked again: then no row waits for what may follow.
    this.#final = read === 0 || this.#base + this.#length === this.#source.end;
    this.#options.watch?.watch(machine as StreamMachine, this.#base, this.#length - read, this.#length, this.#final);
  }

  /** Brings carried open rows up to what the machine knows of them. */
  #copySlots(): void {
    if (this.#carried.count === 0) return;
    const { slots, slotRows } = this.#machine;
    if (this.#base > NARROW) this.#carried.widen();
    const { words } = this.#carried;
    for (let slot = 0; slot < SLOT_COUNT; slot++) {
      if (slotRows[slot]! < 0) continue;
      const at = (slotRows[slot]! - this.#carriedFirst) * ROW_WORDS;
      words[at + KIND] = slots[slot * ROW_WORDS + KIND]!;
      words[at + NEXT] = slots[slot * ROW_WORDS + NEXT]!;
      const to = slots[slot * ROW_WORDS + TO]!;
      if (to !== UNCHANGED) words[at + TO] = this.#base + to;
    }
  }

  /** The document header that has just ended: the last row of the table, or the carried one when it began earlier. */
  #headerRow(): { kind: number; from: number; to: number } {
    const carried = this.#machine.count() === 0;
    const words = carried ? this.#carried.words : this.#machine.rows;
    const at = carried ? 0 : (this.#machine.count() - 1) * ROW_WORDS;
    const base = carried ? 0 : this.#base;
    return { kind: words[at + KIND]!, from: base + words[at + FROM]!, to: base + words[at + TO]! };
  }

  /** Detection: as soon as something other than a document header stands first, it is 0.1. True: begin anew. */
  #decideLine(): boolean {
    const carried = this.#carried.count > 0;
    if (!carried && this.#machine.count() === 0) return false;
    const kind = (carried ? this.#carried.words[KIND]! : this.#machine.rows[KIND]!) & KIND_MASK;
    if (kind === HEADER) return false;
    this.#beginLines(AT_INPUT, 0);
    return true;
  }

  /** From a position on the input is 0.1. */
  #beginLines(how: number, position: number): void {
    this.#undecided = false;
    this.#dialect = DIALECTS['openchatml-0.1'];
    this.#machine.begin(how, this.#dialect);
    this.#carried.clear();
    this.#first = 0;
    this.#goTo(position);
  }

  /**
   * A document header has ended. Takes the dialect that it asks for. False: its text stands before 0.1 tokens, so that
   * it is none, and from there on the input is 0.1.
   */
  #acceptHeader(): boolean {
    if (this.#options.dialect) return true;
    const { kind, from, to } = this.#headerRow();
    const family = this.#familyAfter(to);
    if (family === '0.1') {
      this.#lineFrom = kind & AT_START ? 0 : from;
      return false;
    }
    this.#undecided = false;
    this.#nextDialect = family === 'none' ? DETECTED_22 : this.#options.decide(this, from, to);
    if (this.#nextDialect !== this.#dialect) this.#machine.setDialect(this.#nextDialect);
    return true;
  }

  /** What stands in the window mostly answers; only else the input is searched. */
  #familyAfter(to: number): Family {
    const from = to - this.#base;
    if (from >= 0 && from + START_TOKEN.length <= this.#length) {
      const { source } = this.#machine;
      let same = 0;
      while (same < START_TOKEN.length && source[from + same] === START_TOKEN[same]) same++;
      if (same === START_TOKEN.length) return '2.x';
    }
    const known =
      from >= 0 ? familyIn(this.#machine.source.subarray(from, Math.min(this.#length, from + NEARBY))) : 'none';
    return known === 'none' ? this.#peek.familyAfter(to) : known;
  }

  #nextDialect: Dialect | undefined;
  #lineFrom = 0;

  /** Puts the window to an absolute position; the bytes are read again. */
  #goTo(position: number): void {
    this.#base = position;
    this.#length = this.#scanned = 0;
    this.#final = false;
    this.#starved = true;
  }

  /**
   * Yields what is settled. A document header stands last and goes alone, with the dialect that it asks for, if it
   * counts.
   */
  *#take(withHeader: boolean, headerCounts: boolean): Generator<Batch, void, void> {
    const machine = this.#machine;
    const settled = machine.settled();
    let from = this.#first;
    if (this.#carried.count > 0) {
      if (settled <= this.#carriedFirst) return;
      const closed = this.#carried.words[NEXT]!;
      const isHeader = withHeader && closed === settled;
      if (isHeader && !headerCounts) return;
      this.#carry(0, closed - this.#first);
      if (isHeader) this.#takeDialect();
      yield this.#batch(this.#carried.words, 0, this.#carriedFirst, this.#carriedFirst, closed);
      this.#sureTo = this.#carried.words[TO]!;
      this.#carried.clear();
      from = closed;
    }
    if (from === settled) return;
    const to = withHeader ? settled - 1 : settled;
    if (to > from) yield this.#batch(machine.rows, this.#base, this.#first, from, to);
    if (!headerCounts) return;
    this.#takeDialect();
    yield this.#batch(machine.rows, this.#base, this.#first, to, settled);
  }

  #takeDialect(): void {
    this.#dialect = this.#nextDialect ?? this.#dialect;
  }

  #batch(words: Int32Array | Float64Array, base: number, first: number, from: number, to: number): Batch {
    return { words, base, first, from, to, dialect: this.#dialect, source: this };
  }

  /** Rows [from, to) of the machine's table are carried. */
  #carry(from: number, to: number): void {
    if (this.#base > NARROW) this.#carried.widen();
    this.#carried.append(this.#machine.rows, from, to, this.#base, 0);
  }

  /** Carries what is not settled and empties the machine's table. */
  #keep(): void {
    const machine = this.#machine;
    const count = machine.count();
    const settled = machine.settled();
    // The last row may be a descendant, which ends before its message: never too far.
    if (settled > this.#first) this.#sureTo = this.#base + machine.rows[(settled - this.#first - 1) * ROW_WORDS + TO]!;
    if (this.#carried.count > 0) {
      this.#carry(0, count);
      this.#source.keeps?.(this.#carried.count, this.#carried.words[FROM]!);
    } else if (settled < this.#first + count) {
      this.#carriedFirst = settled;
      this.#carry(settled - this.#first, count);
    }
    machine.drain();
    this.#first += count;
    // Numbers begin anew with what is carried, so that they stay small in an input of any size.
    if (this.#carriedFirst > 0 || this.#carried.count === 0) {
      this.#carried.renumber(-this.#carriedFirst);
      this.#carriedFirst = 0;
      this.#first = this.#carried.count;
      machine.restart(this.#first);
    }
  }
}
