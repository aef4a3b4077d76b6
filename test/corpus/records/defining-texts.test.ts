// Definitions in the text of a system or developer message, beside a record's own: found however the text is spelled,
// with codes for any of its characters, and in parts. Records are read as rows, and as values.
import { expect, test } from 'vitest';
import { file, jsonLines, run } from '../../cli/harness.ts';

const TOOL = { type: 'function', function: { name: 'f', description: 'F', parameters: { type: 'object' } } };
const SECTION = '# Tools\n\n## functions\n\nnamespace functions {\n\ntype g = () => any;\n\n} // namespace functions';
const LIST = '[{"type":"function","function":{"name":"g"}}]';

/** A record that calls `g`, which a text defines if it is read as definitions. `content`: JSON. */
const record = (role: string, content: string): string => `{"messages":[{"role":"${role}","content":${content}},`
  + '{"role":"user","content":"q"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function",'
  + '"function":{"name":"g","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"r"}],'
  + `"tools":${JSON.stringify([TOOL])}}`;

const codeOf = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
const string = (text: string): string => JSON.stringify(text);
/** The text as JSON, with a code for one of its characters. */
const coded = (text: string, at: number): string =>
  `"${string(text.slice(0, at)).slice(1, -1)}${codeOf(text[at]!)}${string(text.slice(at + 1)).slice(1, -1)}"`;
const part = (text: string, more = ''): string => `{"type":"text","text":${string(text)}${more}}`;

const keyword = SECTION.indexOf('namespace');
const places = Array.from({ length: 10 }, (_, i) => keyword + i);
type Case = [what: string, role: string, content: string];
const DEFINING: Case[] = [
  ['as it is', 'system', string(SECTION)],
  ...places.map((at): Case => [`a code for ${string(SECTION[at]!)}`, 'system', coded(SECTION, at)]),
  ['a part', 'system', `[${part(SECTION)}]`],
  ['a part that is kept', 'system', `[${part(SECTION, ',"cache_control":{"type":"ephemeral"}')}]`],
  ['a part with a code', 'system', `[{"type":"text","text":${coded(SECTION, keyword + 3)}}]`],
  ...places.map((at): Case => [
    `parts that break at ${string(SECTION[at]!)}`, 'system',
    `[${part(SECTION.slice(0, at))},${part(SECTION.slice(at))}]`,
  ]),
  ['as it is', 'developer', string(SECTION)],
  ['a code for the brace', 'developer', coded(SECTION, SECTION.indexOf('{'))],
  ['a part', 'developer', `[${part(SECTION)}]`],
];
const OTHERS: Case[] = [
  ['codes of another language', 'system', '"\\u00c9t\\u00e9 \\u4e2d \\ud83d\\ude00"'],
  ['codes of signs', 'system', '"\\u003cb\\u003e Tom \\u0026 \\u0027"'],
  ['codes of letters', 'system', '"\\u0061bc"'],
  ['codes in a developer\'s', 'developer', '"\\u00c9t\\u00e9"'],
  ['a part', 'system', `[${part('Answer.')}]`],
  ['a part with a code', 'system', '[{"type":"text","text":"\\u00c9t\\u00e9"}]'],
  ['two parts', 'system', `[${part('Answer.')},${part('Be brief.')}]`],
  ['no parts', 'system', '[]'],
  ['another word', 'system', string('name spaces')],
];

/** What is told of a record, by its rules, as rows and as a value. */
async function told(line: string): Promise<string[][]> {
  // A member under an escaped name makes a record one that is read as a value.
  const ways = [line, line.replace('{', '{"\\u0078x":1,')];
  return await Promise.all(ways.map(async (text, i) => {
    const { out } = await run(['check', '--format', 'ndjson', file(`defining/${i}.jsonl`, `${text}\n`)]);
    return jsonLines(out).slice(0, -1).map(({ rule }) => String(rule));
  }));
}

test.each(DEFINING)('%s, of a %s', async (_, role, content) => {
  expect(await told(record(role, content))).toEqual([[], []]);
});

test.each(OTHERS)('%s, of a %s: nothing is defined', async (_, role, content) => {
  expect(await told(record(role, content))).toEqual([['unknown-tool'], ['unknown-tool']]);
});

test('a list that a text opens with counts as the tools of a record', async () => {
  const bare = record('developer', string(LIST)).replace(/,"tools":.*$/, '}');
  const at = LIST.indexOf('name');
  const spellings = [
    bare, bare.replace(string(LIST), coded(LIST, at)), bare.replace(string(LIST), coded(LIST, at + 4)),
    bare.replace(string(LIST), `[${part(LIST)}]`), bare.replace(string(LIST), string(LIST.replace('me', '\\u006de'))),
  ];
  for (const text of spellings) {
    const path = file('defining/list.jsonl', `${text}\n${text.replace('{', '{"\\u0078x":1,')}\n`);
    const { out } = await run(['convert', '--to', 'messages', path]);
    const lines = jsonLines(out);
    expect(lines.map(({ tools }) => (tools as object[]).length), text).toEqual([1, 1]);
    expect({ ...lines[0], id: null }).toEqual({ ...lines[1], id: null });
  }
});
