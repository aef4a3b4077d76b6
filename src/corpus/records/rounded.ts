// Whether reading a record as a value rounds a number in it. Few records have numbers that are long enough. The bytes
// are looked through part by part, because the text of a record of many MiB would be a copy of it.

import { isRounded, mayBeRounded } from '../../tools/exact.ts';

const PART = 64 * 1024;
/** Bytes of a long number by which it is known. */
const KNOWN_BY = 16;

export function holdsRounded(bytes: Uint8Array): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  // Each byte a character: numbers are ASCII.
  for (let from = 0; from < buffer.length; from += PART) {
    const part = buffer.toString('latin1', from, from + PART + KNOWN_BY);
    if (mayBeRounded(part)) return isRounded(buffer.toString('latin1'));
  }
  return false;
}
