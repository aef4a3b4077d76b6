// Sums over plain messages, so that counting a corpus needs no look at each row from outside. src/scan/twin/tally.ts is
// its twin.

import {
  ASSISTANT, BODY, BY_ROLE, CALL, CHANNEL_MASK, CHANNEL_SHIFT, EOF_END, ESCAPE, FIELD, IMPLICIT_END, IMPLIED, KIND_MASK,
  MESSAGE, NEXT, NO_BODY_TOKEN, PLAIN, RECIPIENT_MASK, RECIPIENT_SHIFT, RETURN, ROLE_MASK, ROLE_SHIFT, TALLY_CALLS,
  TALLY_ENDS, TALLY_LAST, TALLY_MESSAGES, TALLY_PLAIN, TALLY_TOKENS, TALLY_WORDS, TOKEN_MASK, TOKEN_SHIFT, TO_TOOL,
} from '../src/abi';
import { numbered, table } from './rows';

// @ts-ignore: decorator
@lazy export const TALLY: usize = memory.data(TALLY_WORDS << 2, 16);

/** A plain message that ended by its own terminator. */
const RUN: u32 = MESSAGE | PLAIN;
const RUN_MASK: u32 = KIND_MASK | PLAIN | IMPLIED | BY_ROLE | NO_BODY_TOKEN | IMPLICIT_END | EOF_END;
/** Kinds of rows that may stand below it, as bits. */
const PASSED: u32 = (1 << FIELD) | (1 << BODY) | (1 << ESCAPE);

// @ts-ignore: decorator
@inline
function add(word: u32, count: u32): void {
  const at = TALLY + <usize>(word << 2);
  store<u32>(at, load<u32>(at) + count);
}

/**
 * Sums up the run of plain messages that begins at table row `from`, below row `to`; stops before anything else, and
 * before a role whose bit is in `stops`. Answers the row where it stopped.
 */
export function tally(from: i32, to: i32, stops: u32): i32 {
  let at = table + (<usize>from << 4);
  const end = table + (<usize>to << 4);
  const shift = table - (<usize>numbered << 4);
  while (at < end) {
    const word = load<u32>(at);
    if ((word & RUN_MASK) != RUN) break;
    const role = (word >> ROLE_SHIFT) & ROLE_MASK;
    if (((stops >> role) & 1) != 0) break;
    const next = shift + (<usize>load<u32>(at, NEXT << 2) << 4);
    let child = at + 16;
    while (child < next && ((PASSED >> (load<u32>(child) & KIND_MASK)) & 1) != 0) child += 16;
    if (child < next) break;
    for (child = at + 16; child < next; child += 16) {
      const below = load<u32>(child);
      if ((below & KIND_MASK) == FIELD) add(TALLY_TOKENS + ((below >> TOKEN_SHIFT) & TOKEN_MASK), 1);
    }
    const token = (word >> TOKEN_SHIFT) & TOKEN_MASK;
    add(TALLY_TOKENS + token, 1);
    add(TALLY_ENDS + (token == CALL ? 1 : token == RETURN ? 2 : 0), 1);
    add(TALLY_PLAIN + (role | (((word >> CHANNEL_SHIFT) & CHANNEL_MASK) << 3)), 1);
    add(TALLY_CALLS, role == ASSISTANT && ((word >> RECIPIENT_SHIFT) & RECIPIENT_MASK) == TO_TOOL ? 1 : 0);
    add(TALLY_MESSAGES, 1);
    store<u32>(TALLY + (TALLY_LAST << 2), word);
    at = next;
  }
  return <i32>((at - table) >> 4);
}
