// What forms of chat records have no place for, told of each message in the same words by all of them.

import type { MessageData, TranscriptData } from '../../model/data.ts';
import { isCall, isShown } from '../../rules/message-data.ts';
import { toolName, toolRecipient } from '../../tools/name.ts';
import { loseFiles } from '../files.ts';
import { type Loss, type LossName, Refusal } from '../loss.ts';

/**
 * What stands beside messages and has no place in a chat record: files, and fields of the header but for the version,
 * which is that of the notation.
 */
export function tellBeside(data: TranscriptData, losses: Loss[]): void {
  for (const key of Object.keys(data.header ?? {})) {
    if (key !== 'version') losses.push({ what: 'header', message: null, detail: key });
  }
  loseFiles(data, losses);
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

export const nameGained = (message: number): Loss => {
  return { what: 'name', message, detail: 'the reply gets the name of its call' };
};

/** A call got an id that was made, a reply that of its call. */
export const idGained = (message: number, isReply: boolean): Loss => {
  const detail = isReply ? 'the reply has none: that of its call was taken' : 'the call has none: one was made';
  return { what: 'call-id', message, detail };
};

/** Tells what is lost of a message, by what it is. */
export class Telling {
  readonly #losses: Loss[];

  constructor(losses: Loss[]) {
    this.#losses = losses;
  }

  #lose(what: LossName, message: number, detail: string): void {
    this.#losses.push({ what, message, detail });
  }

  /** Of a system, a developer, a user. Throws a Refusal. */
  plain(message: MessageData, index: number): void {
    const { channel = null, recipient = null, intent = null } = message;
    refuseHiddenUser(message, index);
    if (channel !== null && channel !== 'final') this.#lose('channel', index, 'left out');
    if (recipient !== null) this.#lose('recipient', index, 'left out');
    if (intent !== null) this.#lose('intent', index, 'left out');
    this.#type(message, index);
    this.#id(message, index);
  }

  reply(message: MessageData, index: number): void {
    const { channel = null, recipient = null, intent = null } = message;
    if (channel !== null && channel !== 'commentary') this.#lose('channel', index, 'becomes commentary');
    if (recipient !== null && recipient !== 'assistant') this.#lose('recipient', index, 'becomes assistant');
    if (intent !== null) this.#lose('intent', index, 'left out');
    this.#type(message, index);
  }

  /** `keepsType`: the form says what content it has. */
  call(message: MessageData, index: number, keepsType = false): void {
    const { channel = null, intent = null, contentType = null, constrained = false } = message;
    if (channel !== null && channel !== 'commentary') this.#lose('channel', index, 'becomes commentary');
    if (intent !== null) this.#lose('intent', index, 'left out');
    if (contentType !== null && !keepsType && !(contentType === 'json' && constrained)) {
      this.#lose('content-type', index, contentType === 'json' ? 'a hint becomes binding' : 'becomes json');
    }
  }

  /** Of what an assistant says, to a tool or not. */
  assistant(message: MessageData, index: number): void {
    this.#type(message, index);
    this.#id(message, index);
    if ((message.recipient ?? null) !== null) this.#lose('recipient', index, 'left out');
  }

  /** Of an assistant's answer. */
  answer({ intent = null }: MessageData, index: number): void {
    if (intent !== null) this.#lose('intent', index, 'left out');
  }

  /** Of what an assistant says and nobody sees. */
  hidden({ channel = null, intent = null }: MessageData, index: number): void {
    if (channel !== 'analysis') {
      this.#lose(channel === null || channel === 'final' ? 'intent' : 'channel', index, 'becomes thinking');
    } else if (intent !== null) this.#lose('intent', index, 'left out');
  }

  /** The bare name of a tool. */
  bare(name: string, index: number, what: 'name' | 'recipient'): string {
    const bare = toolName(name);
    if (toolRecipient(bare) !== name) this.#lose(what, index, 'becomes a name in functions');
    return bare;
  }

  #type({ contentType = null }: MessageData, index: number): void {
    if (contentType !== null) this.#lose('content-type', index, 'left out');
  }

  #id({ callId = null }: MessageData, index: number): void {
    if (callId !== null) this.#lose('call-id', index, 'left out: it is no call and no reply');
  }
}
