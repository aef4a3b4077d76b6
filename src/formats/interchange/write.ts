// Plain messages to the JSON interchange forms.

import type { HeaderValue } from '../../model/header/text.ts';
import { type MessageData, type TranscriptData, withFields } from '../../model/data.ts';
import { thoughtIn } from '../../model/written-thought.ts';
import { builtinsOf } from '../../model/header/document.ts';
import { toolName, toolRecipient } from '../../tools/name.ts';
import { placeTools } from '../chat/tools.ts';
import { refuseLeak } from '../chat/tell.ts';
import {
  type InterchangeCall,
  type InterchangeMessage,
  type InterchangeRecord,
  type InterchangeToolCall,
  type InterchangeVersion,
  usual,
} from './shape.ts';
import { filesByPlace, movedFiles } from '../files.ts';
import { type Loss, Refusal } from '../loss.ts';
import { tellMedia } from '../media.ts';
import { isCall, isShown } from '../../rules/message-data.ts';
import { lossesOfQuotes } from '../written-thoughts.ts';

/**
 * The 2.2 form. Tools beside the messages are placed in the developer's text. Throws a Refusal.
 *
 * @example
 * ```ts
 * import { toInterchange22 } from 'openchatml/convert';
 *
 * const { record } = toInterchange22({ header: {}, tools: [], messages: [{ role: 'user', content: 'Hi' }] });
 * console.log(record.version); // 2.2
 * ```
 */
export function toInterchange22(data: TranscriptData): { record: InterchangeRecord; losses: Loss[] } {
  return write(data, '2.2');
}

/**
 * The 2.0 form; as `toInterchange22`.
 *
 * @example
 * ```ts
 * import { toInterchange20 } from 'openchatml/convert';
 *
 * const { record } = toInterchange20({ header: {}, tools: [], messages: [{ role: 'user', content: 'Hi' }] });
 * console.log(record.version); // 2.0
 * ```
 */
export function toInterchange20(data: TranscriptData): { record: InterchangeRecord; losses: Loss[] } {
  return write(data, '2.0');
}

function write(given: TranscriptData, version: InterchangeVersion): { record: InterchangeRecord; losses: Loss[] } {
  const { data, losses } = placeTools(given, version === '2.0' ? 'list' : 'declarations');
  const { messages } = data;
  const builtins = builtinsOf(data.header);
  // Nothing is folded over a file.
  const files = filesByPlace(data);
  const starts: number[] = [];
  loseVersion(data, losses);
  messages.forEach((message, index) => look(message, index, version, losses));
  for (const loss of lossesOfQuotes(messages)) losses.push(loss);
  const entries: InterchangeMessage[] = [];
  for (let at = 0; at < messages.length;) {
    starts[at] = entries.length;
    const thinking = files.has(at + 1) ? null : thinkingAt(messages, at);
    if (thinking !== null) at++;
    const message = messages[at]!;
    const entry = entryOf(message, version, thinking);
    const next = files.has(at + 1) ? undefined : messages[at + 1];
    if (version === '2.0' && isCall(message)) {
      const calls = isOrdinary(message) ? ordinaryCalls(messages, at, files) : [message];
      entries.push(withFields(entry, { tool_calls: calls.map((call) => oldCall(call, builtins)) }));
      at += calls.length;
    } else if (isCall(message)) {
      entries.push(withFields(entry, { tool_call: callOf(message) }));
      at++;
    } else if (version === '2.2' && isPreamble(message) && next !== undefined && isCall(next) && isOrdinary(next)) {
      entries.push(withFields(entry, { tool_call: callOf(next) }));
      at += 2;
    } else {
      entries.push(entry);
      at++;
    }
  }
  const moved = files.size > 0 ? movedFiles(data, starts, entries.length) : {};
  return { record: { ...headerOf(data, version), messages: entries, ...moved }, losses };
}

/** What is refused or lost, whatever becomes of the message. */
function look(message: MessageData, index: number, version: InterchangeVersion, losses: Loss[]): void {
  if (typeof message.role !== 'string') throw new Refusal(index, 'it has no role', 'name one');
  refuseLeak(message, index);
  tellMedia(message, index, losses);
  const { end, role, channel, intent } = message;
  // As is read of 2.0 (R-VISIBLE).
  if (version === '2.0' && role === 'assistant' && channel === 'commentary' && intent === 'preamble')
    losses.push({ what: 'intent', message: index, detail: 'a preamble is hidden commentary in 2.0' });
  if (end === 'implicit' || end === 'eof')
    losses.push({ what: 'end', message: index, detail: `${end} becomes ${usualEnd(message)}` });
  if (message.constrained === true && isAbsent(message.contentType))
    losses.push({ what: 'content-type', message: index, detail: 'a constraint without a type is left out' });
  // Reading finds written reasoning by what the content looks like.
  const { written, content } = message;
  if (written && isShown(message) && JSON.stringify(written) !== JSON.stringify(thoughtIn(content)))
    losses.push({ what: 'thinking', message: index, detail: 'where written reasoning ends is not kept' });
}

/** A version is written as one that the form knows. */
function loseVersion({ header }: TranscriptData, losses: Loss[]): void {
  const { version } = header ?? {};
  const isKnown = typeof version === 'number' || /^[12](?:\.[0-9]{1,9})?$/.test(String(version));
  if (version === undefined || isKnown) return;
  losses.push({ what: 'header', message: null, detail: 'the version is none that is known' });
}

/** A version that is read as the form's own. */
function headerOf(
  { header }: TranscriptData,
  version: InterchangeVersion,
): Pick<InterchangeRecord, 'version' | 'header'> {
  if (header === null) return {};
  const { version: own, ...fields } = header as { [key: string]: HeaderValue };
  const kept = version === '2.2' && typeof own === 'string' && /^2\.[1-9][0-9]{0,8}$/.test(own) ? own : version;
  return { version: kept, ...(Object.keys(fields).length > 0 && { header: fields }) };
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;
const usualEnd = (message: MessageData): 'call' | 'end' => (isCall(message) ? 'call' : 'end');
/** The ends that are damage are written as the usual one. */
const isUsualEnd = (message: MessageData): boolean =>
  isAbsent(message.end) || message.end === usualEnd(message) || message.end === 'implicit' || message.end === 'eof';

/** Only a role, a channel and a usual end are said of it, besides what a call's own object holds. */
function isOrdinary(message: MessageData): boolean {
  const { name, intent, attributes, channel, marked } = message;
  const isBare = isAbsent(name) && isAbsent(intent) && isAbsent(attributes) && marked !== false;
  return channel === 'commentary' && isBare && isUsualEnd(message);
}

/** Nothing but a role, a channel, perhaps an intent, and its text are said of it. */
function isPlain(message: MessageData): boolean {
  const { name, recipient, callId, contentType, attributes, marked } = message;
  return [name, recipient, callId, contentType, attributes].every(isAbsent) && marked !== false && isUsualEnd(message);
}

/** Reading gives a preamble before a call its end, and the call its channel. */
function isPreamble(message: MessageData): boolean {
  return (
    message.role === 'assistant' && message.intent === 'preamble' && isAbsent(message.recipient) && isUsualEnd(message)
  );
}

const isAnalysis = (message: MessageData): boolean =>
  message.role === 'assistant' && message.channel === 'analysis' && !isCall(message);

/**
 * The text of an analysis that becomes the `thinking` of the message after it; null: it stays a message, or is none.
 */
function thinkingAt(messages: readonly MessageData[], at: number): string | null {
  const message = messages[at]!;
  const next = messages[at + 1];
  const folds =
    isAnalysis(message) &&
    isPlain(message) &&
    isAbsent(message.intent) &&
    next?.role === 'assistant' &&
    !isAnalysis(next);
  return folds ? message.content : null;
}

/** The ordinary calls from message `at` on, up to the next file. */
function ordinaryCalls(
  messages: readonly MessageData[], at: number, files: ReadonlyMap<number, unknown>,
): readonly MessageData[] {
  let to = at + 1;
  while (to < messages.length && !files.has(to) && isCall(messages[to]!) && isOrdinary(messages[to]!)) to++;
  return messages.slice(at, to);
}

/** An entry without its calls. */
function entryOf(message: MessageData, version: InterchangeVersion, thinking: string | null): InterchangeMessage {
  const calls = isCall(message);
  const { channel: usualChannel, recipient: usualRecipient } = usual(version, message.role!, calls);
  const {
    name,
    recipient = null,
    callId,
    channel = null,
    intent,
    contentType,
    constrained,
    attributes,
    marked,
    content,
  } = message;
  return {
    role: message.role!,
    ...(!isAbsent(name) && { name: name! }),
    ...(!calls && recipient !== usualRecipient && { recipient }),
    ...(!calls && !isAbsent(callId) && (version === '2.2' ? { call_id: callId! } : { tool_call_id: callId! })),
    ...(channel !== usualChannel && { channel }),
    ...(!isAbsent(intent) && { intent: intent! }),
    ...(!calls &&
      !isAbsent(contentType) && { content_type: contentType!, ...(constrained === true && { constrained }) }),
    ...(attributes !== undefined && { attributes }),
    ...(marked === false && !isShown(message) && { marked }),
    ...(!isUsualEnd(message) && { end: message.end! }),
    ...(thinking !== null && { thinking }),
    ...(!calls && { content }),
  };
}

function typeOf({ contentType, constrained }: MessageData): { content_type?: string; constrained?: false } {
  return isAbsent(contentType)
    ? {}
    : { content_type: contentType!, ...(constrained !== true && { constrained: false }) };
}

function callOf(message: MessageData): InterchangeCall {
  const { callId, recipient, content } = message;
  const call = { recipient: recipient!, ...typeOf(message), arguments: content };
  return isAbsent(callId) ? call : { id: callId!, ...call };
}

function oldCall(message: MessageData, builtins: readonly string[]): InterchangeToolCall {
  const { callId, content } = message;
  const recipient = message.recipient!;
  const name = toolName(recipient, builtins);
  return {
    ...(!isAbsent(callId) && { id: callId! }),
    type: 'function',
    function: { name, arguments: content },
    ...(toolRecipient(name, builtins) !== recipient && { recipient }),
    ...typeOf(message),
  };
}
