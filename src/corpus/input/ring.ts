// Memory that a decoding thread and a reading thread share: a ring of decoded bytes, how it ends (the end, an error,
// cancellation), and a place in which the reader hands over coded bytes that only it can read. The size of the ring
// bounds what is decoded ahead.

import { copyBytes } from '../copy-bytes.ts';
import type { LeftOut } from './source.ts';

/** Decoded bytes that may wait to be read; a power of two. */
const RING = 2 ** 20;
/** Coded bytes that the reader hands over at once. */
const FEED = 2 ** 18;
/** Bytes of the report of an error. */
const REPORT = 2 ** 14;
/** Bytes of a note. */
const NOTE = 2 ** 9;

// Numbers in the control area. MADE and TAKEN count bytes modulo 2^32.
const STATE = 0;
const MADE = 1;
const TAKEN = 2;
/** Counts what the reader may wait for. */
const FOR_READER = 3;
/** Counts what the decoder may wait for. */
const FOR_DECODER = 4;
const CANCELLED = 5;
/** NOBODY, or what the feed is in: wanted by the decoder, or given by the reader. */
const FEEDING = 6;
const FED = 7;
const REPORTED = 8;
/** The decoder touches no descriptor and no child process any more. */
const GONE = 9;
const NOTED = 10;
const CONTROL = 64;

// States; 0 while it decodes.
const ENDED = 1;
const FAILED = 2;
const NOBODY = 0;
const WANTED = 1;
const GIVEN = 2;

/** How long one side sleeps before it looks whether the other thread still lives. */
const LOOK_MS = 100;
/** How often the reader looks whether the decoder has let go before it ends the thread. */
const PATIENCE = 10;

/** Thrown inside the decoder: nobody wants the rest. */
export class Cancelled extends Error {}

class Shared {
  readonly control: Int32Array;
  readonly ring: Uint8Array;
  readonly feed: Uint8Array;
  readonly report: Uint8Array;
  readonly note: Uint8Array;

  constructor(memory: SharedArrayBuffer) {
    this.control = new Int32Array(memory, 0, CONTROL / 4);
    this.ring = new Uint8Array(memory, CONTROL, RING);
    this.feed = new Uint8Array(memory, CONTROL + RING, FEED);
    this.report = new Uint8Array(memory, CONTROL + RING + FEED, REPORT);
    this.note = new Uint8Array(memory, CONTROL + RING + FEED + REPORT, NOTE);
  }

  get(word: number): number {
    return Atomics.load(this.control, word);
  }

  set(word: number, value: number): void {
    Atomics.store(this.control, word, value);
  }

  /** Wakes the side that waits for `word`. */
  signal(word: number): void {
    Atomics.add(this.control, word, 1);
    Atomics.notify(this.control, word);
  }

  /** Sleeps until `word` is signalled after it was `seen`. */
  wait(word: number, seen: number): void {
    Atomics.wait(this.control, word, seen, LOOK_MS);
  }

  /** Bytes that were made and not taken. */
  get waiting(): number {
    return (this.get(MADE) - this.get(TAKEN)) | 0;
  }
}

/** Makes memory that both sides have done with as good as new. */
export function clearRing(memory: SharedArrayBuffer): void {
  new Shared(memory).control.fill(0);
}

export function makeRingMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(CONTROL + RING + FEED + REPORT + NOTE);
}

/** What the reading thread does. */
export class RingReader {
  readonly #shared: Shared;
  readonly #isAlive: () => boolean;
  readonly #feed: (into: Uint8Array) => number;

  /** `feed` reads on in the coded input. */
  constructor(memory: SharedArrayBuffer, isAlive: () => boolean, feed: (into: Uint8Array) => number) {
    this.#shared = new Shared(memory);
    this.#isAlive = isAlive;
    this.#feed = feed;
  }

  /** Waits; at least one byte, a number of bytes, or the end: the report of an error, '' when there is none. */
  read(into: Uint8Array): number | string {
    const shared = this.#shared;
    while (true) {
      const seen = shared.get(FOR_READER);
      const state = shared.get(STATE);
      const length = Math.min(shared.waiting, into.length);
      if (length > 0) return this.#take(into.subarray(0, length));
      if (state === ENDED) return '';
      if (state === FAILED) return Buffer.from(shared.report.slice(0, shared.get(REPORTED))).toString();
      if (shared.get(FEEDING) === WANTED) this.#give();
      else if (shared.get(FOR_READER) === seen) this.#sleep(seen);
    }
  }

  /** What the decoder noted before the bytes that were read; null: nothing. */
  get leftOut(): LeftOut | null {
    const length = this.#shared.get(NOTED);
    if (length === 0) return null;
    return JSON.parse(Buffer.from(this.#shared.note.slice(0, length)).toString()) as LeftOut;
  }

  /**
   * Nothing more is read. Returns when the decoder has let go of everything; `stop` is called when that takes long.
   * False: its thread ended, or was stopped.
   */
  cancel(stop: () => void): boolean {
    const shared = this.#shared;
    shared.set(CANCELLED, 1);
    shared.signal(FOR_DECODER);
    for (let waits = 0; ; waits++) {
      const seen = shared.get(FOR_READER);
      if (shared.get(GONE) === 1) return waits <= PATIENCE;
      if (!this.#isAlive()) return false;
      if (waits === PATIENCE) stop();
      shared.wait(FOR_READER, seen);
    }
  }

  #take(into: Uint8Array): number {
    const shared = this.#shared;
    const taken = shared.get(TAKEN);
    const at = taken & (RING - 1);
    const first = Math.min(into.length, RING - at);
    copyBytes(shared.ring.subarray(at, at + first), into);
    copyBytes(shared.ring.subarray(0, into.length - first), into, first);
    shared.set(TAKEN, taken + into.length);
    shared.signal(FOR_DECODER);
    return into.length;
  }

  #give(): void {
    const shared = this.#shared;
    shared.set(FED, this.#feed(shared.feed));
    shared.set(FEEDING, GIVEN);
    shared.signal(FOR_DECODER);
  }

  #sleep(seen: number): void {
    const shared = this.#shared;
    shared.wait(FOR_READER, seen);
    if (shared.get(FOR_READER) !== seen || this.#isAlive()) return;
    // What it did last may have come in between.
    if (shared.get(FOR_READER) === seen) throw new DeadDecoder('the decoding thread has ended');
  }
}

/** The decoding thread ended without a word: it ran out of memory, or somebody stopped it. */
export class DeadDecoder extends Error {}

/** What the decoding thread does. */
export class RingWriter {
  readonly #shared: Shared;

  constructor(memory: SharedArrayBuffer) {
    this.#shared = new Shared(memory);
  }

  /** Waits until the bytes have found room. Throws Cancelled. */
  write(bytes: Uint8Array): void {
    const shared = this.#shared;
    for (let done = 0; done < bytes.length; ) {
      const seen = shared.get(FOR_DECODER);
      this.check();
      const made = shared.get(MADE);
      const at = made & (RING - 1);
      const length = Math.min(bytes.length - done, RING - shared.waiting, RING - at);
      if (length > 0) {
        copyBytes(bytes.subarray(done, done + length), shared.ring, at);
        shared.set(MADE, made + length);
        shared.signal(FOR_READER);
        done += length;
      } else {
        shared.wait(FOR_DECODER, seen);
      }
    }
  }

  /** Notes columns that are not read. */
  leaveOut(columns: LeftOut): void {
    const bytes = Buffer.from(JSON.stringify(columns));
    this.#shared.note.set(bytes);
    this.#shared.set(NOTED, bytes.length);
  }

  /** Coded bytes that the reader reads on; null at the end. Throws Cancelled. */
  ask(): Uint8Array | null {
    const shared = this.#shared;
    shared.set(FEEDING, WANTED);
    shared.signal(FOR_READER);
    while (true) {
      const seen = shared.get(FOR_DECODER);
      this.check();
      if (shared.get(FEEDING) === GIVEN) break;
      shared.wait(FOR_DECODER, seen);
    }
    const length = shared.get(FED);
    shared.set(FEEDING, NOBODY);
    return length === 0 ? null : shared.feed.slice(0, length);
  }

  /** Throws Cancelled when nobody wants the rest. */
  check(): void {
    if (this.#shared.get(CANCELLED) === 1) throw new Cancelled();
  }

  end(): void {
    this.#shared.set(STATE, ENDED);
    this.#shared.signal(FOR_READER);
  }

  /** Ends with an error; the bytes before it are still read. */
  fail(report: string): void {
    const bytes = Buffer.from(report).subarray(0, REPORT);
    this.#shared.report.set(bytes);
    this.#shared.set(REPORTED, bytes.length);
    this.#shared.set(STATE, FAILED);
    this.#shared.signal(FOR_READER);
  }

  /** The last word of a task: no descriptor and no child process is touched from here on. */
  leave(): void {
    this.#shared.set(GONE, 1);
    this.#shared.signal(FOR_READER);
  }
}
