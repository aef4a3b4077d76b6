// Transcripts of Harmony are the same where an input is read in parts as where it is read at once.
import { expect, test } from 'vitest';
import { parse, scan } from '../../src/rules/library-best.ts';
import { randomOf, SEED } from '../random.ts';

const HEADERS = [
  'system', ' system', 'system:x', 'system name=x', 'name=y system', 'systems', 'sys', 'developer', ' developer\n',
  'developer:y', 'user<|fim_prefix|>', 'user system', 'assistant<|channel|>analysis system', '<|channel|>system',
  'user', 'assistant', '',
];
const BODIES = ['<|message|>', '<|message|>x', '', '\n', '<|fim_suffix|>'];
const ENDS = ['<|end|>', '<|return|>', '<|call|>', ''];

test(`random messages (seed ${SEED})`, () => {
  const random = randomOf(SEED);
  let divided = 0;
  for (let run = 0; run < 300; run++) {
    const text = Array.from({ length: 12 }, () => {
      return `<|start|>${random.pick(HEADERS)}${random.pick(BODIES)}${random.pick(ENDS)}`;
    }).join('');
    const { length } = parse(text, { dialect: 'harmony' }).transcripts;
    expect(scan(text, { dialect: 'harmony' }).transcripts, `seed ${SEED}: ${text}`).toBe(length);
    divided += length - 1;
  }
  expect(divided).toBeGreaterThan(300);
});
