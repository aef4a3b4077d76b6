// Messages of which nothing is to be told, passed over as rows: nothing but role, channel and body, well ended. The
// simple version is `isWell` in check.ts, which makes a view of each message.

import * as abi from '../abi.ts';
import type { Walk } from '../model/walk.ts';
import type { Machine } from '../scan/machine.ts';
import type { Batch } from '../scan/table.ts';
import { ROLE_NAMES } from '../scan/dialects.ts';
import { asksForChannels } from './visibility.ts';

const FORM = abi.MESSAGE | abi.PLAIN;
const FORM_MASK =
  abi.KIND_MASK | abi.PLAIN | abi.IMPLIED | abi.BY_ROLE | abi.NO_BODY_TOKEN | abi.IMPLICIT_END | abi.EOF_END
  | (abi.RECIPIENT_MASK << abi.RECIPIENT_SHIFT);

/** Bytes of `<|start|>` and `<|message|>`: a header of nothing but a role. */
const START_BYTES = 9;
const MESSAGE_BYTES = 11;
const ROLE_BYTES = ROLE_NAMES.map((name) => START_BYTES + name.length + MESSAGE_BYTES);
/** Bytes that a channel adds: `<|channel|>` and its name. */
const CHANNEL_BYTES = [0, 11 + 8, 11 + 10, 11 + 5];

/** A run of messages that was passed over: the row behind it, and where its last message ends. */
export interface Run {
  readonly next: number;
  readonly to: number;
}

/** Passes over messages from row `row` on, below row `end`; null when the first one is to be looked at. The divider knows of them. */
export function passWell(machine: Machine, walk: Walk, batch: Batch, row: number, end: number): Run | null {
  const { divider } = walk;
  if (batch.words !== machine.rows || batch.dialect.flags & abi.HAS_LINE || !divider.continues(batch.dialect)) return null;
  const transcript = divider.current!;
  // Where channels are required, one without is looked at.
  const mayLack = asksForChannels(transcript);
  const { words, first } = batch;
  let messages = 0;
  let last = -1;
  let at = (row - first) * abi.ROW_WORDS;
  const stop = (end - first) * abi.ROW_WORDS;
  while (at < stop) {
    const word = words[at]!;
    if ((word & FORM_MASK) !== FORM) break;
    const token = (word >> abi.TOKEN_SHIFT) & abi.TOKEN_MASK;
    const role = (word >> abi.ROLE_SHIFT) & abi.ROLE_MASK;
    if ((role !== abi.USER && role !== abi.ASSISTANT) || (token !== abi.END && token !== abi.RETURN)) break;
    const channel = (word >> abi.CHANNEL_SHIFT) & abi.CHANNEL_MASK;
    if (channel === 0 && mayLack) break;
    const body = at + (channel === 0 ? abi.ROW_WORDS : 2 * abi.ROW_WORDS);
    const next = (words[at + abi.NEXT]! - first) * abi.ROW_WORDS;
    if (next !== body + abi.ROW_WORDS) break;
    if (words[body + abi.FROM]! - words[at + abi.FROM]! !== ROLE_BYTES[role]! + CHANNEL_BYTES[channel]!) break;
    last = at;
    messages++;
    at = next;
  }
  if (messages === 0) return null;
  divider.passed(messages, words[last]!);
  return { next: first + at / abi.ROW_WORDS, to: batch.base + words[last + abi.TO]! };
}
