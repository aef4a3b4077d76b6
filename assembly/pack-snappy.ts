// Snappy: bytes in, the elements of a compressed text out.
//
// An element is a literal, which is bytes as they are, or a copy of bytes that came before. The low two bits of its
// first byte tell which. Blocks of 64 KiB are compressed for themselves, so that a distance always has 16 bits.

/** Bytes of a block. */
const BLOCK: usize = 64 * 1024;
/** Places in the block, by the hash of the bytes there: 16 bits each. */
const TABLE_BITS: u32 = 14;
const TABLE: usize = memory.data(2 << TABLE_BITS, 16);
/**
 * Bits of the shortest match. A copy may have four bytes; with five, text becomes as short or shorter, in a tenth less
 * time.
 */
const SHORTEST: u32 = 40;
const IGNORED: u64 = 64 - SHORTEST;
/** A match is not looked for so near the end of a block. */
const MARGIN: usize = 15;
const LONGEST_COPY: usize = 64;
/** Bytes that are copied at once; as many behind the input are read, and behind the output written. */
const STEP: usize = 16;

/** Compresses [from, to): whole blocks, but for the last one of a text. Answers the address after the last element. */
export function compress(from: usize, to: usize, into: usize): usize {
  let at = into;
  for (let p = from; p < to; p += BLOCK) at = compressBlock(p, min(p + BLOCK, to), at);
  return at;
}

// @ts-ignore: decorator
@inline
function slotOf(word: u64): usize {
  return TABLE + (<usize>(((word << IGNORED) * 0x9e3779b185ebca87) >> (64 - TABLE_BITS)) << 1);
}

function compressBlock(from: usize, to: usize, into: usize): usize {
  let at = into;
  /** What stands before it is written. */
  let done = from;
  if (to - from > MARGIN) {
    const last = to - MARGIN;
    memory.fill(TABLE, 0, 2 << TABLE_BITS);
    // Matches are looked for less and less often while there are none.
    let misses: usize = 32;
    for (let place = from + 1; place < last; ) {
      const word = load<u64>(place);
      const slot = slotOf(word);
      let match = from + <usize>load<u16>(slot);
      store<u16>(slot, <u16>(place - from));
      if ((load<u64>(match) ^ word) << IGNORED != 0) {
        place += misses++ >> 5;
        continue;
      }
      // The byte before may be the same too.
      while (place > done && match > from && load<u8>(place - 1) == load<u8>(match - 1)) {
        place--;
        match--;
      }
      at = writeLiteral(done, place, at);
      done = matchEnd(place + SHORTEST / 8, match + SHORTEST / 8, to);
      at = writeCopies(place - match, done - place, at);
      place = done;
      misses = 32;
      if (place < last) store<u16>(slotOf(load<u64>(place - 1)), <u16>(place - 1 - from));
    }
  }
  return writeLiteral(done, to, at);
}

/** Where the bytes from `p` on are no longer those from `match` on; at most `to`. */
// @ts-ignore: decorator
@inline
function matchEnd(p: usize, match: usize, to: usize): usize {
  if (ASC_FEATURE_SIMD) {
    while (p + 16 <= to) {
      const same = i8x16.bitmask(i8x16.eq(v128.load(p), v128.load(match)));
      if (same != 0xffff) return p + <usize>ctz(~same);
      p += 16;
      match += 16;
    }
  }
  while (p + 8 <= to) {
    const difference = load<u64>(p) ^ load<u64>(match);
    if (difference != 0) return p + (<usize>ctz(difference) >> 3);
    p += 8;
    match += 8;
  }
  while (p < to && load<u8>(p) == load<u8>(match)) {
    p++;
    match++;
  }
  return p;
}

// @ts-ignore: decorator
@inline
function writeLiteral(from: usize, to: usize, into: usize): usize {
  const length = to - from;
  if (length == 0) return into;
  let at = into;
  if (length <= 60) {
    store<u8>(at++, <u8>((length - 1) << 2));
  } else if (length <= 0x100) {
    store<u8>(at, 60 << 2);
    store<u8>(at + 1, <u8>(length - 1));
    at += 2;
  } else {
    store<u8>(at, 61 << 2);
    store<u16>(at + 1, <u16>(length - 1));
    at += 3;
  }
  const end = at + length;
  for (let p = from; at < end; p += STEP, at += STEP) {
    if (ASC_FEATURE_SIMD) {
      v128.store(at, v128.load(p));
    } else {
      store<u64>(at, load<u64>(p));
      store<u64>(at + 8, load<u64>(p + 8));
    }
  }
  return end;
}

// @ts-ignore: decorator
@inline
function writeCopies(distance: usize, length: usize, into: usize): usize {
  let at = into;
  for (let rest = length; rest > 0; ) {
    // The last copy keeps at least four bytes.
    const now = rest <= LONGEST_COPY ? rest : rest < LONGEST_COPY + 4 ? LONGEST_COPY - 4 : LONGEST_COPY;
    if (now >= 4 && now <= 11 && distance < 2048) {
      store<u8>(at, <u8>(1 | (now - 4) << 2 | (distance >> 8) << 5));
      store<u8>(at + 1, <u8>distance);
      at += 2;
    } else {
      store<u8>(at, <u8>(2 | (now - 1) << 2));
      store<u16>(at + 1, <u16>distance);
      at += 3;
    }
    rest -= now;
  }
  return at;
}
