// The turn loop: the model's output goes in, its calls go out, their replies come back, until it has answered (2.2
// §8.1, §12.7, §12.8).
//
// The calls of a turn are made together when the turn is there as a whole: a turn that is cut or cancelled, or whose
// model fails, has called nothing. Replies stand in the order of the calls, whatever order they arrive in.

import { Refusal } from '../../formats/loss.ts';
import type { ToolDefinition } from '../../model/data.ts';
import type { DialectId } from '../../scan/dialects.ts';
import { reasonOf } from '../reason.ts';
import { checkChunk } from '../stream/core.ts';
import { checkFlow } from '../stream/flow.ts';
import { givenRescue } from '../stream/options.ts';
import type { Usage } from '../usage.ts';
import { Allowance } from './allowance.ts';
import { type CallMaker, makeCalls, tellOutcome } from './calls.ts';
import { TurnError } from './error.ts';
import { checkPromptOptions, promptOf, toolsBeside, type WrittenTurn } from './prompt.ts';
import { cancelled, type OutputRead, OutputReader, type ReadCall } from './read.ts';
import { Interruption, isStream, openSource } from './source.ts';
import { TurnState } from './state.ts';
import type { TurnOutput, TurnOutputChunk, TurnOutputStream, TurnOptions, TurnResult, TurnStop } from './types.ts';
import {
  checkFunction, checkOption, checkOptions, checkSignal, checkThere, FLAG, type Known, needOptions,
} from '../../options.ts';

const ROUNDS = 16;
const OUTPUT_LENGTH = 16 * 1024 * 1024;

const TURN_OPTIONS: Known<TurnOptions> = {
  model: 1, messages: 1, resume: 1, header: 1, tools: 1, router: 1, approve: 1, dialect: 1, rule: 1, maxRounds: 1,
  vocabulary: 1, maxOutputLength: 1, neutralise: FLAG, stopStripped: FLAG, rescue: 1, thinkOpen: FLAG,
  harmonyPreambles: FLAG, missingChannel: FLAG, system: 1, contentType: 1, reasoning: FLAG, signal: 1,
};

/** The loop of one run. */
export class Loop {
  readonly #options: TurnOptions;
  readonly #dialect: DialectId;
  readonly #maxRounds: number;
  readonly #maxLength: number;
  readonly #interruption: Interruption;
  readonly #state: TurnState;
  readonly #tools: readonly ToolDefinition[];
  readonly #tell: CallMaker['tell'];
  /** The stream of the output has told that the run is cancelled. */
  #isCancelTold = false;

  /** Throws a TypeError or a RangeError when an option is wrong. `tell` settles when the run may go on. */
  constructor(options: TurnOptions, tell: CallMaker['tell']) {
    needOptions(options);
    checkOptions(options, TURN_OPTIONS);
    checkParts(options);
    const { router, dialect = 'openchatml-2.2', maxRounds, maxOutputLength, signal } = options;
    checkPromptOptions(options, dialect);
    this.#options = options;
    this.#tell = tell;
    this.#dialect = dialect;
    this.#maxRounds = positive('maxRounds', maxRounds ?? ROUNDS);
    this.#maxLength = positive('maxOutputLength', maxOutputLength ?? OUTPUT_LENGTH);
    this.#state = new TurnState(options);
    this.#tools = toolsBeside(options, this.#state.messages, dialect);
    this.#state.reserveIds(router);
    this.#interruption = new Interruption(signal);
  }

  /** Aborts when the run ends before its time. */
  get interrupted(): AbortSignal {
    return this.#interruption.signal;
  }

  interrupt(reason: string): void {
    this.#interruption.interrupt(reason);
  }

  /** Whatever the model says or throws, the end is a result. */
  async run(): Promise<TurnResult> {
    const state = this.#state;
    try {
      this.#interruption.listen();
      const ending = this.#options.resume?.stop === 'final' ? 'final' : await this.#rounds();
      return ending instanceof Refusal ? state.result('refused', ending) : state.result(ending, null);
    } catch (error) {
      state.error = new TurnError(error);
      return state.result('failed', null);
    } finally {
      this.#interruption.close();
    }
  }

  async #rounds(): Promise<TurnStop | Refusal> {
    if (this.#interruption.isThere) return this.#tellCancel();
    if (this.#state.openCalls.length > 0) {
      const stop = await this.#makeCalls();
      if (stop !== null) return stop;
    }
    for (let left = this.#maxRounds; left > 0; left--) {
      this.#state.rounds++;
      const stop = await this.#oneRound();
      if (stop !== null) return stop;
    }
    return 'rounds';
  }

  /** Null: the model is to go on. */
  async #oneRound(): Promise<TurnStop | Refusal | null> {
    const state = this.#state;
    const prompt = promptOf(state.messages, this.#tools, this.#options, this.#dialect);
    if (prompt instanceof Refusal) return prompt;
    await this.#tell({ type: 'turn.prompt', round: state.rounds, losses: prompt.losses });
    const read = await this.#output(prompt);
    const { messages, isAnswered, isOver, isCut } = read;
    const calls = this.#withIds(read);
    state.addOutput(messages, calls);
    if (this.#isCancelTold) return 'cancelled';
    if (isCut) return 'length';
    if (calls.length === 0 && (isAnswered || isOver)) return isAnswered ? 'final' : 'unanswered';
    if (this.#interruption.isThere) return this.#tellCancel();
    return calls.length === 0 ? null : this.#makeCalls();
  }

  /** Makes the open calls, as far as they are approved. */
  async #makeCalls(): Promise<TurnStop | null> {
    const { router, approve, header } = this.#options;
    const state = this.#state;
    const open = state.openCalls;
    const maker = { router, approve, header, interruption: this.#interruption, tell: this.#tell };
    const { outcomes, failure } = await makeCalls(open, maker);
    state.addOutcomes(outcomes);
    for (const [index, outcome] of outcomes.entries())
      if (outcome) state.addDiagnostics(await tellOutcome(open[index]!, outcome, this.#tell));
    if (failure) throw failure.cause;
    if (this.#interruption.isThere) return this.#tellCancel();
    return state.openCalls.length > 0 ? 'approval' : null;
  }

  /** Tells that the run is cancelled, and the open calls with it. */
  async #tellCancel(): Promise<'cancelled'> {
    const reason = reasonOf(this.#interruption.signal);
    for (const event of cancelled(this.#state.openCalls, reason)) await this.#tell(event);
    await this.#tell({ type: 'response.cancel', message_id: null, reason });
    return 'cancelled';
  }

  /**
   * Where the text of a dialect needs no ids, calls get them here, so that call and reply belong together in data. One
   * that the model wrote stays, as events have it, unless another call has it.
   */
  #withIds({ calls, messages }: OutputRead): readonly ReadCall[] {
    if (this.#dialect === 'openchatml-2.2') return calls;
    const { router } = this.#options;
    const given = new Set<string>();
    return calls.map((read) => {
      const { callId: written } = read.call;
      const callId = router.makeId(written && given.has(written) ? null : written);
      given.add(callId);
      messages[read.at] = { ...messages[read.at]!, callId };
      return { ...read, call: { ...read.call, callId } };
    });
  }

  /** Asks the model and reads its output as far as it is needed. */
  async #output(prompt: WrittenTurn): Promise<OutputRead> {
    const { stopStripped, rescue, thinkOpen, harmonyPreambles, missingChannel, reasoning, vocabulary } = this.#options;
    const how = { stopStripped, rescue, thinkOpen, harmonyPreambles, missingChannel, reasoning };
    const reader = new OutputReader(this.#dialect, how, vocabulary);
    try {
      await this.#read(prompt, reader);
    } catch (error) {
      // Who has seen the beginning learns that nothing follows.
      for (const event of reader.cancel('the model failed')) await this.#tell(event);
      throw error;
    } finally {
      this.#state.addDiagnostics(reader.read.diagnostics);
    }
    return reader.read;
  }

  async #read({ messages, text, ids }: WrittenTurn, reader: OutputReader): Promise<void> {
    const { model } = this.#options;
    const controller = new AbortController();
    const abort = (): void => controller.abort(this.#interruption.signal.reason);
    let source: ReturnType<typeof openSource> | undefined;
    let isRead = false;
    // At once, also while nobody asks for the next event.
    this.#interruption.signal.addEventListener('abort', abort);
    try {
      const beside = { tools: this.#tools, round: this.#state.rounds, signal: controller.signal };
      const asked = (async () => model({ messages, text, ...(ids && { ids }), ...beside }))();
      const answer = await this.#interruption.during(asked);
      // What comes after an abort is closed unread.
      if (answer === null) void asked.then((late) => openSource(outputOf(late).stream).close()).catch(() => undefined);
      const output = answer && outputOf(answer.value);
      if (output) {
        source = openSource(output.stream);
        checkFlow(output, 'model:');
      }
      const allowance = new Allowance(this.#maxLength);
      while (source && !isRead && !reader.isEnough && !reader.isStopped && !allowance.isSpent) {
        const next = await this.#interruption.during(source.next());
        if (next === null) break;
        isRead = next.value.done === true;
        const part = isRead ? allowance.rest() : allowance.take(checkedChunk(next.value.value));
        if (part !== null) for (const event of reader.feed(part)) await this.#tell(event);
      }
      // Nothing is left to cancel of an answer that is there as a whole.
      this.#isCancelTold = this.#interruption.isThere && !reader.isEnough;
      const last = this.#isCancelTold
        ? reader.cancel(reasonOf(this.#interruption.signal))
        : reader.end(isRead ? given(output?.finishReason) : undefined, !isRead && !reader.isStopped);
      for (const event of last) await this.#tell(event);
      await this.#takeUsage(output);
    } finally {
      this.#interruption.signal.removeEventListener('abort', abort);
      if (!isRead) {
        controller.abort(new DOMException('nothing more is read', 'AbortError'));
        source?.close();
      }
    }
  }

  async #takeUsage(output: TurnOutput | null): Promise<void> {
    let usage: Usage | null | undefined;
    try {
      usage = given(output?.usage);
      checkThere('usage', usage);
    } catch (error) {
      // What was said stands, whatever it cost.
      this.#state.error = new TurnError(error);
    }
    if (usage == null) return;
    this.#state.addUsage(usage);
    await this.#tell({ type: 'turn.usage', round: this.#state.rounds, usage });
  }
}

/** Throws a TypeError for what the run is to work with, and cannot. */
function checkParts(options: Partial<TurnOptions>): void {
  const { model, router, approve, tools, rescue, signal, header, vocabulary } = options;
  if (typeof model !== 'function') throw new TypeError('option model: expected a function');
  if (typeof router?.dispatch !== 'function') throw new TypeError('option router: expected a ToolRouter');
  checkFunction('approve', approve);
  checkOption('header', header ?? undefined, null);
  checkOption('vocabulary', vocabulary, null);
  for (const name of ['encode', 'decode'] as const) {
    if (vocabulary !== undefined && typeof vocabulary[name] !== 'function') {
      throw new TypeError(`option vocabulary: expected a function ${name}`);
    }
  }
  if (tools != null && !Array.isArray(tools)) throw new TypeError('option tools: expected a list of definitions');
  givenRescue(rescue);
  checkSignal('option signal', signal);
}

/** A stream by itself, or an output that holds one. */
function outputOf(given: TurnOutputStream | TurnOutput): TurnOutput {
  return isStream(given) ? { stream: given } : (given ?? { stream: given });
}

/** A value, or what a function gives. */
function given<T>(value: T | (() => T)): T {
  return value instanceof Function ? value() : value;
}

function checkedChunk(chunk: unknown): TurnOutputChunk {
  if (Array.isArray(chunk)) return chunk as readonly number[];
  checkChunk(chunk, 'model');
  return chunk;
}

function positive(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new RangeError(`option ${name}: expected a positive integer; got ${String(value)}`);
}
