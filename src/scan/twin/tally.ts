// Sums over plain messages, the twin of assembly/tally.ts.

import * as abi from '../../abi.ts';

const RUN = abi.MESSAGE | abi.PLAIN;
const RUN_MASK =
  abi.KIND_MASK | abi.PLAIN | abi.IMPLIED | abi.BY_ROLE | abi.NO_BODY_TOKEN | abi.IMPLICIT_END | abi.EOF_END;
const PASSED = (1 << abi.FIELD) | (1 << abi.BODY) | (1 << abi.ESCAPE);

/**
 * Sums up, in `sums`, the run of plain messages that begins at row `from` of `words` (whose first row has the number
 * `first`), below row `to`; stops before anything else, and before a role whose bit is in `stops`. Answers the row
 * where it stopped.
 */
export function tallyRows(
  words: Int32Array, first: number, from: number, to: number, stops: number, sums: Uint32Array,
): number {
  let row = from;
  while (row < to) {
    const word = words[row * abi.ROW_WORDS]!;
    const role = (word >> abi.ROLE_SHIFT) & abi.ROLE_MASK;
    if ((word & RUN_MASK) !== RUN || (stops >> role) & 1) break;
    const next = words[row * abi.ROW_WORDS + abi.NEXT]! - first;
    let child = row + 1;
    while (child < next && (PASSED >> (words[child * abi.ROW_WORDS]! & abi.KIND_MASK)) & 1) child++;
    if (child < next) break;
    for (child = row + 1; child < next; child++) {
      const below = words[child * abi.ROW_WORDS]!;
      if ((below & abi.KIND_MASK) === abi.FIELD) {
        sums[abi.TALLY_TOKENS + ((below >> abi.TOKEN_SHIFT) & abi.TOKEN_MASK)]!++;
      }
    }
    const token = (word >> abi.TOKEN_SHIFT) & abi.TOKEN_MASK;
    sums[abi.TALLY_TOKENS + token]!++;
    sums[abi.TALLY_ENDS + (token === abi.CALL ? 1 : token === abi.RETURN ? 2 : 0)]!++;
    sums[abi.TALLY_PLAIN + (role | (((word >> abi.CHANNEL_SHIFT) & abi.CHANNEL_MASK) << 3))]!++;
    if (role === abi.ASSISTANT && ((word >> abi.RECIPIENT_SHIFT) & abi.RECIPIENT_MASK) === abi.TO_TOOL) {
      sums[abi.TALLY_CALLS]!++;
    }
    sums[abi.TALLY_MESSAGES]!++;
    sums[abi.TALLY_LAST] = word;
    row = next;
  }
  return row;
}
