// A server that completes text as a model for the turn loop.

import type { Address, Fetch } from '../../platform.ts';
import type { TurnOutput, TurnPrompt } from '../turn/types.ts';
import type { Usage } from '../usage.ts';
import { type CompletionChunk, readCompletion, toldOf } from './completion.ts';
import { leavable } from '../source.ts';
import { checkLongest, LONGEST_LINE, ModelError, type Piece, piecesOf } from './lines.ts';
import { checkFunction, checkOption, checkOptions, checkText, type Known } from '../../options.ts';

/** How a model's server is asked. */
export interface OpenAICompatibleOptions {
  /** The model's name, for servers that have several. */
  readonly model?: string | undefined;
  /** An `Authorization` for example: an object, `Headers`, or pairs of name and value. They stand in no error. */
  readonly headers?: Readonly<Record<string, string>> | Iterable<readonly [string, string]> | undefined;
  /** Further fields of the request: `max_tokens`, `temperature`, `stop`; they replace those of this function. */
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  /** Without it, the global one. */
  readonly fetch?: Fetch | undefined;
  /** UTF-16 units of a line, and of an event, that are still read: 4 Mi. */
  readonly longest?: number | undefined;
}

const SERVER_OPTIONS: Known<OpenAICompatibleOptions> = { model: 1, headers: 1, body: 1, fetch: 1, longest: 1 };

/**
 * The server answered with another status than 200 to 299.
 *
 * @example
 * ```ts
 * import { ModelStatusError } from 'openchatml/stream';
 *
 * console.log(new ModelStatusError(503, 'overloaded').status); // 503
 * ```
 */
export class ModelStatusError extends ModelError {
  override readonly name = 'ModelStatusError';
  readonly status: number;
  /** The beginning of what it answered, as one printable line; what stands in a header of the request is left out. */
  readonly body: string;

  constructor(status: number, body: string) {
    super(`the model’s server answered ${status}${body === '' ? '' : `: ${body}`}`);
    this.status = status;
    this.body = body;
  }
}

/** What a server completes, as text. */
export interface CompletedText extends TurnOutput {
  readonly stream: AsyncGenerator<string, void, void>;
  /** Why the model stopped; null before the stream has ended, or where the server does not say. */
  readonly finishReason: () => string | null;
  /** What the output cost; null before the stream has ended, or where the server does not say. */
  readonly usage: () => Usage | null;
}

/** Fields by the end of the path; without special tokens in the text there would be no messages to tell apart. */
const REQUESTS: readonly { readonly path: string; readonly fields: object; readonly takesIds?: false }[] = [
  { path: '/api/generate', fields: { raw: true }, takesIds: false },
  { path: '/completion', fields: { return_tokens: true } },
  { path: '', fields: { skip_special_tokens: false, stream_options: { include_usage: true } } },
];
/** Bytes of an error's body that are read. */
const READ_OF_ERROR = 4096;
/** Shorter values of headers may be words of any text. */
const SHORTEST_SECRET = 6;

/**
 * A model for `runTurn` behind a server: `url` is the whole address of its `/v1/completions` (vLLM, SGLang, llama.cpp),
 * of llama.cpp's `/completion` or of ollama's `/api/generate`. The server must leave control tokens in the text: vLLM
 * and SGLang are asked to, llama.cpp needs `--special`. When nothing more is read, the request is aborted.
 * Its events throw a ModelError where the server fails, or takes no token ids and is given some.
 *
 * @example
 * ```ts
 * import { openAICompatible, runTurn, ToolRouter } from 'openchatml/stream';
 *
 * const model = openAICompatible('http://localhost:8000/v1/completions', { body: { max_tokens: 500 } });
 * const run = runTurn({ model, router: new ToolRouter({}), messages: [{ role: 'user', content: 'Hi' }] });
 * console.log(run.result instanceof Promise); // true
 * ```
 */
export function openAICompatible(
  url: Address, options: OpenAICompatibleOptions = {},
): (prompt: TurnPrompt) => Promise<CompletedText> {
  checkOptions(options, SERVER_OPTIONS);
  const { model, body, longest = LONGEST_LINE, fetch: ask = fetch } = options;
  checkText('option model', model);
  checkOption('body', body, null);
  checkFunction('fetch', ask);
  checkLongest(longest);
  const headers = headersOf(options.headers);
  const { fields, takesIds = true } = REQUESTS.find(({ path }) => pathOf(url).endsWith(path))!;
  return async ({ text, ids, signal }: TurnPrompt): Promise<CompletedText> => {
    // Where there are ids, the text is not safe: control tokens in bodies are text in the ids alone.
    if (ids && !takesIds) throw new ModelError('the model’s server takes no token ids: leave the vocabulary out');
    const prompt = ids ? [...ids] : text;
    const request = { ...(model !== undefined && { model }), prompt, stream: true, ...fields, ...body };
    const init = {
      method: 'POST', signal, body: JSON.stringify(request),
      headers: { 'content-type': 'application/json', ...headers },
    };
    const response = await asked(() => ask(url as string | URL, init), signal);
    if (!response.ok) throw new ModelStatusError(response.status, await errorOf(response, headers));
    if (response.body === null) throw new ModelError('the model’s server sent nothing');
    const type = response.headers.get('content-type') ?? '';
    const framing = type.includes('json') ? 'lines' : 'events';
    const clean = (told: string): string => withoutSecrets(told, headers);
    return outputOf(readCompletion(response.body as ReadableStream<Uint8Array>, { framing, longest, clean }));
  };
}

/** The path of an address. Throws a TypeError for what is none of a server. */
function pathOf(url: unknown): string {
  const given = typeof url === 'string' ? url : (url as { href?: unknown } | null | undefined)?.href;
  const address = typeof given === 'string' && URL.canParse(given) ? new URL(given) : null;
  if (address !== null && /^https?:$/.test(address.protocol)) return address.pathname;
  throw new TypeError('url: expected the whole address, such as http://localhost:8000/v1/completions');
}

/** Names, in small letters, and values. Throws a TypeError that tells none of the values. */
function headersOf(given: OpenAICompatibleOptions['headers']): Readonly<Record<string, string>> {
  try {
    return Object.fromEntries(new Headers(given as Record<string, string> | undefined));
  } catch {
    throw new TypeError('option headers: expected an object of texts that a request may have as headers, or Headers');
  }
}

/** Why there was no connection, without what a platform says of the request. */
async function asked(ask: () => Promise<Response>, signal: AbortSignal): Promise<Response> {
  try {
    return await ask();
  } catch (error) {
    if (signal.aborted) throw error;
    const { code } = ((error as Error | null)?.cause ?? {}) as { code?: unknown };
    throw new ModelError(`the model’s server cannot be reached${typeof code === 'string' ? ` (${code})` : ''}`);
  }
}

function outputOf(chunks: AsyncGenerator<CompletionChunk, void, void>): CompletedText {
  let reason: string | null = null;
  let usage: Usage | null = null;
  const texts = async function* (): AsyncGenerator<string, void, void> {
    for await (const chunk of chunks) {
      reason = chunk.finishReason ?? reason;
      usage = chunk.usage ?? usage;
      if (chunk.text !== '') yield chunk.text;
    }
  };
  return { stream: leavable(texts(), () => void chunks.return()), finishReason: () => reason, usage: () => usage };
}

async function errorOf(response: Response, headers: Readonly<Record<string, string>>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let left = READ_OF_ERROR;
  try {
    if (response.body === null) return '';
    for await (const piece of piecesOf(response.body as ReadableStream<Piece>, 'fetch')) {
      const bytes = (piece as Uint8Array).subarray(0, left);
      left -= bytes.length;
      text += decoder.decode(bytes, { stream: true });
      if (left <= 0) break;
    }
  } catch {
    // What came tells enough.
  }
  return toldOf(withoutSecrets(unescaped(text), headers));
}

/** ASCII that JSON may escape, as it is: what stands in a header would not be found otherwise. */
const unescaped = (json: string): string =>
  json.replaceAll('\\/', '/').replaceAll(/\\u00([2-7][0-9a-f])/gi, (_, code: string) => {
    return String.fromCharCode(Number.parseInt(code, 16));
  });

/** A server may answer with what it was sent. */
function withoutSecrets(text: string, headers: Readonly<Record<string, string>>): string {
  let told = text;
  for (const value of Object.values(headers)) {
    for (const secret of [value, ...value.split(/\s+/)]) {
      if (secret.length >= SHORTEST_SECRET) told = told.replaceAll(secret, '…');
    }
  }
  return told;
}
