// The function calls of a 0.1 message: the JSON after each `<|function_call|>` (0.1 extended §8.2).

import type { Message } from '../model/message.ts';
import { decodeUtf8 } from '../utf8.ts';
import { isObject, own, parseJson, skipBlanks, spanOfJson } from '../tools/json.ts';

export interface LineCall {
  /** Null: what follows the token is no JSON object that names a function. */
  readonly name: string | null;
  /** Undefined when there are none. */
  readonly arguments: unknown;
}

/** Bytes of one call that are read. */
const LONGEST = 16 * 1024 * 1024;

/** The calls of an assistant's message, one for each token outside of its thoughts, in order. */
export function readLineCalls(message: Message, source: { bytes(from: number, to: number): Uint8Array }): LineCall[] {
  const tokens = message.functionCalls;
  const { to } = message.body;
  return tokens.map((token, i) => {
    const until = Math.min(tokens[i + 1]?.from ?? to, token.to + LONGEST);
    const text = decodeUtf8(source.bytes(token.to, until));
    const from = skipBlanks(text, 0);
    const span = text[from] === '{' ? spanOfJson(text, from) : null;
    const value = span ? parseJson(text.slice(from, span.to)) : undefined;
    if (!isObject(value)) return { name: null, arguments: undefined };
    const name = own(value, 'name');
    return { name: typeof name === 'string' ? name : null, arguments: own(value, 'arguments') };
  });
}
