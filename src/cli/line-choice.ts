// Some of the lines that a command writes: the first ones, or a sample.

import { Sample } from './sample.ts';

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

/** As many lines as are wanted, each as likely as any other, in their order. */
export class LineSample implements LineChoice {
  readonly #sample: Sample<Uint8Array>;
  readonly #write: (bytes: Uint8Array) => void;
  #begun: Uint8Array[] = [];
  readonly isDone = false;

  constructor(count: number, seed: number, write: (bytes: Uint8Array) => void) {
    this.#sample = new Sample(count, seed);
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
    for (const line of this.#sample.take()) this.#write(line);
  }

  #line(end: Uint8Array): void {
    const begun = this.#begun;
    this.#begun = [];
    this.#sample.offer(() => Buffer.concat([...begun, end]));
  }
}
