// `check --tools FILE`: calls looked at by definitions that stand in a file.
import { expect, test } from 'vitest';
import { at, file, jsonLines, run } from '../harness.ts';

const call = (name: string, body: string): string =>
  `version: 2.2\n<|start|>assistant to=functions.${name} call_id=c<|channel|>commentary<|constrain|>json`
    + `<|message|>${body}<|call|>\n`;
const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const OPENAI = [{ type: 'function', function: { name: 'weather', parameters: PARAMETERS, strict: true } }];

async function rulesOf(tools: string[], text: string): Promise<unknown[]> {
  const { out, err } =
    await run(['check', '--format', 'ndjson', ...tools.flatMap((path) => ['--tools', path]), '-'], { stdin: text });
  expect(err).toBe('');
  return jsonLines(out).filter(({ rule }) => rule !== undefined && rule !== 'open-call').map(({ rule, message }) => {
    return `${rule}: ${String(message).split(': ').slice(1).join(': ')}`;
  });
}

const FORMS: [string, string][] = [
  ['a list', JSON.stringify(OPENAI)],
  ['an object with a list', JSON.stringify({ tools: OPENAI })],
  ['one definition', JSON.stringify(OPENAI[0])],
  [
    'declarations',
    '\ufeff## functions\n\nnamespace functions {\n\ntype weather = (_: {\ncity: string,\n}) => any;\n\n'
      + '} // namespace functions\n',
  ],
];

test.each(FORMS)('%s', async (name, text) => {
  const path = file(`tools/${name}`, text);
  expect(await rulesOf([path], call('weather', '{"city":"Bern"}'))).toEqual([]);
  expect(await rulesOf([path], call('weather', '{"city":1}')))
    .toEqual(['invalid-arguments: weather: /city must be a string']);
  expect(await rulesOf([path], call('other', '{}'))).toEqual(['unknown-tool: other']);
});

test('without definitions nothing is known of a tool', async () => {
  expect(await rulesOf([], call('weather', '{"city":1}'))).toEqual([]);
});

test('several files', async () => {
  const other = file('tools/other', JSON.stringify([{ type: 'function', function: { name: 'other' } }]));
  const first = file('tools/first', JSON.stringify(OPENAI));
  expect(await rulesOf([first, other], call('other', '{}'))).toEqual([]);
});

test.each<[string, string, string]>([
  ['no JSON', '[{"a": SECRET', 'is no JSON'],
  ['no tools', '[]', 'defines no tool'],
  ['no definition', '[{"a": 1}]', 'holds a definition that cannot be read (syntax, at tool 0)'],
  ['prose', 'nothing', 'defines no tool'],
])('a file with %s: 2, and nothing of it is told', async (name, text, words) => {
  const { code, out, err } =
    await run(['check', '--tools', file(`bad/${name}`, text), '-'], { stdin: call('f', '{}') });
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(words);
  expect(err).not.toContain('SECRET');
});

test('a file that is not there: 2', async () => {
  const { code, err } = await run(['check', '--tools', at('none.json'), '-'], { stdin: call('f', '{}') });
  expect(code).toBe(2);
  expect(err).toContain('none.json: cannot be read: no such file or directory (ENOENT)');
});
