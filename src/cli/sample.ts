// A sample of items that come one after the other: the same for the same number of items and the same seed.

interface Kept<Item> {
  readonly number: number;
  readonly rank: number;
  readonly item: Item;
}

/** So many items, each as likely as any other. */
export class Sample<Item> {
  readonly #count: number;
  readonly #seed: number;
  #kept: Kept<Item>[] = [];
  /** Items of a higher rank are none of the sample. */
  #highest = Infinity;
  #number = 0;

  constructor(count: number, seed: number) {
    this.#count = count;
    this.#seed = seed;
  }

  /** The next item, which is made when it may be one of the sample. */
  offer(make: () => Item): void {
    const number = this.#number++;
    const rank = rankOf(number, this.#seed);
    if (rank >= this.#highest || this.#count === 0) return;
    this.#kept.push({ number, rank, item: make() });
    if (this.#kept.length >= 2 * this.#count + 1024) this.#cut();
  }

  /** The sample, in the order in which its items came. */
  take(): Item[] {
    this.#cut();
    const kept = this.#kept.sort((a, b) => a.number - b.number);
    this.#kept = [];
    return kept.map(({ item }) => item);
  }

  /** Keeps those of the lowest ranks. */
  #cut(): void {
    if (this.#kept.length <= this.#count) return;
    this.#kept.sort((a, b) => a.rank - b.rank || a.number - b.number).length = this.#count;
    this.#highest = this.#kept.at(-1)?.rank ?? 0;
  }
}

/** A number in [0, 2^53) that depends on both and looks like chance. */
function rankOf(number: number, seed: number): number {
  const ofSeed = mixed(mixed(seed ^ 0x9e3779b9) ^ Math.floor(seed / 0x1_0000_0000));
  const high = mixed(mixed(number) ^ Math.floor(number / 0x1_0000_0000) ^ ofSeed);
  const low = mixed(high ^ 0x85ebca6b);
  return (high >>> 11) * 0x1_0000_0000 + low;
}

/** The finaliser of MurmurHash3. */
function mixed(value: number): number {
  let x = value | 0;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}
