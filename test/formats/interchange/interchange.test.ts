// The interchange forms of 2.2 and 2.0: the documents' own examples, every fold, what is refused, and that any messages
// come back.
import { readFileSync } from 'node:fs';
import { Validator } from '@cfworker/json-schema';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromOpenAI } from '../../../src/formats/chat/read.ts';
import { convertTranscript } from '../../../src/formats/convert.ts';
import {
  fromInterchange,
  fromInterchange20,
  fromInterchange22,
  toInterchange20,
  toInterchange22,
} from '../../../src/formats/interchange/interchange.ts';
import { type Loss, Refusal } from '../../../src/formats/loss.ts';
import { parse } from '../../../src/index.ts';
import { messageData, type MessageData, type TranscriptData } from '../../../src/model/data.ts';
import { isShown } from '../../../src/rules/message-data.ts';
import { runs } from '../../long.ts';
import { SEED } from '../../random.ts';

const FORMS = [
  { version: '2.2', to: toInterchange22, from: fromInterchange22 },
  { version: '2.0', to: toInterchange20, from: fromInterchange20 },
] as const;

const schemaOf = (version: string): Validator => {
  const path = new URL(`../../../schemas/interchange-${version}.schema.json`, import.meta.url);
  return new Validator(JSON.parse(readFileSync(path, 'utf8')) as object, '2020-12');
};
const SCHEMAS = { '2.2': schemaOf('2.2'), '2.0': schemaOf('2.0') };

const example = (version: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../fixtures/interchange/spec-${version}.json`, import.meta.url), 'utf8'));
const transcript = (...messages: MessageData[]): TranscriptData => ({ header: null, tools: [], messages });

const THOUGHT: MessageData = { role: 'assistant', channel: 'analysis', content: 'T', end: 'end' };
const PREAMBLE: MessageData = {
  role: 'assistant',
  channel: 'commentary',
  intent: 'preamble',
  content: 'P',
  end: 'end',
};
const CALL: MessageData = {
  role: 'assistant',
  recipient: 'functions.f',
  callId: 'c1',
  channel: 'commentary',
  contentType: 'json',
  constrained: true,
  content: '{"a": 1}',
  end: 'call',
};
const REPLY: MessageData = {
  role: 'tool',
  name: 'functions.f',
  recipient: 'assistant',
  callId: 'c1',
  channel: 'commentary',
  content: 'R',
  end: 'end',
};
const ANSWER: MessageData = { role: 'assistant', channel: 'final', content: 'A', end: 'return' };

describe("the documents' examples", () => {
  test('2.2 §10 is thinking, a preamble and a call', () => {
    const { data, losses } = fromInterchange22({ messages: [example('2.2')] });
    expect(losses).toEqual([]);
    expect(data.messages).toEqual([
      { role: 'assistant', channel: 'analysis', content: 'Private reasoning (analysis)', end: 'end' },
      { role: 'assistant', channel: 'final', intent: 'preamble', content: 'Visible reply', end: 'end' },
      { ...CALL, recipient: 'functions.lookup_weather', callId: 'abc123', content: '{"location":"SF"}' },
    ]);
    expect(toInterchange22(data).record.messages).toEqual([example('2.2')]);
  });

  test('2.0 §10 is thinking and a call to browser.search, as a chat record with this call means it', () => {
    const { data, losses } = fromInterchange20({ messages: [example('2.0')] });
    expect(losses).toEqual([]);
    expect(data.messages[1]).toEqual({
      role: 'assistant',
      recipient: 'browser.search',
      callId: 'call_abc123',
      channel: 'commentary',
      content: '{"query":"latest news"}',
      end: 'call',
    });
    expect(toInterchange20(data).record.messages).toEqual([example('2.0')]);
  });

  test.each([
    ['weather', 'functions.weather'], ['weather.get', 'functions.weather.get'], ['python', 'python'],
    ['browser.search', 'browser.search'], ['functions.weather', 'functions.weather', 'weather'],
    ['functions.python', 'functions.python'],
  ])('a call of %s has one recipient, with and without a version (R-BUILTIN)', (name, recipient, written = name) => {
    const call = { id: 'c', type: 'function', function: { name, arguments: '{}' } };
    const messages = [{ role: 'assistant', content: null, tool_calls: [call] }];
    expect(fromOpenAI({ messages }).data.messages[0]!.recipient).toBe(recipient);
    const { data, losses } = fromInterchange({ version: '2.0', messages });
    expect(data.messages[0]!.recipient).toBe(recipient);
    expect(losses.length).toBe(written === name ? 0 : 1);
    const [entry] = toInterchange20(data).record.messages;
    expect(entry!.tool_calls).toEqual([{ ...call, function: { name: written, arguments: '{}' } }]);
  });

  test('a builtin tool that the header lists is called by its name (R-BUILTIN)', () => {
    const call = { type: 'function', function: { name: 'calendar.add', arguments: '{}' } };
    const header = { generation_settings: { builtin_tools: ['calendar'] } };
    const record = { version: '2.0', header, messages: [{ role: 'assistant', tool_calls: [call] }] };
    const { data } = fromInterchange(record);
    expect(data.messages[0]!.recipient).toBe('calendar.add');
    expect(toInterchange20(data).record).toEqual(record);
  });

  test('the text of 2.0 §11 needs no further keys but for replies', () => {
    const text = readFileSync(new URL('../../../fixtures/samples/tool-2.0.ocml', import.meta.url), 'utf8');
    const [read] = parse(text).transcripts;
    const { record, losses } = toInterchange20({
      header: read!.header,
      tools: [],
      messages: [...read!].map(messageData),
    });
    expect(losses).toEqual([]);
    const keys = new Set(
      record.messages.filter(({ role }) => role === 'assistant').flatMap((message) => Object.keys(message)),
    );
    expect([...keys].filter((key) => !['role', 'content', 'thinking', 'tool_calls'].includes(key))).toEqual([]);
  });
});

describe('what is written', () => {
  const call = { id: 'c1', recipient: 'functions.f', content_type: 'json', arguments: '{"a": 1}' };

  test('2.2: keys only where the text says something', () => {
    const { record, losses } = toInterchange22({
      header: { version: '2.2', model: 'm' },
      tools: [],
      messages: [{ role: 'user', content: 'U', end: 'end' }, THOUGHT, PREAMBLE, CALL, REPLY, THOUGHT, ANSWER],
    });
    expect({ record, losses }).toEqual({
      losses: [],
      record: {
        version: '2.2',
        header: { model: 'm' },
        messages: [
          { role: 'user', content: 'U' },
          {
            role: 'assistant',
            channel: 'commentary',
            intent: 'preamble',
            thinking: 'T',
            content: 'P',
            tool_call: call,
          },
          {
            role: 'tool',
            name: 'functions.f',
            recipient: 'assistant',
            call_id: 'c1',
            channel: 'commentary',
            content: 'R',
          },
          { role: 'assistant', channel: 'final', end: 'return', thinking: 'T', content: 'A' },
        ],
      },
    });
  });

  test('2.0: successive calls are one list, channels go without saying', () => {
    const { record } = toInterchange20(
      transcript(THOUGHT, CALL, { ...CALL, callId: 'c2', recipient: 'python' }, REPLY, { ...ANSWER, end: 'end' }),
    );
    const entry = { type: 'function', content_type: 'json' };
    expect(record).toEqual({
      messages: [
        {
          role: 'assistant',
          thinking: 'T',
          tool_calls: [
            { id: 'c1', ...entry, function: { name: 'f', arguments: '{"a": 1}' } },
            { id: 'c2', ...entry, function: { name: 'python', arguments: '{"a": 1}' } },
          ],
        },
        { role: 'tool', name: 'functions.f', tool_call_id: 'c1', content: 'R' },
        { role: 'assistant', content: 'A' },
      ],
    });
  });

  test('2.0: a preamble and a call are two messages', () => {
    const { record } = toInterchange20(transcript(PREAMBLE, CALL));
    expect(record.messages.map((message) => ['content' in message, 'tool_calls' in message])).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  test('damaged ends become usual ones, which is told', () => {
    const { record, losses } = toInterchange22(transcript({ ...CALL, end: 'eof' }, { ...ANSWER, end: 'implicit' }));
    expect(record.messages.map((message) => message.end ?? null)).toEqual([null, null]);
    expect(losses.map(({ what, message }) => [what, message])).toEqual([
      ['end', 0],
      ['end', 1],
    ]);
  });

  test('tools beside the messages are placed in the text of the developer', () => {
    const tools = [{ namespace: 'functions', name: 'f', description: 'Does it' }];
    for (const { to, version } of FORMS) {
      const { record } = to({
        header: null,
        tools,
        messages: [
          { role: 'system', content: 'S' },
          { role: 'user', content: 'U' },
        ],
      });
      expect(record.messages.map(({ role }) => role)).toEqual(['system', 'developer', 'user']);
      expect(record.messages[1]!.content).toContain(version === '2.2' ? 'type f = () => any;' : '"name": "f"');
    }
  });

  test('a version above 2.2 stays, another becomes that of the form', () => {
    const versionIn = (form: typeof toInterchange22, version: string): unknown =>
      form({ header: { version }, tools: [], messages: [] }).record.version;
    expect([
      versionIn(toInterchange22, '2.10'),
      versionIn(toInterchange22, '2.0'),
      versionIn(toInterchange20, '2.2'),
    ]).toEqual(['2.10', '2.2', '2.0']);
  });
});

describe('what is refused', () => {
  const call = { id: 'c', recipient: 'functions.f', arguments: '{}' };
  const oldCall = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
  const cases: [version: '2.2' | '2.0', message: unknown, text: RegExp][] = [
    ['2.2', { role: 'assistant', content: 'A', tool_call: call }, /no preamble/],
    ['2.2', { role: 'assistant', tool_calls: [oldCall] }, /tool_calls/],
    ['2.0', { role: 'assistant', tool_call: call }, /tool_call/],
    ['2.0', { role: 'assistant', content: 'A', tool_calls: [oldCall] }, /content and tool_calls/],
    ['2.0', { role: 'assistant', content: 'A', intent: 'preamble', tool_calls: [oldCall] }, /content and tool_calls/],
    ['2.2', { role: 'user', thinking: 'secret' }, /only an assistant/],
    ['2.2', { role: 'user', content: 'U', tool_call: call }, /only an assistant/],
    ['2.2', { role: 'user' }, /no content/],
    ['2.2', { role: 'assistant', thinking: 'T', end: 'return' }, /no content/],
    ['2.2', { content: 'secret' }, /no role/],
    ['2.2', { role: 'user', content: ['secret'] }, /content is no text/],
    ['2.2', { role: 'assistant', tool_call: { ...call, arguments: { secret: 1 } } }, /arguments is no text/],
    ['2.2', { role: 'assistant', tool_call: { id: 'c', arguments: '{}' } }, /no recipient/],
    ['2.2', { role: 'assistant', tool_call: { ...call, recipient: 'user' } }, /goes to no tool/],
    ['2.0', { role: 'assistant', tool_calls: [{ ...oldCall, type: 'custom' }] }, /no call of a function/],
    ['2.2', { role: 'user', content: 'U', end: 'eof' }, /end/],
    ['2.2', { role: 'user', content: 'U', attributes: { secret: 1 } }, /attributes/],
    ['2.2', { role: 'user', content: 'U', constrained: 'secret' }, /constrained/],
    ['2.2', 'secret', /no object/],
  ];
  test.each(cases)('%s: %j', (version, message, text) => {
    const { from } = FORMS.find((form) => form.version === version)!;
    let refusal: unknown;
    try {
      from({ messages: [message] });
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(Refusal);
    expect((refusal as Refusal).message).toMatch(text);
    expect((refusal as Refusal).message).not.toContain('secret');
    // The schema knows nothing of which names are tools.
    const isOfTools = text.test('a call goes to no tool');
    if (!isOfTools) expect(SCHEMAS[version].validate({ messages: [message] }).valid).toBe(false);
  });

  test('by the schemas nothing else: turns, lists of them, records', () => {
    for (const version of ['2.0', '2.2'] as const) {
      const { [version]: schema } = SCHEMAS;
      const turn = example(version);
      const whole = { version, header: { model: 'm' }, messages: [] };
      for (const record of [turn, [turn, turn], { messages: [turn] }, whole]) {
        expect(schema.validate(record).errors).toEqual([]);
      }
      for (const record of [[], 'x', null, {}, { messages: {} }, { version: '3.0', messages: [] }]) {
        expect(schema.validate(record).valid).toBe(false);
      }
      expect(SCHEMAS[version === '2.0' ? '2.2' : '2.0'].validate(turn).valid).toBe(false);
    }
  });

  test('what the version that a record says does not have', () => {
    expect(
      fromInterchange({ version: '2.0', messages: [{ role: 'assistant', tool_calls: [oldCall] }] }).data.messages,
    ).toHaveLength(1);
    expect(fromInterchange({ messages: [{ role: 'assistant', tool_call: call }] }).data.messages).toHaveLength(1);
    expect(() => fromInterchange({ version: '2.2', messages: [{ role: 'assistant', tool_calls: [oldCall] }] })).toThrow(
      Refusal,
    );
  });

  test('a message without a role, a thought in what users see, a deep header', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`) as object;
    for (const { to, from } of FORMS) {
      expect(() => to(transcript({ role: null, content: '' }))).toThrow(Refusal);
      expect(() => to(transcript({ ...ANSWER, marked: true }))).toThrow(Refusal);
      expect(() => from({ version: '2.2', header: deep, messages: [] })).toThrow(Refusal);
    }
  });

  test('unknown keys are told by name', () => {
    const { losses } = fromInterchange22({
      id: 1,
      extra: 'secret',
      messages: [{ role: 'user', content: 'U', weight: 1 }],
    });
    expect(losses).toEqual([
      { what: 'field', message: null, detail: 'extra' },
      { what: 'field', message: 0, detail: 'weight' },
    ]);
  });
});

describe('what the forms have no place for is told by name', () => {
  const LOOKS = '<think>a</think>b</think>c';
  const cases: [member: string, data: Partial<TranscriptData>, loss: Loss][] = [
    ['header', { header: { version: 'x' } }, {
      what: 'header', message: null, detail: 'the version is none that is known',
    }],
    ['end', { messages: [{ ...ANSWER, end: 'eof' }] }, { what: 'end', message: 0, detail: 'eof becomes end' }],
    ['end of a call', { messages: [{ ...CALL, end: 'implicit' }] }, {
      what: 'end', message: 0, detail: 'implicit becomes call',
    }],
    ['constrained', { messages: [{ ...ANSWER, constrained: true }] }, {
      what: 'content-type', message: 0, detail: 'a constraint without a type is left out',
    }],
    ['written: null', { messages: [{ ...ANSWER, content: LOOKS, written: null }] }, {
      what: 'field', message: 0, detail: 'text that looks like written reasoning is taken for it',
    }],
    ['written', {
      messages: [{
        ...ANSWER, content: LOOKS,
        written: { from: 0, to: 25, textFrom: 7, textTo: 17, marker: { from: 0, to: 7 }, isOpened: true },
      }],
    }, { what: 'thinking', message: 0, detail: 'where written reasoning ends is not kept' }],
  ];
  test.each(FORMS.flatMap((form) => cases.map((one) => [form.version, ...one] as const)))(
    '%s: %s', (version, _, given, loss) => {
      const { to } = FORMS.find((form) => form.version === version)!;
      const data = { ...transcript(ANSWER), ...given };
      expect(to(data).losses).toEqual([loss]);
      if (given.messages?.[0]!.written !== undefined) return;
      expect(convertTranscript(data, `interchange-${version}`).losses).toEqual([loss]);
    },
  );

  test('a quoted marker in one of several calls keeps it apart', () => {
    const quoted = { ...CALL, callId: 'c2', content: '"<|start_reason|>"', marked: false };
    for (const { to, from, version } of FORMS) {
      const data = transcript(PREAMBLE, quoted, CALL, quoted);
      const { record, losses } = to(data);
      expect(losses).toEqual(version === '2.0' ? hiddenIn20(PREAMBLE, 0) : []);
      expect(from(JSON.parse(JSON.stringify(record))).data).toEqual(data);
    }
  });
});

/** A preamble keeps its intent in 2.0, where readers hide it. */
function hiddenIn20({ role, channel, intent }: MessageData, message: number): object[] {
  if (role !== 'assistant' || channel !== 'commentary' || intent !== 'preamble') return [];
  return [{ what: 'intent', message, detail: 'a preamble is hidden commentary in 2.0' }];
}

describe('any messages', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 8 });
  const word = fc.constantFrom(
    'a',
    'b',
    'functions.f',
    'assistant',
    'user',
    'python',
    'functions.browser.search',
    'functions.',
  );
  const type = fc.oneof(
    fc.constant({}),
    fc.record(
      { contentType: fc.constantFrom('json', 'text'), constrained: fc.constant(true) },
      { requiredKeys: ['contentType'] },
    ),
  );
  const message = fc
    .tuple(
      fc.record(
        {
          role: fc.constantFrom('assistant', 'assistant', 'assistant', 'user', 'tool', 'system', 'critic'),
          name: word,
          recipient: word,
          channel: fc.constantFrom('analysis', 'commentary', 'final', 'other'),
          intent: fc.constantFrom('preamble', 'debug', 'status'),
          callId: text,
          attributes: fc.array(fc.record({ key: text, value: text }), { maxLength: 2 }),
          content: text,
          end: fc.constantFrom('end', 'call', 'return'),
        },
        { requiredKeys: ['role', 'content', 'end'] },
      ),
      type,
      fc.boolean(),
    )
    .map(([fields, typed, isQuoted]): MessageData => {
      const message = { ...fields, ...typed } as MessageData;
      return isQuoted && !isShown(message) ? { ...message, marked: false } : message;
    });
  const pieces = fc.array(
    fc.oneof(message, fc.constantFrom(THOUGHT, PREAMBLE, CALL, { ...CALL, callId: 'c2' }, REPLY, ANSWER)),
    { maxLength: 8 },
  );
  const header = fc.option(fc.record({ version: fc.constant('x'), model: text }, { requiredKeys: ['version'] }));

  test.each(FORMS)('come back in $version', ({ version, to, from }) => {
    fc.assert(
      fc.property(pieces, header, (messages, fields) => {
        const data = { header: fields && { ...fields, version }, tools: [], messages };
        const written = to(data);
        const record = JSON.parse(JSON.stringify(written.record)) as { messages: object[] };
        const read = from(record);
        const losses = messages.flatMap((message, index) => version === '2.0' ? hiddenIn20(message, index) : []);
        expect({ data: read.data, losses: [...written.losses, ...read.losses] }).toEqual({ data, losses });
        expect(SCHEMAS[version].validate(record).errors).toEqual([]);
        // The same without the object around the turns, and of one turn alone.
        expect(from(record.messages).data.messages).toEqual(messages);
        if (record.messages.length === 1) expect(from(record.messages[0]).data.messages).toEqual(messages);
      }),
      { seed: SEED, numRuns: runs(10_000) },
    );
  });

  test.each(FORMS)('are read or refused in $version, whatever they are', ({ version, to, from }) => {
    const any = fc.dictionary(
      fc.constantFrom(
        'role',
        'content',
        'thinking',
        'tool_call',
        'tool_calls',
        'channel',
        'end',
        'id',
        'recipient',
        'arguments',
        '__proto__',
      ),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.array(any)), fc.jsonValue(), (messages, given) => {
        try {
          const record = { messages, header: given };
          const { data } = from(record);
          // What is read fits the schema.
          expect(SCHEMAS[version].validate(JSON.parse(JSON.stringify(record))).errors).toEqual([]);
          to(data);
        } catch (error) {
          expect(error).toBeInstanceOf(Refusal);
        }
      }),
      { seed: SEED, numRuns: runs(1500) },
    );
  });

  test.each(FORMS)('a record of $version says its version when it is converted', ({ version }) => {
    expect(convertTranscript(transcript(ANSWER), `interchange-${version}`).record).toMatchObject({ version });
  });
});
