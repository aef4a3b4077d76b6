// Requests to a server and its answers, as lines of batches and logs keep them: the chat stands in members, with the
// model and the like beside it.

import { isObject, type JsonObject, own } from '../../tools/json.ts';
import { without } from './chat-form.ts';
import type { Path } from './entries.ts';
import { type Chat, hasItems, listOf } from './other-forms.ts';
import type { CorpusRecord } from './record-types.ts';
import { isTurn } from './turns.ts';
import { heldAt, type Inner, withOthers } from './within.ts';

/** As OpenAI's batches have it, Anthropic's, and logs; the body of an answer may be a response of its own. */
const REQUESTS = [['body'], ['params'], ['request'], ['request', 'body']];
/** Where an answer stands: that of a server, of a batch, of a log. */
const ANSWERS = [[], ['response'], ['response', 'body']];
/** Where Anthropic's stands, which is a message itself. */
const MESSAGES = [['response'], ['response', 'body'], ['result', 'message']];

/** The request that a record without a chat of its own may hold; null: it holds none. */
export function requestOf(record: unknown): Inner | null {
  if (!isObject(record)) return null;
  for (const path of REQUESTS) {
    const request = heldAt(record, path);
    if (request !== null && !isTurn(request.value) && !isObject(own(request.value, 'body'))) return request;
  }
  return arePreferred(record) ? heldAt(record, ['input']) : null;
}

/** The sides of a preference of OpenAI, whose `input` is a request. */
const OUTPUTS = [['preferred_output', 'chosen'], ['non_preferred_output', 'rejected']] as const;

const arePreferred = (record: JsonObject): boolean => OUTPUTS.every(([name]) => Array.isArray(own(record, name)))
  && Array.isArray(own(heldAt(record, ['input'])?.value ?? {}, 'messages'));

/** The messages that a server answered with: one for each choice. */
function answersOf(record: unknown): readonly Inner[] {
  for (const path of ANSWERS) {
    const choices = own(heldAt(record, path)?.value ?? {}, 'choices');
    if (!Array.isArray(choices) || choices.length === 0) continue;
    const messages = choices.map((_, i) => heldAt(record, [...path, 'choices', String(i), 'message']));
    if (messages.every((message) => isTurn(message?.value))) return messages as Inner[];
  }
  const message = MESSAGES.map((path) => heldAt(record, path)).find((held) => isTurn(held?.value));
  return message ? [message] : [];
}

/** The answer of Responses in a record; null: there is none. */
function responseOf(record: JsonObject): Inner | null {
  return ANSWERS.slice(1).map((path) => heldAt(record, path)).find((held) => hasItems(held?.value['output'])) ?? null;
}

/** The objects in a record that hold answers. */
export function answeredIn(record: JsonObject): readonly Inner[] {
  const answers = answersOf(record);
  const response = answers.length > 0 ? null : responseOf(record);
  return response === null ? answers : [response];
}

/** The name that an answer has in the record that is made of it: no reader knows it. */
const ANSWER = 'the answer';

/** The two chats of a preference of OpenAI. */
function preferredChats(record: CorpusRecord): Chat[] {
  const fields = record.value as JsonObject;
  const others = without(fields, OUTPUTS.map(([name]) => name));
  const asked = withOthers(others, heldAt(others, ['input'])!);
  return OUTPUTS.map(([name, side]) => ({
    record: { ...record, value: { ...asked, [ANSWER]: fields[name] } },
    names: ['messages', ANSWER], paths: [['input', 'messages'], [name]], isText: false, side,
  }));
}

/** Answers that are read behind what the request says; of more each stands by itself, or they would take too long. */
const MOST_ASKED = 16;

/** The chats of a record that holds answers, each behind what the request says; empty: it holds none. */
export function exchangedChats(record: CorpusRecord): Chat[] {
  const fields = record.value as JsonObject;
  if (arePreferred(fields)) return preferredChats(record);
  const request = requestOf(fields);
  const answers = answersOf(fields);
  const list = request === null || answers.length > MOST_ASKED ? undefined : listOf(request.value);
  const asked = request !== null && list !== undefined ? { list, path: [...request.path, list] } : null;
  const chats = answers.map(({ value: said, path }, i): Chat => {
    const answer = { [ANSWER]: said };
    // What stands beside all of them is told once.
    const value = i === 0 ? joined(fields, request, path, answer)
      : { ...asked && request!.value, ...besideIn(fields, path), ...answer };
    return {
      record: { ...record, value }, names: [...asked ? [asked.list] : [], ANSWER],
      paths: [...asked ? [asked.path] : [], path], isText: false, side: null,
    };
  });
  if (chats.length > 0) return chats;
  const response = responseOf(fields);
  if (response === null) return [];
  const value = joined(fields, request, response.path, response.value);
  const names = ['input', 'output'].filter((name) => Array.isArray(value[name]));
  const holderOf = (name: string): Inner => (name === 'output' || request === null ? response : request);
  const paths = names.map((name) => [...holderOf(name).path, name]);
  return [{ record: { ...record, value }, names, paths, isText: false, form: 'responses', side: null }];
}

/** The members that stand beside a value, which is a member of an object. */
function besideIn(record: JsonObject, path: Path): JsonObject {
  const holder = heldAt(record, path.slice(0, -1).map(String))!;
  return withOthers(holder.value, { value: {}, path: path.slice(-1) });
}

/** A request with its answer, which stands behind the steps of `path`, and the fields that stand beside them. */
function joined(fields: JsonObject, request: Inner | null, path: Path, answer: JsonObject): JsonObject {
  if (request === null) return withOthers(fields, { value: answer, path });
  const [first, ...rest] = path as [string];
  // Neither stands beside the other.
  const { [first]: holder, ...others } = fields;
  return { ...withOthers(others, request), ...withOthers(holder as JsonObject, { value: answer, path: rest }) };
}
