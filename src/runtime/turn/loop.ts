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
import { checkPromptOptions, promptOf, toolsBeside } from './prompt.ts';
import { cancelled, type OutputRead, OutputReader, type ReadCall } from './read.ts';
import { Interruption, isStream, openSource } from './source.ts';
import type { Output, OutputStream, TurnEvent, TurnOptions, TurnResult, TurnStop } from './types.ts';

const ROUNDS = 16;
const OUTPUT_LENGTH = 16 * 1024 * 1024;
const MOST_DIAGNOSTICS = 1000;

/** The loop of one run. `tell` settles when the run may go on. */
export class Loop {
  readonly #options: TurnOptions;
  readonly #dialect: DialectId;
  readonly #maxRounds: number;
  readonly #maxLength: number;
  readonly #interruption: Interruption;
  readonly #messages: MessageData[];
  readonly #tools: readonly ToolDefinition[];
  readonly #outcomes: Outcome[] = [];
  readonly #diagnostics: StreamDiagnostic[] = [];
  readonly #tell: (event: TurnEvent) => Promise<void> | undefined;
  #round = 0;
  /** The stream of the output has told that the run is cancelled. */
  #isCancelTold = false;
  #error: unknown = null;

  /** Throws a TypeError or a RangeError when an option is wrong. */
  constructor(options: TurnOptions, tell: (event: TurnEvent) => Promise<void> | undefined) {
    const { model, messages, router, dialect = 'openchatml-2.2', maxRounds, maxOutputLength, signal } = options;
    if (typeof model !== 'function') throw new TypeError('option model: expected a function');
    checkPromptOptions(options, dialect);
    this.#tell = tell;
    this.#options = options;
    this.#dialect = dialect;
    this.#maxRounds = positive('maxRounds', maxRounds ?? ROUNDS);
    this.#maxLength = positive('maxOutputLength', maxOutputLength ?? OUTPUT_LENGTH);
    this.#messages = [...messages];
    this.#tools = toolsBeside(options, dialect);
    router.reserveIds(messages.flatMap(({ role, callId }) => (role === 'assistant' && callId ? [callId] : [])));
    this.#interruption = new Interruption(signal);
  }

  interrupt(reason: string): void {
    this.#interruption.interrupt(reason);
  }

  /** Whatever the model says or throws, the end is a result. */
  async run(): Promise<TurnResult> {
    try {
      this.#interruption.listen();
      if (this.#interruption.isThere) return this.#result(await this.#tellCancel([]));
      while (this.#round < this.#maxRounds) {
        this.#round++;
        const stop = await this.#oneRound();
        if (stop !== null) return this.#result(stop);
      }
      return this.#result('rounds');
    } catch (error) {
      this.#error = error;
      return this.#result('failed');
    } finally {
      this.#interruption.close();
    }
  }

  /** Null: the model is to go on. */
  async #oneRound(): Promise<TurnStop | Refusal | null> {
    const prompt = promptOf(this.#messages, this.#tools, this.#options, this.#dialect);
    if (prompt instanceof Refusal) return prompt;
    await this.#tell({ type: 'turn.prompt', round: this.#round, losses: prompt.losses });
    const read = await this.#output(prompt);
    const calls = this.#withIds(read);
    for (const message of read.messages) this.#messages.push(message);
    if (this.#isCancelTold) return 'cancelled';
    if (read.isCut) return 'length';
    if (calls.length === 0 && (read.isAnswered || read.isOver)) return read.isAnswered ? 'final' : 'unanswered';
    if (this.#interruption.isThere) return this.#tellCancel(calls);
    if (calls.length === 0) return null;
    const outcomes = await this.#options.router.dispatchAll(calls.map(({ call }) => call), this.#interruption.signal);
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
      await this.#tell({ type: 'diagnostic', message_id: id, diagnostic });
    }
    if (reason !== undefined) await this.#tell({ type: 'tool.cancel', message_id: id, call_id: callId, reason });
    await this.#tell({ type: 'turn.outcome', outcome });
  }

  /** Tells that the run is cancelled, and `calls` with it. */
  async #tellCancel(calls: readonly ReadCall[]): Promise<'cancelled'> {
    const reason = reasonOf(this.#interruption.signal);
    for (const event of cancelled(calls, reason)) await this.#tell(event);
    await this.#tell({ type: 'response.cancel', message_id: null, reason });
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
      for (const event of reader.cancel('the model failed')) await this.#tell(event);
      throw error;
    } finally {
      this.#keep(reader.read.diagnostics);
    }
    return reader.read;
  }

  async #read({ messages, text }: WrittenPrompt, reader: OutputReader): Promise<void> {
    const { model } = this.#options;
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
        for (const event of reader.feed(part)) await this.#tell(event);
      }
      this.#isCancelTold = this.#interruption.isThere;
      const last = this.#isCancelTold
        ? reader.cancel(reasonOf(this.#interruption.signal))
        : reader.end(isRead ? output?.finishReason?.() : undefined, !isRead);
      for (const event of last) await this.#tell(event);
    } finally {
      if (!isRead) {
        controller.abort(new DOMException('nothing more is read', 'AbortError'));
        source?.close();
      }
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
