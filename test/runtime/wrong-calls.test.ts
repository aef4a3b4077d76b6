// Wrong calls around a model: an error at once, or when the function that the caller gave is asked, which names the
// option, what is expected there, and what was found.
import { expect, test } from 'vitest';
import { convertTranscript } from '../../src/convert.ts';
import { parse } from '../../src/index.ts';
import { checkFile, readMessages, scanFile } from '../../src/node.ts';
import {
  ChatAdapter, type ChunkSource, defineTool, eventsOf, MessageStream, MessageTransform, openAICompatible,
  readCompletion, runTurn, TokenStream, ToolRouter,
} from '../../src/stream.ts';

const ADDRESS = 'http://localhost:8000/v1/completions';
const HANDLERS = { 'functions.f': () => 1 };
const NOTHING = { header: null, tools: [], messages: [] };
const THOUGHT = '<|channel|>analysis<|message|>a\n\nb<|end|>';
const execute = (): number => 1;

async function* model(): AsyncGenerator<string> {
  yield '<|channel|>final<|message|>a<|return|>';
}

const server = (options: object): unknown => openAICompatible(ADDRESS, options);
const router = (options: object): unknown => new ToolRouter(options);
const tool = (options: object): unknown => defineTool(options as never);
const tokens = (options: object): unknown => new TokenStream({ decode: () => null, ...options });
const turn = (options: object): unknown =>
  runTurn({ model, router: new ToolRouter(), messages: [{ role: 'user', content: 'Hi' }], ...options });
const write = (options: object): unknown => convertTranscript(NOTHING, 'harmony', options);
const events = async (output: ChunkSource, options: object): Promise<void> => {
  for await (const _ of eventsOf(output, { dialect: 'harmony', role: 'assistant', ...options }));
};

const NAME = "option name: expected a tool's name, of A-Z, a-z, 0-9, _, - and .; got";
const WHERE = 'url: expected the whole address, such as http://localhost:8000/v1/completions';
const HEADERS = 'option headers: expected an object of texts that a request may have as headers, or Headers';
const COST = 'option usage: expected a value, not a promise of one';
const WHY = 'option finishReason: expected a value, not a promise of one';
const CASES: readonly (readonly [what: string, call: () => unknown, message: string])[] = [
  ['a model without an address', () => openAICompatible(undefined as never), WHERE],
  ['a model whose address has no scheme', () => openAICompatible('localhost:8000'), WHERE],
  ['fetch of a model', () => server({ fetch: 'x' }), 'option fetch: expected a function; got "x"'],
  ['headers that are none', () => server({ headers: 5 }), HEADERS],
  ['a header that would be two', () => server({ headers: { a: 'secret\nb: c' } }), HEADERS],
  ['a body that is text', () => server({ body: '{}' }), 'option body: expected an object'],
  ['a model without a name', () => server({ model: 5 }), 'option model: expected text; got 5'],
  ['a bound', () => server({ longest: 'x' }), 'option longest: expected a positive integer; got x'],
  ['framing', () => readCompletion([], { framing: 'x' as never }), 'option framing: expected events, lines; got "x"'],
  ['clean', () => readCompletion([], { clean: 5 as never }), 'option clean: expected a function; got 5'],
  ['tools that are no list', () => router({ tools: null }), 'option tools: expected a list of definitions'],
  ['tools that are none', () => router({ tools: [null] }), 'option tools: expected definitions; got null among them'],
  [
    'tools of a request', () => router({ tools: [{ type: 'function', function: { name: 'f' } }] }),
    'option tools: expected definitions, as toolsFromOpenAI gives them',
  ],
  [
    'a tool without a namespace', () => router({ tools: [{ name: 'f' }], handlers: HANDLERS }),
    'tool f: expected a namespace, such as functions; got undefined',
  ],
  ['a tool without a name', () => router({ tools: [{ namespace: 'functions' }] }), `${NAME} undefined`],
  ['bounds of tools', () => router({ concurrencyOf: 5 }), 'option concurrencyOf: expected an object'],
  ['a clock', () => router({ clock: { now: () => 0 } }), 'option clock.setTimeout: expected a function; got null'],
  ['a listener', () => router({ onEvent: 5 }), 'option onEvent: expected a function; got 5'],
  ['a tool of nothing', () => defineTool(undefined as never), 'expected the options as an object'],
  ['the name of a tool', () => tool({ name: 'a b', execute }), `${NAME} "a b"`],
  ['what it is for', () => tool({ name: 'f', description: 5, execute }), 'tool f: description: expected text; got 5'],
  ['parameters', () => tool({ name: 'f', parameters: 5, execute }), 'tool f: expected parameters as an object; got 5'],
  ['the end of a stream', () => new MessageStream().end({ finishReason: Promise.resolve('stop') as never }), WHY],
  ['yaml of a stream', () => new MessageStream({ yaml: 5 as never }), 'option yaml: expected a function; got 5'],
  ['a signal', () => new MessageTransform({ signal: 5 } as never), 'option signal: expected an AbortSignal; got 5'],
  ['a usage that comes later', () => eventsOf([], { usage: Promise.resolve({}) as never }), COST],
  ['what gives it later', () => events([THOUGHT], { as: 'chat', usage: async () => ({ inputTokens: 1 }) }), COST],
  ['a finish reason that comes later', () => events([THOUGHT], { finishReason: async () => 'stop' }), WHY],
  [
    'summaries that come later', () => events([THOUGHT], { reasoning: true, summarize: async () => 'x' }),
    'option summarize: expected a value, not a promise of one',
  ],
  [
    'ids that are none', () => events([THOUGHT], { messageId: () => undefined }),
    'option messageId: expected text from it; got undefined',
  ],
  ['a vocabulary', () => new TokenStream(undefined as never), 'expected the options as an object'],
  ['ids that stop', () => tokens({ stops: ['x'] }), 'option stops: expected token ids'],
  ['an id that stops', () => tokens({ stops: 5 }), 'option stops: expected token ids'],
  ['specials', () => tokens({ specials: 5 }), 'option specials: expected an object'],
  ['a turn of nothing', () => runTurn(undefined as never), 'expected the options as an object'],
  ['a header', () => turn({ header: 5 }), 'option header: expected an object'],
  ['a vocabulary of a turn', () => turn({ vocabulary: {} }), 'option vocabulary: expected a function encode'],
  [
    'half a vocabulary', () => turn({ vocabulary: { encode: () => [] } }),
    'option vocabulary: expected a function decode',
  ],
  ['a role', () => new ChatAdapter({ role: 5 as never }),
    'option role: expected a role as text, `assistant` for example'],
  ['an id of a response', () => new ChatAdapter({ response: { id: 5 as never } }),
    'option response.id: expected text; got 5'],
  ['its time', () => new ChatAdapter({ response: { created_at: 'x' as never } }),
    'option response.created_at: expected seconds; got "x"'],
  ['a system message', () => write({ system: 'x' }), 'option system: expected an object'],
  [
    'a field of it', () => write({ system: { effort: 'low' } }), 'option system.effort: there is none of this name',
  ],
  ['reasoning', () => write({ reasoning: 'x' }), 'option reasoning: expected keep, harmony, ocm, think; got "x"'],
  ['edges', () => parse('', { edges: 5 as never }), 'option edges: expected an object'],
  ['yaml', () => parse('', { yaml: 5 as never }), 'option yaml: expected a function; got 5'],
  ...[scanFile, checkFile, readMessages].flatMap((read) => [
    [`${read.name} of a page`, () => read(new URL('http://a/b')),
      'path: expected a path, or the URL of a file; got http://a/b'],
    [`${read.name} of nothing`, () => read(undefined as never),
      'path: expected a path, or the URL of a file; got undefined'],
  ] as const),
];

test.each(CASES)('%s', async (_, call, message) => {
  const error: unknown = await Promise.resolve().then(call).then(() => null, (thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Error);
  expect(['TypeError', 'RangeError']).toContain((error as Error).name);
  expect((error as Error).message).toBe(message);
});

test('what a server tells is no wrong call, whatever it is', async () => {
  for (const finishReason of [5, {}, [], true, '']) {
    const stream = new MessageStream({ dialect: 'harmony', role: 'assistant' });
    expect(stream.end({ finishReason: finishReason as never }).at(-1)!.type).toBe('response.incomplete');
    await events([THOUGHT], { as: 'chat', finishReason: () => finishReason, usage: () => finishReason });
    const stop = { stream: model(), finishReason: () => finishReason as never, usage: () => finishReason as never };
    const { result } = runTurn({
      model: () => stop, router: new ToolRouter(), messages: [{ role: 'user', content: 'Hi' }],
    });
    expect(await result).toMatchObject({ stop: 'final', error: null });
  }
});

test('headers come as an object, as Headers and as pairs, and stand in no error', async () => {
  const name = 'Authorization';
  const secret = 'Bearer secret-word';
  for (const headers of [{ [name]: secret }, new Headers({ [name]: secret }), [[name, secret]] as [string, string][]]) {
    let asked: unknown;
    const ask = async (__: unknown, init: { headers: unknown }): Promise<Response> => {
      asked = init.headers;
      return new Response('I do not know secret-word', { status: 401 });
    };
    const complete = openAICompatible(ADDRESS, { headers, fetch: ask as never });
    const prompt = { text: '', signal: new AbortController().signal } as never;
    await expect(complete(prompt)).rejects.toThrow('the model’s server answered 401: I do not know …');
    expect(asked).toEqual({ 'content-type': 'application/json', 'authorization': secret });
  }
});

test('a file may be given by its URL', () => {
  const url = new URL('../../fixtures/samples/gpt-oss.harmony', import.meta.url);
  expect(scanFile(url)).toEqual(scanFile(url.pathname));
  expect([...readMessages(url)].length).toBe(scanFile(url).messages);
  expect([...checkFile(url)]).toEqual([...checkFile(url.pathname)]);
});
