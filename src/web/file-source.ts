// A file as a source of bytes, in a worker: there a part of a file can be read while the work waits. Memory holds one
// block, whatever the size of the file.

import type { Source } from '../index.ts';

/** What workers have, and the types of pages do not know. */
interface SyncReader {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}
declare const FileReaderSync: new () => SyncReader;

const BLOCK = 4 * 1024 * 1024;
const LF = 0x0a;

/** Rows of a message that are kept, as for the command: 40 MiB of them. */
const MOST_ROWS = 2_621_440;

/** Places of lines that are kept; when there are more, every second one is forgotten. */
const MOST_PLACES = 65_536;

export class FileSource implements Source {
  readonly end: number;
  readonly #file: Blob;
  readonly #reader = new FileReaderSync();
  #block = new Uint8Array(0);
  #from = 0;

  constructor(file: Blob) {
    this.#file = file;
    this.end = file.size;
  }

  read(at: number, into: Uint8Array): number {
    if (at < this.#from || at >= this.#from + this.#block.length) this.#load(at);
    const part = this.#block.subarray(at - this.#from, at - this.#from + into.length);
    into.set(part);
    return part.length;
  }

  bytes(from: number, to: number): Uint8Array {
    const end = Math.min(to, this.end);
    if (end <= from) return new Uint8Array(0);
    if (from >= this.#from && end <= this.#from + this.#block.length) {
      return this.#block.subarray(from - this.#from, end - this.#from);
    }
    return new Uint8Array(this.#reader.readAsArrayBuffer(this.#file.slice(from, end)));
  }

  release(): void {}

  keeps(rows: number, from: number): void {
    if (rows <= MOST_ROWS) return;
    throw new Error(`its message at byte ${from} holds more than ${MOST_ROWS} control tokens and escapes`);
  }

  #load(at: number): void {
    this.#block = new Uint8Array(this.#reader.readAsArrayBuffer(this.#file.slice(at, at + BLOCK)));
    this.#from = at;
  }
}

/** Places in rising order, of which some are kept: as many whatever the number of them. */
export class SparsePlaces {
  #places = new Float64Array(MOST_PLACES);
  #kept = 0;
  #step = 1;
  #count = 0;

  add(place: number): void {
    if (this.#count++ % this.#step !== 0) return;
    if (this.#kept === MOST_PLACES) {
      this.#kept = MOST_PLACES / 2;
      for (let i = 0; i < this.#kept; i++) this.#places[i] = this.#places[2 * i]!;
      this.#step *= 2;
      if ((this.#count - 1) % this.#step !== 0) return;
    }
    this.#places[this.#kept++] = place;
  }

  /** Place number `i * step` stands at `i`. */
  result(): Places {
    return { step: this.#step, count: this.#count, places: this.#places.slice(0, this.#kept) };
  }
}

export interface Places {
  readonly step: number;
  readonly count: number;
  readonly places: Float64Array;
}

/** A source that notes where the lines of what is read begin. */
export class LinesNoted extends FileSource {
  readonly lines = new SparsePlaces();
  /** False: nobody will ask for lines. */
  notes = true;
  #to = 0;

  constructor(file: Blob) {
    super(file);
    this.lines.add(0);
  }

  override read(at: number, into: Uint8Array): number {
    const read = super.read(at, into);
    if (!this.notes) return read;
    // What is read again was noted.
    const from = Math.max(0, this.#to - at);
    if (at + from !== this.#to) return read;
    for (let lf = into.subarray(0, read).indexOf(LF, from); lf >= 0; lf = into.subarray(0, read).indexOf(LF, lf + 1)) {
      if (at + lf + 1 < this.end) this.lines.add(at + lf + 1);
    }
    this.#to = Math.max(this.#to, at + read);
    return read;
  }
}
