// Calls by their ids. Two calls with one id are a mistake, and yet each of them waits for a reply of its own: the first
// that waits is the one that is answered, of several tools the first one of that name.

import { Queue, Queues } from './queue.ts';

/** A call that waits for its reply, until it is done. */
interface Waiting {
  readonly name: string | null;
  readonly isDone: boolean;
}

/** The calls that share an id. */
interface Shared<T extends Waiting> {
  readonly inOrder: Queue<T>;
  readonly byName: Queues<T>;
}

export class CallsById<T extends Waiting> {
  /** The latest call of each id; null: all of that id were answered. */
  readonly #latest = new Map<string, T | null>();
  /** Of ids that were given again while their call waited. */
  readonly #shared = new Map<string, Shared<T>>();

  get size(): number {
    return this.#latest.size;
  }

  /** Some call had this id before. */
  has(id: string): boolean {
    return this.#latest.has(id);
  }

  add(id: string, call: T): void {
    const before = this.#latest.get(id);
    if (before !== undefined) {
      if (this.#shared.has(id)) this.#share(id, call);
      else if (before !== null && !before.isDone) this.#share(id, before, call);
      // The newest id is the last to be forgotten.
      this.#latest.delete(id);
    }
    this.#latest.set(id, call);
  }

  #share(id: string, ...calls: readonly T[]): void {
    const shared = this.#shared.get(id) ?? { inOrder: new Queue<T>(), byName: new Queues<T>() };
    this.#shared.set(id, shared);
    for (const call of calls) {
      shared.inOrder.add(call);
      if (call.name !== null) shared.byName.add(call.name, call);
    }
  }

  /**
   * The call that a reply with this id answers, if it is one to a tool of that name (null: it names none); null: all of
   * that id were answered; undefined: there was none.
   */
  waiting(id: string, name: string | null): T | null | undefined {
    const shared = this.#shared.get(id);
    const call = shared && ((name === null ? undefined : shared.byName.first(name)) ?? shared.inOrder.first());
    return call ?? this.#latest.get(id);
  }

  /** A call was answered, and is done. */
  answered(id: string, call: T): void {
    if (this.#latest.get(id) === call) this.#latest.set(id, null);
    const shared = this.#shared.get(id);
    if (shared && shared.inOrder.first() === undefined) this.#shared.delete(id);
  }

  /** The older half goes at once: the first key alone is searched for behind all that went before it. */
  forgetHalf(): void {
    let left = Math.floor(this.#latest.size / 2);
    for (const id of this.#latest.keys()) {
      if (left-- === 0) break;
      this.#latest.delete(id);
      this.#shared.delete(id);
    }
  }
}
