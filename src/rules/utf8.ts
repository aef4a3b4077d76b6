// Bad UTF-8 of an input, in order (R-UTF8). Looks at each window while it lies in scanner memory, ahead of the rows.

import type { StreamMachine } from '../scan/machine.ts';
import { characterLength } from '../utf8.ts';

const NOTHING = new Uint8Array(0);

export class InvalidUtf8 {
  /** Everything before this position was looked at; of that, bytes of a character that the end of a window cut. */
  #seen = 0;
  #cut: Uint8Array = NOTHING;
  /** Maximal bad subparts that were not given out yet. */
  readonly #found = new Spans();

  /**
   * Looks at window bytes [from, to); the window begins at `base`. What was seen before is passed over. `final`: no
   * input follows.
   */
  watch(machine: StreamMachine, base: number, from: number, to: number, final: boolean): void {
    let p = Math.max(from, this.#seen - base);
    if (p > to) return;
    if (this.#cut.length > 0) p = this.#completeCut(machine.source, base, p, to, final);
    const { source } = machine;
    while (p < to) {
      // What stands behind bad bytes is often bad, too.
      const length = characterLength(source, p, to);
      const at = length < 0 ? p : machine.invalidUtf8(p, to);
      if (at < 0) break;
      const end = at - (length < 0 ? length : characterLength(source, at, to));
      if (end === to && !final) {
        this.#cut = source.slice(at, to);
        break;
      }
      this.#found.add(base + at, base + end);
      p = end;
    }
    this.#seen = base + to;
  }

  /** No character is cut, and no bad bytes are left to give out. */
  get isClear(): boolean {
    return this.#cut.length === 0 && this.#found.from === Infinity;
  }

  /** Valid bytes up to a position. */
  pass(to: number): void {
    this.#seen = to;
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
      if (length < 0) this.#found.add(start + at, start + end);
      at = end;
    }
    return p + at - cut.length;
  }

  /** Position of the first bad byte that was not given out yet. */
  get validTo(): number {
    return this.#found.from;
  }

  /** True when bad bytes that were not given out yet begin before `to`. */
  pending(to: number): boolean {
    return this.#found.from < to;
  }

  /** Gives out the bad subparts before `to` that were not given out yet. */
  upTo(to: number, take: (from: number, to: number) => void): void {
    const found = this.#found;
    while (found.from < to) {
      take(found.from, found.to);
      found.next();
    }
  }
}

/**
 * Spans of one to three bytes by rising position, of which there may be one for every byte of the input. Each is the
 * distance from the one before, times 4, and its length, seven bits a byte. A run of spans that follow it without a gap
 * and have the same length is written as their number, times 4.
 */
class Spans {
  /** The first that was not taken; both Infinity: there is none. */
  from = Infinity;
  to = Infinity;
  #bytes = new Uint8Array(256);
  #length = 0;
  #read = 0;
  /** The last one: where it ends, its length, and how many like it are not written yet. */
  #end = 0;
  #size = 0;
  #alike = 0;
  /** How many of those read last are still to be taken. */
  #repeats = 0;

  add(from: number, to: number): void {
    if (this.from === Infinity) {
      this.from = from;
      this.to = to;
    } else if (from === this.#end && to - from === this.#size) {
      this.#alike++;
      this.#end = to;
      return;
    } else {
      this.#writeAlike();
      this.#write((from - this.#end) * 4 + (to - from));
    }
    this.#end = to;
    this.#size = to - from;
  }

  next(): void {
    if (this.#repeats > 0) {
      this.#repeats--;
      const size = this.to - this.from;
      this.from = this.to;
      this.to += size;
      return;
    }
    if (this.#read === this.#length) this.#writeAlike();
    if (this.#read === this.#length) {
      this.from = this.to = Infinity;
      this.#read = this.#length = 0;
      if (this.#bytes.length > MOST_IDLE) this.#bytes = new Uint8Array(256);
      return;
    }
    let value = 0;
    let factor = 1;
    let byte = 0;
    do {
      byte = this.#bytes[this.#read++]!;
      value += (byte % 128) * factor;
      factor *= 128;
    } while (byte > 0x7f);
    if (value % 4 === 0) {
      this.#repeats = value / 4;
      this.next();
      return;
    }
    this.from = this.to + Math.floor(value / 4);
    this.to = this.from + (value % 4);
  }

  #writeAlike(): void {
    if (this.#alike > 0) this.#write(this.#alike * 4);
    this.#alike = 0;
  }

  #write(value: number): void {
    let rest = value;
    for (; rest > 0x7f; rest = Math.floor(rest / 128)) this.#push((rest % 128) + 128);
    this.#push(rest);
  }

  #push(byte: number): void {
    if (this.#length === this.#bytes.length) {
      const grown = new Uint8Array(2 * this.#length);
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes[this.#length++] = byte;
  }
}

/** Bytes that stay with an empty list. */
const MOST_IDLE = 65536;
