// Texts that hold turns of a human and an assistant, as HH-RLHF has them.

import { ASSISTANT, BODY, ESCAPED, FINAL, USER } from '../../src/abi';
import { writePlain, writeSaid } from './messages';
import { isOdd } from './state';
import { BACKSLASH } from './text';
import { refuseTags } from './written';

const M6: u64 = 0xffffffffffff;

/** Two line feeds as JSON has them, and who speaks behind them. */
const BREAK: u32 = 0x6e5c6e5c;
const HUMAN: u64 = 0x3a6e616d7548;
const ASSISTAN: u64 = 0x6e61747369737341;

/** Behind the marker of a turn at p, its line feeds and its colon included, or 0. `speaker`: whose it is. */
let speaker: u32 = 0;
function turnAt(p: usize): usize {
  if (load<u32>(p) != BREAK) return 0;
  speaker = USER;
  if ((load<u64>(p, 4) & M6) == HUMAN) return p + 10;
  speaker = ASSISTANT;
  return load<u64>(p, 4) == ASSISTAN && load<u16>(p, 12) == 0x3a74 ? p + 14 : 0;
}

/** Whether the text at p is a dialogue: a turn of a human begins it. */
export function beginsDialogue(p: usize): bool { return turnAt(p + 1) != 0 && speaker == USER; }

/** The turns of the dialogue [from, to), the text of a side, as messages. */
export function writeDialogue(side: usize, from: usize, to: usize): void {
  refuseTags(USER, BODY, from, to);
  let p = turnAt(from);
  while (p <= to && !isOdd) {
    const role = speaker;
    const start = load<u8>(p) == 0x20 ? p + 1 : p;
    let next: usize = 0;
    let hasEscape = false;
    for (p = start; p < to; p++) {
      if (load<u8>(p) != BACKSLASH) continue;
      next = turnAt(p);
      if (next != 0) break;
      hasEscape = true;
      p++;
    }
    const body = BODY | (hasEscape ? ESCAPED : 0);
    if (role == USER) writePlain(USER, side, to + 1, 0, 0, body, start, p);
    else writeSaid(FINAL, side, to + 1, 0, 0, body, start, p);
    if (next == 0) return;
    p = next;
  }
}
