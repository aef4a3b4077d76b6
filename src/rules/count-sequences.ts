// Files and fill-ins of 0.1, counted as `scan` tells them.

import * as abi from '../abi.ts';

/** Files and fill-ins in the gaps of 0.1 (R-FIM): counted where a file token is, between messages, BOS and EOS. */
export class SequenceCounter {
  files = 0;
  fillIns = 0;
  #separators = 0;
  #hasToken = false;
  /** Something stands before the first separator. */
  #leading = false;
  /** Bits of the fill-in tokens seen in the fill-in at hand. */
  #seen = 0;

  /** The next row of a gap. */
  row(kind: number, token: number): void {
    if (kind === abi.BOUND) {
      this.end();
    } else if (kind === abi.TEXT) {
      if (this.#separators === 0) this.#leading = true;
    } else if (kind === abi.FILE) {
      this.#hasToken = true;
      if (token === abi.FILE_SEPARATOR) {
        this.#separators++;
        this.#seen = 0;
      } else {
        if (this.#separators === 0) this.#leading = true;
        const bit = 1 << (token - abi.FIM_PREFIX);
        if (this.#seen === 0 || this.#seen & bit) {
          this.fillIns++;
          this.#seen = 0;
        }
        this.#seen |= bit;
      }
    }
  }

  /** A message, BOS, EOS or the end of input. */
  end(): void {
    if (this.#hasToken) this.files += this.#separators + (this.#leading ? 1 : 0);
    this.#separators = this.#seen = 0;
    this.#hasToken = this.#leading = false;
  }
}
