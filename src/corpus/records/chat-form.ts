// A chat of a record as its reader takes it: under the name that its form has, with the other fields of the record.

import { fromOpenAI } from '../../formats/chat/read.ts';
import { fromResponses } from '../../formats/chat/responses.ts';
import { fromShareGpt } from '../../formats/chat/sharegpt.ts';
import { fromInterchange20, fromInterchange22 } from '../../formats/interchange/read.ts';
import type { Loss } from '../../formats/loss.ts';
import type { RecordReadOptions, TranscriptData } from '../../model/data.ts';
import { formOf, type RecordForm } from './form.ts';
import { isObject } from '../../tools/json.ts';

type Fields = { readonly [name: string]: unknown };

/** Forms whose records are read as values. */
export type ChatForm = Exclude<RecordForm, 'text'>;

/** Reads a record as a transcript. Throws a Refusal. */
type Read = (record: unknown, options?: RecordReadOptions) => { data: TranscriptData; losses: Loss[] };

export const READERS: Readonly<Record<ChatForm, Read>> = {
  messages: fromOpenAI,
  anthropic: fromOpenAI,
  responses: fromResponses,
  sharegpt: fromShareGpt,
  'interchange-2.0': fromInterchange20,
  'interchange-2.2': fromInterchange22,
};

/**
 * The chat that the lists of the fields `names` make, one after the other, or an entry that stands for such a list; its
 * form is told by its entries, unless it is given. `hidden`: a field of the record whose name the chat takes.
 */
export function chatOf(
  fields: Fields, names: readonly string[], given?: 'responses',
): { form: ChatForm; value: Fields; hidden: string | null } {
  if (given !== undefined) return { form: given, value: fields, hidden: null };
  const lists = names.map((name) => fields[name]);
  const entries: readonly unknown[] = lists.length === 1 && Array.isArray(lists[0]) ? lists[0] : lists.flat();
  const name = isShareGpt(entries) ? 'conversations' : 'messages';
  const isNamed = lists.length === 1 && names[0] === name;
  const rest = isNamed ? fields : without(fields, names);
  const value = isNamed ? fields : { ...rest, [name]: entries };
  const form = name === 'conversations' ? 'sharegpt' : formOf(value);
  const hidden = !isNamed && Object.hasOwn(rest, name) ? name : null;
  return { form: form === null || form === 'text' ? 'messages' : form, value, hidden };
}

export function without(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** Entries of ShareGPT say `from` where those of chat say `role`; where tables were joined, the other one is null. */
export function isShareGpt(entries: readonly unknown[]): boolean {
  const [first] = entries;
  return isObject(first) && 'from' in first && (first['role'] ?? null) === null;
}
