// UTF-8 by hand: how long a character is, and how long an ill-formed sequence (R-UTF8: maximal subparts, as TextDecoder
// replaces them); and where texts that become UTF-8 part by part may be divided.

/**
 * Length in bytes of the character at `at`, below `end`; negative: the length of a maximal subpart that is not valid
 * and is replaced by one U+FFFD.
 */
export function characterLength(bytes: Uint8Array, at: number, end: number): number {
  const lead = bytes[at]!;
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return -1;
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  for (let i = 1; i < length; i++) {
    if (at + i >= end) return -i;
    const byte = bytes[at + i]!;
    let low = 0x80;
    let high = 0xbf;
    if (i === 1) {
      if (lead === 0xe0) low = 0xa0;
      else if (lead === 0xed) high = 0x9f;
      else if (lead === 0xf0) low = 0x90;
      else if (lead === 0xf4) high = 0x8f;
    }
    if (byte < low || byte > high) return -i;
  }
  return length;
}

/** Code points in [from, to), each bad subpart one. */
export function countCodePoints(bytes: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; count++) {
    at += bytes[at]! < 0x80 ? 1 : Math.abs(characterLength(bytes, at, to));
  }
  return count;
}

/**
 * Where the part of a text ends that begins at `from`, of at most `most` units, which are two or more: the halves of a
 * pair stay together, whatever stands before them. `to`: where the last part ends.
 */
export function partEnd(text: string, from: number, most: number, to = text.length): number {
  const end = Math.min(to, from + most);
  return end < to && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800 ? end - 1 : end;
}

const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });

/** The text of bytes; bad subparts become U+FFFD, a byte order mark stays. */
export function decodeUtf8(bytes: Uint8Array): string {
  return DECODER.decode(bytes);
}
