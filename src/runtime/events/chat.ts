// The steps of an answer as chunks of OpenAI's chat completions.

import { Adapter, type AdapterOptions } from './adapter.ts';
import type { Ending, Step } from './answer.ts';

export type ChatFinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter';

interface ToolCallDelta {
  index: number;
  id?: string;
  type?: 'function';
  function: { name?: string; arguments: string };
}

export interface ChatDelta {
  role?: 'assistant';
  content?: string;
  /** As DeepSeek, vLLM and others name it: the official package has no name for reasoning here. */
  reasoning_content?: string;
  tool_calls?: ToolCallDelta[];
}

export interface ChatCompletionChunk {
  id: string;
  object: 'chat.completion.chunk';
  created: number;
  model: string;
  choices: { index: 0; delta: ChatDelta; logprobs: null; finish_reason: ChatFinishReason | null }[];
}

/** Instead of a last chunk, where there is no answer: clients throw it. */
export interface ChatError {
  error: { message: string; type: 'server_error'; param: null; code: null };
}

export type ChatEvent = ChatCompletionChunk | ChatError;

const FINISH: Readonly<Record<Exclude<Ending, 'cancelled' | 'failed'>, ChatFinishReason>> = {
  stop: 'stop', calls: 'tool_calls', cut: 'length', filtered: 'content_filter',
};

/**
 * Turns the events of one stream into chunks of a chat completion: what the user may see is `content`, one message
 * after the other; calls are `tool_calls`; reasoning, only where the stream has the option `reasoning`, is
 * `reasoning_content`. `length` says that the output or a call is cut.
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
    const { id, model, created_at: created } = this.about;
    const choice = { index: 0, delta, logprobs: null, finish_reason: finish } as const;
    this.tell({ id, object: 'chat.completion.chunk', created, model, choices: [choice] });
  }

  #end(ending: Ending): void {
    if (ending !== 'failed' && ending !== 'cancelled') return this.#chunk({}, FINISH[ending]);
    const message = ending === 'failed' ? 'the model failed' : 'the response was cancelled';
    this.tell({ error: { message, type: 'server_error', param: null, code: null } });
  }
}

function deltaOf({ item, delta }: Extract<Step, { item: unknown; delta: string }>): ChatDelta {
  switch (item.kind) {
    case 'text': return { content: delta };
    case 'reasoning': return { reasoning_content: delta };
    case 'call': return { tool_calls: [{ index: item.callIndex, function: { arguments: delta } }] };
  }
}
