// The steps of an answer as events of OpenAI's Responses streaming.

import { countsOf, type Usage } from '../usage.ts';
import { Adapter, type AdapterOptions, type ResponseFields } from './adapter.ts';
import type { Ending, Item, Step } from './answer.ts';
import type {
  OutputText, ReasoningText, ResponsesEvent, ResponsesItem, ResponsesObject, ResponsesUsage,
} from './responses-types.ts';

/** An event before it has its number. */
type Unnumbered = ResponsesEvent extends infer Event ? Event extends unknown ? Omit<Event, 'sequence_number'> : never
  : never;
type Status = ResponsesObject['status'];

const ENDINGS: Readonly<Record<Ending, 'response.completed' | 'response.incomplete' | 'response.failed'>> = {
  stop: 'response.completed',
  calls: 'response.completed',
  cut: 'response.incomplete',
  filtered: 'response.incomplete',
  cancelled: 'response.failed',
  failed: 'response.failed',
};
const STATUS: Readonly<Record<Ending, Status>> = {
  stop: 'completed', calls: 'completed', cut: 'incomplete', filtered: 'incomplete', cancelled: 'cancelled',
  failed: 'failed',
};
const MESSAGES: Partial<Record<Ending, string>> = {
  cancelled: 'the response was cancelled',
  failed: 'the model failed',
};

/**
 * Turns the events of one stream into those of OpenAI's Responses. An output of a model is one response: texts for the
 * user are its messages, calls its function calls; reasoning is an item only where the stream has the option
 * `reasoning` or `summarize`. A call that nobody may make is left out. `response.failed` stands for an output that
 * failed, was cancelled, or stopped for such a call, `response.incomplete` for one that is cut.
 *
 * @example
 * ```ts
 * import { MessageStream, ResponsesAdapter } from 'openchatml/stream';
 *
 * const adapter = new ResponsesAdapter({ role: 'assistant' });
 * const stream = new MessageStream({ dialect: 'harmony', role: 'assistant', collect: true });
 * const events = [...stream.feed('<|channel|>final<|message|>4<|return|>'), ...stream.end()];
 * console.log(events.flatMap((event) => adapter.take(event)).at(-1)?.type); // response.completed
 * ```
 */
export class ResponsesAdapter extends Adapter<ResponsesEvent> {
  readonly #fields: ResponseFields;
  readonly #output: ResponsesItem[] = [];
  #sequence = 0;

  constructor(options: AdapterOptions = {}) {
    super('resp', options);
    this.#fields = options.response ?? {};
  }

  #tell(event: Unnumbered): void {
    this.tell({ ...event, sequence_number: this.#sequence++ } as ResponsesEvent);
  }

  /** `response.created` and `response.in_progress`. */
  protected override opening(): void {
    this.#tell({ type: 'response.created', response: this.#response('in_progress') });
    this.#tell({ type: 'response.in_progress', response: this.#response('in_progress') });
  }

  #response(status: Status, ending: Ending | null = null): ResponsesObject {
    const text = this.#output.flatMap((item) => (item.type === 'message' ? item.content : [])).map(({ text }) => text);
    const message = ending === null ? undefined : MESSAGES[ending];
    return {
      instructions: null, metadata: null, parallel_tool_calls: true, temperature: null, tool_choice: 'auto', tools: [],
      top_p: null, ...this.#fields, ...this.about, object: 'response', status,
      error: message === undefined ? null : { code: 'server_error', message },
      incomplete_details: ending === 'cut' ? { reason: 'max_output_tokens' }
        : ending === 'filtered' ? { reason: 'content_filter' } : null,
      output: [...this.#output],
      output_text: text.join(''),
      ...(ending !== null && this.usage !== null && { usage: usageOf(countsOf(this.usage)) }),
    } as ResponsesObject;
  }

  protected override step(step: Step): void {
    switch (step.type) {
      case 'open':
        this.#added(step.item);
        break;
      case 'delta':
        if (step.isFirst && step.item.kind === 'reasoning') this.#part('added', step.item, '');
        this.#delta(step.item, step.delta);
        break;
      case 'summary':
        this.#summary(step.item, step.delta, step.isFirst);
        break;
      case 'close':
        this.#done(step.item, step.isWhole);
        break;
      case 'end':
        this.#tell({ type: ENDINGS[step.ending], response: this.#response(STATUS[step.ending], step.ending) });
    }
  }

  #added(item: Item): void {
    this.#tell({
      type: 'response.output_item.added', output_index: item.index,
      item: itemOf({ ...item, text: '', summary: null }, 'in_progress'),
    });
    if (item.kind === 'text') this.#part('added', item, '');
  }

  #part(what: 'added' | 'done', item: Item, text: string): void {
    this.#tell({ type: `response.content_part.${what}`, ...inContent(item), part: partOf(item, text) });
  }

  #delta(item: Item, delta: string): void {
    if (item.kind === 'text') {
      this.#tell({ type: 'response.output_text.delta', ...inContent(item), delta, logprobs: [] });
    } else if (item.kind === 'reasoning') {
      this.#tell({ type: 'response.reasoning_text.delta', ...inContent(item), delta });
    } else {
      this.#tell({ type: 'response.function_call_arguments.delta', ...inOutput(item), delta });
    }
  }

  #summary(item: Item, delta: string, isFirst: boolean): void {
    const at = { ...inOutput(item), summary_index: 0 };
    const part = { type: 'summary_text', text: '' } as const;
    if (isFirst) this.#tell({ type: 'response.reasoning_summary_part.added', ...at, part });
    this.#tell({ type: 'response.reasoning_summary_text.delta', ...at, delta });
  }

  /** Of a call that is cut the arguments are never done. */
  #done(item: Item, isWhole: boolean): void {
    const { kind, text, summary } = item;
    if (kind === 'text') {
      this.#tell({ type: 'response.output_text.done', ...inContent(item), text, logprobs: [] });
      this.#part('done', item, text);
    } else if (kind === 'call') {
      const done = { ...inOutput(item), name: item.name, arguments: text };
      if (isWhole) this.#tell({ type: 'response.function_call_arguments.done', ...done });
    } else {
      if (text !== '') {
        this.#tell({ type: 'response.reasoning_text.done', ...inContent(item), text });
        this.#part('done', item, text);
      }
      if (summary !== null) {
        const at = { ...inOutput(item), summary_index: 0 };
        const part = { type: 'summary_text', text: summary } as const;
        this.#tell({ type: 'response.reasoning_summary_text.done', ...at, text: summary });
        this.#tell({ type: 'response.reasoning_summary_part.done', ...at, part });
      }
    }
    const done = itemOf(item, isWhole ? 'completed' : 'incomplete');
    this.#output.push(done);
    this.#tell({ type: 'response.output_item.done', output_index: item.index, item: done });
  }
}

function usageOf({ inputTokens, outputTokens, cachedInputTokens = 0, reasoningTokens = 0 }: Usage): ResponsesUsage {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedInputTokens, cache_write_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  };
}

function inOutput({ id, index }: Item): { item_id: string; output_index: number } {
  return { item_id: id, output_index: index };
}

function inContent(item: Item): { item_id: string; output_index: number; content_index: number } {
  return { ...inOutput(item), content_index: 0 };
}

function partOf({ kind }: Item, text: string): OutputText | ReasoningText {
  return kind === 'text' ? { type: 'output_text', text, annotations: [] } : { type: 'reasoning_text', text };
}

/** The item with what has come of it; when it is added nothing has. */
function itemOf(item: Item, status: ResponsesItem['status']): ResponsesItem {
  const { kind, id, text, summary } = item;
  const isAdded = status === 'in_progress';
  switch (kind) {
    case 'text':
      return {
        type: 'message', id, role: 'assistant', status, phase: item.isPreamble ? 'commentary' : 'final_answer',
        content: isAdded ? [] : [{ type: 'output_text', text, annotations: [] }],
      };
    case 'call':
      return { type: 'function_call', id, status, call_id: item.callId, name: item.name, arguments: text };
    case 'reasoning':
      return {
        type: 'reasoning', id, status, summary: summary === null ? [] : [{ type: 'summary_text', text: summary }],
        content: text === '' ? [] : [{ type: 'reasoning_text', text }],
      };
  }
}
