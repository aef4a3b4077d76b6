// The function calls of a 0.1 message: the JSON after each `<|function_call|>` (0.1 extended §8.2), and between
// `<tool_call>` and `</tool_call>` (R-HERMES).

import { JSON_DEEPEST } from '../abi.ts';
import type { Finding } from '../errors.ts';
import { indexOfPart, isBlankByte, standsAt } from '../model/bytes.ts';
import { CLOSE_CALL, HERMES_CALL } from '../model/hermes.ts';
import type { Message, Span } from '../model/message.ts';
import type { Mark } from '../model/thoughts.ts';
import type { Machine } from '../scan/machine.ts';
import { characterLength, decodeUtf8 } from '../utf8.ts';
import { isObject, type JsonObject, mayHaveName, own, parseJson, skipBlanks, spanOfJson } from '../tools/json.ts';

export interface LineCall {
  /** Null: what follows the token is no JSON object that names a function. */
  readonly name: string | null;
  /** Undefined when there are none. */
  readonly arguments: unknown;
  /** The object that follows the token, whatever is in it; null: none does. */
  readonly value: JsonObject | null;
  /** Bytes of what follows the token: up to the next call, or the end of the body. */
  readonly text: Span;
  /** The token is text: `<tool_call>`. */
  readonly isWritten: boolean;
}

const NAME = new TextEncoder().encode('"name"');
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LOWER_U = 0x75;

const CLOSE_TAG = new TextEncoder().encode(CLOSE_CALL);

type Bytes = { bytes(from: number, to: number): Uint8Array };

/** Bytes of one call that are read, and of a reply. */
export const LONGEST_CALL = 16 * 1024 * 1024;

/** The tools that the replies of a message name, one for each; null: it names none (0.1 extended §8.3). */
export function readReplyNames(message: Message, source: Bytes, machine: Finder): (string | null)[] {
  const { functionReplies } = message;
  if (functionReplies.length === 0) return [];
  const author = message.role === 'tool' ? message.name : null;
  const { words, base } = message.table;
  return functionReplies.map(({ textFrom: from, textTo: to }) => {
    // A reply is long, and most name nothing.
    if (words === machine.rows && from >= base && !mayNameAt(machine, from - base, to - base)) return author;
    const text = textAt(source, from, to);
    return (mayHaveName(text) ? readObject(text).name : null) ?? author;
  });
}

/** What finds bytes in its window. */
type Finder = Pick<Machine, 'rows' | 'source' | 'findPair'>;

/** As `mayHaveName`, of window bytes [from, to). */
function mayNameAt(machine: Finder, from: number, to: number): boolean {
  for (let at = from; (at = machine.findPair(at, to, QUOTE, NAME[1]!)) >= 0; at++) {
    if (standsAt(NAME, machine.source, at)) return true;
  }
  return machine.findPair(from, to, BACKSLASH, LOWER_U) >= 0;
}

const textAt = (source: Bytes, begin: number, end: number): string =>
  decodeUtf8(source.bytes(begin, Math.min(end, begin + LONGEST_CALL)));

/** The JSON object that begins a text: its name, and all of it; null: there is none. */
function readObject(text: string): { readonly name: string | null; readonly value: JsonObject | null } {
  const from = skipBlanks(text, 0);
  const span = text[from] === '{' ? spanOfJson(text, from) : null;
  const value = span ? parseJson(text.slice(from, span.to)) : undefined;
  if (!isObject(value)) return { name: null, value: null };
  const name = own(value, 'name');
  return { name: typeof name === 'string' ? name : null, value };
}

/** Calls of a message that are kept; those of one with more are read each time they are asked for. */
const KEPT_CALLS = 256;

/** The calls of an assistant's message, one for each token or tag outside of its thoughts, in order. */
export function readLineCalls(message: Message, source: Bytes): Iterable<LineCall> {
  const tokens = message.functionCalls;
  const { to } = message.body;
  const read = (token: Mark, i: number): LineCall =>
    readCall(source, { from: token.to, to: tokens[i + 1]?.from ?? to }, token.token === HERMES_CALL);
  if (tokens.length <= KEPT_CALLS) return tokens.map(read);
  return { *[Symbol.iterator]() { for (const [i, token] of tokens.entries()) yield read(token, i); } };
}

/** The tools that calls name; null: what follows the token names none. */
export function namesOf(calls: Iterable<LineCall>): (string | null)[] {
  const names: (string | null)[] = [];
  for (const { name } of calls) names.push(name);
  return names;
}

/** A call, of which [from, to) is what follows the token. */
export function readCall(source: Bytes, { from, to }: Span, isWritten: boolean): LineCall {
  const text = { from, to: Math.min(to, from + LONGEST_CALL) };
  const { name, value } = readObject(textAt(source, text.from, text.to));
  return { name, arguments: value === null ? undefined : own(value, 'arguments'), value, text, isWritten };
}

interface JsonChecker {
  checkJson(content: Uint8Array, depth: number): number;
}

/**
 * Tells what of a call is not `{"name": string, "arguments": object}`, followed by its closing tag where it is text;
 * null: nothing. `header`: of its message.
 */
export function callFault(call: LineCall, header: Span, machine: JsonChecker, source: Bytes): Finding | null {
  const { text, isWritten } = call;
  const bytes = source.bytes(text.from, text.to);
  const fault = objectFault(bytes, call, machine);
  if (fault === null) return null;
  const { at, detail } = fault;
  const rule = 'bad-call-object';
  // Behind a token, prose may follow the object, and the message is told of.
  if (!isWritten) return { rule, from: header.from, to: header.to, detail };
  const length = at < bytes.length ? Math.abs(characterLength(bytes, at, bytes.length)) : 0;
  return { rule, from: text.from + at, to: text.from + at + length, detail };
}

interface Fault {
  readonly at: number;
  readonly detail: string;
}

/** `bytes`: what follows the token, from which the call was read. */
function objectFault(bytes: Uint8Array, call: LineCall, machine: JsonChecker): Fault | null {
  const { value, isWritten } = call;
  const wrong = machine.checkJson(bytes, JSON_DEEPEST);
  const to = wrong < 0 ? bytes.length : wrong;
  // What follows a value is wrong too.
  if (wrong >= 0 && machine.checkJson(bytes.subarray(0, to), JSON_DEEPEST) >= 0) {
    return { at: wrong, detail: 'it is no JSON' };
  }
  let at = 0;
  while (isBlankByte(bytes[at])) at++;
  if (value === null) return { at, detail: 'it is no JSON object' };
  if (call.name === null) return { at, detail: 'its name is no text' };
  if (!isObject(call.arguments)) return { at, detail: 'its arguments are no object' };
  if (!isWritten || decodeUtf8(bytes.subarray(to, to + CLOSE_CALL.length)) === CLOSE_CALL) return null;
  const isLater = indexOfPart(CLOSE_TAG, bytes.subarray(to)) >= 0;
  return { at: to, detail: isLater ? `other text stands before its ${CLOSE_CALL}` : `no ${CLOSE_CALL} follows it` };
}
