// ShareGPT records, `conversations: [{from, value}]`, to plain messages and back. The form knows no ids, channels or
// intents: answers are final, calls and replies stand in order, and what is hidden from users is left out.

import { isToolRecipient } from '../../model/attributes.ts';
import type { MessageData, RecordReadOptions, TranscriptData } from '../../model/data.ts';
import { toolName, toolRecipient } from '../../tools/name.ts';
import { isObject, tellOtherFields } from './fields.ts';
import { OpenCalls, tellMismatches, withOrderedReplies, withReplyNames } from './calls.ts';
import { hasFunctions, readTools } from './tools.ts';
import { refuseHiddenUser, tellBeside, tellFrame } from './tell.ts';
import { splitWrittenCalls } from '../written-calls.ts';
import { type Loss, type LossName, Refusal } from '../loss.ts';
import { tellMedia } from '../media.ts';
import { toolsOfRecord } from '../written-tools.ts';
import { isEmbeddable, type NamedCall, readCalls, writeCalls } from './sharegpt-call.ts';
import { isCall, isShown } from '../../rules/message-data.ts';
import { RECORD_OPTIONS } from '../../model/data.ts';
import { checkOptions } from '../../options.ts';

export interface ShareGptTurn {
  readonly from: string;
  readonly value: string;
}

/** A chat as ShareGPT has it: turns of `from` and `value`. */
export interface ShareGptRecord {
  /** JSON text of a list. */
  readonly tools?: string;
  readonly conversations: readonly ShareGptTurn[];
}

const RECORD_KEYS: ReadonlySet<string> = new Set(['id', 'conversations', 'system', 'tools']);
const KEYS_WITH_FUNCTIONS: ReadonlySet<string> = new Set([...RECORD_KEYS, 'functions']);
const TURN_KEYS: ReadonlySet<string> = new Set(['from', 'value']);
/** The usual word for each word that is known; the usual ones are written. */
const WORDS: ReadonlyMap<unknown, string> = new Map([
  ['system', 'system'],
  ['human', 'human'],
  ['user', 'human'],
  ['gpt', 'gpt'],
  ['assistant', 'gpt'],
  ['chatgpt', 'gpt'],
  ['bot', 'gpt'],
  ['model', 'gpt'],
  ['function_call', 'function_call'],
  ['tool_call', 'function_call'],
  ['observation', 'observation'],
  ['tool', 'observation'],
  ['tool_response', 'observation'],
]);
/** One of several people. */
const PERSON = /^human_[0-9]{1,9}$/;

/**
 * The transcript of a ShareGPT record: `conversations`, `tools` (JSON text, or a list), `system`. `id` is left to who
 * keeps the records. Losses name turns by their number in the record. Throws a Refusal.
 *
 * @example
 * ```ts
 * import { fromShareGpt } from 'openchatml/convert';
 *
 * const { data } = fromShareGpt({ conversations: [{ from: 'human', value: 'Hi' }] });
 * console.log(data.messages[0]?.role); // user
 * ```
 */
export function fromShareGpt(
  record: unknown, options: RecordReadOptions = {},
): { data: TranscriptData; losses: Loss[] } {
  checkOptions(options, RECORD_OPTIONS);
  if (!isObject(record) || !Array.isArray(record['conversations'])) {
    throw new Refusal(null, 'it is no ShareGPT record', 'give an object with a list of conversations');
  }
  const losses: Loss[] = [];
  tellOtherFields(record, hasFunctions(record) ? KEYS_WITH_FUNCTIONS : RECORD_KEYS, null, losses);
  const tools = readTools(record, losses);
  const messages: MessageData[] = [];
  const { system = null } = record;
  if (typeof system === 'string' && system !== '') {
    messages.push({ role: 'system', content: system, end: 'end' });
    losses.push({ what: 'field', message: null, detail: 'system becomes a turn' });
  } else if (system !== null && system !== '') {
    throw new Refusal(null, 'system is no text', 'give a string');
  }
  const renamed = new Set<unknown>();
  let before: string | null = null;
  (record['conversations'] as unknown[]).forEach((turn, index) => {
    if (!isObject(turn) || typeof turn['value'] !== 'string')
      throw new Refusal(index, 'it has no value that is text', 'give {from, value}');
    tellOtherFields(turn, TURN_KEYS, index, losses);
    const { from, value } = turn;
    const word = typeof from === 'string' && PERSON.test(from) ? from : WORDS.get(from);
    if (word === undefined)
      throw new Refusal(
        index,
        'its from is none that is known',
        'use system, human, gpt, function_call or observation',
      );
    if (word !== from && !renamed.has(from)) {
      renamed.add(from);
      losses.push({ what: 'role', message: null, detail: `${from as string} becomes ${word}` });
    }
    if (word === 'function_call' && before === word)
      losses.push({ what: 'grouping', message: index, detail: 'it joins the turn before it' });
    before = word;
    for (const message of messagesOf(word, value as string, index, losses)) {
      messages.push(options.origins === true ? { ...message, origin: index } : message);
    }
  });
  const data = { header: null, tools, messages: withReplyNames(messages) };
  return { data: splitWrittenCalls(data, losses), losses };
}

function messagesOf(word: string, value: string, index: number, losses: Loss[]): MessageData[] {
  switch (word) {
    case 'system':
      return [{ role: 'system', content: value, end: 'end' }];
    case 'human':
      return [{ role: 'user', content: value, end: 'end' }];
    case 'gpt':
      return [{ role: 'assistant', channel: 'final', content: value, end: 'end' }];
    case 'observation':
      return [{ role: 'tool', recipient: 'assistant', channel: 'commentary', content: value, end: 'end' }];
    case 'function_call':
      return readCalls(value, index, losses).map(({ name, arguments: content }) => ({
        role: 'assistant',
        recipient: toolRecipient(name),
        channel: 'commentary',
        contentType: 'json',
        constrained: true,
        content,
        end: 'call',
      }));
    default:
      return [{ role: 'user', name: word, content: value, end: 'end' }];
  }
}

/**
 * The ShareGPT record of a transcript. Losses name messages by their number in the data. Throws a Refusal.
 *
 * @example
 * ```ts
 * import { toShareGpt } from 'openchatml/convert';
 *
 * const { record } = toShareGpt({ header: null, tools: [], messages: [{ role: 'user', content: 'Hi' }] });
 * console.log(record.conversations[0]?.from); // human
 * ```
 */
export function toShareGpt(data: TranscriptData): { record: ShareGptRecord; losses: Loss[] } {
  const { messages, losses } = withOrderedReplies(data.messages);
  tellMismatches(messages, losses, false);
  tellBeside(data, losses);
  const writer = new Writer(losses);
  messages.forEach((message, index) => writer.take(message, index));
  writer.flush();
  const tools = data.tools.length > 0 ? { tools: JSON.stringify(toolsOfRecord(data.tools)) } : {};
  return { record: { ...tools, conversations: writer.turns }, losses };
}

class Writer {
  readonly turns: ShareGptTurn[] = [];
  readonly #losses: Loss[];
  readonly #open = new OpenCalls();
  #calls: NamedCall[] = [];

  constructor(losses: Loss[]) {
    this.#losses = losses;
  }

  take(message: MessageData, index: number): void {
    const { role, content } = message;
    tellFrame(message, index, this.#losses);
    tellMedia(message, index, this.#losses);
    if (isCall(message)) {
      this.#call(message, index);
      return;
    }
    if (role === 'assistant' && !isShown(message)) {
      this.#lose(message.channel === 'analysis' ? 'thinking' : 'channel', index, 'left out');
      return;
    }
    this.flush();
    this.#tellFields(message, index);
    if (role === 'tool') this.#reply(message, index);
    else if (role === 'assistant') this.turns.push({ from: 'gpt', value: content });
    else if (role === 'user') {
      refuseHiddenUser(message, index);
      this.turns.push({ from: this.#person(message, index), value: content });
    }
    else if (role === 'system' || role === 'developer') {
      if (role === 'developer') this.#lose('role', index, 'developer becomes system');
      this.turns.push({ from: 'system', value: content });
    } else
      throw new Refusal(
        index,
        'its role is none that a ShareGPT record has',
        'make it system, user, assistant or tool',
      );
  }

  /** Writes the calls at hand. */
  flush(): void {
    if (this.#calls.length === 0) return;
    this.turns.push({ from: 'function_call', value: writeCalls(this.#calls) });
    this.#calls = [];
  }

  #lose(what: LossName, message: number, detail: string): void {
    this.#losses.push({ what, message, detail });
  }

  #tellFields(
    { role, name, recipient = null, channel = null, intent = null, contentType = null, callId = null }: MessageData,
    index: number,
  ): void {
    const usual = role === 'tool' ? 'commentary' : 'final';
    if (channel !== null && channel !== usual)
      this.#lose('channel', index, channel === 'commentary' ? 'a preamble becomes an answer' : 'left out');
    if (intent !== null && !(intent === 'preamble' && channel === 'commentary'))
      this.#lose('intent', index, 'left out');
    if (contentType !== null) this.#lose('content-type', index, 'left out');
    if (callId !== null) this.#lose('call-id', index, 'left out');
    if (recipient !== null && (role !== 'tool' || isToolRecipient(recipient)))
      this.#lose('recipient', index, 'left out');
    if ((name ?? null) !== null && role !== 'tool' && role !== 'user') this.#lose('name', index, 'left out');
  }

  #person({ name = null }: MessageData, index: number): string {
    if (name === null || PERSON.test(name)) return name ?? 'human';
    this.#lose('name', index, 'left out');
    return 'human';
  }

  /** Read again, a reply has the name of the first call that is open. */
  #reply({ name = null, content }: MessageData, index: number): void {
    const call = this.#open.reply(null, null);
    if (name !== null && call?.recipient !== name) this.#lose('name', index, 'left out');
    this.turns.push({ from: 'observation', value: content });
  }

  #call(message: MessageData, index: number): void {
    const {
      recipient,
      channel = null,
      intent = null,
      contentType = null,
      constrained = false,
      name = null,
      callId = null,
      content,
    } = message;
    if (channel !== null && channel !== 'commentary') this.#lose('channel', index, 'becomes commentary');
    if (intent !== null) this.#lose('intent', index, 'left out');
    if (contentType !== null && !(contentType === 'json' && constrained))
      this.#lose('content-type', index, 'becomes json');
    if (name !== null) this.#lose('name', index, 'left out');
    if (callId !== null) this.#lose('call-id', index, 'left out');
    const bare = toolName(recipient!);
    if (toolRecipient(bare) !== recipient) this.#lose('recipient', index, 'becomes a name in functions');
    if (!isEmbeddable(content))
      throw new Refusal(index, 'the arguments of the call are no JSON that the form can hold', 'make them an object');
    this.#open.call(null, toolRecipient(bare));
    this.#calls.push({ name: bare, arguments: content });
  }
}
