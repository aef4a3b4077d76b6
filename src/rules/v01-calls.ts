// The function calls of a 0.1 message: the JSON after each `<|function_call|>` (0.1 extended §8.2).

import { FUNCTION_OUTPUT } from '../abi.ts';
import type { Message } from '../model/message.ts';
import { decodeUtf8 } from '../utf8.ts';
import { isObject, own, parseJson, skipBlanks, spanOfJson } from '../tools/json.ts';

export interface LineCall {
  /** Null: what follows the token is no JSON object that names a function. */
  readonly name: string | null;
  /** Undefined when there are none. */
  readonly arguments: unknown;
}

type Bytes = { bytes(from: number, to: number): Uint8Array };

/** Bytes of one call that are read. */
const LONGEST = 16 * 1024 * 1024;

/** The tools that the replies of a message name, one for each token; null: it names none (0.1 extended §8.3). */
export function readReplyNames(message: Message, source: Bytes): (string | null)[] {
  const tokens = message.marks().filter(({ token }) => token === FUNCTION_OUTPUT);
  const { to } = message.body;
  return tokens.map((token, i) => {
    const { name } = readObject(source, token.to, tokens[i + 1]?.from ?? to);
    return name ?? message.name;
  });
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

/** The calls of an assistant's message, one for each token outside of its thoughts, in order. */
export function readLineCalls(message: Message, source: Bytes): LineCall[] {
  const tokens = message.functionCalls;
  const { to } = message.body;
  return tokens.map((token, i) => {
    const { name, value } = readObject(source, token.to, tokens[i + 1]?.from ?? to);
    return { name, arguments: value === null ? undefined : own(value, 'arguments') };
  });
}
