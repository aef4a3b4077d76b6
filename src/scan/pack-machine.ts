// The pack machine: numbers and bytes in, what Parquet has in a page out (assembly/README.md specifies the calls).
// For corpora in Node.
//
// Memory: static part of the module | marks | input | page | output, each with PADDING. Placed once, never grown, so
// that no view ever goes stale. A page is put together part by part; every build gives the same bytes.

import { PADDING } from '../abi.ts';
import { type Build, Builds } from './builds.ts';
import { scalar, simd } from './pack-binary.ts';

/** What assembly/pack.ts exports. Positions are addresses. */
interface Exports {
  memory: WebAssembly.Memory;
  memoryFrom(): number;
  packDifferences(from: number, count: number, into: number): number;
  packLengths(from: number, count: number, into: number): number;
  leastPacked(): number;
  greatestPacked(): number;
  packIds(from: number, count: number, width: number, into: number): number;
  packMarks(from: number, count: number, into: number): number;
  presentWords(at: number, count: number, marks: number): number;
  presentNumbers(at: number, count: number, marks: number): number;
  compress(from: number, to: number, into: number): number;
}

const PAGE = 65536;
const MIB = 1024 * 1024;
/** Values of a page, at most. */
export const MOST_VALUES = 256 * 1024;
/** Bytes of a page that is compressed at once; what is added to it may need more. */
const WINDOW = 2 * MIB;
const ROOM = 10 * MOST_VALUES;
/** The most that compressing so many bytes gives. */
const most = (bytes: number): number => 32 + bytes + Math.ceil(bytes / 6);
/** Bytes of a text's length, at most. */
const LENGTH_BYTES = 5;
const builds = new Builds(simd, scalar);
const align = (address: number): number => (address + 63) & ~63;

export class PackMachine {
  /** What is to be added, up to MOST_VALUES. Numbers and words lie in the same place. */
  readonly numbers: Float64Array;
  readonly words: Int32Array;
  readonly marks: Uint8Array;
  readonly #exports: Exports;
  readonly #memory: Uint8Array;
  readonly #marksAt: number;
  readonly #inputAt: number;
  readonly #pageAt: number;
  readonly #outputAt: number;
  /** Address behind the page. */
  #at: number;
  /** What comes behind it. */
  #rest: Uint8Array | null = null;

  constructor(build: Build = 'best') {
    const { exports } = new WebAssembly.Instance(builds.compile(build), {});
    const machine = exports as unknown as Exports;
    this.#marksAt = align(machine.memoryFrom());
    this.#inputAt = align(this.#marksAt + MOST_VALUES + PADDING);
    this.#pageAt = align(this.#inputAt + 8 * MOST_VALUES + PADDING);
    this.#outputAt = align(this.#pageAt + WINDOW + ROOM + PADDING);
    const missing = this.#outputAt + LENGTH_BYTES + most(WINDOW + ROOM) + PADDING - machine.memory.buffer.byteLength;
    if (missing > 0) machine.memory.grow(Math.ceil(missing / PAGE));
    const { buffer } = machine.memory;
    this.#exports = machine;
    this.#memory = new Uint8Array(buffer);
    this.numbers = new Float64Array(buffer, this.#inputAt, MOST_VALUES);
    this.words = new Int32Array(buffer, this.#inputAt, MOST_VALUES);
    this.marks = new Uint8Array(buffer, this.#marksAt, MOST_VALUES);
    this.#at = this.#pageAt;
  }

  /** Begins a page. */
  begin(): void {
    this.#at = this.#pageAt;
    this.#rest = null;
  }

  /** Bytes of the page. */
  get length(): number {
    return this.#at - this.#pageAt + (this.#rest?.length ?? 0);
  }

  /** Leaves those of `words` that are not below 0, and sets `marks`: 1 where one stood. Answers how many are left. */
  presentWords(count: number): number {
    return this.#exports.presentWords(this.#inputAt, count, this.#marksAt);
  }

  /** The same of `numbers`, without NaN. */
  presentNumbers(count: number): number {
    return this.#exports.presentNumbers(this.#inputAt, count, this.#marksAt);
  }

  /** Adds `numbers`, which are integers up to 2^53, as DELTA_BINARY_PACKED. Answers the least and the greatest. */
  addDifferences(count: number): readonly [least: number, greatest: number] | null {
    this.#at = this.#exports.packDifferences(this.#inputAt, count, this.#at);
    return count === 0 ? null : [this.#exports.leastPacked(), this.#exports.greatestPacked()];
  }

  /** The same of `words`. */
  addLengths(count: number): void {
    this.#at = this.#exports.packLengths(this.#inputAt, count, this.#at);
  }

  /** Adds `words`, which are numbers of `width` bits, as runs and bits. */
  addIds(count: number, width: number): void {
    this.#at = this.#exports.packIds(this.#inputAt, count, width, this.#at);
  }

  /** The same of `marks`, which are 0 or 1. */
  addMarks(count: number): void {
    this.#at = this.#exports.packMarks(this.#marksAt, count, this.#at);
  }

  addByte(byte: number): void {
    this.#memory[this.#at++] = byte;
  }

  /** Adds bytes; what comes behind many of them is not added. They must stay until the page is taken. */
  addBytes(bytes: Uint8Array): void {
    if (this.#at + bytes.length > this.#pageAt + WINDOW) this.#rest = bytes;
    else {
      this.#memory.set(bytes, this.#at);
      this.#at += bytes.length;
    }
  }

  /** The page as it is: all but bytes that were many. Valid until the next one is begun. */
  get plain(): Uint8Array {
    return this.#memory.subarray(this.#pageAt, this.#at);
  }

  /** The page, compressed with Snappy. Valid until the next one is taken. */
  compressed(): Uint8Array {
    const { length } = this;
    let at = this.#writeLength(length);
    if (this.#rest === null) return this.#memory.subarray(this.#outputAt, this.#compress(this.#at, at));
    const whole = new Uint8Array(LENGTH_BYTES + most(length));
    let end = 0;
    const put = (to: number): void => {
      const part = this.#memory.subarray(this.#outputAt, to);
      whole.set(part, end);
      end += part.length;
    };
    put(at);
    // Whole blocks are compressed for themselves: the page is moved through the window.
    let filled = this.#at;
    const limit = this.#pageAt + WINDOW;
    for (let from = 0; from < this.#rest.length; ) {
      const part = this.#rest.subarray(from, from + limit - filled);
      this.#memory.set(part, filled);
      filled += part.length;
      from += part.length;
      if (filled < limit) break;
      put(this.#compress(limit, this.#outputAt));
      filled = this.#pageAt;
    }
    at = this.#outputAt;
    put(this.#compress(filled, at));
    return whole.subarray(0, end);
  }

  /** Compresses the page up to an address, into the output from `at` on; answers where that ends. */
  #compress(to: number, at: number): number {
    return this.#exports.compress(this.#pageAt, to, at);
  }

  /** A compressed text begins with the length of what it becomes. Answers where that ends. */
  #writeLength(length: number): number {
    let at = this.#outputAt;
    let rest = length;
    for (; rest >= 0x80; rest >>>= 7) this.#memory[at++] = (rest & 0x7f) | 0x80;
    this.#memory[at++] = rest;
    return at;
  }
}
