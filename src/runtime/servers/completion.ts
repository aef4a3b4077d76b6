// Streams of text that a model server completes: OpenAI's `/v1/completions` (vLLM, SGLang, llama.cpp), llama.cpp's own
// `/completion` and ollama's `/api/generate`. The first ones are server-sent events, ollama's are lines of JSON.

import { escapeLine } from '../../printable.ts';
import type { Usage } from '../usage.ts';
import { LineReader, LONGEST_LINE, ModelError, piecesOf, type PieceSource } from './lines.ts';
import { readServerSentEvents } from './sse-read.ts';
import { checkOptions, type Known } from '../../options.ts';

/** A piece of a completion, as a model's server sends it. */
export interface CompletionChunk {
  readonly text: string;
  /** Ids of the tokens of the text; null: the server does not give them. */
  readonly tokens: readonly number[] | null;
  /** `stop` and `length` as OpenAI names them, or the server's own word; null: it goes on. */
  readonly finishReason: string | null;
  readonly usage: Usage | null;
}

/** How the body of a model server's response is read. */
export interface CompletionOptions {
  /** `lines`: a JSON value a line, as ollama sends it. Default `events`: server-sent events. */
  readonly framing?: 'events' | 'lines' | undefined;
  /** UTF-16 units of a line, and of an event, that are still read: 4 Mi. */
  readonly longest?: number | undefined;
  /** Takes out of what the server tells as an error what is not to be told, before it is cut. */
  readonly clean?: ((told: string) => string) | undefined;
}

const COMPLETION_OPTIONS: Known<CompletionOptions> = { framing: 1, longest: 1, clean: 1 };

/**
 * The chunks of a completion, from the body of a server's response. What the server tells as an error, what is no JSON
 * and what is too long is a ModelError. Behind `[DONE]` nothing is read. A body that ends before the server has said
 * that it is done was cut: its last chunk has the finish reason `length`.
 *
 * @example
 * ```ts
 * import { readCompletion } from 'openchatml/stream';
 *
 * async function* body() {
 *   yield 'data: {"choices":[{"text":"Hi","finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
 * }
 * for await (const { text, finishReason } of readCompletion(body())) console.log(text, finishReason); // Hi stop
 * ```
 */
export async function* readCompletion(
  source: PieceSource, options: CompletionOptions = {},
): AsyncGenerator<CompletionChunk, void, void> {
  checkOptions(options, COMPLETION_OPTIONS);
  const { framing = 'events', longest = LONGEST_LINE, clean = (told) => told } = options;
  let isOver = false;
  for await (const text of framing === 'lines' ? linesOf(source, longest) : dataOf(source, longest)) {
    if (text.trim() === '[DONE]') return;
    const chunk = chunkOf(text, clean);
    if (chunk === null) continue;
    isOver ||= chunk.finishReason !== null;
    yield chunk;
  }
  if (!isOver) yield { text: '', tokens: null, finishReason: 'length', usage: null };
}

const isFull = (text: string): boolean => text.trim() !== '';

async function* dataOf(source: PieceSource, longest: number): AsyncGenerator<string, void, void> {
  // An event without data keeps a connection open, and says nothing.
  for await (const { data } of readServerSentEvents(source, { longest })) if (isFull(data)) yield data;
}

async function* linesOf(source: PieceSource, longest: number): AsyncGenerator<string, void, void> {
  const reader = new LineReader(longest);
  for await (const piece of piecesOf(source)) yield* reader.feed(piece).filter(isFull);
  yield* reader.end().filter(isFull);
}

/** Characters of what a server says that are told. */
const TOLD = 300;

/** What a server says, as a part of one printable line. */
export function toldOf(text: string): string {
  const line = escapeLine(text.trim());
  return line.length > TOLD ? `${line.slice(0, TOLD)}…` : line;
}

type Fields = Readonly<Record<string, unknown>>;

/** Null: the chunk says nothing of the completion. */
function chunkOf(json: string, clean: (told: string) => string): CompletionChunk | null {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new ModelError('the model’s server sent something that is no JSON');
  }
  const fields = fieldsOf(value);
  if (fields === null) throw new ModelError('the model’s server sent JSON that is no object');
  if (fields['error'] !== undefined && fields['error'] !== null) {
    const { message } = fieldsOf(fields['error']) ?? { message: fields['error'] };
    throw new ModelError(`the model’s server failed: ${toldOf(clean(textOf(message)))}`);
  }
  const shape = SHAPES.find(({ key }) => fields[key] !== undefined && fields[key] !== null);
  return shape === undefined ? null : shape.read(fields);
}

/** One for each API, told by a key that the others do not have. */
const SHAPES: readonly { readonly key: string; readonly read: (fields: Fields) => CompletionChunk | null }[] = [
  { key: 'choices', read: readChoices },
  { key: 'response', read: readGenerate },
  { key: 'content', read: readLlama },
];

/** OpenAI's; vLLM gives `token_ids` with `return_token_ids`. The chunk with the usage has no choice. */
function readChoices({ choices, usage }: Fields): CompletionChunk | null {
  const choice = Array.isArray(choices) ? fieldsOf(choices[0]) : null;
  const told = fieldsOf(usage);
  const details = fieldsOf(told?.['prompt_tokens_details']);
  const cost = usageOf(told?.['prompt_tokens'], told?.['completion_tokens'], details?.['cached_tokens']);
  if (choice === null && cost === null) return null;
  return {
    text: textOf(choice?.['text']), tokens: idsOf(choice?.['token_ids']),
    finishReason: wordOf(choice?.['finish_reason']), usage: cost,
  };
}

/** ollama's. */
function readGenerate(fields: Fields): CompletionChunk {
  const isDone = fields['done'] === true;
  return {
    text: textOf(fields['response']), tokens: null,
    finishReason: isDone ? (wordOf(fields['done_reason']) ?? 'stop') : null,
    usage: usageOf(fields['prompt_eval_count'], fields['eval_count']),
  };
}

/** llama.cpp's own, with `return_tokens`. */
function readLlama(fields: Fields): CompletionChunk {
  const isDone = fields['stop'] === true;
  return {
    text: textOf(fields['content']), tokens: idsOf(fields['tokens']),
    finishReason: isDone ? (fields['stop_type'] === 'limit' ? 'length' : 'stop') : null,
    usage: isDone ? usageOf(fields['tokens_evaluated'], fields['tokens_predicted']) : null,
  };
}

function fieldsOf(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const wordOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const idsOf = (value: unknown): number[] | null => {
  return Array.isArray(value) && value.length > 0 && value.every(isCount) ? value : null;
};

function usageOf(inputTokens: unknown, outputTokens: unknown, cachedInputTokens?: unknown): Usage | null {
  if (!isCount(inputTokens) || !isCount(outputTokens)) return null;
  return { inputTokens, outputTokens, ...(isCount(cachedInputTokens) && { cachedInputTokens }) };
}
