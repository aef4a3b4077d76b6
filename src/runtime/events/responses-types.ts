// The events of OpenAI's Responses streaming, as far as a model that writes text gives them: names and payloads as the
// `openai` package has them.

type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

export interface OutputText {
  type: 'output_text';
  text: string;
  annotations: never[];
}

export interface ReasoningText {
  type: 'reasoning_text';
  text: string;
}

export interface SummaryText {
  type: 'summary_text';
  text: string;
}

/** An item of the output of OpenAI's Responses. */
export type ResponsesItem =
  | {
    type: 'message';
    id: string;
    role: 'assistant';
    status: ItemStatus;
    /** `commentary`: a preamble. */
    phase: 'commentary' | 'final_answer';
    content: OutputText[];
  }
  | { type: 'reasoning'; id: string; status: ItemStatus; summary: SummaryText[]; content: ReasoningText[] }
  | { type: 'function_call'; id: string; status: ItemStatus; call_id: string; name: string; arguments: string };

/** The response that events of OpenAI's Responses carry. */
export interface ResponsesObject {
  id: string;
  object: 'response';
  created_at: number;
  status: 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled';
  model: string;
  error: { code: 'server_error'; message: string } | null;
  incomplete_details: { reason: 'max_output_tokens' | 'content_filter' } | null;
  output: ResponsesItem[];
  /** All text for the user. */
  output_text: string;
  instructions: null;
  metadata: null;
  parallel_tool_calls: boolean;
  temperature: null;
  tool_choice: 'auto';
  tools: never[];
  top_p: null;
  /** In the last event, where it is known. */
  usage?: ResponsesUsage;
}

/** 0 also where the model does not tell a part. */
export interface ResponsesUsage {
  input_tokens: number;
  input_tokens_details: { cached_tokens: number; cache_write_tokens: number };
  output_tokens: number;
  output_tokens_details: { reasoning_tokens: number };
  total_tokens: number;
}

interface InOutput {
  item_id: string;
  output_index: number;
}

interface InContent extends InOutput {
  content_index: number;
}

interface InSummary extends InOutput {
  summary_index: number;
}

type Sequenced<Event> = Event & { sequence_number: number };

/** An event of OpenAI's Responses streaming. */
export type ResponsesEvent = Sequenced<
  | {
    type: 'response.created' | 'response.in_progress';
    response: ResponsesObject;
  }
  | { type: 'response.completed' | 'response.incomplete' | 'response.failed'; response: ResponsesObject }
  | { type: 'response.output_item.added' | 'response.output_item.done'; output_index: number; item: ResponsesItem }
  | (InContent & {
    type: 'response.content_part.added' | 'response.content_part.done';
    part: OutputText | ReasoningText;
  })
  | (InContent & { type: 'response.output_text.delta'; delta: string; logprobs: never[] })
  | (InContent & { type: 'response.output_text.done'; text: string; logprobs: never[] })
  | (InContent & { type: 'response.reasoning_text.delta'; delta: string })
  | (InContent & { type: 'response.reasoning_text.done'; text: string })
  | (InSummary & {
    type: 'response.reasoning_summary_part.added' | 'response.reasoning_summary_part.done';
    part: SummaryText;
  })
  | (InSummary & { type: 'response.reasoning_summary_text.delta'; delta: string })
  | (InSummary & { type: 'response.reasoning_summary_text.done'; text: string })
  | (InOutput & { type: 'response.function_call_arguments.delta'; delta: string })
  | (InOutput & { type: 'response.function_call_arguments.done'; name: string; arguments: string })
>;
