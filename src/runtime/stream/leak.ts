// A hidden channel that begins in what is shown, as the model forgot to end its message (R-LEAK), in a body that comes
// in pieces. Held back is only what may still be the name of one.

import { HIDDEN_CHANNELS, type Span } from '../../model/message.ts';

const TOKEN = '<|channel|>';
const LEAKS: readonly Uint8Array[] = HIDDEN_CHANNELS.map((channel) => new TextEncoder().encode(TOKEN + channel));

export class LeakReader {
  readonly #give: (bytes: Uint8Array, at: number) => void;
  /** Bytes from the token on that may be a leak, and where they begin; null: no token is at hand. */
  #held: number[] | null = null;
  #from = 0;
  /** The token; null: nothing has leaked. */
  found: Span | null = null;

  /** `give` takes what does not wait, with its position. */
  constructor(give: (bytes: Uint8Array, at: number) => void) {
    this.#give = give;
  }

  /** A token is at hand, and what follows it tells what it is. */
  get isWaiting(): boolean {
    return this.#held !== null;
  }

  /** The next bytes are those of a `<|channel|>` token. */
  token(): void {
    this.release();
    if (this.found === null) this.#held = [];
  }

  /** The next bytes of the body, which stand at position `at` of the input. */
  take(bytes: Uint8Array, at: number): void {
    let i = 0;
    while (this.#held !== null && i < bytes.length) {
      const held = this.#held;
      if (held.length === 0) this.#from = at + i;
      const isLeak = (leak: Uint8Array): boolean =>
        leak[held.length] === bytes[i] && held.every((byte, k) => leak[k] === byte);
      const leak = LEAKS.find(isLeak);
      if (leak === undefined) {
        this.release();
        break;
      }
      held.push(bytes[i]!);
      i++;
      if (held.length === leak.length) {
        this.found = { from: this.#from, to: this.#from + TOKEN.length };
        this.release();
      }
    }
    if (i < bytes.length) this.#give(i === 0 ? bytes : bytes.subarray(i), at + i);
  }

  /** What is held back is text, or a leak by now. */
  release(): void {
    const held = this.#held;
    this.#held = null;
    if (held !== null && held.length > 0) this.#give(Uint8Array.from(held), this.#from);
  }
}
