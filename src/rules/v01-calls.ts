// The function calls of a 0.1 message: the JSON after each `<|function_call|>` (0.1 extended §8.2), and between
// `<tool_call>` and `</tool_call>` (R-HERMES).

import { JSON_DEEPEST } from '../abi.ts';
import type { Finding } from '../errors.ts';
import { isBlankByte } from '../model/bytes.ts';
import { CLOSE_CALL, HERMES_CALL } from '../model/hermes.ts';
import type { Message, Span } from '../model/message.ts';
import { characterLength, decodeUtf8 } from '../utf8.ts';
import { isObject, own, parseJson, skipBlanks, spanOfJson } from '../tools/json.ts';

export interface LineCall {
  /** Null: what follows the token is no JSON object that names a function. */
  readonly name: string | null;
  /** Undefined when there are none. */
  readonly arguments: unknown;
  /** Bytes of what follows the token: up to the next call, or the end of the body. */
  readonly text: Span;
  /** The token is text: `<tool_call>`. */
  readonly isWritten: boolean;
}

type Bytes = { bytes(from: number, to: number): Uint8Array };

/** Bytes of one call that are read. */
const LONGEST = 16 * 1024 * 1024;

/** The tools that the replies of a message name, one for each; null: it names none (0.1 extended §8.3). */
export function readReplyNames(message: Message, source: Bytes): (string | null)[] {
  const author = message.role === 'tool' ? message.name : null;
  return message.functionReplies.map(({ textFrom, textTo }) => readObject(source, textFrom, textTo).name ?? author);
}

/** The JSON object that begins a text: its name, and all of it; null: there is none. */
function readObject(
  source: Bytes, begin: number, end: number,
): { readonly name: string | null; readonly value: Readonly<Record<string, unknown>> | null } {
  const text = decodeUtf8(source.bytes(begin, Math.min(end, begin + LONGEST)));
  const from = skipBlanks(text, 0);
  const span = text[from] === '{' ? spanOfJson(text, from) : null;
  const value = span ? parseJson(text.slice(from, span.to)) : undefined;
  if (!isObject(value)) return { name: null, value: null };
  const name = own(value, 'name');
  return { name: typeof name === 'string' ? name : null, value };
}

/** The calls of an assistant's message, one for each token or tag outside of its thoughts, in order. */
export function readLineCalls(message: Message, source: Bytes): LineCall[] {
  const tokens = message.functionCalls;
  const { to } = message.body;
  return tokens.map((token, i) => {
    const until = Math.min(tokens[i + 1]?.from ?? to, token.to + LONGEST);
    const { name, value } = readObject(source, token.to, until);
    const place = { text: { from: token.to, to: until }, isWritten: token.token === HERMES_CALL };
    return { name, arguments: value === null ? undefined : own(value, 'arguments'), ...place };
  });
}

interface JsonChecker {
  checkJson(content: Uint8Array, depth: number): number;
}

/**
 * Tells what of a call is not `{"name": string, "arguments": object}`, followed by its closing tag where it is text;
 * null: nothing.
 */
export function callFault(
  { text, isWritten }: Pick<LineCall, 'text' | 'isWritten'>, message: Message, machine: JsonChecker, source: Bytes,
): Finding | null {
  const bytes = source.bytes(text.from, text.to);
  const fault = objectFault(bytes, machine, isWritten);
  if (fault === null) return null;
  const { at, detail } = fault;
  const rule = 'bad-call-object';
  // Behind a token, prose may follow the object, and the message is told of.
  if (!isWritten) return { rule, from: message.from, to: message.header.to, detail };
  const length = at < bytes.length ? Math.abs(characterLength(bytes, at, bytes.length)) : 0;
  return { rule, from: text.from + at, to: text.from + at + length, detail };
}

interface Fault {
  readonly at: number;
  readonly detail: string;
}

function objectFault(bytes: Uint8Array, machine: JsonChecker, isWritten: boolean): Fault | null {
  const wrong = machine.checkJson(bytes, JSON_DEEPEST);
  const to = wrong < 0 ? bytes.length : wrong;
  const json = bytes.subarray(0, to);
  // What follows a value is wrong too.
  if (wrong >= 0 && machine.checkJson(json, JSON_DEEPEST) >= 0) return { at: wrong, detail: 'it is no JSON' };
  const value = parseJson(decodeUtf8(json));
  let at = 0;
  while (isBlankByte(bytes[at])) at++;
  if (!isObject(value)) return { at, detail: 'it is no JSON object' };
  if (typeof own(value, 'name') !== 'string') return { at, detail: 'its name is no text' };
  if (!isObject(own(value, 'arguments'))) return { at, detail: 'its arguments are no object' };
  if (!isWritten || decodeUtf8(bytes.subarray(to, to + CLOSE_CALL.length)) === CLOSE_CALL) return null;
  return { at: to, detail: `no ${CLOSE_CALL} follows it` };
}
