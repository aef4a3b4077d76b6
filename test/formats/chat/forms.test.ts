// The same conversation in the forms that records have: what each is read as, what is lost of it, how it is written.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { READERS } from '../../../src/corpus/records/chat-form.ts';
import { toAnthropic } from '../../../src/formats/chat/anthropic.ts';
import { fromOpenAI } from '../../../src/formats/chat/read.ts';
import { fromResponses, toResponses } from '../../../src/formats/chat/responses.ts';
import { convertTranscript } from '../../../src/formats/convert.ts';
import type { Loss } from '../../../src/formats/loss.ts';
import type { MessageData, TranscriptData } from '../../../src/model/data.ts';

function fixture(name: string): object {
  return JSON.parse(readFileSync(new URL(`../../../fixtures/chat/${name}`, import.meta.url), 'utf8')) as object;
}

const ANTHROPIC = fixture('anthropic.json');
const RESPONSES = fixture('responses.json');
const told = (losses: readonly Loss[]): string[] => {
  return losses.map(({ what, message, detail }) => `${what} ${message ?? '-'}: ${detail}`);
};
const dataOf = (...messages: MessageData[]): TranscriptData => ({ header: null, tools: [], messages });

const SAID = [
  'system - - Answer in one sentence.', 'user - - Is it warmer in Oslo or in Rome?',
  'assistant analysis - Two cities: two calls.', 'assistant commentary - I look at both cities.',
  'assistant commentary c1 {"city":"Oslo"}', 'assistant commentary c2 {"city":"Rome"}',
  'tool commentary c2 {"celsius": 21}', 'tool commentary c1 {"celsius": 9}', 'user - - Briefly, please.',
  'assistant final - Rome is warmer, at 21 °C.',
];

describe('the fixtures', () => {
  const say = ({ role, channel, callId, content }: MessageData): string => {
    return [role, channel ?? '-', callId ?? '-', content].join(' ');
  };

  test('Anthropic', () => {
    const { data, losses } = READERS.anthropic(ANTHROPIC);
    expect(data.messages.map(say)).toEqual(SAID);
    expect(data.tools.map(({ name }) => name)).toEqual(['get_weather']);
    expect(told(losses)).toEqual([
      'field -: model', 'field -: max_tokens',
      'tools -: tool 0: a field that definitions have no place for',
      'tools -: tool 1: it is no function, and is left out',
      'field -: system.cache_control', 'field -: parts of system were joined', 'field 0: parts of content were joined',
      'field 1: content.signature', 'thinking 1: what is redacted is left out', 'field 2: content.is_error',
    ]);
  });

  test('Responses', () => {
    const { data, losses } = READERS.responses(RESPONSES);
    expect(data.messages.map(say)).toEqual(SAID);
    expect(data.tools.map(({ name }) => name)).toEqual(['get_weather']);
    expect(told(losses)).toEqual([
      'field -: object', 'tools -: tool 0: a field that definitions have no place for',
      'tools -: tool 1: it is no function, and is left out', 'field -: instructions become a message',
      'field 1: id', 'thinking 1: what is encrypted is left out', 'thinking 1: a summary becomes the reasoning',
      'field 2: an item of type web_search_call is left out',
      'field 3: id', 'field 3: status', 'field 3: content.annotations', 'field 3: parts of content were joined',
      'field 4: id', 'field 5: id', 'field 9: id', 'field 9: phase',
    ]);
  });

  test.each<[from: object, read: (record: unknown) => { data: TranscriptData }]>([
    [ANTHROPIC, fromOpenAI], [RESPONSES, fromResponses],
  ])('go to the other forms and come back', (record, read) => {
    const { data } = read(record);
    for (const form of ['messages', 'anthropic', 'responses'] as const) {
      const written = convertTranscript(data, form);
      const again = READERS[form](written.record);
      expect(again.data.messages.map(say), form).toEqual(SAID);
      expect([written.losses, again.losses], form).toEqual([[], []]);
    }
  });
});

const CALL = { role: 'assistant', recipient: 'functions.f', channel: 'commentary', callId: 'c', end: 'call' } as const;
const REPLY = {
  role: 'tool', name: 'functions.f', recipient: 'assistant', channel: 'commentary', callId: 'c',
} as const;
const USER = { role: 'user', content: 'U' } as const;

describe('what is written', () => {
  test('Anthropic: replies and what a user says behind them are one message', () => {
    const data = dataOf(
      { role: 'developer', content: 'D' }, USER, { ...CALL, content: '{"a": 1}' }, { ...REPLY, content: 'R' }, USER,
      { role: 'user', content: 'V' }, { role: 'assistant', channel: 'analysis', content: 'T' },
      { role: 'assistant', channel: 'final', name: 'bot', content: 'A' },
    );
    const { record, losses } = toAnthropic({ ...data, tools: [{ namespace: 'functions', name: 'f' }] });
    expect(record).toEqual({
      system: 'D',
      tools: [{ name: 'f', input_schema: { type: 'object' } }],
      messages: [
        { role: 'user', content: 'U' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: { a: 1 } }] },
        {
          role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'R' }, { type: 'text', text: 'U' }],
        },
        { role: 'user', content: 'V' },
        { role: 'assistant', content: [{ type: 'thinking', thinking: 'T' }, { type: 'text', text: 'A' }] },
      ],
    });
    expect(told(losses)).toEqual([
      'role 0: developer becomes system', 'field 2: arguments are laid out anew', 'name 7: left out',
      'tools -: tool 0: it gets a schema that allows everything',
    ]);
  });

  const refused: [why: RegExp, ...messages: MessageData[]][] = [
    [/message 1: the form has no message of a system between/, USER, { role: 'system', content: 'S' }],
    [/message 0: the arguments of the call are no JSON object/, { ...CALL, content: '[1]' }],
    [/message 0: the arguments of the call are no JSON object/, { ...CALL, content: '{' }],
    [/message 0: the arguments of the call .* hold a number beyond a double/, { ...CALL, content: '{"a":1e400}' }],
    [/message 0: .*hidden/, { role: 'user', channel: 'analysis', content: 'secret' }],
    [/message 0: its role/, { role: 'robot', content: 'x' }],
  ];
  test.each(refused)('Anthropic refuses: %s', (why, ...messages) => {
    expect(() => toAnthropic(dataOf(...messages))).toThrow(why);
  });

  test('a number of arguments that a double does not hold is told', () => {
    const { losses } = toAnthropic(dataOf({ ...CALL, content: '{"a":12345678901234567890}' }));
    expect(told(losses)).toEqual(['field 0: a number that a double does not hold is rounded']);
  });

  test('Responses: items in their order, with a phase where it would be taken for the other one', () => {
    const { record, losses } = toResponses(dataOf(
      { role: 'assistant', channel: 'commentary', intent: 'preamble', content: 'P' }, { ...CALL, content: '{"a": 1}' },
      { ...REPLY, name: 'functions.g', content: 'R' },
      { role: 'assistant', channel: 'commentary', intent: 'preamble', content: 'Q' },
      { role: 'assistant', channel: 'final', content: 'A' }, { ...CALL, callId: null, content: 'x' },
      { role: 'assistant', channel: 'commentary', content: 'secret' },
    ));
    expect(record).toEqual({
      input: [
        { type: 'message', role: 'assistant', content: 'P' },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"a": 1}' },
        { type: 'function_call_output', call_id: 'c', output: 'R' },
        { type: 'message', role: 'assistant', content: 'Q', phase: 'commentary' },
        { type: 'message', role: 'assistant', content: 'A', phase: 'final_answer' },
        { type: 'function_call', call_id: 'call_1', name: 'f', arguments: 'x' },
        { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'secret' }] },
      ],
    });
    expect(told(losses)).toEqual([
      'call-id 5: the call has none: one was made', 'name 2: left out', 'channel 6: becomes thinking',
    ]);
    expect(fromResponses(record).losses).toEqual([]);
  });
});

test('an empty message of the system is none for readers of Anthropic, which is told', () => {
  const messages: MessageData[] = [{ role: 'system', content: '' }, { role: 'user', content: 'q' }];
  expect(told(toAnthropic({ header: null, tools: [], messages }).losses)).toEqual(['field -: an empty system message']);
});

describe('Responses that are odd', () => {
  const odd: [item: unknown, found: RegExp | string[]][] = [
    ['x', /message 0: it is no object/],
    [{ type: 'message', role: 'robot', content: 'x' }, /message 0: its role/],
    [{ type: 'function_call', arguments: '{}' }, /message 0: a call names no function/],
    [{ type: 'function_call', name: 'f', call_id: 5 }, /message 0: call_id is no text/],
    [{ type: 'message', role: 'user', content: 5 }, /message 0: content is no text/],
    [{ type: '<b>' }, ['field 0: an item of type that is not known is left out']],
    [{ content: 'x' }, ['field 0: an item of type that is not known is left out']],
    [{ type: 'reasoning', summary: [] }, ['thinking 0: reasoning without a text is left out']],
    [{ type: 'message', role: 'user' }, ['field 0: no content becomes empty text']],
    [{ type: 'function_call', name: 'f', arguments: { a: 1 } }, ['field 0: arguments become text']],
    [{ type: 'function_call', name: 'f' }, ['field 0: no arguments become {}']],
    [{ type: 'message', role: 'user', content: 'x', phase: 'final_answer' }, ['field 0: phase']],
    [
      {
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 's' }],
        content: [{ type: 'reasoning_text', text: 'c' }],
      },
      ['thinking 0: its summary is left out'],
    ],
  ];
  test.each(odd)('%j', (item, found) => {
    const record = { input: [item] };
    if (Array.isArray(found)) expect(told(fromResponses(record).losses)).toEqual(found);
    else expect(() => fromResponses(record)).toThrow(found);
  });

  test('a text is what the user says, or the answer', () => {
    const output = [{ type: 'message', role: 'assistant', content: 'A' }];
    expect(fromResponses({ input: 'U', output, instructions: [], text: {} })).toMatchObject({
      data: { messages: [{ role: 'user', content: 'U' }, { role: 'assistant', channel: 'final', content: 'A' }] },
      losses: [{ detail: 'text' }, { detail: 'instructions that are no text' }],
    });
    const input = [{ role: 'user', content: 'U' }];
    expect(fromResponses({ input, output: 'A' }, { origins: true })).toEqual({
      data: {
        header: null, tools: [],
        messages: [
          { role: 'user', content: 'U', end: 'end', origin: 0 },
          { role: 'assistant', channel: 'final', content: 'A', end: 'end', origin: 1 },
        ],
      },
      losses: [],
    });
    expect(fromResponses({ input, output: 5 }).losses).toEqual([{ what: 'field', message: null, detail: 'output' }]);
    expect(fromResponses({ input: 'U' }).data.messages).toEqual([{ role: 'user', content: 'U', end: 'end' }]);
    for (const record of [null, [], {}, { output: 'A' }, { output: {} }]) {
      expect(() => fromResponses(record)).toThrow('it has no items');
    }
  });
});
