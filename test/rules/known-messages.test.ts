// Short messages whose bytes are known: what is found in one, and counted of it, is that of the first one, moved.
import { expect, test } from 'vitest';
import { scan } from '../../src/index.ts';
import type { Diagnostic } from '../../src/errors.ts';
import { check } from '../../src/tools.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const MESSAGES = [
  '<|start|>user', '<|start|>user- \n', '<|start|>user [x]', '<|start|>assistant <think>x', '<|start|>',
  '<|start|>assistant final<|channel|>final<|channel|>analysis', '<|start|>user x<|message|>y<<|end|>z<|call|>',
  '<|start|>wizard x=1<|message|><|literal|><|end|><|endliteral|>', '<|start|>assistant x<|message|>a<|channel|>b',
  '<|start|>tool x', '<|start|>assistant to=f y', '<|start|>assistant to=functions.f call_id=1 z<|message|>{<|call|>',
  '<|start|>user a<|constrain|>json<|message|>{<|end|>', '<|start|>user x<|message|>y<|return|><|end|>',
];

test.each(MESSAGES)('%s', (message) => {
  const header = 'version: 2.2\n';
  const length = encode(message).length;
  const times = 7;
  const found = check(header + message.repeat(times));
  const of = (number: number): Diagnostic[] =>
    found.filter(({ from }) => Math.floor((from - header.length) / length) === number);
  // What is found of calls differs: an id is used again.
  const isAlone = ({ rule }: Diagnostic): boolean => !/call|repl/.test(rule);
  const moved = (by: number) => ({ from, to, ...rest }: Diagnostic) => ({ ...rest, from: from + by, to: to + by });
  for (let number = 2; number < times - 1; number++) {
    expect(of(number).filter(isAlone)).toEqual(of(1).filter(isAlone).map(moved(length * (number - 1))));
  }

  // A message more counts as one did, the last one aside.
  const counts = [3, 4, 7].map((n) => {
    const { messages, calls, roles, channels, findings } = scan(header + message.repeat(n));
    return { messages, calls, ...roles, ...channels, ...findings } as Record<string, number>;
  });
  for (const [name, most] of Object.entries(counts[2]!)) {
    const [less, more] = counts.map((one) => one[name] ?? 0);
    expect(most - more!, name).toBe(3 * (more! - less!));
  }
});

test('calls are not taken for known', () => {
  const call = '<|start|>assistant to=functions.f x call_id=1<|message|>{}<|call|>';
  const rules = check(`version: 2.2\n${call.repeat(4)}`).map(({ rule }) => rule);
  expect(rules.filter((rule) => rule === 'duplicate-call-id').length).toBe(3);
  expect(rules.filter((rule) => rule === 'open-call').length).toBeGreaterThan(0);
});
