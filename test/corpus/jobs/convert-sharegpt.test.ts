// Chat records as ShareGPT: each case stands three times in its file, as what is lost first is written from
// values, and what follows from rows.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { seen } from './seen.ts';

const folder = mkdtempSync(join(tmpdir(), 'openchatml-sharegpt-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const user = { role: 'user', content: 'Hi' };
const call = (id: string, text: string): object => ({ id, type: 'function', function: { name: 'f', arguments: text } });
const calls = (...given: object[]): object => ({ role: 'assistant', content: null, tool_calls: given });
const reply = (id: string, content: string): object => ({ role: 'tool', tool_call_id: id, content });

const human = { from: 'human', value: 'Hi' };
const gpt = (value: string): object => ({ from: 'gpt', value });
const called = (value: string): object => ({ from: 'function_call', value });
const observed = (value: string): object => ({ from: 'observation', value });
const refused = (message: number, reason: string): string => `message ${message}: ${reason}`;
const NO_JSON = 'the arguments of the call are no JSON that the form can hold; make them an object';

/** What it is, its messages, the turns or why they are refused, and what is lost of one. */
const CASES: [string, object[], object[] | string, object][] = [
  ['an answer', [user, { role: 'assistant', content: 'a "b"\n\\ é' }], [human, gpt('a "b"\n\\ é')], {}],
  ['a system', [{ role: 'system', content: 's' }, user], [{ from: 'system', value: 's' }, human], {}],
  ['a developer', [{ role: 'developer', content: 's' }, user], [{ from: 'system', value: 's' }, human], { role: 1 }],
  ['a thought', [user, { role: 'assistant', reasoning_content: 't', content: 'a' }], [human, gpt('a')],
    { field: 1, thinking: 1 }],
  ['a thought by itself, and an answer', [user, { role: 'assistant', content: null, reasoning_content: 't' },
    { role: 'assistant', content: 'a' }], [human, gpt('a')], { field: 1, grouping: 1, thinking: 1 }],
  ['a call, and another one by itself', [user, calls(call('a', '{}')), calls(call('b', '{}'))],
    [human, called('[{"name": "f", "arguments": {}}, {"name": "f", "arguments": {}}]')], { 'call-id': 2, grouping: 1 }],
  ['a call', [user, calls(call('a', '{"x": "y\\n"}')), reply('a', '{}')],
    [human, called('{"name": "f", "arguments": {"x": "y\\n"}}'), observed('{}')], { 'call-id': 2 }],
  ['two calls', [user, calls(call('a', '{}'), call('b', '[1]')), reply('a', '1'), reply('b', '2')],
    [human, called('[{"name": "f", "arguments": {}}, {"name": "f", "arguments": [1]}]'), observed('1'), observed('2')],
    { 'call-id': 4 }],
  ['calls with a thought between', [user, calls(call('a', '{}')),
    { role: 'assistant', reasoning_content: 't', content: null, tool_calls: [call('b', '{}')] }],
    [human, called('[{"name": "f", "arguments": {}}, {"name": "f", "arguments": {}}]')],
    { 'call-id': 2, field: 1, thinking: 1 }],
  ['calls with a word between', [user, calls(call('a', '{}')),
    { role: 'assistant', content: 'Wait.', tool_calls: [call('b', '{}')] }],
    [human, called('{"name": "f", "arguments": {}}'), gpt('Wait.'), called('{"name": "f", "arguments": {}}')],
    { 'call-id': 2, channel: 1 }],
  ['replies in another order', [user, calls(call('a', '{}'), call('b', '{}')), reply('b', '2'), reply('a', '1')],
    [human, called('[{"name": "f", "arguments": {}}, {"name": "f", "arguments": {}}]'), observed('1'), observed('2')],
    { 'call-id': 5 }],
  ['a person', [{ ...user, name: 'human_2' }], [{ from: 'human_2', value: 'Hi' }], {}],
  ['another name', [{ ...user, name: 'Ann' }], [human], { name: 1 }],
  ['a marker of reasoning', [user, { role: 'assistant', content: '<think>t</think>a' }],
    [human, gpt('<think>t</think>a')], {}],
  ['arguments that are a number', [user, calls(call('a', '1'))],
    [human, called('{"name": "f", "arguments": 1}')], { 'call-id': 1 }],
  ...[' {}', '{} ', '"x"', 'null', '', '{"a":1}}', '{a}'].map((text): [string, object[], string, object] =>
    [`arguments ${JSON.stringify(text)}`, [user, calls(call('a', text))], refused(1, NO_JSON), {}]),
];

test.each(CASES)('%s', async (_, messages, turns, losses) => {
  const path = join(folder, 'input.jsonl');
  writeFileSync(path, `${JSON.stringify({ id: 'r', messages })}\n`.repeat(3));
  const work = { kind: 'convert', to: 'sharegpt', from: 'auto', format: 'ndjson', forTerminal: false } as const;
  const { lines, converted } = await seen(path, work, {}, 1) as { lines: string; converted: Sums };
  const line = typeof turns === 'string' ? { id: 'r', conversations: null, error: turns }
    : { id: 'r', conversations: turns };
  // Refusals are told among the lines, between NULs.
  const written = Buffer.from(lines.replaceAll(/\0[^\0]*\0/g, ''), 'latin1').toString();
  expect(written).toBe(`${JSON.stringify(line)}\n`.repeat(3));
  const lost = Object.fromEntries(converted.losses.map(([what, count]) => [what, count]));
  expect(lost).toEqual(Object.fromEntries(Object.entries(losses).map(([what, count]) => [what, 3 * count])));
});

interface Sums {
  readonly losses: readonly (readonly [what: string, count: number])[];
}
