// Lists of messages that are JSON in a text are read as lists are, also where --field names them or points to them:
// every command tells the same, and places lead through both spellings.
import { describe, expect, test } from 'vitest';
import { listInText } from '../../../src/corpus/records/opened.ts';
import { at, file, jsonLines, run } from '../../cli/harness.ts';
import { runs } from '../../long.ts';
import { type Random, randomOf, SEED } from '../../random.ts';
import { write } from '../tables/parquet-here.ts';
import { randomRecord, randomText } from './random-chat.ts';

type Line = Record<string, unknown>;

/** How a record holds the JSON of its messages, as it is or within a string. */
const HOLDERS: [name: string, argv: string[], hold: (messages: string, tools: string, id: number) => string][] = [
  ['messages', [], (messages, tools, id) => `{"id":${id},"messages":${messages},"tools":${tools}}`],
  ['--field dialogue', ['--field', 'dialogue'], (messages, tools, id) => {
    return `{"id":${id},"tools":${tools},"dialogue":${messages}}`;
  }],
  ['--field /request/0/a~1b', ['--field', '/request/0/a~1b'], (messages, tools, id) => {
    return `{"id":${id},"request":[{"a/b":${messages},"tools":${tools}}]}`;
  }],
];

/** Messages and tools of a random record, as JSON that is spelled in any way. */
function randomParts(random: Random): { messages: string; tools: string } {
  while (true) {
    const record = randomRecord(random) as { messages?: unknown; tools?: unknown } | null;
    const messages = record?.messages;
    // A named text is a transcript where its items are no messages.
    const isSaid = (one: unknown): boolean => typeof (one as Line | null)?.['role'] === 'string';
    if (!Array.isArray(messages) || !messages.every(isSaid)) continue;
    const tools = randomText(random, record!.tools ?? []);
    // As files have it: half a character cannot be written.
    return { messages: Buffer.from(randomText(random, messages)).toString(), tools: Buffer.from(tools).toString() };
  }
}

/** A string, some of its characters as codes. */
const stringOf = (text: string, random: Random): string =>
  JSON.stringify(text).replace(/\\.|[<\w\u0080-\ud7ff]/g, (unit) => unit.length === 1 && random.once(20)
    ? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}` : unit);

const unescaped = (raw: string): string => {
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch {
    return `not within a string: ${raw}`;
  }
};

test.each(HOLDERS)(`%s: random records (OPENCHATML_SEED=${SEED})`, async (name, argv, hold) => {
  const random = randomOf(SEED);
  const lines: string[] = [];
  const texts: string[] = [];
  for (let id = 0; id < runs(1500); id++) {
    const { messages, tools } = randomParts(random);
    lines.push(`${hold(messages, tools, id)}\n`);
    texts.push(`${hold(stringOf(messages, random), tools, id)}\n`);
  }
  const spelled = (path: string, all: readonly string[]): Spelled =>
    ({ bytes: Buffer.from(all.join('')), path: file(path, all.join('')), lines: all });
  const [list, text] = [spelled('opened/list.jsonl', lines), spelled('opened/text.jsonl', texts)];
  const toldOf = async (command: string[], { path }: Spelled): Promise<Line[]> =>
    jsonLines((await run([...command, ...argv, path])).out.replaceAll(path, 'FILE'));

  for (const command of [['check', '--format', 'ndjson'], ['audit', '--format', 'ndjson'], ['messages'],
    ['filter', '--emit', 'verdict'], ['convert', '--to', 'messages'], ['convert', '--to', 'interchange-2.2'],
    ['scan', '--format', 'json']]) {
    const [ofLists, ofTexts] = [await toldOf(command, list), await toldOf(command, text)];
    expect(ofTexts.map(withoutPlace), `${name}: ${command.join(' ')}`).toEqual(ofLists.map(withoutPlace));
    // Verdicts have places in their lines.
    if (command[0] === 'filter') continue;
    ofTexts.forEach((one, i) => expectSamePlace(one, ofLists[i]!, text, list));
  }

  // A copy without tokens holds the JSON of the copy without tokens.
  const [fixed, fixedText] = await Promise.all([list, text].map(async ({ path }) => {
    await run(['audit', '--fix', ...argv, '--output', at('opened/copy.jsonl'), path]);
    return (await run(['convert', '--to', 'messages', ...argv, at('opened/copy.jsonl')])).out;
  }).reduce<Promise<string>[]>((all, one) => [...all, one], []));
  expect(fixedText).toBe(fixed);
});

interface Spelled {
  readonly bytes: Buffer;
  readonly path: string;
  readonly lines: readonly string[];
}

const PLACES = ['from', 'to', 'line', 'column', 'body_from', 'body_to', 'bytes'];

const withoutPlace = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutPlace);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => {
    return [key, PLACES.includes(key) ? 0 : withoutPlace(one)];
  }));
};

/** What stands there is the same, when it is unescaped in the text. */
function expectSamePlace(one: Line, other: Line, text: Spelled, list: Spelled): void {
  for (const [from, to] of [['from', 'to'], ['body_from', 'body_to']] as const) {
    if (typeof one[from] !== 'number' || typeof one[to] !== 'number') continue;
    const found = text.bytes.toString('utf8', one[from], one[to]);
    const wanted = list.bytes.toString('utf8', other[from] as number, other[to] as number);
    const isWhole = text.lines.includes(`${found}\n`) && list.lines.includes(`${wanted}\n`);
    if (found === wanted || isWhole || unescaped(found) === wanted) continue;
    expect(unescaped(found).slice(0, 200), JSON.stringify({ one, other }).slice(0, 900)).toBe(wanted);
  }
}

describe('what is no list in a text', () => {
  test.each([
    { messages: 'x' }, { messages: '[' }, { messages: '[1]' }, { messages: '{"role":"user"}' }, { messages: null },
    { messages: "[{'role': 'user', 'content': 'a'}]" }, { messages: `[${'{},'.repeat(4_000_000)}{}]` },
  ])('%.40j', (record) => {
    expect(listInText(record)).toBe(null);
  });

  test('a text that is asked for is a transcript, unless each item says who speaks', () => {
    expect(listInText({ log: '[{"a":1}]' }, { field: 'log' })).toBe(null);
    expect(listInText({ log: '[]' }, { field: 'log' })?.value).toEqual({ log: [] });
    expect(listInText({ log: [{ to: ' [ {"from":"human"}]' }] }, { field: '/log/0/to' })?.value)
      .toEqual({ log: [{ to: [{ from: 'human' }] }] });
    for (const field of ['/log/1/to', '/log/00/to', '/log/length', '/none/x', '/']) {
      expect(listInText({ log: [{ to: '[]' }] }, { field })).toBe(null);
    }
  });
});

test('what is read beside such a text is read as ever', async () => {
  const messages = JSON.stringify([{ role: 'user', content: 'a' }, { role: 'assistant', content: 'b' }]);
  const records = [
    { messages, conversations: [{ from: 'human', value: 'c' }] }, { messages, instruction: 'd', output: 'e' },
    { messages, body: { messages: [{ role: 'user', content: 'f' }] } }, { body: { messages } },
  ];
  const path = file('opened/beside.jsonl', records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  const { out } = await run(['messages', path]);
  expect(jsonLines(out).map(({ content }) => content)).toEqual(['c', 'd', 'e', 'a', 'b', 'a', 'b']);
});

test('records that are not read are told what would be', async () => {
  const messages = [{ role: 'user', content: 'a' }];
  const path = file('opened/told.jsonl', [
    { messages: "[{'role': 'user'}]" }, { inputs: { messages } }, { inputs: { messages: 1, a: messages } },
  ].map((record) => `${JSON.stringify(record)}\n`).join(''));
  const { err } = await run(['convert', '--to', 'messages', path]);
  expect(err.replaceAll(path, 'FILE').split('\n').slice(0, 3)).toEqual([
    'refused: FILE:1: record: its messages is text that is not read as a JSON list of messages; '
    + 'give a list of messages, or valid JSON of at most 17 MiB',
    'refused: FILE:2: record: its messages are in /inputs/messages, which is read when --field points to it; '
    + 'use --field /inputs/messages',
    'refused: FILE:3: record: its messages are in /inputs/a, which is read when --field points to it; '
    + 'use --field /inputs/a',
  ]);
  const dotted = (await run(['check', '--format', 'concise', '--field', 'inputs.messages', path])).out.split('\n');
  const told = 'it has no field of the name that was asked for; /inputs/messages is a JSON pointer to one';
  expect(dotted.map((line) => line.endsWith(told)).slice(0, 3)).toEqual([false, true, true]);
});

test('cells of a column of texts are read as lists, with places in the row', async () => {
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{' } };
  const asked = { role: 'user', content: 'é "a" <|end|>' };
  const messages = [asked, { role: 'assistant', content: null, tool_calls: [call] }];
  const rows = [messages, []].map((one) => JSON.stringify(one));
  const path = write('opened', [{ name: 'messages', data: rows, type: 'STRING' }]);
  const found = jsonLines((await run(['check', '--format', 'ndjson', path])).out);
  expect(found.slice(0, -1).map(({ rule, pointer }) => [rule, pointer])).toEqual([
    ['invalid-json', '/messages/1/tool_calls/0/function/arguments'], ['open-call', '/messages/1/tool_calls/0'],
  ]);
  const [audited] = jsonLines((await run(['audit', '--format', 'ndjson', path])).out);
  const row = JSON.stringify({ messages: rows[0] });
  expect(Buffer.from(row).toString('utf8', audited!['from'] as number, audited!['to'] as number)).toBe('<|end|>');
  const [first] = jsonLines((await run(['messages', path])).out);
  const { body_from: from, body_to: to, content } = first as { body_from: number; body_to: number; content: string };
  expect(unescaped(unescaped(Buffer.from(row).toString('utf8', from, to)))).toBe(content);
});

test('in an object of a row positions are bytes of the row', async () => {
  const messages = [{ role: 'user', content: 'é "a" <|end|>' }, { role: 'tool', content: 'b' }];
  for (const list of [messages, JSON.stringify(messages)]) {
    const inputs = { x: 'é', messages: list };
    const path = write('opened', [{ name: 'inputs', data: [inputs], type: 'JSON' }]);
    const row = Buffer.from(JSON.stringify({ inputs }));
    const argv = ['--field', '/inputs/messages', path];
    const [first] = jsonLines((await run(['messages', ...argv])).out);
    const raw = row.toString('utf8', first!['body_from'] as number, first!['body_to'] as number);
    expect(list === messages ? unescaped(raw) : unescaped(unescaped(raw))).toBe(messages[0]!.content);
    const [found] = jsonLines((await run(['check', '--format', 'ndjson', ...argv])).out);
    expect(found!['pointer']).toBe('/inputs/messages/1');
    const rest = row.toString('utf8', found!['from'] as number).replaceAll('\\', '');
    expect(rest.startsWith('{"role":"tool"'), rest.slice(0, 40)).toBe(true);
    const [audited] = jsonLines((await run(['audit', '--format', 'ndjson', ...argv])).out);
    expect(row.toString('utf8', audited!['from'] as number, audited!['to'] as number)).toBe('<|end|>');
  }
});

test.each(['1', '2'])('lines, a list and one record, on %s threads', async (threads) => {
  const record = { messages: JSON.stringify([{ role: 'user', content: '"a"' }, { role: 'tool', content: 'b' }]) };
  const found: Line[][] = [];
  for (const text of [
    `${JSON.stringify(record)}\n`, `[${JSON.stringify(record)}]`, JSON.stringify(record, null, 2),
    `{"messages":[]}\n${JSON.stringify(record)}\n`,
  ]) {
    const path = file('opened/layout.json', text);
    const told = jsonLines((await run(['check', '--format', 'ndjson', '--threads', threads, path])).out);
    found.push(told.slice(0, -1).map(({ rule, pointer, from, to }) => {
      return { rule, pointer, text: unescaped(Buffer.from(text).toString('utf8', from as number, to as number)) };
    }));
  }
  const told = { pointer: '/messages/1', text: '{"role":"tool","content":"' };
  expect(found).toEqual(found.map(() => ['missing-call-id', 'unmatched-reply'].map((rule) => ({ rule, ...told }))));
});
