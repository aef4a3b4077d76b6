// The forms of events beside OpenAI's Responses: chunks of chat completions, stream parts of the AI SDK, the events of
// 2.0, and all of them as server-sent events.
import type { LanguageModel } from 'ai';
import type { ChatCompletionChunk as OfficialChunk } from 'openai/resources/chat/completions';
import type { ResponseUsage } from 'openai/resources/responses/responses';
import { describe, expect, test } from 'vitest';
import {
  AiSdkAdapter, type AiSdkPart, ChatAdapter, type ChatCompletionChunk, type EventForm, type EventForms, eventsOf,
  MessageStream, MessageTransform, ResponsesAdapter, runTurn, serverSentEvents, type StreamOptions, ToolRouter,
  type Usage,
} from '../../../src/stream.ts';
import { bytewise } from '../stream/run.ts';
import { pieces } from './loopback.ts';
import { streamOptionsFor } from '../../../src/runtime/events/forms.ts';
import { rescue } from '../../../src/runtime/stream/rescue.ts';

type OfficialPart = Exclude<LanguageModel, string> extends infer Model
  ? Model extends { specificationVersion: 'v3'; doStream(...args: never[]): PromiseLike<{ stream: infer Stream }> }
    ? Stream extends ReadableStream<infer Part> ? Part : never
    : never
  : never;
/** Every event is one of the official types: this does not compile otherwise. */
const officialChunk = (chunk: ChatCompletionChunk): OfficialChunk => chunk;
const officialPart = (part: AiSdkPart): OfficialPart => part;

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const RESPONSE = { id: 'r1', model: 'm', created_at: 1_700_000_000 };
const OPTIONS = {
  dialect: 'harmony', role: 'assistant', harmonyPreambles: true, reasoning: true, response: RESPONSE,
  messageId: (index: number) => `m${index}`,
} as const;
const OUTPUT = bytes('<|channel|>analysis<|message|>Oslo?<|end|>'
  + '<|start|>assistant<|channel|>commentary<|message|>Wait.<|end|>'
  + '<|start|>assistant to=functions.sky<|channel|>commentary json<|message|>{"a":1}<|call|>'
  + '<|start|>assistant to=python<|channel|>commentary code<|message|>1+1<|call|>'
  + '<|start|>assistant<|channel|>final<|message|>MADE UP<|return|>');

async function formOf<Form extends EventForm>(
  as: Form, input: Uint8Array, options: StreamOptions & { finishReason?: string } = OPTIONS, cuts: number[] = [],
): Promise<EventForms[Form][]> {
  const events: EventForms[Form][] = [];
  for await (const event of eventsOf(pieces(input, cuts), { ...options, as, response: RESPONSE })) events.push(event);
  return events;
}

describe('chat completions', () => {
  const about = { id: 'r1', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'm' };
  const chunk = (delta: object, finish: string | null = null): object => ({
    ...about, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  });

  test('an answer with reasoning, a preamble and calls', async () => {
    const call = (index: number, id: string, name: string): object => {
      return chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] });
    };
    const more = (index: number, text: string): object => {
      return chunk({ tool_calls: [{ index, function: { arguments: text } }] });
    };
    const chunks = await formOf('chat', OUTPUT);
    expect(chunks).toEqual([
      chunk({ role: 'assistant', content: '' }),
      chunk({ reasoning_content: 'Oslo?' }),
      chunk({ content: 'Wait.' }),
      call(0, 'call_m2', 'sky'), more(0, '{"a":1}'),
      call(1, 'call_m3', 'python'), more(1, '1+1'),
      chunk({}, 'tool_calls'),
    ]);
    for (const one of chunks) officialChunk(one as ChatCompletionChunk);
  });

  test.each([
    ['<|channel|>final<|message|>Hi<|return|>', undefined, 'stop'],
    ['<|channel|>final<|message|>Hi', undefined, 'length'],
    ['<|channel|>final<|message|>Hi', 'content_filter', 'content_filter'],
    ['<|channel|>commentary to=functions.f<|message|>{', 'length', 'length'],
  ])('%s with finish reason %s ends in %s', async (text, reason, expected) => {
    const options = { ...OPTIONS, ...(reason && { finishReason: reason }) };
    expect((await formOf('chat', bytes(text), options)).at(-1)).toEqual(chunk({}, expected));
  });

  test('calls whose ids collide stay apart', async () => {
    const called = (name: string, id: string): string =>
      `<|start|>assistant to=functions.${name}<|channel|>commentary${id}<|message|>{}<|call|>`;
    const output = bytes(`${called('a', ' call_id=call_m1')}${called('b', '')}${called('c', ' call_id=call_m1')}`);
    const options = { ...OPTIONS, dialect: 'openchatml-2.2', role: undefined } as const;
    const chunks = (await formOf('chat', output, options)) as ChatCompletionChunk[];
    const begun = chunks.flatMap(({ choices }) => choices[0]!.delta.tool_calls ?? []).filter(({ id }) => id);
    expect(new Set(begun.map(({ index }) => index)).size).toBe(3);
    expect(new Set(begun.map(({ id }) => id)).size).toBe(3);
  });

  const RESCUED = [[true, 'Wait.4'], [false, 'Wait.']] as const;
  test.each(RESCUED)('rescue %s: after a preamble that ends as a call', async (isRescued, text) => {
    const output = bytes('<|channel|>commentary<|message|>Wait.<|call|>'
      + '<|start|>assistant<|channel|>final<|message|>4<|return|>');
    const options = { ...OPTIONS, rescue: isRescued ? rescue : undefined };
    const chunks = (await formOf('chat', output, options)) as ChatCompletionChunk[];
    expect(chunks.map(({ choices }) => choices[0]!.delta.content ?? '').join('')).toBe(text);
  });

  test.each([
    ['two recipients', '<|channel|>commentary to=functions.f to=functions.g<|message|>{}<|call|>'],
    ['no message token', '<|channel|>commentary to=functions.f <|constrain|>json {"a":1}<|call|>'],
  ])('a call with %s ends in an error, as clients know it, and not for its length', async (_, text) => {
    expect((await formOf('chat', bytes(text))).at(-1)).toEqual({
      error: { message: 'the model failed', type: 'server_error', param: null, code: null },
    });
  });
});

describe('what is cut at a bound', () => {
  const ANSWER = '<|channel|>final<|message|>It is not safe to do that.<|return|>';
  const CALL = '<|channel|>commentary to=functions.f<|message|>{"a":1,"b":2}<|call|>';
  const THINK = '<|channel|>analysis<|message|>A long thought.<|end|>'
    + '<|start|>assistant<|channel|>final<|message|>4<|return|>';
  test.each([
    ['an answer', ANSWER, 8, 'length'],
    ['a preamble', `<|channel|>commentary<|message|>One moment.<|end|><|start|>assistant${CALL}`, 8, 'length'],
    ['a call', CALL, 4, 'length'],
    ['a thought', THINK, 8, 'stop'],
    ['nothing', ANSWER, 100, 'stop'],
  ])('%s', async (_, text, body, expected) => {
    const options = { ...OPTIONS, bounds: { body } };
    const chat = (await formOf('chat', bytes(text), options)).at(-1) as ChatCompletionChunk;
    expect(chat.choices[0]!.finish_reason).toBe(expected);
    const finish = (await formOf('ai-sdk', bytes(text), options)).at(-1);
    expect(finish).toMatchObject({ finishReason: { unified: expected } });
    const isCut = expected === 'length';
    expect((await formOf('responses', bytes(text), options)).at(-1)).toMatchObject({
      type: isCut ? 'response.incomplete' : 'response.completed',
      response: { incomplete_details: isCut ? { reason: 'max_output_tokens' } : null },
    });
  });
});

describe('the AI SDK', () => {
  const undefineds = (names: string[]): object => Object.fromEntries(names.map((name) => [name, undefined]));

  test.each([[true, ['reasoning-start', 'reasoning-delta', 'reasoning-end']], [false, []]])(
    'reasoning that is summarized has parts where it is asked for: %s', async (reasoning, expected) => {
      const input = bytes('<|channel|>analysis<|message|>Hm.<|end|>'
        + '<|start|>assistant<|channel|>final<|message|>4<|return|>');
      const parts = await formOf('ai-sdk', input, { ...OPTIONS, reasoning, summarize: () => 'A summary.' });
      expect(parts.map(({ type }) => type).filter((type) => type.startsWith('reasoning'))).toEqual(expected);
      expect(JSON.stringify(parts)).not.toContain('A summary.');
    },
  );

  test('an answer with reasoning, a preamble and calls; what is no JSON is a JSON string', async () => {
    const parts = await formOf('ai-sdk', OUTPUT);
    expect(parts).toEqual([
      { type: 'stream-start', warnings: [] },
      { type: 'response-metadata', id: 'r1', modelId: 'm', timestamp: new Date(1_700_000_000_000) },
      { type: 'reasoning-start', id: 'm0' }, { type: 'reasoning-delta', id: 'm0', delta: 'Oslo?' },
      { type: 'reasoning-end', id: 'm0' },
      { type: 'text-start', id: 'm1' },
      { type: 'text-delta', id: 'm1', delta: 'Wait.' },
      { type: 'text-end', id: 'm1' },
      { type: 'tool-input-start', id: 'call_m2', toolName: 'sky' },
      { type: 'tool-input-delta', id: 'call_m2', delta: '{"a":1}' },
      { type: 'tool-input-end', id: 'call_m2' },
      { type: 'tool-call', toolCallId: 'call_m2', toolName: 'sky', input: '{"a":1}' },
      { type: 'tool-input-start', id: 'call_m3', toolName: 'python', inputEncoding: 'text' },
      { type: 'tool-input-delta', id: 'call_m3', delta: '1+1' },
      { type: 'tool-input-end', id: 'call_m3' },
      { type: 'tool-call', toolCallId: 'call_m3', toolName: 'python', input: '"1+1"' },
      {
        type: 'finish',
        usage: {
          inputTokens: undefineds(['total', 'noCache', 'cacheRead', 'cacheWrite']),
          outputTokens: undefineds(['total', 'text', 'reasoning']),
        },
        finishReason: { unified: 'tool-calls', raw: undefined },
      },
    ]);
    for (const part of parts) officialPart(part);
  });

  test.each([
    ['functions.f', ' code', '{"a":1}', '{"a":1}'],
    ['functions.f', ' <|constrain|>JSON', '{"a":1}', '{"a":1}'],
    ['functions.f', ' <|constrain|>response', '{"a":1}', '{"a":1}'],
    ['functions.f', ' <|constrain|>write: edit file', '{"a":1}', '{"a":1}'],
    ['browser.search', ' code', '{"a":1}', '{"a":1}'],
    ['python', ' code', '1+1', '"1+1"'],
    ['python', '', '{"a":1}', '"{\\"a\\":1}"'],
    ['python', ' <|constrain|>json', '{"a":1}', '{"a":1}'],
  ])('a call to %s%s: its input is what the router makes of it', async (recipient, type, body, expected) => {
    const text = `<|channel|>commentary to=${recipient}${type}<|message|>${body}<|call|>`;
    const parts = await formOf('ai-sdk', bytes(text));
    const [call] = parts.filter((part) => part.type === 'tool-call');
    expect(call?.input).toBe(expected);
    expect(parts.some((part) => 'inputEncoding' in part)).toBe(expected.startsWith('"'));
    let got: unknown;
    const take = (value: unknown): null => {
      got = value;
      return null;
    };
    const router = new ToolRouter({ handlers: { 'functions.f': take, 'browser.search': take, python: take } });
    const model = (): AsyncIterable<string> => new Blob([text]).stream() as never;
    const messages = [{ role: 'user', content: 'Hi' }];
    await runTurn({ dialect: 'harmony', router, model, messages, maxRounds: 1 }).result;
    expect(JSON.stringify(got)).toBe(expected);
  });

  test('a call that is cut is no call', async () => {
    const text = '<|channel|>commentary to=functions.f<|message|>{"a"';
    const parts = await formOf('ai-sdk', bytes(text), { ...OPTIONS, finishReason: 'length' });
    expect(parts.map(({ type }) => type)).not.toContain('tool-call');
    expect(parts.at(-1)).toMatchObject({ finishReason: { unified: 'length', raw: 'length' } });
  });
});

test('2.0: its deltas and ends, and nothing else', async () => {
  const types = (await formOf('2.0', OUTPUT)).map(({ type }) => type);
  expect([...new Set(types)].sort()).toEqual([
    'response.delta', 'response.function_call_arguments.done', 'response.output_item.done', 'response.output_text.done',
    'response.reasoning_text.delta', 'response.reasoning_text.done',
  ]);
});

test('2.0: with contents collected, it has no hidden ones', async () => {
  const text = '<|channel|>analysis<|message|>SECRET<|end|><|start|>assistant<|channel|>final<|message|>Hi<|end|>';
  const events = await formOf('2.0', bytes(text), { ...OPTIONS, collect: true, reasoning: false });
  expect(JSON.stringify(events)).not.toContain('SECRET');
  expect(events.map(({ type }) => type)).toEqual([
    'response.output_item.done', 'response.delta', 'response.output_text.done', 'response.output_item.done',
  ]);
});

test('the documents’ own events are the default, and the same as ever', async () => {
  const own = await formOf('ocm', OUTPUT);
  const stream = new MessageStream(streamOptionsFor(OPTIONS));
  expect(own).toEqual([...stream.feed(OUTPUT), ...stream.end()]);
  const plain = [];
  for await (const event of eventsOf([OUTPUT], OPTIONS)) plain.push(event);
  expect(plain).toEqual(own);
});

test('an adapter gives what eventsOf gives', async () => {
  const { role, response } = OPTIONS;
  const own = { role, response };
  const adapters = {
    'responses': new ResponsesAdapter(own), 'chat': new ChatAdapter(own), 'ai-sdk': new AiSdkAdapter(own),
  };
  for (const as of ['responses', 'chat', 'ai-sdk'] as const) {
    const expected = await formOf(as, OUTPUT, OPTIONS, bytewise(OUTPUT));
    const stream = new MessageStream(streamOptionsFor(OPTIONS));
    const fed = [...pieces(OUTPUT, bytewise(OUTPUT))].flatMap((piece) => stream.feed(piece));
    const adapter = adapters[as];
    expect([...fed, ...stream.end()].flatMap((event): unknown[] => adapter.take(event))).toEqual(expected);
    expect(adapter.fail()).toEqual([]);
  }
});

describe('usage', () => {
  const told = { inputTokens: 30, outputTokens: 12, cachedInputTokens: 5, reasoningTokens: 4 };
  const last = async (as: EventForm, usage: Usage | (() => Usage | null)): Promise<unknown> => {
    const events: unknown[] = [];
    for await (const event of eventsOf([OUTPUT], { ...OPTIONS, as, usage })) events.push(event);
    return events.at(-1);
  };

  test('stands in the last event of each form', async () => {
    const responses = await last('responses', told) as { response: { usage: ResponseUsage } };
    expect(responses.response.usage).toEqual({
      input_tokens: 30, input_tokens_details: { cached_tokens: 5, cache_write_tokens: 0 },
      output_tokens: 12, output_tokens_details: { reasoning_tokens: 4 }, total_tokens: 42,
    });
    const chat = officialChunk(await last('chat', () => told) as ChatCompletionChunk);
    expect(chat).toEqual({
      id: 'r1', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'm', choices: [],
      usage: {
        prompt_tokens: 30, completion_tokens: 12, total_tokens: 42,
        prompt_tokens_details: { cached_tokens: 5 }, completion_tokens_details: { reasoning_tokens: 4 },
      },
    });
    const finish = officialPart(await last('ai-sdk', told) as AiSdkPart);
    expect(finish).toMatchObject({
      type: 'finish',
      usage: {
        inputTokens: { total: 30, noCache: 25, cacheRead: 5, cacheWrite: undefined },
        outputTokens: { total: 12, text: 8, reasoning: 4 },
      },
    });
  });

  test('of which the model tells no parts', async () => {
    const usage = { inputTokens: 3, outputTokens: 2 };
    expect((await last('chat', usage) as ChatCompletionChunk).usage).toEqual({
      prompt_tokens: 3, completion_tokens: 2, total_tokens: 5,
    });
    expect(await last('ai-sdk', usage)).toMatchObject({
      usage: { inputTokens: { total: 3, noCache: undefined }, outputTokens: { total: 2, text: undefined } },
    });
  });

  test.each<EventForm>(['ocm', '2.0', 'responses', 'chat', 'ai-sdk'])('that throws changes nothing: %s', async (as) => {
    const throws = (): never => {
      throw new Error('of the usage');
    };
    expect(await last(as, throws)).toEqual(await last(as, () => null));
    expect(JSON.stringify(await last(as, throws))).not.toContain('prompt_tokens');
  });
});

test.each<EventForm>(['ocm', '2.0', 'responses', 'chat', 'ai-sdk'])('a MessageTransform gives %s, too', async (as) => {
  for (const input of [OUTPUT, OUTPUT.slice(0, -30), new Uint8Array(0)]) {
    const how = { ...OPTIONS, as, finishReason: () => 'length', usage: { inputTokens: 1, outputTokens: 2 } };
    const expected: unknown[] = [];
    for await (const event of eventsOf(pieces(input, bytewise(input)), how)) expected.push(event);
    const source = (ReadableStream as unknown as { from(source: unknown): ReadableStream<Uint8Array> })
      .from(pieces(input, bytewise(input)));
    const events: unknown[] = [];
    const through = source.pipeThrough(new MessageTransform(how)) as unknown as AsyncIterable<unknown>;
    for await (const event of through) events.push(event);
    expect(events).toEqual(expected);
  }
});

test.each([
  [{ response: 5 }, 'option response: expected an object with id, model, created_at'],
  [{ response: null }, 'option response: expected an object with id, model, created_at'],
  [{ usage: 5 }, 'option usage: expected an object with token counts, or a function'],
  [{ finishReason: 5 }, 'option finishReason: expected text or a function'],
  [{ signal: new AbortController() }, 'option signal: expected an AbortSignal; got an object'],
])('a wrong option is told: %o', (options, message) => {
  for (const as of ['ocm', 'chat', 'responses', 'ai-sdk'] as const) {
    expect(() => eventsOf([], { ...options, as } as never)).toThrow(new TypeError(message));
    expect(() => new MessageTransform({ ...options, as } as never)).toThrow(new TypeError(message));
  }
  if ('response' in options) expect(() => new ChatAdapter(options as never)).toThrow(new TypeError(message));
});

test.each<[usage: unknown, total: number]>([
  [{}, 0], [{ inputTokens: 3 }, 3], [{ inputTokens: NaN, outputTokens: 2 }, 2],
  [{ inputTokens: -3, outputTokens: 2, reasoningTokens: -Infinity }, 2],
  [{ inputTokens: '3', outputTokens: 2, reasoningTokens: null, cachedInputTokens: Infinity }, 2],
])('what is no number in usage, or below 0, counts as 0: %o', async (usage, total) => {
  const told: Record<string, unknown> = {};
  for (const as of ['chat', 'responses', 'ai-sdk'] as const) {
    const input = [bytes('<|channel|>final<|message|>a<|return|>')];
    for await (const event of eventsOf(input, { ...OPTIONS, as, usage: usage as Usage })) told[as] = event;
  }
  expect(told).toMatchObject({ chat: { usage: { total_tokens: total } } });
  expect(told).toMatchObject({ responses: { response: { usage: { total_tokens: total } } } });
  expect(JSON.stringify(told)).not.toContain('null,"total');
  const { inputTokens: input, outputTokens: output } = (told['ai-sdk'] as Extract<AiSdkPart, { type: 'finish' }>).usage;
  expect(input.total! + output.total!).toBe(total);
});

test('a MessageTransform refuses a form that there is not', () => {
  expect(() => new MessageTransform({ as: 'other' as never })).toThrow('option as');
});

test('server-sent events: a name where there is one, a line of JSON, and [DONE] behind a chat completion', async () => {
  const textOf = async (as: EventForm): Promise<string> => {
    const input = [bytes('<|channel|>final<|message|>a\nb<|return|>')];
    let text = '';
    for await (const event of serverSentEvents(eventsOf(input, { ...OPTIONS, as }))) text += event;
    return text;
  };
  const responses = await textOf('responses');
  expect(responses).toContain('event: response.output_text.delta\ndata: {"type":"response.output_text.delta"');
  expect(responses).toContain('"delta":"a\\nb"');
  expect(responses).not.toContain('[DONE]');
  expect(await textOf('chat')).toMatch(/^data: \{"id":"r1"[^]*\n\ndata: \[DONE\]\n\n$/);
});
