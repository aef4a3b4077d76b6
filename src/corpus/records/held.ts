// What a record holds, for those who take it as plain messages: the same chats and texts as the units of other
// commands.

import { isObject, type JsonObject } from '../../tools/json.ts';
import { type ChatForm, chatOf, without } from './chat-form.ts';
import { canBeTurns, formOfTurns } from './form.ts';
import { answeredChats, type Chat, otherChats, pairedChats, textsOf } from './other-forms.ts';
import type { CorpusRecord } from './record.ts';
import { exchangedChats, requestOf } from './request.ts';
import { turnsOf } from './turns.ts';
import { fieldsOf, type FileOptions, holdsChat, textToOpen } from './unit.ts';
import { fieldPath, heldAt, withOthers } from './within.ts';

/** One chat, or text that follows each other and holds transcripts. */
export type Held = { readonly side: Chat['side'] } & (
  | { readonly form: ChatForm; readonly value: unknown; readonly hidden: string | null }
  | { readonly texts: readonly string[]; readonly otherFields: readonly string[] }
);

/** A record that is of a form, or turns that are. */
export function heldAs(form: ChatForm, value: unknown): Held {
  const turns = canBeTurns(form) ? turnsOf(value) : null;
  return { side: null, form, value: turns === null ? value : { messages: turns }, hidden: null };
}

/** Empty: it holds nothing that is known. */
export function heldBy(record: CorpusRecord, { field }: Pick<FileOptions, 'field'>): Held[] {
  const value = textToOpen(record.value, { field })?.value ?? record.value;
  const path = fieldPath(field);
  if (path === null) return heldByFields({ ...record, value }, field);
  const holder = heldAt(value, path.holder);
  return holder === null ? [] : heldByFields({ ...record, value: withOthers(value as JsonObject, holder) }, path.name);
}

function heldByFields(record: CorpusRecord, field?: string): Held[] {
  const turns = field === undefined ? turnsOf(record.value) : null;
  if (turns !== null) {
    return [heldAs(formOfTurns(turns), turns)];
  }
  const fields = fieldsOf(record.value, { field });
  if (typeof fields === 'string') return [];
  const answered = field === undefined ? answeredChats(record) : [];
  const chats: readonly Chat[] =
    answered.length > 0 ? answered
      : fields === null ? (field === undefined ? otherChats(record) : [])
      : [{ record, names: fields.names, isText: fields.texts !== null, side: null }];
  if (chats.length === 0 && field === undefined) return heldByOthers(record);
  return chats.map(heldIn);
}

function heldIn(chat: Chat): Held {
  const value = chat.record.value as { readonly [name: string]: unknown };
  if (!chat.isText) {
    const { form, value: chatValue, hidden } = chatOf(value, chat.names, chat.form);
    return { side: chat.side, form, value: chatValue, hidden: chat.hidden ?? hidden };
  }
  const otherFields = Object.keys(without(value, [...chat.names, 'id']));
  return { side: chat.side, texts: textsOf(chat), otherFields };
}

/** What the request in a record holds and what answers it, or a question and its answer. */
function heldByOthers(record: CorpusRecord): Held[] {
  const answered = isObject(record.value) ? exchangedChats(record) : [];
  if (answered.length > 0) return answered.map(heldIn);
  const request = requestOf(record.value);
  if (request !== null && holdsChat(request.value)) {
    return heldByFields({ ...record, value: withOthers(record.value as JsonObject, request) });
  }
  return isObject(record.value) ? pairedChats(record).map(heldIn) : [];
}
