// Abort signals of callers: however many calls wait for one signal, it has one listener, and none when no call waits.

interface Watched<T> {
  readonly waiting: Set<T>;
  readonly listener: () => void;
}

export class AbortWatch<T> {
  readonly #watched = new Map<AbortSignal, Watched<T>>();
  readonly #onAbort: (item: T, signal: AbortSignal) => void;

  /**
   * `onAbort` is called for each item that waits, once, after its watch has ended; the last one that was added comes
   * first.
   */
  constructor(onAbort: (item: T, signal: AbortSignal) => void) {
    this.#onAbort = onAbort;
  }

  add(signal: AbortSignal, item: T): void {
    let watched = this.#watched.get(signal);
    if (!watched) {
      watched = { waiting: new Set(), listener: () => this.#abort(signal) };
      this.#watched.set(signal, watched);
      signal.addEventListener('abort', watched.listener);
    }
    watched.waiting.add(item);
  }

  remove(signal: AbortSignal, item: T): void {
    const watched = this.#watched.get(signal);
    if (!watched?.waiting.delete(item) || watched.waiting.size > 0) return;
    this.#watched.delete(signal);
    signal.removeEventListener('abort', watched.listener);
  }

  #abort(signal: AbortSignal): void {
    for (const item of [...(this.#watched.get(signal)?.waiting ?? [])].reverse()) {
      this.remove(signal, item);
      this.#onAbort(item, signal);
    }
  }
}
