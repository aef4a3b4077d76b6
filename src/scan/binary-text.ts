// The bytes of a WebAssembly module as text that travels inside a script (assembly/embed.mjs writes it).
//
// Most bytes are one character each, so that what repeats in the bytes repeats in the text: compressed, it is a quarter
// smaller than base64.

const FIRST = 0x23;
const BACKSLASH = 0x5c;
/** Characters; bytes below `SHORT` are one of them, the others two. */
const CHARACTERS = 91;
const SHORT = 88;

export function decodeBytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  let length = 0;
  let prefix = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const digit = code - FIRST - (code > BACKSLASH ? 1 : 0);
    if (prefix === 0 && digit >= SHORT) {
      prefix = digit;
      continue;
    }
    bytes[length++] = prefix === 0 ? digit : SHORT + (prefix - SHORT) * CHARACTERS + digit;
    prefix = 0;
  }
  return bytes.slice(0, length);
}
