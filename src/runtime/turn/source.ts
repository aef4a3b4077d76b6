// The output of a model as chunks that can be waited for and given up: a model that hangs holds nobody.

import { SourceReader } from '../source.ts';
import type { TurnOutputChunk, TurnOutputStream } from './types.ts';

/** What ends a run before its time: the caller's signal, or who reads its events and leaves. */
export class Interruption {
  readonly #controller = new AbortController();
  readonly #given: AbortSignal | undefined;
  readonly #listener = (): void => this.interrupt(this.#given!.reason);
  readonly #waiting = new Set<() => void>();

  constructor(given: AbortSignal | undefined) {
    this.#given = given;
  }

  /** One listener, however long the run is; until `close`. */
  listen(): void {
    if (this.#given?.aborted) this.#listener();
    else this.#given?.addEventListener('abort', this.#listener);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isThere(): boolean {
    return this.signal.aborted;
  }

  interrupt(reason: unknown): void {
    this.#controller.abort(reason);
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** What `work` gives, or null as soon as the run is interrupted; then `work` goes on unheeded. */
  during<T>(work: Promise<T>): Promise<{ readonly value: T } | null> {
    return new Promise((resolve, reject) => {
      const wake = (): void => resolve(null);
      if (this.isThere) wake();
      else this.#waiting.add(wake);
      void work.then((value) => resolve({ value }), reject).then(() => this.#waiting.delete(wake));
    });
  }

  close(): void {
    this.#given?.removeEventListener('abort', this.#listener);
  }
}

/** Throws a TypeError when it is no stream. */
export function openSource(stream: TurnOutputStream): SourceReader<TurnOutputChunk> {
  if (!isStream(stream)) throw new TypeError('model: expected an async iterable or a ReadableStream');
  return new SourceReader<TurnOutputChunk>(stream, 'model');
}

export function isStream(value: unknown): value is TurnOutputStream {
  if (typeof value !== 'object' || value === null) return false;
  return 'getReader' in value || Symbol.asyncIterator in value;
}
