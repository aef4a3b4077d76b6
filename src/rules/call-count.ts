// Which messages are calls (R-CALL). What is wrong with them is for a later look at the whole transcript.

import { HAS_LINE } from '../abi.ts';
import { isToolRecipient } from '../model/attributes.ts';
import type { Message } from '../model/message.ts';

/**
 * How many calls a message makes: one to the tool it is addressed to; in 0.1 one for each `<|function_call|>` outside
 * thoughts (R-CALL).
 *
 * @example
 * ```ts
 * import { countCalls, parse } from 'openchatml';
 *
 * const text = '<|start|>assistant to=functions.f<|channel|>commentary<|message|>{}<|call|>';
 * for (const message of parse(text).messages()) console.log(countCalls(message)); // 1
 * ```
 */
export function countCalls(message: Message): number {
  if (message.role !== 'assistant') return 0;
  if (message.dialect.flags & HAS_LINE) return message.functionCalls.length;
  return isToolRecipient(message.recipient) ? 1 : 0;
}
