// The output of a model as chunks that can be waited for and given up: a model that hangs holds nobody.

import type { OutputStream } from './types.ts';

type Chunk = string | Uint8Array;

/** A signal that may be waited beside: one listener, however long the run is. */
export class Interruption {
  readonly #signal: AbortSignal | undefined;
  readonly #listener = (): void => this.#wake?.();
  #wake: (() => void) | null = null;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
    signal?.addEventListener('abort', this.#listener);
  }

  get isThere(): boolean {
    return this.#signal?.aborted === true;
  }

  /** What `work` gives, or null as soon as the signal aborts; then `work` goes on unheeded. */
  during<T>(work: Promise<T>): Promise<{ readonly value: T } | null> {
    return new Promise((resolve, reject) => {
      this.#wake = () => resolve(null);
      work.then((value) => resolve({ value }), reject);
      if (this.isThere) resolve(null);
    });
  }

  close(): void {
    this.#wake = null;
    this.#signal?.removeEventListener('abort', this.#listener);
  }
}

interface Source {
  next(): Promise<{ done?: boolean | undefined; value?: Chunk | undefined }>;
  /** Is not waited for: a source that hangs may hang here as well. */
  close(): void;
}

/** Throws a TypeError when it is no stream. */
export function openSource(stream: OutputStream): Source {
  if (!isStream(stream)) throw new TypeError('model: expected an async iterable or a ReadableStream');
  if ('getReader' in stream) {
    const reader = stream.getReader();
    return { next: () => reader.read(), close: () => quietly(() => reader.cancel()) };
  }
  const iterator = stream[Symbol.asyncIterator]();
  return { next: async () => iterator.next(), close: () => quietly(() => iterator.return?.()) };
}

export function isStream(value: unknown): value is OutputStream {
  if (typeof value !== 'object' || value === null) return false;
  return 'getReader' in value || Symbol.asyncIterator in value;
}

/** Nobody is left to be told that closing failed. */
function quietly(close: () => Promise<unknown> | undefined): void {
  void (async () => close())().catch(() => undefined);
}
