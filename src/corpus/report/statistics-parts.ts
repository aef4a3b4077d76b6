// What statistics are made of: sums that may be added in any order, in any grouping, and give the same.

/** One bucket for length 0, then one for each [2^(i-1), 2^i), up to the largest exact integer. */
export const BUCKETS = 54;
/** UTF-16 units of a name that is counted by itself. */
const LONGEST_NAME = 200;

/** The bucket of a length. */
export function bucketOf(length: number): number {
  return length < 0x1_0000_0000 ? 32 - Math.clz32(length) : 64 - Math.clz32(length / 0x1_0000_0000);
}

/** How lengths spread: number, sum, extremes, and how many are in each bucket. */
export class Spread {
  count = 0;
  sum = 0;
  least = Infinity;
  most = 0;
  readonly buckets = new Float64Array(BUCKETS);

  note(length: number): void {
    this.count++;
    this.sum += length;
    if (length < this.least) this.least = length;
    if (length > this.most) this.most = length;
    this.buckets[bucketOf(length)]!++;
  }

  add(other: Spread): void {
    this.count += other.count;
    this.sum += other.sum;
    this.least = Math.min(this.least, other.least);
    this.most = Math.max(this.most, other.most);
    for (let i = 0; i < BUCKETS; i++) this.buckets[i]! += other.buckets[i]!;
  }
}

/** Messages of one role on one channel. */
export class Cell {
  readonly bodies = new Spread();
  /** Code points of bodies, where they are counted. */
  readonly characters = new Spread();
  /** Tokens of contents, where they are counted. */
  readonly tokens = new Spread();
  /** Messages that an end user may see, and the bytes of their bodies. */
  visible = 0;
  visibleBytes = 0;

  add(other: Cell): void {
    this.bodies.add(other.bodies);
    this.characters.add(other.characters);
    this.tokens.add(other.tokens);
    this.visible += other.visible;
    this.visibleBytes += other.visibleBytes;
  }
}

/** A plain number by name. */
export class Tally {
  count = 0;

  add(other: Tally): void {
    this.count += other.count;
  }
}

/** Calls of one tool. */
export class Calls {
  calls = 0;
  /** Calls with at least one error, and how many have an error of each rule. */
  failing = 0;
  readonly reasons = new Map<string, number>();

  add(other: Calls): void {
    this.calls += other.calls;
    this.failing += other.failing;
    for (const [rule, count] of other.reasons) this.fail(rule, count);
  }

  fail(rule: string, count = 1): void {
    this.reasons.set(rule, (this.reasons.get(rule) ?? 0) + count);
  }
}

/** Shorter names first: what is longer is less likely a name. */
function compareNames(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

/**
 * Sums by names that data brings, for at most `limit` names. Those that come first in a fixed order are kept, whatever
 * is seen when: a name that is among them at the end was among them in every part, so its sum is exact, and adding
 * parts up in any order gives the same. All others share one sum.
 */
export class Named<T extends { add(other: T): void }> {
  readonly other: T;
  readonly #sums = new Map<string, T>();
  readonly #make: () => T;
  readonly #limit: number;
  /** How often names have gone: where they are counted now is to be asked again. */
  cuts = 0;
  /** Names after this one are none of the first `limit`. */
  #last: string | null = null;

  constructor(limit: number, make: () => T) {
    this.#limit = limit;
    this.#make = make;
    this.other = make();
  }

  /** Where to count what has this name. Valid until names go. */
  at(name: string): T {
    const known = this.#sums.get(name);
    if (known) return known;
    if (name.length > LONGEST_NAME || (this.#last !== null && compareNames(name, this.#last) > 0)) return this.other;
    // Twice as many are let in before the last ones go, so that a name costs no search.
    if (this.#sums.size >= 2 * this.#limit) {
      this.#cut();
      return this.at(name);
    }
    const sum = this.#make();
    this.#sums.set(name, sum);
    return sum;
  }

  add(others: Named<T>): void {
    for (const [name, sum] of others.entries()) this.at(name).add(sum);
    this.other.add(others.other);
  }

  /** At most `limit` names, in their order. */
  entries(): [string, T][] {
    this.#cut();
    return [...this.#sums].sort(([a], [b]) => compareNames(a, b));
  }

  #cut(): void {
    if (this.#sums.size <= this.#limit) return;
    this.cuts++;
    const names = [...this.#sums.keys()].sort(compareNames);
    for (const name of names.slice(this.#limit)) {
      this.other.add(this.#sums.get(name)!);
      this.#sums.delete(name);
    }
    this.#last = names[this.#limit - 1]!;
  }
}
