// Plain messages to OpenAI chat records. What a record has no place for is told as a loss; what would show hidden text
// is never done: an assistant's hidden text becomes thinking.

import { toOpenAI } from '../../tools/records.ts';
import type { MessageData, TranscriptData } from '../../model/data.ts';
import type { ChatMessage, ChatRecord, ChatToolCall } from './read.ts';
import { isNamedFromCall, toolName, toolRecipient, withCallIds } from './calls.ts';
import { type Loss, type LossName, Refusal } from '../loss.ts';
import { isCall, isShown } from '../../rules/message-data.ts';

/** The parts of one record message of an assistant, while further ones may come. */
interface Turn {
  readonly name: string | null;
  thinking: string | null;
  content: string | null;
  /** Number of the preamble that `content` is. */
  preamble: number;
  readonly calls: ChatToolCall[];
}

const PLAIN_ROLES: ReadonlySet<string | null> = new Set(['system', 'developer', 'user']);

/**
 * The chat record of a transcript. Successive calls become one message's `tool_calls`, with a preamble before them as
 * its content and the analysis before it as `thinking`. Missing call ids are made. Losses name messages by their number
 * in the data. Throws a Refusal.
 */
export function toChat(data: TranscriptData): { record: ChatRecord; losses: Loss[] } {
  const { messages, losses } = withCallIds(data.messages);
  tellHeader(data, losses);
  const writer = new Writer(losses);
  messages.forEach((message, index) => writer.take(message, index));
  writer.flush();
  const tools = data.tools.length > 0 ? { tools: toOpenAI(data.tools) } : {};
  return { record: { ...tools, messages: writer.messages }, losses };
}

/** Header fields have no place in a form without a header; the version is that of the notation. */
export function tellHeader({ header }: TranscriptData, losses: Loss[]): void {
  for (const key of Object.keys(header ?? {})) {
    if (key !== 'version') losses.push({ what: 'header', message: null, detail: key });
  }
}

/** A thought that stands in a shown body: a reader of the text hides it, a reader of a record would not. */
export function refuseLeak(message: MessageData, index: number): void {
  // What a user says is text.
  if (message.marked === true && message.role === 'assistant' && isShown(message)) {
    throw new Refusal(
      index,
      'a marker of private reasoning stands in what an end user sees',
      'move the reasoning to the analysis channel',
    );
  }
}

/** Records have no place that hides what a user says. */
export function refuseHiddenUser(message: MessageData, index: number): void {
  if (message.role !== 'user' || isShown(message)) return;
  throw new Refusal(index, 'a message of a user is hidden, and the form would show it', 'leave the message out');
}

/**
 * What no chat form carries: attributes, and an end that does not go without saying. Throws a Refusal for a leaked
 * thought.
 */
export function tellFrame(message: MessageData, index: number, losses: Loss[]): void {
  refuseLeak(message, index);
  for (const { key } of message.attributes ?? []) losses.push({ what: 'attribute', message: index, detail: key });
  const usual = isCall(message) ? 'call' : 'end';
  const { end = usual } = message;
  if (end !== usual) losses.push({ what: 'end', message: index, detail: `${end} becomes ${usual}` });
}

class Writer {
  readonly messages: ChatMessage[] = [];
  readonly #losses: Loss[];
  #turn: Turn | null = null;

  constructor(losses: Loss[]) {
    this.#losses = losses;
  }

  take(message: MessageData, index: number): void {
    const { role } = message;
    tellFrame(message, index, this.#losses);
    if (role === 'assistant') {
      this.#assistant(message, index);
      return;
    }
    this.flush();
    if (role === 'tool') this.#reply(message, index);
    else if (PLAIN_ROLES.has(role)) this.#plain(message, index);
    else
      throw new Refusal(
        index,
        'its role is none that a chat record has',
        'make it system, developer, user, assistant or tool',
      );
  }

  /** Ends the assistant's message at hand. */
  flush(): void {
    const turn = this.#turn;
    if (turn === null) return;
    this.#turn = null;
    const { name, thinking, content, calls } = turn;
    if (turn.preamble >= 0 && calls.length === 0)
      this.#lose('channel', turn.preamble, 'a preamble without a call becomes an answer');
    this.messages.push({
      role: 'assistant',
      ...(name !== null && { name }),
      content,
      ...(thinking !== null && { thinking }),
      ...(calls.length > 0 && { tool_calls: calls }),
    });
  }

  #lose(what: LossName, message: number, detail: string): void {
    this.#losses.push({ what, message, detail });
  }

  #plain(message: MessageData, index: number): void {
    const { name = null, channel = null, recipient = null, intent = null } = message;
    refuseHiddenUser(message, index);
    if (channel !== null && channel !== 'final') this.#lose('channel', index, 'left out');
    if (recipient !== null) this.#lose('recipient', index, 'left out');
    if (intent !== null) this.#lose('intent', index, 'left out');
    this.#tellType(message, index);
    this.#tellId(message, index);
    this.messages.push({ role: message.role!, ...(name !== null && { name }), content: message.content });
  }

  #tellType({ contentType = null }: MessageData, index: number): void {
    if (contentType !== null) this.#lose('content-type', index, 'left out');
  }

  #tellId({ callId = null }: MessageData, index: number): void {
    if (callId !== null) this.#lose('call-id', index, 'left out: it is no call and no reply');
  }

  #reply(message: MessageData, index: number): void {
    const { name = null, callId = null, channel = null, recipient = null, intent = null } = message;
    if (channel !== null && channel !== 'commentary') this.#lose('channel', index, 'becomes commentary');
    if (recipient !== null && recipient !== 'assistant') this.#lose('recipient', index, 'becomes assistant');
    if (intent !== null) this.#lose('intent', index, 'left out');
    this.#tellType(message, index);
    const named = name !== null && !isNamedFromCall(message) ? { name: this.#bare(name, index, 'name') } : {};
    this.messages.push({
      role: 'tool',
      ...(callId !== null && { tool_call_id: callId }),
      ...named,
      content: message.content,
    });
  }

  #bare(name: string, index: number, what: 'name' | 'recipient'): string {
    const bare = toolName(name);
    if (toolRecipient(bare) !== name) this.#lose(what, index, 'becomes a name in functions');
    return bare;
  }

  #assistant(message: MessageData, index: number): void {
    if (isCall(message)) this.#call(message, index);
    else {
      this.#tellType(message, index);
      this.#tellId(message, index);
      if ((message.recipient ?? null) !== null) this.#lose('recipient', index, 'left out');
      if (isShown(message)) this.#shown(message, index);
      else this.#hidden(message, index);
    }
  }

  #call(message: MessageData, index: number): void {
    const { recipient, callId, channel = null, intent = null, contentType = null, constrained = false } = message;
    if (channel !== null && channel !== 'commentary') this.#lose('channel', index, 'becomes commentary');
    if (intent !== null) this.#lose('intent', index, 'left out');
    if (contentType !== null && !(contentType === 'json' && constrained)) {
      this.#lose('content-type', index, contentType === 'json' ? 'a hint becomes binding' : 'becomes json');
    }
    this.#turnOf(message, false).calls.push({
      id: callId!,
      type: 'function',
      function: { name: this.#bare(recipient!, index, 'recipient'), arguments: message.content },
    });
  }

  #shown(message: MessageData, index: number): void {
    const turn = this.#turnOf(message, true);
    turn.content = message.content;
    if (message.channel === 'commentary') {
      turn.preamble = index;
      return;
    }
    if ((message.intent ?? null) !== null) this.#lose('intent', index, 'left out');
    this.flush();
  }

  #hidden(message: MessageData, index: number): void {
    const { channel, intent = null } = message;
    if (channel !== 'analysis')
      this.#lose(
        channel === undefined || channel === null || channel === 'final' ? 'intent' : 'channel',
        index,
        'becomes thinking',
      );
    else if (intent !== null) this.#lose('intent', index, 'left out');
    const turn = this.#turnOf(message, true);
    if (turn.thinking === null) turn.thinking = message.content;
    else {
      this.#lose('thinking', index, 'joined with the one before it');
      turn.thinking += `\n\n${message.content}`;
    }
  }

  /** The record message that this one belongs to. `opens`: it does so only before content and calls. */
  #turnOf(message: MessageData, opens: boolean): Turn {
    const { name = null } = message;
    const turn = this.#turn;
    if (turn !== null && (turn.name !== name || (opens && (turn.content !== null || turn.calls.length > 0))))
      this.flush();
    return (this.#turn ??= { name, thinking: null, content: null, preamble: -1, calls: [] });
  }
}
