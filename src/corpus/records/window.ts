// Lines of a source in a window of memory: whole lines are there at once. It grows where it can when a longer one
// comes; one that is longer still is gathered beside it.

import type { Source } from '../../scan/source.ts';
import { isMarked, LF, MARK } from './json-bytes.ts';

/** Lines of an input: those that begin at or behind `from` and before `to`. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
  /** A line begins at `from`, and no byte order mark. */
  readonly isLine?: true;
  /** Number of the first record, from 0, and of the first line, from 1. */
  readonly record: number;
  readonly line: number;
}

/** A line that is longer than the window. */
export interface LongLine {
  /** Position in the input. */
  readonly from: number;
  readonly length: number;
  /** Null: it has more bytes than are kept. */
  readonly bytes: Buffer | null;
  /** A line feed ended it. */
  readonly isEnded: boolean;
}

/** What holds the window. */
export interface LineMachine {
  readonly input: Uint8Array;
  /** Position of the last LF of [from, to), or -1. */
  lastLine(from: number, to: number): number;
  /** Makes the input longer; its bytes stay. False: it is as long as it can be. */
  grow?(): boolean;
}

/** Makes lines of an input that has none. */
export interface Framing {
  /**
   * Makes lines of what can be made lines in the window: bytes [at, length) of it, of which `base` is the position of
   * the first one in the input. Answers where the last line ends that was made, or -1.
   */
  frame(bytes: Uint8Array, base: number, at: number, length: number, ended: boolean): number;
}

/** Bytes of a long line that there is room for at first. */
const ROOM = 64 * 1024 * 1024;
/** Bytes read at once: they stay in the second-level cache, and what is left of a line is little beside them. */
const STEP = 512 * 1024;

export class LineWindow {
  readonly #machine: LineMachine;
  readonly #source: Source;
  #bytes: Buffer;
  /** Bytes of the window that may be used, however long it is, and that are. */
  readonly #longest: number;
  #most: number;
  readonly #framing: Framing | null;
  /** Where the range ends: mostly behind a line. */
  readonly #to: number;
  /** Position in the input of the window's first byte; where the line at hand begins in it. */
  base: number;
  at = 0;
  #length = 0;
  /** Where the last line ends that ends in the window, or -1. */
  last = -1;
  ended = false;

  /** Begins at the first line of a range. `longest`: bytes of a line that the window may hold, with its end. */
  constructor(
    machine: LineMachine, source: Source, { from, to, isLine }: LineRange, longest = Infinity,
    framing: Framing | null = null,
  ) {
    this.#machine = machine;
    this.#source = source;
    this.#longest = longest;
    this.#bytes = bytesOf(machine);
    this.#most = this.#mostOf(this.#bytes);
    this.#framing = framing;
    this.#to = to;
    // A line begins where the byte before is a line feed.
    this.base = isLine ? from : Math.max(0, from - 1);
    if (isLine) return;
    if (from > 0) this.#passLine();
    else this.#passMark();
  }

  /** One byte is left to whoever ends the last line. */
  #mostOf(bytes: Buffer): number {
    return Math.min(this.#longest, bytes.length - 1);
  }

  /** Position in the input of the line at hand. */
  get position(): number {
    return this.base + this.at;
  }

  /** Nothing is left. */
  get isDone(): boolean {
    return this.isEnd(this.at);
  }

  /** Reads on until the line at hand is there as a whole; false: it is longer than the window, or there is none. */
  holdsLine(): boolean {
    while (this.last < this.at) {
      if (this.#more() || this.#grow()) continue;
      if (!this.ended || this.at >= this.#length || this.#framing !== null) return false;
      // The end of the input ends a line.
      this.last = this.#length;
    }
    return true;
  }

  /** The first LF in the window at or behind `from`, up to the last line's; -1: there is none. */
  lineFeed(from: number): number {
    const found = this.#bytes.indexOf(LF, from);
    return found < this.#length ? found : -1;
  }

  /** Nothing of the input stands at or behind a place in the window. */
  isEnd(at: number): boolean {
    return this.ended && at >= this.#length;
  }

  /** Bytes [from, to) of the window, valid until lines are asked for. */
  bytes(from: number, to: number): Buffer {
    return this.#bytes.subarray(from, to);
  }

  /** A line that is longer than the window; `most`: bytes of it that are kept. The next line is at hand then. */
  longLine(most: number): LongLine {
    const parts = this.longLineParts(most);
    for (let next = parts.next(); ; next = parts.next()) if (next.done) return next.value;
  }

  /** The same; gives the bytes of a line that has more, each part valid until the next one, and null before reads. */
  *longLineParts(most: number): Generator<Uint8Array | null, LongLine, void> {
    const from = this.position;
    let bytes: Buffer | null = this.#roomFor(most);
    let length = 0;
    let isEnded = false;
    while (!isEnded) {
      const lf = this.lineFeed(this.at);
      const to = lf < 0 ? this.#length : lf;
      const part = this.#bytes.subarray(this.at, to);
      if (bytes !== null && length + part.length > most) {
        if (length > 0) yield bytes.subarray(0, length);
        bytes = null;
      }
      if (bytes === null) yield part;
      else {
        if (length + part.length > bytes.length) bytes = grown(bytes, length, Math.min(most, 2 * bytes.length));
        bytes.set(part, length);
      }
      length += part.length;
      isEnded = lf >= 0;
      this.at = isEnded ? to + 1 : to;
      if (isEnded) break;
      yield null;
      if (!this.#more()) break;
    }
    return { from, length, bytes: bytes === null ? null : bytes.subarray(0, length), isEnded };
  }

  /** For what is left of the input, but not more than mostly is kept: bytes that nobody writes take no memory. */
  #roomFor(most: number): Buffer {
    const left = (this.#source.end ?? Infinity) - this.position;
    return Buffer.allocUnsafeSlow(Math.max(1, Math.min(most, left, ROOM)));
  }

  /** Reads on behind the line at hand; false: the input has ended, or the window is full. */
  #more(): boolean {
    const bytes = this.#bytes;
    if (this.at > 0) {
      const at = Math.min(this.at, this.#length);
      bytes.copyWithin(0, at, this.#length);
      this.base += at;
      this.#length -= at;
      this.at -= at;
      this.last = Math.max(-1, this.last - at);
    }
    if (this.ended || this.#length === this.#most) return false;
    // What is told of the record at hand is placed by its bytes.
    this.#source.release(this.base);
    const end = this.base + this.#length;
    // What stands behind the range is of use only for a line that goes on there.
    const step = end < this.#to ? Math.min(STEP, this.#to - end) : STEP;
    const read = this.#source.read(end, bytes.subarray(this.#length, Math.min(this.#most, this.#length + step)));
    const before = this.#length;
    this.#length += read;
    // A line that fills the window is longer, wherever it ends.
    this.ended = this.#length < this.#most && (read === 0 || this.base + this.#length === this.#source.end);
    const last = this.#framing?.frame(bytes, this.base, this.at, this.#length, this.ended)
      ?? this.#machine.lastLine(before, this.#length);
    if (last >= 0) this.last = last;
    return read > 0 || last >= 0;
  }

  /** Makes room for a line that fills the window; false: it is to be no longer. */
  #grow(): boolean {
    if (this.#length < this.#most || this.#most === this.#longest || this.#machine.grow?.() !== true) return false;
    this.#bytes = bytesOf(this.#machine);
    this.#most = this.#mostOf(this.#bytes);
    return true;
  }

  #passMark(): void {
    while (this.#length < MARK.length && this.#more());
    if (this.#length >= MARK.length && isMarked(this.#bytes)) this.at = MARK.length;
  }

  /** To behind the next line feed. */
  #passLine(): void {
    while (true) {
      const lf = this.#length > 0 ? this.lineFeed(0) : -1;
      if (lf >= 0) {
        this.at = lf + 1;
        return;
      }
      this.at = this.#length;
      if (!this.#more()) return;
    }
  }
}

const bytesOf = ({ input }: LineMachine): Buffer => Buffer.from(input.buffer, input.byteOffset, input.length);

/** The first bytes, with room for more. */
function grown(bytes: Buffer, length: number, room: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(room);
  larger.set(bytes.subarray(0, length));
  return larger;
}
