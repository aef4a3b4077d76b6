// What batches are told to hold of tags that are written as text: thoughts and calls are found wherever a body begins,
// also where what stands before them has left the window; and names of replies where they lie.
import { describe, expect, test } from 'vitest';
import { messagesOf } from '../../src/corpus/messages.ts';
import type { ReadOptions } from '../../src/model/walk.ts';
import { Checker } from '../../src/rules/check.ts';
import { Counter } from '../../src/rules/count.ts';
import { createMachine } from '../../src/scan/engine.ts';
import type { Machine } from '../../src/scan/machine.ts';
import { MemorySource } from '../../src/scan/source.ts';
import { scan } from '../../src/index.ts';
import { check } from '../../src/tools.ts';
import { runs } from '../long.ts';
import { type Random, randomOf, SEED } from '../random.ts';

const ENGINES = ['simd', 'scalar', 'js'] as const;
const OPTIONS = { dialect: 'openchatml-0.1', role: 'assistant' } as const;
/** Bytes of a window, and of white space before what an assistant says. */
const BLANKS = [[1024, 0], [1024, 10], [1024, 3000], [1024, 100_000], [65_536, 131_072], [65_536, 1 << 21]] as const;
const encode = (text: string): MemorySource => new MemorySource(new TextEncoder().encode(text));

const line = (role: string, text: string): string => `<|im_start|>${role}\n${text}\n<|im_end|>\n`;

describe.each(ENGINES)('%s', (engine) => {
  const found = (machine: Machine, text: string, options: ReadOptions): string[] =>
    [...new Checker(machine, encode(text), options).run()].map(({ rule, from, to }) => `${rule} ${from} ${to}`);

  test.each(BLANKS)('a window of %i bytes, a thought behind %i blanks', (window, blanks) => {
    const machine = createMachine({ engine, window });
    const text = `${' '.repeat(blanks)}<think>secret</think>Hi<|im_end|>`;
    const shown: string[] = [];
    for (const { message } of messagesOf(machine, encode(text), OPTIONS)) shown.push(message.show().trim());
    expect(shown).toEqual(['Hi']);
    expect(found(machine, text, OPTIONS)).toContain(`reasoning-in-final ${blanks} ${blanks + '<think>'.length}`);
  });

  test.each(BLANKS)('a window of %i bytes, a call behind %i blanks', (window, blanks) => {
    const machine = createMachine({ engine, window });
    const text = `${' '.repeat(blanks)}\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call><|im_end|>`;
    const counter = new Counter();
    counter.addRange(machine, encode(text), OPTIONS);
    expect(counter.result().calls).toBe(1);
    expect(found(machine, text, OPTIONS).map((one) => one.split(' ')[0])).toContain('open-call');
  });

  test(`random texts in a small window give what they give as a whole (OPENCHATML_SEED=${SEED})`, () => {
    const parts = [
      '<think>', '</think>', 'k>', '<tool_call>\n', '\n</tool_call>', '<tool_response>\n', '\n</tool_response>', 'Hi',
      '<|function_call|>\n', '<|function_output|>\n', '{"name": "f", "arguments": {}}', '{"\\u006eame": "g"}',
      '{"ok": 1, "name": "g"}', '{"n": "name"}', '\n', ' '.repeat(600), '<|start_reason|>', '<|end_reason|>',
    ];
    const message = (random: Random): string => {
      const text = Array.from({ length: random.below(6) }, () => random.pick(parts)).join('');
      return line(random.pick(['user', 'assistant', 'assistant', 'tool', 'tool name=f']), text);
    };
    const machine = createMachine({ engine, window: 1024 });
    for (let round = 0; round < runs(600); round++) {
      const random = randomOf(SEED + round);
      const options = random.once(2) ? OPTIONS : { dialect: 'openchatml-0.1' } as const;
      const text = random.pick(parts) + Array.from({ length: 1 + random.below(12) }, () => message(random)).join('');
      const name = `seed ${SEED}, round ${round}`;
      const whole = check(text, options).map(({ rule, from, to }) => `${rule} ${from} ${to}`);
      expect(found(machine, text, options), name).toEqual(whole);
      const counter = new Counter();
      counter.addRange(machine, encode(text), options);
      expect(counter.result().calls, name).toBe(scan(text, options).calls);
    }
  });
});
