// Records that hold so many values that reading them would take many times their bytes: they are refused before.

import { RECORD_CONTAINERS, RECORD_CROWD, RECORD_FURTHER } from '../../abi.ts';
import { BACKSLASH, COMMA, OPEN_LIST, OPEN_OBJECT, QUOTE } from './json-bytes.ts';

/** What a record holds too many of; null: nothing. What is no JSON may be told as anything. */
export function crowdOf(bytes: Uint8Array): string | null {
  if (bytes.length < RECORD_CROWD) return null;
  const count = new ValueCount();
  count.add(bytes);
  return count.tooMany;
}

/** The objects, lists and other values of a record that comes in pieces, each of which is a value. */
export class ValueCount {
  #containers = 0;
  #further = 0;

  add(bytes: Uint8Array): void {
    let [containers, further] = [0, 0];
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (byte === QUOTE) at = endOfString(bytes, at + 1);
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) containers++;
      else if (byte === COMMA) further++;
    }
    this.#containers += containers;
    this.#further += further;
  }

  /** What there is too much of; null: nothing. */
  get tooMany(): string | null {
    if (this.#containers > RECORD_CONTAINERS) return `more than ${RECORD_CONTAINERS} objects and lists`;
    return this.#further > RECORD_FURTHER ? `more than ${RECORD_FURTHER} values` : null;
  }
}

/** Short strings are read byte by byte. */
const SHORT = 32;

/** Position of the quote that ends the string at `from`, or the end. */
function endOfString(bytes: Uint8Array, from: number): number {
  let at = from;
  for (const near = Math.min(bytes.length, from + SHORT); at < near; at++) {
    if (bytes[at] === BACKSLASH) at++;
    else if (bytes[at] === QUOTE) return at;
  }
  for (let quote = bytes.indexOf(QUOTE, at); quote >= 0; quote = bytes.indexOf(QUOTE, quote + 1)) {
    let slashes = 0;
    while (quote - slashes > at && bytes[quote - slashes - 1] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote;
    at = quote;
  }
  return bytes.length;
}
