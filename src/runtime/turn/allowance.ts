// How much of an output is read: chunks up to a length, which cuts no pair of surrogates in two.

import type { TurnOutputChunk } from './types.ts';

export class Allowance {
  #left: number;
  /** The first half of a pair, where the length ends: it is read when nothing follows. */
  #half = '';

  /** Of the units that `maxOutputLength` counts. */
  constructor(length: number) {
    this.#left = length;
  }

  /** More has come than is read. */
  get isSpent(): boolean {
    return this.#left < 0;
  }

  /** What is read of a chunk. */
  take(chunk: TurnOutputChunk): TurnOutputChunk {
    const left = this.#left;
    this.#left -= chunk.length;
    const part = chunk.length > left ? chunk.slice(0, left) : chunk;
    if (typeof part !== 'string' || chunk.length < left || !endsInHalf(part)) return part;
    this.#half = part.slice(-1);
    return part.slice(0, -1);
  }

  /** What is read beside the chunks of an output that has ended; null: nothing. */
  rest(): string | null {
    return this.isSpent || this.#half === '' ? null : this.#half;
  }
}

function endsInHalf(text: string): boolean {
  return (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800;
}
