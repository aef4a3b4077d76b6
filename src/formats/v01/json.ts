// The JSON after `<|function_call|>`: the exact text of its arguments (0.1 extended §8.2).

import { isObject, own, skipBlanks, spanOfJson } from '../../tools/json.ts';

export interface CallText {
  readonly name: string;
  /** As it stands; not made anew from its value. */
  readonly arguments: string;
  /** Where the object ends in the text. */
  readonly to: number;
}

/** A call at the beginning of a text, white space before it left out; null where none is. */
export function readCallText(text: string): CallText | null {
  const from = skipBlanks(text, 0);
  const span = text[from] === '{' ? spanOfJson(text, from) : null;
  if (!span) return null;
  const json = text.slice(from, span.to);
  const value = tryJson(json);
  if (!isObject(value)) return null;
  const name = own(value, 'name');
  const member = memberSpan(json, 'arguments');
  if (typeof name !== 'string' || name === '' || !member) return null;
  return { name, arguments: json.slice(member.from, member.to), to: span.to };
}

/** The call as text. */
export function writeCallText(name: string, argumentsText: string): string {
  return `{"arguments": ${argumentsText}, "name": ${JSON.stringify(name)}}`;
}

export function isJson(text: string): boolean {
  return tryJson(text) !== undefined;
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Where the value of a member stands in an object that is valid JSON; of several ones the last, as in JSON.parse. */
function memberSpan(json: string, key: string): { from: number; to: number } | null {
  let found: { from: number; to: number } | null = null;
  let at = skipBlanks(json, 1);
  while (json[at] === '"') {
    const keyTo = stringEnd(json, at);
    const isIt = JSON.parse(json.slice(at, keyTo)) === key;
    const from = skipBlanks(json, skipBlanks(json, keyTo) + 1);
    const to = valueEnd(json, from);
    if (isIt) found = { from, to };
    at = skipBlanks(json, to);
    if (json[at] === ',') at = skipBlanks(json, at + 1);
  }
  return found;
}

/** After the quote that ends the string at `from`. */
function stringEnd(json: string, from: number): number {
  let at = from + 1;
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at + 1;
}

function valueEnd(json: string, from: number): number {
  const first = json[from];
  if (first === '"') return stringEnd(json, from);
  if (first === '{' || first === '[') return spanOfJson(json, from)!.to;
  let at = from;
  while (!',} \t\r\n'.includes(json[at]!)) at++;
  return at;
}
