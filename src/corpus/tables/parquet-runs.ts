// Numbers within a decompressed page of Parquet that say how many values come: of runs, and of blocks of differences.
// All that is looked at here is what would make the library write or go on without an end.

type Reader = { readonly view: DataView; offset: number };

/** How the library unpacks what cannot be told from a page without it. */
export interface Unpacking {
  readRleBitPackedHybrid(reader: Reader, width: number, output: number[]): void;
  deltaBinaryUnpack(reader: Reader, count: number, output: Int32Array): void;
}

/** A run may be as long as a group of values that are packed, of which the last one is filled up. */
const GROUP = 8;
/** Differences of a block; writers use 128 to 1024. */
const MOST_IN_BLOCK = 2 ** 16;

export const readerAt = (bytes: Uint8Array, offset: number): Reader =>
  ({ view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset });

/**
 * The runs of `values` numbers of `width` bits from byte `at` on, of one number again and again or of packed ones.
 * Throws an Error where one is longer than what is left. Where the bytes end early the library fails by itself.
 */
export function checkRuns(bytes: Uint8Array, at: number, width: number, values: number): void {
  for (let seen = 0; seen < values && at < bytes.length; ) {
    const header = numberAt(bytes, at);
    at = header.to;
    const isPacked = (header.value & 1) === 1;
    const half = header.value >>> 1;
    const count = isPacked ? half * GROUP : half;
    // Packed numbers without a bit take no bytes, which would end them.
    if (count >= values - seen + GROUP && (!isPacked || width === 0 || half >= 2 ** 27)) {
      throw new Error('parquet page has a run that is longer than its values');
    }
    at += isPacked ? half * width : (width + 7) >> 3;
    seen += count;
  }
}

/** How blocks of differences begin. Throws an Error where they would not go on. */
export function checkDeltas(bytes: Uint8Array, at: number): void {
  const block = numberAt(bytes, at);
  const parts = numberAt(bytes, block.to).value;
  const isUsual = block.value > 0 && block.value <= MOST_IN_BLOCK && parts > 0 && block.value % parts === 0
    && (block.value / parts) % GROUP === 0;
  if (!isUsual) throw new Error('parquet page has blocks of an unknown size');
}

/**
 * Bytes of texts of which each is told by what it has in common with the one before: `count` of them. Throws an Error
 * as above, and the library's.
 */
export function lengthOfPrefixed(bytes: Uint8Array, at: number, count: number, library: Unpacking): number {
  const reader = readerAt(bytes, at);
  let length = 0;
  for (let part = 0; part < 2; part++) {
    checkDeltas(bytes, reader.offset);
    const lengths = new Int32Array(count);
    library.deltaBinaryUnpack(reader, count, lengths);
    for (const one of lengths) length += one;
  }
  return length;
}

/** A number in groups of seven bits, of which 32 count, as the library reads it. */
function numberAt(bytes: Uint8Array, at: number): { readonly value: number; readonly to: number } {
  let value = 0;
  for (let shift = 0; at < bytes.length; shift += 7) {
    const byte = bytes[at++]!;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return { value, to: at };
}
