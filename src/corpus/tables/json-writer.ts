// JSON that is written as bytes, from bytes: what is no UTF-8 stays as it is, for the reader to find.

import { isUtf8 } from 'node:buffer';
import { TextMachine } from '../../scan/text-machine.ts';

const ENCODER = new TextEncoder();
const FIRST = 64 * 1024;
/** Bytes of a text for which room is made at once, and bytes that one of them becomes at most. */
const STEP = 4096;
const MOST_ESCAPE = 6;
/** Bytes of a text from which on the text machine is faster, calls and copies included; it has room for MACHINE. */
const LONG = 256;
const MACHINE = 64 * 1024;
/** Bytes up to which they are copied one by one. */
const SHORT = 32;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const HEX = ENCODER.encode('0123456789abcdef');

/** For each byte what follows its backslash: 0 for bytes that need none, `u` for those without a letter. */
const ESCAPES = new Uint8Array(256).fill(0x75, 0, 0x20);
for (const [byte, letter] of [[8, 'b'], [9, 't'], [10, 'n'], [12, 'f'], [13, 'r']] as const) {
  ESCAPES[byte] = letter.charCodeAt(0);
}
ESCAPES[QUOTE] = QUOTE;
ESCAPES[BACKSLASH] = BACKSLASH;

/** What is written is longer than it may be. */
export class TooLong extends Error {}

export class JsonWriter {
  bytes = new Uint8Array(FIRST);
  /** Where what is written ends. */
  at = 0;
  /** Where it must end. */
  limit = Infinity;
  #machine: TextMachine | undefined;

  /** Bytes as they are. */
  copy(from: Uint8Array): void {
    const { length } = from;
    this.#reserve(length);
    const { bytes, at } = this;
    // A call takes as long as some tens of bytes.
    if (length > SHORT) bytes.set(from, at);
    else for (let i = 0; i < length; i++) bytes[at + i] = from[i]!;
    this.at = at + length;
  }

  byte(byte: number): void {
    this.#reserve(1);
    this.bytes[this.at++] = byte;
  }

  /** A few characters of ASCII. */
  ascii(text: string): void {
    this.#reserve(text.length);
    for (let i = 0; i < text.length; i++) this.bytes[this.at++] = text.charCodeAt(i);
  }

  /** Bytes [from, to) of a text as a string of JSON. */
  string(text: Uint8Array, from: number, to: number): void {
    this.#reserve(to - from + 2);
    this.bytes[this.at++] = QUOTE;
    // The machine mends what is no UTF-8.
    if (to - from >= LONG && isUtf8(text.subarray(from, to))) this.#escapeLong(text, from, to);
    else {
      for (let part = from; part < to; part += STEP) {
        const end = Math.min(to, part + STEP);
        this.#reserve(MOST_ESCAPE * (end - part), end - part);
        this.#escape(text, part, end);
      }
    }
    this.#reserve(1);
    this.bytes[this.at++] = QUOTE;
  }

  #escapeLong(text: Uint8Array, from: number, to: number): void {
    const machine = (this.#machine ??= new TextMachine({ input: MACHINE, output: (MOST_ESCAPE + 1) * MACHINE }));
    while (from < to) {
      const part = text.subarray(from, Math.min(to, from + MACHINE));
      machine.input.set(part);
      const end = machine.escape(0, part.length, 0, from + part.length === to);
      this.copy(machine.output.subarray(0, end));
      from += machine.taken;
    }
  }

  #escape(text: Uint8Array, from: number, to: number): void {
    const { bytes } = this;
    let { at } = this;
    for (let i = from; i < to; i++) {
      const byte = text[i]!;
      const letter = ESCAPES[byte]!;
      if (letter === 0) {
        bytes[at++] = byte;
        continue;
      }
      bytes[at++] = BACKSLASH;
      bytes[at++] = letter;
      if (letter !== 0x75) continue;
      bytes[at++] = bytes[at++] = HEX[0]!;
      bytes[at++] = HEX[byte >> 4]!;
      bytes[at++] = HEX[byte & 15]!;
    }
    this.at = at;
  }

  /** Makes room for bytes, of which `sure` are written for certain. */
  #reserve(most: number, sure = most): void {
    if (this.at + sure > this.limit) throw new TooLong();
    if (this.at + most <= this.bytes.length) return;
    const grown = new Uint8Array(2 * (this.at + most));
    grown.set(this.bytes.subarray(0, this.at));
    this.bytes = grown;
  }

  /** Lets go of what was written, and of the room that a long value took. */
  clear(kept: number): void {
    if (this.bytes.length > kept) this.bytes = new Uint8Array(FIRST);
    this.at = 0;
  }
}

/** A text as the bytes of a JSON string. */
export const jsonKey = (name: string): Uint8Array => ENCODER.encode(`${JSON.stringify(name)}:`);
