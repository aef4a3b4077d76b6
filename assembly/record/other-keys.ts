// Members of records whose messages stand under other names than lists of entries (other-forms.ts), told by their keys.

import * as K from './keys';
import { isKey, isLongKey } from './members';
import { QUOTE } from './text';

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
/** Other names of what is asked, of an answer, of the system's text. */
export const HAS_QUESTION: u32 = 2048;
export const HAS_PROBLEM: u32 = 4096;
export const HAS_ANSWER: u32 = 8192;
export const HAS_RESPONSE: u32 = 16384;
export const HAS_SOLUTION: u32 = 32768;
export const HAS_SYSTEM_PROMPT: u32 = 65536;
export const HAS_PAIR: u32 = HAS_PROMPT | HAS_COMPLETION | HAS_CHOSEN | HAS_REJECTED;

/** Which member the key at hand names; 0: none that is known here. `isAny`: members of other forms than lists, too. */
export function knownMember(isAny: bool): u32 {
  if (isKey(6, K.SYSTEM)) return HAS_SYSTEM;
  if (!isAny) return 0;
  if (isKey(5, K.INPUT)) return HAS_INPUT;
  if (isKey(6, K.OUTPUT)) return HAS_OUTPUT;
  if (isLongKey(12, K.INSTRUCT, K.INSTRUCTIONS_END)) return HAS_INSTRUCTIONS;
  if (isLongKey(11, K.INSTRUCT, K.INSTRUCTION_END)) return HAS_INSTRUCTION;
  if (isKey(7, K.HISTORY)) return HAS_HISTORY;
  if (isKey(6, K.PROMPT)) return HAS_PROMPT;
  if (isKey(6, K.CHOSEN)) return HAS_CHOSEN;
  if (isKey(8, K.REJECTED)) return HAS_REJECTED;
  if (isLongKey(10, K.COMPLETI, K.COMPLETI_END)) return HAS_COMPLETION;
  if (isKey(5, K.QUERY) || isKey(8, K.QUESTION)) return HAS_QUESTION;
  if (isKey(7, K.PROBLEM)) return HAS_PROBLEM;
  if (isKey(6, K.ANSWER)) return HAS_ANSWER;
  if (isKey(8, K.RESPONSE)) return HAS_RESPONSE;
  if (isKey(8, K.SOLUTION)) return HAS_SOLUTION;
  return isLongKey(13, K.SYSTEM_P, K.SYSTEM_PROMPT_END) ? HAS_SYSTEM_PROMPT : 0;
}

/** Whether a role is that of a user or the system. */
export function asks(p: usize): bool {
  const word = load<u64>(p, 1);
  return load<u8>(p) == QUOTE && ((word & 0xffffffffff) == 0x2272657375 // user
    || (word & 0xffffffffffff) == 0x226e616d7568 // human
    || (word & 0xffffffffffffff) == 0x226d6574737973); // system
}
