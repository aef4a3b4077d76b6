// What a record nearly has in which nothing can be read, for people. Holds nothing of it but names, which are plain.

import { isObject, type JsonObject, own } from '../../tools/json.ts';

/** What is wrong with a record, and what to do. */
export interface Miss {
  readonly problem: string;
  readonly remedy: string;
}

export const NO_FIELD: Miss = {
  problem: 'it has none of messages, conversations, text, prompt with completion, chosen with rejected, '
    + 'instruction with output',
  remedy: 'give messages, conversations or text, or name its form with --from',
};
/** Names that can be told. */
const PLAIN_NAME = /^\w{1,64}$/;
/** Fields that are looked at for what they hold otherwise. */
const LOOKED_AT = 64;

/** What a record nearly has: a field in another type, or messages in a field of another name. */
export function nearMiss(record: JsonObject): Miss {
  return wrongType(record) ?? wrongHistory(record) ?? otherName(record) ?? NO_FIELD;
}

function wrongType(record: JsonObject): Miss | null {
  for (const name of ['messages', 'conversations']) {
    const value = own(record, name);
    const held = kindOf(value);
    if (held !== 'text' && held !== 'an object') continue;
    const isList = typeof value === 'string' && value.trimStart().startsWith('[');
    return {
      problem: isList ? `its ${name} is text that is not read as a JSON list of messages`
        : `its ${name} is ${held}, not a list of messages`,
      remedy: isList ? 'give a list of messages, or valid JSON of at most 17 MiB' : 'give a list of messages',
    };
  }
  // Beside sides that are lists a prompt may be text.
  const isAsked = typeof own(record, 'chosen') === 'string';
  return disagreeing(record, 'prompt', 'completion') ?? disagreeing(record, 'chosen', 'rejected')
    ?? (isAsked ? disagreeing(record, 'prompt', 'chosen') : null);
}

/** Two fields that are read together where they are lists both, or texts both. */
function disagreeing(record: JsonObject, one: string, other: string): Miss | null {
  const [a, b] = [kindOf(own(record, one)), kindOf(own(record, other))];
  if (a === null || b === null || (a === b && a !== 'an object')) return null;
  return {
    problem: `its ${one} is ${a} and its ${other} is ${b}, which are read together when both are texts, or both lists `
      + 'of messages',
    remedy: `give ${one} and ${other} of one type`,
  };
}

/** What a value is; null: no part of a chat. */
const kindOf = (value: unknown): 'text' | 'a list' | 'an object' | null =>
  typeof value === 'string' ? 'text' : Array.isArray(value) ? 'a list' : isObject(value) ? 'an object' : null;

/** An instruction whose dialogue before it is not read. */
function wrongHistory(record: JsonObject): Miss | null {
  const isTold = ['instruction', 'output'].every((name) => typeof own(record, name) === 'string');
  if (!isTold) return null;
  const odd = ['history', 'input', 'system'].find((name) => own(record, name) != null
    && (name === 'history' || typeof own(record, name) !== 'string'));
  if (odd === 'history') {
    return {
      problem: 'it has instruction with output, which are not read beside a history that is no list of pairs of texts',
      remedy: 'give history as pairs of what was asked and answered, or all of it as messages',
    };
  }
  if (odd === undefined) return null;
  return { problem: `its ${odd} is no text beside its instruction and output`, remedy: `give ${odd} as text` };
}

function otherName(record: JsonObject): Miss | null {
  const names = Object.keys(record).slice(0, LOOKED_AT).filter((name) => PLAIN_NAME.test(name));
  const other = names.find((name) => areMessages(own(record, name)));
  // A prompt alone is not all that is said.
  const isPart = other === 'prompt' && ['completion', 'chosen', 'rejected'].some((name) => Object.hasOwn(record, name));
  if (isPart) return null;
  if (other !== undefined) {
    const problem = `its messages are in ${other}, which is read when --field names it`;
    return { problem, remedy: `use --field ${other}` };
  }
  const inner = innerMessages(record, names);
  if (inner !== null) {
    const problem = `its messages are in ${inner}, which is read when --field points to it`;
    return { problem, remedy: `use --field ${inner}` };
  }
  return null;
}

/** A JSON pointer to the messages in an object of a record; null: none has any. */
function innerMessages(record: JsonObject, names: readonly string[]): string | null {
  for (const name of names) {
    const value = own(record, name);
    if (!isObject(value)) continue;
    const inner = Object.keys(value).slice(0, LOOKED_AT).find((key) => {
      return PLAIN_NAME.test(key) && areMessages(own(value, key));
    });
    if (inner !== undefined) return `/${name}/${inner}`;
  }
  return null;
}

/** Whether a value is a list of objects, of which the first one says a role and has a text. */
function areMessages(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  const first: unknown = value[0];
  const has = (role: string, text: string): boolean =>
    isObject(first) && typeof own(first, role) === 'string' && own(first, text) !== undefined;
  return has('role', 'content') || has('from', 'value');
}
