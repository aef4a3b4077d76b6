// Whether messages that a caller gives are those of a transcript. Messages of chat records look like them, and their
// calls and ids would be lost without a word.

import type { MessageData } from './data.ts';

/** Fields of a message in a chat record that hold what a message of a transcript has elsewhere. */
const FOREIGN = ['tool_calls', 'tool_call_id', 'function_call'] as const;

/** Throws a TypeError that names the first message that is none of a transcript. */
export function checkMessages(messages: readonly MessageData[] | undefined): void {
  if (!Array.isArray(messages)) throw new TypeError('expected messages: a list of messages of a transcript');
  for (let i = 0; i < messages.length; i++) {
    const message: object | null | undefined = messages[i];
    if (typeof message !== 'object' || message === null) throw new TypeError(`messages[${i}]: expected an object`);
    const foreign = FOREIGN.find((name) => name in message);
    if (foreign !== undefined) {
      throw new TypeError(`messages[${i}].${foreign}: it is a message of a chat record; read the record by fromOpenAI`);
    }
    if (typeof (message as MessageData).content !== 'string') {
      throw new TypeError(`messages[${i}].content: expected text`);
    }
  }
}
