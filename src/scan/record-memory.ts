// The memory of the record machine: where everything stands in it, and views of it.
//
// Static part of the module | rows | lists of tools that are kept | tables of others | sums | scratch | pieces and
// texts of output | output + PADDING | input + PADDING. It grows once, when a line comes that is longer than the input:
// then what is made of such a line has room behind it. Nothing moves, but views are made anew. Pages that nobody writes
// take no memory.

import { PADDING, RECORD_SUM_WORDS, ROW_BYTES } from '../abi.ts';
import type { Exports } from './record-exports.ts';

export interface RecordMemoryOptions {
  /** Bytes of the input at first. 4 MiB by default. */
  readonly input?: number | undefined;
  /**
   * Bytes of the input when it has grown: no line that is longer is read here. As many as at first, where those are
   * given; else a little more than 64 MiB.
   */
  readonly most?: number | undefined;
  /** Rows of the table; 65,536 by default, and at most. */
  readonly rows?: number | undefined;
}

const PAGE = 65536;
const MIB = 1024 * 1024;
const MOST_ROWS = 65536;
const KEPT_TOOLS = 6 * MIB;
const BRIEF_TOOLS = MIB;
const SCRATCH = 2 * MIB;
const TEXTS = 2 * MIB;
const OUTPUT = 2 * MIB;
const INPUT = 4 * MIB;
/** The longest line that commands read, and some bytes behind it. */
const MOST_INPUT = 64 * MIB + 64;

/** Addresses [from, to). */
export interface Room {
  readonly from: number;
  readonly to: number;
}

/** The next one begins behind its padding. */
const roomAt = (from: number, length: number): Room => ({ from, to: from + length });
const behind = ({ to }: Room): number => align(to + PADDING);
const align = (address: number): number => (address + 63) & ~63;

/** Valid until the memory grows. */
interface Views {
  readonly memory: Uint8Array;
  readonly input: Uint8Array;
  readonly rows: Int32Array;
  readonly sums: Uint32Array;
  readonly cells: Int32Array;
}

export class RecordMemory {
  /** What rows say are addresses: that of the input's first byte. */
  readonly origin: number;
  /** Where texts of output stand. */
  readonly texts: Room;
  readonly #exports: Exports;
  readonly #most: number;
  readonly #table: Room;
  readonly #sumsAt: number;
  readonly #scratch: Room;
  readonly #usual: Room;
  /** For what has no room there. */
  #large: { readonly scratch: Room; readonly output: Room } | null = null;
  /** Where the last output went. */
  #output: Room;
  #views: Views;

  constructor(exports: Exports, options: RecordMemoryOptions) {
    const input = options.input ?? INPUT;
    this.#exports = exports;
    this.#most = Math.max(input, options.most ?? options.input ?? MOST_INPUT);
    this.#table = roomAt(align(exports.memoryFrom()), Math.min(MOST_ROWS, options.rows ?? MOST_ROWS) * ROW_BYTES);
    const kept = roomAt(align(this.#table.to), KEPT_TOOLS);
    const brief = roomAt(behind(kept), BRIEF_TOOLS);
    this.#sumsAt = brief.to;
    this.#scratch = roomAt(align(this.#sumsAt + RECORD_SUM_WORDS * 4), SCRATCH);
    this.texts = roomAt(behind(this.#scratch), TEXTS);
    this.#output = this.#usual = roomAt(behind(this.texts), OUTPUT);
    this.origin = behind(this.#usual);
    this.#views = this.#viewsTo(this.origin + input, input);
    exports.placeTable(this.#table.from, this.#table.to);
    exports.placeTools(kept.from, kept.to, brief.from, brief.to);
    exports.placeScratch(this.#scratch.from, this.#scratch.to);
  }

  /** Makes the memory reach to an address. */
  #viewsTo(to: number, input: number): Views {
    const { memory } = this.#exports;
    const missing = to + PADDING - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
    const { buffer } = memory;
    const { from, to: end } = this.#table;
    return {
      memory: new Uint8Array(buffer),
      input: new Uint8Array(buffer, this.origin, input),
      rows: new Int32Array(buffer, from, (end - from) / 4),
      sums: new Uint32Array(buffer, this.#sumsAt, RECORD_SUM_WORDS),
      cells: new Int32Array(buffer, this.#scratch.from, SCRATCH / 4),
    };
  }

  /** Makes room for the longest line; false: there is. */
  grow(): boolean {
    const most = this.#most;
    if (this.input.length >= most) return false;
    const scratch = roomAt(behind(roomAt(this.origin, most)), most);
    const output = roomAt(behind(scratch), most + OUTPUT);
    this.#views = this.#viewsTo(output.to, most);
    this.#large = { scratch, output };
    return true;
  }

  /** All of the memory, as rows and cells have addresses. */
  get memory(): Uint8Array {
    return this.#views.memory;
  }

  /** Lines are written here. */
  get input(): Uint8Array {
    return this.#views.input;
  }

  /** The table, ROW_WORDS words a row. */
  get rows(): Int32Array {
    return this.#views.rows;
  }

  /** RECORD_SUM_WORDS words that counting adds to. */
  get sums(): Uint32Array {
    return this.#views.sums;
  }

  /** CELLS words for each message that was written as cells. */
  get cells(): Int32Array {
    return this.#views.cells;
  }

  /** What was written last, and the contents of cells. */
  get output(): Uint8Array {
    return this.memory.subarray(this.#output.from, this.#output.to);
  }

  /** The address of the output's first byte. */
  get outputAt(): number {
    return this.#output.from;
  }

  /** Where contents of lines are unescaped. */
  get scratch(): Room {
    return this.#large?.scratch ?? this.#scratch;
  }

  /** The usual place of output. */
  protected usual(): Room {
    return (this.#output = this.#usual);
  }

  /**
   * Writes records from `record` on into the output from `at` on, and answers what `write` does: the first one that was
   * not written. At the beginning of the output one that is long has room, too.
   */
  protected write(record: number, at: number, write: (from: number, to: number) => number): number {
    if (at === 0) this.#output = this.#usual;
    const next = write(this.#output.from + at, this.#output.to);
    if (next > record || at > 0 || this.#large === null) return next;
    const { from, to } = this.#output = this.#large.output;
    return write(from, to);
  }
}
