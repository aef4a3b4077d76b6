// Short texts of records on their way to be read together, with the records between them that have no text.

import type { TextsWritten } from '../../scan/record-machine.ts';

/** Bytes of all texts, and of one that is copied rather than read by itself. */
const ROOM = 64 * 1024;
const SHORT = 4 * 1024;

export class FewTexts {
  readonly #room = new Uint8Array(ROOM);
  #length = 0;
  #count = 0;
  /** Pairs: the number of texts before some records without one, and the number of such records up to these. */
  readonly #skips: number[] = [];

  /** The texts, valid until more are added. */
  get bytes(): Uint8Array {
    return this.#room.subarray(0, this.#length);
  }

  /** Texts and records without one. */
  get records(): number {
    return this.#count + (this.#skips.at(-1) ?? 0);
  }

  /** False: they are not taken, and what was taken is to be read first. */
  add({ bytes, texts }: TextsWritten): boolean {
    if (bytes.length > SHORT || this.#length + bytes.length > ROOM) return false;
    this.#room.set(bytes, this.#length);
    this.#length += bytes.length;
    this.#count += texts;
    return true;
  }

  /** Records without a text follow. */
  skip(records: number): void {
    this.#skips.push(this.#count, (this.#skips.at(-1) ?? 0) + records);
  }

  /** From the number of a text to that of its record, both from 0 on. The next one is mostly asked for next. */
  numbering(): (text: number) => number {
    const skips = this.#skips;
    let at = 0;
    return (text) => {
      while (at > 0 && skips[at - 2]! > text) at -= 2;
      while (at < skips.length && skips[at]! <= text) at += 2;
      return text + (at > 0 ? skips[at - 1]! : 0);
    };
  }

  clear(): void {
    this.#length = this.#count = this.#skips.length = 0;
  }
}
