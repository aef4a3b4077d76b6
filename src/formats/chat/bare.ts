// What forms lack that know people and tools by their roles alone: names of messages are left out, which is told unless
// they go without saying.

import type { MessageData } from '../../model/data.ts';
import { isCall } from '../../rules/message-data.ts';
import type { Loss } from '../loss.ts';
import { isNamedFromCall, OpenCalls } from './calls.ts';

/** Messages without their names. A reply has the name of its call. */
export function withoutNames(messages: readonly MessageData[], losses: Loss[]): readonly MessageData[] {
  const open = new OpenCalls();
  return messages.map((message, index) => {
    const { name = null, callId = null, recipient } = message;
    if (isCall(message)) open.call(callId, recipient!);
    const call = message.role === 'tool' ? open.reply(callId, name) : null;
    if (name === null) return message;
    const isKnown = message.role === 'tool' && (isNamedFromCall(message) || call?.recipient === name);
    if (!isKnown) losses.push({ what: 'name', message: index, detail: 'left out' });
    return { ...message, name: null };
  });
}
