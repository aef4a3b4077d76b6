// Snappy, as Parquet wants it: fast to write, and read by everybody. The same bytes give the same result everywhere.
//
// A compressed text is its length, then elements: literals, which are bytes as they are, and copies of bytes that came
// before. The low two bits of an element's first byte tell its kind. Blocks of 64 KiB are compressed for themselves, so
// that a distance always has 16 bits.

const BLOCK = 64 * 1024;
const TABLE_BITS = 14;
/** Places in the block, by the hash of the four bytes there. */
const table = new Uint16Array(1 << TABLE_BITS);
/** A match is not looked for so near the end of a block. */
const MARGIN = 15;
const LONGEST_COPY = 64;

/** Compresses up to 2^31 bytes. */
export function compressSnappy(input: Uint8Array): Uint8Array {
  // The most that the elements of a block can need.
  const output = new Uint8Array(32 + input.length + Math.ceil(input.length / 6));
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength);
  let at = 0;
  for (let length = input.length; ; length >>>= 7) {
    if (length < 0x80) {
      output[at++] = length;
      break;
    }
    output[at++] = length & 0x7f | 0x80;
  }
  for (let from = 0; from < input.length; from += BLOCK) {
    at = compressBlock(input, view, from, Math.min(from + BLOCK, input.length), output, at);
  }
  return output.subarray(0, at);
}

function hash(word: number): number {
  return Math.imul(word, 0x1e35a7bd) >>> (32 - TABLE_BITS);
}

/** Answers with the place after what it wrote. */
function compressBlock(
  input: Uint8Array,
  view: DataView,
  from: number,
  to: number,
  output: Uint8Array,
  start: number,
): number {
  let at = start;
  /** What stands before it is written. */
  let done = from;
  const last = to - MARGIN;
  table.fill(0);
  // Matches are looked for less and less often while there are none.
  for (let place = from + 1, misses = 32; place < last; ) {
    const word = view.getInt32(place, true);
    const slot = hash(word);
    let match = from + table[slot]!;
    table[slot] = place - from;
    if (view.getInt32(match, true) !== word) {
      place += misses++ >>> 5;
      continue;
    }
    // The byte before may be the same too.
    while (place > done && match > from && input[place - 1] === input[match - 1]) {
      place--;
      match--;
    }
    at = writeLiteral(input, done, place, output, at);
    const distance = place - match;
    let end = place + 4;
    while (end < to && input[end] === input[end - distance]) end++;
    at = writeCopies(distance, end - place, output, at);
    done = place = end;
    misses = 32;
    if (place < last) table[hash(view.getInt32(place - 1, true))] = place - 1 - from;
  }
  return writeLiteral(input, done, to, output, at);
}

function writeLiteral(input: Uint8Array, from: number, to: number, output: Uint8Array, start: number): number {
  const length = to - from;
  if (length === 0) return start;
  let at = start;
  if (length <= 60) {
    output[at++] = (length - 1) << 2;
  } else if (length <= 0x100) {
    output[at++] = 60 << 2;
    output[at++] = length - 1;
  } else {
    output[at++] = 61 << 2;
    output[at++] = length - 1;
    output[at++] = (length - 1) >> 8;
  }
  if (length > 64) {
    output.set(input.subarray(from, to), at);
    return at + length;
  }
  for (let i = from; i < to; i++) output[at++] = input[i]!;
  return at;
}

function writeCopies(distance: number, length: number, output: Uint8Array, start: number): number {
  let at = start;
  for (let rest = length; rest > 0; ) {
    // The last copy keeps at least four bytes.
    const now = rest <= LONGEST_COPY ? rest : rest < LONGEST_COPY + 4 ? LONGEST_COPY - 4 : LONGEST_COPY;
    if (now >= 4 && now <= 11 && distance < 2048) {
      output[at++] = 1 | (now - 4) << 2 | (distance >> 8) << 5;
      output[at++] = distance;
    } else {
      output[at++] = 2 | (now - 1) << 2;
      output[at++] = distance;
      output[at++] = distance >> 8;
    }
    rest -= now;
  }
  return at;
}
