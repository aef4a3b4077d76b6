// Calls that wait for a place: so many run at a time, and of a tool with a bound of its own so many of that tool. Those
// that may run start in the order in which they came.

interface Lane<T> {
  readonly most: number;
  running: number;
  /** Calls and their numbers, in order. */
  readonly waiting: Map<T, number>;
}

export class Lanes<T> {
  readonly #most: number;
  readonly #common: Lane<T> = { most: Infinity, running: 0, waiting: new Map() };
  readonly #own: ReadonlyMap<string, Lane<T>>;
  #running = 0;
  #number = 0;

  /** `bounds`: names of tools to the calls of them that run at a time. */
  constructor(most: number, bounds: ReadonlyMap<string, number>) {
    this.#most = most;
    this.#own = new Map([...bounds].map(([tool, own]) => [tool, { most: own, running: 0, waiting: new Map() }]));
  }

  add(call: T, tool: string): void {
    this.#of(tool).waiting.set(call, this.#number++);
  }

  /** A call that waits is given up. */
  remove(call: T, tool: string): void {
    this.#of(tool).waiting.delete(call);
  }

  /** The next call that has a place, which it takes; `isReady` false: it is passed over, now and later. */
  take(isReady: (call: T) => boolean): T | null {
    if (this.#running >= this.#most) return null;
    let first: { readonly lane: Lane<T>; readonly call: T; readonly number: number } | null = null;
    for (const lane of [this.#common, ...this.#own.values()]) {
      if (lane.running >= lane.most) continue;
      for (const [call, number] of lane.waiting) {
        if (first !== null && first.number < number) break;
        if (!isReady(call)) {
          lane.waiting.delete(call);
          continue;
        }
        first = { lane, call, number };
        break;
      }
    }
    if (first === null) return null;
    first.lane.waiting.delete(first.call);
    first.lane.running++;
    this.#running++;
    return first.call;
  }

  /** A call gives its place back. */
  free(tool: string): void {
    this.#of(tool).running--;
    this.#running--;
  }

  #of(tool: string): Lane<T> {
    return this.#own.get(tool) ?? this.#common;
  }
}
