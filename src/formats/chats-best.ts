// Text to chat records over the best scanner that runs here.

import { parse } from '../rules/library-best.ts';
import type { DialectId } from '../scan/dialects.ts';
import { type ChatOfText, chatsOf } from './chats.ts';

/**
 * The chat records (`{ messages }`, as OpenAI has it) of a text, one for each of its transcripts. Throws a Refusal for
 * a message that a record would show though readers hide it, a RangeError for a wrong dialect.
 *
 * @example
 * ```ts
 * import { textToChat } from 'openchatml';
 *
 * const [chat] = textToChat('<|start|>user<|message|>Hi<|end|>', 'harmony');
 * console.log(JSON.stringify(chat?.record)); // {"messages":[{"role":"user","content":"Hi"}]}
 * ```
 */
export function textToChat(text: Uint8Array | string, dialect: DialectId | 'auto' = 'auto'): ChatOfText[] {
  return chatsOf(parse(text, { dialect }));
}
