// Chat records as lines of JSON. Definitions of tools are a third of what they hold, and the same in most of them.

import type { ChatRecord } from '../../formats/chat/read.ts';
import type { ToolDefinition } from '../../model/data.ts';

export class ChatRecordLines {
  /** The JSON of a record's tools, by the definitions that they are made of. */
  readonly #known = new WeakMap<readonly ToolDefinition[], string>();

  /** `definitions`: what the record's tools are made of. */
  write(id: string | number, { tools, messages }: ChatRecord, definitions: readonly ToolDefinition[]): string {
    let text = this.#known.get(definitions);
    if (text === undefined) this.#known.set(definitions, (text = JSON.stringify(tools)));
    return `{"id":${JSON.stringify(id)},"tools":${text},"messages":${JSON.stringify(messages)}}\n`;
  }
}
