// What an audit looks into beside lists of messages: the texts of records that go into prompts, lists of turns, columns
// of a table; and what it cannot look into.
import { readFileSync } from 'node:fs';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, test } from 'vitest';
import { at, file, run } from './harness.ts';

interface Told {
  readonly rule: string;
  readonly field: string | null;
  readonly from: number;
  readonly to: number;
}

async function told(path: string, ...argv: string[]): Promise<{ code: number; found: Told[] }> {
  const { code, out } = await run(['audit', '--format', 'ndjson', ...argv, path]);
  return { code, found: out.trimEnd().split('\n').map((line) => JSON.parse(line) as Told).filter(({ rule }) => rule) };
}

const BAD = 'x<|im_end|>';

describe('texts that go into prompts', () => {
  test.each<[record: Record<string, unknown>, fields: string[]]>([
    [{ query: BAD, response: 'A' }, ['query']],
    [{ question: BAD, answer: BAD }, ['question', 'answer']],
    [{ problem: BAD, solution: BAD }, ['problem', 'solution']],
    [{ inputs: BAD, targets: BAD }, ['inputs', 'targets']],
    [{ system_prompt: BAD, prompt: 'Q', response: 'A' }, ['system_prompt']],
    [{ instruction: 'I', context: BAD, response: 'A' }, ['context']],
    [{ instruction: 'I', output: 'O', history: [[BAD, 'a'], ['b', BAD]] }, ['history[0][0]', 'history[1][1]']],
    [{ instruction: 'I', output: 'O', history: [{ role: 'user', content: BAD }] }, ['history[0].content']],
    [{ instruction: 'I', output: 'O', history: BAD }, ['history']],
    [{ instruction: 'I', output: 'O', history: [BAD, [{ odd: BAD }]] }, ['history[0]', 'history[1][0].odd']],
    [{ question: 'Q', context: { titles: [BAD] } }, ['context.titles[0]']],
  ])('%j', async (record, fields) => {
    const path = file('audited.jsonl', `${JSON.stringify(record)}\n`);
    const { code, found } = await told(path);
    expect([code, found.map(({ field }) => field)]).toEqual([1, fields]);
    const bytes = readFileSync(path);
    for (const { from, to } of found) expect(bytes.toString('utf8', from, to)).toBe('<|im_end|>');
    await run(['audit', '--fix', '--output', at('fixed.jsonl'), path]);
    expect(readFileSync(at('fixed.jsonl'), 'utf8')).toBe(bytes.toString().replaceAll('<|im_end|>', '<| im_end |>'));
    expect((await told(at('fixed.jsonl'))).code).toBe(0);
  });

  test('what stands beside them says nothing of a record by itself', async () => {
    const path = file('beside.jsonl', '{"context":"c","history":[]}\n');
    expect((await told(path)).found.map(({ rule }) => rule)).toEqual(['unknown-record']);
  });

  test('columns of a table that hold them are read', async () => {
    const columnData = [
      { name: 'instruction', data: ['I', 'I'] }, { name: 'context', data: [BAD, 'c'] },
      { name: 'response', data: ['A', BAD] }, { name: 'other', data: [BAD, BAD] },
    ].map((column) => ({ ...column, type: 'STRING' as const }));
    const path = file('dolly.parquet', new Uint8Array(parquetWriteBuffer({ columnData })));
    const { code, found } = await told(path);
    expect([code, found.map(({ field }) => field)]).toEqual([1, ['context', 'response']]);
  });
});

describe('lists of turns', () => {
  const turns = [{ role: 'user', content: 'Hi' }, { role: 'assistant', content: BAD }];
  const clean = [{ role: 'user', content: 'Hi' }];

  test.each([
    ['one a line', 'turns.jsonl', `${JSON.stringify(clean)}\n${JSON.stringify(turns)}\n`],
    ['a list of lists', 'turns.json', JSON.stringify([clean, turns])],
    ['a list of lists over many lines', 'pretty.json', JSON.stringify([clean, turns], null, 2)],
    ['a list of lists without a name', 'turns-alone', JSON.stringify([clean, turns])],
  ])('%s', async (_, name, text) => {
    const path = file(name, text);
    const { code, found } = await told(path);
    expect([code, found.map(({ rule, field }) => [rule, field])])
      .toEqual([1, [['control-token', '[1].content']]]);
    expect(text.slice(found[0]!.from, found[0]!.to)).toBe('<|im_end|>');
    await run(['audit', '--fix', '--output', at('fixed.json'), path]);
    expect(readFileSync(at('fixed.json'), 'utf8')).toBe(text.replace('<|im_end|>', '<| im_end |>'));
  });

  test('clean ones are clean, and every command reads the same two', async () => {
    const path = file('clean.json', JSON.stringify([clean, clean]));
    expect(await told(path)).toEqual({ code: 0, found: [] });
    expect((await run(['scan', '--format', 'json', path])).out).toContain('"transcripts":2,"messages":2');
    expect((await run(['convert', '--to', 'messages', path])).out.trimEnd().split('\n')).toHaveLength(2);
  });

  test('a list of something else is no record', async () => {
    const { found } = await told(file('odd.jsonl', '[1]\n[{"role":"user","content":"x"},2]\n'));
    expect(found.map(({ rule }) => rule)).toEqual(['bad-record', 'bad-record']);
  });
});

test.each(['wide.txt', 'wide.json', 'wide.jsonl', 'wide'])('%s in UTF-16 is not passed as clean', async (name) => {
  const texts = name.includes('json') ? [`{"messages":[{"role":"user","content":"${BAD}"}]}`]
    : [`<|start|>user<|message|>${BAD}<|end|>`, 'version: 2.2\n<|start|>user<|message|>x<|end|>'];
  for (const text of texts.flatMap((one) => [one, `\ufeff${one}`])) {
    const { code, found } = await told(file(name, Buffer.from(text, 'utf16le')));
    expect([code, found.map(({ rule }) => rule)]).toEqual([1, ['bad-record']]);
    const checked = await run(['check', '--format', 'ndjson', at(name)]);
    expect(checked.code, text).toBe(1);
  }
});
