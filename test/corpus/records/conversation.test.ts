// Lists of messages called `conversation`, as logs of chats have them, and messages that one stands behind: read as
// `messages` are.
import type { SchemaElement } from 'hyparquet';
import { expect, test } from 'vitest';
import { file, jsonLines, run } from '../../cli/harness.ts';
import { write } from '../tables/parquet-here.ts';

const CALL = { id: 'c', type: 'function', function: { name: 'f', arguments: '{' } };
const CHAT = [
  { content: 'Hello <|end|>', role: 'user', country: 'x', toxic: false },
  { content: null, role: 'assistant', tool_calls: [CALL] },
];
type Line = Record<string, unknown>;

async function told(path: string, ...argv: string[]): Promise<Line[]> {
  return jsonLines((await run([...argv, path])).out.replaceAll('conversation', 'messages'));
}

const PLACES = ['path', 'from', 'to', 'column', 'body_from', 'body_to', 'bytes'];
const withoutPlace = (line: Line): Line =>
  Object.fromEntries(Object.entries(line).filter(([name]) => !PLACES.includes(name)));

test.each([
  ['check', '--format', 'ndjson'], ['audit', '--format', 'ndjson'], ['messages'], ['scan', '--format', 'json'],
  ['convert', '--to', 'messages'], ['check', '--format', 'ndjson', '--threads', '2'],
])('%s: what is told of messages', async (...argv) => {
  const turns = CHAT.map(({ content, role }) => ({ from: role === 'user' ? 'human' : 'gpt', value: content ?? 'x' }));
  for (const list of [CHAT, turns]) {
    const lines = (name: string): string =>
      `${JSON.stringify({ id: 7, model: 'm', [name]: list, redacted: false })}\n`.repeat(3);
    const one = await told(file('conversation/one.jsonl', lines('messages')), ...argv);
    const other = await told(file('conversation/other.jsonl', lines('conversation')), ...argv);
    expect(one.length).toBeGreaterThan(0);
    expect(other.map(withoutPlace)).toEqual(one.map(withoutPlace));
  }
});

test('the column of a table is read', async () => {
  const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' } as const;
  const schema: SchemaElement[] = [
    { name: 'root', num_children: 1, repetition_type: 'REQUIRED' },
    { name: 'conversation', num_children: 1, repetition_type: 'OPTIONAL', converted_type: 'LIST' },
    { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
    { name: 'element', num_children: 2, repetition_type: 'OPTIONAL' },
    { name: 'role', ...text }, { name: 'content', ...text },
  ];
  const data = [[{ role: 'user', content: 'Hi' }, { role: 'assistant', content: 'Ho' }]];
  const path = write('conversation', [{ name: 'conversation', data }], { schema });
  expect((await told(path, 'messages')).map(({ role, content }) => [role, content]))
    .toEqual([['user', 'Hi'], ['assistant', 'Ho']]);
});

test('other things have that name, and other lists go before', async () => {
  const said = { role: 'user', content: 'b' };
  const [good, bad] = ['c', 'd'].map((content) => ({ role: 'assistant', content }));
  const records = [
    { conversation: 'id', messages: [said] }, { conversation: CHAT, messages: [said] },
    { conversation: [], text: '<|start|>user<|message|>b<|end|>' },
    { conversation: [['b']], prompt: 'b', completion: 'c' }, { conversation: [{ input: 'b', output: 'c' }] },
    { conversation: [said], text: 'copy' }, { conversation: [said], chosen: [good], rejected: [bad] },
  ];
  const path = file('conversation/other.jsonl', records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  expect((await told(path, 'messages')).map(({ record, content }) => [record, content])).toEqual([
    [0, 'b'], [1, 'b'], [2, 'b'], [3, 'b'], [3, 'c'], [5, 'b'], [6, 'b'], [6, 'c'], [6, 'b'], [6, 'd'],
  ]);
  const twice = file('conversation/twice.jsonl', `{"conversation":[${JSON.stringify(said)}],"conversation":"x"}\n`);
  expect((await told(twice, 'check', '--format', 'ndjson'))[0]).toMatchObject({ rule: 'unknown-record' });
});

test('an input that is messages is read with the one that answers it', async () => {
  const output = { role: 'assistant', content: 'b "c"' };
  const record = { input: [{ role: 'user', content: 'a' }], output, name: 'x' };
  const line = `${JSON.stringify(record)}\n`;
  const path = file('conversation/answered.jsonl', line.repeat(2));
  const messages = await told(path, 'messages');
  expect(messages.map(({ record: number, content }) => [number, content]))
    .toEqual([[0, 'a'], [0, 'b "c"'], [1, 'a'], [1, 'b "c"']]);
  const { body_from: from, body_to: to } = messages[1] as { body_from: number; body_to: number };
  expect(Buffer.from(line).toString('utf8', from, to)).toBe('b \\"c\\"');
  const refused = file('conversation/refused.jsonl', JSON.stringify({ ...record, input: [{ type: 'function_call' }] }));
  expect((await told(refused, 'check', '--format', 'ndjson'))[0])
    .toMatchObject({ rule: 'refused-record', pointer: '/input/0' });
});

test('a preference is not behind what is no list of messages', async () => {
  const [chosen, rejected] = ['c', 'd'].map((content) => [{ role: 'assistant', content }]);
  const path = file('conversation/sides.jsonl', `${JSON.stringify({ rejected, chosen, conversation: [[]] })}\n`);
  expect((await told(path, 'messages')).map(({ content }) => content)).toEqual(['c', 'd']);
});
