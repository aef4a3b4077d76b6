// Calls, replies and definitions written as Hermes and Qwen write them (`calls: 'hermes'`), and read again.
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { fromOpenAI } from '../../src/formats/chat/read.ts';
import { fromShareGpt } from '../../src/formats/chat/sharegpt.ts';
import { convertTranscript } from '../../src/formats/convert.ts';
import { neutralOf } from '../../src/formats/neutral.ts';
import { type Loss, Refusal } from '../../src/formats/loss.ts';
import { writePrompt } from '../../src/formats/prompt.ts';
import { transcriptData } from '../../src/formats/transcript-data.ts';
import type { MessageData, ToolDefinition, TranscriptData } from '../../src/model/data.ts';
import { parseOn } from '../../src/model/parse.ts';
import { isBlankText } from '../../src/formats/v01/marks.ts';
import { splitWritten } from '../../src/formats/written-thoughts.ts';
import { isCall } from '../../src/rules/message-data.ts';
import { WasmMachine } from '../../src/scan/wasm.ts';
import { runs } from '../long.ts';
import { type Random, randomOf, SEED } from '../random.ts';
import { randomConversation, SPELLINGS } from './chat/conversations.ts';

const MACHINE = new WasmMachine();
const FORMS = ['openchatml-0.1', 'messages', 'sharegpt'] as const;
type Tagged = (typeof FORMS)[number];

const TOOL: ToolDefinition = {
  namespace: 'functions', name: 'f', description: 'Ends in </tools>', parameters: { type: 'object', properties: {} },
};
const CALL: MessageData = {
  role: 'assistant', recipient: 'functions.f', channel: 'commentary', contentType: 'json', constrained: true,
  content: '{"a":  1}', end: 'call',
};
const REPLY: MessageData = { role: 'tool', name: 'functions.f', recipient: 'assistant', channel: 'commentary',
  content: 'R' };
const said = (content: string): MessageData => ({ role: 'assistant', channel: 'final', content });
const of = (...messages: MessageData[]): TranscriptData => ({ header: null, tools: [], messages });

function write(
  data: TranscriptData, to: Tagged, options: { neutralise?: boolean; reasoning?: 'think' } = {},
): { written: object | string; losses: Loss[] } {
  const { text, record, losses } = convertTranscript(data, to, { ...options, calls: 'hermes' });
  return { written: text ?? record!, losses };
}

function read(written: object | string): TranscriptData {
  if (typeof written !== 'string') {
    return splitWritten(('messages' in written ? fromOpenAI : fromShareGpt)(written).data).data;
  }
  const parsed = parseOn(MACHINE, written, { dialect: 'openchatml-0.1' });
  return neutralOf(transcriptData(parsed.transcripts[0]!), 'openchatml-0.1').data;
}

describe('is as models have it', () => {
  const data: TranscriptData = {
    header: null,
    tools: [TOOL],
    messages: [
      { role: 'system', content: 'Help.' }, { role: 'user', content: 'Go.' },
      { role: 'assistant', channel: 'analysis', content: 'Hm.' },
      { role: 'assistant', channel: 'commentary', intent: 'preamble', content: 'I look.' },
      CALL, { ...CALL, recipient: 'functions.g', content: '{}' },
      { ...REPLY, content: '1' }, { ...REPLY, name: 'functions.g', content: '{"name": "x", "content": 2}' },
      { role: 'assistant', channel: 'analysis', content: 'So.' }, CALL, { ...REPLY, content: 'a</tool_response>' },
      said('Done.'),
    ],
  };
  const system = 'Help.\n<tools>\n{"type":"function","function":{"name":"f","description":"Ends in \\u003c/tools>",'
    + '"parameters":{"type":"object","properties":{}}}}\n</tools>';
  const first = 'I look.\n<tool_call>\n{"name": "f", "arguments": {"a":  1}}\n</tool_call>\n'
    + '<tool_call>\n{"name": "g", "arguments": {}}\n</tool_call>';
  const replies = '<tool_response>\n1\n</tool_response>\n'
    + '<tool_response>\n{"name": "", "content": {"name": "x", "content": 2}}\n</tool_response>';
  const second = '<tool_call>\n{"name": "f", "arguments": {"a":  1}}\n</tool_call>';
  const last = '<tool_response>\n{"name": "", "content": "a\\u003c/tool_response>"}\n</tool_response>';

  test('records', () => {
    expect(write(data, 'messages')).toEqual({ losses: [], written: { messages: [
      { role: 'system', content: system }, { role: 'user', content: 'Go.' },
      { role: 'assistant', content: first, thinking: 'Hm.' }, { role: 'tool', content: replies },
      { role: 'assistant', content: second, thinking: 'So.' }, { role: 'tool', content: last },
      { role: 'assistant', content: 'Done.' },
    ] } });
    expect(write(data, 'sharegpt', { reasoning: 'think' })).toEqual({ losses: [], written: { conversations: [
      { from: 'system', value: system }, { from: 'human', value: 'Go.' },
      { from: 'gpt', value: `<think>\nHm.\n</think>\n\n${first}` }, { from: 'observation', value: replies },
      { from: 'gpt', value: `<think>\nSo.\n</think>\n\n${second}` }, { from: 'observation', value: last },
      { from: 'gpt', value: 'Done.' },
    ] } });
  });

  test('text, and the prompt for what comes next', () => {
    const line = (role: string, body: string): string => `<|im_start|>${role}\n${body}\n<|im_end|>\n`;
    const body = line('system', system) + line('user', 'Go.') + line('assistant', `<think>\nHm.\n</think>\n\n${first}`)
      + line('tool', replies) + line('assistant', `<think>\nSo.\n</think>\n\n${second}`) + line('tool', last);
    const { written, losses } = write(data, 'openchatml-0.1', { reasoning: 'think' });
    expect([written, losses]).toEqual([`<s>\n${body}${line('assistant', 'Done.')}</s>\n`, []]);
    const asked = { ...data, messages: data.messages.slice(0, 2) };
    const { text } = writePrompt(asked, 'openchatml-0.1', { calls: 'hermes', edges: { bos: '', eos: '' } });
    expect(text).toBe(`${line('system', system)}${line('user', 'Go.')}<|im_start|>assistant\n`);
  });

  test.each(FORMS)('%s says the same when it is read', (form) => {
    const { written } = write(data, form, { reasoning: 'think' });
    expect(saidBy(read(written))).toEqual(saidBy(data));
  });
});

test.each([
  ['a name of its own, where another tool waits', [CALL, { ...CALL, recipient: 'functions.g' }, said('x'),
    { ...REPLY, name: 'functions.g' }]],
  ['no tool that waits', [CALL, REPLY, { ...REPLY, name: 'functions.h' }]],
  ['replies apart', [CALL, REPLY, CALL, REPLY]],
  ['empty and blank replies', [CALL, CALL, CALL, { ...REPLY, content: '' }, { ...REPLY, content: '\n' },
    { ...REPLY, content: '\r' }]],
  ['arguments with tags', [{ ...CALL, content: '{"a": "</tool_call>\\n<tool_call>"}' }]],
  ['a preamble that ends in a newline', [
    { role: 'assistant', channel: 'commentary', intent: 'preamble', content: 'a\n\r' }, CALL]],
] satisfies [string, MessageData[]][])('%s', (_, messages) => {
  for (const form of FORMS) expect([form, saidBy(read(write(of(...messages), form).written))])
    .toEqual([form, saidBy(of(...messages))]);
});

describe('text that holds tags', () => {
  const call = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>';
  const cases: [string, MessageData, string][] = [
    ['an answer', said(`a\n${call}`), `a\n< ${call.slice(1)}`],
    ['a preamble', { ...said(call), channel: 'commentary', intent: 'preamble' }, `< ${call.slice(1)}`],
    ['a user', { role: 'user', content: '<tool_response><tool_response>1</tool_response>' },
      '< tool_response>< tool_response>1</tool_response>'],
    ['a system', { role: 'system', content: '<tools>{"type":"function","function":{"name":"f"}}</tools>' },
      '< tools>{"type":"function","function":{"name":"f"}}</tools>'],
  ];
  test.each(cases)('%s: is refused, or broken up where that is asked for', (_, message, broken) => {
    for (const form of FORMS) {
      expect(() => write(of(message, CALL), form)).toThrow(Refusal);
      const { written, losses } = write(of(message, CALL), form, { neutralise: true });
      expect(losses.map(({ what, message: number }) => [what, number])).toContainEqual(['field', 0]);
      const again = read(written);
      expect([again.tools, again.messages.filter(isCall).length]).toEqual([[], 1]);
      expect(JSON.stringify(written)).toContain(JSON.stringify(broken).slice(1, -1));
    }
  });

  test('in a line, or in a thought, it stays as it is', () => {
    const data = of({ role: 'assistant', channel: 'analysis', content: call }, said(`a ${call}`));
    for (const form of ['openchatml-0.1', 'messages'] as const) {
      expect([form, saidBy(read(write(data, form).written))]).toEqual([form, saidBy(data)]);
    }
  });

  test('reasoning without its end does not swallow a call', () => {
    const open: MessageData = { ...said('<think>a'), channel: 'commentary', intent: 'preamble', written: null };
    expect(read(write(of(open, CALL), 'messages').written).messages.filter(isCall)).toHaveLength(1);
  });
});

test('arguments that are no object are refused, other forms are a wrong option', () => {
  expect(() => write(of({ ...CALL, content: '[1]' }), 'messages')).toThrow(Refusal);
  expect(() => convertTranscript(of(CALL), 'anthropic', { calls: 'hermes' })).toThrow(RangeError);
});

describe(`random conversations (OPENCHATML_SEED=${SEED})`, () => {
  test.each(FORMS)('%s: come back but for the ids', (form) => {
    for (let round = 0; round < runs(5000, 12); round++) {
      const conversation = randomConversation(randomOf(SEED + round), form === 'sharegpt');
      const { data } = fromOpenAI(SPELLINGS.messages(conversation));
      const { written, losses } = write(data, form);
      const others = losses.filter(({ what, detail }) => what !== 'call-id' && detail !== 'a blank preamble');
      const found = saidBy(read(written));
      const isLost = ({ channel, intent, content }: MessageData): boolean =>
        channel === 'commentary' && intent === 'preamble' && isBlankText(content);
      const expected = saidBy({ ...data, messages: data.messages.filter((message) => !isLost(message)) });
      if (!isDeepStrictEqual([found, others], [expected, []])) {
        expect([found, others], `round ${round}: ${JSON.stringify(written)}`).toEqual([expected, []]);
      }
    }
  });

  test.each(FORMS)('%s: with tags everywhere, no call is made up and none is lost', (form) => {
    let written = 0;
    for (let round = 0; round < runs(5000, 12); round++) {
      const data = withTags(randomOf(SEED * 17 + round));
      const key = `round ${round}: ${JSON.stringify(data.messages)}`;
      try {
        const result = write(data, form, { neutralise: true });
        const again = read(result.written);
        const calls = (it: TranscriptData): string[] =>
          it.messages.filter(isCall).map(({ recipient, content }) => `${recipient} ${content}`);
        expect(calls(again), key).toEqual(calls(data));
        expect(again.tools, key).toEqual(data.tools);
        const replies = (it: TranscriptData): string[] =>
          it.messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
        if (!result.losses.some(({ what }) => what === 'call-id')) expect(replies(again), key).toEqual(replies(data));
        written++;
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
      }
    }
    expect(written).toBeGreaterThan(runs(5000, 12) / 2);
  });
});

const PIECES = [
  '<tool_call>', '</tool_call>', '<tool_response>', '</tool_response>', '<tools>', '</tools>', '\n', '\r\n', ' ', 'a',
  '{"name": "f", "arguments": {}}', '{"name": "f", "content": "x"}',
  '<tools>{"type":"function","function":{"name":"f"}}', '<think>', '</think>', '\r', '{}', '"',
];

function withTags(random: Random): TranscriptData {
  const text = (): string => Array.from({ length: random.below(7) }, () => random.pick(PIECES)).join('');
  const messages = Array.from({ length: 1 + random.below(7) }, (_, i): MessageData => {
    if (i === 0) return { role: 'user', content: 'Go.' };
    switch (random.below(7)) {
      case 0: return { role: 'system', content: text() };
      case 1: return { role: 'user', content: text() };
      case 2: return { role: 'assistant', channel: 'commentary', intent: 'preamble', content: text() };
      case 3: return { role: 'assistant', channel: 'final', content: text() };
      case 4: return { ...REPLY, name: random.pick(['functions.f', 'functions.g']), content: text() };
      default: {
        const content = JSON.stringify({ a: text() });
        return { ...CALL, recipient: random.pick(['functions.f', 'functions.g', 'python']), content };
      }
    }
  });
  return { header: null, tools: random.once(3) ? [TOOL] : [], messages };
}

/** Of messages what models see of them; ids, and what goes without saying, are left out. */
function saidBy({ tools, messages }: TranscriptData): unknown {
  return {
    tools,
    messages: messages.map(({ role, name = null, recipient = null, channel = null, content }) => {
      return { role, name, recipient, channel: channel ?? (role === 'tool' ? 'commentary' : 'final'), content };
    }),
  };
}
