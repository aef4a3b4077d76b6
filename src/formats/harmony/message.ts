// One message as Harmony has it: fields that it has no place for, channels that it always has, ends.

import { isToolRecipient } from '../../model/attributes.ts';
import type { MessageData } from '../../model/data.ts';
import { isCall, isShown } from '../../rules/message-data.ts';
import { isJson } from '../v01/json.ts';
import type { Loss, LossName } from '../loss.ts';

/** What a message must know of where it stands. */
export interface Place {
  /** Number of the message in its transcript. */
  readonly index: number;
  /** The call that a tool's message answers. */
  readonly call: MessageData | undefined;
  /** An answer here ends in `<|return|>`; elsewhere that is an ordinary end. */
  readonly endsInReturn: boolean;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const isThere = <T>(value: T | null | undefined): value is T => value !== null && value !== undefined;

/** A message in the shape of Harmony. Losses are added to `losses`. */
export function toHarmonyMessage(
  message: MessageData, { index, call, endsInReturn }: Place, losses: Loss[],
): MessageData {
  const lose = (what: LossName, detail?: string): void =>
    void losses.push({ what, message: index, ...(detail && { detail }) });
  const { intent, callId, attributes, ...rest } = message;
  const shaped: Mutable<MessageData> = rest;
  if (isThere(callId)) lose('call-id');
  for (const _ of attributes ?? []) lose('attribute');
  if (message.role === 'tool') shapeReply(shaped, call, lose);
  else if (isThere(message.name) && message.role !== 'user') {
    lose('name');
    delete shaped.name;
  }
  if (isThere(intent)) lose('intent', isPreamble(message) ? 'a preamble is one by convention alone' : undefined);
  shapeChannel(shaped, message, lose);
  if (isCall(message)) {
    // A builtin tool may take anything: python takes code.
    if (!isThere(message.contentType) && message.recipient!.startsWith('functions.') && isJson(message.content)) {
      shaped.contentType = 'json';
      shaped.constrained = true;
    }
    if (message.end === 'end' || message.end === 'return') {
      shaped.end = 'call';
      lose('end', 'a call always ends in <|call|>');
    }
  } else if (endsInReturn && message.role === 'assistant' && shaped.channel === 'final') {
    shaped.end = 'return';
  } else if (message.end === 'return') {
    shaped.end = 'end';
    lose('end', '<|return|> of the past is <|end|>');
  }
  return shaped;
}

/** A tool speaks under its name, to the assistant, on commentary. */
function shapeReply(
  shaped: Mutable<MessageData>, call: MessageData | undefined, lose: (what: LossName, detail?: string) => void,
): void {
  if (!isThere(shaped.name) && call) shaped.name = call.recipient;
  if (!isThere(shaped.recipient)) shaped.recipient = 'assistant';
  if (!isThere(shaped.channel)) {
    shaped.channel = 'commentary';
    lose('channel', 'a reply without a channel stands on commentary');
  }
}

/** An assistant's message has a channel, and one that shows users nothing that was hidden from them. */
function shapeChannel(
  shaped: Mutable<MessageData>, message: MessageData, lose: (what: LossName, detail?: string) => void,
): void {
  if (message.role === 'assistant' && !isThere(shaped.channel)) {
    shaped.channel = isCall(message) ? 'commentary' : 'final';
    if (isCall(message)) lose('channel', 'a call without a channel stands on commentary');
  }
  if (mayBeShown(shaped) && !isShown(message)) {
    shaped.channel = 'analysis';
    lose('channel', 'what users may not see stands on analysis');
  }
}

const isPreamble = ({ role, channel, recipient, intent }: MessageData): boolean =>
  role === 'assistant' && channel === 'commentary' && intent === 'preamble' && !isThere(recipient);

const isSpoken = ({ role, recipient }: MessageData): boolean =>
  (role === 'user' || role === 'assistant') && !isToolRecipient(recipient ?? null);

/** Harmony shows what is final, and takes commentary without a recipient for a preamble. */
function mayBeShown(message: MessageData): boolean {
  const { role, channel, recipient } = message;
  if (!isSpoken(message)) return false;
  return (channel ?? 'final') === 'final'
    || (role === 'assistant' && channel === 'commentary' && !isThere(recipient) && message.end !== 'call');
}

/**
 * A message of Harmony as neutral data has it. `preambles`: the caller takes commentary to nobody for what users may
 * see.
 */
export function fromHarmonyMessage(
  message: MessageData, index: number, losses: Loss[], preambles: boolean,
): MessageData {
  if (message.role !== 'assistant' || isThere(message.intent)) return message;
  if (preambles && message.channel === 'commentary' && !isThere(message.recipient) && message.end !== 'call') {
    return { ...message, intent: 'preamble' };
  }
  if (!isThere(message.channel) && !isToolRecipient(message.recipient ?? null)) {
    losses.push({
      what: 'channel', message: index, detail: 'a message without a channel, which Harmony hides, is final elsewhere',
    });
  }
  return message;
}
