// Bad UTF-8 of an input, in order (R-UTF8). Looks at each window while it lies in scanner memory, ahead of the rows.

import type { Machine } from '../scan/machine.ts';
import { characterLength } from '../utf8.ts';

interface Span {
  readonly from: number;
  readonly to: number;
}

const NOTHING = new Uint8Array(0);

export class InvalidUtf8 {
  /** Everything before this position was looked at; of that, bytes of a character that the end of a window cut. */
  #seen = 0;
  #cut: Uint8Array = NOTHING;
  /** Maximal bad subparts that were not given out yet; those before #next were. */
  #found: Span[] = [];
  #next = 0;

  /**
   * Looks at window bytes [from, to); the window begins at `base`. What was seen before is passed over. `final`: no
   * input follows.
   */
  watch(machine: Machine, base: number, from: number, to: number, final: boolean): void {
    let p = Math.max(from, this.#seen - base);
    if (p > to) return;
    if (this.#cut.length > 0) p = this.#completeCut(machine.source, base, p, to, final);
    while (p < to) {
      const at = machine.invalidUtf8(p, to);
      if (at < 0) break;
      const end = at - characterLength(machine.source, at, to);
      if (end === to && !final) {
        this.#cut = machine.source.slice(at, to);
        break;
      }
      this.#found.push({ from: base + at, to: base + end });
      p = end;
    }
    this.#seen = base + to;
  }

  /** Reads a cut character together with the bytes that follow; answers where to go on. */
  #completeCut(source: Uint8Array, base: number, p: number, to: number, final: boolean): number {
    const cut = this.#cut;
    const joined = Uint8Array.from([...cut, ...source.subarray(p, Math.min(to, p + 3))]);
    const start = base + p - cut.length;
    this.#cut = NOTHING;
    let at = 0;
    while (at < cut.length) {
      const length = characterLength(joined, at, joined.length);
      const end = at + Math.abs(length);
      if (length < 0 && end === joined.length && p + 3 > to && !final) {
        this.#cut = joined.slice(at);
        return to;
      }
      if (length < 0) this.#found.push({ from: start + at, to: start + end });
      at = end;
    }
    return p + at - cut.length;
  }

  /** Position of the first bad byte that was not given out yet. */
  get validTo(): number {
    return this.#next < this.#found.length ? this.#found[this.#next]!.from : Infinity;
  }

  /** True when bad bytes that were not given out yet begin before `to`. */
  pending(to: number): boolean {
    return this.#next < this.#found.length && this.#found[this.#next]!.from < to;
  }

  /** The bad subparts before `to` that were not given out yet. */
  upTo(to: number): Span[] {
    if (!this.pending(to)) return [];
    const from = this.#next;
    while (this.pending(to)) this.#next++;
    const found = this.#found.slice(from, this.#next);
    if (this.#next === this.#found.length) {
      this.#found = [];
      this.#next = 0;
    }
    return found;
  }
}
