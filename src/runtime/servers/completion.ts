// Streams of text that a model server completes: OpenAI's `/v1/completions` (vLLM, SGLang, llama.cpp), llama.cpp's own
// `/completion` and ollama's `/api/generate`. The first ones are server-sent events, ollama's are lines of JSON.

import { escapeLine } from '../../printable.ts';
import type { Usage } from '../usage.ts';
import { checkLongest, LineReader, LONGEST_LINE, ModelError, type Piece, piecesOf, type PieceSource } from './lines.ts';
import { leavable, type SourceReader } from '../source.ts';
import { eventsIn } from './sse-read.ts';
import { checkFunction, checkOneOf, checkOptions, type Known } from '../../options.ts';

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
 * The chunks of a completion, from the body of a server's response. Throws a ModelError for what the server tells as
 * an error, what is no JSON or too long, chunks of a chat, and a body in which nothing is a completion, as in a page.
 * Behind `[DONE]` nothing is read. A body that ends before the server has said that it is done was cut: its last chunk
 * has the finish reason `length`.
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
export function readCompletion(
  source: PieceSource, options: CompletionOptions = {},
): AsyncGenerator<CompletionChunk, void, void> {
  checkOptions(options, COMPLETION_OPTIONS);
  checkOneOf('framing', options.framing, ['events', 'lines']);
  checkLongest(options.longest ?? LONGEST_LINE);
  checkFunction('clean', options.clean);
  const pieces = piecesOf(source, 'readCompletion');
  return leavable(chunksIn(pieces, options), () => pieces.close());
}

async function* chunksIn(
  pieces: SourceReader<Piece>, options: CompletionOptions,
): AsyncGenerator<CompletionChunk, void, void> {
  const { framing = 'events', longest = LONGEST_LINE, clean = (told) => told } = options;
  let isOver = false;
  let isKnown = false;
  /** Names of what stood in the first chunk that says nothing of a completion. */
  let unknown: string | null = null;
  for await (const text of framing === 'lines' ? linesOf(pieces, longest) : dataOf(pieces, longest, clean)) {
    if (text.trim() === '[DONE]') return;
    const fields = fieldsIn(text, clean);
    const shape = SHAPES.find(({ key }) => isThere(fields[key]));
    if (shape === undefined) unknown ??= Object.keys(fields).join(', ');
    isKnown ||= shape !== undefined;
    const chunk = shape?.read(fields) ?? null;
    if (chunk === null) continue;
    isOver ||= chunk.finishReason !== null;
    yield chunk;
  }
  if (pieces.isLeft) return;
  if (!isKnown && unknown !== null) {
    const names = toldOf(clean(unknown));
    throw new ModelError(`the model’s server sent no completion: its objects have the fields ${names}`);
  }
  if (!isOver) yield { text: '', tokens: null, finishReason: 'length', usage: null };
}

const isFull = (text: string): boolean => text.trim() !== '';

/** Characters of what is no event stream: more than are told, as it is cleaned before it is cut. */
const LOOKED_AT = 4096;
/** A line of server-sent events: a field, or a comment. */
const EVENT_LINE = /^\ufeff?\s*(?:(?:data|event|id|retry)\s*(?:$|[:\r\n])|:)/;

async function* dataOf(
  pieces: SourceReader<Piece>, longest: number, clean: (told: string) => string,
): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  let beginning = '';
  const watched = async function* (): AsyncGenerator<Piece, void, void> {
    for await (const piece of pieces) {
      if (beginning.length < LOOKED_AT) {
        const part = piece.slice(0, LOOKED_AT);
        beginning += typeof part === 'string' ? part : decoder.decode(part, { stream: true });
      }
      yield piece;
    }
  };
  let isThere = false;
  for await (const { event, data } of eventsIn(watched(), { longest })) {
    isThere = true;
    if (event === 'error') throw failure(data, clean);
    // An event without data keeps a connection open, and says nothing.
    if (isFull(data)) yield data;
  }
  // A page, for example, has no event.
  if (pieces.isLeft || isThere || !isFull(beginning) || EVENT_LINE.test(beginning)) return;
  if (beginning.startsWith('{')) fieldsIn(beginning, clean);
  throw new ModelError(`the model’s server sent no events: ${toldOf(clean(beginning))}`);
}

async function* linesOf(pieces: AsyncIterable<Piece>, longest: number): AsyncGenerator<string, void, void> {
  const reader = new LineReader(longest);
  for await (const piece of pieces) yield* reader.feed(piece).filter(isFull);
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

const isThere = (value: unknown): boolean => value !== undefined && value !== null;

/** What a server told as an error: an object with words for people, or nothing but these. */
function failure(told: string, clean: (told: string) => string): ModelError {
  let value: unknown = told;
  try {
    value = JSON.parse(told);
  } catch {
    // Text is as good.
  }
  return new ModelError(`the model’s server failed: ${toldOf(clean(wordsOf(value))) || 'it does not say why'}`);
}

/** The words for people, wherever the server puts them: FastAPI has `detail`, which may be a list of objects. */
function wordsOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(wordsOf).filter(isFull).join('; ');
  const fields = fieldsOf(value);
  if (fields === null) return textOf(value);
  const key = ['error', 'message', 'detail', 'msg'].find((name) => isThere(fields[name]));
  return key === undefined ? '' : wordsOf(fields[key]);
}

/** A chunk as an object. Throws what it tells as an error. */
function fieldsIn(json: string, clean: (told: string) => string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new ModelError('the model’s server sent something that is no JSON');
  }
  const fields = fieldsOf(value);
  if (fields === null) throw new ModelError('the model’s server sent JSON that is no object');
  const isCompletion = SHAPES.some(({ key }) => isThere(fields[key]));
  const isError = isThere(fields['error']) || fields['object'] === 'error';
  if (isError || (!isCompletion && isThere(fields['detail']))) throw failure(json, clean);
  const choice = Array.isArray(fields['choices']) ? fieldsOf(fields['choices'][0]) : null;
  const said = choice === null ? fieldsOf(fields['message']) : (choice['delta'] ?? choice['message']);
  if (isThere(said) && !isThere(choice?.['text'])) throw new ModelError(CHATS);
  return fields;
}

const CHATS = 'the model’s server answers chats: ask it where it completes text, /v1/completions for example';

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
