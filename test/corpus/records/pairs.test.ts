// Questions and their answers under the names that others give them: messages with places, in lines and in tables.
import { expect, test } from 'vitest';
import { file, jsonLines, run } from '../../cli/harness.ts';
import { write } from '../tables/parquet-here.ts';

type Line = Record<string, unknown>;
type Column = { readonly name: string; readonly data: string[]; readonly type: 'STRING' };
const said = async (path: string): Promise<unknown[]> =>
  jsonLines((await run(['messages', path])).out).map(({ role, content }) => [role, content]);

const CASES: [record: Record<string, unknown>, messages: [role: string, content: string][]][] = [
  [{ system_prompt: 'S', question: 'Q', response: 'R' }, [['system', 'S'], ['user', 'Q'], ['assistant', 'R']]],
  [{ system_prompt: '', question: 'Q', answer: 'R', id: 3 }, [['user', 'Q'], ['assistant', 'R']]],
  [
    { query: 'Q', response: 'R', history: [['a', 'b']], system: 'S' },
    [['system', 'S'], ['user', 'a'], ['assistant', 'b'], ['user', 'Q'], ['assistant', 'R']],
  ],
  [{ instruction: 'I', context: 'C', response: 'R' }, [['user', 'I\n\nC'], ['assistant', 'R']]],
  [{ instruction: 'I', context: '', answer: 'R' }, [['user', 'I'], ['assistant', 'R']]],
  [{ problem: 'P', solution: 'S', answer: '4' }, [['user', 'P'], ['assistant', 'S']]],
  [{ prompt: 'P', response: '"R"' }, [['user', 'P'], ['assistant', '"R"']]],
  [{ input: 'I', output: 'O' }, [['user', 'I'], ['assistant', 'O']]],
  [{ prompt: '<|start|>user<|message|>Hi<|end|><|start|>assi', response: 'stant<|message|>Ho<|end|>' },
    [['user', 'Hi'], ['assistant', 'Ho']]],
];

test.each(CASES)('%j', async (record, messages) => {
  const line = `${JSON.stringify(record)}\n`;
  const path = file('pairs/lines.jsonl', line.repeat(2));
  expect(await said(path)).toEqual([...messages, ...messages]);
  const last = jsonLines((await run(['messages', path])).out).at(-1) as { body_from: number; body_to: number };
  const place = Buffer.from(line.repeat(2)).toString('utf8', last.body_from, last.body_to);
  expect(JSON.parse(`"${place}"`)).toBe(messages.at(-1)![1]);
  const columns = Object.entries(record).filter(([name]) => name !== 'history' && name !== 'id');
  if ('history' in record) return;
  const table = write('pairs', columns.map(([name, value]) => ({ name, data: [value], type: 'STRING' as const })));
  expect(await said(table)).toEqual(messages);
});

test('what is no pair of texts, or has more before it than is read, is told', async () => {
  const records = [
    { question: 'Q', answer: 1 }, { query: 'Q', response: 'R', history: ['a'] }, { input: 'I', output: 'O', system: 3 },
    { instruction: 'a', input: 'x', output: 'b', system: 3 }, { question: 'Q' },
  ];
  const path = file('pairs/odd.jsonl', records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  const found = jsonLines((await run(['check', '--format', 'ndjson', path])).out) as Line[];
  expect(found.slice(0, -1).map(({ rule, record }) => [rule, record]))
    .toEqual(records.map((_, number) => ['unknown-record', number]));
});

test.each([
  { prompt: 'Q', completion: 'A' }, { instruction: 'Q', output: 'A' }, { question: 'Q', answer: 'A' },
  { prompt: 'Q', chosen: 'A', rejected: 'B' },
])('%j: what else is called `messages` is lost, and told', async (texts) => {
  for (const messages of ['L', { messages: [{ role: 'user', content: 'L' }] }, 5]) {
    const path = file('pairs/hidden.jsonl', `${JSON.stringify({ ...texts, messages })}\n`);
    const { code, err } = await run(['convert', '--to', 'messages', path]);
    const told = 'chosen' in texts ? `2 (first: ${path}:1: chosen: messages)` : `1 (first: ${path}:1: messages)`;
    expect([code, err]).toEqual([0, `lost: field ${told}\n`]);
  }
});

test('other forms go before, and what they leave is lost', async () => {
  const messages = [{ role: 'user', content: 'a' }];
  const records = [
    { messages, question: 'Q', answer: 'R' }, { messages: JSON.stringify(messages), question: 'Q', answer: 'R' },
    { question: 'Q', answer: 'R', chosen: 'good', rejected: 'bad' }, { body: { messages }, query: 'Q', response: 'R' },
    { question: 'Q', answer: 'R', score: 1 },
  ];
  const path = file('pairs/before.jsonl', records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  const contents = (await said(path)).map((one) => (one as string[])[1]);
  expect(contents).toEqual(['a', 'a', 'Q', 'good', 'Q', 'bad', 'a', 'Q', 'R']);
  const { out, err } = await run(['convert', '--to', 'messages', path]);
  expect(jsonLines(out).at(-1)!['messages'])
    .toEqual([{ role: 'user', content: 'Q' }, { role: 'assistant', content: 'R' }]);
  expect(err).toContain('lost: field');
});

test('a table is read with what was asked, whatever other columns it has', async () => {
  const text = (name: string): Column => ({ name, data: [name], type: 'STRING' });
  const asked = write('asked', ['system', 'question', 'chosen', 'rejected'].map(text));
  expect(await said(asked)).toEqual([
    ['system', 'system'], ['user', 'question'], ['assistant', 'chosen'],
    ['system', 'system'], ['user', 'question'], ['assistant', 'rejected'],
  ]);
  // Beside a text that holds a transcript they are lost as fields, as those of lines are.
  const transcript: Column = { name: 'text', data: ['<|start|>user<|message|>x<|end|>'], type: 'STRING' };
  const whole = write('whole', [transcript, ...['question', 'answer', 'note'].map(text)]);
  const { err } = await run(['convert', '--to', 'messages', whole]);
  expect(err).toContain('lost: field 2');
  expect(err).toContain('lost: column 1');
});
