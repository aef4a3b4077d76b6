// Whether what an assistant says before a call is nothing but reasoning that is written as text: nobody sees it then
// (R-THINK, R-CALL). The simple version reads the text: isThoughtAlone in src/model/visibility.ts.

import { ABSENT, CODED, PARTS } from '../../src/abi';
import { isSame } from '../same';
import { holdsPair, MARKER_END, mayEndMarker } from './tags';
import { behindBlanks, CLOSE_THINK, find, OPEN_THINK, THINK_TAG } from './written';

export const IS_SAID: u32 = 0;
export const IS_THOUGHT: u32 = 1;
/** An escape may stand for a character of a marker: only the host can tell. */
export const MAY_BE_THOUGHT: u32 = 2;

/** What a preamble is whose BODY row is at an address. */
export function thoughtIn(body: usize): u32 {
  const kind = load<u32>(body);
  if ((kind & ABSENT) != 0) return IS_SAID;
  const from = <usize>load<u32>(body, 4);
  const to = <usize>load<u32>(body, 8);
  if ((kind & (CODED | PARTS)) != 0) return mayEndMarker(from, to, (kind & PARTS) != 0) ? MAY_BE_THOUGHT : IS_SAID;
  if (!holdsPair(from, to, MARKER_END)) return IS_SAID;
  const closed = find(from, to, CLOSE_THINK, THINK_TAG + 1);
  if (closed != 0) return behindBlanks(closed + THINK_TAG + 1) >= to ? IS_THOUGHT : IS_SAID;
  const opened = behindBlanks(from);
  return opened + THINK_TAG <= to && isSame(opened, OPEN_THINK, THINK_TAG) ? IS_THOUGHT : IS_SAID;
}
