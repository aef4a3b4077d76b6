// Bytes that JSON, and what stands around its values in a file, are made of.

export const LF = 0x0a;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_LIST = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_LIST = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
/** Stands before each value of a JSON text sequence (RFC 7464). */
export const SEPARATOR = 0x1e;

/** The byte order mark. */
export const MARK: readonly number[] = [0xef, 0xbb, 0xbf];

/** Whether bytes begin with a byte order mark. */
export const isMarked = (bytes: Uint8Array): boolean => MARK.every((byte, i) => bytes[i] === byte);

/** How raw transcripts begin: `<`, `version`, `---`. */
const RAW_OPENINGS: readonly (number | undefined)[] = [0x3c, 0x76, 0x2d];

/** Whether bytes begin with a mark of UTF-16 or UTF-32. */
export function isWideMarked([a, b, c, d]: Uint8Array): boolean {
  return (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff) || (a === 0 && b === 0 && c === 0xfe && d === 0xff);
}

/** Whether bytes begin with one of these characters in UTF-16 or UTF-32: a NUL stands beside it. */
function isWideText([a, b, c, d]: Uint8Array, openings: readonly (number | undefined)[]): boolean {
  if (b === 0 && openings.includes(a)) return true;
  return a === 0 && (openings.includes(b) || (b === 0 && c === 0 && openings.includes(d)));
}

/** Whether JSON begins as text of UTF-16 or UTF-32 without a mark. */
export const isWideJson = (bytes: Uint8Array): boolean => isWideText(bytes, [OPEN_OBJECT, OPEN_LIST]);

/** Whether JSON begins as text of UTF-16 or UTF-32 (R-UTF16). */
export const looksWide = (bytes: Uint8Array): boolean => isWideMarked(bytes) || isWideJson(bytes);

/** The same of raw transcripts. */
export const looksWideRaw = (bytes: Uint8Array): boolean => looksWide(bytes) || isWideText(bytes, RAW_OPENINGS);
