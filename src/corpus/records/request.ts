// Requests to a server, as the lines of a batch keep them: the chat stands in a member, with the model and the like
// beside it.

import { isObject, own } from '../../tools/json.ts';
import { isTurn } from './turns.ts';
import type { Inner } from './within.ts';

/** As OpenAI's batches have it, and Anthropic's. */
const MEMBERS = ['body', 'params'];

/** The request that a record without a chat of its own may hold; null: it holds none. */
export function requestOf(record: unknown): Inner | null {
  if (!isObject(record)) return null;
  for (const name of MEMBERS) {
    const value = own(record, name);
    if (isObject(value) && !isTurn(value)) return { value, path: [name] };
  }
  return null;
}
