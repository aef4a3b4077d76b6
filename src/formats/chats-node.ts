// Text to chat records, whose document headers may be any YAML.

import { parse } from '../rules/library-node.ts';
import type { DialectId } from '../scan/dialects.ts';
import { type ChatOfText, chatsOf } from './chats.ts';

/** `textToChat` of `openchatml`, which reads any YAML in a document's header. */
export const textToChat = (text: Uint8Array | string, dialect: DialectId | 'auto' = 'auto'): ChatOfText[] =>
  chatsOf(parse(text, { dialect }));
