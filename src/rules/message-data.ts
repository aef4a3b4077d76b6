// What plain data says of a message: whether it calls a tool, and whether an end user may see it, as far as the message
// alone tells.

import { isToolRecipient } from '../model/attributes.ts';
import type { MessageData } from '../model/data.ts';

/** The message calls a tool (R-CALL). */
export function isCall({ role, recipient }: MessageData): boolean {
  return role === 'assistant' && isToolRecipient(recipient ?? null);
}

/** A call whose content is said to be text, as the input of a custom tool is. */
export function isTextCall(message: Pick<MessageData, 'role' | 'recipient' | 'contentType' | 'constrained'>): boolean {
  const { role, recipient, contentType, constrained } = message;
  return contentType === 'text' && constrained !== true && role === 'assistant' && isToolRecipient(recipient ?? null);
}

/** R-VISIBLE. */
export function isShown({ role, recipient, channel, intent }: MessageData): boolean {
  if ((role !== 'user' && role !== 'assistant') || isToolRecipient(recipient ?? null)) return false;
  if ((channel ?? 'final') === 'final') return intent !== 'debug';
  return role === 'assistant' && channel === 'commentary' && intent === 'preamble';
}
