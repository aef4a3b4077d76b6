// Members of records whose messages stand under other names than lists of entries (other-forms.ts), told by the first
// bytes of their keys.

import { QUOTE } from './text';

const M5: u64 = 0xffffffffff;
const M6: u64 = 0xffffffffffff;
const M7: u64 = 0xffffffffffffff;
const K_TEXT: u64 = 0x2274786574;
const K_INPUT: u64 = 0x227475706e69;
const K_OUTPUT: u64 = 0x2274757074756f;
const K_SYSTEM: u64 = 0x226d6574737973;
const K_PROMPT: u64 = 0x2274706d6f7270;
const K_CHOSEN: u64 = 0x226e65736f6863;
const K_HISTORY: u64 = 0x2279726f74736968;
const K_VERSION: u64 = 0x226e6f6973726576;
const K_INSTRUCT: u64 = 0x7463757274736e69;
const K_COMPLETI: u64 = 0x6974656c706d6f63;
const K_REJECTED: u64 = 0x64657463656a6572;
export const K_ROLE_4: u64 = 0x656c6f72;
export const K_FROM_4: u64 = 0x6d6f7266;
const K_QUESTION: u64 = 0x6e6f697473657571;
const K_QUERY: u64 = 0x227972657571;
const K_PROBLEM: u64 = 0x226d656c626f7270;

// Members, a bit each.
export const HAS_SYSTEM: u32 = 1;
export const HAS_INSTRUCTIONS: u32 = 2;
export const HAS_INSTRUCTION: u32 = 4;
export const HAS_INPUT: u32 = 8;
export const HAS_OUTPUT: u32 = 16;
export const HAS_HISTORY: u32 = 32;
/** Another form comes first, or a value is none that these forms have. */
export const HAS_OTHER: u32 = 64;
export const HAS_PROMPT: u32 = 128;
export const HAS_COMPLETION: u32 = 256;
export const HAS_CHOSEN: u32 = 512;
export const HAS_REJECTED: u32 = 1024;
export const HAS_PAIR: u32 = HAS_PROMPT | HAS_COMPLETION | HAS_CHOSEN | HAS_REJECTED;

/** Of the last key that was known, with its closing quote. */
export let keyLength: usize = 0;

/** Which member has its key at p; 0: none that is known here. `isAny`: members of other forms than lists, too. */
export function knownKey(p: usize, isAny: bool): u32 {
  const key = load<u64>(p, 1);
  if ((key & M7) == K_SYSTEM) {
    keyLength = 7;
    return HAS_SYSTEM;
  }
  if (!isAny) return 0;
  if ((key & M6) == K_INPUT) {
    keyLength = 6;
    return HAS_INPUT;
  }
  if ((key & M7) == K_OUTPUT) {
    keyLength = 7;
    return HAS_OUTPUT;
  }
  if (key == K_INSTRUCT) {
    keyLength = 13;
    if ((load<u64>(p, 9) & M5) == 0x22736e6f69) return HAS_INSTRUCTIONS;
    keyLength = 12;
    return load<u32>(p, 9) == 0x226e6f69 ? HAS_INSTRUCTION : 0;
  }
  keyLength = 8;
  return key == K_HISTORY ? HAS_HISTORY : pairKey(p, key);
}

function pairKey(p: usize, key: u64): u32 {
  keyLength = 7;
  if ((key & M7) == K_PROMPT) return HAS_PROMPT;
  if ((key & M7) == K_CHOSEN) return HAS_CHOSEN;
  if (key == K_REJECTED) {
    keyLength = 9;
    return load<u8>(p, 9) == QUOTE ? HAS_REJECTED : 0;
  }
  keyLength = 11;
  return key == K_COMPLETI && (load<u32>(p, 9) & 0xffffff) == 0x226e6f ? HAS_COMPLETION : 0;
}

/** Whether the key at p is one that others give to a prompt. */
// @ts-ignore: decorator
@inline
export function isQuestion(p: usize): bool {
  const key = load<u64>(p, 1);
  return (key & M6) == K_QUERY || key == K_PROBLEM || (key == K_QUESTION && load<u8>(p, 9) == QUOTE);
}

// @ts-ignore: decorator
@inline
export function isTextKey(p: usize): bool { return (load<u64>(p, 1) & M5) == K_TEXT; }
// @ts-ignore: decorator
@inline
export function isVersion(p: usize): bool { return load<u64>(p, 1) == K_VERSION; }

/** Whether a role is that of a user or the system. */
export function asks(p: usize): bool {
  const word = load<u64>(p, 1);
  return load<u8>(p) == QUOTE && ((word & M5) == 0x2272657375 // user
    || (word & M6) == 0x226e616d7568 // human
    || (word & M7) == 0x226d6574737973); // system
}
