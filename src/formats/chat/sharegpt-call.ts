// The value of a ShareGPT `function_call`: JSON of one call or a list of them, whose arguments keep their exact text.

import { isObject, tellOtherFields } from './fields.ts';
import { type Loss, Refusal } from '../loss.ts';

export interface NamedCall {
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

const KEYS: ReadonlySet<string> = new Set(['name', 'arguments']);

/** The calls of a value. Throws a Refusal when it holds none. */
export function readCalls(text: string, index: number, losses: Loss[]): NamedCall[] {
  const value = parse(text);
  const isList = Array.isArray(value) && value.length > 0;
  const calls = isList
    ? partsOf(text).map(({ from, to }, part) =>
        readCall(text.slice(from, to), (value as unknown[])[part], index, losses),
      )
    : [readCall(text, value, index, losses)];
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
  const value = parse(text);
  return value !== undefined && value !== null && typeof value !== 'string';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function readCall(text: string, value: unknown, index: number, losses: Loss[]): NamedCall {
  if (!isObject(value) || typeof value['name'] !== 'string') {
    throw new Refusal(index, 'the value of function_call is no JSON of a call', 'give {"name", "arguments"}');
  }
  tellOtherFields(value, KEYS, index, losses, 'function_call.');
  const given = value['arguments'];
  const part = partsOf(text).findLast(({ key }) => key === 'arguments');
  if (part === undefined || given === null) {
    losses.push({ what: 'field', message: index, detail: 'no arguments become {}' });
    return { name: value['name'], arguments: '{}' };
  }
  if (typeof given !== 'string') return { name: value['name'], arguments: text.slice(part.from, part.to) };
  if (!isEmbeddable(given)) throw new Refusal(index, 'the arguments of a call are no JSON', 'give an object');
  return { name: value['name'], arguments: given };
}

interface Part {
  /** Of an object's member. */
  readonly key: string | null;
  readonly from: number;
  readonly to: number;
}

/** The values directly below the object or list that a valid JSON text is. */
function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  let at = skipBlanks(text, 0);
  const isList = text[at] === '[';
  at = skipBlanks(text, at + 1);
  while (text[at] !== '}' && text[at] !== ']') {
    let key: string | null = null;
    if (!isList) {
      const to = endOfString(text, at);
      key = JSON.parse(text.slice(at, to)) as string;
      at = skipBlanks(text, skipBlanks(text, to) + 1);
    }
    const to = endOfValue(text, at);
    parts.push({ key, from: at, to });
    at = skipBlanks(text, to);
    if (text[at] === ',') at = skipBlanks(text, at + 1);
  }
  return parts;
}

const isBlank = (unit: number): boolean => unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (isBlank(text.charCodeAt(at))) at++;
  return at;
}

/** After the string that begins at `from`. */
function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** After the value that begins at `from`. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text[at]!;
    if (character === '"') {
      at = endOfString(text, at) - 1;
    } else if (character === '{' || character === '[') {
      depth++;
      continue;
    } else if (character === '}' || character === ']') {
      if (depth === 0) return at;
      depth--;
    } else if (depth > 0 || !(character === ',' || isBlank(character.charCodeAt(0)))) {
      continue;
    } else {
      return at;
    }
    if (depth === 0) return at + 1;
  }
  return text.length;
}
