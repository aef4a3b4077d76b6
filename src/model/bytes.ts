// Bytes as the format sees them: white space is SP, HTAB, CR, LF and nothing else (R-ATTR).

/** Byte positions, half open. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export const LF = 0x0a;
export const CR = 0x0d;

export function isBlankByte(byte: number | undefined): boolean {
  return byte === 0x20 || byte === LF || byte === CR || byte === 0x09;
}

/** True when [from, to) holds nothing but white space. */
export function isBlank(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (!isBlankByte(bytes[at])) return false;
  return true;
}

/** True when `part` stands at `at`. */
export function standsAt(part: Uint8Array, bytes: Uint8Array, at: number): boolean {
  for (let i = 0; i < part.length; i++) if (bytes[at + i] !== part[i]) return false;
  return true;
}

/** Where `part` stands first, or -1. */
export function indexOfPart(part: Uint8Array, bytes: Uint8Array): number {
  const first = part[0]!;
  for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (standsAt(part, bytes, at)) return at;
  }
  return -1;
}

/** The bytes of both, one behind the other. */
export function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
