// The pieces that chat records and the headers of messages are made of, as the host gives them (`CHAT_…` in
// src/abi.ts); and the words between them.

import { CHAT_PIECES } from '../src/abi';
import { wordBytes } from './record/text';
import { isSame } from './same';
import { copy } from './text-line';

/** Addresses and lengths. */
// @ts-ignore: decorator
@lazy const PIECES: usize = memory.data(CHAT_PIECES * 8, 8);

export function setPiece(number: u32, from: usize, length: usize): void {
  store<u32>(PIECES + (<usize>number << 3), <u32>from);
  store<u32>(PIECES + (<usize>number << 3), <u32>length, 4);
}

// @ts-ignore: decorator
@inline
export function put(q: usize, piece: u32): usize {
  const at = PIECES + (<usize>piece << 3);
  const from = <usize>load<u32>(at);
  return copy(q, from, from + <usize>load<u32>(at, 4));
}

/** Where the piece ends that stands at p, before `end`; 0: another text does. */
export function past(p: usize, end: usize, piece: u32): usize {
  const at = PIECES + (<usize>piece << 3);
  const length = <usize>load<u32>(at, 4);
  return p + length <= end && isSame(p, load<u32>(at), length) ? p + length : 0;
}

/** Where a word of `A-Za-z0-9_-` ends that begins at p. */
export function wordEnd(p: usize): usize {
  if (ASC_FEATURE_SIMD) {
    while (true) {
      const others = ~i8x16.bitmask(wordBytes(v128.load(p))) & 0xffff;
      if (others != 0) return p + <usize>ctz<i32>(others);
      p += 16;
    }
  }
  for (; ; p++) {
    const byte = <u32>load<u8>(p);
    if ((byte | 0x20) - 0x61 > 25 && byte - 0x30 > 9 && byte != 0x5f && byte != 0x2d) break;
  }
  return p;
}
