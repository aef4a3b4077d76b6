// Calls and replies in forms that tell a tool by its bare name: which reply answers which call.

import { type MessageData, withFields } from '../../model/data.ts';
import { toolName, toolRecipient } from '../../tools/name.ts';
import { isCall } from '../../rules/message-data.ts';
import { CallsById } from '../../rules/calls-by-id.ts';
import { Queue, Queues } from '../../rules/queue.ts';
import type { Loss } from '../loss.ts';
import { idGained } from './tell.ts';

/** What is lost of a bare name that `toolName` would not give back; null: nothing. */
export function nameLoss(name: string, builtins?: readonly string[]): string | null {
  if (toolName(toolRecipient(name, builtins), builtins) === name) return null;
  return name === '' ? 'an empty name' : 'the prefix functions. is no part of a name';
}

/** A call of a custom tool: its input is text. */
export function textCall(recipient: string, callId: string | null, input: string): MessageData {
  const to = { role: 'assistant', recipient, ...(callId !== null && { callId }) };
  return { ...to, channel: 'commentary', contentType: 'text', content: input, end: 'call' };
}

/** A reply whose name was taken from its call: a form that need not have it leaves it out again. */
export interface NamedReply extends MessageData {
  readonly nameFromCall: true;
}

export const isNamedFromCall = (message: MessageData): boolean =>
  'nameFromCall' in message && message.nameFromCall === true;

/** Replies that are written as text, between tags (R-HERMES): they have neither ids nor names beside it. */
export interface TaggedReply extends MessageData {
  readonly tagged: true;
}

export const isTagged = (message: MessageData): boolean => 'tagged' in message && message.tagged === true;

interface OpenCall {
  readonly id: string | null;
  /** The recipient, and the bare name of the tool; null: the call could not be read. */
  readonly recipient: string | null;
  readonly name: string | null;
  /** From 0, among the calls of the transcript. */
  readonly number: number;
  isDone: boolean;
}

/** The calls that wait for a reply, in order. */
export class OpenCalls {
  readonly #inOrder = new Queue<OpenCall>();
  readonly #byId = new CallsById<OpenCall>();
  readonly #byName = new Queues<OpenCall>();
  /** Those that could not be read: what a reply to one says of its call tells nothing. */
  readonly #unread = new Queue<OpenCall>();
  #count = 0;

  call(id: string | null, recipient: string | null): void {
    const name = recipient === null ? null : toolName(recipient);
    const call = { id, recipient, name, number: this.#count++, isDone: false };
    this.#inOrder.add(call);
    if (name === null) this.#unread.add(call);
    else this.#byName.add(name, call);
    if (id !== null) this.#byId.add(id, call);
  }

  /** The first call that waits. */
  first(): OpenCall | null {
    return this.#inOrder.first() ?? null;
  }

  /**
   * The call that a reply answers, which is open no longer: the one with its id, of several the first of its name, or
   * the first; without an id the first of its name, or the first. If there is none, one that could not be read.
   */
  reply(id: string | null, name: string | null): OpenCall | null {
    const tool = name === null ? null : toolName(name);
    const named =
      id !== null ? this.#byId.waiting(id, tool) : tool === null ? this.#inOrder.first() : this.#byName.first(tool);
    const call = named ?? this.#unread.first();
    if (!call) return null;
    call.isDone = true;
    if (call.id !== null) this.#byId.answered(call.id, call);
    return call;
  }
}

/** Makes ids for calls: `call_1`, `call_2`, … past those in use. */
export class CallIds {
  readonly #used: ReadonlySet<string | null | undefined>;
  #number = 0;

  constructor(used: ReadonlySet<string | null | undefined>) {
    this.#used = used;
  }

  next(): string {
    let id = '';
    do id = `call_${++this.#number}`;
    while (this.#used.has(id));
    return id;
  }
}

/**
 * Gives an id to every call that has none, and to the reply that answers it. A call that could not be read gets that
 * of its reply.
 */
export function withCallIds(messages: readonly MessageData[]): { messages: readonly MessageData[]; losses: Loss[] } {
  const lacks = (message: MessageData): boolean => (message.callId ?? null) === null
    && (isCall(message) || message.unread === true || (message.role === 'tool' && !isTagged(message)));
  if (!messages.some(lacks)) return { messages, losses: [] };
  const ids = new CallIds(new Set(messages.map((message) => message.callId)));
  const losses: Loss[] = [];
  const open = new OpenCalls();
  /** The calls of the messages, in order: their places; and the ids of those that could not be read. */
  const called: number[] = [];
  const given = new Map<number, string>();
  const done = messages.map((message, index) => {
    let { callId = null } = message;
    if (isCall(message)) {
      if (callId === null) {
        callId = ids.next();
        losses.push(idGained(index, false));
      }
      called.push(index);
      open.call(callId, message.recipient!);
    } else if (message.unread) {
      called.push(index);
      open.call(null, null);
    } else if (message.role === 'tool' && !isTagged(message)) {
      const call = open.reply(callId, message.name ?? null);
      const isToUnread = call !== null && call.id === null;
      if (callId === null) {
        // One that is written as text has no place for an id, and lacks none (R-HERMES).
        const isMade = isToUnread || (call === null && message.contentFrom !== undefined);
        callId = call?.id ?? (isMade ? ids.next() : null);
        const none = 'the reply has none and answers no open call';
        losses.push(call !== null ? idGained(index, true)
          : { what: 'call-id', message: index, detail: isMade ? `${none}: one was made` : none });
      }
      if (isToUnread) given.set(called[call.number]!, callId!);
    }
    return callId === (message.callId ?? null) ? message : withFields(message, { callId });
  });
  for (const [index, callId] of given) done[index] = withFields(done[index]!, { callId });
  return { messages: done, losses };
}

/** Gives every reply without a name that of its call. */
export function withReplyNames(messages: readonly MessageData[]): readonly MessageData[] {
  if (!messages.some((message) => message.role === 'tool' && (message.name ?? null) === null)) return messages;
  const open = new OpenCalls();
  return messages.map((message): MessageData | NamedReply => {
    if (isCall(message)) open.call(message.callId ?? null, message.recipient!);
    else if (message.unread) open.call(null, null);
    if (message.role !== 'tool') return message;
    const call = open.reply(message.callId ?? null, message.name ?? null);
    if ((message.name ?? null) !== null || call === null || call.recipient === null) return message;
    return withFields(message, { name: call.recipient, nameFromCall: true as const });
  });
}

/**
 * Tells of replies that, read without ids, would answer another call than they do now, or a call where they answered
 * none: they are matched by their names, if they have some, and their order.
 */
export function tellMismatches(messages: readonly MessageData[], losses: Loss[], haveNames = true): void {
  for (const index of mismatches(messages, haveNames)) losses.push({ what: 'reply', message: index, detail: MISMATCH });
}

export const MISMATCH = 'by name and order the reply answers another call';

/** The places of such replies. */
export function mismatches(messages: readonly MessageData[], haveNames = true): number[] {
  if (!messages.some(({ role }) => role === 'tool')) return [];
  const own = new OpenCalls();
  const read = new OpenCalls();
  const found: number[] = [];
  messages.forEach((message, index) => {
    const { callId = null, name = null } = message;
    if (isCall(message)) {
      own.call(callId, message.recipient!);
      read.call(null, message.recipient!);
    }
    if (message.role !== 'tool') return;
    const answered = own.reply(callId, name)?.number;
    if (answered !== read.reply(null, haveNames ? name : null)?.number) found.push(index);
  });
  return found;
}

/**
 * Puts replies that follow each other in the order of their calls, for notations without ids, where a reply answers the
 * first call that waits (of its name). Replies apart from each other stay where they are.
 */
export function withOrderedReplies(messages: readonly MessageData[]): {
  messages: readonly MessageData[];
  losses: Loss[];
} {
  const open = new OpenCalls();
  const losses: Loss[] = [];
  const done = [...messages];
  const calls: number[] = [];
  messages.forEach((message, index) => {
    if (isCall(message)) open.call(message.callId ?? null, message.recipient!);
    if (message.role !== 'tool') calls.length = 0;
    else calls.push(open.reply(message.callId ?? null, message.name ?? null)?.number ?? Infinity);
    if (messages[index + 1]?.role === 'tool' || calls.every((call, at) => at === 0 || calls[at - 1]! <= call)) return;
    const from = index + 1 - calls.length;
    const order = calls.map((_, at) => at).sort((a, b) => (calls[a] === calls[b] ? a - b : calls[a]! - calls[b]!));
    order.forEach((at, to) => (done[from + to] = messages[from + at]!));
    losses.push({ what: 'call-id', message: from, detail: 'the replies stand in the order of their calls' });
  });
  return losses.length === 0 ? { messages, losses } : { messages: done, losses };
}
