// Messages of chats that are texts of a record's fields have the places of these: the same by rows and by values.
import { describe, expect, test } from 'vitest';
import { file, jsonLines, run } from '../../cli/harness.ts';
import { randomOf, SEED } from '../../random.ts';

type Line = {
  content: string; body_from: number; body_to: number; from: number; to: number;
  rule?: string; pointer?: string; line?: number; column?: number;
};

/** A record by every way that there is. A member under an escaped name makes a record one that is read as a value. */
function waysOf(record: object): [way: string, text: string][] {
  const line = JSON.stringify(record);
  return [
    ['rows', `${line}\n`], ['values', `${line.replace('{', '{"\\u0078x":1,')}\n`], ['list', ` [${line}]`],
    ['lines', JSON.stringify(record, null, 2)], ['behind others', `{"messages":[]}\n${line}\n`],
  ];
}

const BAD_CALL = '<tool_call>\n{"name": f}\n</tool_call>';
const BAD_REPLY = '<tool_response>{</tool_response>';

/** Each with the fields that hold its messages, in order. */
const FORMS: [name: string, record: Record<string, unknown>, fields: readonly string[]][] = [
  ['prompt and completion', { prompt: 'Ön "a"\n?', completion: '\u{1f600} b\\' }, ['prompt', 'completion']],
  ['with a system text', { system: 'Be\tbrief.', completion: 'b', prompt: 'a' }, ['system', 'prompt', 'completion']],
  ['a name that is a member of the chat', { messages: 'x', prompt: 'a', completion: 'b' }, ['prompt', 'completion']],
  ['instruction', { instruction: 'Say "é".', input: '', output: 'é\n' }, ['instruction', 'output']],
  ['only an input', { instruction: '', output: 'é\n', input: 'x' }, ['input', 'output']],
  ['instruction and system', { instruction: 'a', output: 'b', system: '"s"' }, ['system', 'instruction', 'output']],
  ['preference', { rejected: '\u2028c', prompt: 'a', chosen: '\\b' }, ['prompt', 'chosen', 'prompt', 'rejected']],
  ['preference without a prompt', { chosen: 'b"', rejected: 'c' }, ['chosen', 'rejected']],
];

describe.each(FORMS)('%s', (name, record, fields) => {
  test.each(waysOf(record))('%s', async (way, text) => {
    const path = file(`field-texts/${name} ${way}.jsonl`, text);
    const bytes = Buffer.from(text, 'utf8');
    const { out } = await run(['messages', '--format', 'ndjson', path]);
    const lines = jsonLines(out) as unknown as Line[];
    expect(lines.map(({ body_from, body_to }) => bytes.toString('utf8', body_from, body_to)))
      .toEqual(fields.map((field) => JSON.stringify(record[field]).slice(1, -1)));
    // The whole message is the string with its quotes.
    expect(lines.map(({ from, to, body_from, body_to }) => [body_from - from, to - body_to]))
      .toEqual(fields.map(() => [1, 1]));
  });
});

test('an instruction with an input is put together: its place is the instruction', async () => {
  const record = { input: 'in "it"', instruction: 'a\n', output: 'b' };
  for (const [way, text] of waysOf(record)) {
    const path = file(`field-texts/joined ${way}.jsonl`, text);
    const lines = jsonLines((await run(['messages', '--format', 'ndjson', path])).out) as unknown as Line[];
    const [asked] = lines;
    expect(asked!.content).toBe('a\n\n\nin "it"');
    for (const [from, to] of [[asked!.from, asked!.to], [asked!.body_from, asked!.body_to]]) {
      expect(Buffer.from(text).toString('utf8', from, to), way).toBe('"a\\n"');
    }
  }
});

test('a text behind items has its place', async () => {
  const record = { input: [{ role: 'user', content: 'a' }], output: 'Ö\n"b"' };
  for (const [way, text] of waysOf(record)) {
    const path = file(`field-texts/items ${way}.jsonl`, text);
    const bytes = Buffer.from(text, 'utf8');
    const lines = jsonLines((await run(['messages', '--format', 'ndjson', path])).out) as unknown as Line[];
    expect(lines.map(({ content }) => content), way).toEqual(['a', 'Ö\n"b"']);
    for (const { content, body_from, body_to } of lines) {
      expect(bytes.toString('utf8', body_from, body_to), way).toBe(JSON.stringify(content).slice(1, -1));
    }
  }
});

test('turns of a dialogue have the places of their texts', async () => {
  const chosen = '\n\nHuman: Wie heißt "das"?\n\nAssistant:\u{1f600} x\n\nHuman: ';
  const record = { chosen, rejected: '\n\nHuman: a\n\nAssistant: b' };
  for (const [way, text] of waysOf(record)) {
    const path = file(`field-texts/dialogue ${way}.jsonl`, text);
    const lines = jsonLines((await run(['messages', '--format', 'ndjson', path])).out) as unknown as Line[];
    expect(lines.map(({ content }) => content)).toEqual(['Wie heißt "das"?', '\u{1f600} x', '', 'a', 'b']);
    for (const { content, body_from, body_to } of lines) {
      expect(Buffer.from(text).toString('utf8', body_from, body_to), way).toBe(JSON.stringify(content).slice(1, -1));
    }
  }
});

const FINDINGS: [name: string, record: object, told: readonly (readonly [pointer: string, at: string])[]][] = [
  ['a call in a completion', { prompt: 'a', completion: `Ö"\n${BAD_CALL}` }, [['/completion', '}\\n<']]],
  ['a call in an output', { instruction: 'a', input: 'b', output: `\t\n${BAD_CALL}` }, [['/output', '}\\n<']]],
  ['a reply in an instruction', { instruction: `\t${BAD_REPLY}`, output: 'x' },
    [['/instruction', '"\\t<tool_resp']]],
  ['a reply in an input beside it', { instruction: 'a', input: BAD_REPLY, output: 'x' },
    [['/instruction', '"a"']]],
  ['a call behind items', { input: [{ role: 'user', content: 'a' }], output: `"\n${BAD_CALL}` },
    [['/output', '}\\n<']]],
  ['calls in both sides', { prompt: 'a', chosen: BAD_CALL, rejected: `"\n${BAD_CALL}` },
    [['/chosen', '}\\n<'], ['/rejected', '}\\n<']]],
  ['a call in a dialogue', { chosen: `\n\nHuman: é\n\nAssistant: ${BAD_CALL}`, rejected: '\n\nHuman: b' },
    [['/chosen', '}\\n<']]],
];

describe.each(FINDINGS)('%s', (name, record, told) => {
  test.each(waysOf(record))('%s', async (way, text) => {
    const path = file(`field-texts/${name} ${way}.jsonl`, text);
    const bytes = Buffer.from(text, 'utf8');
    const all = jsonLines((await run(['check', '--format', 'ndjson', path])).out).slice(0, -1) as unknown as Line[];
    // A call that cannot be read waits for a reply, too.
    const found = all.filter(({ rule }) => rule !== 'open-call');
    expect(found.map(({ pointer }) => pointer)).toEqual(told.map(([pointer]) => pointer));
    for (const [i, { from, line, column }] of found.entries()) {
      expect(bytes.toString('utf8', from).startsWith(told[i]![1]), bytes.toString('utf8', from)).toBe(true);
      const before = bytes.toString('utf8', 0, from).split('\n');
      expect([line, column]).toEqual([before.length, before.at(-1)!.length + 1]);
    }
  });
});

test('what is refused in a text has its pointer', async () => {
  const path = file('field-texts/refused.jsonl', `${JSON.stringify({ prompt: 'a', completion: '\ud800' })}\n`);
  const [found] = jsonLines((await run(['check', '--format', 'ndjson', path])).out) as unknown as Line[];
  expect([found!.rule, found!.pointer]).toEqual(['refused-record', '/completion']);
});

test(`random texts (seed ${SEED})`, async () => {
  const random = randomOf(SEED);
  const text = (): string => Array.from({ length: random.below(9) }, () =>
    random.pick(['a', '"', '\\', '\n', 'é', '\u{1f600}', '</s>', '< |', '\u2028', '<<|', '\u0001', 'Human:']),
  ).join('');
  const records = Array.from({ length: 200 }, () => random.pick([
    () => ({ prompt: text(), completion: text() }), () => ({ instruction: text(), input: '', output: text() }),
    () => ({ prompt: text(), chosen: text(), rejected: text() }),
    () => ({ chosen: `\n\nHuman:${text()}\n\nAssistant:${text()}`, rejected: `\n\nHuman:${text()}` }),
  ])());
  const lines = records.map((record) => JSON.stringify(record));
  for (const [way, input] of [['lines', lines.join('\n')], ['list', `[${lines.join()}]`]] as const) {
    const bytes = Buffer.from(input, 'utf8');
    const { out } = await run(['messages', '--format', 'ndjson', file(`field-texts/random ${way}.jsonl`, input)]);
    for (const { content, body_from, body_to } of jsonLines(out) as unknown as Line[]) {
      expect(bytes.toString('utf8', body_from, body_to), way).toBe(JSON.stringify(content).slice(1, -1));
    }
  }
});

describe('a text beside what it is a copy of', () => {
  const said = { instruction: 'a', input: '', output: 'b' };
  const template = 'Below is an instruction.\n\n### Instruction:\na\n\n### Response:\nb';
  const token = '<|im_start|>user\nq<|im_end|>\n';
  test.each<[record: object, contents: string[], option?: string[]]>([
    [{ ...said, text: template }, ['a', 'b']],
    [{ text: template, ...said }, ['a', 'b']],
    [{ prompt: 'a', completion: 'b', text: `version: 2.2\n---\n${template}` }, ['a', 'b']],
    [{ ...said, text: '<s>[INST] a [/INST] b</s> a <| b <|eot_id|>' }, ['a', 'b']],
    [{ ...said, text: token }, ['q']],
    [{ prompt: 'a', completion: 'b', text: `x\u00e9${token}` }, ['q']],
    [{ instruction: 'a', output: ['b'], text: template }, []],
    [{ ...said, text: template }, [], ['--form', 'text']],
    [{ ...said, text: template }, [], ['--field', 'text']],
  ])('%j', async (record, contents, option = []) => {
    for (const [way, text] of waysOf(record)) {
      const path = file(`field-texts/copy ${way}.jsonl`, text);
      const { out } = await run(['messages', '--format', 'ndjson', ...option, path]);
      expect((jsonLines(out) as unknown as Line[]).map(({ content }) => content.trim()), way).toEqual(contents);
      const scanned = JSON.parse((await run(['scan', '--format', 'json', ...option, path])).out) as object;
      expect(JSON.stringify(scanned), way).toContain(`"messages":${contents.length}`);
      const { out: told } = await run(['check', '--format', 'ndjson', ...option, path]);
      const isRead = contents.length > 0 && contents[0] !== 'q';
      if (isRead) expect(jsonLines(told).slice(0, -1), way).toEqual([]);
    }
  });
});
