// Calls in a record are checked by all that its definitions say, as by the same ones that the caller gives: not by the
// text that they become, which holds a part.
import { expect, test } from 'vitest';
import { file, jsonLines, run } from '../../cli/harness.ts';

const CASES: [keyword: string, property: object, bad: unknown, good: unknown, more?: object][] = [
  ['minimum', { type: 'number', minimum: 1 }, 0, 1],
  ['integer', { type: 'integer' }, 1.5, 2],
  ['maxLength', { type: 'string', maxLength: 2 }, 'abc', 'ab'],
  ['pattern', { type: 'string', pattern: '^a+$' }, 'b', 'aa'],
  ['const', { const: 'x' }, 'y', 'x'],
  ['anyOf', { anyOf: [{ type: 'string' }, { type: 'null' }] }, 1, null],
  ['minItems', { type: 'array', items: { type: 'string' }, minItems: 2 }, ['a'], ['a', 'b']],
  ['$ref', { $ref: '#/$defs/kind' }, 'z', 'x', { $defs: { kind: { enum: ['x', 'y'] } } }],
  ['additionalProperties', { type: 'object', properties: {}, additionalProperties: false }, { b: 1 }, {}],
  ['patternProperties', { type: 'object', patternProperties: { '^n': { type: 'number' } } }, { n: 'x' }, { n: 1 }],
];

type Line = { rule?: string; message?: string };

test.each(CASES)('%s', async (keyword, property, bad, good, more = {}) => {
  const parameters = { type: 'object', properties: { a: property }, ...more };
  const tools = [{ type: 'function', function: { name: 'f', parameters } }];
  const record = (a: unknown): object => ({ messages: [
    { role: 'user', content: 'go' },
    { role: 'assistant', content: null, tool_calls: [
      { id: 'c', type: 'function', function: { name: 'f', arguments: JSON.stringify({ a }) } },
    ] },
    { role: 'tool', tool_call_id: 'c', content: 'ok' },
  ] });
  const told = async (...argv: string[]): Promise<unknown[]> => {
    const lines = jsonLines((await run(['check', '--format', 'ndjson', ...argv])).out) as Line[];
    return lines.slice(0, -1).map(({ rule, message }) => [rule, message]);
  };
  const given = file(`own-tools/${keyword.slice(1)}.tools.json`, JSON.stringify(tools));
  for (const [value, count] of [[bad, 1], [good, 0]] as const) {
    const bare = file('own-tools/bare.jsonl', `${JSON.stringify(record(value))}\n`);
    const expected = await told('--tools', given, bare);
    expect(expected.length).toBe(count);
    const own = JSON.stringify({ tools, ...record(value) });
    // A member under an escaped name makes a record one that is read as a value.
    for (const text of [`${own}\n`, `${own.replace('{', '{"\\u0078x":1,')}\n`, `[${own}]`, `${own}\n`.repeat(3)]) {
      const path = file('own-tools/own.jsonl', text);
      const times = text.split('\n').length === 4 ? 3 : 1;
      expect(await told(path), text).toEqual(Array.from({ length: times }, () => expected).flat());
      const verdicts = jsonLines((await run(['filter'], { stdin: text.replace(/^\[|\]$/g, '') })).out) as {
        ok: boolean;
      }[];
      expect(verdicts.every(({ ok }) => ok === (count === 0)), text).toBe(true);
    }
  }
});

test('records whose definitions become the same text keep to their own', async () => {
  const record = (minimum: number | null, amount: number): string => JSON.stringify({
    tools: [{ type: 'function', function: { name: 'f', parameters: {
      type: 'object', properties: { a: { type: 'number', ...(minimum !== null && { minimum }) } },
    } } }],
    messages: [{ role: 'assistant', content: null, tool_calls: [
      { id: 'c', type: 'function', function: { name: 'f', arguments: JSON.stringify({ a: amount }) } },
    ] }, { role: 'tool', tool_call_id: 'c', content: 'ok' }],
  });
  const lines = [record(null, 1), record(5, 1), record(1, 1), record(5, 1), record(null, 1), record(5, 9)];
  const all = lines.join('\n');
  for (const text of [all, `[${lines.join(',')}]`, all.replaceAll('{"tools', '{"\\u0078":1,"tools')]) {
    const path = file('own-tools/same.jsonl', text);
    const found = jsonLines((await run(['check', '--format', 'ndjson', path])).out) as { record?: number }[];
    expect(found.slice(0, -1).map((one) => one.record)).toEqual([1, 3]);
  }
});

test('functions of older records', async () => {
  const fields = { name: 'f', parameters: { type: 'object', properties: { a: { type: 'integer' } } } };
  const called = (given: string): object =>
    ({ role: 'assistant', content: null, function_call: { name: 'f', arguments: given } });
  const record = (given: string): object =>
    ({ functions: [fields, { name: 'g' }], messages: [called(given), { role: 'function', name: 'f', content: 'r' }] });
  const shareGpt = { functions: [fields], conversations: [
    { from: 'function_call', value: '{"name":"f","arguments":{"a":"x"}}' }, { from: 'observation', value: 'r' },
  ] };
  const path = file('own/functions.jsonl', [record('{"a":1}'), record('{"a":"x"}'), shareGpt].map((one) => {
    return `${JSON.stringify(one)}\n`;
  }).join(''));
  const found = jsonLines((await run(['check', '--format', 'ndjson', path])).out).slice(0, -1);
  expect(found.map(({ record: number, rule }) => [number, rule]))
    .toEqual([[1, 'invalid-arguments'], [2, 'invalid-arguments']]);
  const { out, err } = await run(['convert', '--to', 'messages', path]);
  const tools = [fields, { name: 'g' }].map((one) => ({ type: 'function', function: one }));
  expect(jsonLines(out)[0]!['tools']).toEqual(tools);
  expect(err).not.toContain('lost: tools');
});

const AS_TEXTS = ['tools as a list of texts', 'parameters as a text', 'parameters of Anthropic as a text'];

test.each(AS_TEXTS)('%s', async (name) => {
  const parameters = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] };
  const fields = { name: 'f', description: 'F' };
  const tool = { type: 'function', function: { ...fields, parameters } };
  const tools = name.startsWith('tools') ? [JSON.stringify(tool)]
    : [name.includes('Anthropic') ? { ...fields, input_schema: JSON.stringify(parameters) }
      : { type: 'function', function: { ...fields, parameters: JSON.stringify(parameters) } }];
  const messagesOf = (given: string): object[] => [
    { role: 'user', content: 'q' },
    { role: 'assistant', content: null, tool_calls: [
      { id: 'c', type: 'function', function: { name: 'f', arguments: given } },
    ] },
    { role: 'tool', tool_call_id: 'c', content: 'r' },
  ];
  const records = ['{"a":1}', '{"a":"x"}'].map((given) => ({ tools, messages: messagesOf(given) }));
  const path = file(`own/${name}.jsonl`, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  const found = jsonLines((await run(['check', '--format', 'ndjson', path])).out).slice(0, -1);
  expect(found.map(({ record, rule }) => [record, rule])).toEqual([[1, 'invalid-arguments']]);
  const { out, err } = await run(['convert', '--to', 'messages', path]);
  expect([jsonLines(out)[0]!['tools'], err]).toEqual([[tool], '']);
});
