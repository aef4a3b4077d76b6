// Counts by name, for names that data brings: bounded, mergeable, in a fixed order.

/** Different unknown roles or channels that are counted by name; the rest share one. */
const NAMES = 1000;

const OTHER = '(other)';

/** Counts by name. */
export class Names {
  readonly #counts = new Map<string, number>();
  readonly #most: number;

  constructor(most = NAMES) {
    this.#most = most;
  }

  add(name: string, count = 1): void {
    const known = this.#counts.get(name);
    if (known === undefined && this.#counts.size >= this.#most) {
      this.#counts.set(OTHER, (this.#counts.get(OTHER) ?? 0) + count);
    } else this.#counts.set(name, (known ?? 0) + count);
  }

  /** Adds what others counted, in the order in which they met the names. */
  merge(counts: readonly (readonly [string, number])[]): void {
    for (const [name, count] of counts) this.add(name, count);
  }

  /** Names and counts, in the order in which they were met. */
  get entries(): [string, number][] {
    return [...this.#counts];
  }

  /** Known names first, in their order, then the others by count and name. */
  result(known: readonly string[]): Record<string, number> {
    const others = [...this.#counts].filter(([name]) => !known.includes(name));
    others.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    const result: Record<string, number> = Object.create(null);
    for (const name of known) if (this.#counts.has(name)) result[name] = this.#counts.get(name)!;
    for (const [name, count] of others) result[name] = count;
    return result;
  }
}
