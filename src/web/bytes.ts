// Pieces of bytes become one; parts of bytes become others.

import type { Span } from '../index.ts';

/** A part of bytes, and what stands there instead. */
export interface Edit extends Span {
  readonly with: string;
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Bytes with parts of them changed, which do not overlap. */
export function edited(bytes: Uint8Array, edits: readonly Edit[]): Uint8Array {
  const encoder = new TextEncoder();
  let at = 0;
  const parts: Uint8Array[] = [];
  for (const { from, to, with: words } of [...edits].sort((a, b) => a.from - b.from)) {
    parts.push(bytes.subarray(at, from), encoder.encode(words));
    at = to;
  }
  parts.push(bytes.subarray(at));
  return joined(parts);
}
