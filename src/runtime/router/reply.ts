// Replies: the tool message that answers a call, with the envelope of 2.2 §8.2 as its content.

import type { MessageData } from '../../model/data.ts';
import { boundedJson, isNothing, plain, Unwritable } from './json.ts';
import { ToolError, ToolResult } from './types.ts';

/** What a reply says about a call that gave no result. */
export interface ReplyError {
  readonly code: string;
  readonly message: string;
}

/** The content of a reply; `error` null: a result. */
export interface Envelope {
  readonly content: string;
  readonly error: ReplyError | null;
}

/** No reply may be bounded below this: it takes an error of ours. */
export const SMALLEST_REPLY = 1024;

const TOO_LARGE: ReplyError = {
  code: 'result-too-large',
  message: 'the result of the tool is larger than a reply may be',
};
const NO_JSON: ReplyError = { code: 'unusable-result', message: 'the result of the tool cannot be written as JSON' };

/** `{"ok":true,…}` with what a handler gave, or an error where that cannot be written. */
export function resultEnvelope(result: unknown, bytes: number): Envelope {
  try {
    const { content, provenance } = result instanceof ToolResult ? result : { content: result, provenance: null };
    const given = plain(content, 'content');
    if (content !== undefined && isNothing(given)) throw new Unwritable('no-json');
    const written: Record<string, unknown> = { ok: true, content: given ?? null, error: null };
    if (provenance !== null && provenance !== undefined) written['provenance'] = provenance;
    return { content: boundedJson(written, bytes), error: null };
  } catch (error) {
    return errorEnvelope(error instanceof Unwritable && error.reason === 'too-large' ? TOO_LARGE : NO_JSON, bytes);
  }
}

/** `{"ok":false,…}`; where it is too large, one that says so. */
export function errorEnvelope(error: ReplyError, bytes: number): Envelope {
  try {
    return { content: boundedJson({ ok: false, content: null, error }, bytes), error };
  } catch {
    return { content: boundedJson({ ok: false, content: null, error: TOO_LARGE }, bytes), error: TOO_LARGE };
  }
}

/** What the model is told of something that a handler threw. `expose`: the texts of exceptions too. */
export function thrownError(thrown: unknown, expose: boolean): ReplyError {
  try {
    if (thrown instanceof ToolError) return { code: String(thrown.code), message: String(thrown.message) };
    const name = nameOf(thrown);
    if (!expose) return { code: 'tool-failed', message: `${name}: the tool failed` };
    return {
      code: 'tool-failed',
      message: `${name}: ${thrown instanceof Error ? String(thrown.message) : String(thrown)}`,
    };
  } catch {
    return { code: 'tool-failed', message: 'Error: the tool failed' };
  }
}

/** The name of an exception, when it is a plain word: it tells the kind, and nothing of what was at hand. */
function nameOf(thrown: unknown): string {
  const name: unknown = thrown instanceof Error ? thrown.name : null;
  return typeof name === 'string' && /^[A-Za-z][A-Za-z0-9]{0,63}$/.test(name) ? name : 'Error';
}

/** The canonical tool message (2.2 §8.1, §12.3). */
export function replyMessage(callId: string | null, name: string | null, content: string): MessageData {
  return {
    role: 'tool',
    ...(name !== null && { name }),
    recipient: 'assistant',
    channel: 'commentary',
    ...(callId !== null && { callId }),
    end: 'end',
    content,
  };
}
