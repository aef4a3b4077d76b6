// Where bytes come from: anything that can be read at a position, again if need be.

/**
 * Bytes of an input of which so much is done and told: parts for threads begin with a block, so that what is bounded in
 * each block is the same for all of them.
 */
export const BLOCK = 4 * 1024 * 1024;

/** Bytes that are read in pieces: memory, a file, or anything else that gives them by position. */
export interface Source {
  /** Where it ends, when that is known and cannot change. */
  readonly end?: number | undefined;
  /** Fills `into` with bytes from position `at` on; answers how many, 0 at the end. */
  read(at: number, into: Uint8Array): number;
  /** The bytes [from, to), cut at the end of the input. Valid until the next call. */
  bytes(from: number, to: number): Uint8Array;
  /** Nothing before this position will be asked for again. */
  release(before: number): void;
  /** The message that begins at `from` goes on, and so many of its rows are kept: who cannot have so many throws. */
  keeps?(rows: number, from: number): void;
}

/** Sees what is asked of a source. */
export interface SourceWatcher {
  /** Bytes are about to be read, for which the source may have to wait. */
  willRead?(): void;
  /** Bytes were read, up to this position. */
  hasRead?(to: number): void;
  /**
   * Nothing before a position will be asked for again by the reader; answers before which one the source may let go.
   */
  mayRelease?(before: number): number;
}

/** A source with somebody who watches. A class: functions of an object's own would be optimised anew for each one. */
export class WatchedSource implements Source {
  readonly #source: Source;
  readonly #watcher: SourceWatcher;

  constructor(source: Source, watcher: SourceWatcher) {
    this.#source = source;
    this.#watcher = watcher;
  }

  get end(): number | undefined {
    return this.#source.end;
  }

  read(at: number, into: Uint8Array): number {
    this.#watcher.willRead?.();
    const read = this.#source.read(at, into);
    this.#watcher.hasRead?.(at + read);
    return read;
  }

  bytes(from: number, to: number): Uint8Array {
    return this.#source.bytes(from, to);
  }

  release(before: number): void {
    this.#source.release(this.#watcher.mayRelease?.(before) ?? before);
  }

  keeps(rows: number, from: number): void {
    this.#source.keeps?.(rows, from);
  }
}

/**
 * A source over bytes in memory. Its constructor throws a TypeError on what is no bytes.
 *
 * @example
 * ```ts
 * import { MemorySource } from 'openchatml';
 *
 * const source = new MemorySource(new TextEncoder().encode('abc'));
 * console.log(new TextDecoder().decode(source.bytes(1, 3))); // bc
 * ```
 */
export class MemorySource implements Source {
  readonly #bytes: Uint8Array;
  readonly end: number;

  constructor(bytes: Uint8Array) {
    if (!ArrayBuffer.isView(bytes)) throw new TypeError('bytes: expected a Uint8Array');
    // Making views of a Buffer is several times slower, and they live longer.
    this.#bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
    this.end = bytes.length;
  }

  read(at: number, into: Uint8Array): number {
    const part = this.#bytes.subarray(at, at + into.length);
    into.set(part);
    return part.length;
  }

  bytes(from: number, to: number): Uint8Array {
    return this.#bytes.subarray(from, to);
  }

  release(): void {}
}
