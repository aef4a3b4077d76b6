// Which messages a model is given when it goes on: old reasoning is left out, stop tokens of the past are ordinary ends
// (R-SAMPLING).

import type { MessageData } from '../model/data.ts';
import { plainName } from '../tools/name.ts';
import { isCall } from './message-data.ts';
import { CallsById } from './calls-by-id.ts';
import { Queue, Queues } from './queue.ts';
import { checkOptions } from '../options.ts';

/** Which reasoning the next completion sees (R-SAMPLING). */
export interface SamplingOptions {
  /**
   * `ocm`: analysis up to the last turn that ended in an answer goes (2.2 §12.7). `harmony`: analysis before the first
   * answer goes, and only when the last assistant message is an answer, as openai-harmony does. `keep`: all reasoning
   * stays.
   */
  readonly rule: 'ocm' | 'harmony' | 'keep';
}

/** Why a message is not sampled from: old reasoning, or a prompt that only waits for its completion. */
export type DropReason = 'analysis' | 'open-turn';

/** A message that the next completion does not see, and why. */
export interface DroppedMessage {
  /** Number of the message, from 0. */
  readonly index: number;
  readonly reason: DropReason;
}

/** The messages for the next completion (R-SAMPLING), and those that were dropped. */
export interface Sampling {
  readonly messages: MessageData[];
  readonly dropped: DroppedMessage[];
}

/**
 * The messages of one transcript for its next completion. Messages that an end user may not see stay: a model's input
 * is not a display. An open turn, `<|start|>assistant` at the end, is no message: the caller writes its own prompt.
 * The rules are those of R-SAMPLING; throws a RangeError for another one.
 *
 * @example
 * ```ts
 * import { messagesForCompletion } from 'openchatml/convert';
 *
 * const { dropped } = messagesForCompletion([
 *   { role: 'assistant', channel: 'analysis', content: 'Hm.' },
 *   { role: 'assistant', channel: 'final', content: '4' },
 * ], { rule: 'ocm' });
 * console.log(dropped.map(({ index, reason }) => `${index} ${reason}`).join()); // 0 analysis
 * ```
 */
export function messagesForCompletion(messages: readonly MessageData[], options: SamplingOptions): Sampling {
  checkOptions(options, { rule: 1 });
  if (!DROP.has(options?.rule)) {
    throw new RangeError(`option rule: expected one of ${[...DROP.keys()].join(', ')}; got ${String(options?.rule)}`);
  }
  const last = messages.length - 1;
  const count = isOpenTurn(messages[last]) ? last : messages.length;
  const turns = messages.slice(0, count);
  const analysis = DROP.get(options.rule)!(turns);
  const dropped: DroppedMessage[] = [...analysis].sort((a, b) => a - b).map((index) => ({ index, reason: 'analysis' }));
  if (count <= last) dropped.push({ index: last, reason: 'open-turn' });
  const kept = turns.filter((_, index) => !analysis.has(index));
  return {
    messages: kept.map((message) => (message.end === 'return' ? { ...message, end: 'end' } : message)), dropped,
  };
}

const DROP: ReadonlyMap<string, (messages: readonly MessageData[]) => Set<number>> = new Map([
  ['keep', () => new Set<number>()],
  ['harmony', dropBeforeFirstFinal],
  ['ocm', dropBeforeLastFinal],
]);

/**
 * Data does not tell an open turn from an empty message that the end of input cut; neither is worth a place in a
 * prompt.
 */
function isOpenTurn(message: MessageData | undefined): boolean {
  return message !== undefined && message.end === 'eof' && message.content === '';
}

const isAnalysis = (message: MessageData): boolean => message.channel === 'analysis';

/**
 * An absent channel means final where an assistant speaks; other roles have no channel in common text, and it means
 * nothing.
 */
const isFinal = (message: MessageData): boolean =>
  (message.role === 'assistant' ? (message.channel ?? 'final') : message.channel) === 'final';

/** Harmony's own rule, word for word: whole messages on `analysis`, whatever their role or recipient. */
function dropBeforeFirstFinal(messages: readonly MessageData[]): Set<number> {
  const lastAssistant = messages.findLast(({ role }) => role === 'assistant');
  const dropped = new Set<number>();
  if (!lastAssistant || !isFinal(lastAssistant)) return dropped;
  const first = messages.findIndex(isFinal);
  for (let index = 0; index < first; index++) if (isAnalysis(messages[index]!)) dropped.add(index);
  return dropped;
}

/**
 * Index of the answer that ends the last turn which ended in one: a stop token after it, or nothing but analysis up to
 * what the model is told next. A call after it goes on with the turn.
 */
function lastAnswer(messages: readonly MessageData[]): number {
  let last = -1;
  let spoken = -1;
  for (const [index, message] of [...messages, null].entries()) {
    if (message?.role === 'assistant' && (!isAnalysis(message) || isCall(message))) spoken = index;
    if (message?.end === 'return' && spoken === index && isFinal(message) && !isCall(message)) last = index;
    if (message !== null && !isInput(message)) continue;
    const ending = messages[spoken];
    if (ending && isFinal(ending) && !isCall(ending)) last = spoken;
    spoken = -1;
  }
  return last;
}

/** The rule of 2.2: turns that ended in an answer lose their analysis; what led to a call without a reply keeps it. */
function dropBeforeLastFinal(messages: readonly MessageData[]): Set<number> {
  const last = lastAnswer(messages);
  const replies = matchReplies(messages);
  const dropped = new Set<number>();
  for (const [index, message] of messages.slice(0, Math.max(last, 0)).entries()) {
    if (isAnalysis(message) && !isInput(message)) dropped.add(index);
  }
  // Analysis of the turn so far, which began after what the model was last told.
  let turn: number[] = [];
  for (const [index, message] of messages.slice(0, Math.max(last, 0)).entries()) {
    if (isInput(message)) turn = [];
    if (isAnalysis(message)) turn.push(index);
    if (isCall(message) && !replies.has(index)) {
      for (const kept of turn) dropped.delete(kept);
      turn = [];
    }
  }
  // A call and its reply go together or not at all.
  for (const [call, reply] of replies) {
    if (!dropped.has(call)) dropped.delete(reply);
    else if (!dropped.has(reply)) dropped.delete(call);
  }
  return dropped;
}

/** What the model is told and has not said itself: never its reasoning. */
const isInput = ({ role }: MessageData): boolean => role === 'system' || role === 'developer' || role === 'user';

/**
 * Index of each call to the index of its reply, as `check` matches them: by call id where the reply has one (of several
 * the first of its name), else the first open call of its name; without a name, too, the first open call.
 */
export function matchReplies(messages: readonly MessageData[]): Map<number, number> {
  const replies = new Map<number, number>();
  const inOrder = new Queue<OpenCall>();
  const byName = new Queues<OpenCall>();
  const byId = new CallsById<OpenCall>();
  for (const [index, message] of messages.entries()) {
    if (isCall(message)) {
      const call = { index, name: plainName(message.recipient!), isDone: false };
      inOrder.add(call);
      byName.add(call.name, call);
      if (isThere(message.callId)) byId.add(message.callId, call);
    } else if (message.role === 'tool') {
      const name = isThere(message.name) ? plainName(message.name) : null;
      const { callId } = message;
      // A reply with an id answers no call that has another one, or none.
      const call =
        isThere(callId) ? byId.waiting(callId, name) : name === null ? inOrder.first() : byName.first(name);
      if (!call) continue;
      replies.set(call.index, index);
      call.isDone = true;
      const own = messages[call.index]!.callId;
      if (isThere(own)) byId.answered(own, call);
    }
  }
  return replies;
}

interface OpenCall {
  readonly index: number;
  readonly name: string;
  isDone: boolean;
}

const isThere = (value: string | null | undefined): value is string => value !== null && value !== undefined;
