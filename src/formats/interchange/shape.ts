// The JSON interchange forms of 2.2 §10 (`tool_call`) and 2.0 §10 (`tool_calls`): their shapes (R-JSON). One object a
// turn, and one a transcript: `{"version": "2.2", "header": {}, "messages": []}`; a turn by itself and a list of them
// are read, too. The text is canonical: arguments are exact body text. The JSON Schemas in `schemas/` say the same.
//
// Beside the keys of the documents these are written where the text says more. On a message: `name`, `recipient`,
// `call_id` (2.0: `tool_call_id`), `content_type`, `constrained: true`, `attributes`, `marked: false` (CoT markers of a
// hidden body are quoted text), `end` when it does not go without saying. In a call: `content_type`, `constrained:
// false` (it is a hint), in 2.0 `recipient` when the name means another one. Analysis directly before an
// assistant's message is its `thinking`. In 2.2 a preamble directly before a call on commentary is its `content`, with
// `intent: "preamble"`: the other keys of the object are then the preamble's.
//
// In 2.0 an assistant's content is `final`, calls and replies are on `commentary`, and replies go to the assistant:
// there `channel` and `recipient` stand only when they are others, null when the text has none.

import type { FileData } from '../../model/data.ts';
import type { HeaderValue } from '../../model/header/text.ts';
import type { End } from '../../model/message.ts';

export type InterchangeVersion = '2.2' | '2.0';

/** A call of 2.2. */
export interface InterchangeCall {
  readonly id?: string;
  readonly recipient: string;
  readonly content_type?: string;
  readonly constrained?: false;
  readonly arguments: string;
}

/** A call of 2.0. */
export interface InterchangeToolCall {
  readonly id?: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
  readonly recipient?: string;
  readonly content_type?: string;
  readonly constrained?: false;
}

/** A message of the JSON interchange form (2.2 §13, 2.0 §10). */
export interface InterchangeMessage {
  readonly role: string;
  readonly name?: string;
  readonly recipient?: string | null;
  readonly call_id?: string;
  readonly tool_call_id?: string;
  readonly channel?: string | null;
  readonly intent?: string;
  readonly content_type?: string;
  readonly constrained?: true;
  readonly attributes?: readonly { readonly key: string; readonly value: string }[];
  readonly marked?: false;
  readonly end?: End;
  readonly thinking?: string;
  readonly content?: string;
  readonly tool_call?: InterchangeCall;
  readonly tool_calls?: readonly InterchangeToolCall[];
}

/** A transcript in the JSON interchange form (2.2 §13, 2.0 §10). */
export interface InterchangeRecord {
  readonly version?: string;
  /** The document header's other fields. */
  readonly header?: { readonly [key: string]: HeaderValue };
  readonly messages: readonly InterchangeMessage[];
  /** Of 0.1 (R-FIM); `before` is the number of an entry of `messages`. */
  readonly files?: readonly FileData[];
}

/** The version of turns that do not say it: 2.0 has `tool_calls`, as its replies have `tool_call_id`. */
export function versionOfTurns(turns: readonly object[]): InterchangeVersion {
  const has = (...keys: string[]): boolean =>
    turns.some((turn) => keys.some((key) => ((turn as { [key: string]: unknown })[key] ?? null) !== null));
  return !has('tool_call', 'call_id') && has('tool_calls', 'tool_call_id') ? '2.0' : '2.2';
}

/** The channel and the recipient of a message that does not say them. */
export function usual(
  version: InterchangeVersion,
  role: string,
  calls: boolean,
): { channel: string | null; recipient: string | null } {
  if (version === '2.2' || (role !== 'assistant' && role !== 'tool')) return { channel: null, recipient: null };
  if (role === 'tool') return { channel: 'commentary', recipient: 'assistant' };
  return { channel: calls ? 'commentary' : 'final', recipient: null };
}
