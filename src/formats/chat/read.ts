// OpenAI chat records to plain messages: roles, tool calls, thinking, tools. What has no place is told as a loss; what
// would be invented or falsified is refused.
//
// A turn of an assistant is taken apart: its thinking is an analysis message, content beside calls is a preamble on
// commentary, every call a message of its own. Without calls the content is final.

import {
  type MessageData, RECORD_OPTIONS, type RecordReadOptions, type TranscriptData,
} from '../../model/data.ts';
import { checkOptions } from '../../options.ts';
import { endsWithReply, entriesOf, plainText } from './blocks.ts';
import { nameLoss, withReplyNames } from './calls.ts';
import { BAD_ARGUMENTS, type Fields, isObject, MOST_ARGUMENTS, tellOtherFields } from './fields.ts';
import { type Content, readContent, readText } from './parts.ts';
import { isBounded } from '../../tools/json.ts';
import { toolRecipient } from '../../tools/name.ts';
import { CALLING, OTHER_ROLES } from './roles.ts';
import { readCalls } from './sharegpt-call.ts';
import { textCall } from './calls.ts';
import { hasFunctions, readTools } from './tools.ts';
import { splitWrittenCalls } from '../written-calls.ts';
import { type Loss, type LossName, Refusal } from '../loss.ts';

/** A call in a chat record; its arguments are JSON text. */
export interface ChatToolCall {
  readonly id?: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A call of a custom tool, whose input is text. */
export interface ChatCustomCall {
  readonly id?: string;
  readonly type: 'custom';
  readonly custom: { readonly name: string; readonly input: string };
}

/** A message of a chat record, as OpenAI's chat completions have it. */
export interface ChatMessage {
  readonly role: string;
  readonly name?: string;
  /** Text, or parts of which some are no text. */
  readonly content: string | readonly object[] | null;
  /** Reasoning that led to the message. */
  readonly thinking?: string;
  readonly tool_calls?: readonly (ChatToolCall | ChatCustomCall)[];
  readonly tool_call_id?: string;
}

/** A chat as OpenAI's chat completions and their training files have it. */
export interface ChatRecord {
  readonly tools?: readonly object[];
  readonly messages: readonly ChatMessage[];
}

const PLAIN_ROLES: ReadonlySet<string> = new Set(['system', 'developer', 'user']);
const THINKING = ['thinking', 'reasoning_content', 'reasoning'] as const;
const PLAIN_KEYS: ReadonlySet<string> = new Set(['role', 'content', 'name']);
const ASSISTANT_KEYS: ReadonlySet<string> = new Set([...PLAIN_KEYS, ...THINKING, 'tool_calls', 'function_call']);
const REFUSING_KEYS: ReadonlySet<string> = new Set([...ASSISTANT_KEYS, 'refusal']);
const REPLY_KEYS: ReadonlySet<string> = new Set([...PLAIN_KEYS, 'tool_call_id']);
const RECORD_KEYS: ReadonlySet<string> = new Set(['id', 'messages', 'tools']);
const KEYS_WITH_SYSTEM: ReadonlySet<string> = new Set([...RECORD_KEYS, 'system']);

/**
 * The transcript of a chat record: `messages`, `system`, and `tools` (a list, or JSON text of one). `id` is left to who
 * keeps the records. Losses name messages by their number in the record. Throws a Refusal.
 *
 * @example
 * ```ts
 * import { fromOpenAI } from 'openchatml/convert';
 *
 * const { data } = fromOpenAI({ messages: [{ role: 'user', content: 'Hi' }] });
 * console.log(data.messages[0]?.content); // Hi
 * ```
 */
export function fromOpenAI(record: unknown, options: RecordReadOptions = {}): { data: TranscriptData; losses: Loss[] } {
  checkOptions(options, RECORD_OPTIONS);
  if (!isObject(record) || !Array.isArray(record['messages'])) {
    throw new Refusal(null, 'it is no chat record', 'give an object with a list of messages');
  }
  const losses: Loss[] = [];
  const messages = record['messages'] as unknown[];
  const hasSystem = saysSystem(record['system'], messages);
  const known = hasSystem ? KEYS_WITH_SYSTEM : RECORD_KEYS;
  tellOtherFields(record, hasFunctions(record) ? new Set([...known, 'functions']) : known, null, losses);
  const tools = readTools(record, losses);
  const reader = new Reader(losses, options.origins === true);
  if (hasSystem) reader.takeSystem(record['system']);
  messages.forEach((message, index) => reader.take(message, index));
  const data = { header: null, tools, messages: withReplyNames(reader.messages) };
  return { data: splitWrittenCalls(data, losses), losses };
}

/** Anthropic has the system's message beside the list, in which there is none then. */
function saysSystem(system: unknown, messages: readonly unknown[]): boolean {
  if (typeof system === 'string' ? system === '' : !Array.isArray(system)) return false;
  return !messages.some((message) => {
    return isObject(message) && (message['role'] === 'system' || message['role'] === 'developer');
  });
}

/** A field of text; null when absent. */
function textField(fields: Fields, key: string, index: number): string | null {
  const value = fields[key] ?? null;
  if (value === null || typeof value === 'string') return value;
  throw new Refusal(index, `${key} is no text`, 'give a string');
}

/** Members that name a message, and say nothing. */
const NAMING: ReadonlySet<string> = new Set(['id', 'type']);
/** Names that can be told. */
const PLAIN_NAME = /^\w{1,64}$/;

/** A message that says nothing but in members that are not read would be empty. Throws a Refusal. */
function refuseUnread(fields: Fields, known: ReadonlySet<string>, index: number): void {
  const key = Object.keys(fields).find((name) => !known.has(name) && !NAMING.has(name) && maySay(fields[name]));
  if (key === undefined) return;
  const named = PLAIN_NAME.test(key) ? key : 'another member';
  throw new Refusal(index, `it has no content, but ${named}, which is not read`, 'name what it says content');
}

/** Whether a value may hold what is said: text, or something with members. */
function maySay(value: unknown): boolean {
  if (typeof value === 'string') return value !== '';
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

class Reader {
  readonly messages: MessageData[] = [];
  readonly #losses: Loss[];
  readonly #origins: boolean;
  /** What the last record message was, when a further one would come back as a part of it; and its author's name. */
  #open: 'calls' | 'thinking' | null = null;
  #openName: string | null = null;
  /** The last record message ended with a reply among its blocks. */
  #repliesOpen = false;

  constructor(losses: Loss[], origins: boolean) {
    this.#losses = losses;
    this.#origins = origins;
  }

  take(value: unknown, index: number): void {
    const { messages } = this;
    const from = messages.length;
    if (this.#repliesOpen && isObject(value) && value['role'] === 'user') {
      this.#lose('grouping', index, 'it joins the message before it');
    }
    this.#repliesOpen = endsWithReply(value);
    for (const entry of entriesOf(value, index, this.#losses)) this.#take(entry, index);
    if (!this.#origins) return;
    for (let at = from; at < messages.length; at++) messages[at] = { ...messages[at]!, origin: index };
  }

  /** The system's message that stands beside the list. Throws a Refusal. */
  takeSystem(value: unknown): void {
    const content = readContent(plainText(value), 'system', null, this.#losses, 'messages') ?? { content: '' };
    this.messages.push({ role: 'system', ...content, end: 'end' });
  }

  #take(value: unknown, index: number): void {
    if (!isObject(value)) throw new Refusal(index, 'it is no object', 'give a message');
    const role = this.#roleOf(value, index);
    const before = this.#open;
    this.#open = null;
    if (role === 'assistant') this.#assistant(value, index, before);
    else if (role === 'tool') this.#reply(value, index);
    else if (typeof role === 'string' && PLAIN_ROLES.has(role)) this.#plain(role, value, index);
    else if (CALLING.has(role)) this.#written(value, index, before);
    else throw new Refusal(index, 'its role is none that is known', 'use system, developer, user, assistant or tool');
  }

  #roleOf({ role }: Fields, index: number): unknown {
    const usual = OTHER_ROLES.get(role);
    if (usual !== undefined) this.#lose('role', index, `${role as string} becomes ${usual}`);
    return usual ?? role;
  }

  #lose(what: LossName, message: number, detail: string): void {
    this.#losses.push({ what, message, detail });
  }

  #plain(role: string, fields: Fields, index: number): void {
    tellOtherFields(fields, PLAIN_KEYS, index, this.#losses);
    this.#push({ role, ...this.#content(fields, PLAIN_KEYS, index), end: 'end' }, textField(fields, 'name', index));
  }

  /** `known`: members that are read. */
  #content(fields: Fields, known: ReadonlySet<string>, index: number): Content {
    return this.#contentOf(fields, index) ?? this.#empty(fields, known, index);
  }

  /** Of a message without a content. Throws a Refusal where another member may hold what it says. */
  #empty(fields: Fields, known: ReadonlySet<string>, index: number): Content {
    refuseUnread(fields, known, index);
    this.#lose('field', index, 'no content becomes empty text');
    return { content: '' };
  }

  #contentOf(fields: Fields, index: number): Content | null {
    return readContent(fields['content'], 'content', index, this.#losses, 'messages');
  }

  #push(message: MessageData, name: string | null): void {
    this.messages.push(name === null ? message : { ...message, name });
  }

  #reply(fields: Fields, index: number): void {
    tellOtherFields(fields, REPLY_KEYS, index, this.#losses);
    const callId = textField(fields, 'tool_call_id', index);
    const content = this.#content(fields, REPLY_KEYS, index);
    const name = textField(fields, 'name', index);
    this.#push(
      {
        role: 'tool',
        recipient: 'assistant',
        channel: 'commentary',
        ...(callId !== null && { callId }),
        ...content,
        end: 'end',
      },
      name === null ? null : this.#recipient(name, index),
    );
  }

  #recipient(name: string, index: number): string {
    const lost = nameLoss(name);
    if (lost !== null) this.#lose('name', index, lost);
    return toolRecipient(name);
  }

  #assistant(fields: Fields, index: number, before: 'calls' | 'thinking' | null): void {
    const { refusal } = fields;
    const refuses = (fields['content'] ?? null) === null && typeof refusal === 'string' && refusal !== '';
    tellOtherFields(fields, refuses ? REFUSING_KEYS : ASSISTANT_KEYS, index, this.#losses);
    const name = textField(fields, 'name', index);
    const thinking = this.#thinking(fields, index);
    const calls = this.#calls(fields, index);
    let content = refuses ? { content: refusal } : this.#contentOf(fields, index);
    if (refuses) this.#lose('field', index, 'a refusal becomes text');
    if (calls.length > 0 && content?.content === '') {
      this.#lose('field', index, 'empty content beside calls becomes null');
      content = null;
    } else if (calls.length > 0 && content === null && fields['content'] === undefined) {
      this.#lose('field', index, 'no content beside calls becomes null');
    }
    if (thinking !== null) this.#push({ role: 'assistant', channel: 'analysis', content: thinking, end: 'end' }, name);
    if (content === null && calls.length === 0 && thinking === null) {
      content = this.#empty(fields, ASSISTANT_KEYS, index);
    }
    const preamble = { channel: 'commentary', intent: 'preamble' };
    const channel = calls.length > 0 ? preamble : { channel: 'final' };
    if (content !== null) this.#push({ role: 'assistant', ...channel, ...content, end: 'end' }, name);
    for (const call of calls) this.#push(call, name);
    this.#tellGrouping(before, name, index, thinking !== null, content !== null);
    this.#openName = name;
    if (calls.length > 0) this.#open = 'calls';
    else if (content === null) this.#open = 'thinking';
  }

  /** Calls that a text holds. Throws a Refusal where it holds none. */
  #written(fields: Fields, index: number, before: 'calls' | 'thinking' | null): void {
    tellOtherFields(fields, PLAIN_KEYS, index, this.#losses);
    const { role, content } = fields;
    if (typeof content !== 'string') throw new Refusal(index, 'its content is no text', 'give JSON of a call');
    this.#lose('role', index, `${role as string} becomes assistant`);
    const name = textField(fields, 'name', index);
    for (const call of readCalls(content, index, this.#losses, 'content')) {
      this.#push(this.#callOf(call.name, null, call.arguments, index), name);
    }
    this.#tellGrouping(before, name, index, false, false);
    this.#openName = name;
    this.#open = 'calls';
  }

  /** The messages of this one come back as a part of the one before it. */
  #tellGrouping(
    before: 'calls' | 'thinking' | null,
    name: string | null,
    index: number,
    thinking: boolean,
    content: boolean,
  ): void {
    if (before === null || name !== this.#openName || thinking || (before === 'calls' && content)) return;
    this.#lose('grouping', index, 'it joins the message before it');
  }

  #thinking(fields: Fields, index: number): string | null {
    let found: string | null = null;
    for (const key of THINKING) {
      const text = readText(fields[key], key, index, this.#losses);
      if (text === null) continue;
      if (text === '') {
        this.#lose('thinking', index, 'reasoning that is empty is left out');
        continue;
      }
      if (found !== null && found !== text) {
        throw new Refusal(
          index,
          'it has two different texts of thinking',
          'keep one of thinking, reasoning_content, reasoning',
        );
      }
      if (key !== 'thinking') this.#lose('field', index, `${key} becomes thinking`);
      found = text;
    }
    return found;
  }

  #calls(fields: Fields, index: number): MessageData[] {
    const calls: MessageData[] = [];
    const list = fields['tool_calls'] ?? null;
    if (list !== null) {
      if (!Array.isArray(list)) throw new Refusal(index, 'tool_calls is no list', 'give a list of calls');
      if (list.length === 0) this.#lose('field', index, 'tool_calls is empty');
      for (const entry of list as unknown[]) {
        if (!isObject(entry)) throw new Refusal(index, 'a call is no object', 'give {id, type, function}');
        if (entry['type'] === 'custom') {
          calls.push(this.#customCall(entry, index));
          continue;
        }
        if ((entry['type'] ?? 'function') !== 'function')
          throw new Refusal(index, 'a call is of no function', 'make it one of a function or a custom tool');
        tellOtherFields(entry, CALL_KEYS, index, this.#losses, 'tool_calls.');
        calls.push(this.#call(entry['function'], textField(entry, 'id', index), index));
      }
    }
    const single = fields['function_call'] ?? null;
    if (single !== null) {
      this.#lose('field', index, 'function_call becomes tool_calls');
      calls.push(this.#call(single, null, index));
    }
    return calls;
  }

  /** A call whose input is text. */
  #customCall(entry: Fields, index: number): MessageData {
    const { custom } = entry;
    if (!isObject(custom) || typeof custom['name'] !== 'string' || typeof custom['input'] !== 'string') {
      throw new Refusal(index, 'a custom call has no name or no input', 'give custom: {name, input}');
    }
    tellOtherFields(entry, CUSTOM_CALL_KEYS, index, this.#losses, 'tool_calls.');
    tellOtherFields(custom, CUSTOM_KEYS, index, this.#losses, 'custom.');
    return textCall(this.#recipient(custom['name'], index), textField(entry, 'id', index), custom['input']);
  }

  #call(target: unknown, callId: string | null, index: number): MessageData {
    if (!isObject(target) || typeof target['name'] !== 'string') {
      throw new Refusal(index, 'a call names no function', 'give function: {name, arguments}');
    }
    tellOtherFields(target, FUNCTION_KEYS, index, this.#losses, 'function.');
    return this.#callOf(target['name'], callId, this.#arguments(target['arguments'], index), index);
  }

  #callOf(name: string, callId: string | null, content: string, index: number): MessageData {
    return {
      role: 'assistant',
      recipient: this.#recipient(name, index),
      ...(callId !== null && { callId }),
      channel: 'commentary',
      contentType: 'json',
      constrained: true,
      content,
      end: 'call',
    };
  }

  #arguments(value: unknown, index: number): string {
    if (typeof value === 'string') return value;
    if (!isBounded(value ?? {}, ...MOST_ARGUMENTS))
      throw new Refusal(index, BAD_ARGUMENTS, 'give their text');
    const text = JSON.stringify(value ?? {});
    this.#lose(
      'field',
      index,
      value === undefined || value === null ? 'no arguments become {}' : 'arguments become text',
    );
    return text;
  }
}

const CALL_KEYS: ReadonlySet<string> = new Set(['id', 'type', 'function']);
const CUSTOM_CALL_KEYS: ReadonlySet<string> = new Set(['id', 'type', 'custom']);
const CUSTOM_KEYS: ReadonlySet<string> = new Set(['name', 'input']);
const FUNCTION_KEYS: ReadonlySet<string> = new Set(['name', 'arguments']);
