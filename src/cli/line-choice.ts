// Some of the lines that a command writes: the first ones, or a sample, the same for the same lines and seed.

const LF = 0x0a;

/** Takes bytes of lines, cut anywhere, and gives those of the chosen lines. */
export interface LineChoice {
  take(bytes: Uint8Array): void;
  /** All lines have come. */
  end(): void;
  /** No further line is wanted. */
  readonly isDone: boolean;
}

/** The first lines. */
export class FirstLines implements LineChoice {
  #left: number;
  readonly #write: (bytes: Uint8Array) => void;

  constructor(count: number, write: (bytes: Uint8Array) => void) {
    this.#left = count;
    this.#write = write;
  }

  get isDone(): boolean {
    return this.#left === 0;
  }

  take(bytes: Uint8Array): void {
    let to = 0;
    while (this.#left > 0) {
      const lf = bytes.indexOf(LF, to);
      to = lf < 0 ? bytes.length : lf + 1;
      if (lf < 0) break;
      this.#left--;
    }
    if (to > 0) this.#write(bytes.subarray(0, to));
  }

  end(): void {}
}

interface Kept {
  readonly number: number;
  readonly rank: number;
  readonly line: Uint8Array;
}

/** As many lines as are wanted, each as likely as any other, in their order. */
export class LineSample implements LineChoice {
  readonly #count: number;
  readonly #seed: number;
  readonly #write: (bytes: Uint8Array) => void;
  #kept: Kept[] = [];
  /** Lines of a higher rank are none of the sample. */
  #highest = Infinity;
  #number = 0;
  #begun: Uint8Array[] = [];
  readonly isDone = false;

  constructor(count: number, seed: number, write: (bytes: Uint8Array) => void) {
    this.#count = count;
    this.#seed = seed;
    this.#write = write;
  }

  take(bytes: Uint8Array): void {
    let from = 0;
    for (let lf = bytes.indexOf(LF); lf >= 0; lf = bytes.indexOf(LF, from)) {
      this.#line(bytes.subarray(from, lf + 1));
      from = lf + 1;
    }
    if (from < bytes.length) this.#begun.push(bytes.slice(from));
  }

  end(): void {
    this.#cut();
    for (const { line } of this.#kept.sort((a, b) => a.number - b.number)) this.#write(line);
    this.#kept = [];
  }

  #line(end: Uint8Array): void {
    const number = this.#number++;
    const rank = rankOf(number, this.#seed);
    const begun = this.#begun;
    this.#begun = [];
    if (rank >= this.#highest || this.#count === 0) return;
    this.#kept.push({ number, rank, line: Buffer.concat([...begun, end]) });
    if (this.#kept.length >= 2 * this.#count + 1024) this.#cut();
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
