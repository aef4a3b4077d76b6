// An input that holds no message is told by every command, with what it looks like: once, and on standard error. A
// binary file is told with few findings.
import { gzipSync } from 'node:zlib';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { testLong } from '../long.ts';
import { CLEAN, file, jsonLines, run } from './harness.ts';

const LLAMA = '<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>';
const TEXT = file('empty-inputs/llama.txt', LLAMA);
const COMMANDS = [
  ['scan'], ['scan', '--lengths'], ['messages'], ['messages', '--only-role', 'assistant'], ['render'],
  ['render', '--transcript', '3'], ['audit'], ['audit', '--diff'], ['convert', '--to', 'messages'],
];

test.each(COMMANDS)('%s %s', async (...command) => {
  const said = `${TEXT}: holds no message; it looks like Llama 3 text\n`;
  const { code, err } = await run([...command, TEXT]);
  expect([code, err.split('holds no message').length]).toEqual([0, 2]);
  expect(err).toContain(said);
  const packed = file('empty-inputs/llama.txt.gz', gzipSync(LLAMA));
  expect((await run([...command, packed])).err).toContain(`${packed}: holds no message; it looks like Llama 3 text\n`);
  const unknown = file('empty-inputs/unknown.txt', 'Once upon a time.\n');
  expect((await run([...command, unknown])).err).toContain(`${unknown}: holds no message\n`);
  const transcript = file('empty-inputs/clean.txt', CLEAN);
  const records = file('empty-inputs/records.jsonl', '{"messages":[{"role":"assistant","content":"Hi"}]}\n');
  if (!command.includes('--transcript')) {
    expect((await run([...command, transcript, records])).err).not.toContain('holds no message');
  }
  expect((await run([...command, '--quiet', TEXT])).err).not.toContain('holds no message');
});

testLong.each(['1', '2'])('a large one, with %s thread(s)', async (threads) => {
  const large = file('empty-inputs/large.txt', `${LLAMA}\n`.repeat(100_000));
  for (const command of COMMANDS) {
    const { err } = await run([...command, '--threads', threads, large]);
    expect(err.split('\n')[0]).toBe(`${large}: holds no message; it looks like Llama 3 text`);
    expect(err.split('holds no message')).toHaveLength(2);
  }
});

test('an input in which nothing is wanted holds messages', async () => {
  const two = file('empty-inputs/two.txt', CLEAN + CLEAN);
  for (const [command, told] of [
    [['messages', '--at', '50'], ''], [['messages', '--transcript', '0'], ''],
    [['messages', '--grep', 'zz'], 'no message matches --grep\n'],
  ] as const) {
    expect((await run([...command, two])).err).toBe(told);
  }
  expect((await run(['render', '--transcript', '0', two])).err).toBe('');
  expect((await run(['render', '--transcript', '2', two])).err).toBe(`${two}: holds no message in transcript 2\n`);
});

test('what is read from a pipe is not read again', async () => {
  expect((await run(['scan', '-'], { stdin: LLAMA })).err).toBe('-: holds no message\n');
});

test('many are told as a number', async () => {
  let path = '';
  for (let i = 0; i < 23; i++) path = file(`empty-inputs/many/${String(i).padStart(2, '0')}.txt`, '[INST] Hi [/INST]');
  const lines = (await run(['scan', dirname(path)])).err.trim().split('\n');
  expect(lines).toHaveLength(21);
  expect(lines.slice(19)).toEqual([
    expect.stringMatching(/19\.txt: holds no message; it looks like Mistral or Llama 2 text$/),
    '3 more inputs hold no message',
  ]);
});

test('lengths of nothing have no tables', async () => {
  expect((await run(['scan', '--lengths', TEXT])).out).not.toContain('lengths in');
  const { out } = await run(['scan', '--lengths', '--format', 'json', TEXT]);
  expect((JSON.parse(out) as { lengths: unknown }).lengths).toEqual([]);
});

test('a binary file has few findings, and what it looks like is among the first', async () => {
  const binary = file('empty-inputs/binary', Buffer.from(Array.from({ length: 100_000 }, (_, i) => (i * 167) & 0xff)));
  const findings = jsonLines((await run(['check', '--format', 'ndjson', binary])).out).slice(0, -1);
  expect(findings.length).toBeLessThan(20);
  expect(findings.map(({ rule }) => rule).indexOf('nothing-found')).toBeLessThan(19);
  expect(findings.find(({ rule }) => rule === 'nothing-found')!['message']).toContain('binary data');
  expect(findings.at(-1)).toMatchObject({ rule: 'invalid-utf8', message: expect.stringMatching(/\d+ times/) });
});

test('each invalid byte of a transcript is told', async () => {
  const bytes = Buffer.from(CLEAN.replace('Hello', '\u0001'.repeat(100)).replaceAll('\u0001', '?'), 'latin1');
  for (let i = 0, at = 0; i < 100; i++) bytes[at = bytes.indexOf(0x3f, at)] = i % 2 ? 0xff : 0x20;
  const path = file('empty-inputs/bytes.txt', bytes);
  const found = jsonLines((await run(['check', '--format', 'ndjson', path])).out);
  expect(found.filter(({ rule }) => rule === 'invalid-utf8')).toHaveLength(50);
});

test('records of another model’s text are told as such text is, and records of nothing are not', async () => {
  const text = '<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>';
  const llama = file('empty-inputs/llama.jsonl', `${JSON.stringify({ text })}\n`);
  const others = file('empty-inputs/nothing.jsonl', '{"messages":[]}\n{"text":""}\n');
  const both = [text, CLEAN].map((one) => `${JSON.stringify({ text: one })}\n`).join('');
  const mixed = file('empty-inputs/mixed.jsonl', both);
  for (const command of ['scan', 'messages']) {
    expect((await run([command, mixed])).err).toBe('');
    expect((await run([command, llama])).err).toBe(`${llama}: holds no message; it looks like Llama 3 text\n`);
    expect((await run([command, others])).err).toBe('');
  }
});

test.each([
  ['no byte', ''], ['blank lines', '\n\n  \n'], ['an empty list', '[]\n'], ['no byte, packed', gzipSync('')],
])('records of which there is none: %s', async (name, content) => {
  const ending = typeof content === 'string' ? 'jsonl' : 'jsonl.gz';
  const path = file(`empty-inputs/${name.replaceAll(' ', '-')}.${ending}`, content);
  for (const command of COMMANDS) {
    const { code, err } = await run([...command, path]);
    expect([code, err.split('holds no message').length], command.join(' ')).toEqual([0, 2]);
    expect(err, command.join(' ')).toContain(`${path}: holds no message\n`);
    expect((await run([...command, '--quiet', path])).err).not.toContain('holds no message');
  }
});
