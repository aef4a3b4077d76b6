// The steps of an answer as stream parts of a language model of the Vercel AI SDK. The parts here are the same in
// LanguageModelV3 (`ai` 6) and LanguageModelV4 (`ai` 7).

import { countsOf, type Usage } from '../usage.ts';
import { Adapter, type AdapterOptions } from './adapter.ts';
import type { Ending, Item, Step } from './answer.ts';

/** As far as the model tells it. */
export interface AiSdkUsage {
  inputTokens: {
    total: number | undefined;
    noCache: number | undefined;
    cacheRead: number | undefined;
    cacheWrite: undefined;
  };
  outputTokens: { total: number | undefined; text: number | undefined; reasoning: number | undefined };
}

/** A stream part of a language model of the Vercel AI SDK. */
export type AiSdkPart =
  | { type: 'stream-start'; warnings: never[] }
  | { type: 'response-metadata'; id: string; modelId: string; timestamp: Date }
  | { type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end' | 'tool-input-end'; id: string }
  | { type: 'text-delta' | 'reasoning-delta' | 'tool-input-delta'; id: string; delta: string }
  | { type: 'tool-input-start'; id: string; toolName: string; inputEncoding?: 'text' }
  | { type: 'tool-call'; toolCallId: string; toolName: string; input: string }
  | { type: 'error'; error: string }
  | {
    type: 'finish';
    usage: AiSdkUsage;
    finishReason: {
      unified: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';
      raw: string | undefined;
    };
  };

type Finish = Extract<AiSdkPart, { type: 'finish' }>['finishReason']['unified'];

const FINISH: Readonly<Record<Ending, Finish>> = {
  stop: 'stop', calls: 'tool-calls', cut: 'length', filtered: 'content-filter', cancelled: 'other', failed: 'error',
};

/**
 * Turns the events of one stream into stream parts of the AI SDK, for the stream of a model's `doStream`. Reasoning has
 * parts only where the stream has the option `reasoning`. A call that is cut is no `tool-call`; the code for `python`
 * is a JSON string.
 *
 * @example
 * ```ts
 * import { AiSdkAdapter, MessageStream } from 'openchatml/stream';
 *
 * const adapter = new AiSdkAdapter({ role: 'assistant' });
 * const stream = new MessageStream({ dialect: 'harmony', role: 'assistant', collect: true });
 * const events = [...stream.feed('<|channel|>final<|message|>4<|return|>'), ...stream.end()];
 * const parts = events.flatMap((event) => adapter.take(event));
 * console.log(parts.filter(({ type }) => type === 'text-delta').length); // 1
 * ```
 */
export class AiSdkAdapter extends Adapter<AiSdkPart> {
  constructor(options: AdapterOptions = {}) {
    super('resp', options);
  }

  protected override opening(): void {
    const { id, model: modelId, created_at: seconds } = this.about;
    this.tell({ type: 'stream-start', warnings: [] });
    this.tell({ type: 'response-metadata', id, modelId, timestamp: new Date(seconds * 1000) });
  }

  protected override step(step: Step): void {
    switch (step.type) {
      case 'open':
        // Of reasoning there may be nothing but a summary, which has no part here.
        if (step.item.kind !== 'reasoning') this.#open(step.item);
        break;
      case 'delta':
        if (step.isFirst && step.item.kind === 'reasoning') this.#open(step.item);
        this.tell({ type: `${PART[step.item.kind]}-delta`, id: idOf(step.item), delta: step.delta });
        break;
      case 'close':
        this.#close(step.item, step.isWhole);
        break;
      case 'end':
        this.#end(step.ending);
    }
  }

  #open(item: Item): void {
    const { kind, name: toolName, isJson } = item;
    const id = idOf(item);
    if (kind !== 'call') this.tell({ type: `${kind}-start`, id });
    else this.tell({ type: 'tool-input-start', id, toolName, ...(!isJson && { inputEncoding: 'text' }) });
  }

  #close(item: Item, isWhole: boolean): void {
    const { kind, callId: toolCallId, name: toolName, isJson, text } = item;
    if (kind === 'reasoning' && text === '') return;
    this.tell({ type: `${PART[kind]}-end`, id: idOf(item) });
    if (kind !== 'call' || !isWhole) return;
    this.tell({ type: 'tool-call', toolCallId, toolName, input: isJson ? text : JSON.stringify(text) });
  }

  #end(ending: Ending): void {
    if (ending === 'failed') this.tell({ type: 'error', error: 'the model failed' });
    const finishReason = { unified: FINISH[ending], raw: this.finishReason ?? undefined };
    this.tell({ type: 'finish', usage: usageOf(this.usage), finishReason });
  }
}

const PART = { text: 'text', reasoning: 'reasoning', call: 'tool-input' } as const;

function usageOf(usage: Usage | null): AiSdkUsage {
  const { inputTokens: input, outputTokens: output, cachedInputTokens: cached, reasoningTokens: reasoning }
    : Partial<Usage> = usage === null ? {} : countsOf(usage);
  const rest = (all: number | undefined, part: number | undefined): number | undefined =>
    all === undefined || part === undefined ? undefined : all - part;
  return {
    inputTokens: { total: input, noCache: rest(input, cached), cacheRead: cached, cacheWrite: undefined },
    outputTokens: { total: output, text: rest(output, reasoning), reasoning },
  };
}

const idOf = ({ kind, id, callId }: Item): string => (kind === 'call' ? callId : id);
