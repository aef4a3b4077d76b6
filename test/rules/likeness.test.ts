// Text without any message: it is told once, with what it looks like. Text that looks like Harmony (R-LIKELY).
import { describe, expect, test } from 'vitest';
import { createMachine } from '../../src/index.ts';
import { MemorySource } from '../../src/scan/source.ts';
import { SlowSource } from '../corpus/input/slow-source.ts';
import { checkSource } from '../../src/rules/check-source.ts';
import type { CheckOptions } from '../../src/rules/check-options.ts';

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
  ['import x from "y";\n\nfunction f() {}\n', 'source code'],
  ['/* A. */\n#include <stdio.h>\n', 'source code'],
  ['"""A module."""\nfrom os import path\n', 'source code'],
  ['// A comment.\nexport async function f(a) {\n', 'source code'],
  ['"""A module."""\n\nimport os.path as p\n', 'source code'],
  ['\u007fELF\u0000\u0001', 'binary data'],
  ['PK\u0003\u0004\u0014\u0000', 'a zip archive, which has to be unpacked first'],
  [`${'a.jsonl'.padEnd(257, '\0')}ustar  \0`, 'a tar archive, which has to be unpacked first'],
  ['\u0004"M\u0018\u0000', 'an lz4 file, which has to be unpacked first'],
  ['BZh91AY&SY\u0000', 'a bzip2 file, which has to be unpacked first'],
  ['ARROW1\u0000\u0000', 'an Arrow file, which has to be written as Parquet or JSON Lines first'],
  ['h\u0000i\u0000', 'UTF-16 text, which has to be written as UTF-8 first'],
  ['\u0000h\u0000i', 'UTF-16 text, which has to be written as UTF-8 first'],
  ['Once upon a time.\n', null],
  [`${'A long tale. '.repeat(100_000)}`, null],
])('%.40j', (text, likeness) => {
  const detail = likeness === null ? '' : `: it looks like ${likeness}`;
  const message = `there is text, and no message in it${detail}`;
  expect(check(text)).toEqual([['nothing-found', 'warning', 0, 0, message]]);
});

test.each([
  ['fffe3c007c00', 'UTF-16 text'], ['feff003c007c', 'UTF-16 text'], ['fd377a585a000004', 'an xz file'],
  ['377abcaf271c0004', 'a 7z archive'], ['fffe00010203', 'binary data'],
])('bytes that are not UTF-8: %s', (hex, likeness) => {
  const [found] = [...checkSource(machine, new MemorySource(Buffer.from(hex, 'hex')))]
    .filter(({ rule }) => rule === 'nothing-found');
  expect(found?.message).toContain(`: it looks like ${likeness}`);
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

test.each([
  ['#!/bin/sh\necho "hi"\nfor i in 1 2; do\n  echo $i\ndone\n', 'not-a-mapping', 'source code'],
  ['# A script.\nimport sys\n\ndef main():\n    print(1)\n', 'bad-yaml', 'source code'],
  ['# A page\n\nSome text.\n', 'not-a-mapping', null],
  // Only the header is looked at.
  ['# A page\n\nSome text.\n<|start|>user<|message|>import os\n<|end|>', 'not-a-mapping', null],
  ['version: 2.2\na: 1\na: #!\n', 'duplicate-key', null],
])('what was taken for a header: %.40j', (text, rule, likeness) => {
  for (const most of [1, 7, Infinity]) {
    const found = [...checkSource(machine, new SlowSource(Buffer.from(text), most))].filter((one) => one.rule === rule);
    expect(found.map(({ message }) => /it looks like (.*)$/.exec(message)?.[1] ?? null)).toEqual([likeness]);
  }
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

describe('headerless text that names its channels as Harmony does', () => {
  const system = '<|start|>system<|message|>You are ChatGPT.\n\n# Valid channels: analysis, commentary, final.<|end|>';
  const user = '<|start|>user<|message|>Rain?<|end|>';
  const call = (words = ''): string =>
    `<|start|>assistant to=functions.f${words}<|channel|>commentary<|message|>{}<|call|>`;
  const reply = (words = ''): string =>
    `<|start|>functions.f to=assistant${words}<|channel|>commentary<|message|>x<|end|>`;
  const one = `${system}${user}${call()}${reply()}`;
  const rules = (text: string, options: CheckOptions = {}): string[] =>
    [...checkSource(machine, new MemorySource(Buffer.from(text)), options)].map(({ rule, from }) => `${rule} ${from}`);
  const missing = (text: string): string[] => rules(text).filter((rule) => rule.startsWith('missing-'));

  test('is told for each system message, in place of the header and the ids', () => {
    expect(rules(one)).toEqual(['looks-like-harmony 0']);
    expect(rules(one.repeat(3))).toEqual([0, 1, 2].map((at) => `looks-like-harmony ${at * one.length}`));
    expect(rules(system + user)).toEqual(['looks-like-harmony 0']);
    expect(rules(system + user + call())).toEqual(['looks-like-harmony 0', `open-call ${system.length + user.length}`]);
  });

  test('is not told with a header, an id, a dialect, or another first message', () => {
    expect(rules(`version: 2.2\n---\n${one}`).join()).not.toContain('looks');
    expect(missing(`${system}${call(' call_id=c')}${reply(' call_id=c')}${call()}`)).toHaveLength(2);
    expect(missing(`${system}${call()}${reply(' call_id=c')}`)).toEqual(['missing-header 0', expect.anything()]);
    expect(missing(user + one)).toHaveLength(3);
    for (const dialect of ['openchatml-2.2', 'harmony'] as const) {
      expect(rules(one, { dialect }).join()).not.toContain('looks');
    }
    expect(rules(one.replace('# Valid', 'x # Valid')).join()).not.toContain('looks');
  });

  test('ids behind the first reply change nothing, nor does a later transcript', () => {
    const ids = `${one}${call(' call_id=c')}${reply(' call_id=c')}${call()}${reply()}`;
    expect(rules(ids)).toEqual(['looks-like-harmony 0']);
    const later = `${one}\nversion: 2.2\n---\n${system}${call()}${reply()}`;
    expect(rules(later).filter((rule) => !rule.startsWith('missing-call-id'))).toEqual(['looks-like-harmony 0']);
    expect(missing(later)).toHaveLength(2);
  });

  test('is the same for every cut, and where no reply comes', () => {
    const long = system + user.repeat(3000) + system + user;
    expect(rules(long)).toEqual(['looks-like-harmony 0', `looks-like-harmony ${system.length + 3000 * user.length}`]);
    for (const text of [one.repeat(3), long, `${system}${call()}${call()}${reply(' call_id=c')}`]) {
      const wanted = rules(text);
      for (const most of [1, 7, 1000]) {
        const found = [...checkSource(machine, new SlowSource(Buffer.from(text), most))];
        expect(found.map(({ rule, from }) => `${rule} ${from}`), `${most} at once`).toEqual(wanted);
      }
    }
  });
});
