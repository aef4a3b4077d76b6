// Chat records: what each shape becomes, that it comes back, and that what has no place is told or refused.
import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { type ChatToolCall, fromOpenAI } from '../../../src/formats/chat/read.ts';
import { fromResponses, toResponses } from '../../../src/formats/chat/responses.ts';
import { toOpenAI } from '../../../src/formats/chat/write.ts';
import { convertTranscript } from '../../../src/formats/convert.ts';
import type { Loss } from '../../../src/formats/loss.ts';
import { Refusal } from '../../../src/formats/loss.ts';
import { transcriptData } from '../../../src/formats/transcript-data.ts';
import { parse } from '../../../src/index.ts';
import type { MessageData } from '../../../src/model/data.ts';
import { check } from '../../../src/tools.ts';
import { runs } from '../../long.ts';
import { SEED } from '../../random.ts';
import { readFileSync } from 'node:fs';

const CALL = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a": 1}' } };
const call = (id: string, name: string): object => ({ id, type: 'function', function: { name, arguments: '{}' } });
const told = (losses: readonly Loss[]): unknown[] => losses.map(({ what, message }) => [what, message]);

/** Reads a record, writes it again: the same, and nothing lost. */
function comesBack(...messages: object[]): readonly MessageData[] {
  const { data, losses } = fromOpenAI({ messages });
  const back = toOpenAI(data);
  expect({ record: back.record, losses: [...losses, ...back.losses] }).toEqual({ record: { messages }, losses: [] });
  return data.messages;
}

describe('what a record says', () => {
  test('plain roles keep role, name and content', () => {
    expect(
      comesBack(
        { role: 'system', content: 'S' },
        { role: 'developer', content: '' },
        { role: 'user', name: 'ann', content: 'U' },
      ),
    ).toEqual([
      { role: 'system', content: 'S', end: 'end' },
      { role: 'developer', content: '', end: 'end' },
      { role: 'user', name: 'ann', content: 'U', end: 'end' },
    ]);
  });

  test('an answer is final, thinking before it is analysis', () => {
    expect(comesBack({ role: 'assistant', content: 'A', thinking: 'T' })).toEqual([
      { role: 'assistant', channel: 'analysis', content: 'T', end: 'end' },
      { role: 'assistant', channel: 'final', content: 'A', end: 'end' },
    ]);
  });

  test('calls have exact arguments, replies the id and the name of their call', () => {
    const messages = comesBack(
      { role: 'assistant', content: null, tool_calls: [CALL, call('c2', 'browser.search')] },
      { role: 'tool', tool_call_id: 'c2', name: 'browser.search', content: 'r2' },
      { role: 'tool', tool_call_id: 'c1', name: 'f', content: 'r1' },
    );
    const shared = { role: 'assistant', channel: 'commentary', contentType: 'json', constrained: true, end: 'call' };
    expect(messages).toEqual([
      { ...shared, recipient: 'functions.f', callId: 'c1', content: '{"a": 1}' },
      { ...shared, recipient: 'browser.search', callId: 'c2', content: '{}' },
      {
        role: 'tool',
        name: 'browser.search',
        recipient: 'assistant',
        callId: 'c2',
        channel: 'commentary',
        content: 'r2',
        end: 'end',
      },
      {
        role: 'tool',
        name: 'functions.f',
        recipient: 'assistant',
        callId: 'c1',
        channel: 'commentary',
        content: 'r1',
        end: 'end',
      },
    ]);
  });

  test('a reply without a name gets that of its call, and loses it again', () => {
    const messages = comesBack(
      { role: 'assistant', content: null, tool_calls: [CALL] },
      { role: 'tool', tool_call_id: 'c1', content: 'r' },
    );
    expect(messages[1]).toMatchObject({ name: 'functions.f' });
    expect(comesBack({ role: 'tool', tool_call_id: 'none', content: 'r' })[0]).not.toHaveProperty('name');
  });

  test('content beside calls is a preamble that users may see', () => {
    const messages = comesBack({
      role: 'assistant',
      content: 'Wait',
      thinking: 'T',
      tool_calls: [CALL, call('c2', 'g')],
    });
    expect(messages.map(({ channel, intent = null, content }) => [channel, intent, content])).toEqual([
      ['analysis', null, 'T'],
      ['commentary', 'preamble', 'Wait'],
      ['commentary', null, '{"a": 1}'],
      ['commentary', null, '{}'],
    ]);
  });

  test('empty reasoning makes no message, and is told', () => {
    const said = { role: 'assistant', content: 'A' };
    const blocks = { role: 'assistant', content: [{ type: 'thinking', thinking: '' }, { type: 'text', text: 'A' }] };
    const members = ['thinking', 'reasoning', 'reasoning_content'].map((name) => ({ ...said, [name]: '' }));
    for (const entry of [...members, blocks]) {
      const { data, losses } = fromOpenAI({ messages: [entry] });
      expect(data.messages.map(({ channel, content }) => [channel, content])).toEqual([['final', 'A']]);
      expect(losses).toEqual([{ what: 'thinking', message: 0, detail: 'reasoning that is empty is left out' }]);
    }
    const item = { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: '' }] };
    const answer = { type: 'message', role: 'assistant', content: 'A' };
    expect(fromResponses({ input: [item, answer] }).data.messages).toHaveLength(1);
    const empty = { role: 'assistant', channel: 'analysis', content: '' } as const;
    const { record, losses } = toOpenAI({ header: null, tools: [], messages: [empty, { ...said, channel: 'final' }] });
    expect(record.messages).toEqual([said]);
    expect(losses.map(({ what }) => what)).toEqual(['thinking']);
  });

  test('thinking that leads to nothing is a message', () => {
    comesBack({ role: 'assistant', content: null, thinking: 'T' }, { role: 'user', content: 'U' });
    comesBack(
      { role: 'assistant', content: 'A' },
      { role: 'assistant', content: 'B' },
      { role: 'assistant', content: null, tool_calls: [CALL] },
    );
  });

  test('tools stand beside the messages, also as text', () => {
    const tools = [
      { type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object', properties: {} } } },
    ];
    const messages = [{ role: 'user', content: 'U' }];
    for (const given of [tools, JSON.stringify(tools)]) {
      const { data, losses } = fromOpenAI({ id: 7, messages, tools: given });
      expect(data.tools).toEqual([{ namespace: 'functions', ...tools[0]!.function }]);
      expect([losses, toOpenAI(data).record]).toEqual([[], { tools, messages }]);
    }
  });
});

test('calls and replies that have a role of their own', () => {
  const text = '{"name": "f", "arguments": {"a":  1.0}}';
  const entry = (role: string, content: string): object => ({ role, content });
  for (const [calling, answering] of [['tool_call', 'tool_response'], ['function_call', 'observation']] as const) {
    const messages = [
      entry('user', 'U'), entry('assistant', 'Wait'), entry(calling, text), entry(calling, '[{"name": "g"}]'),
      entry(answering, 'R'), entry(answering, 'S'), entry('bot', 'A'),
    ];
    const { data, losses } = fromOpenAI({ messages });
    const shared = { role: 'assistant', channel: 'commentary', contentType: 'json', constrained: true, end: 'call' };
    const reply = { role: 'tool', recipient: 'assistant', channel: 'commentary', nameFromCall: true, end: 'end' };
    expect(data.messages).toEqual([
      { role: 'user', content: 'U', end: 'end' },
      { role: 'assistant', channel: 'final', content: 'Wait', end: 'end' },
      { ...shared, recipient: 'functions.f', content: '{"a":  1.0}' },
      { ...shared, recipient: 'functions.g', content: '{}' },
      { ...reply, name: 'functions.f', content: 'R' },
      { ...reply, name: 'functions.g', content: 'S' },
      { role: 'assistant', channel: 'final', content: 'A', end: 'end' },
    ]);
    expect(losses.map(({ what, message, detail }) => `${what} ${message}: ${detail}`)).toEqual([
      `role 2: ${calling} becomes assistant`, `role 3: ${calling} becomes assistant`,
      'field 3: no arguments become {}', 'field 3: a call is laid out anew',
      'grouping 3: it joins the message before it',
      `role 4: ${answering} becomes tool`, `role 5: ${answering} becomes tool`, 'role 6: bot becomes assistant',
    ]);
    const back = toOpenAI(data).record.messages;
    expect((back[2]!.tool_calls as ChatToolCall[]).map(({ function: { name, arguments: given } }) => [name, given]))
      .toEqual([['f', '{"a":  1.0}'], ['g', '{}']]);
    expect(back.slice(3).map(({ role, name, content }) => [role, name, content]))
      .toEqual([['tool', undefined, 'R'], ['tool', undefined, 'S'], ['assistant', undefined, 'A']]);
  }
  for (const content of ['secret', '[]', '{"arguments": {}}', null, [{ type: 'text', text }]]) {
    expect(() => fromOpenAI({ messages: [{ role: 'tool_call', content }] })).toThrow(/^message 0: its content is no /);
  }
});

describe('what becomes another shape', () => {
  const cases: [name: string, message: object, losses: unknown[], back: object][] = [
    [
      'parts of text are joined',
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      [['field', 0]],
      { role: 'user', content: 'ab' },
    ],
    [
      'parts without a type, as Bedrock has them',
      { role: 'user', content: [{ text: 'a' }, { text: 'b', id: 1 }] },
      [['field', 0], ['field', 0]],
      { role: 'user', content: 'ab' },
    ],
    [
      'arguments as an object',
      { role: 'assistant', content: null, tool_calls: [{ ...CALL, function: { name: 'f', arguments: { a: 1 } } }] },
      [['field', 0]],
      { role: 'assistant', content: null, tool_calls: [{ ...CALL, function: { name: 'f', arguments: '{"a":1}' } }] },
    ],
    [
      'function_call',
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
      [
        ['field', 0],
        ['call-id', 0],
      ],
      { role: 'assistant', content: null, tool_calls: [call('call_1', 'f')] },
    ],
    [
      'role function',
      { role: 'function', name: 'f', content: 'r' },
      [
        ['role', 0],
        ['call-id', 0],
      ],
      { role: 'tool', name: 'f', content: 'r' },
    ],
    [
      'reasoning_content',
      { role: 'assistant', content: 'A', reasoning_content: 'T' },
      [['field', 0]],
      { role: 'assistant', content: 'A', thinking: 'T' },
    ],
    [
      'reasoning',
      { role: 'assistant', content: 'A', reasoning: 'T' },
      [['field', 0]],
      { role: 'assistant', content: 'A', thinking: 'T' },
    ],
    [
      'empty content beside calls',
      { role: 'assistant', content: '', tool_calls: [CALL] },
      [['field', 0]],
      { role: 'assistant', content: null, tool_calls: [CALL] },
    ],
    ['no content at all', { role: 'user' }, [['field', 0]], { role: 'user', content: '' }],
    ['an answer of null', { role: 'assistant', content: null }, [['field', 0]], { role: 'assistant', content: '' }],
    [
      'no calls in a list',
      { role: 'assistant', content: 'A', tool_calls: [] },
      [['field', 0]],
      { role: 'assistant', content: 'A' },
    ],
    [
      'a prefixed name',
      { role: 'tool', tool_call_id: 'x', name: 'functions.f', content: 'r' },
      [['name', 0]],
      { role: 'tool', tool_call_id: 'x', name: 'f', content: 'r' },
    ],
    ['an unknown field', { role: 'user', content: 'U', weight: 0 }, [['field', 0]], { role: 'user', content: 'U' }],
    [
      'a field of another role',
      { role: 'user', content: 'U', tool_calls: [CALL] },
      [['field', 0]],
      { role: 'user', content: 'U' },
    ],
    [
      'nulls are nothing',
      { role: 'assistant', content: 'A', name: null, tool_calls: null, refusal: null },
      [],
      { role: 'assistant', content: 'A' },
    ],
  ];
  test.each(cases)('%s', (_name, message, losses, back) => {
    const read = fromOpenAI({ messages: [message] });
    const written = toOpenAI(read.data);
    expect(told([...read.losses, ...written.losses])).toEqual(losses);
    expect(written.record.messages).toEqual([back]);
  });

  test('the refusal of an assistant without a content is what it says', () => {
    for (const content of [{}, { content: null }]) {
      const { data, losses } = fromOpenAI({ messages: [{ role: 'assistant', ...content, refusal: 'No.' }] });
      expect(data.messages).toEqual([{ role: 'assistant', channel: 'final', content: 'No.', end: 'end' }]);
      expect(losses).toEqual([{ what: 'field', message: 0, detail: 'a refusal becomes text' }]);
    }
    const { data, losses } = fromOpenAI({ messages: [{ role: 'assistant', content: 'A', refusal: 'No.' }] });
    expect(data.messages).toMatchObject([{ content: 'A' }]);
    expect(losses).toEqual([{ what: 'field', message: 0, detail: 'refusal' }]);
  });

  test('messages that come back as one', () => {
    const assistant = { role: 'assistant', content: null };
    const read = fromOpenAI({
      messages: [
        { ...assistant, tool_calls: [CALL] },
        { ...assistant, tool_calls: [call('c2', 'g')] },
      ],
    });
    expect(told(read.losses)).toEqual([['grouping', 1]]);
    expect(toOpenAI(read.data).record.messages).toEqual([{ ...assistant, tool_calls: [CALL, call('c2', 'g')] }]);
    expect(
      told(
        fromOpenAI({
          messages: [
            { ...assistant, thinking: 'T' },
            { role: 'assistant', content: 'A' },
          ],
        }).losses,
      ),
    ).toEqual([['grouping', 1]]);
  });

  test('a field of the record is told by its name', () => {
    const { losses } = fromOpenAI({ id: 'x', source: 'secret', messages: [] });
    expect(losses).toEqual([{ what: 'field', message: null, detail: 'source' }]);
  });
});

describe('contents of parts', () => {
  const read = (...messages: object[]): unknown[] => fromOpenAI({ messages }).data.messages.map((message) => {
    const { role, channel, recipient, callId, content, name } = message as unknown as Record<string, unknown>;
    return [role, ...[channel, recipient, callId, name].filter((value) => value !== undefined), content];
  });
  const text = (value: string): object => ({ type: 'text', text: value });

  test('what is no text is shown by its kind, and kept', () => {
    const parts = [
      text('a '), { type: 'image_url', image_url: { url: 'secret' } }, { type: 'input_text', text: ' b ' },
      { type: 'input_audio', input_audio: {} }, { type: 'document', source: {} }, { type: 'refusal', refusal: 'no' },
    ];
    const { data, losses } = fromOpenAI({ messages: [{ role: 'user', content: parts }] });
    expect(data.messages[0]!.content).toBe('a [image] b [audio][document]no');
    expect(data.messages[0]!.parts).toEqual([
      'a ', { shown: '[image]', form: 'messages', part: parts[1] }, ' b ',
      { shown: '[audio]', form: 'messages', part: parts[3] },
      { shown: '[document]', form: 'anthropic', part: parts[4] }, 'no',
    ]);
    expect(losses).toEqual([{ what: 'field', message: 0, detail: 'a refusal becomes text' }]);
  });

  test('blocks are thinking, calls and replies', () => {
    expect(read(
      { role: 'user', content: [text('Weather?')] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Look.', signature: 's' }, text('I look.'),
          { type: 'tool_use', id: 't1', name: 'f', input: { a: 1 } },
          { type: 'tool_use', id: 't2', name: 'g', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't1', content: [text('one'), { type: 'image', source: {} }] },
          { type: 'tool_result', tool_use_id: 't2' }, text('And?'),
        ],
      },
      { role: 'assistant', content: [{ type: 'redacted_thinking', data: 'secret' }, text('Fine.')] },
    )).toEqual([
      ['user', 'Weather?'],
      ['assistant', 'analysis', 'Look.'],
      ['assistant', 'commentary', 'I look.'],
      ['assistant', 'commentary', 'functions.f', 't1', '{"a":1}'],
      ['assistant', 'commentary', 'functions.g', 't2', '{}'],
      ['tool', 'commentary', 'assistant', 't1', 'functions.f', 'one[image]'],
      ['tool', 'commentary', 'assistant', 't2', 'functions.g', ''],
      ['user', 'And?'],
      ['assistant', 'final', 'Fine.'],
    ]);
  });

  test.each<[system: unknown, messages: object[], expected: string | null, losses: number]>([
    ['S', [{ role: 'user', content: 'U' }], 'S', 0],
    [[text('S')], [{ role: 'user', content: 'U' }], 'S', 0],
    [[text('S'), text('T')], [{ role: 'user', content: 'U' }], 'ST', 1],
    ['S', [{ role: 'system', content: 'own' }], 'own', 1],
    [{ os: 'x' }, [{ role: 'user', content: 'U' }], null, 1],
    ['', [{ role: 'user', content: 'U' }], null, 1],
  ])('a system beside the list: %j', (system, messages, expected, lost) => {
    const { data, losses } = fromOpenAI({ system, messages });
    const [first] = data.messages;
    expect(first!.role === 'system' ? first!.content : null).toBe(expected);
    expect(losses).toHaveLength(lost);
  });

  test('blocks in another order are several messages, in their order', () => {
    const { data, losses } = fromOpenAI({
      messages: [
        {
          role: 'assistant', model: 'm', reasoning: 'R',
          content: [
            { type: 'thinking', thinking: 'one' }, { type: 'thinking', thinking: 'two' }, text('A'),
            { type: 'tool_use', id: 't1', name: 'f', input: {} }, text('B'),
          ],
        },
        { role: 'user', note: 'n', content: [text('C'), { type: 'tool_result', tool_use_id: 't1', content: 'D' }] },
        { role: 'user', content: 'E' },
      ],
    });
    expect(data.messages.map(({ channel = null, content }) => [channel, content])).toEqual([
      ['analysis', 'R'], ['analysis', 'one'], ['analysis', 'two'], ['commentary', 'A'], ['commentary', '{}'],
      ['final', 'B'], [null, 'C'], ['commentary', 'D'], [null, 'E'],
    ]);
    expect(losses.map(({ what, message, detail }) => `${what} ${message} ${detail}`)).toEqual([
      'grouping 0 its blocks become several messages', 'field 0 reasoning becomes thinking', 'field 0 model',
      'grouping 1 what stands before a reply becomes its own message', 'field 1 note',
      'grouping 2 it joins the message before it',
    ]);
  });
});

describe('calls of custom tools, whose input is text', () => {
  const input = '*** Begin Patch\n"x"';
  const calls = [{ id: 'c1', type: 'custom', custom: { name: 'patch', input } }];
  const record = {
    tools: [
      { type: 'custom', custom: { name: 'patch', description: 'P', format: { type: 'text' } } },
      { type: 'function', function: { name: 'f' } },
    ],
    messages: [
      { role: 'user', content: 'U' },
      { role: 'assistant', content: null, tool_calls: calls },
      { role: 'tool', tool_call_id: 'c1', content: 'R' },
      { role: 'assistant', content: 'A' },
    ],
  };
  const { data, losses } = fromOpenAI(record);

  test('are calls of a function without parameters, and come back', () => {
    expect(data.tools).toEqual([
      { namespace: 'functions', name: 'patch', description: 'P' }, { namespace: 'functions', name: 'f' },
    ]);
    expect(losses.map(({ what, detail }) => [what, detail])).toEqual([
      ['tools', 'tool 0: a field that definitions have no place for'],
    ]);
    expect(data.messages[1]).toEqual({
      role: 'assistant', recipient: 'functions.patch', callId: 'c1', channel: 'commentary', contentType: 'text',
      content: input, end: 'call',
    });
    const back = toOpenAI(data);
    expect([back.record.messages, back.losses]).toEqual([record.messages, []]);
  });

  test('come back from 2.2, in which nothing is wrong with them', () => {
    const { text } = convertTranscript(data, 'openchatml-2.2');
    expect(text).toContain(`content_type=text<|channel|>commentary<|message|>${input}<|call|>`);
    expect(check(text!)).toEqual([]);
    const { messages } = transcriptData(parse(text!).transcripts[0]!);
    expect(toOpenAI({ header: null, tools: [], messages: messages.slice(1) }).record.messages[1])
      .toEqual(record.messages[1]);
  });

  test('have items of their own in Responses', () => {
    const there = toResponses(data);
    expect(there.losses).toEqual([]);
    expect(there.record.input.slice(1, 3)).toEqual([
      { type: 'custom_tool_call', call_id: 'c1', name: 'patch', input },
      { type: 'custom_tool_call_output', call_id: 'c1', output: 'R' },
    ]);
    const back = fromResponses(there.record);
    expect([back.data.messages, back.losses]).toEqual([data.messages, []]);
    const tools = fromResponses({ tools: [{ type: 'custom', name: 'patch', description: 'P' }], input: [] });
    expect(tools.data.tools).toEqual([data.tools[0]]);
  });

  test('are no calls of a function that takes arguments', () => {
    const parameters = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
    const { text } = convertTranscript(
      { ...data, tools: [{ namespace: 'functions', name: 'patch', parameters }] }, 'openchatml-2.2',
    );
    expect(check(text!).map(({ rule }) => rule)).toEqual(['invalid-arguments']);
  });
});

describe('what is refused', () => {
  const cases: [record: unknown, index: number | null, text: RegExp][] = [
    [null, null, /no chat record/],
    [[], null, /no chat record/],
    [{ messages: 'secret' }, null, /no chat record/],
    [{ messages: [{ role: 'user', content: 'U' }, 'secret'] }, 1, /no object/],
    [{ messages: [{ role: 'secret', content: '' }] }, 0, /role/],
    [{ messages: [{ role: 'user', content: [{ type: 'secret <b>' }] }] }, 0, /none that is known/],
    [{ messages: [{ role: 'user', content: [{ type: 'text', text: 5 }] }] }, 0, /none that is known/],
    [{ messages: [{ role: 'user', content: [{ secret: 'a' }] }] }, 0, /none that is known/],
    [{ messages: [{ role: 'user', content: 5 }] }, 0, /content is no text/],
    [
      { messages: [{ role: 'assistant', content: 'A', reasoning: 'secret', thinking: 'other' }] },
      0,
      /two different texts/,
    ],
    [{ messages: [{ role: 'assistant', tool_calls: 'secret' }] }, 0, /no list/],
    [{ messages: [{ role: 'assistant', tool_calls: [{ type: 'other', other: {} }] }] }, 0, /no function/],
    [{ messages: [{ role: 'assistant', tool_calls: [{ type: 'custom', custom: {} }] }] }, 0, /no name or no input/],
    [{ messages: [{ role: 'assistant', tool_calls: [{ id: 1, function: { name: 'f' } }] }] }, 0, /id is no text/],
    [{ messages: [{ role: 'assistant', tool_calls: [{ function: {} }] }] }, 0, /names no function/],
    [{ messages: [{ role: 'user', text: 'secret' }] }, 0, /it has no content, but text, which is not read/],
    [{ messages: [{ role: 'user', content: null, parts: [{ text: 'secret' }] }] }, 0, /no content, but parts/],
    [{ messages: [{ role: 'user', tool_calls: [{ id: 'secret' }] }] }, 0, /no content, but tool_calls/],
    [{ messages: [{ role: 'assistant', tool_calls: [], message: 'secret' }] }, 0, /no content, but message/],
    [{ messages: [{ role: 'tool', tool_call_id: 'c', output: 'secret' }] }, 0, /no content, but output/],
    [{ messages: [{ role: 'user', 'a secret': 'secret' }] }, 0, /no content, but another member/],
    [{ messages: [], tools: 'secret' }, null, /tool 0/],
    [{ messages: [], tools: [{ type: 'function', function: { name: 'a secret' } }] }, null, /tool 0/],
  ];
  test.each(cases)('%j', (record, index, text) => {
    const refusal = catchRefusal(() => fromOpenAI(record));
    expect(refusal.index).toBe(index);
    expect(refusal.message).toMatch(text);
    expect(refusal.message).not.toMatch(/secret/);
  });

  test('a message that says nothing, and has no member that might, is empty', () => {
    for (const more of [{}, { id: 'm1' }, { weight: 0 }, { refusal: null }, { audio: {} }, { note: '' }]) {
      const read = fromOpenAI({ messages: [{ role: 'assistant', content: null, ...more }] });
      expect(read.data.messages, JSON.stringify(more)).toMatchObject([{ channel: 'final', content: '' }]);
      expect(read.losses.map(({ detail }) => detail)).toContain('no content becomes empty text');
    }
  });

  test('arguments of any depth end in a refusal, not in an exhausted stack', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown;
    const messages = [{ role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: deep } }] }];
    expect(catchRefusal(() => fromOpenAI({ messages })).message).toMatch(/too deep/);
  });
});

function catchRefusal(work: () => unknown): Refusal {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal);
    return error as Refusal;
  }
  throw new Error('it was not refused');
}

describe('fixtures', () => {
  test('a record with everything comes back', () => {
    const record = JSON.parse(
      readFileSync(new URL('../../../fixtures/chat/record.json', import.meta.url), 'utf8'),
    ) as object;
    const { data, losses } = fromOpenAI(record);
    expect(losses).toEqual([]);
    const back = toOpenAI(data);
    expect({ id: 'weather', ...back.record }).toEqual(record);
    expect(back.losses).toEqual([]);
  });
});

describe('any record', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 12 });
  const some = text.filter((value) => value !== '');
  const name = fc.constantFrom('f', 'g', 'browser.search', 'python', 'functions.browser.search');
  const ids = fc.constantFrom('a', 'b', 'call_1');
  const calls = fc.array(
    fc.record({ id: ids, type: fc.constant('function'), function: fc.record({ name, arguments: text }) }),
    { minLength: 1, maxLength: 3 },
  );
  const message = fc.oneof(
    fc.record(
      { role: fc.constantFrom('system', 'developer', 'user'), content: text, name: text },
      { requiredKeys: ['role', 'content'] },
    ),
    fc.record({ role: fc.constant('assistant'), content: text, thinking: some }, { requiredKeys: ['role', 'content'] }),
    fc.record(
      {
        role: fc.constant('assistant'),
        content: fc.option(some),
        thinking: some,
        tool_calls: calls,
      },
      { requiredKeys: ['role', 'content', 'tool_calls'] },
    ),
    fc.record(
      { role: fc.constant('tool'), tool_call_id: ids, name, content: text },
      { requiredKeys: ['role', 'tool_call_id', 'content'] },
    ),
  );

  test('comes back, unless a loss is told', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 8 }), (messages) => {
        const { data, losses } = fromOpenAI({ messages });
        const back = toOpenAI(data);
        if (losses.length + back.losses.length === 0) expect(back.record).toEqual({ messages });
        else expect(losses.every(({ what }) => what === 'grouping')).toBe(true);
      }),
      { seed: SEED, numRuns: runs(2000) },
    );
  });

  test('is read or refused, never anything else', () => {
    const value = fc.oneof(
      { depthSize: 'small' },
      fc.jsonValue(),
      fc.constantFrom('user', 'assistant', 'tool', 'function', 'text'),
    );
    const any = fc.dictionary(
      fc.constantFrom(
        'role',
        'content',
        'name',
        'tool_calls',
        'tool_call_id',
        'function_call',
        'thinking',
        'type',
        'text',
        '__proto__',
      ),
      value,
    );
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.array(any)), fc.jsonValue(), (messages, tools) => {
        try {
          toOpenAI(fromOpenAI({ messages, tools }).data);
        } catch (error) {
          expect(error).toBeInstanceOf(Refusal);
        }
      }),
      { seed: SEED, numRuns: runs(2000) },
    );
  });
});
