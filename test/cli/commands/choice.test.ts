// Looking at a part of a corpus: --limit, --sample, --grep, and names that no message has.
import { expect, test } from 'vitest';
import { part, testLong } from '../../long.ts';
import { CLEAN, file, jsonLines, run } from '../harness.ts';

const transcript = (i: number): string =>
  `version: 2.2\n---\n<|start|>user<|message|>Question ${i}<|end|><|start|>robot<|message|>x<|end|>\n`;
const text = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => transcript(from + i)).join('');
const record = (i: number): object =>
  ({ messages: [{ role: 'user', content: `Question ${i}` }, { role: 'tool', tool_call_id: 'a', content: '' }] });
const records = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => `${JSON.stringify(record(from + i))}\n`).join('');

const list = `[${records(0, 3).trim().split('\n').join(',')}]`;
const INPUTS: [string, string[]][] = [
  ['text', [file('choice/a.txt', text(0, 3)), file('choice/b.txt', text(3, 6_000))]],
  ['records', [file('choice/a.jsonl', records(0, 3)), file('choice/b.jsonl', records(3, 6_000))]],
  ['a list', [file('choice/a.json', list), file('choice/c.jsonl', records(3, 300))]],
];

test.each(part(INPUTS))('messages, %s', async (_, paths) => {
  const lines = async (...options: string[]): Promise<string[]> =>
    (await run(['messages', ...options, ...paths])).out.split('\n').slice(0, -1);
  const all = await lines();
  for (const threads of ['1', '2']) {
    for (const limit of [1, 4, 7, 200, 100_000]) {
      expect(await lines('--limit', String(limit), '--threads', threads)).toEqual(all.slice(0, limit));
    }
    const sample = await lines('--sample', '30', '--threads', threads);
    expect(sample).toHaveLength(30);
    expect(sample).toEqual(all.filter((line) => sample.includes(line)));
    expect(sample).toEqual(await lines('--sample', '30', '--seed', '0'));
  }
});

test.each(part(INPUTS))('check, %s', async (_, paths) => {
  const found = async (...more: string[]): Promise<object[]> => {
    const { out } = await run(['check', '--format', 'ndjson', ...more, ...paths]);
    return jsonLines(out).filter((line) => !('summary' in line));
  };
  const all = (await found()) as { path: string; transcript: number }[];
  for (const limit of [1, 3, 5, 250]) {
    const left = (path: string): number => (path === paths[0] ? limit : limit - 3);
    const wanted = all.filter(({ path, transcript: number }) => number < left(path));
    for (const threads of ['1', '2']) {
      expect(await found('--limit', String(limit), '--threads', threads)).toEqual(wanted);
    }
  }
  const nameOf = ({ path, transcript: number }: { path: string; transcript: number }): string => `${path} ${number}`;
  const names = new Set(all.map(nameOf));
  for (const threads of ['1', '2']) {
    const sample = (await found('--sample', '30', '--threads', threads)) as typeof all;
    // Every transcript has a finding.
    const chosen = new Set(sample.map(nameOf));
    expect(chosen.size).toBe(30);
    expect(sample).toEqual(all.filter((one) => chosen.has(nameOf(one))));
    expect(sample).toEqual(await found('--sample', '30', '--seed', '0'));
    expect(sample).not.toEqual(await found('--sample', '30', '--seed', '1'));
    expect(await found('--sample', String(names.size), '--threads', threads)).toEqual(all);
  }
});

test('check: what holds no transcript is not in a sample; a pipe is read once', async () => {
  const path = file('choice/bad.jsonl', `x\n${records(0, 1)}{}\n`);
  const { out, err: told } = await run(['check', '--format', 'ndjson', '--sample', '3', path]);
  expect(told).toContain(`${path}: 2 records cannot be read, and are in no sample`);
  const rules = new Set(jsonLines(out).map((line) => line.rule));
  expect(rules.has('unmatched-reply')).toBe(true);
  expect(rules.has('bad-record') || rules.has('unknown-record')).toBe(false);
  const { code, err } = await run(['check', '--sample', '3', '-'], { stdin: 'x' });
  expect([code, err]).toEqual([2, expect.stringContaining('--sample reads the inputs twice')]);
});

testLong.each(INPUTS.slice(1))('convert, %s', async (_, paths) => {
  for (const to of ['sharegpt', 'openchatml-2.2']) {
    const command = ['convert', '--to', to, '--format', 'ndjson', ...paths];
    const all = (await run(command)).out.split('\n').slice(0, -1);
    for (const limit of [1, 3, 5, 250]) {
      for (const threads of ['1', '2']) {
        const { out } = await run([...command, '--limit', String(limit), '--threads', threads]);
        expect(out.split('\n').slice(0, -1)).toEqual(all.slice(0, limit));
      }
    }
    for (const threads of ['1', '2']) {
      const choose = async (size: number): Promise<string[]> =>
        (await run([...command, '--sample', String(size), '--threads', threads])).out.split('\n').slice(0, -1);
      const sample = await choose(30);
      expect(sample).toHaveLength(30);
      expect(sample).toEqual(all.filter((line) => sample.includes(line)));
      expect(await choose(all.length)).toEqual(all);
    }
  }
  const { out } = await run(['convert', '--to', 'openchatml-2.2', '--limit', '4', ...paths]);
  const messages = jsonLines((await run(['messages', '-'], { stdin: out })).out);
  expect(messages.map(({ transcript: number }) => number)).toEqual([0, 0, 1, 1, 2, 2, 3, 3]);
});

test('what contradicts itself is refused', async () => {
  for (const options of [['--limit', '1', '--sample', '1'], ['--seed', '1'], ['--limit', '0'], ['--limit', 'x']]) {
    for (const command of [['messages'], ['check'], ['convert', '--to', 'harmony']]) {
      expect((await run([...command, ...options, INPUTS[0]![1][0]!])).code).toBe(2);
    }
  }
  const output = file('choice/out.parquet', '');
  const [path] = INPUTS[0]![1];
  expect((await run(['messages', '--limit', '1', '--format', 'parquet', '-o', output, path!])).code).toBe(2);
});

test('grep: a fixed text in contents, escapes undone', async () => {
  const contents = ['a.b', 'AXB', 'say "Stra\u00dfe"\n', 'a<|end|>b', '<|literal|>', ''];
  const chat = { messages: contents.map((content) => ({ role: 'user', content })) };
  const lines = file('choice/grep.jsonl', `${JSON.stringify(chat).replaceAll('\u00df', '\\u00df')}\n`);
  const raw = file('choice/grep.txt', (await run(['convert', '--to', 'openchatml-2.2', lines])).out);
  for (const path of [lines, raw]) {
    const held = async (...options: string[]): Promise<unknown[]> =>
      jsonLines((await run(['messages', '--grep', ...options, path])).out).map(({ content }) => content);
    expect(await held('a.b')).toEqual(['a.b']);
    expect(await held('xb')).toEqual([]);
    expect(await held('xb', '--ignore-case')).toEqual(['AXB']);
    expect(await held('Stra\u00dfe"')).toEqual([contents[2]]);
    expect(await held('a<|end|>')).toEqual([contents[3]]);
    expect(await held('<|LITERAL|>', '--ignore-case')).toEqual([contents[4]]);
    expect(await held('')).toEqual(contents);
    expect(await held('user')).toEqual([]);
  }
});

test('a role or channel that no message has is answered with those that there are', async () => {
  const [path] = INPUTS[0]![1];
  const { code, out, err } = await run(['messages', '--only-role', 'assitant', path!]);
  expect([code, out, err]).toEqual([0, '', 'no message has the role assitant; there are user, robot\n']);
  expect((await run(['messages', '--only-channel', 'x\u001b', path!])).err)
    .toBe('no message has the channel x\\x1b; there are final\n');
  for (const options of [['--only-role', 'user'], ['--only-role', 'x', '--quiet'], ['--only-role', 'x', '-']]) {
    expect((await run(['messages', ...options, path!], { stdin: CLEAN })).err).toBe('');
  }
});
