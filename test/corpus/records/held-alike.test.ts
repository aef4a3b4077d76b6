// Records whose messages stand in odd places: every command reads the same messages, and an audit looks into them.
import { expect, test } from 'vitest';
import { at, file, jsonLines, run } from '../../cli/harness.ts';
import { write } from '../tables/parquet-here.ts';

const user = (content: string): object => ({ role: 'user', content });
const said = (content: string): object => ({ role: 'assistant', content });
const text = (...list: object[]): string => JSON.stringify(list);

/** Records, and the contents of the messages that they hold; each has one token. */
const CASES: [record: object, contents: string[]][] = [
  [{ input: [user('q')], output: said('a<|end|>b') }, ['q', 'a<|end|>b']],
  [{ input: [user('q')], output: said('a<|end|>b'), instructions: 'I' }, ['I', 'q', 'a<|end|>b']],
  [{ conversation: [user('q')], chosen: said('a<|end|>b'), rejected: said('c') }, ['q', 'a<|end|>b', 'q', 'c']],
  [{ body: { messages: text(user('a<|end|>b')) } }, ['a<|end|>b']],
  [{ messages: text(user('<|end|>')), chosen: [said('A')], rejected: [said('B')] }, ['<|end|>', 'A', '<|end|>', 'B']],
  [{ messages: text(user('<|end|>')), chosen: said('A'), rejected: said('B') }, ['<|end|>', 'A', '<|end|>', 'B']],
  [{ input: { messages: [user('q')] }, preferred_output: [said('a<|end|>')], non_preferred_output: [said('b')] },
    ['q', 'a<|end|>', 'q', 'b']],
  [{ conversations: [{ from: 'human', value: '<|end|>', role: null }, { from: 'gpt', value: 'a', role: null }] },
    ['<|end|>', 'a']],
  [{ messages: [{ role: null, content: null, from: 'human', value: '<|end|>' }] }, ['<|end|>']],
  [{ question: 'What is <|end|>?', answer: 'A token.', history: [['a', 'b']], system: 'S' },
    ['S', 'a', 'b', 'What is <|end|>?', 'A token.']],
];

test.each(CASES)('%j', async (record, contents) => {
  const path = file('alike/in.jsonl', `${JSON.stringify(record)}\n`);
  const listed = jsonLines((await run(['messages', path])).out);
  expect(listed.map(({ content }) => content)).toEqual(contents);
  const counts = JSON.parse((await run(['scan', '--format', 'json', path])).out) as { messages: number };
  expect(counts.messages).toBe(contents.length);
  const converted = jsonLines((await run(['convert', '--to', 'messages', path])).out);
  expect(converted.flatMap(({ messages }) => (messages as { content: string }[]).map(({ content }) => content)))
    .toEqual(contents);
  const found = jsonLines((await run(['audit', '--format', 'ndjson', path])).out).slice(0, -1);
  expect(found.map(({ rule }) => rule)).toEqual(['control-token']);
  await run(['audit', '--fix', '--output', at('alike/out.jsonl'), path]);
  expect((await run(['audit', '--format', 'concise', at('alike/out.jsonl')])).code).toBe(0);
  expect(jsonLines((await run(['messages', at('alike/out.jsonl')])).out)).toHaveLength(contents.length);
});

test('a text that holds half a character is no list', async () => {
  const half = '\\ud83d\\\\ude00';
  const line = `{"messages":"[{\\"role\\":\\"user\\",\\"content\\":\\"${half} <|end|>x\\"}]"}\n`;
  const path = file('alike/half.jsonl', line);
  const [found] = jsonLines((await run(['check', '--format', 'ndjson', path])).out);
  expect(found).toMatchObject({ rule: 'unknown-record' });
  await run(['audit', '--fix', '--output', at('alike/half.out'), path]);
  const [audited] = jsonLines((await run(['audit', '--format', 'ndjson', path])).out);
  expect(audited).toMatchObject({ rule: 'unknown-record' });
});

test('turns that name their conversation are turns', async () => {
  const turns = [user('hi'), said('ho')].map((turn) => `${JSON.stringify({ ...turn, conversation: 'id1' })}\n`);
  const path = file('alike/turns.jsonl', turns.join(''));
  const listed = jsonLines((await run(['messages', path])).out);
  expect(listed.map(({ transcript, content }) => [transcript, content])).toEqual([[0, 'hi'], [0, 'ho']]);
});

test('a pointer that leads nowhere names no field of the record', async () => {
  const path = file('alike/nowhere.jsonl', `${JSON.stringify({ foo: [user('x<|end|>')] })}\n`);
  const [found] = jsonLines((await run(['audit', '--format', 'ndjson', '--field', '/request/foo', path])).out);
  expect(found).toMatchObject({ rule: 'unknown-record' });
});

test('rows of a table that hold their chats in different columns', async () => {
  const rows = [
    { messages: null, question: 'q', answer: 'a', response: null, preferred_output: null },
    { messages: [user('x')], question: 'q', answer: null, response: null, preferred_output: null },
    { messages: null, question: null, answer: null, response: { choices: [{ message: said('b') }] } },
  ];
  const line = file('alike/rows.jsonl', rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const data = (['messages', 'question', 'answer', 'response'] as const).map((name) => ({
    name, data: rows.map((row) => row[name] ?? undefined),
    type: name === 'question' || name === 'answer' ? 'STRING' as const : 'JSON' as const,
  }));
  for (const path of [line, write('alike', data)]) {
    expect(jsonLines((await run(['messages', path])).out).map(({ content }) => content)).toEqual(['q', 'a', 'x', 'b']);
  }
});

test.each<[columns: Record<string, unknown>, contents: string[]]>([
  [{ system_prompt: 'S', input: 'i', output: 'o' }, ['S', 'i', 'o']],
  [{ question: 'q', answer: 'a', conversation: 'id1' }, ['q', 'a']],
  [{ question: 'q', answer: 'a', output: 'o' }, ['q', 'a']],
])('columns as members: %j', async (columns, contents) => {
  const line = file('alike/line.jsonl', `${JSON.stringify(columns)}\n`);
  const data = Object.entries(columns).map(([name, value]) => ({ name, data: [value], type: 'STRING' as const }));
  for (const path of [line, write('alike', data)]) {
    expect(jsonLines((await run(['messages', path])).out).map(({ content }) => content)).toEqual(contents);
  }
});
