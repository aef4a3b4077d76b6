// Pieces of a stream are a few bytes: these are copied without a call of the runtime.

/** Bytes, or UTF-16 units, that are copied by hand: shorter ones than a call is worth. */
export const SHORT = 24;
const ENCODER = new TextEncoder();

/** Copies `length` bytes of `bytes` from `from` on. */
export function copy(bytes: Uint8Array, from: number, length: number, into: Uint8Array, at: number): void {
  for (let i = 0; i < length; i++) into[at + i] = bytes[from + i]!;
}

/** Writes text as UTF-8 where there is room for it; answers how many bytes it is. */
export function encodeInto(text: string, into: Uint8Array, at: number): number {
  const { length } = text;
  if (length > SHORT) return ENCODER.encodeInto(text, into.subarray(at)).written;
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x80) return i + ENCODER.encodeInto(text.slice(i), into.subarray(at + i)).written;
    into[at + i] = unit;
  }
  return length;
}
