// The shape of 0.1: neutral messages go into it and come back, and what it cannot carry is told or refused (0.1
// extended §4, §8; R-COT, R-CALL).
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fromLine, toLine } from '../../../src/formats/v01/v01.ts';
import { Refusal } from '../../../src/formats/loss.ts';
import type { MessageData, TranscriptData } from '../../../src/model/data.ts';
import { ANALYSIS, CALL, FINAL, meaning, of, PREAMBLE, REPLY, TOOL, USER } from './shapes.ts';

const line = (...messages: MessageData[]) => toLine(of(...messages));
const bodies = (data: TranscriptData): [string | null, string][] =>
  data.messages.map(({ role, content }) => [role, content]);
const losses = (...messages: MessageData[]) =>
  line(...messages).losses.map(({ what, message }) => `${message} ${what}`);

describe('into the shape of 0.1', () => {
  test('thoughts, preamble and calls of a turn are one message', () => {
    const { data, losses } = line(
      USER,
      { ...ANALYSIS, content: 'think' },
      { ...PREAMBLE, content: 'I look.' },
      { ...CALL, content: '{"a": [1,  2]}' },
      { ...CALL, recipient: 'browser.search', content: '7' },
      { ...REPLY, content: 'one' },
      { ...REPLY, name: 'browser.search', content: 'two' },
      { ...ANALYSIS, content: 'again' },
      { ...FINAL, content: 'Done' },
    );
    expect(losses).toEqual([]);
    expect(bodies(data)).toEqual([
      ['user', 'Hi'],
      [
        'assistant',
        '<|start_reason|>think<|end_reason|>\nI look.\n<|function_call|>\n{"arguments": {"a": [1,  2]}, "name": "f"}\n'
        + '<|function_call|>\n' +
          '{"arguments": 7, "name": "browser.search"}',
      ],
      ['tool', '<|function_output|>\n{"name": "f", "content": "one"}'],
      ['tool', '<|function_output|>\n{"name": "browser.search", "content": "two"}'],
      ['assistant', '<|start_reason|>again<|end_reason|>\nDone'],
    ]);
    expect(data.messages.map(({ name }) => name)).toEqual([undefined, undefined, 'f', 'browser.search', undefined]);
  });

  test('a thought that nothing follows is a message of its own', () => {
    expect(
      bodies(
        line({ ...ANALYSIS, content: 'a' }, { ...ANALYSIS, content: 'b' }, USER, { ...ANALYSIS, content: 'c' }).data,
      ),
    ).toEqual([
      ['assistant', '<|start_reason|>a<|end_reason|>\n<|start_reason|>b<|end_reason|>'],
      ['user', 'Hi'],
      ['assistant', '<|start_reason|>c<|end_reason|>'],
    ]);
  });

  test('tools stand at the end of the first system message', () => {
    const tools = [TOOL, { ...TOOL, name: 'g' }];
    const { data, losses } = toLine({ ...of({ role: 'system', content: 'Be kind.' }, USER), tools });
    const definition = (name: string) =>
      `{"type":"function","function":{"name":"${name}","description":"Does \\u003c|im_end|> it",`
        + `"parameters":{"type":"object","properties":{}}}}`;
    expect(bodies(data)[0]).toEqual(['system', `Be kind.\n<|function_list|>\n${definition('f')}\n${definition('g')}`]);
    expect(losses).toEqual([]);
    expect(fromLine(data)).toEqual({ header: null, tools, messages: [{ role: 'system', content: 'Be kind.' }, USER] });
    expect(bodies(toLine({ ...of(USER), tools: [TOOL] }).data)[0]).toEqual([
      'system',
      `<|function_list|>\n${definition('f')}`,
    ]);
  });

  test('every loss is told', () => {
    expect(losses({ role: 'developer', content: '' })).toEqual(['0 role']);
    expect(losses({ ...CALL, callId: 'c', content: '1' }, { ...REPLY, callId: 'c', content: '' })).toEqual([
      '0 call-id',
      '1 call-id',
    ]);
    expect(losses({ ...USER, contentType: 'json', recipient: 'all', intent: 'status', callId: 'c' })).toEqual([
      '0 recipient',
      '0 content-type',
      '0 intent',
      '0 call-id',
    ]);
    expect(losses({ ...CALL, recipient: 'other.tool', content: '1' })).toEqual(['0 recipient']);
    expect(losses({ ...CALL, recipient: 'functions.browser.search', content: '1' })).toEqual([]);
    expect(losses({ ...CALL, recipient: 'functions.', content: '1' })).toEqual([]);
    expect(losses({ ...CALL, channel: 'analysis', contentType: 'yaml', content: ' 1' })).toEqual([
      '0 channel',
      '0 content-type',
      '0 field',
    ]);
    expect(losses({ ...PREAMBLE, content: 'x' }, USER)).toEqual(['0 channel', '0 intent']);
    expect(losses({ ...PREAMBLE, content: ' ' })).toEqual(['0 field']);
    expect(losses({ ...PREAMBLE, content: 'x' }, { ...ANALYSIS, content: 'y' }, { ...CALL, content: '1' })).toEqual([
      '1 grouping',
    ]);
    expect(losses({ ...FINAL, end: 'return', content: '' }, { ...USER, end: 'eof' })).toEqual(['0 end', '1 end']);
    expect(toLine({ ...of(), header: { version: '2.2', model: 'm' } }).losses).toEqual([
      { what: 'header', message: null },
    ]);
    expect(toLine({ ...of(), header: { version: '2.2' } }).losses).toEqual([]);
  });

  test('hidden text of an assistant becomes a thought, of a user it is refused', () => {
    const hidden: MessageData[] = [
      { role: 'assistant', channel: 'commentary', content: 'h' },
      { role: 'assistant', channel: 'final', intent: 'debug', content: 'h' },
      { role: 'assistant', channel: 'other', content: 'h' },
    ];
    for (const message of hidden) {
      expect(bodies(line(message).data)).toEqual([['assistant', '<|start_reason|>h<|end_reason|>']]);
      expect(losses(message)[0]).toBe('0 channel');
    }
    for (const message of [
      { ...USER, channel: 'analysis' },
      { ...USER, intent: 'debug' },
      { ...USER, recipient: 'functions.f' },
    ]) {
      expect(() => line(message)).toThrow(Refusal);
    }
  });

  test('replies move to the order of their calls', () => {
    const call = (callId: string, recipient: string) => ({ ...CALL, recipient, callId, content: '1' });
    const reply = (callId: string, name: string) => ({ ...REPLY, name, callId, content: callId });
    const { data, losses } = line(
      call('a', 'functions.f'),
      call('b', 'functions.g'),
      reply('b', 'functions.g'),
      reply('a', 'functions.f'),
    );
    expect(data.messages.slice(1).map(({ name }) => name)).toEqual(['f', 'g']);
    expect(losses.filter(({ what }) => what === 'grouping').map(({ message }) => message)).toEqual([3, 2]);
  });

  test('text that would be read as a token is refused, or neutralised on demand', () => {
    const messages: [MessageData, string][] = [
      [{ ...USER, content: 'a<|im_end|>' }, 'a<| im_end |>'],
      [{ role: 'system', content: '<|im_start|>' }, '<| im_start |>'],
      [
        { ...FINAL, content: '<|function_call|>{"arguments":1,"name":"f"}' },
        '<| function_call |>{"arguments":1,"name":"f"}',
      ],
      [{ ...FINAL, content: 'x<|start_reflect|>' }, 'x<| start_reflect |>'],
      [{ ...REPLY, name: null, content: '<|function_output|>' }, '<|function_output|>\n<| function_output |>'],
      [
        { ...CALL, content: '"<|start_reason|>"' },
        '<|function_call|>\n{"arguments": "<| start_reason |>", "name": "f"}',
      ],
      [
        { ...CALL, recipient: 'functions.<|im_end|>', content: '1' },
        '<|function_call|>\n{"arguments": 1, "name": "<| im_end |>"}',
      ],
      [{ ...ANALYSIS, content: 'a<|end_reason|>b' }, '<|start_reason|>a<| end_reason |>b<|end_reason|>'],
      [{ ...ANALYSIS, content: '<|start_reason|>b' }, '<|start_reason|><| start_reason |>b<|end_reason|>'],
      [
        { role: 'system', content: '<|function_list|>{"name":"x","parameters":{}}' },
        '<| function_list |>{"name":"x","parameters":{}}',
      ],
    ];
    for (const [message, expected] of messages) {
      expect(() => line(USER, message), message.content).toThrow(/^message 1: the body holds/);
      const { data, losses } = toLine(of(message), { neutralise: true });
      expect(data.messages[0]!.content).toBe(expected);
      expect(losses).toEqual([
        { what: 'field', message: 0, detail: 'control tokens of the body neutralised with spaces: 1' },
      ]);
    }
  });

  test('arguments that are no JSON, and roles that 0.1 does not have, are refused', () => {
    for (const content of ['', '{', '{"a":1}{', 'x']) expect(() => line({ ...CALL, content })).toThrow('no JSON');
    for (const role of ['other', 'functions.f', null]) expect(() => line({ role, content: '' })).toThrow('role');
    expect(() => toLine({ ...of(USER), tools: [{ ...TOOL, name: '' }] })).toThrow('definition');
  });

  test('markers that are known to be marks stay marks', () => {
    const content = 'a<|start_reason|>b<|end_reason|>c';
    const { data } = line({ ...FINAL, marked: true, content });
    expect(bodies(data)).toEqual([['assistant', content]]);
    expect(fromLine(data).messages).toEqual([
      { ...ANALYSIS, content: 'b' },
      { ...FINAL, content: 'ac' },
    ]);
    expect(() => line({ ...FINAL, marked: true, content: '<|function_call|>' })).toThrow(Refusal);
  });
});

describe('out of the shape of 0.1', () => {
  test('a call has the exact text of its arguments', () => {
    const read = (json: string) => meaning(`<|im_start|>assistant\n<|function_call|>\n${json}\n<|im_end|>`).messages;
    expect(read('{ "name" : "f" , "arguments" : {"a":1.0,  "b" :"}"} }')).toEqual([
      { ...CALL, content: '{"a":1.0,  "b" :"}"}' },
    ]);
    expect(read('{"arguments": 1, "arguments": [2 ], "name": "f", "x": {"arguments": 3}}')).toEqual([
      { ...CALL, content: '[2 ]' },
    ]);
    expect(read('{"\\u0061rguments": "x\\"}", "name": "browser.open"}')).toEqual([
      { ...CALL, recipient: 'browser.open', content: '"x\\"}"' },
    ]);
    expect(read('{"arguments":null,"name":"functions.python"}')).toEqual([
      { ...CALL, recipient: 'functions.python', content: 'null' },
    ]);
    expect(read('{"arguments":-1e5\n,"name":"f"}')).toEqual([{ ...CALL, content: '-1e5' }]);
  });

  test('what is no call stays hidden text', () => {
    for (const text of [
      '{"arguments": {}, "name": }',
      '{"name": "f"}',
      '{"arguments": 1}',
      '{"arguments": 1, "name": 7}',
      'x',
      '',
    ]) {
      const [message, ...others] = meaning(
        `<|im_start|>assistant\nSo: <|function_call|>${text}\n<|im_end|>`,
      ).messages.slice(1);
      expect(others).toEqual([]);
      expect(message).toEqual({ role: 'assistant', channel: 'commentary', content: `<|function_call|>${text}` });
    }
    expect(
      meaning('<|im_start|>assistant\n<|function_call|>{"arguments":1,"name":"f"} and more<|im_end|>').messages,
    ).toEqual([
      { ...CALL, content: '1' },
      { role: 'assistant', channel: 'commentary', content: ' and more' },
    ]);
  });

  test('thoughts stand before what is shown; other names than reason keep their markers', () => {
    const text =
      '<|im_start|>assistant name=a\n<|start_reflect|>r<|end_reflect|>\n'
      + '<|start_reason|>x<|start_reason|>y<|end_reason|><|end_reason|>\nShown ' +
      '<|start_reason|>z<|end_reason|>too<|im_end|>';
    expect(meaning(text).messages).toEqual([
      { ...ANALYSIS, name: 'a', content: '<|start_reflect|>r<|end_reflect|>' },
      { ...ANALYSIS, name: 'a', content: 'x<|start_reason|>y<|end_reason|>' },
      { ...ANALYSIS, name: 'a', content: 'z' },
      { ...FINAL, name: 'a', content: 'Shown too' },
    ]);
    expect(meaning('<|im_start|>assistant\nA<|start_reason|>b').messages).toEqual([
      { ...ANALYSIS, content: 'b' },
      { ...FINAL, content: 'A', end: 'eof' },
    ]);
    expect(
      meaning('<|im_start|>assistant\n<|start_reason|><|function_call|><|end_reason|><|im_end|>').messages,
    ).toEqual([{ ...ANALYSIS, content: '<|function_call|>' }]);
  });

  test('blocks that cross are one thought, which comes back', () => {
    const block = '<|start_reason|>a<|start_reflect|>b<|end_reason|>c<|end_reflect|>';
    const { messages } = meaning(`<|im_start|>assistant\n${block}\nanswer<|im_end|>`);
    expect(messages).toEqual([{ ...ANALYSIS, content: block }, { ...FINAL, content: 'answer' }]);
    expect(toLine(of(...messages)).data.messages).toEqual([{ role: 'assistant', content: `${block}\nanswer` }]);
    // Its end would hide what is said next.
    const cut = of({ ...ANALYSIS, content: 'a<|start_reflect|>b' }, { ...FINAL, content: 'answer' });
    expect(() => toLine(cut)).toThrow('thought markers that do not pair');
    const { data, losses } = toLine(cut, { neutralise: true });
    expect(data.messages[0]!.content).toBe('<|start_reason|>a<| start_reflect |>b<|end_reason|>\nanswer');
    expect(losses).toMatchObject([{ what: 'field', message: 0 }]);
  });

  test('no call follows a thought that goes on', () => {
    const cut = { ...PREAMBLE, content: 'A<|start_reason|>b', marked: true };
    const { data, losses } = toLine(of(cut, { ...CALL, content: '{}' }));
    expect(data.messages.map(({ content }) => content)).toEqual([
      'A<|start_reason|>b', '<|function_call|>\n{"arguments": {}, "name": "f"}',
    ]);
    expect(losses.map(({ what }) => what)).toEqual(['channel', 'intent']);
  });

  test('replies have the names of the calls that they answer in order', () => {
    const call = (name: string) => `<|function_call|>{"arguments":1,"name":"${name}"}`;
    const text =
      `<|im_start|>assistant\n${call('f')}${call('g')}<|im_end|><|im_start|>tool\n<|function_output|>\n1\n`
      + `<|function_output|>2\n<|im_end|>` +
      '<|im_start|>tool name=h\n<|function_output|>3<|im_end|><|im_start|>tool\nplain<|im_end|>';
    expect(meaning(text).messages.slice(2)).toEqual([
      { ...REPLY, content: '1' },
      { ...REPLY, name: 'functions.g', content: '2' },
      { ...REPLY, name: 'functions.h', content: '3' },
      { role: 'tool', content: 'plain' },
    ]);
  });

  test('a reply is taken out of its object, and other text stays as it is', () => {
    const read = (body: string, name = ''): [string | null | undefined, string] => {
      const { messages } = meaning(`<|im_start|>tool${name}\n<|function_output|>${body}\n<|im_end|>`);
      expect(messages).toHaveLength(1);
      return [messages[0]!.name, messages[0]!.content];
    };
    expect(read('\n{"name": "f", "content": {"a":  1}}')).toEqual(['functions.f', '{"a":  1}']);
    expect(read('{ "content" : "x\\ny", "name":"f" } \n')).toEqual(['functions.f', 'x\ny']);
    expect(read('{"name":"browser.search","content":null}')).toEqual(['browser.search', 'null']);
    expect(read('{"name":"f","content":1}', ' name=f')).toEqual(['functions.f', '1']);
    // The header names another tool; there is more; it is no object.
    for (const body of ['{"name":"g","content":1}', '{"name":"f","content":1,"x":2}', '{"name":"f"}', '1', 'x']) {
      expect(read(body, ' name=f')).toEqual(['functions.f', body]);
    }
  });

  test('the worked example of the extended document', () => {
    const page = readFileSync(new URL('../../../fixtures/samples/functions-0.1.chatml', import.meta.url), 'utf8');
    const { tools, messages } = meaning(page);
    expect(tools.length).toBeGreaterThan(0);
    expect(messages.find(({ role }) => role === 'tool')).toMatchObject({
      name: 'functions.get_tide', content: '{"time": "16:40", "metres": 6.9}',
    });
    expect(messages[0]!.content).not.toContain('<|function_list|>');
    const again = fromLine(toLine({ header: null, tools, messages }).data);
    expect(again).toEqual({ header: null, tools, messages });
  });

  test('a list that is not tools alone stays text', () => {
    const system = (content: string) => fromLine(of({ role: 'system', content }));
    const definition = '{"name": "f", "parameters": {"type": "object"}}';
    expect(system(`Use <|function_list|> well.\n<|function_list|>\n${definition}\n\nPlease.`)).toMatchObject({
      tools: [{ namespace: 'functions', name: 'f' }],
      messages: [{ content: 'Use <|function_list|> well.\n\nPlease.' }],
    });
    expect(system(`<|function_list|> tools: ${definition}`).tools).toEqual([]);
    expect(system(`<|function_list|>\n${definition}`).messages).toEqual([]);
    expect(system(`<|function_list|>\n${definition}\n${definition.replace('f', 'not a name')}`).tools).toEqual([]);
    expect(
      system(`A\n<|function_list|>\n${definition}\nB\n<|function_list|>${definition.replace('f', 'g')}`),
    ).toMatchObject({
      tools: [{ name: 'f' }, { name: 'g' }],
      messages: [{ content: 'A\nB' }],
    });
  });
});
