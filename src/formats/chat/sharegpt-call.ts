// Calls as the text of a turn, whose role or `from` is `function_call` or `tool_call`: JSON of one call or a list of
// them, whose arguments keep their exact text.

import { isBlank, parseJson, partsOfJson } from '../../tools/json.ts';
import { isObject, tellOtherFields } from './fields.ts';
import { type Loss, Refusal } from '../loss.ts';

export interface NamedCall {
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

const KEYS: ReadonlySet<string> = new Set(['name', 'arguments']);

/** The calls of a text, the member `name` of a message. Throws a Refusal when it holds none. */
export function readCalls(
  text: string, index: number, losses: Loss[], name: 'value' | 'content' = 'value',
): NamedCall[] {
  const value = parseJson(text);
  const isList = Array.isArray(value) && value.length > 0;
  const calls = isList
    ? partsOfJson(text).map(({ from, to }, part) =>
        readCall(text.slice(from, to), (value as unknown[])[part], index, losses, name),
      )
    : [readCall(text, value, index, losses, name)];
  if (writeCalls(calls) !== text) losses.push({ what: 'field', message: index, detail: 'a call is laid out anew' });
  return calls;
}

/** The value that calls are written as. Arguments must be JSON. */
export function writeCalls(calls: readonly NamedCall[]): string {
  const texts = calls.map(({ name, arguments: text }) => `{"name": ${JSON.stringify(name)}, "arguments": ${text}}`);
  return texts.length === 1 ? texts[0]! : `[${texts.join(', ')}]`;
}

/**
 * Whether a text is one JSON value that may stand as arguments: without blanks around it, and no string or null, which
 * readers take for text that holds JSON and for none.
 */
export function isEmbeddable(text: string): boolean {
  if (text === '' || isBlank(text.charCodeAt(0)) || isBlank(text.charCodeAt(text.length - 1))) return false;
  const value = parseJson(text);
  return value !== undefined && value !== null && typeof value !== 'string';
}

function readCall(
  text: string, value: unknown, index: number, losses: Loss[], member: string,
): NamedCall {
  if (!isObject(value) || typeof value['name'] !== 'string') {
    throw new Refusal(index, `its ${member} is no JSON of a call`, 'give {"name", "arguments"}');
  }
  tellOtherFields(value, KEYS, index, losses, `${member}.`);
  const given = value['arguments'];
  const part = partsOfJson(text).findLast(({ key }) => key === 'arguments');
  if (part === undefined || given === null) {
    losses.push({ what: 'field', message: index, detail: 'no arguments become {}' });
    return { name: value['name'], arguments: '{}' };
  }
  if (typeof given !== 'string') return { name: value['name'], arguments: text.slice(part.from, part.to) };
  if (!isEmbeddable(given)) throw new Refusal(index, 'the arguments of a call are no JSON', 'give an object');
  return { name: value['name'], arguments: given };
}
