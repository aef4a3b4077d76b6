// The real dialogues as people keep such data: each form of record gives the counts that are known of them.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { fromOpenAI } from '../../src/formats/chat/read.ts';
import { convertTranscript } from '../../src/formats/convert.ts';
import { scanCorpus } from '../../src/node.ts';
import { isAll, testLong } from '../long.ts';
import { sharedData } from '../skip.ts';

const shared = sharedData('dialogues');
const folder = mkdtempSync(join(tmpdir(), 'openchatml-dialogues-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Call {
  readonly function: { readonly name: string; readonly arguments: string };
}
interface Entry {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly Call[];
}
interface ChatRecord {
  readonly id: string;
  readonly tools: readonly object[];
  readonly messages: readonly Entry[];
}

/** As Qwen writes: a thought before what is said, calls and replies in tags, definitions in the system's text. */
function qwenOf({ id, tools, messages }: ChatRecord) {
  const definitions = tools.map((tool) => JSON.stringify(tool)).join('\n');
  const system = { role: 'system', content: `You may call functions.\n\n<tools>\n${definitions}\n</tools>` };
  return { id, messages: [system, ...messages.map(saidByQwen)] };
}

function saidByQwen({ role, content, tool_calls = [] }: Entry): { role: string; content: string | null } {
  if (role === 'tool') return { role, content: `<tool_response>\n${content}\n</tool_response>` };
  if (role !== 'assistant') return { role, content };
  const calls = tool_calls.map(({ function: { name, arguments: text } }) => {
    return `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${text}}\n</tool_call>`;
  });
  const said = [...(content === null ? [] : [content]), ...calls].join('\n');
  return { role, content: `<think>\nHm.\n</think>\n\n${said}` };
}

/** The same as text of Qwen's template, whose transcripts an end of sequence keeps apart. */
const qwenText = (record: ChatRecord): string =>
  `${qwenOf(record).messages.map(({ role, content }) => `<|im_start|>${role}\n${content}<|im_end|>\n`).join('')}</s>\n`;

const converted = (form: 'anthropic' | 'responses' | 'sharegpt') => (record: ChatRecord): object =>
  convertTranscript(fromOpenAI(record).data, form).record!;

/** `heads`: who speaks first; Qwen's definitions become a message beside that of the system. */
const FORMS: { name: string; heads: readonly string[]; write(record: ChatRecord): object }[] = [
  { name: 'chat', heads: ['developer'], write: (record) => record },
  { name: 'qwen', heads: ['system', 'developer'], write: qwenOf },
  { name: 'anthropic', heads: ['developer'], write: converted('anthropic') },
  { name: 'responses', heads: ['developer'], write: converted('responses') },
  { name: 'sharegpt', heads: ['developer'], write: converted('sharegpt') },
];

function countsOf(records: readonly ChatRecord[]): { user: number; tool: number; calls: number } {
  const entries = records.flatMap(({ messages }) => messages);
  const ofRole = (wanted: string): number => entries.filter(({ role }) => role === wanted).length;
  const calls = entries.flatMap(({ tool_calls = [] }) => tool_calls).length;
  return { user: ofRole('user'), tool: ofRole('tool'), calls };
}

describe.skipIf(shared === null)('the dialogues as records', () => {
  const records = shared
    ? gunzipSync(readFileSync(join(shared, 'messages.jsonl.gz'))).toString().split('\n')
      .filter((line, i) => line !== '' && (isAll || i % 20 === 0)).map((line) => JSON.parse(line) as ChatRecord)
    : [];

  testLong('are what is known of them', () => {
    const known = JSON.parse(readFileSync(join(shared!, 'expected.json'), 'utf8')) as Record<string, number>;
    expect({ transcripts: records.length, ...countsOf(records) }).toEqual({
      transcripts: known['transcripts'], user: known['user'], tool: known['tool'], calls: known['calls'],
    });
  });

  const LAYOUTS = [
    { layout: 'lines', write: (values: object[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('') },
    { layout: 'a list', write: (values: object[]) => JSON.stringify(values, null, 1) },
    {
      layout: 'many lines each',
      write: (values: object[]) => values.map((value) => JSON.stringify(value, null, 2)).join('\n'),
    },
  ];
  /** Layouts are the same for all records: a fifth of them is enough. */
  const of = (layout: string): readonly ChatRecord[] =>
    layout === 'lines' ? records : records.filter((_, i) => i % 5 === 0);
  const CASES = FORMS.flatMap((form) => LAYOUTS.map((layout) => ({ ...form, ...layout, record: form.write })));

  test.each(CASES)('as $name, $layout', async ({ name, layout, heads, record, write }) => {
    const path = join(folder, `${name}-${layout.replaceAll(' ', '-')}.json`);
    const some = of(layout);
    const { user, tool, calls } = countsOf(some);
    writeFileSync(path, write(some.map(record)));
    const counts = await scanCorpus([path], { threads: 1 });
    rmSync(path);
    expect(counts).toMatchObject({ transcripts: some.length, calls, findings: {} });
    const { assistant, ...others } = counts.roles;
    expect(others).toEqual({ ...Object.fromEntries(heads.map((role) => [role, some.length])), user, tool });
    expect(assistant).toBeGreaterThan(user);
  });

  test('as text of Qwen', async () => {
    const path = join(folder, 'qwen.txt');
    const { user, tool, calls } = countsOf(records);
    writeFileSync(path, records.map(qwenText).join(''));
    const counts = await scanCorpus([path], { threads: 1 });
    expect(counts).toMatchObject({
      dialects: { 'openchatml-0.1': records.length }, transcripts: records.length, calls, findings: {},
    });
    const { assistant, ...others } = counts.roles;
    expect(others).toEqual({ system: records.length, user, tool });
    expect(assistant).toBeGreaterThan(user);
    rmSync(path);
  });

  test('as a file each', async () => {
    const few = records.slice(0, 50);
    const paths = few.map((record, i) => {
      const path = join(folder, `${i}.json`);
      writeFileSync(path, JSON.stringify(record, null, 2));
      return path;
    });
    const counts = await scanCorpus(paths);
    expect([counts.files, counts.transcripts]).toEqual([few.length, few.length]);
    expect(counts.calls).toBe(countsOf(few).calls);
  });
});
