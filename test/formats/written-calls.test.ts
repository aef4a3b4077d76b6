// Calls and replies as text (R-HERMES) in conversions: what 0.1 text with them says in other forms.
import { describe, expect, test } from 'vitest';
import { fromOpenAI } from '../../src/formats/chat/read.ts';
import { convertTranscript, type Form } from '../../src/formats/convert.ts';
import { neutralOf } from '../../src/formats/neutral.ts';
import { transcriptData } from '../../src/formats/transcript-data.ts';
import type { TranscriptData } from '../../src/model/data.ts';
import { parseOn } from '../../src/model/parse.ts';
import { WasmMachine } from '../../src/scan/wasm.ts';

const MACHINE = new WasmMachine();
const CALL = '{"name": "f", "arguments": {"a": 1}}';
const TOOLS = '{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}';

const line = (role: string, body: string): string => `<|im_start|>${role}\n${body}\n<|im_end|>\n`;

function read(text: string): TranscriptData {
  const parsed = parseOn(MACHINE, text, { dialect: 'openchatml-0.1' });
  return neutralOf(transcriptData(parsed.transcripts[0]!), 'openchatml-0.1').data;
}

describe('what a 0.1 text says', () => {
  const tokens = line('system', `Help.\n<|function_list|>\n${TOOLS}`) + line('user', 'Go.')
    + line('assistant', `I look.\n<|function_call|>\n${CALL}\n<|function_call|>\n${CALL}`)
    + line('tool', '<|function_output|>\n1\n<|function_output|>\n2') + line('assistant', 'Done.');
  const tags = line('system', `Help.\n<tools>\n${TOOLS}\n</tools>`) + line('user', 'Go.')
    + line('assistant', `I look.\n<tool_call>\n${CALL}\n</tool_call>\n<tool_call>\n${CALL}\n</tool_call>`)
    + line('user', '<tool_response>\n1\n</tool_response>\n<tool_response>\n2\n</tool_response>')
    + line('assistant', 'Done.');

  test('tags are what tokens are', () => {
    expect(read(tags)).toEqual(read(tokens));
  });

  test.each(['openchatml-2.2', 'harmony', 'openchatml-2.0', 'messages', 'sharegpt'] satisfies Form[])('%s', (form) => {
    const { text, record } = convertTranscript(read(tags), form);
    expect(text ?? JSON.stringify(record)).not.toContain('<tool');
    expect([text, record]).toEqual(((it) => [it.text, it.record])(convertTranscript(read(tokens), form)));
  });

  test.each([
    ['a call behind reasoning', 'assistant', `<think>\nHm.\n</think>\n<tool_call>${CALL}</tool_call>`,
      [['assistant', 'Hm.'], ['assistant', '{"a": 1}']]],
    ['a tag behind reasoning in its line', 'assistant', `<think>\nHm.\n</think> <tool_call>${CALL}</tool_call>`,
      [['assistant', 'Hm.'], ['assistant', `<tool_call>${CALL}</tool_call>`]]],
    ['a tag in a block', 'assistant', '<|start_reason|>\n<tool_call><|end_reason|>a',
      [['assistant', '\n<tool_call>'], ['assistant', 'a']]],
    ['no call', 'assistant', 'a\n<tool_call>{', [['assistant', 'a'], ['assistant', '<tool_call>{']]],
    ['a call without its end', 'assistant', `<tool_call>${CALL}`, [['assistant', `<tool_call>${CALL}`]]],
    ['a user beside a reply', 'user', '<tool_response>1</tool_response>\nAnd?', [['tool', '1'], ['user', '\nAnd?']]],
    ['a user who names a tag', 'user', 'What is <tool_response>?', [['user', 'What is <tool_response>?']]],
    ['tools in prose', 'system', 'Tools stand in <tools></tools>.', [['system', 'Tools stand in <tools></tools>.']]],
  ])('%s', (_, role, body, expected) => {
    expect(read(line(role, body)).messages.map((message) => [message.role, message.content])).toEqual(expected);
  });

  const named = (name: string, content: string): string =>
    `<tool_response>\n{"name": "${name}", "content": ${content}}\n</tool_response>`;

  test.each([
    ['a value', 'user', named('f', '{"a":  1}'), [['functions.f', '{"a":  1}']]],
    ['text', 'tool', named('g', '"a\\n\\u003c/tool_response>"'), [['functions.g', 'a\n</tool_response>']]],
    ['several, in another order than the calls', 'tool', `${named('g', '2')}\n${named('f', '1')}`,
      [['functions.g', '2'], ['functions.f', '1']]],
    ['one that names no tool', 'tool', named('', '"a"'), [['functions.f', 'a']]],
    ['one that names no call', 'user', named('h', '"a"'), [['functions.h', 'a']]],
    ['another object', 'tool', '<tool_response>{"name": "f", "content": 1, "id": 2}</tool_response>',
      [['functions.f', '{"name": "f", "content": 1, "id": 2}']]],
    ['a header of the same name', 'tool name=g', named('g', '1'), [['functions.g', '1']]],
    ['a header of another name', 'tool name=f', named('g', '1'), [['functions.f', '{"name": "g", "content": 1}']]],
  ])('a reply that is an object (R-REPLY-01): %s', (_, role, body, expected) => {
    const calls = ['f', 'g'].map((name) => `<tool_call>\n{"name": "${name}", "arguments": {}}\n</tool_call>`);
    const { messages } = read(line('assistant', calls.join('\n')) + line(role, body));
    expect(messages.slice(2).map((message) => [message.name, message.content])).toEqual(expected);
    if (role.includes('=')) return;
    const record = { messages: [{ role: 'assistant', content: calls.join('\n') }, { role, content: body }] };
    const { data } = fromOpenAI(record);
    expect(data.messages.slice(2).map((message) => [message.name, message.content])).toEqual(expected);
  });

  test('beyond 1,000 calls of a content, those that are left are one hidden text', () => {
    const call = `<tool_call>\n${CALL}\n</tool_call>\n`;
    for (const written of [call, '<tool_call>\n', '<tool_call>{\n']) {
      const said = (times: number): string[] => {
        const record = { messages: [{ role: 'assistant', content: written.repeat(times) }] };
        return fromOpenAI(record).data.messages.map(({ recipient, content }) => `${recipient ?? ''} ${content}`);
      };
      const one = said(1);
      expect(said(1001)).toEqual(Array.from({ length: 1001 }, () => one[0]));
      expect(said(1003).slice(0, -1)).toEqual(said(1000));
      expect(said(1003).at(-1)).toBe(` ${written.repeat(3)}`);
    }
  });

  test.each(['user', 'tool'])('beyond 1,000 replies of a content, all that is left is one (%s)', (role) => {
    const reply = '<tool_response>R</tool_response>';
    const said = (content: string): string[][] => fromOpenAI({ messages: [{ role, content }] }).data.messages
      .map((message) => [message.role!, message.content]);
    const replies = Array.from({ length: 1000 }, () => ['tool', 'R']);
    expect(said(reply.repeat(1000))).toEqual(replies);
    expect(said(`${reply.repeat(1003)} SECRET`))
      .toEqual([...replies, ['tool', `R</tool_response>${reply.repeat(2)} SECRET`]]);
  });

  test('what is no call stays hidden', () => {
    const [said, call] = read(line('assistant', 'a\n<tool_call>{"SECRET"')).messages;
    expect([said!.channel, said!.intent, call!.channel, call!.intent]).toEqual(
      ['commentary', 'preamble', 'commentary', undefined],
    );
  });
});

const told = (given: string): string => `<tool_call>{"name": "f", "arguments": {"s": "${given}"}}</tool_call>`;

test.each([
  ['a marker in what a call gives', told('a</think>SECRET'), []],
  ['the same behind text', `Hello.\n${told('a</think>SECRET')}`, ['Hello.']],
  ['a call that is cut', 'Hello.\n<tool_call>{"name": "f", "arguments": {"s": "</think>SECRET', ['Hello.']],
  ['a marker behind a call', `SECRET\n${told('')}\n</think>\nHello.`, ['Hello.']],
  ['one in a call, and one behind it', `SECRET\n${told('</think>SECRET')}\n</think>\nHello.`, ['Hello.']],
  ['the same before a call', `SECRET\n${told('</think>SECRET')}\n</think>Hi\n${told('</think>SECRET')}`, ['Hi']],
  ['a thought of its own marker', `<think>SECRET\n${told('SECRET</think>')}`, ['"}}</tool_call>']],
])('a record reads what 0.1 reads: %s', (_, content, shown) => {
  const { data } = fromOpenAI({ messages: [{ role: 'assistant', content }] });
  for (const form of ['openchatml-2.2', 'openchatml-0.1', 'messages'] as const) {
    const { text, record } = convertTranscript(data, form);
    const other = convertTranscript(read(`<|im_start|>assistant\n${content}<|im_end|>\n`), form);
    expect([text, record], form).toEqual([other.text, other.record]);
  }
  // As it stands, too.
  for (const options of [{}, { asWritten: true }]) {
    const { text } = convertTranscript(data, 'openchatml-2.2', options);
    const [...messages] = parseOn(MACHINE, text, {}).messages();
    expect(messages.filter(({ isVisible }) => isVisible).map((message) => message.show())).toEqual(shown);
  }
});

test.each(['<think>a</think>', '</think>', ''])('text that is taken for a call is told behind %j', (thought) => {
  const content = `${thought}<tool_call>${CALL}</tool_call>`;
  const message = { role: 'assistant', channel: 'final', content };
  const data: TranscriptData = { header: null, tools: [], messages: [{ role: 'user', content: 'x' }, message] };
  for (const to of ['openchatml-0.1', 'messages', 'anthropic', 'responses'] as const) {
    const told = convertTranscript(data, to).losses.filter(({ detail }) => /looks like a call/.test(detail ?? ''));
    expect(told.map(({ message: index }) => index), to).toEqual([1]);
  }
});

test('text that is taken for a call is told where reasoning becomes text', () => {
  const said = `q<|literal|></think><|endliteral|> x</think><tool_call>\n${CALL}\n</tool_call>`;
  const text = `<|start|>user<|message|>q<|end|><|start|>assistant<|message|>${said}<|end|>`;
  const data = transcriptData(parseOn(MACHINE, text, {}).transcripts[0]!);
  for (const to of ['openchatml-0.1', 'messages', 'anthropic', 'sharegpt'] as const) {
    const told = convertTranscript(data, to, { reasoning: 'think' }).losses;
    expect(told.filter(({ detail }) => /looks like a call/.test(detail ?? '')).map((loss) => loss.message), to)
      .toEqual([1]);
  }
});

test('text that 0.1 takes for a call is told', () => {
  const message = { role: 'assistant', channel: 'final', content: `<tool_call>${CALL}</tool_call>` };
  const data: TranscriptData = { header: null, tools: [], messages: [message] };
  const { losses } = convertTranscript(data, 'openchatml-0.1');
  expect(losses.map(({ detail }) => detail)).toContain('text that looks like a call or a reply is taken for it');
  expect(convertTranscript(data, 'openchatml-2.2').losses).toEqual([]);
});
