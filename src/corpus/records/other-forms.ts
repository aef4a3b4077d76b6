// Records whose chats stand under other names: preferences, of which each side is a chat, and instructions.

import type { CorpusRecord } from './record.ts';

/** Chats of a record: the record to read, and the fields whose lists follow each other in it. */
export interface Chat {
  readonly record: CorpusRecord;
  readonly names: readonly string[];
}

/** The chats of a record that has none under the usual names; empty: it has none at all. */
export function otherChats(record: CorpusRecord): Chat[] {
  const fields = record.value as { readonly [name: string]: unknown };
  const { prompt, chosen, rejected } = fields;
  if (Array.isArray(chosen) && Array.isArray(rejected)) {
    const before = Array.isArray(prompt) ? ['prompt'] : [];
    return ['chosen', 'rejected'].map((side) => ({ record, names: [...before, side] }));
  }
  const messages = instructed(fields);
  return messages === null ? [] : [{ record: { ...record, value: { messages } }, names: ['messages'] }];
}

/** `instruction`, `input` and `output` as messages. */
function instructed(fields: { readonly [name: string]: unknown }): object[] | null {
  const { system = null, instruction, input = null, output, history = null } = fields;
  const isText = (value: unknown): boolean => value === null || typeof value === 'string';
  if (typeof instruction !== 'string' || typeof output !== 'string' || !isText(input) || !isText(system)) return null;
  // Turns that came before are no list of messages.
  if (history !== null && !(Array.isArray(history) && history.length === 0)) return null;
  const asked = [instruction, input].filter((text) => text !== null && text !== '').join('\n\n');
  return [
    ...(system === null || system === '' ? [] : [{ role: 'system', content: system }]),
    { role: 'user', content: asked },
    { role: 'assistant', content: output },
  ];
}
