// Which token stands at an address: a bucket by the four bytes after `<|`, then masked compares. The table is the
// host's.

import {
  BUCKET_FACTOR, BUCKET_SHIFT, DIALECT_ENTRIES, DIALECT_HEADS, DIALECT_BYTES, ENTRY_BYTES, ENTRY_HIGH, ENTRY_HIGH_MASK,
  ENTRY_LENGTH, ENTRY_LOW, ENTRY_LOW_MASK, ENTRY_NEXT,
} from '../src/abi';

/** Where the host writes the dialect. */
// @ts-ignore: decorator
@lazy export const DIALECT: usize = memory.data(DIALECT_BYTES, 16);

const ENTRIES: usize = DIALECT + DIALECT_ENTRIES;

/**
 * Entry of the token whose `<|` stands at q, or 0. Reads up to 20 bytes: the caller checks the length against its end.
 */
// @ts-ignore: decorator
@inline
export function classify(q: usize): usize {
  const bucket = (load<u32>(q, 2) * <u32>BUCKET_FACTOR) >>> BUCKET_SHIFT;
  let number = <u32>load<u8>(DIALECT + bucket, DIALECT_HEADS);
  while (number != 0) {
    const entry = ENTRIES + number * ENTRY_BYTES;
    if ((load<u64>(q, 2) & load<u64>(entry, ENTRY_LOW_MASK)) == load<u64>(entry, ENTRY_LOW)
      && (load<u64>(q, 10) & load<u64>(entry, ENTRY_HIGH_MASK)) == load<u64>(entry, ENTRY_HIGH)
      // The two masked words cover 16 bytes; every token ends in `|>`, and none is longer than 20.
      && load<u16>(q + load<u32>(entry, ENTRY_LENGTH) - 2) == 0x3e7c) {
      return entry;
    }
    number = load<u32>(entry, ENTRY_NEXT);
  }
  return 0;
}

/** True when the bytes [q, end), which begin with `<` or `<|`, may be the beginning of a token. */
export function mayBeToken(q: usize, end: usize): bool {
  const length = end - q;
  if (length <= 2) return true;
  const last = ENTRIES + 40 * ENTRY_BYTES;
  for (let entry = ENTRIES + ENTRY_BYTES; entry < last && load<u32>(entry, ENTRY_LENGTH) != 0; entry += ENTRY_BYTES) {
    if (<usize>load<u32>(entry, ENTRY_LENGTH) <= length) continue;
    let same: usize = 2;
    while (same < length && load<u8>(q + same) == innerByte(entry, same - 2)) same++;
    if (same == length) return true;
  }
  return false;
}

/** Byte `index` of a token's text after `<|`. */
function innerByte(entry: usize, index: usize): u8 {
  const length = <usize>load<u32>(entry, ENTRY_LENGTH) - 2;
  if (index == length - 1) return 0x3e;
  if (index == length - 2) return 0x7c;
  return index < 8 ? load<u8>(entry + index, ENTRY_LOW) : load<u8>(entry + index - 8, ENTRY_HIGH);
}
