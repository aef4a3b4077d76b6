// The real clients of OpenAI and of the Vercel AI SDK, over loopback: what they read of a stream of ours.
import { jsonSchema, type LanguageModel, streamText, tool, type ToolSet } from 'ai';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AiSdkPart, type EventForm, eventsOf, serverSentEvents } from '../../../src/stream.ts';
import { part, runs } from '../../long.ts';
import { SEED } from '../../random.ts';
import { type Case, expectRead, fixtureCases, randomCases, type ReadBack } from './cases.ts';
import { bytewise } from '../stream/run.ts';
import { expectedOf } from './expected.ts';
import { type Loopback, pieces, serve } from './loopback.ts';

const RESPONSE = { id: 'r1', model: 'gpt-oss-20b', created_at: 1_700_000_000 };

let server: Loopback;
/** What the server streams next, and in which form. */
let next: { one: Case; as: EventForm } | null = null;

beforeAll(async () => {
  server = await serve(() => {
    const { one: { input, options, cuts }, as } = next!;
    return serverSentEvents(eventsOf(pieces(input, cuts), { ...options, as, response: RESPONSE }));
  });
});
afterAll(() => server.close());

const openai = (): OpenAI => new OpenAI({ apiKey: 'none', baseURL: server.url, maxRetries: 0 });

async function readResponses(): Promise<ReadBack> {
  const stream = openai().responses.stream({ model: 'gpt-oss-20b', input: 'Hello' });
  let shown = '';
  stream.on('response.output_text.delta', ({ delta }) => void (shown += delta));
  const { output, output_text: text } = await stream.finalResponse();
  expect(text).toBe(shown);
  const reasoning = output.flatMap((item) => {
    return item.type === 'reasoning' ? [item.content!.map((part) => part.text).join('')] : [];
  });
  return {
    shown,
    texts: output.flatMap((item) => {
      return item.type === 'message' ? [item.content.map((part) => (part as { text: string }).text).join('')] : [];
    }),
    calls: output.flatMap((item) => {
      return item.type === 'function_call' ? [{ name: item.name, arguments: item.arguments }] : [];
    }),
    reasoning,
    allReasoning: reasoning.join(''),
  };
}

async function readChat(): Promise<ReadBack> {
  let shown = '';
  let reasoning = '';
  const calls: { name: string; arguments: string }[] = [];
  try {
    const stream = await openai().chat.completions.create({
      model: 'gpt-oss-20b', messages: [{ role: 'user', content: 'Hello' }], stream: true,
    });
    for await (const { choices: [choice] } of stream) {
      const { content, tool_calls: parts = [] } = choice!.delta;
      shown += content ?? '';
      reasoning += (choice!.delta as { reasoning_content?: string }).reasoning_content ?? '';
      for (const { index, function: part } of parts) {
        const call = (calls[index] ??= { name: part!.name!, arguments: '' });
        call.arguments += part!.arguments!;
      }
    }
  } catch (error) {
    expect((error as Error).message).toBe('the model failed');
  }
  return { shown, texts: null, calls, reasoning: null, allReasoning: reasoning };
}

/** The parts of a model that stands behind the server. */
async function* partsOf(url: string): AsyncGenerator<AiSdkPart> {
  const text = await (await fetch(url)).text();
  for (const block of text.split('\n\n').slice(0, -1)) yield JSON.parse(block.slice(block.indexOf('data: ') + 6));
}

const streamOf = <T>(source: AsyncIterable<T>): ReadableStream<T> =>
  (ReadableStream as unknown as { from(source: AsyncIterable<T>): ReadableStream<T> }).from(source);

/** `calls`: those that are whole; a stream of the AI SDK has no others. */
async function readAiSdk(one: Case): Promise<ReadBack> {
  const model: Exclude<LanguageModel, string> = {
    specificationVersion: 'v3', provider: 'openchatml', modelId: 'gpt-oss-20b', supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('it streams')),
    doStream: () => Promise.resolve({ stream: streamOf(partsOf(server.url)) }),
  };
  const names = expectedOf(one.input, one.options).said.flatMap((said) => ('name' in said ? [said.name] : []));
  const any = tool({ inputSchema: jsonSchema({}) });
  const tools = Object.fromEntries(names.map((name) => [name, any])) as unknown as ToolSet;
  const texts = new Map<string, string>();
  const reasoning = new Map<string, string>();
  const calls = new Map<string, { name: string; arguments: string }>();
  const result = streamText({ model, tools, prompt: 'Hello', onError: () => {} });
  for await (const part of result.fullStream) {
    if (part.type === 'text-start') texts.set(part.id, '');
    else if (part.type === 'text-delta') texts.set(part.id, texts.get(part.id)! + part.text);
    else if (part.type === 'reasoning-start') reasoning.set(part.id, '');
    else if (part.type === 'reasoning-delta') reasoning.set(part.id, reasoning.get(part.id)! + part.text);
    else if (part.type === 'tool-input-start') calls.set(part.id, { name: part.toolName, arguments: '' });
    else if (part.type === 'tool-input-delta') calls.get(part.id)!.arguments += part.delta;
    else if (part.type === 'tool-call' && !part.invalid) {
      const { name, arguments: text } = calls.get(part.toolCallId)!;
      expect(part.toolName).toBe(name);
      expect([text.trim() === '' ? {} : parsed(text), text]).toContainEqual(part.input);
    }
  }
  const all = [...reasoning.values()];
  return {
    shown: [...texts.values()].join(''), texts: [...texts.values()], calls: [...calls.values()], reasoning: all,
    allReasoning: all.join(''),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const CLIENTS: { name: string; as: EventForm; read: (one: Case) => Promise<ReadBack>; inputs: number }[] = [
  { name: 'openai, Responses', as: 'responses', read: readResponses, inputs: runs(2_000, 25) },
  { name: 'openai, chat completions', as: 'chat', read: readChat, inputs: runs(2_000, 25) },
  { name: 'ai', as: 'ai-sdk', read: readAiSdk, inputs: runs(1_000, 25) },
];

describe.each(CLIENTS)('$name', ({ as, read, inputs }) => {
  test('reads every fixture to the messages and calls that parse gives', async () => {
    for (const one of part([...fixtureCases()], 4)) {
      next = { one, as };
      expectRead(await read(one), one);
    }
  });

  test(`${inputs} random inputs in random cuts (OPENCHATML_SEED=${SEED})`, async () => {
    for (const one of randomCases(inputs)) {
      next = { one, as };
      expectRead(await read(one), one);
    }
  });
});

/** Messages that nobody may see, each with a secret, and parts of messages that are hidden. */
const HIDDEN = [
  '<|channel|>analysis<|message|>SECRET<|end|>',
  '<|channel|>commentary<|message|>SECRET<|end|>',
  '<|channel|>other<|message|>SECRET<|end|>',
  '<|channel|>final to=all intent=debug<|message|>SECRET<|end|>',
  '<|channel|>final<|channel|>analysis<|message|>SECRET<|end|>',
  '<|message|>Yes.<|start_reason|>SECRET<|end_reason|> No.<|end|>',
  '<|message|><think>SECRET</think>Yes.<|end|>',
  '<|message|>Yes.<|channel|>analysis<|message|>SECRET<|end|>',
  '<|channel|>commentary to=functions.f to=functions.g<|message|>SECRET<|end|>',
];
const FORMS = ['2.0', 'responses', 'chat', 'ai-sdk'] as const;

test.each(FORMS)('nothing hidden in any event of %s', async (as) => {
  const text = HIDDEN.map((message) => `<|start|>assistant${message}`).join('')
    + '<|start|>tool name=functions.f to=assistant<|message|>SECRET<|end|><|start|>system<|message|>SECRET<|end|>'
    + 'SECRET<|start|>assistant<|message|>Good.<|return|>';
  const input = new TextEncoder().encode(text);
  for (const cuts of [[], bytewise(input)]) {
    let told = '';
    for await (const event of eventsOf(pieces(input, cuts), { dialect: 'openchatml-2.2', as })) {
      told += 'delta' in event && typeof event.delta === 'string' ? event.delta : JSON.stringify(event);
    }
    expect(told.replaceAll(/[^A-Z]/g, '')).not.toContain('SECRET');
    if (cuts.length === 0) expect(told).toContain('Good.');
  }
});
