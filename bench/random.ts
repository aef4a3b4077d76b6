// A seeded generator of pseudo-random numbers (sfc32), so that a corpus is the same in every run.

const INCREMENT = 0x9e3779b9;

/** A 32-bit number from any text, to give each part of a corpus a stream of its own. */
export function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return h >>> 0;
}

export class Random {
  #a: number;
  #b: number;
  #c: number;
  #d = 1;

  constructor(seed: number, stream = '') {
    this.#a = seed | 0;
    this.#b = hash(stream) | 0;
    this.#c = INCREMENT | 0;
    for (let i = 0; i < 16; i++) this.next();
  }

  /** An integer from 0 to 2^32 - 1. */
  next(): number {
    const t = (((this.#a + this.#b) | 0) + this.#d) | 0;
    this.#d = (this.#d + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + t) | 0;
    return t >>> 0;
  }

  /** A number from 0 up to, not including, 1. */
  unit(): number {
    return this.next() / 0x1_0000_0000;
  }

  /** An integer from 0 up to, not including, `limit`. */
  below(limit: number): number {
    return Math.floor(this.unit() * limit);
  }

  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  /** An integer between two lengths, short ones as likely as long ones on a logarithmic scale. */
  length(min: number, max: number): number {
    return Math.floor(min * Math.exp(this.unit() * Math.log(max / min)));
  }

  /** One of several choices by their shares; the shares add up to 1. */
  share<T extends { share: number }>(choices: readonly T[]): T {
    let rest = this.unit();
    for (const choice of choices) {
      rest -= choice.share;
      if (rest < 0) return choice;
    }
    return choices[choices.length - 1] as T;
  }
}
