// What detection looks through before the scanner reads it (R-DETECT): for the first control token of any dialect, in
// the window or in bytes that wait until it has come.

import { type Family, familyIn, findFamily } from '../../scan/peek.ts';
import { Kept } from './kept.ts';

/** So much text without a control token is waited for until the dialect is settled. */
export const DETECT_BYTES = 64 * 1024;
/** A token that the end of what was searched may cut. */
export const CUT = 32;

export class LookAhead {
  /** What has come since detection waits, and what of it was searched. */
  readonly #held = new Kept(Infinity);
  #searched = 0;
  /** No control token begins in [clearFrom, clearTo). */
  #clearFrom = 0;
  #clearTo = 0;

  /**
   * The family of the first control token in the window behind the document header, of which `ahead` has at most
   * DETECT_BYTES; null: more may tell.
   */
  familyAhead(ahead: Uint8Array, from: number, final: boolean): Family | null {
    if (this.#clearFrom > from || this.#clearTo < from) this.#clearFrom = this.#clearTo = from;
    const found = findFamily(ahead, Math.max(0, this.#clearTo - CUT - from));
    this.#clearTo = Math.max(this.#clearTo, from + found.at);
    if (found.family !== 'none') return found.family;
    return final || ahead.length === DETECT_BYTES ? 'none' : null;
  }

  /** Detection waits: bytes that stand at `from` are the first ones. */
  hold(from: number, bytes: Uint8Array): void {
    this.#held.clear(from);
    this.#held.add(from, bytes);
    this.#searched = from;
  }

  /** Bytes that may be added. */
  get room(): number {
    return DETECT_BYTES - (this.#held.end - this.#held.from);
  }

  add(bytes: Uint8Array): void {
    this.#held.add(this.#held.end, bytes);
  }

  /** The family of the first control token in what is held; null: more may tell. */
  familyHeld(): Family | null {
    const held = this.#held;
    const family = familyIn(held.bytes(this.#searched, held.end));
    if (family !== 'none') return family;
    this.#searched = Math.max(held.from, held.end - CUT);
    return held.end - held.from >= DETECT_BYTES ? 'none' : null;
  }

  /** What is held: it waits no longer. */
  release(): Uint8Array {
    const held = this.#held.bytes(this.#held.from, this.#held.end).slice();
    this.#held.clear(0);
    return held;
  }
}
