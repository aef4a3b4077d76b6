// What checking, counting and tables ask of a message beside what it says: its row, and what stands below.

import { CHANNEL_MASK, CHANNEL_SHIFT, PLAIN, ROLE_MASK, ROLE_SHIFT } from '../abi.ts';
import { kindOf, kindWord, nextOf } from '../scan/table.ts';
import { decodeUtf8 } from '../utf8.ts';
import { callTags, writtenReplies } from './hermes.ts';
import type { HeaderView } from './header-view.ts';
import type { MessageView } from './message-view.ts';

/** Tokens that may stand instead of the start token; the last one only where likely messages are wanted (R-RESCUE). */
const OPENERS: readonly string[] = ['<|channel|>', '<|message|>', '<|constrain|>'];
const LONGEST_OPENER = '<|constrain|>'.length;

/** Where what stands instead of the start token ends: the token that opened the message, or its header text. */
export function openerTo({ source, from, header }: HeaderView): number {
  const opener = decodeUtf8(source.bytes(from, from + LONGEST_OPENER));
  const token = OPENERS.find((text) => opener.startsWith(text));
  return token === undefined ? header.to : from + token.length;
}

/** A row of this kind is below. */
export function hasRow({ table, row }: HeaderView, kind: number): boolean {
  for (let below = row + 1; below < nextOf(table, row); below++) if (kindOf(table, below) === kind) return true;
  return false;
}

/** Role and channel of a plain message in one number, role | channel << 3; -1: it is not plain. */
export function plainWord({ table, row }: HeaderView): number {
  const word = kindWord(table, row);
  return word & PLAIN ? (word >> ROLE_SHIFT) & (ROLE_MASK | (CHANNEL_MASK << (CHANNEL_SHIFT - ROLE_SHIFT))) : -1;
}

/** Tags of calls or replies stand in what is said in 0.1; the calls may stand in thoughts. */
export function hasWrittenCalls(message: MessageView): boolean {
  if (!message.isLine || message.isUntagged) return false;
  const { source, body } = message;
  return (message.role === 'assistant' ? callTags(source, body) : writtenReplies(source, body)).length > 0;
}

/** UTF-16 units of the content before a byte position of the body. */
export function contentOffset(message: MessageView, position: number): number {
  let units = 0;
  for (const { from, to } of message.contentSpans()) {
    if (from >= position) break;
    units += decodeUtf8(message.source.bytes(from, Math.min(to, position))).length;
  }
  return units;
}
