// Whether a body that comes in pieces is JSON (R-CONSTRAINT). Nothing of it is kept but the first wrong character.

import { JSON_DEPTH } from '../../abi.ts';
import type { Span } from '../../model/message.ts';
import { JsonReader } from '../../scan/twin/json.ts';
import { characterLength } from '../../utf8.ts';

/** Bytes of the longest character. */
const LONGEST = 4;

export class JsonBody {
  readonly #reader = new JsonReader(JSON_DEPTH);
  /** Position of the first wrong byte; -1: none was. */
  #wrongAt = -1;
  /** The bytes from there on, as far as they are one character's; `#isWhole`: all of them are there. */
  readonly #wrong: number[] = [];
  #isWhole = false;

  /** The next bytes of the content, which stand at position `at` of the input. */
  take(bytes: Uint8Array, at: number): void {
    if (this.#wrongAt >= 0) return this.#follow(bytes, 0);
    const wrong = this.#reader.take(bytes);
    if (wrong < 0) return;
    this.#wrongAt = at + wrong;
    this.#follow(bytes, wrong);
  }

  #follow(bytes: Uint8Array, from: number): void {
    for (let i = from; i < bytes.length && !this.#isWhole; i++) {
      this.#wrong.push(bytes[i]!);
      this.#isWhole = this.#wrong.length === LONGEST;
    }
  }

  /** Bytes that are no content stand here: a character does not go on behind them. */
  part(): void {
    this.#isWhole = this.#wrongAt >= 0;
  }

  /** Where the content of a body that ends at `bodyTo` is wrong: a character, or the end when it is too early. */
  wrong(bodyTo: number): Span | null {
    if (this.#wrongAt < 0) return this.#reader.isComplete ? null : { from: bodyTo, to: bodyTo };
    const length = Math.abs(characterLength(Uint8Array.from(this.#wrong), 0, this.#wrong.length));
    return { from: this.#wrongAt, to: this.#wrongAt + length };
  }
}
