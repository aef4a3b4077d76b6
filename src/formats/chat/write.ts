// Plain messages to OpenAI chat records. What a record has no place for is told as a loss; what would show hidden text
// is never done: an assistant's hidden text becomes thinking.

import type { MessageData, TranscriptData } from '../../model/data.ts';
import type { ChatCustomCall, ChatMessage, ChatRecord, ChatToolCall } from './read.ts';
import { isNamedFromCall, withCallIds } from './calls.ts';
import { contentFor } from './parts.ts';
import { tellBeside, tellFrame, Telling } from './tell.ts';
import { type Loss, type LossName, Refusal } from '../loss.ts';
import { tellMedia } from '../media.ts';
import { toolsOfRecord } from '../written-tools.ts';
import { isCall, isShown, isTextCall } from '../../rules/message-data.ts';

/** The parts of one record message of an assistant, while further ones may come. */
interface Turn {
  readonly name: string | null;
  thinking: string | null;
  content: ChatMessage['content'];
  /** Number of the preamble that `content` is. */
  preamble: number;
  readonly calls: (ChatToolCall | ChatCustomCall)[];
}

const PLAIN_ROLES: ReadonlySet<string | null> = new Set(['system', 'developer', 'user']);

/**
 * The chat record of a transcript. Successive calls become one message's `tool_calls`, with a preamble before them as
 * its content and the analysis before it as `thinking`. Missing call ids are made. Losses name messages by their number
 * in the data. Throws a Refusal.
 *
 * @example
 * ```ts
 * import { toOpenAI } from 'openchatml/convert';
 *
 * const { record } = toOpenAI({ header: null, tools: [], messages: [{ role: 'user', content: 'Hi' }] });
 * console.log(JSON.stringify(record)); // {"messages":[{"role":"user","content":"Hi"}]}
 * ```
 */
export function toOpenAI(data: TranscriptData): { record: ChatRecord; losses: Loss[] } {
  return toChatOf(data, 'messages');
}

/** The same with contents as another form has them. */
export function toChatOf(
  data: TranscriptData, form: 'messages' | 'anthropic',
): { record: ChatRecord; losses: Loss[] } {
  const { messages, losses } = withCallIds(data.messages);
  tellBeside(data, losses);
  const writer = new Writer(form, losses);
  messages.forEach((message, index) => writer.take(message, index));
  writer.flush();
  const tools = data.tools.length > 0 ? { tools: toolsOfRecord(data.tools) } : {};
  return { record: { ...tools, messages: writer.messages }, losses };
}

class Writer {
  readonly messages: ChatMessage[] = [];
  readonly #form: 'messages' | 'anthropic';
  readonly #losses: Loss[];
  readonly #tell: Telling;
  #turn: Turn | null = null;

  constructor(form: 'messages' | 'anthropic', losses: Loss[]) {
    this.#form = form;
    this.#losses = losses;
    this.#tell = new Telling(losses);
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

  #content(message: MessageData, index: number): string | readonly object[] {
    return contentFor(message, this.#form, index, this.#losses);
  }

  #plain(message: MessageData, index: number): void {
    const { name = null } = message;
    this.#tell.plain(message, index);
    this.messages.push({ role: message.role!, ...(name !== null && { name }), content: this.#content(message, index) });
  }

  #reply(message: MessageData, index: number): void {
    const { name = null, callId = null } = message;
    this.#tell.reply(message, index);
    const named = name !== null && !isNamedFromCall(message) ? { name: this.#tell.bare(name, index, 'name') } : {};
    this.messages.push({
      role: 'tool',
      ...(callId !== null && { tool_call_id: callId }),
      ...named,
      content: this.#content(message, index),
    });
  }

  #assistant(message: MessageData, index: number): void {
    if (isCall(message)) this.#call(message, index);
    else {
      this.#tell.assistant(message, index);
      if (isShown(message)) this.#shown(message, index);
      else this.#hidden(message, index);
    }
  }

  #call(message: MessageData, index: number): void {
    const { recipient, callId } = message;
    const isText = this.#form === 'messages' && isTextCall(message);
    this.#tell.call(message, index, isText);
    tellMedia(message, index, this.#losses);
    const name = this.#tell.bare(recipient!, index, 'recipient');
    const { content } = message;
    this.#turnOf(message, false).calls.push(
      isText ? { id: callId!, type: 'custom', custom: { name, input: content } }
        : { id: callId!, type: 'function', function: { name, arguments: content } },
    );
  }

  #shown(message: MessageData, index: number): void {
    const turn = this.#turnOf(message, true);
    turn.content = this.#content(message, index);
    if (message.channel === 'commentary') {
      turn.preamble = index;
      return;
    }
    this.#tell.answer(message, index);
    this.flush();
  }

  #hidden(message: MessageData, index: number): void {
    this.#tell.hidden(message, index);
    tellMedia(message, index, this.#losses);
    if (message.content === '') {
      this.#lose('thinking', index, 'reasoning that is empty is left out');
      return;
    }
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
