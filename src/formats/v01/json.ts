// The JSON after `<|function_call|>` and `<|function_output|>`: the exact text of arguments and of contents
// (0.1 extended §§8.2, 8.3).

import {
  isObject, type JsonPart, mayHaveName, own, parseJson, partsOfJson, skipBlanks, spanOfJson,
} from '../../tools/json.ts';

export interface CallText {
  readonly name: string;
  /** As it stands; not made anew from its value. */
  readonly arguments: string;
  /** Where it begins in the text. */
  readonly from: number;
  /** Where the object ends in the text. */
  readonly to: number;
}

/** A call at the beginning of a text, white space before it left out; null where none is. */
export function readCallText(text: string): CallText | null {
  const from = skipBlanks(text, 0);
  const span = text[from] === '{' ? spanOfJson(text, from) : null;
  if (!span) return null;
  const json = text.slice(from, span.to);
  const value = parseJson(json);
  if (!isObject(value)) return null;
  const name = own(value, 'name');
  const member = memberOf(json, 'arguments');
  if (typeof name !== 'string' || name === '' || !member) return null;
  return { name, arguments: json.slice(member.from, member.to), from: from + member.from, to: span.to };
}

/** The call as text. */
export function writeCallText(name: string, argumentsText: string): string {
  return `{"arguments": ${argumentsText}, "name": ${JSON.stringify(name)}}`;
}

export interface ReplyText {
  /** Empty: the reply names no tool. */
  readonly name: string;
  /** The text of a string, else the JSON as it stands. */
  readonly content: string;
  /** Where the JSON of the content begins in the text. */
  readonly from: number;
}

/** A reply that is nothing but `{"name", "content"}`, with white space around it; null: it is other text. */
export function readReplyText(text: string): ReplyText | null {
  // Most replies are JSON that names nothing.
  if (!mayHaveName(text)) return null;
  const from = skipBlanks(text, 0);
  const span = text[from] === '{' ? spanOfJson(text, from) : null;
  if (!span || skipBlanks(text, span.to) < text.length) return null;
  const json = text.slice(from, span.to);
  const value = parseJson(json);
  if (!isObject(value) || Object.keys(value).length !== 2) return null;
  const name = own(value, 'name');
  const member = memberOf(json, 'content');
  if (typeof name !== 'string' || !member) return null;
  const content = own(value, 'content');
  const said = typeof content === 'string' ? content : json.slice(member.from, member.to);
  return { name, content: said, from: from + member.from };
}

/** What would end a reply or begin a token. */
const ENDS = /<(?=\||\/tool_response>)/;
const ALL_ENDS = new RegExp(ENDS, 'g');

/**
 * The reply as text: JSON that is no string stands in it as it is, other text as a string. No token is in it, and no
 * `</tool_response>`.
 */
export function writeReplyText(name: string, content: string): string {
  const value = parseJson(content);
  const isValue = value !== undefined && typeof value !== 'string';
  const isBare = isValue && content === content.trim() && !ENDS.test(content);
  const text = isBare ? content : JSON.stringify(content);
  return `{"name": ${JSON.stringify(name)}, "content": ${text}}`.replaceAll(ALL_ENDS, '\\u003c');
}

export function isJson(text: string): boolean {
  return parseJson(text) !== undefined;
}

/** Where the value of a member stands in an object that is valid JSON; of several ones the last, as in JSON.parse. */
const memberOf = (json: string, name: string): JsonPart | undefined =>
  partsOfJson(json).findLast(({ key }) => key === name);
