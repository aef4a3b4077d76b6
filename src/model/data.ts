// Messages as plain data: what every notation gives and a writer takes. A view becomes data when it is asked for.

import type { HeaderValue } from './header/text.ts';
import { OPEN_CALL } from './hermes.ts';
import type { End, Message } from './message.ts';
import type { FillInPart } from './sequence.ts';
import { thoughtIn, type WrittenThought } from './written-thought.ts';
import { contentOffset } from './message-rows.ts';
import type { Known } from '../options.ts';

/** A part of a content that is no text, as an image, a sound, a file. */
export interface MediaPart {
  /** What the content has in its place, as `[image]`. */
  readonly shown: string;
  /** The form of records that has such parts. */
  readonly form: 'messages' | 'anthropic' | 'responses';
  /** The part as it stands in a record of that form. */
  readonly part: { readonly [key: string]: unknown };
}

/**
 * One message. A field that is absent or null is not there. Content is text as `Message.content` gives it: escapes
 * undone, literal blocks without their tokens, line ends as they stand.
 */
export interface MessageData {
  /** system, developer, user, assistant, tool; another word stays as it is; null: none. */
  readonly role: string | null;
  readonly name?: string | null | undefined;
  /** `to=`. */
  readonly recipient?: string | null | undefined;
  /** The channel as it is written; absent: none is, and `final` is meant (2.2 §5). */
  readonly channel?: string | null | undefined;
  readonly contentType?: string | null | undefined;
  /** The content type stands in the constrain field and binds (R-CONSTRAINT). */
  readonly constrained?: boolean | undefined;
  readonly intent?: string | null | undefined;
  readonly callId?: string | null | undefined;
  /** Attributes that the format does not name, in order (R-ATTR-UNKNOWN). */
  readonly attributes?: readonly { readonly key: string; readonly value: string }[] | undefined;
  /** How the body ends; absent: `call` for an assistant's message to a tool, else `end`. */
  readonly end?: End | undefined;
  readonly content: string;
  /**
   * The content in parts, where some are no text, in order: texts, and what stands for the others, are the content
   * together. What says something else than the content is not written.
   */
  readonly parts?: readonly (string | MediaPart)[] | undefined;
  /**
   * CoT markers in the content are marks (R-COT); false: they are quoted text. Absent: nobody knows, or there are none;
   * in a body that an end user sees they are then taken as text.
   */
  readonly marked?: boolean | undefined;
  /**
   * Reasoning that is written as text in what an assistant says (R-THINK); positions are UTF-16 units. Absent: what the
   * content looks like; null: what looks like it is text, as in Harmony and in literal blocks.
   */
  readonly written?: WrittenThought | null | undefined;
  /** @internal Where the content stands in that of what it was read from, in UTF-16 units; absent: it is all of it. */
  readonly contentFrom?: number | undefined;
  /**
   * @internal A call that cannot be read, or several that are too many: hidden text that counts as a call (R-HERMES).
   * Told of calls that are written as text in a record, where `origin` is, and of those of 0.1 in a turn.
   */
  readonly unread?: true | undefined;
  /** Number of the entry of a record that it was read from, where that was asked for. */
  readonly origin?: number | undefined;
}

/**
 * A message, or what becomes one, with fields that it may not have. Behind the spread of an object these would take ten
 * times as long: each object would get a hidden class of its own. Names of fields are never data.
 */
export const withFields = <Given extends object, Fields extends object>(given: Given, fields: Fields): Given & Fields =>
  Object.assign({}, given, fields);

/** How records are read. */
export interface RecordReadOptions {
  /** Messages say which entry of the record they come from. */
  readonly origins?: boolean | undefined;
}

export const RECORD_OPTIONS: Known<RecordReadOptions> = { origins: 1 };

/** A tool: what an assistant may call, and with which arguments. */
export interface ToolDefinition {
  /** `functions` for those of a developer; `browser`, `python` and the like for builtin ones. */
  readonly namespace: string;
  /** Without the namespace. */
  readonly name: string;
  readonly description?: string | undefined;
  /** JSON Schema of the arguments; absent: it takes none. */
  readonly parameters?: JsonSchema | undefined;
}

/** A JSON Schema as it came: untrusted until it is compiled within bounds. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** A fill-in: the text behind each of its tokens; null: the token is missing. */
export interface FillInData {
  readonly prefix: string | null;
  readonly middle: string | null;
  readonly suffix: string | null;
  /** The parts that are there, as they stand. Absent: prefix, middle, suffix. */
  readonly order?: readonly FillInPart[] | undefined;
}

/** Text, or a fill-in. */
export type FilePart = string | FillInData;

/**
 * A file of a sequence in 0.1, which stands outside of messages (R-FIM). One newline at its beginning and one at its
 * end are not part of it.
 */
export interface FileData {
  /** Number of the message before which it stands; the number of messages: behind the last one. */
  readonly before: number;
  /** A separator stands before it, though no file does. */
  readonly separated?: true | undefined;
  /** None: an empty file. */
  readonly parts: readonly FilePart[];
}

/** One transcript. */
export interface TranscriptData {
  /** What the document header says; null without one. */
  readonly header: { readonly [key: string]: HeaderValue } | null;
  /** Definitions that stand beside the messages. Those in the text of a message stay there. */
  readonly tools: readonly ToolDefinition[];
  readonly messages: readonly MessageData[];
  /** Files before, between and behind the messages, in order; absent: there are none. */
  readonly files?: readonly FileData[] | undefined;
}

const KNOWN: ReadonlySet<string> = new Set(['to', 'call_id', 'name', 'intent', 'content_type']);

const hasMarkers = (content: string): boolean => content.includes('<|start_') || content.includes('<|end_');

/** What the content does not tell by itself: where a view sees reasoning that is written as text. */
function writtenOf(message: Message, content: string): WrittenThought | null | undefined {
  const looks = thoughtIn(content);
  if (looks === null) return undefined;
  const { writtenThought } = message;
  if (writtenThought === null) return null;
  // Without a mark or an escape they differ only where a call stands before the marker.
  if (message.isLeaf && !content.slice(looks.textFrom, looks.textTo).includes(OPEN_CALL)) return undefined;
  const { from, to, textFrom, textTo, marker, isOpened } = writtenThought;
  const offset = (position: number): number => contentOffset(message, position);
  const written = {
    from: offset(from), to: offset(to), textFrom: offset(textFrom), textTo: offset(textTo),
    marker: { from: offset(marker.from), to: offset(marker.to) }, isOpened,
  };
  return written.to === looks.to && written.textTo === looks.textTo ? undefined : written;
}

/**
 * The data of a message view.
 *
 * @example
 * ```ts
 * import { parse } from 'openchatml';
 * import { messageData } from 'openchatml/convert';
 *
 * for (const message of parse('<|start|>user<|message|>Hi<|end|>').messages()) {
 *   console.log(JSON.stringify(messageData(message))); // {"role":"user","content":"Hi","end":"end"}
 * }
 * ```
 */
export function messageData(message: Message): MessageData {
  const data: { -readonly [K in keyof MessageData]: MessageData[K] } = {
    role: message.role, content: message.content, end: message.end,
  };
  const { explicitChannel } = message;
  if (explicitChannel !== null) data.channel = explicitChannel;
  if (hasMarkers(data.content)) data.marked = message.eachMark().next().done !== true;
  if (data.role === 'assistant' && data.content.includes('think>')) {
    const written = writtenOf(message, data.content);
    if (written !== undefined) data.written = written;
  }
  // Most messages say nothing else, and then their headers need not be read.
  if (message.isBare) return data;
  const { name, recipient, contentType, constrained, intent, callId } = message.said;
  if (name !== null) data.name = name;
  if (recipient !== null) data.recipient = recipient;
  if (contentType !== null) data.contentType = contentType;
  if (contentType !== null && constrained) data.constrained = true;
  if (intent !== null) data.intent = intent;
  if (callId !== null) data.callId = callId;
  // Those of a plain header are all known.
  if (message.isPlain) return data;
  const attributes = message.attributes.filter(({ key }) => !KNOWN.has(key));
  if (attributes.length > 0) data.attributes = attributes.map(({ key, value }) => ({ key, value }));
  return data;
}
