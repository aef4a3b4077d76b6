// The scanner of rows in WebAssembly behind the interface of a machine. This file and wasm.ts, which has the rest of
// the scanner, alone hold views of its memory.
//
// Memory: static part of the module | what wasm.ts has + PADDING | one byte before the window | window + PADDING |
// table | texts that are kept. Placed once, never grown, so that no view ever goes stale.

import * as abi from '../abi.ts';
import { type Dialect, encodeDialect } from './dialects.ts';
import type { RowMachine } from './machine.ts';

/** What assembly/core.ts exports. */
export interface RowScanner {
  readonly memory: WebAssembly.Memory;
  memoryFrom(): number;
  dialectAt(): number;
  slotsAt(): number;
  slotRowsAt(): number;
  usesSimd(): number;
  place(windowAt: number, tableAt: number, tableTo: number): void;
  begin(how: number): void;
  setDialect(): void;
  scan(from: number, length: number, final: number, origin: number): number;
  consumed(): number;
  count(): number;
  settled(): number;
  drain(): void;
  restart(kept: number): void;
  slide(from: number, length: number): void;
}

const PAGE = 65536;
/** A window must hold a field that is kept until it is whole, and a token. */
const LEAST_WINDOW = 1024;
const USUAL_WINDOW = 256 * 1024;

const align = (address: number): number => (address + 63) & ~63;

export interface WindowOptions {
  /** Bytes of the window. 256 KiB stay in the second-level cache together with their rows. */
  window?: number;
  /** Rows of the table. */
  tableRows?: number;
}

/** Bytes before the window and behind the table, for more than rows. */
interface Further {
  readonly before: number;
  readonly behind: number;
}

export class WasmRows implements RowMachine {
  readonly engine: 'simd' | 'scalar';
  readonly source: Uint8Array;
  readonly capacity: number;
  readonly rows: Int32Array;
  readonly slots: Int32Array;
  readonly slotRows: Int32Array;
  protected readonly windowAt: number;
  /** Addresses of what stands before the window and behind the table. */
  protected readonly beforeAt: number;
  protected readonly behindAt: number;
  readonly #scanner: RowScanner;
  readonly #dialect: Uint8Array;
  #loaded: Dialect | undefined;

  constructor(exports: object, { window, tableRows = 64 * 1024 }: WindowOptions, { before, behind }: Further) {
    const scanner = exports as RowScanner;
    this.#scanner = scanner;
    this.engine = scanner.usesSimd() ? 'simd' : 'scalar';
    this.capacity = Math.max(window ?? USUAL_WINDOW, LEAST_WINDOW);
    const beforeAt = align(scanner.memoryFrom());
    const windowAt = align(beforeAt + before + abi.PADDING + 64);
    const tableAt = align(windowAt + this.capacity + abi.PADDING);
    const tableTo = tableAt + tableRows * abi.ROW_BYTES;
    const missing = tableTo + behind - scanner.memory.buffer.byteLength;
    if (missing > 0) scanner.memory.grow(Math.ceil(missing / PAGE));
    scanner.place(windowAt, tableAt, tableTo);
    const { buffer } = scanner.memory;
    this.source = new Uint8Array(buffer, windowAt, this.capacity);
    this.rows = new Int32Array(buffer, tableAt, tableRows * abi.ROW_WORDS);
    this.slots = new Int32Array(buffer, scanner.slotsAt(), abi.SLOT_COUNT * abi.ROW_WORDS);
    this.slotRows = new Int32Array(buffer, scanner.slotRowsAt(), abi.SLOT_COUNT);
    this.#dialect = new Uint8Array(buffer, scanner.dialectAt(), abi.DIALECT_BYTES);
    this.beforeAt = beforeAt;
    this.windowAt = windowAt;
    this.behindAt = tableTo;
  }

  begin(how: number, dialect: Dialect): void {
    this.#load(dialect);
    this.#scanner.begin(how);
  }

  setDialect(dialect: Dialect): void {
    this.#load(dialect);
    this.#scanner.setDialect();
  }

  /** Writes a dialect into the scanner's memory, unless it is there: a corpus asks for the same one at each header. */
  #load(dialect: Dialect): void {
    if (dialect === this.#loaded) return;
    this.#dialect.set(encodeDialect(dialect));
    this.#loaded = dialect;
  }

  scan(from: number, length: number, final: boolean, origin: number): number {
    return this.#scanner.scan(from, length, final ? 1 : 0, origin);
  }

  consumed(): number {
    return this.#scanner.consumed();
  }

  count(): number {
    return this.#scanner.count();
  }

  settled(): number {
    return this.#scanner.settled();
  }

  drain(): void {
    this.#scanner.drain();
  }

  restart(kept: number): void {
    this.#scanner.restart(kept);
  }

  slide(from: number, length: number): void {
    this.#scanner.slide(from, length);
  }
}
