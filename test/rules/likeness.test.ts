// Text without any message: it is told once, with what it looks like.
import { expect, test } from 'vitest';
import { createMachine } from '../../src/index.ts';
import { MemorySource } from '../../src/scan/source.ts';
import { SlowSource } from '../corpus/input/slow-source.ts';
import { checkSource } from '../../src/rules/check.ts';

const machine = createMachine();
const check = (text: string): unknown[] => [...checkSource(machine, new MemorySource(Buffer.from(text)))]
  .filter(({ rule }) => rule !== 'text-between-messages')
  .map(({ rule, from, to, severity, message }) => [rule, severity, from, to, message]);

test.each([
  ['<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>', 'Llama 3 text'],
  ['<bos><start_of_turn>user\nHi<end_of_turn>\n', 'Gemma text'],
  ['<s>[INST] Hi [/INST] Ho</s>', 'Mistral or Llama 2 text'],
  ['<\uff5cUser\uff5c>Hi<\uff5cAssistant\uff5c>Ho', 'DeepSeek text'],
  ['<|user|>\nHi<|assistant|>\nHo', 'Phi or Zephyr text'],
  ['<!DOCTYPE html>\n<html><body>Hi</body></html>', 'HTML'],
  ['\u007fELF\u0000\u0001', 'binary data'],
  ['Once upon a time.\n', null],
  [`${'A long tale. '.repeat(100_000)}`, null],
])('%.40j', (text, likeness) => {
  const detail = likeness === null ? '' : `: it looks like ${likeness}`;
  const message = `there is text, and no message in it${detail}`;
  expect(check(text)).toEqual([['nothing-found', 'warning', 0, 0, message]]);
});

test.each(['', ' \n', '\ufeff', 'version: 2.2\n---\n', '<|end|>'])('it is not told of %j', (text) => {
  expect(check(text).map((one) => (one as unknown[])[0])).not.toContain('nothing-found');
});

test('it is told besides what the dialect asks for that the caller names', () => {
  const found = [...checkSource(machine, new MemorySource(Buffer.from('Hi')), { dialect: 'openchatml-2.2' })];
  expect(found.map(({ rule, severity }) => [rule, severity])).toEqual(expect.arrayContaining([
    ['missing-header', 'error'], ['nothing-found', 'warning'],
  ]));
});

test('what it looks like is the same, however little comes at a time', () => {
  const text = `${'Hi. '.repeat(900)}<|start_header_id|>user ${'Ho. '.repeat(2000)}`;
  const wanted = check(text);
  for (const most of [1, 7, 1000, 4097]) {
    const found = [...checkSource(machine, new SlowSource(Buffer.from(text), most))];
    expect(found.find(({ rule }) => rule === 'nothing-found')?.message, `${most} at once`)
      .toBe((wanted[0] as unknown[])[4]);
  }
  expect((wanted[0] as unknown[])[4]).toMatch(/Llama 3/);
});
