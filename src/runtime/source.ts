// A source of pieces, a ReadableStream or an iterable, and iterators over one that can be left at any time: who leaves
// one that waits for a model gets it back at once, and the source is closed.

import type { ReadableSource } from '../platform.ts';

/** Where pieces come from. */
export type Source<T> = AsyncIterable<T> | Iterable<T> | ReadableSource<T>;

type Result<T> = IteratorResult<T, undefined>;

/** What a source gives where `T` is its piece: a ReadableStream has no type of its own for the end. */
interface Given<T> {
  readonly done?: boolean | undefined;
  readonly value?: T | undefined;
}

interface Opened<T> {
  next(): Given<T> | Promise<Given<T>>;
  /** Is not waited for: a source that hangs may hang here as well. */
  close(isOver: boolean): void;
}

const DONE = { done: true, value: undefined } as const;

/** The pieces of a source, which is opened when the first one is asked for. One may be asked for at a time. */
export class SourceReader<T> implements AsyncIterableIterator<T> {
  readonly #source: Source<T>;
  readonly #name: string;
  #opened: Opened<T> | null = null;
  #wake: ((result: Result<T>) => void) | null = null;
  #isOver = false;
  /** It was closed before its end: nothing of it may be given any more. */
  isLeft = false;

  /** `name`: before the message of the error, where it is no source. */
  constructor(source: Source<T>, name: string) {
    this.#source = source;
    this.#name = name;
  }

  /** The next piece; none as soon as it is closed. Rejects with a TypeError for what is no source. */
  next(): Promise<Result<T>> {
    // Not a race against one promise of the end: that would keep something of every piece until then.
    return new Promise((resolve, reject) => {
      if (this.#isOver || this.isLeft) return resolve(DONE);
      this.#wake = resolve;
      const opened = (this.#opened ??= open(this.#source, this.#name));
      Promise.resolve(opened.next()).then((result) => {
        if (result.done) this.#isOver = true;
        resolve(result as Result<T>);
      }, reject);
    });
  }

  /** Closes the source, also one that was not opened. Who waits for a piece gets none. */
  close(): void {
    if (this.isLeft) return;
    this.isLeft = !this.#isOver;
    quietly(() => (this.#opened ??= open(this.#source, this.#name)).close(this.#isOver));
    this.#wake?.(DONE);
  }

  return(): Promise<Result<T>> {
    this.close();
    return Promise.resolve(DONE);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

/**
 * A generator that can be left while it waits: `leave` ends what it waits for. By itself it would answer `return` only
 * after the next piece.
 */
export function leavable<T>(given: AsyncGenerator<T, void, void>, leave: () => void): AsyncGenerator<T, void, void> {
  const left = <R>(answer: R): R => (leave(), answer);
  const events: Omit<typeof given, typeof Symbol.asyncIterator> = {
    next: () => given.next(),
    return: (value) => left(given.return(value)),
    throw: (error) => left(given.throw(error)),
  };
  return Object.assign(events, { [Symbol.asyncIterator]: () => events }) as typeof given;
}

/** Runs what nobody waits for, and whose failure nobody is left to be told. */
export function quietly(work: () => unknown): void {
  void (async () => work())().catch(() => undefined);
}

function open<T>(source: Source<T>, name: string): Opened<T> {
  if (typeof (source as ReadableSource<T> | null)?.getReader === 'function') {
    const reader = (source as ReadableSource<T>).getReader();
    return {
      next: () => reader.read(),
      close: () => {
        quietly(() => reader.cancel());
        quietly(() => reader.releaseLock());
      },
    };
  }
  const given = source as Partial<AsyncIterable<T> & Iterable<T>> | null | undefined;
  const iterator = given?.[Symbol.asyncIterator]?.() ?? given?.[Symbol.iterator]?.();
  if (!iterator || typeof source === 'string' || source instanceof Uint8Array) {
    throw new TypeError(`${name}: expected a ReadableStream or an iterable of chunks, each a Uint8Array or text`);
  }
  return {
    next: () => iterator.next(),
    close: (isOver) => {
      if (!isOver) quietly(() => iterator.return?.());
    },
  };
}
