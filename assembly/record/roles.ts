// Who says an entry: its role, or who it is from in ShareGPT.

import { ASSISTANT, DEVELOPER, HAS_LOSSES, SYSTEM, TOOL, USER } from '../../src/abi';
import { addFlag, markOdd, rename } from './state';
import { QUOTE, valueEnd } from './text';
import { IN_ENTRY } from './value';

const M6: u64 = 0xffffffffffff;
/** Beside bits of roles. */
const RENAMED_CHATGPT: u32 = 1 << 31;
const K_FUNCTION: u64 = 0x6e6f6974636e7566;
const K_TOOL_CAL: u64 = 0x6c61635f6c6f6f74;
const K_TOOL_RES: u64 = 0x7365725f6c6f6f74;

/** 0: none that is known. */
export let role: u32 = 0;
/** The text of the entry is JSON of a call. */
export let isCall: bool = false;

export function beginRole(): void {
  role = 0;
  isCall = false;
}

/** The role at its value: `role` is 0 when it is none that is known. */
// @ts-ignore: decorator
@inline
export function roleValue(p: usize): usize {
  const to = usualRole(p);
  return to != 0 ? to : otherRole(p);
}

/** The role at its value, one that most entries have; else 0, and `role` is 0. */
// @ts-ignore: decorator
@inline
function usualRole(p: usize): usize {
  const word = load<u64>(p);
  if ((word & M6) == 0x227265737522) { // "user"
    role = USER;
    return p + 6;
  }
  if (word == 0x6174736973736122 && load<u32>(p, 7) == 0x22746e61) { // "assista ant"
    role = ASSISTANT;
    return p + 11;
  }
  if ((word & M6) == 0x226c6f6f7422) { // "tool"
    role = TOOL;
    return p + 6;
  }
  if (word == 0x226d657473797322) { // "system"
    role = SYSTEM;
    return p + 8;
  }
  role = 0;
  return 0;
}

function otherRole(p: usize): usize {
  const word = load<u64>(p, 1);
  if (load<u8>(p) == QUOTE) {
    if (word == 0x65706f6c65766564 && load<u16>(p, 9) == 0x2272) { // developer"
      role = DEVELOPER;
      return p + 11;
    }
    if (word == K_FUNCTION && load<u8>(p, 9) == QUOTE) { // function"
      role = TOOL;
      addFlag(HAS_LOSSES);
      return p + 10;
    }
    if (word == K_TOOL_CAL && load<u16>(p, 9) == 0x226c) { // tool_cal l"
      isCall = true;
      role = ASSISTANT;
      addFlag(HAS_LOSSES);
      return p + 11;
    }
    if (word == K_TOOL_RES && load<u32>(p, 9) == 0x736e6f70 && load<u16>(p, 13) == 0x2265) { // tool_res pons e"
      role = TOOL;
      addFlag(HAS_LOSSES);
      return p + 15;
    }
  }
  markOdd();
  return valueEnd(p, IN_ENTRY);
}

/** Who says a turn of ShareGPT, at its value: who is none of the known is for the host. */
export function fromValue(p: usize): usize {
  const word = load<u64>(p, 1);
  if (load<u8>(p) == QUOTE) {
    if ((word & M6) == 0x226e616d7568) { // human"
      role = USER;
      return p + 7;
    }
    if ((word & 0xffffffff) == 0x22747067) { // gpt"
      role = ASSISTANT;
      return p + 5;
    }
    if (word == 0x2274706774616863) { // chatgpt"
      role = ASSISTANT;
      rename(RENAMED_CHATGPT);
      return p + 9;
    }
    if (word == 0x746176726573626f && load<u32>(p, 9) == 0x226e6f69) { // observat ion"
      role = TOOL;
      return p + 13;
    }
    if (word == K_FUNCTION && (load<u64>(p, 9) & M6) == 0x226c6c61635f) { // function _call"
      isCall = true;
      role = ASSISTANT;
      return p + 15;
    }
    // The usual words of chat are known here, too.
    const to = usualRole(p);
    if (to != 0) {
      if (role != SYSTEM) rename(1 << role);
      return to;
    }
  }
  markOdd();
  return valueEnd(p, IN_ENTRY);
}
