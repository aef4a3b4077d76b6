// Calls and replies that are written as text in 0.1 (R-HERMES): where they stand, and what is wrong with a call.
import { jsonFault } from './json.ts';
import type { Range } from './text.ts';
import { isWhite, startsWith } from './tokens.ts';

const CALL = '<tool_call>';
const CALL_END = '</tool_call>';
const REPLY = '<tool_response>';
const REPLY_END = '</tool_response>';
const DEEPEST = 65536;

/** Places in [from, to) where a text stands as a whole. */
function placesOf(bytes: Uint8Array, text: string, { from, to }: Range): number[] {
  const places: number[] = [];
  for (let at = from; at + text.length <= to; at++) if (startsWith(bytes, at, text)) places.push(at);
  return places;
}

/** The tags that begin a call: at the beginning of a line or of the body. */
export function callTags(bytes: Uint8Array, body: Range): Range[] {
  return placesOf(bytes, CALL, body)
    .filter((at) => at === body.from || bytes[at - 1] === 0x0a)
    .map((from) => ({ from, to: from + CALL.length }));
}

interface Reply extends Range {
  readonly textFrom: number;
  readonly textTo: number;
}

/** Replies, each from its first tag to the next one that ends it. */
export function replyTags(bytes: Uint8Array, body: Range): Reply[] {
  const ends = placesOf(bytes, REPLY_END, body);
  const replies: Reply[] = [];
  for (const from of placesOf(bytes, REPLY, body)) {
    const end = ends.find((at) => at >= from + REPLY.length);
    if (end === undefined || from < (replies.at(-1)?.to ?? 0)) continue;
    replies.push({ from, to: end + REPLY_END.length, textFrom: from + REPLY.length, textTo: end });
  }
  return replies;
}

/** Where [from, to) is no call object, with its end tag if it began with a tag; -1: it is one. */
export function callFault(bytes: Uint8Array, { from, to }: Range, isTag: boolean): number {
  const rest = bytes.subarray(from, to);
  const fault = jsonFault(rest, DEEPEST);
  const end = fault < 0 ? rest.length : fault;
  const json = rest.subarray(0, end);
  if (jsonFault(json, DEEPEST) >= 0) return from + end;
  const value: unknown = JSON.parse(new TextDecoder('utf-8', { ignoreBOM: true }).decode(json));
  const first = rest.findIndex((byte) => !isWhite(byte));
  if (!isObject(value) || typeof value['name'] !== 'string' || !isObject(value['arguments'])) return from + first;
  return !isTag || (startsWith(rest, end, CALL_END) && end + CALL_END.length <= rest.length) ? -1 : from + end;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
