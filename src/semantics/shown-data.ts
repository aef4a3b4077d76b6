// Whether an end user may see a message that is plain data, as far as the message alone tells (R-VISIBLE).

import { isToolRecipient } from '../model/attributes.ts';
import type { MessageData } from '../model/data.ts';

export function isShown({ role, recipient, channel, intent }: MessageData): boolean {
  if ((role !== 'user' && role !== 'assistant') || isToolRecipient(recipient ?? null)) return false;
  if ((channel ?? 'final') === 'final') return intent !== 'debug';
  return role === 'assistant' && channel === 'commentary' && intent === 'preamble';
}
