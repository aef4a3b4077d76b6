// OpenAI's Responses events: their payloads, how an output ends, and that every event is in its place.
import type OpenAI from 'openai';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import { describe, expect, test } from 'vitest';
import { eventsOf, type ResponsesEvent, type StreamOptions } from '../../../src/stream.ts';
import { runs } from '../../long.ts';
import { SEED } from '../../random.ts';
import { bytewise } from '../stream/run.ts';
import { randomCases } from './cases.ts';
import type { Said } from './expected.ts';
import { pieces } from './loopback.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const RESPONSE = { id: 'resp_1', model: 'gpt-oss-20b', created_at: 1_700_000_000 };
const HARMONY = { dialect: 'harmony', role: 'assistant', messageId: (index: number) => `m${index}` } as const;
const OUTPUT = '<|channel|>analysis<|message|>SECRET<|end|>'
  + '<|start|>assistant<|channel|>commentary<|message|>One moment.<|end|>'
  + '<|start|>assistant to=functions.sky<|channel|>commentary <|constrain|>json<|message|>{"city":"Oslo"}<|call|>';

/** Every event is one of the official types: this does not compile otherwise. */
const official = (event: ResponsesEvent): ResponseStreamEvent => event;

async function responsesOf(
  input: Uint8Array, options: StreamOptions, cuts: Iterable<number> = [],
): Promise<ResponsesEvent[]> {
  const events: ResponsesEvent[] = [];
  for await (const event of eventsOf(pieces(input, cuts), { ...options, as: 'responses', response: RESPONSE })) {
    events.push(event);
  }
  return events;
}

/** Deltas of an item that follow each other, as one. */
function joined(events: readonly ResponsesEvent[]): unknown[] {
  const out: Record<string, unknown>[] = [];
  for (const { sequence_number: _, ...event } of events) {
    const last = out.at(-1);
    if ('delta' in event && last?.['type'] === event.type && last['item_id'] === event.item_id) {
      out[out.length - 1] = { ...last, delta: `${last['delta'] as string}${event.delta}` };
    } else out.push(event);
  }
  return out;
}

function saidIn(output: OpenAI.Responses.Response['output']): Said[] {
  return output.map((item): Said => {
    switch (item.type) {
      case 'message': return { text: item.content.map((part) => (part as { text: string }).text).join('') };
      case 'function_call': return { name: item.name, arguments: item.arguments };
      case 'reasoning': return { reasoning: item.content!.map(({ text }) => text).join('') };
      default: throw new Error(item.type);
    }
  });
}

/** Numbers in a row, every item opened once, ended, and of one answer. */
function expectWellFormed(events: readonly ResponsesEvent[], told: string): void {
  expect(events.map(({ sequence_number }) => sequence_number), told).toEqual(events.map((_, index) => index));
  expect(events.slice(0, 2).map(({ type }) => type), told).toEqual(['response.created', 'response.in_progress']);
  expect(events.at(-1)!.type, told).toMatch(/^response\.(completed|incomplete|failed)$/);
  const open = new Map<number, string>();
  let items = 0;
  for (const event of events) {
    if (event.type === 'response.output_item.added') {
      expect(event.output_index, told).toBe(items++);
      open.set(event.output_index, event.item.id);
    } else if ('item_id' in event) expect(open.get(event.output_index), told).toBe(event.item_id);
    else if (event.type === 'response.output_item.done') {
      expect(open.get(event.output_index), told).toBe(event.item.id);
      open.delete(event.output_index);
    }
  }
  expect(open.size, told).toBe(0);
}

test('a preamble and a call: every event with its payload, the same for every cut', async () => {
  const input = bytes(OUTPUT);
  const options = { ...HARMONY, harmonyPreambles: true };
  const about = {
    ...RESPONSE, object: 'response', instructions: null, metadata: null, parallel_tool_calls: true, temperature: null,
    tool_choice: 'auto', tools: [], top_p: null, error: null, incomplete_details: null,
  };
  const begun = { ...about, status: 'in_progress', output: [], output_text: '' };
  const text = { type: 'message', id: 'm1', role: 'assistant', phase: 'commentary' };
  const part = { type: 'output_text', text: 'One moment.', annotations: [] };
  const call = { type: 'function_call', id: 'm2', call_id: 'call_m2', name: 'sky' };
  const at = { item_id: 'm1', output_index: 0, content_index: 0 };
  const done = [
    { ...text, status: 'completed', content: [part] }, { ...call, status: 'completed', arguments: '{"city":"Oslo"}' },
  ];
  const expected = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    {
      type: 'response.output_item.added', output_index: 0, item: { ...text, status: 'in_progress', content: [] },
    },
    { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
    { type: 'response.output_text.delta', ...at, delta: 'One moment.', logprobs: [] },
    { type: 'response.output_text.done', ...at, text: 'One moment.', logprobs: [] },
    { type: 'response.content_part.done', ...at, part },
    { type: 'response.output_item.done', output_index: 0, item: done[0] },
    {
      type: 'response.output_item.added', output_index: 1, item: { ...call, status: 'in_progress', arguments: '' },
    },
    {
      type: 'response.function_call_arguments.delta', item_id: 'm2', output_index: 1, delta: '{"city":"Oslo"}',
    },
    {
      type: 'response.function_call_arguments.done', item_id: 'm2', output_index: 1, name: 'sky',
      arguments: '{"city":"Oslo"}',
    },
    { type: 'response.output_item.done', output_index: 1, item: done[1] },
    {
      type: 'response.completed',
      response: { ...about, status: 'completed', output: done, output_text: 'One moment.' },
    },
  ];
  for (const cuts of [[], bytewise(input)]) {
    const events = await responsesOf(input, options, cuts);
    expectWellFormed(events, `${cuts.length} cuts`);
    expect(joined(events)).toEqual(expected);
  }
});

test('reasoning has an item only where it is asked for, and a summary of it too', async () => {
  const input = bytes(OUTPUT);
  expect(JSON.stringify(await responsesOf(input, HARMONY))).not.toContain('SECRET');
  const events = await responsesOf(input, { ...HARMONY, reasoning: true, summarize: () => 'Hm.' }, bytewise(input));
  const reasoning = joined(events).slice(2, 12).map((event) => (event as { type: string }).type);
  expect(reasoning.sort()).toEqual([
    'response.content_part.added', 'response.content_part.done', 'response.output_item.added',
    'response.output_item.done', 'response.reasoning_summary_part.added', 'response.reasoning_summary_part.done',
    'response.reasoning_summary_text.delta', 'response.reasoning_summary_text.done', 'response.reasoning_text.delta',
    'response.reasoning_text.done',
  ]);
  expect(events.find(({ type }) => type === 'response.output_item.done')).toMatchObject({
    item: {
      type: 'reasoning', id: 'm0', status: 'completed', content: [{ type: 'reasoning_text', text: 'SECRET' }],
      summary: [{ type: 'summary_text', text: 'Hm.' }],
    },
  });
  for (const event of events) official(event);
});

describe('how an output ends', () => {
  const final = '<|channel|>final<|message|>Yes.';
  const call = '<|channel|>commentary to=functions.f<|message|>{"a":1';
  const last = async (text: string, options: object = {}): Promise<unknown> => {
    const event = (await responsesOf(bytes(text), { ...HARMONY, ...options })).at(-1)!;
    if (!('response' in event)) throw new Error(event.type);
    const { status, error, incomplete_details: details, output } = event.response;
    const state = output.map((item) => `${item.type} ${item.status}`);
    return [event.type, status, details?.reason ?? error?.code ?? null, ...state];
  };
  const incomplete = ['response.incomplete', 'incomplete', 'max_output_tokens'];

  test.each([
    ['with its stop token', `${final}<|return|>`, {}, ['response.completed', 'completed', null, 'message completed']],
    ['cut', final, {}, [...incomplete, 'message incomplete']],
    [
      'with a stripped stop token', final, { finishReason: 'stop' },
      ['response.completed', 'completed', null, 'message completed'],
    ],
    [
      'by a filter', final, { finishReason: 'content_filter' },
      ['response.incomplete', 'incomplete', 'content_filter', 'message incomplete'],
    ],
    ['in a call that is cut', call, {}, [...incomplete, 'function_call incomplete']],
    [
      'behind a call that is cut', `${call}<|start|>assistant${final}<|return|>`, {},
      [...incomplete, 'function_call incomplete', 'message completed'],
    ],
    [
      'behind a call: what follows is left out', `${call}}<|call|><|start|>assistant${final}`, {},
      ['response.completed', 'completed', null, 'function_call completed'],
    ],
    [
      'behind a made-up user', `${final}<|return|><|start|>user<|message|>And`, {},
      ['response.completed', 'completed', null, 'message completed'],
    ],
    [
      'in a call that nobody may make', '<|channel|>commentary to=functions.f to=functions.g<|message|>{}<|call|>', {},
      ['response.failed', 'failed', 'server_error'],
    ],
    ['empty', '', {}, incomplete],
  ])('%s', async (_, text, options, expected) => {
    expect(await last(text, options)).toEqual(expected);
  });

  test('by a failing model: the event comes before the error, which it does not tell', async () => {
    const failing = async function* () {
      yield '<|channel|>final<|message|>Ye';
      throw new Error('key sk-123');
    };
    const events: ResponsesEvent[] = [];
    await expect(async () => {
      for await (const event of eventsOf(failing(), { ...HARMONY, as: 'responses' })) events.push(event);
    }).rejects.toThrow('key sk-123');
    expect(events.at(-1)).toMatchObject({ type: 'response.failed', response: { status: 'failed' } });
    expect(JSON.stringify(events)).not.toContain('sk-123');
    expectWellFormed(events, 'failing');
  });

  test('cancelled: what is open ends', async () => {
    const controller = new AbortController();
    const events: ResponsesEvent[] = [];
    const endless = async function* () {
      yield '<|channel|>final<|message|>Yes, ';
      controller.abort();
      await new Promise(() => {});
    };
    for await (const event of eventsOf(endless(), { ...HARMONY, as: 'responses', signal: controller.signal })) {
      events.push(event);
    }
    expect(events.at(-1)).toMatchObject({ type: 'response.failed', response: { status: 'cancelled' } });
    expectWellFormed(events, 'cancelled');
  });

  test('left at its first event: the source is closed', async () => {
    let isClosed = false;
    const source = {
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.resolve({ done: false as const, value: 'x' }),
        return: () => {
          isClosed = true;
          return Promise.resolve({ done: true as const, value: undefined });
        },
      }),
    };
    for await (const _ of eventsOf(source, { as: 'responses' })) break;
    expect(isClosed).toBe(true);
  });
});

test('ids of calls are unique in a response, and two calls of 0.1 are two items', async () => {
  const header = '<|start|>assistant to=functions.f call_id=c1<|channel|>commentary<|message|>{}<|call|>';
  const twice = await responsesOf(bytes(header + header), { dialect: 'openchatml-2.2', messageId: (n) => `m${n}` });
  const ids = twice.flatMap((event) => {
    return event.type === 'response.output_item.done' && event.item.type === 'function_call' ? [event.item.call_id]
      : [];
  });
  expect(ids).toEqual(['c1', 'call_m1']);
  const text = 'Wait.\n<|function_call|>{"name":"f","arguments":{"a":1}}<|function_call|>{"name":"g","arguments":{}}';
  const line = await responsesOf(bytes(`${text}<|im_end|>`), { dialect: 'openchatml-0.1', role: 'assistant' });
  const { response } = line.at(-1) as { response: OpenAI.Responses.Response };
  expect(saidIn(response.output)).toEqual([
    { text: 'Wait.\n' }, { name: 'f', arguments: '{"a":1}' }, { name: 'g', arguments: '{}' },
  ]);
});

test('a form that is none is refused at once', () => {
  const message = 'option as: expected one of ocm, 2.0, responses, chat, ai-sdk; got "other"';
  expect(() => eventsOf([], { as: 'other' as 'ocm' })).toThrow(message);
});

const INPUTS = runs(4_000);
test(`${INPUTS} random inputs are well formed (OPENCHATML_SEED=${SEED})`, async () => {
  for (const { told, input, options, cuts } of randomCases(INPUTS)) {
    const events = await responsesOf(input, options, cuts);
    expectWellFormed(events, told);
    for (const event of events) official(event);
  }
});
