// Headers whose bytes are known are not read again: what is said of them is what is said of the first one, moved.
import { expect, test } from 'vitest';
import type { Diagnostic } from '../../src/errors.ts';
import { messagesOf } from '../../src/corpus/messages.ts';
import { KnownBytes } from '../../src/model/known-bytes.ts';
import type { DialectId } from '../../src/scan/dialects.ts';
import { createMachine } from '../../src/scan/engine.ts';
import { MemorySource } from '../../src/scan/source.ts';
import { check } from '../../src/tools.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const HEADERS: readonly (readonly [header: string, dialect: DialectId])[] = [
  ['<|start|>user', 'openchatml-2.2'],
  ['<|start|>', 'harmony'],
  ['<|start|>user x=1 to=a', 'openchatml-2.2'],
  ['<|start|>user user name= name=b', 'openchatml-2.2'],
  ['<|start|>assistant analysis name=b<|channel|>analysis x<|constrain|>json', 'openchatml-2.2'],
  ['<|start|>user na\u00efve=x', 'openchatml-2.2'],
  ['<|start|>user<<|end|>', 'openchatml-2.2'],
  ['<|im_start|>wizard', 'openchatml-0.1'],
];

test.each(HEADERS)('%s (%s)', (header, dialect) => {
  const length = encode(header).length;
  // The first message and the last one are read by themselves.
  const text = header.repeat(6);
  const found = check(text, { dialect });
  const of = (message: number): Diagnostic[] => found.filter(({ from }) => Math.floor(from / length) === message);
  const moved = (by: number) => ({ from, to, ...rest }: Diagnostic) => ({ ...rest, from: from + by, to: to + by });
  for (const message of [2, 3, 4]) expect(of(message)).toEqual(of(1).map(moved(length * (message - 1))));

  const messages: unknown[] = [];
  for (const { message } of messagesOf(createMachine(), new MemorySource(encode(text)), { dialect })) {
    const base = message.from;
    const { role, name, recipient, channel, attributes, isAmbiguous, body } = message;
    const words = attributes.map(({ key, value, from, to }) => ({ key, value, from: from - base, to: to - base }));
    messages.push({ role, name, recipient, channel, words, isAmbiguous, from: body.from - base, to: body.to - base });
  }
  for (const message of [2, 3, 4]) expect(messages[message]).toEqual(messages[1]);
});

test('bytes are known for what they are, with their word', () => {
  const known = new KnownBytes<number>();
  const texts = Array.from({ length: 1000 }, (_, i) => encode(`header ${i}`));
  let kept = 0;
  known.keep(new Uint8Array(129), 1000);
  expect(known.get(new Uint8Array(129))).toBeUndefined();
  texts.forEach((bytes, i) => {
    expect(known.get(bytes, 0, bytes.length, 1)).toBeUndefined();
    known.keep(bytes, i, 1);
    expect(known.get(bytes, 0, bytes.length, 1)).toBe(i);
    expect(known.get(Buffer.concat([encode('x'), bytes, encode('y')]), 1, bytes.length + 1, 1)).toBe(i);
    expect(known.get(bytes, 0, bytes.length, 2)).toBeUndefined();
  });
  texts.forEach((bytes, i) => {
    const value = known.get(bytes, 0, bytes.length, 1);
    if (value !== undefined) kept++;
    expect([i, undefined]).toContain(value);
  });
  expect(kept).toBeGreaterThan(100);
});
