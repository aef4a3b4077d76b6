// ShareGPT records: words for authors, calls with exact arguments, replies in order, and what the form has no place
// for.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Loss, Refusal } from '../../../src/formats/loss.ts';
import { fromShareGpt, toShareGpt } from '../../../src/formats/chat/sharegpt.ts';
import type { MessageData } from '../../../src/model/data.ts';
import { SEED } from '../../random.ts';

const told = (losses: readonly Loss[]): unknown[] => losses.map(({ what, message }) => [what, message]);
const turn = (from: string, value: string): object => ({ from, value });
const write = (...messages: MessageData[]): ReturnType<typeof toShareGpt> =>
  toShareGpt({ header: null, tools: [], messages });

function comesBack(record: object): readonly MessageData[] {
  const { data, losses } = fromShareGpt(record);
  const back = toShareGpt(data);
  expect({ record: back.record, losses: [...losses, ...back.losses] }).toEqual({ record, losses: [] });
  return data.messages;
}

test('authors, calls and replies come back', () => {
  const tools = JSON.stringify([
    { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } },
  ]);
  const messages = comesBack({
    tools,
    conversations: [
      turn('system', 'S'),
      turn('human', 'U'),
      turn('human_1', 'U1'),
      turn('function_call', '{"name": "f", "arguments": {"a":  1.0, "b": "}\\"]"}}'),
      turn('observation', 'R'),
      turn('gpt', 'A'),
    ],
  });
  expect(messages).toEqual([
    { role: 'system', content: 'S', end: 'end' },
    { role: 'user', content: 'U', end: 'end' },
    { role: 'user', name: 'human_1', content: 'U1', end: 'end' },
    {
      role: 'assistant',
      recipient: 'functions.f',
      channel: 'commentary',
      contentType: 'json',
      constrained: true,
      content: '{"a":  1.0, "b": "}\\"]"}',
      end: 'call',
    },
    {
      role: 'tool',
      name: 'functions.f',
      nameFromCall: true,
      recipient: 'assistant',
      channel: 'commentary',
      content: 'R',
      end: 'end',
    },
    { role: 'assistant', channel: 'final', content: 'A', end: 'end' },
  ]);
});

test('several calls of one turn are a list, replies follow in order', () => {
  const value = '[{"name": "f", "arguments": {}}, {"name": "g", "arguments": [1, "x"]}]';
  const messages = comesBack({
    conversations: [turn('function_call', value), turn('observation', 'f'), turn('observation', 'g')],
  });
  expect(messages.map(({ recipient, name, content }) => [recipient, name, content])).toEqual([
    ['functions.f', undefined, '{}'],
    ['functions.g', undefined, '[1, "x"]'],
    ['assistant', 'functions.f', 'f'],
    ['assistant', 'functions.g', 'g'],
  ]);
});

test('other words for authors, once each', () => {
  const { data, losses } = fromShareGpt({
    conversations: [
      turn('user', 'a'),
      turn('user', 'b'),
      turn('assistant', 'c'),
      turn('chatgpt', 'd'),
      turn('tool', 'e'),
      turn('bot', 'f'),
      turn('model', 'g'),
      turn('tool_call', '{"name": "h", "arguments": {}}'),
      turn('tool_response', 'i'),
    ],
  });
  expect(losses.map(({ detail }) => detail)).toEqual([
    'user becomes human',
    'assistant becomes gpt',
    'chatgpt becomes gpt',
    'tool becomes observation',
    'bot becomes gpt',
    'model becomes gpt',
    'tool_call becomes function_call',
    'tool_response becomes observation',
  ]);
  expect(data.messages.map(({ role }) => role)).toEqual([
    'user', 'user', 'assistant', 'assistant', 'tool', 'assistant', 'assistant', 'assistant', 'tool',
  ]);
});

test('a record of other shapes: what changes is told', () => {
  const cases: [record: object, losses: unknown[], back: object[]][] = [
    [{ system: 'S', conversations: [] }, [['field', null]], [turn('system', 'S')]],
    [{ tools: '', conversations: [] }, [['field', null]], []],
    [
      { source: 'x', conversations: [{ ...turn('gpt', 'A'), weight: 1 }] },
      [
        ['field', null],
        ['field', 0],
      ],
      [turn('gpt', 'A')],
    ],
    [
      { conversations: [turn('function_call', ' {"arguments":{"a":1},"name":"f"}')] },
      [['field', 0]],
      [turn('function_call', '{"name": "f", "arguments": {"a":1}}')],
    ],
    [
      { conversations: [turn('function_call', '{"name": "f", "arguments": "{\\"a\\":1}"}')] },
      [['field', 0]],
      [turn('function_call', '{"name": "f", "arguments": {"a":1}}')],
    ],
    [
      { conversations: [turn('function_call', '{"name": "f"}')] },
      [
        ['field', 0],
        ['field', 0],
      ],
      [turn('function_call', '{"name": "f", "arguments": {}}')],
    ],
    [
      {
        conversations: [
          turn('function_call', '{"name": "f", "arguments": {}}'),
          turn('function_call', '{"name": "g", "arguments": {}}'),
        ],
      },
      [['grouping', 1]],
      [turn('function_call', '[{"name": "f", "arguments": {}}, {"name": "g", "arguments": {}}]')],
    ],
  ];
  for (const [record, losses, back] of cases) {
    const read = fromShareGpt(record);
    expect(told(read.losses)).toEqual(losses);
    expect(toShareGpt(read.data).record.conversations).toEqual(back);
  }
});

describe('what the form has no place for', () => {
  const call = {
    role: 'assistant',
    recipient: 'functions.f',
    channel: 'commentary',
    contentType: 'json',
    constrained: true,
    content: '{}',
  } as const;
  const cases: [name: string, messages: MessageData[], losses: unknown[], turns: number][] = [
    ['thinking', [{ role: 'assistant', channel: 'analysis', content: 'T' }], [['thinking', 0]], 0],
    ['hidden commentary', [{ role: 'assistant', channel: 'commentary', content: 'T' }], [['channel', 0]], 0],
    [
      'a preamble',
      [{ role: 'assistant', channel: 'commentary', intent: 'preamble', content: 'P' }],
      [['channel', 0]],
      1,
    ],
    ['developer', [{ role: 'developer', content: 'D' }], [['role', 0]], 1],
    [
      'names',
      [
        { role: 'user', name: 'ann', content: 'U' },
        { role: 'assistant', name: 'x', content: 'A' },
      ],
      [
        ['name', 0],
        ['name', 1],
      ],
      2,
    ],
    [
      'ids',
      [
        { ...call, callId: 'c' },
        { role: 'tool', name: 'functions.f', callId: 'c', content: 'R' },
      ],
      [
        ['call-id', 0],
        ['call-id', 1],
      ],
      2,
    ],
    [
      'the name of a reply that answers no call',
      [{ role: 'tool', name: 'functions.g', content: 'R' }],
      [['name', 0]],
      1,
    ],
    [
      'the order of replies',
      [
        call,
        { ...call, recipient: 'functions.g' },
        { role: 'tool', name: 'functions.g', content: 'g' },
        { role: 'tool', name: 'functions.f', content: 'f' },
      ],
      [['call-id', 2]],
      3,
    ],
    ['an end', [{ role: 'assistant', end: 'return', content: 'A' }], [['end', 0]], 1],
    [
      'recipients and types',
      [{ role: 'assistant', recipient: 'user', contentType: 'markdown', content: 'A' }],
      [
        ['content-type', 0],
        ['recipient', 0],
      ],
      1,
    ],
  ];
  test.each(cases)('%s', (_name, messages, losses, turns) => {
    const { record, losses: found } = write(...messages);
    expect(told(found)).toEqual(losses);
    expect(record.conversations).toHaveLength(turns);
  });
});

test('what is refused', () => {
  const read =
    (...conversations: unknown[]): (() => void) =>
    () =>
      void fromShareGpt({ conversations });
  expect(() => fromShareGpt({ messages: [] })).toThrow(Refusal);
  for (const value of ['secret', '{"name": 1}', '[]', '{"name": "f", "arguments": "secret"}', ''])
    expect(read(turn('function_call', value))).toThrow(/message 0: (?!.*secret)/);
  expect(read(turn('robot', 'secret'))).toThrow(/from/);
  expect(read({ from: 'human' })).toThrow(/value/);
  expect(() => write({ role: 'critic', content: '' })).toThrow(Refusal);
  for (const content of ['', ' {}', '{', 'secret', 'null', '"secret"']) {
    expect(() => write({ role: 'assistant', recipient: 'functions.f', content })).toThrow(/message 0: (?!.*secret)/);
  }
});

test('any calls come back with the exact text of their arguments', () => {
  const pad = fc.constantFrom('', ' ', '\n', '\t ');
  const value = fc.oneof(
    fc.array(fc.jsonValue()),
    fc.dictionary(fc.string(), fc.jsonValue()),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
  );
  const call = fc.record({
    recipient: fc.string().map((name) => `functions.x${name}`),
    content: fc.tuple(value, pad).map(([given, by]) => JSON.stringify(given, null, by)),
  });
  fc.assert(
    fc.property(fc.array(call, { minLength: 1, maxLength: 3 }), (calls) => {
      const written = write(...calls.map((given) => ({ role: 'assistant', ...given })));
      const read = fromShareGpt(JSON.parse(JSON.stringify(written.record)));
      expect(read.losses).toEqual([]);
      expect(read.data.messages.map(({ recipient, content }) => ({ recipient, content }))).toEqual(calls);
    }),
    { seed: SEED, numRuns: 1000 },
  );
});
