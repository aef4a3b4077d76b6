// `scan --lengths`: the same numbers as `messages` gives, by role and channel.
import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { encode } from 'gpt-tokenizer/encoding/o200k_harmony';
import { expect, test } from 'vitest';
import { randomOf, SEED } from '../../random.ts';
import { at, file, jsonLines, run } from '../harness.ts';

interface Lengths { count: number; sum: number; mean: number; p50: number; p90: number; p99: number; max: number }
interface Row {
  role: string | null; channel: string | null; bytes: Lengths; code_points: Lengths; tokens?: Lengths;
}

const random = randomOf(SEED);
const WORDS = ['a', 'stra\u00dfe ', '\u4e2d\u6587', '\u{1f600}', '\n', 'word '];
const content = (): string =>
  Array.from({ length: random.below(1 << random.below(9)) }, () => random.pick(WORDS)).join('');
const chats = Array.from({ length: 300 }, () => ({
  messages: [
    { role: 'user', content: content() },
    { role: 'assistant', content: content(), thinking: content() },
    ...(random.once(9) ? [{ role: 'tool', tool_call_id: 'a', content: content() }] : []),
  ],
}));
const RECORDS = file('lengths/chats.jsonl', chats.map((chat) => `${JSON.stringify(chat)}\n`).join(''));

async function lengthsOf(...args: string[]): Promise<Row[]> {
  const { code, out } = await run(['scan', '--lengths', '--format', 'json', ...args]);
  expect(code).toBe(0);
  return (JSON.parse(out) as { lengths: Row[] }).lengths;
}

/** Whether these are the numbers of all these lengths. */
function expectOf({ count, sum, mean, p50, p90, p99, max }: Lengths, lengths: readonly number[]): void {
  const sorted = lengths.toSorted((a, b) => a - b);
  const total = sorted.reduce((a, b) => a + b, 0);
  expect({ count, sum, max }).toEqual({ count: sorted.length, sum: total, max: sorted.at(-1) });
  expect(mean).toBeCloseTo(total / sorted.length, 1);
  for (const [share, told] of [[0.5, p50], [0.9, p90], [0.99, p99]] as const) {
    const exact = sorted[Math.ceil(share * sorted.length) - 1]!;
    expect(told).toBeGreaterThanOrEqual(exact);
    expect(told).toBeLessThanOrEqual(Math.min(max, 2 * exact));
  }
}

test(`in bytes and code points, seed ${SEED}`, async () => {
  const text = file('lengths/chats.txt', (await run(['convert', '--to', 'openchatml-2.2', RECORDS])).out);
  for (const path of [RECORDS, text]) {
    const lines = jsonLines((await run(['messages', path])).out);
    const messages = lines as { role: string; channel: string; content: string }[];
    const rows = await lengthsOf(path);
    expect(rows.reduce((sum, { bytes }) => sum + bytes.count, 0)).toBe(messages.length);
    expect(rows.length).toBeGreaterThan(3);
    for (const { role, channel, bytes, code_points: points } of rows) {
      const contents = messages.filter((one) => one.role === role && one.channel === channel).map((one) => one.content);
      expectOf(bytes, contents.map((one) => Buffer.byteLength(one)));
      expectOf(points, contents.map((one) => [...one].length));
    }
    expect(await lengthsOf('--threads', '2', path)).toEqual(rows);
  }
});

test(`in tokens, which messages tell too, seed ${SEED}`, async () => {
  const text = file('lengths/tokens.txt', (await run(['convert', '--to', 'openchatml-2.2', RECORDS])).out);
  const counted: number[][] = [];
  for (const path of [RECORDS, text]) {
    const lines = jsonLines((await run(['messages', '--tokens', 'o200k_harmony', path])).out);
    const messages = lines as { role: string; channel: string; content: string; tokens: number }[];
    for (const { content, tokens } of messages) expect(tokens).toBe(encode(content).length);
    counted.push(messages.map(({ tokens }) => tokens));
    const rows = await lengthsOf('--tokens', 'o200k_harmony', path);
    for (const { role, channel, tokens } of rows) {
      const own = messages.filter((one) => one.role === role && one.channel === channel);
      expectOf(tokens!, own.map((one) => one.tokens));
    }
    expect(await lengthsOf('--tokens', 'o200k_harmony', '--threads', '2', path)).toEqual(rows);
    const { out } = await run(['messages', '--tokens', 'o200k_harmony', '--threads', '2', path]);
    expect(jsonLines(out)).toEqual(lines);
  }
  expect(counted[0]).toEqual(counted[1]);
  expect((await run(['scan', '--tokens', 'o200k_base', RECORDS])).out).toMatch(/\nlengths in tokens\n/);
});

test('a vocabulary that there is not, and a package that is not installed', async () => {
  const unknown = await run(['scan', '--tokens', 'x', RECORDS]);
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('o200k_harmony')]);
  const table = await run(['messages', '--tokens', 'o200k_base', '--format', 'arrow', RECORDS]);
  expect([table.code, table.err]).toEqual([2, expect.stringContaining('--tokens is for --format ndjson')]);
  const bare = at('bare');
  cpSync('dist', `${bare}/dist`, { recursive: true });
  cpSync('package.json', `${bare}/package.json`);
  const { status, stdout, stderr } = spawnSync(
    process.execPath, [`${bare}/dist/cli/main.js`, 'messages', '--tokens', 'o200k_base', RECORDS], { encoding: 'utf8' },
  );
  const wanted = 'error: --tokens: it needs a package that is not installed: npm install gpt-tokenizer\n';
  expect([status, stdout, stderr]).toEqual([2, '', wanted]);
});

test('a body of many parts', async () => {
  const long = 'a\u4e2d'.repeat(700_000);
  const path = file('lengths/long.txt', `<|start|>user<|message|>${long}<|end|>`);
  const [row] = await lengthsOf(path);
  expect([row!.bytes.sum, row!.code_points.sum]).toEqual([2_800_000, 1_400_000]);
});

test('as tables, and beside the page', async () => {
  const page = file('lengths/page.html', '');
  const { code, out } = await run(['scan', '--lengths', '--report', page, RECORDS]);
  expect(code).toBe(0);
  expect(out).toMatch(/\nlengths in bytes\n +messages +sum +mean +50 % up to +90 % up to +99 % up to +largest\n/);
  expect(out).toMatch(/\nlengths in code points\n/);
  const thoughts = chats.flatMap(({ messages }) => messages).filter((one) => 'thinking' in one && one.thinking !== '');
  expect(out).toMatch(new RegExp(`\\n {2}assistant analysis +${thoughts.length} `));
  expect((await run(['scan', RECORDS])).out).not.toContain('lengths');
});

test('a pipe is refused', async () => {
  const { code, err } = await run(['scan', '--lengths', '-'], { stdin: 'x' });
  expect([code, err]).toEqual([2, expect.stringContaining('--lengths reads the inputs twice')]);
});
