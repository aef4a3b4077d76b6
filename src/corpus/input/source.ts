// Sources over file descriptors: regular files are read at positions, pipes and other streams in order, keeping what
// may be asked for again.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Source } from '../../scan/source.ts';
import { InputError, inputError, systemCode, systemReason } from '../error.ts';

/** Columns of a table that are not read. */
export interface LeftOut {
  readonly count: number;
  /** The name of the first one, where it may be shown. */
  readonly first: string;
}

/** An input that is read by position, whatever it is packed in. */
export interface InputSource extends Source {
  /** For messages to people. */
  readonly path: string;
  /** Bytes when it was opened; null when that is not known. */
  readonly size: number | null;
  /** Any part can be read again at any time. */
  readonly canReread: boolean;
  /** The first position that can still be read. */
  readonly first: number;
  /** Columns of a table that are not read: known when a row was. */
  readonly leftOut?: LeftOut | null;
  close(): void;
}

/** Rows of a message that are kept while it goes on: 40 MiB of them. */
const MOST_ROWS = 2_621_440;

function refuseCrowd(path: string, rows: number, from: number): void {
  if (rows <= MOST_ROWS) return;
  const reason = `the message at byte ${from} holds more than ${MOST_ROWS} control tokens and escapes`;
  throw new InputError(path, reason, 'leave it out, or divide it');
}

/** The system refuses to read 2^31 bytes and more at once. */
const MOST_AT_ONCE = 2 ** 30;
/** A span is often followed by a small span after it. */
const READ_AHEAD = 16 * 1024;

/** Reads once; 0 at the end. `position` null: where the descriptor stands. */
function readOnce(fd: number, into: Uint8Array, position: number | null, path: string, at: number): number {
  while (true) {
    try {
      return readSync(fd, into, 0, Math.min(into.length, MOST_AT_ONCE), position);
    } catch (error) {
      const code = systemCode(error);
      if (code === 'EINTR') continue;
      if (code === 'EAGAIN') {
        nap();
        continue;
      }
      // So does Windows end a pipe.
      if (code === 'EOF') return 0;
      throw new InputError(path, `cannot be read at byte ${at}: ${systemReason(error)}`, '', error);
    }
  }
}

const NAP_MS = 2;
let clock: Int32Array | undefined;

/** Waits a little: a descriptor that does not block has nothing to give or take at the moment. */
export function nap(): void {
  clock ??= new Int32Array(new SharedArrayBuffer(4));
  Atomics.wait(clock, 0, 0, NAP_MS);
}

/**
 * A regular file, read at positions: of any size, and any part again at any time.
 *
 * @example
 * ```ts
 * import { writeFileSync } from 'node:fs';
 * import { FileSource } from 'openchatml/node';
 *
 * writeFileSync('one.ocml', '<|start|>user<|message|>Hi<|end|>');
 * const source = FileSource.open('one.ocml');
 * console.log(new TextDecoder().decode(source.bytes(24, 26))); // Hi
 * source.close();
 * ```
 */
export class FileSource implements InputSource {
  readonly path: string;
  readonly size: number | null;
  readonly canReread = true;
  readonly first = 0;
  #fd: number;
  /** Bytes [#from, #to) of the file, for `bytes`. */
  #buffer = new Uint8Array(0);
  #from = 0;
  #to = 0;
  /** They go up to the end of the file. */
  #isRest = false;

  /** Opens a regular file. Throws an InputError. */
  static open(path: string | Buffer | URL): FileSource {
    const name = path instanceof URL ? path.href : path.toString();
    let fd;
    try {
      fd = openSync(path, 'r');
    } catch (error) {
      throw inputError(name, 'cannot be opened', error);
    }
    if (fstatSync(fd).isFile()) return new FileSource(fd, name);
    closeSync(fd);
    throw new InputError(name, 'is not a regular file');
  }

  /** Takes over an open descriptor of a regular file. `path` is for error messages. */
  constructor(fd: number, path: string) {
    this.#fd = fd;
    this.path = path;
    // Files that the system makes up say 0.
    this.size = fstatSync(fd).size || null;
  }

  /** Fills `into` from byte `at` on; fewer bytes only at the end of the file. Throws an InputError. */
  read(at: number, into: Uint8Array): number {
    let read = this.#copy(at, into);
    if (read > 0 && this.#isRest) return read;
    while (read < into.length) {
      const count = readOnce(this.#fd, read === 0 ? into : into.subarray(read), at + read, this.path, at + read);
      if (count === 0) {
        if (this.size !== null && at + read < this.size) {
          throw new InputError(
            this.path, `was shortened while it was read, to ${at + read} bytes`, 'read it when nobody writes to it',
          );
        }
        break;
      }
      read += count;
    }
    return read;
  }

  /** What `bytes` read ahead: the beginning of an input is looked at several times. */
  #copy(at: number, into: Uint8Array): number {
    if (at < this.#from || at >= this.#to) return 0;
    const part = this.#buffer.subarray(at - this.#from, Math.min(at + into.length, this.#to) - this.#from);
    into.set(part);
    return part.length;
  }

  /** For another thread, which reads at positions. Closed by `close`. */
  get descriptor(): number {
    return this.#fd;
  }

  bytes(from: number, to: number): Uint8Array {
    if (from < this.#from || to > this.#to) {
      const length = to - from + READ_AHEAD;
      if (length > this.#buffer.length || length < this.#buffer.length / 4) this.#buffer = this.#allocate(length);
      this.#from = this.#to = from;
      this.#isRest = false;
      this.#to += this.read(from, this.#buffer.subarray(0, length));
      this.#isRest = this.#to < from + length;
    }
    return this.#buffer.subarray(from - this.#from, Math.min(to, this.#to) - this.#from);
  }

  release(): void {}

  keeps(rows: number, from: number): void {
    refuseCrowd(this.path, rows, from);
  }

  close(): void {
    if (this.#fd < 0) return;
    closeSync(this.#fd);
    this.#fd = -1;
  }

  #allocate(length: number): Uint8Array<ArrayBuffer> {
    try {
      return new Uint8Array(length);
    } catch (error) {
      throw new InputError(this.path, `${length} bytes of one message do not fit into memory`, '', error);
    }
  }
}

const CHUNK = 256 * 1024;
/** Chunks that are kept: 1 GiB, more than anything needs that is no attack. */
const MOST_KEPT = 4096;

/** Reads on: fills the beginning of `into`; 0 at the end. `at` is the position, for messages. Throws an InputError. */
export type ReadOn = (into: Uint8Array, at: number) => number;

/** How a stream tells that it cannot give a part again. */
export interface Once {
  readonly reason: string;
  readonly remedy: string;
}

const PIPE: Once = { reason: 'a pipe is read once', remedy: 'store the input in a file' };

/** What can be read once, in order. What was not released stays in memory. */
export class StreamSource implements InputSource {
  readonly path: string;
  readonly size = null;
  readonly canReread = false;
  readonly #readOn: ReadOn;
  readonly #once: Once;
  #close: (() => void) | null;
  /** Chunks of CHUNK bytes; the first one begins at #base, the input is read up to #end. */
  readonly #chunks: Uint8Array[] = [];
  #base = 0;
  #end = 0;
  #ended = false;
  #spare: Uint8Array | undefined;
  #joined = new Uint8Array(0);

  readonly #most: number;

  /** `close` is called once. `most`: chunks that are kept. */
  constructor(path: string, readOn: ReadOn, close: () => void, once: Once, most = MOST_KEPT) {
    this.path = path;
    this.#most = most;
    this.#readOn = readOn;
    this.#once = once;
    this.#close = close;
  }

  get first(): number {
    return this.#base;
  }

  /** Waits for input; answers with what is there, at least one byte before the end. Throws an InputError. */
  read(at: number, into: Uint8Array): number {
    while (this.#end <= at && this.#more());
    const length = Math.min(into.length, this.#end - at);
    if (length <= 0) return 0;
    this.#copy(at, into.subarray(0, length));
    return length;
  }

  bytes(from: number, to: number): Uint8Array {
    while (this.#end < to && this.#more());
    const end = Math.min(to, this.#end);
    if (from >= end) return this.#joined.subarray(0, 0);
    const chunk = this.#chunk(from);
    const at = this.#offset(from);
    if (at + end - from <= CHUNK) return chunk.subarray(at, at + end - from);
    if (this.#joined.length < end - from) this.#joined = new Uint8Array(Math.max(end - from, 2 * this.#joined.length));
    const joined = this.#joined.subarray(0, end - from);
    this.#copy(from, joined);
    return joined;
  }

  release(before: number): void {
    while (this.#chunks.length > 0 && this.#base + CHUNK <= Math.min(before, this.#end)) {
      this.#spare = this.#chunks.shift();
      this.#base += CHUNK;
    }
  }

  keeps(rows: number, from: number): void {
    refuseCrowd(this.path, rows, from);
  }

  close(): void {
    const close = this.#close;
    this.#close = null;
    close?.();
  }

  /** Offset in its chunk. Chunks begin at multiples of CHUNK. */
  #offset(position: number): number {
    return position % CHUNK;
  }

  #chunk(position: number): Uint8Array {
    if (position < this.#base) {
      const { reason, remedy } = this.#once;
      throw new InputError(this.path, `byte ${position} is needed again, and ${reason}`, remedy);
    }
    return this.#chunks[Math.floor((position - this.#base) / CHUNK)]!;
  }

  /** Fills `into` with bytes that were read already. */
  #copy(from: number, into: Uint8Array): void {
    for (let done = 0; done < into.length; ) {
      const at = this.#offset(from + done);
      const part = this.#chunk(from + done).subarray(at, at + into.length - done);
      into.set(part, done);
      done += part.length;
    }
  }

  /** Reads once; false at the end. */
  #more(): boolean {
    if (this.#ended) return false;
    const at = this.#offset(this.#end);
    if (this.#end === this.#base + this.#chunks.length * CHUNK) {
      if (this.#chunks.length === this.#most) {
        const reason = `more than ${this.#most * CHUNK} bytes from byte ${this.#base} on would have to be kept`;
        throw new InputError(this.path, reason, this.#once.remedy);
      }
      this.#chunks.push(this.#spare ?? new Uint8Array(CHUNK));
      this.#spare = undefined;
    }
    const count = this.#readOn(this.#chunks.at(-1)!.subarray(at), this.#end);
    this.#ended = count === 0;
    this.#end += count;
    return !this.#ended;
  }
}

/** Standard input, a pipe, a FIFO. */
export class PipeSource extends StreamSource {
  /** `owned`: `close` closes the descriptor. */
  constructor(fd: number, path: string, owned: boolean) {
    let descriptor = fd;
    super(path, (into, at) => readOnce(descriptor, into, null, path, at), () => {
      descriptor = -1;
      if (owned) closeSync(fd);
    }, PIPE);
  }
}
