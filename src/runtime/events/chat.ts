// The steps of an answer as chunks of OpenAI's chat completions.

import { countsOf, type Usage } from '../usage.ts';
import { Adapter, type AdapterOptions } from './adapter.ts';
import type { Ending, Step } from './answer.ts';

/** Why a chat completion ended. */
export type ChatFinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter';

interface ToolCallDelta {
  index: number;
  id?: string;
  type?: 'function';
  function: { name?: string; arguments: string };
}

/** What a chunk of a chat completion adds. */
export interface ChatDelta {
  role?: 'assistant';
  content?: string;
  /** As DeepSeek, vLLM and others name it: the official package has no name for reasoning here. */
  reasoning_content?: string;
  tool_calls?: ToolCallDelta[];
}

/** A chunk of OpenAI's chat completions. */
export interface ChatCompletionChunk {
  id: string;
  object: 'chat.completion.chunk';
  created: number;
  model: string;
  choices: { index: 0; delta: ChatDelta; logprobs: null; finish_reason: ChatFinishReason | null }[];
  /** Only in the last chunk, which has no choice. */
  usage?: ChatUsage;
}

/** What a chat completion cost, in tokens. */
export interface ChatUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details?: { cached_tokens: number };
  completion_tokens_details?: { reasoning_tokens: number };
}

/** Instead of a last chunk, where there is no answer: clients throw it. */
export interface ChatError {
  error: { message: string; type: 'server_error'; param: null; code: null };
}

/** What `ChatAdapter` gives: chunks, or an error in their place. */
export type ChatEvent = ChatCompletionChunk | ChatError;

const FINISH: Readonly<Record<Exclude<Ending, 'cancelled' | 'failed'>, ChatFinishReason>> = {
  stop: 'stop', calls: 'tool_calls', cut: 'length', filtered: 'content_filter',
};

/**
 * Turns the events of one stream into chunks of a chat completion: what the user may see is `content`, one message
 * after the other; calls are `tool_calls`; reasoning, only where the stream has the option `reasoning`, is
 * `reasoning_content`. `length` says that the output or a call is cut. Where the usage is known, a last chunk has it,
 * as with `stream_options: { include_usage: true }`.
 *
 * @example
 * ```ts
 * import { ChatAdapter, MessageStream } from 'openchatml/stream';
 *
 * const adapter = new ChatAdapter({ role: 'assistant' });
 * const stream = new MessageStream({ dialect: 'harmony', role: 'assistant', collect: true });
 * const events = [...stream.feed('<|channel|>final<|message|>4<|return|>'), ...stream.end()];
 * const chunks = events.flatMap((event) => adapter.take(event));
 * console.log(chunks.flatMap((chunk) => ('choices' in chunk ? chunk.choices : [])).at(-1)?.finish_reason); // stop
 * ```
 */
export class ChatAdapter extends Adapter<ChatEvent> {
  constructor(options: AdapterOptions = {}) {
    super('chatcmpl', options);
  }

  protected override opening(): void {
    this.#chunk({ role: 'assistant', content: '' });
  }

  protected override step(step: Step): void {
    switch (step.type) {
      case 'open':
        if (step.item.kind === 'call') {
          const { callId: id, callIndex: index, name } = step.item;
          this.#chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] });
        }
        break;
      case 'delta':
        this.#chunk(deltaOf(step));
        break;
      case 'end':
        this.#end(step.ending);
    }
  }

  #chunk(delta: ChatDelta, finish: ChatFinishReason | null = null): void {
    const choice = { index: 0, delta, logprobs: null, finish_reason: finish } as const;
    this.tell({ ...this.#about, choices: [choice] });
  }

  get #about(): Omit<ChatCompletionChunk, 'choices' | 'usage'> {
    const { id, model, created_at: created } = this.about;
    return { id, object: 'chat.completion.chunk', created, model };
  }

  #end(ending: Ending): void {
    if (ending !== 'failed' && ending !== 'cancelled') {
      this.#chunk({}, FINISH[ending]);
      if (this.usage !== null) this.tell({ ...this.#about, choices: [], usage: usageOf(countsOf(this.usage)) });
      return;
    }
    const message = ending === 'failed' ? 'the model failed' : 'the response was cancelled';
    this.tell({ error: { message, type: 'server_error', param: null, code: null } });
  }
}

function usageOf({ inputTokens, outputTokens, cachedInputTokens, reasoningTokens }: Usage): ChatUsage {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    ...(cachedInputTokens !== undefined && { prompt_tokens_details: { cached_tokens: cachedInputTokens } }),
    ...(reasoningTokens !== undefined && { completion_tokens_details: { reasoning_tokens: reasoningTokens } }),
  };
}

function deltaOf({ item, delta }: Extract<Step, { item: unknown; delta: string }>): ChatDelta {
  switch (item.kind) {
    case 'text': return { content: delta };
    case 'reasoning': return { reasoning_content: delta };
    case 'call': return { tool_calls: [{ index: item.callIndex, function: { arguments: delta } }] };
  }
}
