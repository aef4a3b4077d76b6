// Streams as a program uses them: what each event says, when text is held back, how a stream ends, is cancelled and
// begun anew.
import { describe, expect, test } from 'vitest';
import { Stream } from '../../../src/runtime/stream/core.ts';
import type { StreamDiagnostic, StreamEvent } from '../../../src/runtime/stream/event.ts';
import { MessageStream, type StreamOptions } from '../../../src/runtime/stream/stream.ts';
import { TokenStream } from '../../../src/runtime/token.ts';
import { expectAgreement } from './agrees.ts';
import { bytewise, deltasOf, eventsOf, id, joined, LARGE } from './run.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const stream = (options: StreamOptions = {}): MessageStream => new MessageStream({ messageId: id, ...options });
/** Types of events, or the text of a delta. */
const brief = (events: readonly StreamEvent[]): string[] =>
  events.map((event) => ('delta' in event ? event.delta : event.type));
const done = (events: readonly StreamEvent[]) =>
  events.flatMap((event) => (event.type === 'response.output_item.done' ? [event.message] : []));
const told = (events: readonly StreamEvent[]): StreamDiagnostic[] =>
  events.flatMap((event) => (event.type === 'diagnostic' ? [event.diagnostic] : []));
const rules = (events: readonly StreamEvent[]): string[] =>
  told(events).map(({ rule }) => rule);

describe('events', () => {
  test('of a turn: reasoning, a call, an answer', () => {
    const text = '<|start|>assistant<|channel|>analysis<|message|>Think.<|end|>'
      + '<|start|>assistant to=functions.w call_id=c1'
      + '<|channel|>commentary<|constrain|>json<|message|>{"a":1}<|call|>'
      + '<|start|>assistant<|channel|>final<|message|>Hi.<|return|>';
    const events = joined(
      eventsOf(bytes(text), { dialect: 'openchatml-2.2', reasoning: true, collect: true }, bytewise(bytes(text))),
    ).events;
    expect(events).toMatchObject([
      { type: 'transcript.begin', message_id: null, transcript: 0, dialect: 'openchatml-2.2' },
      {
        type: 'response.output_item.added',
        message_id: 'm0',
        message: { role: 'assistant', channel: 'analysis', kind: 'reasoning' },
      },
      { type: 'response.reasoning_text.delta', message_id: 'm0', delta: 'Think.' },
      { type: 'response.reasoning_text.done', message_id: 'm0' },
      {
        type: 'response.output_item.done',
        message_id: 'm0',
        message: { end: 'end', visible: false, status: 'completed' },
      },
      {
        type: 'response.output_item.added',
        message: {
          recipient: 'functions.w',
          callId: 'c1',
          contentType: 'json',
          constrained: true,
          kind: 'call',
          isUndispatchable: false,
        },
      },
      { type: 'response.function_call_arguments.delta', message_id: 'm1', call_id: 'c1', delta: '{"a":1}' },
      { type: 'response.function_call_arguments.done', message_id: 'm1', call_id: 'c1', arguments: '{"a":1}' },
      {
        type: 'response.output_item.done',
        message_id: 'm1',
        message: { end: 'call', status: 'completed', content: '{"a":1}' },
      },
      { type: 'response.output_item.added', message_id: 'm2', message: { channel: 'final', kind: 'text' } },
      { type: 'response.delta', message_id: 'm2', delta: 'Hi.' },
      { type: 'response.output_text.done', message_id: 'm2' },
      { type: 'response.output_item.done', message_id: 'm2', message: { end: 'return', visible: true } },
      { type: 'response.completed', message_id: 'm2', stop: 'return' },
    ]);
  });

  test('no reasoning unless asked for', () => {
    const text = '<|start|>assistant<|channel|>analysis<|message|>secret<|end|>';
    const events = eventsOf(bytes(text), { dialect: 'openchatml-2.2' });
    expect(JSON.stringify(events)).not.toContain('secret');
    expect(brief(events)).not.toContain('response.reasoning_text.done');
  });

  test('a summary of each paragraph of reasoning', () => {
    const text = '<|start|>assistant<|channel|>analysis<|message|>One.\n\n\nTwo\nlines.\n \nThree.<|end|>';
    const seen: string[] = [];
    const summarize = (paragraph: string): string => `${seen.push(paragraph)}`;
    const events = eventsOf(bytes(text), { dialect: 'openchatml-2.2', summarize }, bytewise(bytes(text)));
    expect(seen).toEqual(['One.\n\n', '\nTwo\nlines.\n \n', 'Three.']);
    expect(deltasOf(events, 'response.reasoning_summary_text.delta', 'm0')).toBe('123');
    expect(brief(events)).toContain('response.reasoning_summary_text.done');
    expect(brief(events)).not.toContain('response.reasoning_text.done');
  });

  test('a flush after the blank line of each paragraph', () => {
    const text = '<|start|>assistant<|channel|>final<|message|>\n\nOne\r\n\r\nTwo\n \t\n\n\nThree\nfour\n\n<|return|>';
    const events = joined(eventsOf(bytes(text), { dialect: 'openchatml-2.2' }, bytewise(bytes(text)))).events.slice(
      2, -3,
    );
    expect(brief(events)).toEqual([
      '\n\nOne\r\n\r\n', 'response.delta.flush', 'Two\n \t\n', 'response.delta.flush', '\n\nThree\nfour\n\n',
      'response.delta.flush',
    ]);
  });

  test('text between messages: its place, its text only when asked for, never a delta', () => {
    const text = '<|start|>user<|message|>a<|end|>leak <|start|>user<|message|>b<|end|>';
    const quiet = eventsOf(bytes(text), { dialect: 'openchatml-2.2' });
    expect(quiet.filter(({ type }) => type === 'transcript.stray'))
      .toEqual([{ type: 'transcript.stray', message_id: null, from: 32, to: 36 }]);
    expect(JSON.stringify(quiet)).not.toContain('leak');
    const loud = eventsOf(bytes(text), { dialect: 'openchatml-2.2', strayText: true });
    expect(loud).toContainEqual({ type: 'transcript.stray', message_id: null, from: 32, to: 36, text: 'leak' });
  });

  test('ids of messages differ between streams of a process, and go on after reset', () => {
    const text = '<|start|>user<|message|>a<|end|>';
    const idsOf = (events: StreamEvent[]): string[] =>
      done(events).length > 0 ? events.flatMap((event) => event.message_id ?? []) : [];
    const a = new MessageStream();
    const b = new MessageStream();
    const first = idsOf([...a.feed(text), ...a.end()]);
    a.reset();
    const second = idsOf([...a.feed(text), ...a.end()]);
    const third = idsOf([...b.feed(text), ...b.end()]);
    expect(new Set([first[0], second[0], third[0]]).size).toBe(3);
  });
});

describe('holding back', () => {
  test('nothing before the header is final, then each character at once', () => {
    const given = stream({ dialect: 'openchatml-2.2' });
    expect(given.feed('<|start|>assistant<|channel|>final<|message|')).toEqual([]);
    expect(brief(given.feed('>'))).toContain('response.output_item.added');
    for (const character of 'Hé, 你!') expect(brief(given.feed(character))).toEqual([character]);
  });

  test('what may be a token, no longer than that', () => {
    const given = stream({ dialect: 'openchatml-2.2' });
    given.feed('<|start|>assistant<|message|>');
    for (const [text, told] of [
      ['a<', 'a'], ['|e', ''], ['n', ''], ['x', '<|enx'], ['<', ''], ['<', ''], ['b', '<<b'], ['<<|end|', ''],
      ['>', '<|end|>'],
    ]) {
      expect(brief(given.feed(text!)).join(''), text).toBe(told);
    }
  });

  const CALLED = '<|start|>assistant to=functions.f<|message|>{"a":1}';
  test.each([
    ['with its token', `${CALLED}<|call|>`, {}, ['{"a":1}']],
    ['where the token was stripped', CALLED, { stopStripped: true }, ['{"a":1}']],
    ['with the input', CALLED, {}, []],
    ['at the next message', `${CALLED}<|start|>user<|message|>x<|end|>`, {}, []],
    ['at a bound', `${CALLED}<|call|>`, { bounds: { body: 3 } }, []],
    ['in a literal block', CALLED.replace('1', '<|literal|>1'), {}, []],
    ['without its message token', '<|start|>assistant to=functions.f {"a":1}<|call|>', {}, []],
  ])('arguments that end %s', (_, text, options, expected) => {
    const all = { dialect: 'openchatml-2.2', collect: true, ...options } as const;
    const events = eventsOf(bytes(text), all, bytewise(bytes(text)));
    expect(events.flatMap((event) =>
      (event.type === 'response.function_call_arguments.done' ? [event.arguments] : []))).toEqual(expected);
    expect(done(events)[0]!.status).toBe(expected.length > 0 ? 'completed' : 'incomplete');
  });

  test('the newline before <|im_end|> in 0.1, and no other', () => {
    const given = stream({ dialect: 'openchatml-0.1' });
    given.feed('<|im_start|>assistant\n');
    for (const [text, told] of [['a', 'a'], ['\n', ''], ['b\r', '\nb'], ['\n', ''], ['\r\n', '\r\n']]) {
      expect(brief(given.feed(text!)).join(''), JSON.stringify(text)).toBe(told);
    }
    expect(deltasOf(given.feed('<|im_end|>'), 'response.delta', 'm0')).toBe('');
  });

  test('of a 0.1 call nothing but what stands before it, and no white space alone', () => {
    const call = '<|im_start|>assistant\n \n<|function_call|>{"name":"f"}<|im_end|>';
    const events = eventsOf(bytes(call), { dialect: 'openchatml-0.1', collect: true }, bytewise(bytes(call)));
    expect(events.filter(({ type }) => type === 'response.delta')).toEqual([]);
    expect(done(events)).toMatchObject([{ kind: 'text', visible: false, content: ' \n<|function_call|>{"name":"f"}' }]);
    const spoken = '<|im_start|>assistant\n Wait.<|function_call|>{"name":"f"}<|im_end|>';
    expect(
      deltasOf(eventsOf(bytes(spoken), { dialect: 'openchatml-0.1' }, bytewise(bytes(spoken))), 'response.delta', 'm0'),
    ).toBe(' Wait.');
  });

  const BEGIN = '<|im_start|>assistant\nI look.\n';
  const GOOD = '<tool_call>\n{"name":"f","arguments":{}}\n</tool_call>';
  test.each([
    ['braces that are open', '<tool_call>\n{"name":"f","arguments":{"x":1}\n</tool_call>', '</tool_call>'],
    ['single quotes', "<tool_call>\n{'name':'f'}\n</tool_call>", "'name'"],
    ['a code fence', '<tool_call>\n```json\n{}\n```\n</tool_call>', '```json'],
    ['other fields', '<tool_call>\n{"name":"f","parameters":{}}\n</tool_call>', '{'],
    ['a list', '<tool_call>\n[{"name":"f","arguments":{}}]\n</tool_call>', '['],
    ['two objects', '<tool_call>\n{"name":"f","arguments":{}}\n{}\n</tool_call>', '{}\n</'],
    ['a tag that is open', '<tool_call>\n{"name":"f","arguments":{}}', '<|im_end|>'],
    ['words behind a token', '<|function_call|>oops', null],
    ['a good one before it', `${GOOD}\n<tool_call>\noops\n</tool_call>`, 'oops'],
    ['a good one behind it', `<tool_call>\noops\n</tool_call>\n${GOOD}`, 'oops'],
    ['a thought that is written in front', `</think>\n<tool_call>\noops\n</tool_call>`, 'oops'],
    ['a broken one in a thought behind it', `${GOOD}\n<|start_reason|>\n<tool_call>\n<|end_reason|>`, undefined],
    ['a broken one before a late </think>', `<tool_call>\noops\n</think>\n${GOOD}`, 'oops'],
    ['a good one alone', GOOD, undefined],
  ])('a 0.1 call that cannot be read is told: %s', (_, call, wrong) => {
    const text = `${BEGIN}${call}<|im_end|>`;
    for (const collect of [false, true]) {
      const events = eventsOf(bytes(text), { dialect: 'openchatml-0.1', collect }, bytewise(bytes(text)));
      const found = told(events).filter(({ rule }) => rule === 'bad-call-object');
      const from = wrong === null ? 0 : text.indexOf(wrong!, BEGIN.length);
      expect(found).toMatchObject(wrong === undefined ? [] : [{ from, code: 'E-CALL-SCHEMA', severity: 'warning' }]);
    }
  });

  test('thoughts in a shown body', () => {
    const text = '<|start|>assistant<|message|>a<|start_reason|>x<|start_reason|>y<|end_reason|>z<|end_reason|>b'
      + '<|start_reflect|>c<|end|>';
    expect(
      deltasOf(eventsOf(bytes(text), { dialect: 'openchatml-2.2' }, bytewise(bytes(text))), 'response.delta', 'm0'),
    ).toBe('ab');
  });


  test('detection waits for the first control token, and for one after a document header', () => {
    const given = stream();
    expect(given.feed('version: 2.0\n---\n')).toEqual([]);
    expect(given.feed('\n<|start|')).toEqual([]);
    expect(given.feed('>')).toMatchObject([{ type: 'transcript.begin', dialect: 'openchatml-2.0', version: '2.0' }]);
    const legacy = stream();
    expect(legacy.feed('# comment\n---\n\n')).toEqual([]);
    expect(legacy.feed('<|im_start|>user\nhi')).toMatchObject([
      { type: 'transcript.stray' }, { type: 'diagnostic' }, { type: 'transcript.begin', dialect: 'openchatml-0.1' }, {},
      { delta: 'hi' },
    ]);
  });

  test('text of a surrogate pair that two chunks share', () => {
    const given = stream({ dialect: 'openchatml-2.2' });
    given.feed('<|start|>user<|message|>');
    expect(given.feed('\ud83d')).toEqual([]);
    expect(brief(given.feed('\ude00'))).toEqual(['\u{1f600}']);
    given.feed('\ud83d');
    expect([...given.feed(new Uint8Array(0)), ...given.feed('')]).toEqual([]);
    expect(brief(given.feed('\ude00'))).toEqual(['\u{1f600}']);
    given.feed('\ud83d');
    expect(brief(given.feed(bytes('x'))).join('')).toBe('\ufffdx');
    given.feed('\ud83d');
    expect(deltasOf(given.end(), 'response.delta', 'm0')).toBe('\ufffd');
  });
});

test.each([
  ['a literal block', [0xe2, 0x82, ...bytes('<|literal|>'), 0xac, ...bytes('<|endliteral|>')]],
  ['an escape', [0xe2, 0x82, ...bytes('<<|end|>'), 0xe2]],
  ['a thought', [0xe2, 0x82, ...bytes('<|start_reason|>x<|end_reason|>'), 0xac, 0xff]],
  ['a stray token', [0xf0, 0x9f, ...bytes('<|channel|>'), 0x98, 0xc3]],
])('bad UTF-8 around %s is replaced as in the whole body', (_, body) => {
  const input = Uint8Array.from([...bytes('<|start|>assistant<|message|>'), ...body, ...bytes('<|end|>')]);
  const options = { dialect: 'openchatml-2.2' } as const;
  for (const cuts of [[], bytewise(input)]) {
    const events = eventsOf(input, { ...options, collect: true, reasoning: true }, cuts);
    expectAgreement(events, input, options, `${cuts.length} cuts`);
  }
});

describe('a commentary that only convention shows', () => {
  const options = { dialect: 'harmony', role: 'assistant', harmonyPreambles: true } as const;

  test('is shown as it comes, however long it is', () => {
    const given = stream(options);
    given.feed('<|channel|>commentary<|message|>');
    expect(brief(given.feed('I will '))).toEqual(['I will ']);
    expect(brief(given.feed('look.'))).toEqual(['look.']);
    const long = 'x'.repeat(3 << 20);
    const events = eventsOf(bytes(`<|channel|>commentary<|message|>${long}<|end|>`), options);
    expect(deltasOf(events, 'response.delta', 'm0')).toBe(long);
  });

  test('stays shown when it ends as a call, which is told', () => {
    const call = eventsOf(bytes('<|channel|>commentary<|message|>Let me see.<|call|>'), options);
    expect(deltasOf(call, 'response.delta', 'm0')).toBe('Let me see.');
    expect(done(call)).toMatchObject([{ visible: true, end: 'call' }]);
    expect(rules(call)).toContain('call-without-recipient');
  });

  test('is hidden from the beginning when it has a recipient', () => {
    const call = eventsOf(bytes('<|channel|>commentary to=functions.f<|message|>{}<|call|>'), options);
    expect(deltasOf(call, 'response.delta', 'm0')).toBe('');
  });
});

describe('what a body is', () => {
  const finding = (text: string, options: StreamOptions = { dialect: 'openchatml-2.2' }) => {
    const expected = eventsOf(bytes(text), options);
    const found = joined(eventsOf(bytes(text), options, bytewise(bytes(text))));
    expect(found).toEqual(joined(expected));
    return expected.flatMap((event) => (event.type === 'diagnostic' ? [event.diagnostic] : []));
  };

  test.each([
    ['<|constrain|>json', '{bad', 'invalid-json', 'error', 1, 2],
    ['<|constrain|>json', '{"a":', 'invalid-json', 'error', 5, 5],
    ['<|constrain|>json', '', 'invalid-json', 'error', 0, 0],
    ['<|constrain|>json', '[1] \u00e9', 'invalid-json', 'error', 4, 6],
    ['<|constrain|>json', '["\ud83d\ude00\u00e9" x', 'invalid-json', 'error', 10, 11],
    [' json', '{bad', 'hint-mismatch', 'warning', 1, 2],
  ])('%s with %s is told where it is wrong', (type, body, rule, severity, from, to) => {
    const header = `<|start|>assistant<|channel|>final${type}<|message|>`;
    const content = JSON.parse(`"${body.replaceAll('"', '\\"')}"`) as string;
    const found = finding(`${header}${content}<|return|>`).filter((it) => it.rule === rule);
    const at = header.length;
    expect(found).toMatchObject([{ severity, from: at + from, to: at + to }]);
  });

  test('JSON is read without its escapes, in any nesting, and whatever it is for', () => {
    const header = '<|start|>assistant to=functions.f call_id=c1<|channel|>commentary<|constrain|>json<|message|>';
    const ok = `${header}{"a":"<<|end|>","b":<|literal|>[1]<|endliteral|>}<|call|>`;
    expect(finding(ok).map(({ rule }) => rule)).toEqual(['missing-header']);
    const nested = (depth: number): string => `${header}${'['.repeat(depth)}${']'.repeat(depth)}<|call|>`;
    expect(finding(nested(1024)).map(({ rule }) => rule)).toEqual(['missing-header']);
    expect(finding(nested(1025)).map(({ rule }) => rule)).toEqual(['missing-header', 'invalid-json']);
    const hidden = '<|start|>tool name=functions.f call_id=c1 content_type=json<|message|>{bad<|end|>';
    expect(finding(hidden).map(({ rule }) => rule)).toContain('hint-mismatch');
  });

  test('marks of reasoning in what is shown are told', () => {
    const text = '<|start|>assistant<|message|>a<|start_reason|>b<|end_reason|>c<|start_reflect|>d<|return|>';
    const found = finding(text).filter(({ rule }) => rule === 'cot-in-final');
    const at = text.indexOf('<|start_reason|>');
    expect(found).toMatchObject([{ from: at, to: at + 16 }, { from: text.indexOf('<|start_reflect|>') }]);
    const hidden = '<|start|>assistant<|channel|>analysis<|message|>a<|start_reason|>b<|end|>';
    expect(finding(hidden).map(({ rule }) => rule)).not.toContain('cot-in-final');
  });

  test('what is beyond a bound is not called wrong', () => {
    const text = `<|start|>assistant<|constrain|>json<|message|>[${'1,'.repeat(50)}1]<|return|>`;
    const found = finding(text, { dialect: 'openchatml-2.2', bounds: { body: 20 } }).map(({ rule }) => rule);
    expect(found).toEqual(['missing-header', 'body-limit']);
  });
});

test('diagnostics stand in one order for every cut of the input', () => {
  const text = '<|start|>user<|message|>x\xffy<|channel|>\xe2\x82<|start|>assistant<|channel|>final<|message|>\xc3';
  const input = Buffer.from(text, 'latin1');
  const expected = rules(eventsOf(input, { dialect: 'openchatml-2.2' }));
  expect(expected).toEqual([
    'missing-header', 'invalid-utf8', 'stray-token', 'invalid-utf8', 'missing-end', 'invalid-utf8', 'truncated',
  ]);
  for (let size = 1; size < input.length; size++) {
    const cuts = bytewise(input).filter((at) => at % size === 0);
    expect(rules(eventsOf(input, { dialect: 'openchatml-2.2' }, cuts))).toEqual(expected);
  }
});

describe('the end', () => {
  const open = '<|start|>assistant<|channel|>final<|message|>Hal';
  const endOf = (text: string, finishReason?: string | null, options: StreamOptions = {}): StreamEvent[] => {
    const given = stream({ dialect: 'openchatml-2.2', ...options });
    return [...given.feed(text), ...given.end({ finishReason })];
  };

  test.each([
    [undefined, {}], [null, {}], ['length', {}], ['content_filter', {}], ['length', { stopStripped: true }],
  ])('truncated: finish reason %s, %o', (finishReason, options) => {
    const events = endOf(open, finishReason, options);
    expect(events.filter(({ type }) => type === 'diagnostic').at(-1))
      .toMatchObject({ diagnostic: { code: 'E-STREAM-TRUNCATED', rule: 'truncated' } });
    expect(done(events)).toMatchObject([{ end: 'eof', status: 'incomplete' }]);
    expect(events.at(-1)).toEqual({
      type: 'response.incomplete', message_id: 'm0', code: 'E-STREAM-TRUNCATED', reason: 'truncated',
    });
  });

  test.each([
    ['stop', {}], ['tool_calls', {}], [undefined, { stopStripped: true }],
  ])('stripped: finish reason %s, %o', (finishReason, options) => {
    const events = endOf(open, finishReason, options);
    expect(rules(events)).not.toContain('truncated');
    expect(done(events)).toMatchObject([{ end: 'eof', status: 'completed' }]);
    expect(events.at(-1)).toEqual({ type: 'response.completed', message_id: 'm0', stop: 'stripped' });
  });

  test.each([
    ['<|start|>assistant<|message|>a<|return|>', { type: 'response.completed', stop: 'return' }],
    ['<|start|>assistant to=f<|message|>a<|call|>', { type: 'response.completed', stop: 'call' }],
    // A call without its message token: what is not whole is the call, and not the output.
    ['<|start|>assistant to=f {"a":1}<|call|>', { type: 'response.completed', stop: 'call' }],
    ['<|start|>assistant to=f {"a":1}', { type: 'response.incomplete', reason: 'truncated' }],
    ['<|start|>assistant<|message|>a<|end|><|return|>', { type: 'response.completed', stop: 'return' }],
    ['<|start|>assistant<|message|>a<|end|>', { type: 'response.incomplete', reason: 'no-stop-token' }],
    ['<|start|>assistant', { type: 'response.incomplete', reason: 'no-stop-token' }],
    ['<|start|>assistant<|message|>a<|literal|>b', { type: 'response.incomplete', reason: 'truncated' }],
    [' \n', { type: 'response.incomplete', message_id: null, reason: 'empty' }],
    ['', { type: 'response.incomplete', message_id: null, reason: 'empty' }],
  ])('of %s', (text, last) => {
    expect(endOf(text).at(-1)).toMatchObject(last);
  });

  test.each([
    ['version: 2.0\n<|start|>assistant<|message|>a<|end|>', 'auto'],
    ['<|start|>assistant<|message|>a<|end|>', 'openchatml-2.0'],
    ['version: 1.1\n<|start|>assistant<|message|>a<|end|>', 'auto'],
    ['version: "1"\n<|start|>assistant<|message|>a<|end|>', 'openchatml-2.2'],
    ['<|im_start|>assistant\na<|im_end|>', 'openchatml-0.1'],
  ] as const)('%j in %s is complete: <|return|> is for training there, or unknown', (text, dialect) => {
    expect(endOf(text, null, { dialect }).at(-1)).toMatchObject({ type: 'response.completed', stop: 'end' });
  });

  test.each(['auto', 'harmony'] as const)('<|end|> in %s is none of a turn', (dialect) => {
    const text = `${dialect === 'auto' ? 'version: 2.2\n' : ''}<|start|>assistant<|channel|>final<|message|>a<|end|>`;
    expect(endOf(text, null, { dialect }).at(-1)).toMatchObject({ reason: 'no-stop-token' });
  });

  test('<|end|> and a finish reason: the model stopped there', () => {
    expect(endOf('<|start|>assistant<|message|>a<|end|>', 'stop').at(-1))
      .toMatchObject({ type: 'response.completed', stop: 'end' });
    expect(endOf('<|im_start|>assistant\na<|im_end|>', null, { dialect: 'openchatml-0.1' }).at(-1))
      .toMatchObject({ stop: 'end' });
  });

  test('a call that the next start token ended, or that lacks its message token, is not complete', () => {
    const events = endOf('<|start|>assistant to=f<|message|>{}<|start|>assistant to=f {}<|call|>');
    expect(done(events)).toMatchObject([
      { kind: 'call', end: 'implicit', status: 'incomplete' }, { kind: 'call', end: 'call', status: 'incomplete' },
    ]);
  });

  test('nothing comes after it', () => {
    const given = stream();
    given.end();
    expect(given.feed('<|start|>user<|message|>a')).toEqual([]);
    expect(given.end()).toEqual([]);
    expect(given.cancel('late')).toEqual([]);
  });
});

describe('cancel', () => {
  test('tells the open call, then the reader; once', () => {
    const given = stream({ dialect: 'openchatml-2.2' });
    given.feed(
      '<|start|>assistant to=functions.a call_id=c1<|message|>{}<|call|>'
        + '<|start|>assistant to=functions.b call_id=c2<|message|>{"x"',
    );
    expect(given.cancel('user')).toEqual([
      { type: 'tool.cancel', message_id: 'm1', call_id: 'c2', reason: 'user' },
      { type: 'response.cancel', message_id: 'm1', reason: 'user' },
    ]);
    expect(given.cancel('again')).toEqual([]);
    expect(given.feed(':1}<|call|>')).toEqual([]);
    expect(given.end()).toEqual([]);
  });

  test('between messages no call is open', () => {
    const given = stream({ dialect: 'openchatml-2.2' });
    given.feed('<|start|>assistant to=functions.a call_id=c1<|message|>{}<|call|>');
    expect(given.cancel()).toEqual([{ type: 'response.cancel', message_id: null, reason: 'cancelled' }]);
  });

  test('reset begins anew', () => {
    const given = stream({ dialect: 'openchatml-2.2' });
    given.feed('<|start|>user<|message|>a<|literal|>');
    given.reset();
    expect(given.feed('<|start|>user<|message|>b')).toMatchObject([
      { type: 'transcript.begin' }, { type: 'diagnostic' }, { message_id: 'm1', message: { from: 0 } },
      { message_id: 'm1', delta: 'b' },
    ]);
  });
});

describe('wrong calls', () => {
  test.each([
    [{ dialect: 'x' as never }, /dialect/], [{ role: '' }, /role/], [{ bounds: { header: 0 } }, /bounds\.header/],
    [{ bounds: { body: 1.5 } }, /bounds\.body/],
    [{ bounds: { heder: 1 } as never }, /^option bounds\.heder: there is none of this name; did you mean header\?$/],
    [{ bounds: 5 as never }, /^option bounds: expected an object$/],
    [{ bounds: null as never }, /^option bounds: expected an object$/],
    [{ reasoning: 'yes' as never }, /^option reasoning: expected true or false; got "yes"$/],
    [{ thinkOpen: 1 as never }, /^option thinkOpen: expected true or false; got 1$/],
    [{ collect: {} as never }, /^option collect: expected true or false; got an object$/],
    [{ missingChannel: null as never }, /^option missingChannel: expected true or false; got null$/],
    [{ messageId: 'x' as never }, /messageId/], [{ summarize: 1 as never }, /summarize/],
  ])('%o', (options, message) => {
    expect(() => new MessageStream(options)).toThrow(message);
  });

  test('feed', () => {
    expect(() => stream().feed(1 as never)).toThrow(TypeError);
  });

  test.each([
    ['stop', 'expected the options as an object'], [null, 'expected the options as an object'],
    [{ finish_reason: 'stop' }, 'option finish_reason: there is none of this name; did you mean finishReason?'],
  ])('end(%o)', (options, message) => {
    const ids = new TokenStream({ dialect: 'openchatml-2.2', messageId: id, decode: () => null });
    for (const given of [stream({ dialect: 'openchatml-2.2' }), ids]) {
      expect(() => given.end(options as never)).toThrow(new TypeError(message));
      // It is still open.
      expect(given.end({ finishReason: 'stop' })).toMatchObject([{ type: 'response.incomplete', reason: 'empty' }]);
      expect(() => given.end(options as never)).toThrow(new TypeError(message));
    }
  });

  test('feeding a stream from a function that it calls', () => {
    const given: MessageStream = stream({ messageId: () => `${given.feed('x').length}` });
    expect(() => given.feed('<|start|>user<|message|>a')).toThrow(/fed by a function/);
  });
});

test('a function of the caller that throws ends the stream; others go on', () => {
  let fails = true;
  const given = stream({
    messageId: () => {
      if (fails) throw new Error('no id');
      return 'ok';
    },
  });
  const other = stream({ dialect: 'openchatml-2.2' });
  other.feed('<|start|>user<|message|>a');
  expect(() => given.feed('<|start|>user<|message|>a')).toThrow('no id');
  expect(given.feed('b')).toEqual([]);
  expect(brief(other.feed('b'))).toEqual(['b']);
  fails = false;
  given.reset();
  expect(brief(given.feed('<|start|>user<|message|>c'))).toContain('c');
});

test('over WebAssembly it says the same', () => {
  const text = '---\nversion: 2.2\n---\n<|start|>user<|message|>a<|end|>\n'
    + '<|start|>assistant<|channel|>final<|message|>b<<|end|><|return|>';
  const fast = new Stream(LARGE, { messageId: id });
  const usual = stream();
  expect(joined([...fast.feed(text), ...fast.end()])).toEqual(joined([...usual.feed(text), ...usual.end()]));
});
