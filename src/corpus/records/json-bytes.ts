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
