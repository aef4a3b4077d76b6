// Conversion of one transcript: tools out of texts and into them, what each dialect's shape becomes, and that nothing
// hidden is shown.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rawTranscripts } from '../corpus/records/raw-transcripts.ts';
import { fromOpenAI } from '../../src/formats/chat/read.ts';
import { withCallIds, withOrderedReplies } from '../../src/formats/chat/calls.ts';
import { extractTools, placeTools, type ToolsForm } from '../../src/formats/chat/tools.ts';
import { toOpenAI } from '../../src/formats/chat/write.ts';
import { convertTranscript, type Form, FORMS } from '../../src/formats/convert.ts';
import { neutralOf } from '../../src/formats/neutral.ts';
import { Refusal } from '../../src/formats/loss.ts';
import { splitWritten } from '../../src/formats/written-thoughts.ts';
import { createMachine, parse } from '../../src/index.ts';
import { messageData, type MessageData, type ToolDefinition, type TranscriptData } from '../../src/model/data.ts';
import { type DialectId, DIALECTS } from '../../src/scan/dialects.ts';
import { MemorySource } from '../../src/scan/source.ts';
import { isShown } from '../../src/rules/message-data.ts';
import { toolName, toolRecipient } from '../../src/tools/name.ts';
import { randomInput, randomOf, SEED } from '../random.ts';

const RECORD = JSON.parse(readFileSync(new URL('../../fixtures/chat/record.json', import.meta.url), 'utf8')) as {
  id: string;
  messages: { tool_call_id?: string; tool_calls?: { id: string }[] }[];
};
const TOOL: ToolDefinition = {
  namespace: 'functions',
  name: 'f',
  description: 'Does it',
  parameters: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
};
const USER: MessageData = { role: 'user', content: 'U', end: 'end' };
const SYSTEM: MessageData = { role: 'system', content: 'S', end: 'end' };
const DEVELOPER: MessageData = { role: 'developer', content: 'D', end: 'end' };
const transcript = (tools: readonly ToolDefinition[], ...messages: MessageData[]): TranscriptData => ({
  header: null,
  tools,
  messages,
});

function read(text: string, dialect: DialectId): TranscriptData {
  const [first] = parse(text, { dialect }).transcripts;
  return {
    header: first!.header && { ...first!.header, version: first!.version },
    tools: [],
    messages: [...first!].map(messageData),
  };
}

describe('tools', () => {
  const places: [name: string, before: MessageData[], roles: string[]][] = [
    ['in a message of their own', [USER], ['developer', 'user']],
    ['after the system', [SYSTEM, USER], ['system', 'developer', 'user']],
    ['below the instructions', [SYSTEM, DEVELOPER, USER], ['system', 'developer', 'user']],
    ['not in a later message of the developer', [USER, DEVELOPER], ['developer', 'user', 'developer']],
    ['where nothing else is', [], ['developer']],
    ['below empty instructions', [{ ...DEVELOPER, content: '' }, USER], ['developer', 'user']],
  ];
  describe.each(['declarations', 'list'] as ToolsForm[])('as %s', (form) => {
    test.each(places)('%s', (_name, messages, roles) => {
      const data = transcript([TOOL], ...messages);
      const placed = placeTools(data, form);
      expect(placed.losses).toEqual([]);
      expect([placed.data.tools, placed.data.messages.map(({ role }) => role)]).toEqual([[], roles]);
      expect(extractTools(placed.data, form)).toEqual(data);
    });
  });

  describe('go where a reader of the form finds them, in whatever layout they stand', () => {
    const declared = '## functions\n\nnamespace functions {\n  // Does it\n  type f = (_: {\n    a: string,\n'
      + '  }) => any;\n} // namespace functions';
    const list = '```json\n[{"type":"function","function":{"name":"f","description":"Does it",'
      + '"parameters":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}}]\n```';
    const loss = (message: number) => ({ what: 'tools', message, detail: 'the layout of definitions' });

    test.each([['declarations', declared], ['a list', list]])('%s become the field of a record', (_, text) => {
      const data = transcript([], SYSTEM, { ...DEVELOPER, content: `D\n\n${text}\n\nE` }, USER);
      const { record, losses } = convertTranscript(data, 'messages');
      expect(losses).toEqual([loss(1)]);
      expect(record).toEqual(toOpenAI(transcript([TOOL], SYSTEM, { ...DEVELOPER, content: 'D\n\nE' }, USER)).record);
      const alone = convertTranscript(transcript([], { ...DEVELOPER, content: text }, USER), 'messages');
      expect(alone.record).toEqual(toOpenAI(transcript([TOOL], USER)).record);
    });

    test.each<[string, string, DialectId, boolean]>([
      ['declarations', declared, 'openchatml-2.2', true],
      ['declarations', declared, 'harmony', true],
      ['declarations', declared, 'openchatml-2.0', false],
      ['declarations', declared, 'openchatml-0.1', false],
      ['a list', list, 'openchatml-2.2', false],
      ['a list', list, 'harmony', false],
      ['a list', list, 'openchatml-2.0', true],
      ['a list', list, 'openchatml-0.1', false],
    ])('%s in %s: %s keeps the text: %s', (_, text, dialect, stays) => {
      const { text: written, losses } = convertTranscript(
        transcript([], { ...DEVELOPER, content: text }, USER), dialect,
      );
      expect(written!.includes(text)).toBe(stays);
      expect(losses.filter(({ what }) => what === 'tools')).toEqual(stays ? [] : [loss(0)]);
      expect(neutralOf(read(written!, dialect), dialect).data.tools).toEqual(stays ? [] : [TOOL]);
    });

    test('definitions that cannot be read whole stay, which is told', () => {
      const { record, losses } = convertTranscript(
        transcript([], { ...DEVELOPER, content: `${declared}\nnamespace functions { type g = (` }), 'messages',
      );
      expect(losses).toEqual([{ what: 'tools', message: 0, detail: 'definitions stay in its text' }]);
      expect(Object.keys(record!)).toEqual(['messages']);
    });
  });

  test('stay in a text that could not be written again', () => {
    const section = placeTools(transcript([TOOL]), 'declarations').data.messages[0]!.content;
    const kept: MessageData[][] = [
      [{ ...DEVELOPER, content: `${section}\n` }],
      [{ ...DEVELOPER, content: `D\n${section}` }],
      [{ ...DEVELOPER, content: section.replace('\n\n## ', '\n## ') }],
      [{ ...DEVELOPER, content: section, name: 'n' }],
      [{ ...DEVELOPER, content: section }, SYSTEM],
      [{ ...DEVELOPER, content: section }, DEVELOPER],
      [USER, { ...DEVELOPER, content: section }],
      [{ ...SYSTEM, content: section }],
      [{ ...DEVELOPER, content: `[${section}]` }],
    ];
    for (const messages of kept) {
      const data = transcript([], ...messages);
      expect(extractTools(data, 'declarations')).toEqual(data);
    }
  });

  test('that cannot be written are refused, what a declaration does not hold is told', () => {
    const wrong = { ...TOOL, name: 'a secret' };
    expect(() => placeTools(transcript([wrong]), 'declarations')).toThrow(Refusal);
    const { losses } = placeTools(
      transcript([
        TOOL,
        {
          ...TOOL,
          name: 'g',
          parameters: { type: 'object', properties: { secret: { type: 'string', pattern: 'x' } } },
        },
      ]),
      'declarations',
    );
    expect(losses).toEqual([
      { what: 'tools', message: null, detail: 'tool 1: the text does not hold all of its definition' },
    ]);
  });

  test('any instructions come back beside them', () => {
    const pieces = ['# Tools', '\n', '## functions', 'namespace functions {', '}', '[', ']', 'x', '// '];
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((chosen) => chosen.join(''));
    fc.assert(
      fc.property(text, fc.constantFrom<ToolsForm>('declarations', 'list'), (content, form) => {
        const data = transcript([TOOL], { ...DEVELOPER, content }, USER);
        const placed = placeTools(data, form).data;
        const taken = extractTools(placed, form);
        // Either all is as it was, or the text stays as it stands.
        if (taken.tools.length > 0) expect(placeTools(taken, form).data).toEqual(placed);
        else expect(taken).toEqual(placed);
      }),
      { seed: SEED, numRuns: 500 },
    );
  });
});

test('names and recipients of tools are each other', () => {
  for (const name of [
    'f',
    'browser',
    'browser.search',
    'python',
    'container.exec',
    'a.b',
    'functions.browser',
    'functions.python',
  ]) {
    expect(toolName(toolRecipient(name))).toBe(name);
  }
  const recipients = ['functions.f', 'functions.a.b', 'functions.functions.f', 'functions.', 'python', 'x'];
  expect(recipients.map((recipient) => toolName(recipient))).toEqual([
    'f',
    'a.b',
    'functions.functions.f',
    'functions.',
    'python',
    'x',
  ]);
});

test('a preamble of 2.0 is hidden there, and stays hidden in every form (R-VISIBLE)', () => {
  const text = 'version: 2.0\n<|start|>assistant intent=preamble<|channel|>commentary<|message|>Secret<|end|>';
  const seen = (given: string): boolean[] => {
    const [transcript] = parse(given).transcripts;
    return [...transcript!].map((message) => message.isVisible);
  };
  expect(seen(text)).toEqual([false]);
  expect(seen(text.replace('2.0', '2.2'))).toEqual([true]);
  const { data, losses } = neutralOf(read(text, 'openchatml-2.0'), 'openchatml-2.0');
  expect(losses).toEqual([{ what: 'intent', message: 0, detail: 'a preamble is hidden commentary in 2.0' }]);
  expect(data.messages.map(isShown)).toEqual([false]);
  const written = convertTranscript(data, 'openchatml-2.2').text!;
  expect(seen(written)).toEqual([false]);
});

describe('builtin tools stand without functions. (R-BUILTIN)', () => {
  const call = (recipient: string): MessageData => ({
    role: 'assistant', recipient, channel: 'commentary', contentType: 'json', callId: 'c', content: '{}', end: 'call',
  });
  const reply = (name: string): MessageData => ({
    role: 'tool', name, recipient: 'assistant', channel: 'commentary', callId: 'c', content: '{}', end: 'end',
  });
  const told = { what: 'recipient', message: 0, detail: 'a builtin tool stands without functions.' };

  test.each(Object.keys(DIALECTS) as DialectId[])('in %s', (dialect) => {
    const given = ['functions.browser.search', 'functions.python', 'functions.f', 'python'];
    const written = given.map((recipient) => convertTranscript(transcript([], call(recipient)), dialect));
    const losses = written.map((it) => it.losses.filter(({ detail }) => detail === told.detail));
    expect(losses).toEqual([[told], [told], [], []]);
    expect(written[0]!.text).toBe(convertTranscript(transcript([], call('browser.search')), dialect).text);
    expect(written[1]!.text).toBe(written[3]!.text);
  });

  test('as the names of replies, and those of the header', () => {
    const header = { generation_settings: { builtin_tools: ['calendar'] } };
    const messages = [call('functions.calendar'), reply('functions.calendar')];
    const { text, losses } = convertTranscript({ header, tools: [], messages }, 'openchatml-2.2');
    expect(text).toContain('to=calendar ');
    expect(text).toContain('name=calendar<|channel|>');
    expect(losses).toEqual([told, { ...told, what: 'name', message: 1 }]);
  });

  test('not where a function of that name is defined', () => {
    const data = transcript([{ ...TOOL, name: 'python' }], call('functions.python'));
    const { text, losses } = convertTranscript(data, 'openchatml-2.2');
    expect(text).toContain('to=functions.python');
    expect(losses).toEqual([]);
  });
});

test('replies are put in the order of their calls, where they follow each other', () => {
  const call = (callId: string): MessageData => ({ role: 'assistant', recipient: 'functions.f', callId, content: '' });
  const reply = (callId: string): MessageData => ({ role: 'tool', name: 'functions.f', callId, content: '' });
  const order = (...messages: MessageData[]): unknown[] =>
    withOrderedReplies(messages).messages.map(({ callId }) => callId);
  expect(order(call('a'), call('b'), reply('b'), reply('a'))).toEqual(['a', 'b', 'a', 'b']);
  expect(order(call('a'), call('b'), reply('x'), reply('b'), reply('a'), reply('a'), USER)).toEqual([
    'a',
    'b',
    'a',
    'b',
    'x',
    'a',
    undefined,
  ]);
  expect(order(call('a'), reply('a'), call('b'), reply('b'))).toEqual(['a', 'a', 'b', 'b']);
  expect(order(call('a'), call('b'), reply('b'), USER, reply('a'))).toEqual(['a', 'b', 'b', undefined, 'a']);
  const { losses } = withOrderedReplies([call('a'), call('b'), reply('b'), reply('a')]);
  expect(losses.map(({ what, message }) => [what, message])).toEqual([['call-id', 2]]);
});

test('ids are matched by id, by name, by order', () => {
  const call = (name: string, callId?: string): MessageData => ({
    role: 'assistant',
    recipient: `functions.${name}`,
    content: '',
    ...(callId !== undefined && { callId }),
  });
  const reply = (name?: string, callId?: string): MessageData => ({
    role: 'tool',
    content: '',
    ...(name !== undefined && { name }),
    ...(callId !== undefined && { callId }),
  });
  const ids = (...messages: MessageData[]): unknown[] =>
    withCallIds(messages).messages.map(({ callId = null }) => callId);
  expect(ids(call('f'), call('g'), reply('functions.g'), reply('f'))).toEqual(['call_1', 'call_2', 'call_2', 'call_1']);
  expect(ids(call('f'), call('f'), reply(), reply(), reply())).toEqual(['call_1', 'call_2', 'call_1', 'call_2', null]);
  expect(ids(call('f', 'x'), call('f'), reply('functions.f', 'x'), reply('functions.f'))).toEqual([
    'x',
    'call_1',
    'x',
    'call_1',
  ]);
  const all = [call('f', 'a'), reply('f', 'a')];
  expect(withCallIds(all)).toEqual({ messages: all, losses: [] });
});

describe('a record with everything', () => {
  const dialects = Object.keys(DIALECTS) as DialectId[];
  test.each(dialects)('comes back from %s, but for the losses that are told', (dialect) => {
    const written = convertTranscript(fromOpenAI(RECORD).data, dialect);
    const back = toOpenAI(neutralOf(read(written.text!, dialect), dialect, { preambles: true }).data);
    const expected = structuredClone(RECORD);
    if (dialect === 'openchatml-2.2') expect(written.losses).toEqual([]);
    else {
      expect(new Set(written.losses.map(({ what }) => what))).toContain('call-id');
      const { messages } = expected;
      // Without ids replies stand in the order of their calls.
      messages.splice(3, 2, { ...messages[4]!, tool_call_id: 'call_1' }, { ...messages[3]!, tool_call_id: 'call_2' });
      messages[2]!.tool_calls!.forEach((call, index) => (call.id = `call_${index + 1}`));
      // Without intents a preamble is hidden.
      if (dialect === 'openchatml-2.0')
        Object.assign(messages[2]!, { thinking: 'Two cities: two calls.\n\nI look at both cities.', content: null });
    }
    expect({ id: RECORD.id, ...back.record }).toEqual(expected);
  });

  test.each(FORMS)('can be written as %s', (form) => {
    const { text, record } = convertTranscript(fromOpenAI(RECORD).data, form);
    expect((text === null) !== (record === null)).toBe(true);
    expect(form in DIALECTS).toBe(text !== null);
  });

  test('a reply that gains a name in a text tells it', () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
    const { data } = fromOpenAI({
      messages: [
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c', content: 'R' },
      ],
    });
    const { text, losses } = convertTranscript(data, 'openchatml-2.2');
    expect(text).toContain('call_id=c name=functions.f');
    expect(losses.map(({ what }) => what)).toEqual(['name']);
    expect(convertTranscript(data, 'messages').losses).toEqual([]);
  });

  test('a form that is none', () => {
    expect(() => convertTranscript(transcript([]), 'yaml' as Form)).toThrow(RangeError);
  });
});

describe('raw transcripts', () => {
  const machine = createMachine();
  const raw = (input: string | Uint8Array, dialect?: DialectId): ReturnType<typeof rawTranscripts> =>
    rawTranscripts(machine, new MemorySource(typeof input === 'string' ? new TextEncoder().encode(input) : input), {
      dialect,
    });

  test('are what parse gives, one after the other', () => {
    const text =
      'version: 2.10\nmodel: m\n<|start|>user<|message|>a<|end|>\nversion: 2.2\n<|start|>user<|message|>b<|end|>\n';
    const found = [...raw(text)];
    expect(
      found.map(({ number, from, data, losses, refusal }) => [
        number,
        from,
        data.header,
        data.messages.map(({ content }) => content),
        losses,
        refusal,
      ]),
    ).toEqual([
      [0, 0, { version: '2.10', model: 'm' }, ['a'], [], null],
      [1, text.indexOf('version: 2.2'), { version: '2.2' }, ['b'], [], null],
    ]);
  });

  test('text outside of messages and an open turn are left out, which is told', () => {
    const [found] = raw('version: 2.2\nstray\n<|start|>user<|message|>a<|end|>more<|start|>assistant');
    expect(found!.data.messages).toHaveLength(1);
    expect(found!.losses.map(({ what, message }) => [what, message])).toEqual([
      ['field', null],
      ['field', 1],
    ]);
  });

  const hidden: [text: string, dialect: DialectId][] = [
    ['<|start|>assistant<|channel|>analysis<|channel|>final<|message|>secret<|end|>', 'openchatml-2.2'],
    ['<|start|>assistant intent=status<|channel|>final intent=debug<|message|>secret<|end|>', 'openchatml-2.2'],
    ['<|start|>user<|message|>a<|end|>analysis<|message|>secret<|end|>', 'openchatml-2.2'],
    ['<|start|>assistant<|message|>secret<|end|>', 'harmony'],
  ];
  test.each(hidden)('what a reader hides is refused: %s', (text, dialect) => {
    const [found] = raw(text, dialect);
    expect(found!.refusal).toBeInstanceOf(Refusal);
    expect(found!.refusal!.message).not.toContain('secret');
  });

  test('a thought that leaked into an answer is refused by every form of records', () => {
    const [found] = raw(
      '<|start|>assistant<|channel|>final<|message|><|start_reason|>secret<|end_reason|>Hi<|end|>',
      'openchatml-2.2',
    );
    for (const form of ['messages', 'sharegpt', 'interchange-2.0', 'interchange-2.2'] as Form[]) {
      expect(() => convertTranscript(found!.data, form)).toThrow(/private reasoning/);
    }
  });

  test('any bytes convert to any form or are refused; what is shown was shown', () => {
    const random = randomOf(SEED);
    const dialects = [undefined, ...(Object.keys(DIALECTS) as DialectId[])];
    let written = 0;
    for (let round = 0; round < 1500; round++) {
      const bytes = randomInput(random);
      for (const { data, dialect, refusal } of raw(bytes, random.pick(dialects))) {
        if (refusal !== null) continue;
        for (const form of FORMS) {
          try {
            const neutral = neutralOf(data, dialect).data;
            const converted = convertTranscript(neutral, form);
            written++;
            if (form !== 'messages') continue;
            const { messages } = converted.record as { messages: { role: string; content: string | null }[] };
            const contents = messages
              .filter(({ role, content }) => role === 'assistant' && content !== null)
              .map(({ content }) => content);
            expect(contents, `seed ${SEED}, round ${round}`).toEqual(
              splitWritten(neutral).data.messages
                .filter((message) => message.role === 'assistant' && isShown(message))
                .map(({ content }) => content),
            );
          } catch (error) {
            if (!(error instanceof Refusal)) throw error;
          }
        }
      }
    }
    expect(written).toBeGreaterThan(1000);
  });
});
