// Bytes as text that an editor can hold, and the way between their positions: bytes on one side, UTF-16 units on the
// other.

import type { Span } from '../index.ts';

/** Bytes between two remembered positions. */
const STEP = 512;

export class TextMap {
  readonly text: string;
  /** False: some bytes are no UTF-8, and the text has U+FFFD in their place; edited, they would be lost. */
  readonly isExact: boolean;
  readonly bytes: Uint8Array;
  /** UTF-16 units before byte `i * STEP`. */
  readonly #units: Uint32Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    this.isExact = isUtf8(bytes);
    this.#units = new Uint32Array(Math.floor(bytes.length / STEP) + 1);
    let units = 0;
    for (let at = 0; at < bytes.length; at++) {
      if (at % STEP === 0) this.#units[at / STEP] = units;
      units += unitsOf(bytes, at);
    }
    if (bytes.length % STEP === 0) this.#units[bytes.length / STEP] = units;
  }

  /** UTF-16 units before a byte position. Where bytes are no UTF-8 it is near. */
  unitAt(position: number): number {
    const to = Math.max(0, Math.min(position, this.bytes.length));
    const step = Math.floor(to / STEP);
    let units = this.#units[step]!;
    for (let at = step * STEP; at < to; at++) units += unitsOf(this.bytes, at);
    return Math.min(units, this.text.length);
  }

  /** The byte position of a UTF-16 position; within a character, that of the character. */
  byteAt(unit: number): number {
    let low = 0;
    let high = this.#units.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#units[middle]! <= unit) low = middle;
      else high = middle - 1;
    }
    let units = this.#units[low]!;
    let at = low * STEP;
    while (at < this.bytes.length) {
      const more = unitsOf(this.bytes, at);
      if (units + more > unit && more > 0) break;
      units += more;
      at++;
    }
    return at;
  }

  span({ from, to }: Span): Span {
    return { from: this.unitAt(from), to: this.unitAt(to) };
  }
}

/** UTF-16 units that a character has, counted where it begins. */
function unitsOf(bytes: Uint8Array, at: number): number {
  const byte = bytes[at]!;
  if (byte < 0x80) return 1;
  if (byte < 0xc0) return 0;
  return byte < 0xf0 ? 1 : 2;
}

export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
