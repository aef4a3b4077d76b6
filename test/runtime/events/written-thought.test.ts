// Reasoning that a model writes as text (R-THINK), in the forms of other APIs: it comes as reasoning while the model
// writes it, and nowhere else; however the output is cut.
import { describe, expect, test } from 'vitest';
import {
  eventsOf, type EventForm, MessageStream, RegionAdapter, type StreamEvent, type StreamOptions,
} from '../../../src/stream.ts';
import { runs } from '../../long.ts';
import { randomOf, SEED } from '../../random.ts';
import { bytewise } from '../stream/run.ts';
import { pieces } from './loopback.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const OPTIONS = {
  dialect: 'openchatml-2.2', role: 'assistant', reasoning: true, messageId: (index: number) => `m${index}`,
} as const;

interface Told {
  text: string;
  reasoning: string;
  calls: string;
  /** In which order they came, each run once. */
  order: string;
}

/** What an event of a form adds, by its kind. */
const ADDS: Record<string, Record<string, 'text' | 'reasoning' | 'calls'>> = {
  'responses': {
    'response.output_text.delta': 'text', 'response.reasoning_text.delta': 'reasoning',
    'response.function_call_arguments.delta': 'calls',
  },
  'ai-sdk': { 'text-delta': 'text', 'reasoning-delta': 'reasoning', 'tool-input-delta': 'calls' },
  '2.0': { 'response.delta': 'text', 'response.reasoning_text.delta': 'reasoning' },
  'ocm': {
    'response.delta': 'text', 'response.reasoning_text.delta': 'reasoning',
    'response.function_call_arguments.delta': 'calls',
  },
};

type Adds = readonly [kind: 'text' | 'reasoning' | 'calls', delta: string];

function addsOf(form: EventForm, event: object): Adds[] {
  if (form !== 'chat') {
    const { type, delta } = event as { type: string; delta: string };
    const kind = ADDS[form]![type];
    return kind === undefined ? [] : [[kind, delta]];
  }
  type Delta = {
    content?: string; reasoning_content?: string; tool_calls?: { function: { arguments: string } }[];
  };
  const { choices = [] } = event as { choices?: { delta: Delta }[] };
  return choices.flatMap(({ delta: { content, reasoning_content: thought, tool_calls: calls = [] } }): Adds[] => [
    ...(thought === undefined ? [] : [['reasoning', thought] as const]),
    ...(content === undefined || content === '' ? [] : [['text', content] as const]),
    ...calls.map((call) => ['calls', call.function.arguments] as const),
  ]);
}

async function told(
  form: EventForm, input: Uint8Array, options: StreamOptions, cuts: readonly number[],
): Promise<{ told: Told; events: object[] }> {
  const out: Told = { text: '', reasoning: '', calls: '', order: '' };
  const events: object[] = [];
  for await (const event of eventsOf(pieces(input, cuts), { ...options, as: form })) {
    events.push(event);
    for (const [kind, delta] of addsOf(form, event)) {
      out[kind] += delta;
      if (!out.order.endsWith(kind)) out.order += ` ${kind}`;
    }
  }
  return { told: out, events };
}

const FORMS: readonly EventForm[] = ['ocm', '2.0', 'chat', 'responses', 'ai-sdk'];
const LINE = { ...OPTIONS, dialect: 'openchatml-0.1' } as const;
const OPEN = { ...OPTIONS, thinkOpen: true } as const;

const CASES: [name: string, text: string, said: Partial<Told>, options?: StreamOptions][] = [
  ['a thought', '<|message|><think>\nHm, \u4e2d.\n</think>\n\nHi.<|return|>',
    { text: 'Hi.', reasoning: '\nHm, \u4e2d.\n' }],
  ['alone', '<|message|><think>Hm.</think><|return|>', { reasoning: 'Hm.' }],
  ['without an end', '<|message|><think>Hm. </thin', { reasoning: 'Hm. </thin' }],
  ['behind white space', '<|message|> \n<think>Hm.</think>Hi.<|return|>', { text: ' \nHi.', reasoning: 'Hm.' }],
  ['white space alone', '<|message|> \n<|return|>', { text: ' \n' }],
  ['that is empty', '<|message|><think>\n\n</think>\n\nHi.<|return|>', { text: 'Hi.' }],
  ['in what looks like one', '<|message|><thin>a <think>b<|return|>', { text: '<thin>a <think>b' }],
  ['with a literal block', '<|message|><think>a<|literal|></think><|endliteral|>b</think>c<|return|>',
    { text: 'c', reasoning: 'a</think>b' }],
  ['with an escape and marks', '<|message|><think>a<<|end|><|start_reason|>b</think>c<|end_reason|>d<|return|>',
    { text: 'd', reasoning: 'a<|end|><|start_reason|>b' }],
  ['with a hidden channel', '<|message|><think>a<|channel|>analysis b</think>c<|return|>',
    { reasoning: 'a<|channel|>analysis b' }],
  ['that ends late, and was shown', '<|message|>a</think>b<|return|>', { text: 'ab' }],
  ['that began in the prompt', '<|message|>\nHm.</think>\n\nHi.<|return|>', { text: 'Hi.', reasoning: '\nHm.' }, OPEN],
  ['that began there, and begins again', '<|message|> <think>Hm.</think>Hi.<|return|>',
    { text: 'Hi.', reasoning: 'Hm.' }, OPEN],
  ['that began there and has no end', '<|message|>Hm.<|return|>', { reasoning: 'Hm.' }, OPEN],
  ['of 0.1', '<think>\nHm.\n</think>\nHi.\n<|im_end|>', { text: 'Hi.', reasoning: '\nHm.\n' }, LINE],
  ['before a call of 0.1',
    '<think>a\n<tool_call>b</think>\n<tool_call>{"name":"f","arguments":{}}</tool_call><|im_end|>',
    { reasoning: 'a\n<tool_call>b', calls: '{}' }, LINE],
  ['in Harmony, where it is text', '<|channel|>final<|message|><think>a</think>b<|return|>',
    { text: '<think>a</think>b' }, { ...OPTIONS, dialect: 'harmony' }],
];

describe.each(CASES)('%s', (_, text, said, options = OPTIONS) => {
  const input = bytes(text);
  const { text: shown = '', reasoning = '', calls = '' } = said;

  test.each(FORMS)('as %s, at every cut', async (form) => {
    const order = `${reasoning && ' reasoning'}${shown && ' text'}${calls && ' calls'}`;
    // Calls of 0.1 stand in the content, and are told by the adapters alone.
    const isOwn = form === 'ocm' || form === '2.0';
    const expected = isOwn ? { text: shown, reasoning, calls: '', order: order.replace(' calls', '') }
      : { text: shown, reasoning, calls, order };
    for (const cuts of [[], bytewise(input), ...bytewise(input).map((at) => [at])]) {
      expect((await told(form, input, options, cuts)).told, String(cuts)).toEqual(expected);
    }
    const without = await told(form, input, { ...options, reasoning: false }, bytewise(input));
    expect(without.told, 'who does not ask for it').toMatchObject({ text: shown, reasoning: '' });
  });
});

test('it comes while the model writes it, and only what may be a marker waits', () => {
  const stream = new MessageStream(OPTIONS);
  const reasoningOf = (events: readonly StreamEvent[]): string => events.map((event) => {
    return event.type === 'response.reasoning_text.delta' ? event.delta : '';
  }).join('');
  stream.feed('<|message|>');
  expect([...'<think>\nHm </t.</think>'].map((unit) => reasoningOf(stream.feed(unit)))).toEqual([
    ...Array<string>(8).fill(''), '\nH', 'm', ' ', '', '', '', '</t.', ...Array<string>(8).fill(''),
  ]);
});

test('items of Responses have ids of their own, and each text is in its place', async () => {
  const input = bytes('<|message|><think>Hm.</think>Hi.<|return|>');
  const { events } = await told('responses', input, OPTIONS, bytewise(input));
  const done = events.at(-1) as { type: string; response: { output: { id: string; type: string; status: string }[] } };
  expect(done.type).toBe('response.completed');
  expect(done.response.output.map(({ id, type, status }) => [id, type, status])).toEqual([
    ['m0_reasoning', 'reasoning', 'completed'], ['m0', 'message', 'completed'],
  ]);
  const cut = await told('responses', bytes('<|message|><think>Hm.'), OPTIONS, []);
  const items = (cut.events.at(-1) as typeof done).response.output;
  expect(items.map(({ type, status }) => [type, status]))
    .toEqual([['reasoning', 'incomplete'], ['message', 'incomplete']]);
});

test('regions of content hold none of it', () => {
  const adapter = new RegionAdapter();
  const stream = new MessageStream(OPTIONS);
  const events = [...stream.feed('<|message|><think>Hm.</think>Hi.<|return|>'), ...stream.end()];
  const regions = events.flatMap((event) => adapter.take(event));
  expect(regions.map((region) => [region.type, region.field, 'text' in region ? region.text : null])).toEqual([
    ['region_open', 'content', null], ['region_chunk', 'content', 'Hi.'], ['region_close', 'content', null],
  ]);
});

const NOISE = [
  'a', ' ', '\n', '<', '</', '<think>', '</think>', '\u00e9', '<|literal|>', '<|endliteral|>', '<<|end|>',
  '<|channel|>', '<|start_reason|>', '<|end_reason|>', '<tool_call>', '{"name":"f","arguments":{}}', '</tool_call>',
];
const RUNS = runs(3000);
test(`${RUNS} random answers: any cuts tell the same in every form (OPENCHATML_SEED=${SEED})`, async () => {
  const random = randomOf(SEED);
  for (let run = 0; run < RUNS; run++) {
    const body = Array.from({ length: random.below(9) }, () => random.pick(NOISE)).join('');
    const dialect = random.pick(['openchatml-2.2', 'openchatml-2.0', 'openchatml-0.1'] as const);
    const front = dialect === 'openchatml-0.1' ? '' : '<|message|>';
    const input = bytes(`${front}${random.once(3) ? '' : '<think>'}${body}${random.once(4) ? '' : '<|end|>'}`);
    const options = { ...OPTIONS, dialect, thinkOpen: random.once(3) };
    const form = random.pick(FORMS);
    const cuts = bytewise(input).filter(() => random.once(3));
    const whole = await told(form, input, options, []);
    const parts = await told(form, input, options, cuts);
    expect(parts.told, `OPENCHATML_SEED=${SEED}, run ${run}: ${JSON.stringify([form, options, body])}`)
      .toEqual(whole.told);
  }
});
