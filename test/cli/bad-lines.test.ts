// Lines of an input that hold no record, in any number: the first ones are told by themselves, the others counted; the
// same for every number of threads and every container.
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { BLOCK } from '../../src/scan/source.ts';
import { testLong } from '../long.ts';
import { randomOf } from '../random.ts';
import { at, file, run } from './harness.ts';

interface Told {
  readonly rule: string;
  readonly line: number;
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

const timesOf = ({ message }: { readonly message: string }): number =>
  Number(/(\d+) times/.exec(message)?.[1] ?? 1);
const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);
const toldOf = (out: string): Told[] =>
  out.trimEnd().split('\n').map((line) => JSON.parse(line) as Told).filter(({ rule }) => rule === 'bad-record');

const GOOD = '{"messages":[{"role":"user","content":"x"}]}\n';

describe('more than are told by themselves', () => {
  const lines = `${GOOD}${'bad\n'.repeat(1500)}${GOOD}${'[1,\n'.repeat(300)}`;

  test.each([['check', '--format', 'ndjson'], ['audit', '--format', 'ndjson']])('%s', async (...argv) => {
    const { out } = await run([...argv, file('bad.jsonl', lines)]);
    const told = toldOf(out);
    // A record that can be read stands between those of two runs; `audit` has nothing to tell of it.
    expect(told.length).toBe(argv[0] === 'check' ? 1002 : 1001);
    expect(sumOf(told.map(timesOf))).toBe(1800);
    const first = told[1000]!;
    expect([first.line, first.from]).toEqual([1002, GOOD.length + 4000]);
    expect(first.to).toBe(argv[0] === 'check' ? GOOD.length + 6000 - 1 : lines.length - 1);
    expect(first.message).toContain(argv[0] === 'check' ? '500 times' : '800 times');
  });

  test('convert and render tell so in words; each line still has its answer', async () => {
    const path = file('bad.jsonl', lines);
    const { out, err } = await run(['convert', '--to', 'messages', path]);
    expect(out.trimEnd().split('\n').length).toBe(1802);
    expect(err.split('\n').filter((line) => line.startsWith('refused: ')).length).toBe(1001);
    expect(err).toContain(`${path}:1002: 800 records that cannot be read, up to line 1802`);
    const { err: words } = await run(['render', path]);
    expect(words).toContain('bad.jsonl:1002: ');
    expect(words).toMatch(/800 times, up to line 1802/);
  });

  test('scan counts them all', async () => {
    const { out } = await run(['scan', '--format', 'json', file('bad.jsonl', lines)]);
    expect(out).toContain('"bad-record":1800');
  });
});

testLong('audit: where scanned windows begin is not seen', async () => {
  const random = randomOf(3);
  const chat = `{"messages":[{"role":"user","content":"${'x'.repeat(150)}"}]}\n`;
  let [lines, other] = ['', 0];
  while (lines.length < 3.5 * BLOCK) {
    lines += chat.repeat(1 + random.below(39));
    for (let left = 1 + random.below(39); left > 0; left--) lines += `{"id":${other++},"pad":"${'y'.repeat(150)}"}\n`;
  }
  const told = async (path: string, ...argv: string[]): Promise<string> =>
    (await run(['audit', '--format', 'ndjson', ...argv, path])).out.replaceAll(/"path":"[^"]*",/g, '');
  const one = await told(file('mixed.jsonl', lines), '--threads', '1');
  expect(await told(at('mixed.jsonl'), '--threads', '2') === one).toBe(true);
  expect(await told(file('mixed.jsonl.gz', gzipSync(lines)), '--threads', '1') === one).toBe(true);
});

testLong('over several parts of an input: every container and number of threads tells the same', async () => {
  const lines = `${'x'.repeat(999)}\n`.repeat(Math.ceil((4.5 * BLOCK) / 1000));
  const path = file('blocks.jsonl', lines);
  const told = async (...argv: string[]): Promise<string> =>
    (await run(['check', '--format', 'ndjson', ...argv])).out.replaceAll(/"path":"[^"]*",/g, '');
  const one = await told('--threads', '1', path);
  expect(toldOf(one).length).toBe(5005);
  expect(sumOf(toldOf(one).map(timesOf))).toBe(lines.length / 1000);
  expect(await told('--threads', '3', path)).toBe(one);
  expect(await told(file('blocks.jsonl.gz', gzipSync(lines)))).toBe(one);
});

test('a copy of an audit keeps them', async () => {
  const lines = `${'bad\n'.repeat(3000)}${GOOD}`;
  const { code } = await run(['audit', '--fix', '--output', at('copy.jsonl'), file('bad.jsonl', lines)]);
  expect(code).toBe(1);
  expect(readFileSync(at('copy.jsonl'), 'utf8')).toBe(lines);
});
