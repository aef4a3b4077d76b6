// The JSON interchange forms to plain messages. What the text cannot represent is refused, not invented (R-JSON).

import type { HeaderValue } from '../../model/header/text.ts';
import type { MessageData, RecordReadOptions, TranscriptData } from '../../model/data.ts';
import { builtinsOf } from '../../model/header/document.ts';
import { isBounded } from '../../tools/json.ts';
import { toolRecipient } from '../../tools/name.ts';
import { nameLoss } from '../chat/calls.ts';
import { isObject, tellOtherFields } from '../chat/fields.ts';
import { isCall } from '../../rules/message-data.ts';
import { readFiles } from './files.ts';
import { type InterchangeVersion, usual, versionOfTurns } from './shape.ts';
import { type Loss, Refusal } from '../loss.ts';
import { RECORD_OPTIONS } from '../../model/data.ts';
import { checkOptions } from '../../options.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The transcript of a record in the 2.2 form (2.2 §10, R-JSON). Losses name messages by their number in the record.
 * Throws a Refusal.
 */
export function fromInterchange22(
  record: unknown, options: RecordReadOptions = {},
): { data: TranscriptData; losses: Loss[] } {
  checkOptions(options, RECORD_OPTIONS);
  return read(record, '2.2', options);
}

/** The same of the 2.0 form. */
export function fromInterchange20(
  record: unknown, options: RecordReadOptions = {},
): { data: TranscriptData; losses: Loss[] } {
  checkOptions(options, RECORD_OPTIONS);
  return read(record, '2.0', options);
}

/**
 * The same of a record that says which form it has; without a version what its turns look like, else 2.2 (R-JSON).
 * Throws a Refusal.
 *
 * @example
 * ```ts
 * import { fromInterchange } from 'openchatml/convert';
 *
 * const { data } = fromInterchange({ version: '2.2', messages: [{ role: 'user', content: 'Hi' }] });
 * console.log(data.messages.length); // 1
 * ```
 */
export function fromInterchange(
  record: unknown, options: RecordReadOptions = {},
): { data: TranscriptData; losses: Loss[] } {
  checkOptions(options, RECORD_OPTIONS);
  const { version = null, messages = null } = isObject(record) ? record : {};
  if (version !== null) return read(record, version === '2.0' ? '2.0' : '2.2', options);
  const turns = Array.isArray(record) ? (record as unknown[]) : messages === null ? [record] : messages;
  const known = Array.isArray(turns) ? turns.filter(isObject) : [];
  return read(record, versionOfTurns(known), options);
}

const RECORD_KEYS: ReadonlySet<string> = new Set(['id', 'version', 'header', 'messages', 'files']);
const SHARED_KEYS = [
  'role',
  'name',
  'recipient',
  'channel',
  'intent',
  'content_type',
  'constrained',
  'attributes',
  'marked',
  'end',
  'thinking',
  'content',
];
const KEYS: Readonly<Record<InterchangeVersion, ReadonlySet<string>>> = {
  '2.2': new Set([...SHARED_KEYS, 'call_id', 'tool_call']),
  '2.0': new Set([...SHARED_KEYS, 'tool_call_id', 'tool_calls']),
};
const CALL_KEYS: ReadonlySet<string> = new Set(['id', 'recipient', 'content_type', 'constrained', 'arguments']);
const OLD_CALL_KEYS: ReadonlySet<string> = new Set([
  'id',
  'type',
  'function',
  'recipient',
  'content_type',
  'constrained',
]);
const FUNCTION_KEYS: ReadonlySet<string> = new Set(['name', 'arguments']);

function read(
  record: unknown, version: InterchangeVersion, { origins }: RecordReadOptions,
): { data: TranscriptData; losses: Loss[] } {
  const losses: Loss[] = [];
  const entries = Array.isArray(record) ? (record as unknown[]) : isTurn(record) ? [record] : null;
  const fields: Fields = entries === null && isObject(record) ? record : {};
  if (entries === null && !Array.isArray(fields['messages'])) {
    const remedy = 'give an object with a role, a list of them, or an object with messages';
    throw new Refusal(null, 'it is no interchange record', remedy);
  }
  tellOtherFields(fields, RECORD_KEYS, null, losses);
  const header = headerOf(fields);
  const builtins = builtinsOf(header);
  const messages: MessageData[] = [];
  const starts = (entries ?? (fields['messages'] as unknown[])).map((entry, index) => {
    if (!isObject(entry)) throw new Refusal(index, 'it is no object', 'give a message');
    const start = messages.length;
    const read = new Entry(entry, index, version, builtins, losses).messages();
    for (const message of read) messages.push(origins === true ? { ...message, origin: index } : message);
    return start;
  });
  const files = readFiles(fields['files'], starts, messages.length, losses);
  return { data: { header, tools: [], messages, ...(files !== null && { files }) }, losses };
}

/** A turn by itself, as the documents print it. */
const isTurn = (record: unknown): boolean => isObject(record) && 'role' in record && !('messages' in record);

/** Of a header. */
const MOST_VALUES = 10_000;
const MOST_DEPTH = 64;

function headerOf(record: Fields): { [key: string]: HeaderValue } | null {
  const { version = null, header = null } = record;
  if (version !== null && typeof version !== 'string' && typeof version !== 'number')
    throw new Refusal(null, 'its version is no text', 'give "2.2"');
  if (version !== null && !/^2(?:\.[0-9]{1,9})?$/.test(String(version)))
    throw new Refusal(null, 'its version is none that is known', 'give "2.0" or "2.2"');
  if (header !== null && !isObject(header))
    throw new Refusal(null, 'its header is no object', 'give the fields of the document header');
  if (!isBounded(header, MOST_VALUES, MOST_DEPTH))
    throw new Refusal(null, 'its header is too large or too deep', 'leave it out');
  if (version === null && header === null) return null;
  return {
    ...(version !== null && { version: String(version) }),
    ...(header as { [key: string]: HeaderValue } | null),
  };
}

/** What may be said of a message. */
type Writable = { -readonly [K in keyof MessageData]: MessageData[K] };
type GivenCall = Partial<MessageData> & { readonly role: string; readonly content: string };

class Entry {
  readonly #fields: Fields;
  readonly #index: number;
  readonly #version: InterchangeVersion;
  readonly #builtins: readonly string[];
  readonly #losses: Loss[];

  constructor(
    fields: Fields, index: number, version: InterchangeVersion, builtins: readonly string[], losses: Loss[],
  ) {
    this.#fields = fields;
    this.#index = index;
    this.#version = version;
    this.#builtins = builtins;
    this.#losses = losses;
  }

  messages(): MessageData[] {
    this.#refuseMixture();
    tellOtherFields(this.#fields, KEYS[this.#version], this.#index, this.#losses);
    const role = this.#text(this.#fields, 'role') ?? this.#refuse('it has no role', 'name one');
    const thinking = this.#text(this.#fields, 'thinking');
    const content = this.#text(this.#fields, 'content');
    const calls = this.#version === '2.2' ? this.#call() : this.#oldCalls();
    if (role !== 'assistant' && (thinking !== null || calls.length > 0)) {
      this.#refuse('only an assistant thinks and calls', 'leave out thinking and calls, or make its role assistant');
    }
    if (content === null && calls.length === 0 && (thinking === null || this.#says() > 2)) {
      this.#refuse('it has no content', 'give content, or leave the message out');
    }
    const messages: MessageData[] = [];
    if (thinking !== null) messages.push({ role, channel: 'analysis', content: thinking, end: 'end' });
    if (content !== null && calls.length > 0)
      messages.push(this.#preamble(role, content), { ...calls[0]!, channel: 'commentary', end: 'call' });
    else if (content !== null) messages.push(this.#own(role, { content }));
    else for (const call of calls) messages.push(this.#own(role, call));
    return messages;
  }

  /** Number of keys that hold something. */
  #says(): number {
    return Object.values(this.#fields).filter(
      (value) => value !== null && !(Array.isArray(value) && value.length === 0),
    ).length;
  }

  #refuse(reason: string, remedy: string): never {
    throw new Refusal(this.#index, reason, remedy);
  }

  #refuseMixture(): void {
    const other = this.#version === '2.2' ? 'tool_calls' : 'tool_call';
    if ((this.#fields[other] ?? null) !== null)
      this.#refuse(`it holds ${other}`, `the form of ${this.#version} has none`);
  }

  #text(fields: Fields, key: string): string | null {
    const value = fields[key] ?? null;
    return value === null || typeof value === 'string' ? value : this.#refuse(`${key} is no text`, 'give a string');
  }

  /** Content beside a call is text before it, which 2.2 has for preambles only (2.0: for none). */
  #preamble(role: string, content: string): MessageData {
    if (this.#version === '2.0') this.#refuse('it has content and tool_calls', 'give them in two messages');
    if (this.#fields['intent'] !== 'preamble')
      this.#refuse('it has content and a call, and is no preamble', 'give them in two messages, or intent: "preamble"');
    return this.#own(role, { content });
  }

  /** The message that the entry's own keys are about. */
  #own(role: string, given: Partial<MessageData> & { readonly content: string }): MessageData {
    const fields = this.#fields;
    const message: Writable = { role, ...given };
    const isCallEntry = given.recipient !== undefined;
    const fallback = usual(this.#version, role, isCallEntry);
    const put = (key: 'name' | 'recipient' | 'callId' | 'channel' | 'intent' | 'contentType', from: string): void => {
      const value = this.#text(fields, from);
      if (value !== null) message[key] = value;
    };
    put('name', 'name');
    put('intent', 'intent');
    message.channel = 'channel' in fields ? this.#text(fields, 'channel') : fallback.channel;
    if (!isCallEntry) {
      message.recipient = 'recipient' in fields ? this.#text(fields, 'recipient') : fallback.recipient;
      put('callId', this.#version === '2.2' ? 'call_id' : 'tool_call_id');
      put('contentType', 'content_type');
      if (this.#flag(fields, 'constrained') === true && message.contentType !== undefined) message.constrained = true;
    }
    if (message.channel === null) delete message.channel;
    if (message.recipient === null) delete message.recipient;
    const marked = this.#flag(fields, 'marked');
    if (marked !== null) message.marked = marked;
    const attributes = this.#attributes();
    if (attributes !== null) message.attributes = attributes;
    message.end = this.#end() ?? (isCall(message) ? 'call' : 'end');
    return message;
  }

  #flag(fields: Fields, key: string): boolean | null {
    const value = fields[key] ?? null;
    return value === null || typeof value === 'boolean'
      ? value
      : this.#refuse(`${key} is neither true nor false`, 'give one of them');
  }

  #attributes(): { key: string; value: string }[] | null {
    const value = this.#fields['attributes'] ?? null;
    if (value === null) return null;
    if (!Array.isArray(value)) return this.#refuse('attributes is no list', 'give {key, value} in a list');
    return (value as unknown[]).map((attribute) => {
      if (!isObject(attribute) || typeof attribute['key'] !== 'string' || typeof attribute['value'] !== 'string') {
        return this.#refuse('an attribute has no key or value', 'give {key, value}');
      }
      return { key: attribute['key'], value: attribute['value'] };
    });
  }

  #end(): 'end' | 'call' | 'return' | null {
    const end = this.#fields['end'] ?? null;
    return end === null || end === 'end' || end === 'call' || end === 'return'
      ? end
      : this.#refuse('its end is none that is known', 'use end, call or return');
  }

  #type(call: Fields): { contentType?: string; constrained?: true } {
    const contentType = this.#text(call, 'content_type');
    if (contentType === null) return {};
    return { contentType, ...(this.#flag(call, 'constrained') !== false && { constrained: true }) };
  }

  #call(): GivenCall[] {
    const call = this.#fields['tool_call'] ?? null;
    if (call === null) return [];
    if (!isObject(call)) return this.#refuse('tool_call is no object', 'give {id, recipient, content_type, arguments}');
    tellOtherFields(call, CALL_KEYS, this.#index, this.#losses, 'tool_call.');
    const recipient = this.#text(call, 'recipient') ?? this.#refuse('the call has no recipient', 'name the tool');
    return [this.#callOf(recipient, this.#text(call, 'id'), this.#type(call), call)];
  }

  #oldCalls(): GivenCall[] {
    const calls = this.#fields['tool_calls'] ?? null;
    if (calls === null) return [];
    if (!Array.isArray(calls)) return this.#refuse('tool_calls is no list', 'give a list of calls');
    return (calls as unknown[]).map((call) => {
      const target = isObject(call) ? call['function'] : null;
      if (!isObject(call) || !isObject(target) || (call['type'] ?? 'function') !== 'function') {
        return this.#refuse(
          'a call is no call of a function',
          'give {id, type: "function", function: {name, arguments}}',
        );
      }
      tellOtherFields(call, OLD_CALL_KEYS, this.#index, this.#losses, 'tool_calls.');
      tellOtherFields(target, FUNCTION_KEYS, this.#index, this.#losses, 'function.');
      const name = this.#text(target, 'name') ?? this.#refuse('a call names no function', 'name it');
      const given = this.#text(call, 'recipient');
      const detail = given === null ? nameLoss(name, this.#builtins) : null;
      if (detail !== null) this.#losses.push({ what: 'name', message: this.#index, detail });
      const recipient = given ?? toolRecipient(name, this.#builtins);
      return this.#callOf(recipient, this.#text(call, 'id'), this.#type(call), target);
    });
  }

  #callOf(
    recipient: string,
    callId: string | null,
    type: Pick<MessageData, 'contentType' | 'constrained'>,
    holder: Fields,
  ): GivenCall {
    const content = this.#text(holder, 'arguments') ?? this.#refuse('a call has no arguments', 'give their text');
    const call: GivenCall = { role: 'assistant', recipient, ...(callId !== null && { callId }), ...type, content };
    return isCall(call) ? call : this.#refuse('a call goes to no tool', 'name a tool as its recipient');
  }
}
