// A clock whose hands a test turns, and abort signals that count their listeners: what is left open can be seen.
import type { Clock } from '../../../src/runtime/router/clock.ts';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

export class VirtualClock implements Clock {
  #now = 0;
  #order = 0;
  /** A heap; timers that were cleared stay in it until they come up. */
  readonly #heap: Timer[] = [];
  readonly #live = new Set<Timer>();

  now(): number {
    return this.#now;
  }

  /** Timers that have neither fired nor been cleared. */
  get timers(): number {
    return this.#live.size;
  }

  setTimeout(callback: () => void, milliseconds: number): unknown {
    if (!(milliseconds >= 0 && milliseconds < 2 ** 31)) throw new RangeError(`no timer takes ${milliseconds}`);
    const timer = { at: this.#now + milliseconds, order: this.#order++, callback };
    this.#live.add(timer);
    this.#push(timer);
    return timer;
  }

  clearTimeout(timer: unknown): void {
    this.#live.delete(timer as Timer);
  }

  /** Time goes by in which no timer fires. */
  hold(milliseconds: number): void {
    this.#now += milliseconds;
  }

  /** Lets the work that is ready run, then goes to the next timer, until none is left or `until` is reached. */
  async run(until = Infinity): Promise<void> {
    for (;;) {
      await settled();
      while (this.#heap[0] && !this.#live.has(this.#heap[0])) this.#pop();
      const next = this.#heap[0];
      if (!next || next.at > until) break;
      this.#now = Math.max(this.#now, next.at);
      // All timers of one moment: promises get their turn after each moment.
      while (this.#heap[0]?.at === next.at) {
        const timer = this.#pop();
        if (this.#live.delete(timer)) timer.callback();
      }
    }
    if (until !== Infinity) this.#now = Math.max(this.#now, until);
  }

  #push(timer: Timer): void {
    const heap = this.#heap;
    let at = heap.push(timer) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (before(heap[above]!, timer)) break;
      heap[at] = heap[above]!;
      at = above;
    }
    heap[at] = timer;
  }

  #pop(): Timer {
    const heap = this.#heap;
    const top = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return top;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && before(heap[below + 1]!, heap[below]!)) below++;
      if (before(last, heap[below]!)) break;
      heap[at] = heap[below]!;
      at = below;
    }
    heap[at] = last;
    return top;
  }
}

const before = (a: Timer, b: Timer): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

/** All promises that can go on have gone on. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A controller whose signal knows how many abort listeners it has. */
export function countedController(): { controller: AbortController; listeners: () => number } {
  const controller = new AbortController();
  const { signal } = controller;
  const listeners = new Set<unknown>();
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (type: string, listener: EventListener) => {
    listeners.add(listener);
    addEventListener.call(signal, type, listener);
  };
  signal.removeEventListener = (type: string, listener: EventListener) => {
    listeners.delete(listener);
    removeEventListener.call(signal, type, listener);
  };
  return { controller, listeners: () => listeners.size };
}
