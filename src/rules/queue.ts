// What waits in order, while any of it may be done at any time: the first that is not done, in constant time over all.
// A Set or Map does not give that: its first entry is searched for behind all that were deleted.

export class Queue<T extends { readonly isDone: boolean }> {
  #items: T[] = [];
  #from = 0;

  add(item: T): void {
    this.#items.push(item);
  }

  /** The first that is not done; undefined: none waits. */
  first(): T | undefined {
    while (this.#from < this.#items.length && this.#items[this.#from]!.isDone) this.#from++;
    // What was done is let go, now and then.
    if (this.#from > 1024 && this.#from * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#from);
      this.#from = 0;
    }
    return this.#items[this.#from];
  }
}

/** Queues by name. */
export class Queues<T extends { readonly isDone: boolean }> {
  readonly #byName = new Map<string, Queue<T>>();

  add(name: string, item: T): void {
    const queue = this.#byName.get(name) ?? new Queue<T>();
    this.#byName.set(name, queue);
    queue.add(item);
  }

  /** The first of a name that is not done. A name of which none waits is forgotten. */
  first(name: string): T | undefined {
    const item = this.#byName.get(name)?.first();
    if (!item) this.#byName.delete(name);
    return item;
  }
}
