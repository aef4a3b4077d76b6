// Every finding in a record has a JSON pointer: the same by rows and by values, in every form of records.
import { expect, test } from 'vitest';
import { checkFile } from '../../../src/corpus/files.ts';
import { file, jsonLines, run } from '../../cli/harness.ts';

const user = { role: 'user', content: 'hi' };
const weather = { name: 'weather', arguments: '{"city":"Oslo"}' };
const call = (id: string | null, more: object = {}): object =>
  ({ ...(id && { id }), type: 'function', function: { ...weather, ...more } });
const written = JSON.stringify({ name: 'weather', arguments: { city: 1 } });
const calling = (...calls: object[]): object => ({ role: 'assistant', content: null, tool_calls: calls });
const reply = (id: string): object => ({ role: 'tool', tool_call_id: id, content: 'fine' });
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const tools = [{ type: 'function', function: { name: 'weather', parameters } }];
const done = { role: 'assistant', content: 'ok' };

const CASES: [name: string, record: object, told: readonly (readonly [rule: string, pointer: string])[]][] = [
  ['open calls', { messages: [user, calling(call('a'), call('b')), reply('a')] },
    [['open-call', '/messages/1/tool_calls/1']]],
  ['open calls of several entries', { messages: [calling(call('a')), user, calling(call('b'), call('c'))] }, [
    ['open-call', '/messages/0/tool_calls/0'],
    ['open-call', '/messages/2/tool_calls/0'],
    ['open-call', '/messages/2/tool_calls/1'],
  ]],
  ['beside reasoning and content',
    { messages: [{ ...calling(call('a'), call('b')), content: 'x', reasoning_content: 'y' }, reply('a')] },
    [['open-call', '/messages/0/tool_calls/1']]],
  ['arguments that are a value', { messages: [calling(call('a', { arguments: { city: 'Oslo' } }))] },
    [['open-call', '/messages/0/tool_calls/0']]],
  ['a function call', { messages: [user, { role: 'assistant', content: null, function_call: weather }] }, [
    ['open-call', '/messages/1/function_call'],
  ]],
  ['arguments that do not fit',
    { tools, messages: [calling(call('a'), call('b', { arguments: '{"city":1}' })), reply('a'), reply('b'), done] },
    [['invalid-arguments', '/messages/0/tool_calls/1/function/arguments']]],
  ['arguments that are no JSON', { messages: [calling(call('a', { arguments: '{"city":\\' })), reply('a')] },
    [['invalid-json', '/messages/0/tool_calls/0/function/arguments']]],
  ['an unknown tool', { tools, messages: [calling(call('a', { name: 'wether' })), reply('a'), done] },
    [['unknown-tool', '/messages/0/tool_calls/0/function/name']]],
  ['an id twice', { messages: [calling(call('a')), reply('a'), calling(call('a')), reply('a')] },
    [['duplicate-call-id', '/messages/2/tool_calls/0/id']]],
  ['replies to nothing', { messages: [reply('x'), calling(call('a')), reply('a'), reply('a'), reply('y')] }, [
    ['unmatched-reply', '/messages/0/tool_call_id'],
    ['duplicate-reply', '/messages/3/tool_call_id'],
    ['unmatched-reply', '/messages/4/tool_call_id'],
  ]],
  ['no ids', { messages: [calling(call(null), call(null)), { role: 'tool', content: '' }] },
    [['open-call', '/messages/0/tool_calls/1']]],
  ['calls as text',
    { tools, messages: [user, { role: 'assistant', content: `Ok.\n<tool_call>${written}</tool_call>` }] },
    [['invalid-arguments', '/messages/1/content'], ['open-call', '/messages/1/content']]],
  ['a call as text that is none',
    { messages: [user, { role: 'assistant', content: 'Ok.\n<tool_call>\n{"name": f}\n</tool_call>' }] },
    [['bad-call-object', '/messages/1/content'], ['open-call', '/messages/1/content']]],
  ['ShareGPT',
    { conversations: [{ from: 'human', value: 'q' }, { from: 'function_call', value: JSON.stringify(weather) }] },
    [['open-call', '/conversations/1']]],
  ['blocks', { messages: [
    {
      role: 'assistant',
      content: [{ type: 'text', text: 'x' }, { type: 'tool_use', id: 'a', name: 'weather', input: {} }],
    },
    { role: 'user', content: ['z', 'y'].map((id) => ({ type: 'tool_result', tool_use_id: id, content: '' })) },
  ] }, [
    ['unmatched-reply', '/messages/1/content/0/tool_use_id'],
    ['unmatched-reply', '/messages/1/content/1/tool_use_id'],
    ['open-call', '/messages/0/content/1'],
  ]],
  ['a prompt and its completion', { prompt: [user], completion: [calling(call('a'))] },
    [['open-call', '/completion/0/tool_calls/0']]],
  ['what cannot be read', { messages: [user, { role: 'robot', content: '' }] }, [['refused-record', '/messages/1']]],
  ['of no form', { other: 1 }, [['unknown-record', '']]],
  ['text', { text: 'version: 2.2\n---\n<|start|>robot<|message|><|end|>' }, [['unknown-role', '/text']]],
  ['text in two fields', {
    prompt: 'version: 2.2\n---\n<|start|>robot<|message|>',
    completion: '<|start|>user<|message|><|end|>x',
  },
    [['missing-end', '/prompt'], ['unknown-role', '/prompt'], ['text-between-messages', '/completion']]],
];

type Line = { rule?: string; pointer?: string | null };

test.each(CASES)('%s', async (name, record, told) => {
  const line = JSON.stringify(record);
  // A member under an escaped name makes a record one that is read as a value.
  const slow = line.replace('{', '{"\\u0078x":1,');
  for (const [way, text] of [['rows', `${line}\n`], ['values', `${slow}\n`], ['list', `[${line}]`]] as const) {
    const path = file(`pointers/${name} ${way}.jsonl`, text);
    const lines = jsonLines((await run(['check', '--format', 'ndjson', path])).out) as Line[];
    expect(lines.slice(0, -1).map(({ rule, pointer }) => [rule, pointer]), way).toEqual(told);
    expect([...checkFile(path)].map(({ rule, pointer }) => [rule, pointer]), way).toEqual(told);
  }
});

test('in every format, and remedies speak of members', async () => {
  const record = { messages: [user, calling(call('a')), reply('b')] };
  const path = file('pointers/formats.jsonl', `${JSON.stringify(record)}\n`);
  const pointers = ['/messages/2/tool_call_id', '/messages/1/tool_calls/0'];
  for (const format of ['pretty', 'concise', 'ndjson', 'json', 'github', 'sarif', 'gitlab', 'rdjson', 'junit']) {
    const { out } = await run(['check', '--format', format, path]);
    // Infos are no failures of a test.
    for (const pointer of format === 'junit' ? pointers.slice(0, 1) : pointers) expect(out, format).toContain(pointer);
  }
  expect((await run(['check', path])).out).toContain('remedy: give the `id` of the call as `tool_call_id`');
  const sarif = JSON.parse((await run(['check', '--format', 'sarif', path])).out) as {
    runs: [{ results: { locations: [{ logicalLocations: object[] }] }[] }];
  };
  expect(sarif.runs[0].results.map(({ locations }) => locations[0].logicalLocations)).toEqual(
    pointers.map((pointer) => [{ fullyQualifiedName: pointer }]));
});

test('many open calls take linear time', async () => {
  const calls = Array.from({ length: 10_000 }, (_, i) => call(`c${i}`));
  const entries = Array.from({ length: 10_000 }, (_, i) => calling(call(`d${i}`)));
  const path = file('pointers/many.jsonl', `${JSON.stringify({ messages: [calling(...calls), ...entries] })}\n`);
  const lines = jsonLines((await run(['check', '--format', 'ndjson', path])).out) as Line[];
  // Those beyond the first 1,000 are one.
  expect(lines).toHaveLength(1_002);
  expect(lines[999]!.pointer).toBe('/messages/0/tool_calls/999');
});

test.each([
  [{ messages: 'x' }, 'its messages is text, not a list of messages'],
  [{ messages: ' [{' }, 'its messages is text that is not read as a JSON list of messages'],
  [{ a: { b: [user] } }, 'its messages are in /a/b, which is read when --field points to it'],
  [{ id: 1, conversations: user }, 'its conversations is an object, not a list of messages'],
  [{ dialogue: [user] }, 'its messages are in dialogue, which is read when --field names it'],
  [{ prompt: [user], answer: '4' }, 'its messages are in prompt, which is read when --field names it'],
  [{ prompt: [user], completion: 'four' }, 'its prompt is a list and its completion is text, which are read together'],
  [{ prompt: 'two', completion: [user] }, 'its prompt is text and its completion is a list, which are read together'],
  [{ prompt: [user], chosen: 'a', rejected: 'b' }, 'its prompt is a list and its chosen is text,'],
  [{ prompt: 'a', chosen: [user], rejected: 'b' }, 'its chosen is a list and its rejected is text,'],
  [
    { instruction: 'a', input: '', output: 'b', history: [['c', 'd', 'e']] },
    'it has instruction with output, which are not read beside a history that is no list of pairs of texts',
  ],
  [{ instruction: 'a', input: ['x'], output: 'b' }, 'its input is no text beside its instruction and output'],
  [{ question: 'a', answer: 1 }, 'it has none of messages, conversations, text,'],
  // A name that is no word is not repeated.
  [{ 'a\nb': [user] }, 'it has none of messages, conversations, text,'],
  [{ contents: [{ role: 'user', parts: [{ text: 'Q' }] }] }, 'it has none of messages, conversations, text,'],
  [{ rows: [{ value: 1 }] }, 'it has none of messages, conversations, text,'],
])('a record of no form says what it nearly has: %j', async (record, told) => {
  const path = file('pointers/near.jsonl', `${JSON.stringify(record)}\n`);
  const [found] = jsonLines((await run(['check', '--format', 'ndjson', path])).out) as { message?: string }[];
  expect(found!.message).toContain(`the record holds no transcript: ${told}`);
  // `convert` and `audit` tell the same, and what to do.
  const { out } = await run(['convert', '--to', 'messages', path]);
  const [{ error }] = jsonLines(out) as [{ error: string }];
  expect(error).toContain(`record: ${told}`);
  expect(error).toMatch(/; \S/);
  const named = /--field/.test(told) ? told.split(' ')[4]!.replace(',', '') : null;
  if (named === null) return;
  expect(error).toContain(`use --field ${named}`);
  expect((await run(['check', '--field', named, path])).code).toBe(0);
});

test('a role that is not known is told with those that are', async () => {
  const path = file('pointers/role.jsonl', `${JSON.stringify({ messages: [{ role: 'boss', content: 'x' }] })}\n`);
  const [found] = jsonLines((await run(['check', '--format', 'ndjson', path])).out) as { message?: string }[];
  expect(found!.message).toBe(
    'the chat data of the record cannot be read as a transcript: message 0: its role is none that is known; '
      + 'use system, developer, user, assistant or tool',
  );
});

test('an audit says what a record nearly has that it cannot look into', async () => {
  const path = file('pointers/audited.jsonl', '{"messages":"text"}\n5\n');
  const found = jsonLines((await run(['audit', '--format', 'ndjson', path])).out) as { message?: string }[];
  expect(found.slice(0, 2).map(({ message }) => message)).toEqual([
    'the record holds no transcript: its messages is text, not a list of messages',
    'the record is no JSON object that can be read: it is no JSON object',
  ]);
});
