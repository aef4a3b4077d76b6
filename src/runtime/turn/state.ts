// What a run has said and done so far: it begins with messages or with what another run left, and becomes the result.

import type { Refusal } from '../../formats/loss.ts';
import { checkMessages } from '../../model/check-data.ts';
import type { MessageData } from '../../model/data.ts';
import type { Outcome, RoutedCall } from '../router/types.ts';
import type { ToolRouter } from '../router/router.ts';
import type { StreamDiagnostic } from '../stream/event.ts';
import type { Usage } from '../usage.ts';
import type { TurnError } from './error.ts';
import type { ReadCall } from './read.ts';
import type { OpenCall, StoredTurn, TurnOptions, TurnResult, TurnStop } from './types.ts';

const MOST_DIAGNOSTICS = 1000;

export class TurnState {
  readonly messages: MessageData[];
  readonly #outcomes: Outcome[];
  readonly #diagnostics: StreamDiagnostic[];
  /** Calls without an outcome, in order. */
  openCalls: readonly OpenCall[];
  rounds: number;
  #usage: Usage | null;
  error: TurnError | null = null;

  constructor({ messages, resume }: Pick<TurnOptions, 'messages' | 'resume'>) {
    if ((messages === undefined) === (resume === undefined)) {
      throw new TypeError('expected one of the options messages and resume');
    }
    if (resume !== undefined) checkStored(resume);
    checkMessages(resume?.messages ?? messages);
    this.messages = [...(resume?.messages ?? messages!)];
    this.#outcomes = [...(resume?.outcomes ?? [])];
    this.#diagnostics = [...(resume?.diagnostics ?? [])];
    this.openCalls = [...(resume?.openCalls ?? [])];
    this.rounds = resume?.rounds ?? 0;
    this.#usage = resume?.usage ?? null;
  }

  /**
   * Ids of calls that were made, or will not be, and of replies: none of them may come again. One that an open call has
   * is its own, unless a message before it has it: calls behind it were refused for it.
   */
  reserveIds(router: ToolRouter): void {
    const open = new Set(this.openCalls.map(({ at }) => at));
    const own = new Set<string>();
    const reserved = new Set<string>();
    for (const [index, { role, callId }] of this.messages.entries()) {
      if (!callId || (role !== 'assistant' && role !== 'tool') || own.has(callId)) continue;
      if (!open.has(index)) reserved.add(callId);
      else if (!reserved.has(callId)) own.add(callId);
    }
    for (const { callId } of this.#outcomes) if (callId && !own.has(callId)) reserved.add(callId);
    router.reserveIds(reserved);
  }

  /** Takes what an output said. Its calls are open. */
  addOutput(messages: readonly MessageData[], calls: readonly ReadCall[]): void {
    const first = this.messages.length;
    for (const message of messages) this.messages.push(message);
    const replyAt = this.messages.length;
    this.openCalls = calls.map((read) => ({ ...read, at: first + read.at, replyAt }));
  }

  /** Takes the outcomes of the open calls, in their order; null: the call stays open. Replies stand in that order. */
  addOutcomes(outcomes: readonly (Outcome | null)[]): void {
    const left: OpenCall[] = [];
    let added = 0;
    for (const [index, call] of this.openCalls.entries()) {
      const outcome = outcomes[index];
      const replyAt = call.replyAt + added;
      if (!outcome) {
        left.push({ ...call, replyAt });
        continue;
      }
      this.#outcomes.push(outcome);
      // So that call and reply belong together.
      const said = this.messages[call.at]!;
      if (!said.callId && outcome.callId !== null) this.messages[call.at] = { ...said, callId: outcome.callId };
      this.messages.splice(replyAt, 0, outcome.reply);
      added++;
    }
    this.openCalls = left;
  }

  addDiagnostics(diagnostics: readonly StreamDiagnostic[]): void {
    for (const found of diagnostics)
      if (this.#diagnostics.length < MOST_DIAGNOSTICS) this.#diagnostics.push(found);
  }

  addUsage(usage: Usage): void {
    const sum: Record<string, number> = { inputTokens: 0, outputTokens: 0 };
    for (const counts of [this.#usage ?? {}, usage])
      for (const [name, count] of Object.entries(counts))
        if (typeof count === 'number' && Number.isFinite(count) && count > 0) sum[name] = (sum[name] ?? 0) + count;
    this.#usage = sum as unknown as Usage;
  }

  result(stop: TurnStop, refusal: Refusal | null): TurnResult {
    return {
      messages: this.messages,
      outcomes: this.#outcomes,
      openCalls: this.openCalls,
      stop,
      refusal,
      error: this.error,
      rounds: this.rounds,
      usage: this.#usage,
      diagnostics: this.#diagnostics,
    };
  }
}

/** Throws a TypeError when it is no result of a run: it may come from a store. */
function checkStored(stored: StoredTurn): void {
  const lists: readonly unknown[] = [stored?.messages, stored?.outcomes, stored?.openCalls, stored?.diagnostics];
  const isRight = lists.every(Array.isArray) && Number.isSafeInteger(stored.rounds) && typeof stored.stop === 'string'
    && stored.messages.every(isMessage)
    && stored.openCalls.every((open, index, all) =>
      isMessage(open?.call) && isMessage(stored.messages[open.at]) && Number.isSafeInteger(open.replyAt)
        && open.replyAt > open.at && open.replyAt <= stored.messages.length
        && (index === 0 || open.replyAt >= all[index - 1]!.replyAt));
  if (!isRight) throw new TypeError('option resume: expected the result of a run');
}

const isMessage = (value: MessageData | RoutedCall | undefined): boolean =>
  typeof value === 'object' && value !== null && typeof value.content === 'string';
