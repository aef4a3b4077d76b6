// Requests to a server, as the lines of a batch keep them: the chat stands in a member, with the model and the like
// beside it.

import { isObject, type JsonObject, own } from '../../tools/json.ts';
import { spanOf } from './json-place.ts';
import type { CorpusRecord } from './record-types.ts';
import { isTurn } from './turns.ts';

/** As OpenAI's batches have it, and Anthropic's. */
const MEMBERS = ['body', 'params'];

export interface Request {
  readonly name: string;
  readonly value: JsonObject;
}

/** The request that a record without a chat of its own may hold; null: it holds none. */
export function requestOf(record: unknown): Request | null {
  if (!isObject(record)) return null;
  for (const name of MEMBERS) {
    const value = own(record, name);
    if (isObject(value) && !isTurn(value)) return { name, value };
  }
  return null;
}

/** The request with the record's other fields, under names that say so: no reader knows these. */
export function valueOf(record: JsonObject, { name, value }: Request): JsonObject {
  const others = Object.entries(record).filter(([key]) => key !== name);
  return { ...value, ...Object.fromEntries(others.map(([key, other]) => [`${key} beside ${name}`, other])) };
}

/** A request as a record by itself; null: its text is not found. */
export function recordOf(record: CorpusRecord, { name, value }: Request): CorpusRecord | null {
  const { bytes, place } = record;
  const span = spanOf(bytes, [name]);
  if (span === null) return null;
  const sent = { ...record, value, bytes: bytes.subarray(span.from, span.to) };
  if (place === undefined) return { ...sent, from: record.from + span.from, to: record.from + span.to };
  return {
    ...sent, from: place(span.from), to: place(span.to - 1) + 1, place: (offset) => place(span.from + offset),
  };
}
