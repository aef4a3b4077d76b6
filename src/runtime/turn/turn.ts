// The turn loop: the model's output goes in, its calls go out, their replies come back, until it has answered (2.2
// §8.1, §12.7, §12.8).
//
// The calls of a turn are dispatched together when the turn is there as a whole: a turn that is cut or cancelled, or
// whose model fails, has called nothing. Replies stand in the order of the calls, whatever order they arrive in.

import { Refusal } from '../../formats/loss.ts';
import { writePrompt, type WrittenPrompt } from '../../formats/prompt.ts';
import type { MessageData } from '../../model/data.ts';
import type { DialectId } from '../../scan/dialects.ts';
import type { StreamDiagnostic } from '../stream/event.ts';
import type { Outcome } from '../router/types.ts';
import { type OutputRead, OutputReader } from './read.ts';
import { Interruption, isStream, openSource } from './source.ts';
import type { Output, OutputStream, TurnEvent, TurnOptions, TurnResult, TurnStop } from './types.ts';

const ROUNDS = 16;
const OUTPUT_LENGTH = 16 * 1024 * 1024;
const MOST_DIAGNOSTICS = 1000;

/**
 * Runs a model with its tools until it has answered. Whatever the model says, the run comes to an end. Rejects when
 * the model or `onEvent` throws; then nothing is left open either.
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
  readonly #outcomes: Outcome[] = [];
  readonly #diagnostics: StreamDiagnostic[] = [];
  #round = 0;

  constructor(options: TurnOptions) {
    const { model, messages, router, dialect = 'openchatml-2.2', maxRounds, maxOutputLength, signal } = options;
    if (typeof model !== 'function') throw new TypeError('option model: expected a function');
    this.#options = options;
    this.#dialect = dialect;
    this.#maxRounds = positive('maxRounds', maxRounds ?? ROUNDS);
    this.#maxLength = positive('maxOutputLength', maxOutputLength ?? OUTPUT_LENGTH);
    this.#messages = [...messages];
    router.reserveIds(messages.flatMap(({ role, callId }) => (role === 'assistant' && callId ? [callId] : [])));
    this.#interruption = new Interruption(signal);
  }

  close(): void {
    this.#interruption.close();
  }

  async rounds(): Promise<TurnResult> {
    if (this.#interruption.isThere) return this.#result('cancelled');
    while (this.#round < this.#maxRounds) {
      this.#round++;
      const stop = await this.#oneRound();
      if (stop !== null) return this.#result(stop);
    }
    return this.#result('rounds');
  }

  /** Null: the model is to go on. */
  async #oneRound(): Promise<TurnStop | Refusal | null> {
    const prompt = this.#prompt();
    if (prompt instanceof Refusal) return prompt;
    await this.#emit({ type: 'turn.prompt', round: this.#round, losses: prompt.losses });
    const read = await this.#output(prompt);
    for (const found of read.diagnostics)
      if (this.#diagnostics.length < MOST_DIAGNOSTICS) this.#diagnostics.push(found);
    const calls = this.#withIds(read);
    for (const message of read.messages) this.#messages.push(message);
    if (this.#interruption.isThere) return 'cancelled';
    if (read.isCut) return 'length';
    if (calls.length === 0) return read.isAnswered ? 'final' : read.isOver ? 'unanswered' : null;
    const outcomes = await this.#options.router.dispatchAll(calls, this.#options.signal);
    for (const outcome of outcomes) {
      this.#outcomes.push(outcome);
      this.#messages.push(outcome.reply);
    }
    for (const outcome of outcomes) await this.#emit({ type: 'turn.outcome', outcome });
    return this.#interruption.isThere ? 'cancelled' : null;
  }

  #prompt(): WrittenPrompt | Refusal {
    try {
      const { header = null, tools = [], rule, neutralise } = this.#options;
      const data = { header, tools, messages: this.#messages };
      return writePrompt(data, this.#dialect, { rule, neutralise });
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  }

  /** Where the text of a dialect has no ids, calls get them here, so that call and reply belong together in data. */
  #withIds({ calls, messages }: OutputRead): OutputRead['calls'][number]['call'][] {
    if (this.#dialect === 'openchatml-2.2') return calls.map(({ call }) => call);
    return calls.map(({ at, call }) => {
      const callId = this.#options.router.makeId();
      messages[at] = { ...messages[at]!, callId };
      return { ...call, callId };
    });
  }

  /** Asks the model and reads its output as far as it is needed. */
  async #output({ messages, text }: WrittenPrompt): Promise<OutputRead> {
    const { model, stopStripped, thinkOpen, harmonyPreambles, missingChannel, reasoning } = this.#options;
    const shown = { harmonyPreambles, missingChannel, reasoning };
    const reader = new OutputReader(this.#dialect, { stopStripped, thinkOpen, ...shown });
    const controller = new AbortController();
    let source: ReturnType<typeof openSource> | undefined;
    let isRead = false;
    try {
      const asked = (async () => model({ messages, text, round: this.#round, signal: controller.signal }))();
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
      const last = this.#interruption.isThere
        ? reader.cancel('the turn was cancelled')
        : reader.end(isRead ? output?.finishReason?.() : undefined, !isRead);
      for (const event of last) await this.#emit(event);
      return reader.read;
    } finally {
      if (!isRead) {
        controller.abort(new DOMException('nothing more is read', 'AbortError'));
        source?.close();
      }
    }
  }

  async #emit(event: TurnEvent): Promise<void> {
    const settled = this.#options.onEvent?.(event);
    if (settled !== undefined) await settled;
  }

  #result(ending: TurnStop | Refusal): TurnResult {
    const refusal = ending instanceof Refusal ? ending : null;
    return {
      messages: this.#messages,
      outcomes: this.#outcomes,
      stop: ending instanceof Refusal ? 'refused' : ending,
      refusal,
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
