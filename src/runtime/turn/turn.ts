// The turn loop: the model's output goes in, its calls go out, their replies come back, until it has answered (2.2
// §8.1, §12.7, §12.8).
//
// The calls of a turn are dispatched together when the turn is there as a whole: a turn that is cut or cancelled, or
// whose model fails, has called nothing. Replies stand in the order of the calls, whatever order they arrive in.

import { Refusal } from '../../formats/loss.ts';
import type { WrittenPrompt } from '../../formats/prompt.ts';
import type { MessageData, ToolDefinition } from '../../model/data.ts';
import type { DialectId } from '../../scan/dialects.ts';
import { diagnose } from '../../errors.ts';
import { reasonOf } from '../reason.ts';
import type { StreamDiagnostic } from '../stream/event.ts';
import type { Outcome } from '../router/types.ts';
import { promptOf, toolsBeside } from './prompt.ts';
import { cancelled, type OutputRead, OutputReader, type ReadCall } from './read.ts';
import { Interruption, isStream, openSource } from './source.ts';
import type { Output, OutputStream, TurnEvent, TurnOptions, TurnResult, TurnStop } from './types.ts';

const ROUNDS = 16;
const OUTPUT_LENGTH = 16 * 1024 * 1024;
const MOST_DIAGNOSTICS = 1000;

/**
 * Runs a model with its tools until it has answered. Whatever the model says, the run comes to an end, and the end is
 * a result, also when the model or `onEvent` throws: what was said and done before is in it. Rejects only when an
 * option is wrong, before anything was asked. Nothing is left open.
 */
export async function runTurn(options: TurnOptions): Promise<TurnResult> {
  const run = new Run(options);
  try {
    return await run.rounds();
  } finally {
    run.close();
  }
}

class Run {
  readonly #options: TurnOptions;
  readonly #dialect: DialectId;
  readonly #maxRounds: number;
  readonly #maxLength: number;
  readonly #interruption: Interruption;
  readonly #messages: MessageData[];
  readonly #tools: readonly ToolDefinition[];
  readonly #outcomes: Outcome[] = [];
  readonly #diagnostics: StreamDiagnostic[] = [];
  #round = 0;
  /** A prompt was written: the options are right. */
  #hasBegun = false;
  /** `onEvent` threw. */
  #isDeaf = false;
  #isCancelTold = false;
  #error: unknown = null;

  constructor(options: TurnOptions) {
    const { model, messages, router, dialect = 'openchatml-2.2', maxRounds, maxOutputLength, signal } = options;
    if (typeof model !== 'function') throw new TypeError('option model: expected a function');
    this.#options = options;
    this.#dialect = dialect;
    this.#maxRounds = positive('maxRounds', maxRounds ?? ROUNDS);
    this.#maxLength = positive('maxOutputLength', maxOutputLength ?? OUTPUT_LENGTH);
    this.#messages = [...messages];
    this.#tools = toolsBeside(options, dialect);
    router.reserveIds(messages.flatMap(({ role, callId }) => (role === 'assistant' && callId ? [callId] : [])));
    this.#interruption = new Interruption(signal);
  }

  close(): void {
    this.#interruption.close();
  }

  async rounds(): Promise<TurnResult> {
    try {
      if (this.#interruption.isThere) return this.#result(await this.#tellCancel([]));
      while (this.#round < this.#maxRounds) {
        this.#round++;
        const stop = await this.#oneRound();
        if (stop !== null) return this.#result(stop);
      }
      return this.#result('rounds');
    } catch (error) {
      if (!this.#hasBegun) throw error;
      this.#error = error;
      return this.#result('failed');
    }
  }

  /** Null: the model is to go on. */
  async #oneRound(): Promise<TurnStop | Refusal | null> {
    const prompt = promptOf(this.#messages, this.#tools, this.#options, this.#dialect);
    if (prompt instanceof Refusal) return prompt;
    this.#hasBegun = true;
    await this.#emit({ type: 'turn.prompt', round: this.#round, losses: prompt.losses });
    const read = await this.#output(prompt);
    const calls = this.#withIds(read);
    for (const message of read.messages) this.#messages.push(message);
    if (this.#interruption.isThere) return this.#tellCancel(calls);
    if (read.isCut) return 'length';
    if (calls.length === 0) return read.isAnswered ? 'final' : read.isOver ? 'unanswered' : null;
    const outcomes = await this.#options.router.dispatchAll(calls.map(({ call }) => call), this.#options.signal);
    for (const outcome of outcomes) {
      this.#outcomes.push(outcome);
      this.#messages.push(outcome.reply);
    }
    for (const [index, outcome] of outcomes.entries()) await this.#tellOutcome(calls[index]!, outcome);
    return this.#interruption.isThere ? this.#tellCancel([]) : null;
  }

  async #tellOutcome({ id, from, to }: ReadCall, outcome: Outcome): Promise<void> {
    const { callId, warning, reason } = outcome;
    if (warning !== undefined) {
      const diagnostic = diagnose({ rule: warning, severity: 'warning', from, to }, 0, false);
      this.#keep([diagnostic]);
      await this.#emit({ type: 'diagnostic', message_id: id, diagnostic });
    }
    if (reason !== undefined) await this.#emit({ type: 'tool.cancel', message_id: id, call_id: callId, reason });
    await this.#emit({ type: 'turn.outcome', outcome });
  }

  /** Tells that the run is cancelled, and `calls` with it, unless the stream of its output has told so. */
  async #tellCancel(calls: readonly ReadCall[]): Promise<'cancelled'> {
    if (this.#isCancelTold) return 'cancelled';
    const reason = reasonOf(this.#options.signal!);
    for (const event of cancelled(calls, reason)) await this.#emit(event);
    await this.#emit({ type: 'response.cancel', message_id: null, reason });
    return 'cancelled';
  }

  #keep(diagnostics: readonly StreamDiagnostic[]): void {
    for (const found of diagnostics)
      if (this.#diagnostics.length < MOST_DIAGNOSTICS) this.#diagnostics.push(found);
  }

  /** Where the text of a dialect has no ids, calls get them here, so that call and reply belong together in data. */
  #withIds({ calls, messages }: OutputRead): readonly ReadCall[] {
    if (this.#dialect === 'openchatml-2.2') return calls;
    return calls.map((read) => {
      const callId = this.#options.router.makeId();
      messages[read.at] = { ...messages[read.at]!, callId };
      return { ...read, call: { ...read.call, callId } };
    });
  }

  /** Asks the model and reads its output as far as it is needed. */
  async #output(prompt: WrittenPrompt): Promise<OutputRead> {
    const { stopStripped, thinkOpen, harmonyPreambles, missingChannel, reasoning } = this.#options;
    const shown = { harmonyPreambles, missingChannel, reasoning };
    const reader = new OutputReader(this.#dialect, { stopStripped, thinkOpen, ...shown });
    try {
      await this.#read(prompt, reader);
    } catch (error) {
      // Who has seen the beginning learns that nothing follows.
      for (const event of reader.cancel('the model failed')) await this.#emit(event).catch(() => undefined);
      throw error;
    } finally {
      this.#keep(reader.read.diagnostics);
    }
    return reader.read;
  }

  async #read({ messages, text }: WrittenPrompt, reader: OutputReader): Promise<void> {
    const { model, signal } = this.#options;
    const controller = new AbortController();
    let source: ReturnType<typeof openSource> | undefined;
    let isRead = false;
    try {
      const beside = { tools: this.#tools, round: this.#round, signal: controller.signal };
      const asked = (async () => model({ messages, text, ...beside }))();
      const given = await this.#interruption.during(asked);
      // What comes after an abort is closed unread.
      if (given === null) void asked.then((late) => openSource(outputOf(late).stream).close()).catch(() => undefined);
      const output = given && outputOf(given.value);
      if (output) source = openSource(output.stream);
      let left = this.#maxLength;
      while (source && !reader.isEnough && left >= 0) {
        const next = await this.#interruption.during(source.next());
        isRead = next?.value.done === true;
        if (next === null || isRead) break;
        const chunk = next.value.value!;
        const part = chunk.length > left ? chunk.slice(0, left) : chunk;
        left -= chunk.length;
        for (const event of reader.feed(part)) await this.#emit(event);
      }
      this.#isCancelTold = this.#interruption.isThere;
      const last = this.#isCancelTold
        ? reader.cancel(reasonOf(signal!))
        : reader.end(isRead ? output?.finishReason?.() : undefined, !isRead);
      for (const event of last) await this.#emit(event);
    } finally {
      if (!isRead) {
        controller.abort(new DOMException('nothing more is read', 'AbortError'));
        source?.close();
      }
    }
  }

  async #emit(event: TurnEvent): Promise<void> {
    if (this.#isDeaf) return;
    try {
      const settled = this.#options.onEvent?.(event);
      if (settled !== undefined) await settled;
    } catch (error) {
      this.#isDeaf = true;
      throw error;
    }
  }

  #result(ending: TurnStop | Refusal): TurnResult {
    const refusal = ending instanceof Refusal ? ending : null;
    return {
      messages: this.#messages,
      outcomes: this.#outcomes,
      stop: ending instanceof Refusal ? 'refused' : ending,
      refusal,
      error: this.#error,
      rounds: this.#round,
      diagnostics: this.#diagnostics,
    };
  }
}

/** A stream by itself, or an output that holds one. */
function outputOf(given: OutputStream | Output): Output {
  return isStream(given) ? { stream: given } : (given ?? { stream: given });
}

function positive(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new RangeError(`option ${name}: expected a positive integer; got ${String(value)}`);
}
