// Items of OpenAI's Responses, `input` and `output`, to plain messages and back. Every item is a message of its own:
// nothing is grouped.

import type { MessageData, RecordReadOptions, TranscriptData } from '../../model/data.ts';
import { isCall, isShown, isTextCall } from '../../rules/message-data.ts';
import { isBounded } from '../../tools/json.ts';
import { toolRecipient } from '../../tools/name.ts';
import { splitWrittenCalls } from '../written-calls.ts';
import { type Loss, type LossName, Refusal } from '../loss.ts';
import { tellMedia } from '../media.ts';
import { toolsOfRecord } from '../written-tools.ts';
import { withoutNames } from './bare.ts';
import { plainText } from './blocks.ts';
import { nameLoss, textCall, withCallIds, withReplyNames } from './calls.ts';
import { BAD_ARGUMENTS, type Fields, isObject, MOST_ARGUMENTS, tellOtherFields } from './fields.ts';
import { type Content, contentFor, readContent, readText } from './parts.ts';
import { tellBeside, tellFrame, Telling } from './tell.ts';
import { readToolField } from './tools.ts';
import { RECORD_OPTIONS } from '../../model/data.ts';
import { checkOptions } from '../../options.ts';

/** A chat as items of OpenAI's Responses. */
export interface ResponsesRecord {
  readonly tools?: readonly object[];
  readonly input: readonly object[];
}

const RECORD_KEYS: ReadonlySet<string> = new Set(['id', 'instructions', 'input', 'output', 'tools']);
const MESSAGE_KEYS: ReadonlySet<string> = new Set(['type', 'role', 'content', 'phase']);
const REASONING_KEYS: ReadonlySet<string> = new Set(['type', 'summary', 'content', 'encrypted_content']);
const CALL_KEYS: ReadonlySet<string> = new Set(['type', 'call_id', 'name', 'arguments']);
const CUSTOM_CALL_KEYS: ReadonlySet<string> = new Set(['type', 'call_id', 'name', 'input']);
const REPLY_KEYS: ReadonlySet<string> = new Set(['type', 'call_id', 'output']);
const PLAIN_ROLES: ReadonlySet<unknown> = new Set(['system', 'developer', 'user']);
const TYPE = /^[a-z][a-z_]{0,31}$/;

/** The type of an item; a message need not say it. */
export function typeOf(item: unknown): unknown {
  return isObject(item) ? (item['type'] ?? ('role' in item ? 'message' : null)) : null;
}

/**
 * The transcript of `instructions`, `input` and `output` (items, or texts), with `tools`. `id` is left to
 * who keeps the records. Losses name items by their number in both lists. Throws a Refusal.
 *
 * @example
 * ```ts
 * import { fromResponses } from 'openchatml/convert';
 *
 * const { data } = fromResponses({ input: [{ type: 'message', role: 'user', content: 'Hi' }] });
 * console.log(data.messages[0]?.content); // Hi
 * ```
 */
export function fromResponses(
  record: unknown, options: RecordReadOptions = {},
): { data: TranscriptData; losses: Loss[] } {
  checkOptions(options, RECORD_OPTIONS);
  const { input, output } = isObject(record) ? record : {};
  if (!isObject(record) || !(Array.isArray(input) || Array.isArray(output) || typeof input === 'string')) {
    throw new Refusal(null, 'it has no items', 'give an object with an input, or a list output');
  }
  const losses: Loss[] = [];
  const lose = (detail: string): void => void losses.push({ what: 'field', message: null, detail });
  tellOtherFields(record, RECORD_KEYS, null, losses);
  const tools = readToolField(record['tools'], losses);
  const messages: MessageData[] = [];
  const { instructions = null } = record;
  if (typeof instructions === 'string') {
    lose('instructions become a message');
    messages.push({ role: 'system', content: instructions, end: 'end' });
  } else if (instructions !== null) lose('instructions that are no text');
  if (typeof input === 'string') messages.push({ role: 'user', content: input, end: 'end' });
  else if (!Array.isArray(input) && (input ?? null) !== null) lose('input');
  if (!Array.isArray(output) && typeof output !== 'string' && (output ?? null) !== null) lose('output');
  const items = [input, output].flatMap((list): unknown[] => (Array.isArray(list) ? list : []));
  const reader = new Reader(items, losses);
  const take = (message: MessageData, index: number): void =>
    void messages.push(options.origins === true ? { ...message, origin: index } : message);
  items.forEach((item, index) => {
    const message = reader.read(item, index);
    if (message !== null) take(message, index);
  });
  if (typeof output === 'string') {
    take({ role: 'assistant', channel: 'final', content: output, end: 'end' }, items.length);
  }
  const data = { header: null, tools, messages: withReplyNames(messages) };
  return { data: splitWrittenCalls(data, losses), losses };
}

class Reader {
  readonly #items: readonly unknown[];
  readonly #losses: Loss[];

  constructor(items: readonly unknown[], losses: Loss[]) {
    this.#items = items;
    this.#losses = losses;
  }

  /** The message of an item; null: there is none, which was told. */
  read(item: unknown, index: number): MessageData | null {
    if (!isObject(item)) throw new Refusal(index, 'it is no object', 'give an item');
    const type = typeOf(item);
    switch (type) {
      case 'message':
        return this.#message(item, index);
      case 'reasoning':
        return this.#reasoning(item, index);
      case 'function_call':
        return this.#call(item, index);
      case 'custom_tool_call':
        return this.#customCall(item, index);
      case 'function_call_output':
      case 'custom_tool_call_output':
        return this.#reply(item, index);
      default: {
        const known = typeof type === 'string' && TYPE.test(type) ? type : 'that is not known';
        this.#lose('field', index, `an item of type ${known} is left out`);
        return null;
      }
    }
  }

  #lose(what: LossName, message: number, detail: string): void {
    this.#losses.push({ what, message, detail });
  }

  #content(value: unknown, field: string, index: number): Content {
    const content = readContent(plainText(value), field, index, this.#losses, 'responses');
    if (content === null) this.#lose('field', index, `no ${field} becomes empty text`);
    return content ?? { content: '' };
  }

  #message(item: Fields, index: number): MessageData {
    tellOtherFields(item, MESSAGE_KEYS, index, this.#losses);
    const { role, phase = null } = item;
    const isPlain = PLAIN_ROLES.has(role);
    if (!isPlain && role !== 'assistant') {
      throw new Refusal(index, 'its role is none that is known', 'use system, developer, user or assistant');
    }
    const content = this.#content(item['content'], 'content', index);
    const usual = !isPlain && callFollows(this.#items, index) ? 'commentary' : 'final_answer';
    const isPhase = phase === 'commentary' || phase === 'final_answer';
    if (phase !== null && (isPlain || !isPhase || phase === usual)) this.#lose('field', index, 'phase');
    if (isPlain) return { role: role as string, ...content, end: 'end' };
    const isPreamble = (isPhase ? phase : usual) === 'commentary';
    const channel = isPreamble ? { channel: 'commentary', intent: 'preamble' } : { channel: 'final' };
    return { role: 'assistant', ...channel, ...content, end: 'end' };
  }

  #reasoning(item: Fields, index: number): MessageData | null {
    tellOtherFields(item, REASONING_KEYS, index, this.#losses);
    if ((item['encrypted_content'] ?? null) !== null) {
      this.#lose('thinking', index, 'what is encrypted is left out');
    }
    const isThere = (parts: unknown): boolean =>
      (parts ?? null) !== null && !(Array.isArray(parts) && parts.length === 0);
    const { content, summary } = item;
    if (!isThere(content) && !isThere(summary)) {
      this.#lose('thinking', index, 'reasoning without a text is left out');
      return null;
    }
    if (isThere(summary)) {
      this.#lose('thinking', index, isThere(content) ? 'its summary is left out' : 'a summary becomes the reasoning');
    }
    const from = isThere(content) ? content : summary;
    const text = readText(plainText(from), 'reasoning', index, this.#losses) ?? '';
    if (text === '') {
      this.#lose('thinking', index, 'reasoning that is empty is left out');
      return null;
    }
    return { role: 'assistant', channel: 'analysis', content: text, end: 'end' };
  }

  #recipient({ name }: Fields, index: number): string {
    if (typeof name !== 'string') throw new Refusal(index, 'a call names no function', 'give its name');
    const lost = nameLoss(name);
    if (lost !== null) this.#lose('name', index, lost);
    return toolRecipient(name);
  }

  #customCall(item: Fields, index: number): MessageData {
    tellOtherFields(item, CUSTOM_CALL_KEYS, index, this.#losses);
    const { input } = item;
    if (typeof input !== 'string') throw new Refusal(index, 'a custom call has no input', 'give its text');
    return textCall(this.#recipient(item, index), this.#id(item, index), input);
  }

  #call(item: Fields, index: number): MessageData {
    tellOtherFields(item, CALL_KEYS, index, this.#losses);
    const recipient = this.#recipient(item, index);
    const callId = this.#id(item, index);
    return {
      role: 'assistant',
      recipient,
      ...(callId !== null && { callId }),
      channel: 'commentary',
      contentType: 'json',
      constrained: true,
      content: this.#arguments(item['arguments'] ?? null, index),
      end: 'call',
    };
  }

  #arguments(value: unknown, index: number): string {
    if (typeof value === 'string') return value;
    if (!isBounded(value, ...MOST_ARGUMENTS)) {
      throw new Refusal(index, BAD_ARGUMENTS, 'give their text');
    }
    this.#lose('field', index, value === null ? 'no arguments become {}' : 'arguments become text');
    return JSON.stringify(value ?? {});
  }

  #reply(item: Fields, index: number): MessageData {
    tellOtherFields(item, REPLY_KEYS, index, this.#losses);
    const callId = this.#id(item, index);
    const content = this.#content(item['output'], 'output', index);
    const id = callId !== null && { callId };
    return { role: 'tool', recipient: 'assistant', channel: 'commentary', ...id, ...content, end: 'end' };
  }

  #id({ call_id: id = null }: Fields, index: number): string | null {
    if (id === null || typeof id === 'string') return id;
    throw new Refusal(index, 'call_id is no text', 'give a string');
  }
}

/** Whether what an assistant says at `index` leads to a call: one comes before anyone else says something. */
function callFollows(items: readonly unknown[], index: number): boolean {
  for (let at = index + 1; at < items.length; at++) {
    const type = typeOf(items[at]);
    if (type === 'function_call' || type === 'custom_tool_call') return true;
    if (type === 'message' || type === 'function_call_output' || type === 'custom_tool_call_output') return false;
  }
  return false;
}

/**
 * The record of a transcript: items of `input`. Losses name messages by their number in the data. Throws a Refusal.
 *
 * @example
 * ```ts
 * import { toResponses } from 'openchatml/convert';
 *
 * const { record } = toResponses({ header: null, tools: [], messages: [{ role: 'user', content: 'Hi' }] });
 * console.log(record.input?.length); // 1
 * ```
 */
export function toResponses(data: TranscriptData): { record: ResponsesRecord; losses: Loss[] } {
  const { messages: withIds, losses } = withCallIds(data.messages);
  tellBeside(data, losses);
  const messages = withoutNames(withIds, losses);
  const tell = new Telling(losses);
  // Each reply has the type of what it answers.
  const custom = new Set(messages.flatMap((message) => (isTextCall(message) ? [message.callId] : [])));
  const input = messages.map((message, index) => {
    tellFrame(message, index, losses);
    return itemOf(message, index, tell, losses, custom.has(message.callId));
  });
  const tools = toolsOfRecord(data.tools).map(({ type, function: definition }) => ({ type, ...definition }));
  return { record: { ...(tools.length > 0 && { tools }), input: withPhases(input, messages) }, losses };
}

/** `isCustom`: the call, or the call that the reply answers, is one of a custom tool. */
function itemOf(message: MessageData, index: number, tell: Telling, losses: Loss[], isCustom: boolean): Fields {
  const { role, content, callId = null, recipient } = message;
  const id = callId !== null && { call_id: callId };
  if (role === 'tool') {
    tell.reply(message, index);
    const type = isCustom ? 'custom_tool_call_output' : 'function_call_output';
    return { type, ...id, output: contentFor(message, 'responses', index, losses) };
  }
  if (isCall(message)) {
    tell.call(message, index, isCustom);
    tellMedia(message, index, losses);
    const name = tell.bare(recipient!, index, 'recipient');
    if (isCustom) return { type: 'custom_tool_call', ...id, name, input: content };
    return { type: 'function_call', ...id, name, arguments: content };
  }
  if (role !== 'assistant') {
    if (!PLAIN_ROLES.has(role)) {
      throw new Refusal(index, 'its role is none that the form has', 'make it system, developer, user or assistant');
    }
    tell.plain(message, index);
    return { type: 'message', role, content: contentFor(message, 'responses', index, losses) };
  }
  tell.assistant(message, index);
  if (!isShown(message)) {
    tell.hidden(message, index);
    tellMedia(message, index, losses);
    return { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: content }] };
  }
  if (message.channel !== 'commentary') tell.answer(message, index);
  return { type: 'message', role, content: contentFor(message, 'responses', index, losses) };
}

/** Items that say whether an assistant's message is the answer, where a reader would take it for the other. */
function withPhases(items: readonly Fields[], messages: readonly MessageData[]): readonly Fields[] {
  return items.map((item, index) => {
    if (item['type'] !== 'message' || item['role'] !== 'assistant') return item;
    const isPreamble = messages[index]!.channel === 'commentary';
    if (isPreamble === callFollows(items, index)) return item;
    return { ...item, phase: isPreamble ? 'commentary' : 'final_answer' };
  });
}
