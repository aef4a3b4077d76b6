// Records of which the scanner says that the audit has nothing to tell: it has nothing to tell of them.
import { expect, test } from 'vitest';
import { FORM_CONVERSATIONS, FORM_MESSAGES, KIND, NEXT, SLOW } from '../../../src/abi.ts';
import { auditRecords } from '../../../src/corpus/audit/audit.ts';
import { findTokens } from '../../../src/formats/control-tokens/find.ts';
import { createMachine } from '../../../src/index.ts';
import { RecordMachine } from '../../../src/scan/record-machine.ts';
import { MemorySource } from '../../../src/scan/source.ts';
import { runs } from '../../long.ts';
import { type Random, randomOf, SEED } from '../../random.ts';
import { randomText } from '../records/random-chat.ts';

const RUNS = runs(4000);
const BUILDS = (['simd', 'scalar'] as const).map((build) => new RecordMachine({ build, input: 100_000 }));
const machine = createMachine();

/** What tokens begin with, what begins none, and pieces of both. */
const PIECES = [
  '<', '<|', '<|end|>', '<|END|>', '< |end| >', '<s>', '</s>', '<span>', '</span>', '<b>', '<body>', '<bos>', '<em>',
  '<end>', '<eos>', '<</SYS>>', '<<SYS>>',
  '<start_of_turn>', '<strong>', '<div>', '</p>', '[INST]', '[/INST]', '[BOS]', '[EOS]', '[1]', '[a]', '[Note]',
  '[TOOL_CALLS]', '&lt;|end|&gt;', '&amp;lt;|end|>', '&', '&amp;', 'R&D',
  '&#60;|end|>', '&copy;', '%3C|end|>', '%3c%7Cend%7C%3e', '%253C|end|>', '50%', '%20', '\\u003c|end|>', '\\x3c|end|>',
  '\\\\u003c|end|>', '\\n', '\\', 'C:\\users', '\uff1c|end|>', '\u2039|end|>',
  '\u201cquoted\u201d', '\u2013', '\u3008|end|\u3009', '\u3002', '\u02c2|end|>', '\u02c6', '\u1438|end|>',
  '\u276e|end|\u276f', '\ufe64|end|>', '\u27e8x\u27e9', '\u2329|end|>', '\u00e9', '\u{1f600}',
  '|', '|end|>', 'start|>', '>', 'a', 'text ', ' ', '\n', '"', "'", '{', '}', '[', ']', ':', '\u200b', '<\u200b|end|>',
  'x < y', 'a<b', '<3', '<\uff5cUser\uff5c>', '<a href="x">', 'l\\u0074',
  '<think>', '</think>', '<th>', '</th>', '<title>', '</table>', '<tool_call>', '</tool_response>', '<tools>', 'hink>',
];

const text = (random: Random): string => Array.from({ length: random.below(6) }, () => random.pick(PIECES)).join('');

function record(random: Random): unknown {
  const value = (): string => (random.once(2) ? 'Hello there.' : text(random));
  const messages = Array.from({ length: 1 + random.below(3) }, () => random.pick<unknown>([
    { role: 'user', content: value() },
    { role: 'assistant', content: value() },
    { role: 'system', content: value(), [value()]: value() },
    { role: 'assistant', content: null, tool_calls: [{
      id: 'c',
      type: 'function',
      function: { name: 'f', arguments: JSON.stringify({ a: value(), [value()]: [value()] }) },
    }] },
  ]));
  return {
    messages,
    ...(random.once(4) && { tools: [{
      type: 'function', function: { name: 'f', description: value(), parameters: { type: 'object', properties: {} } },
    }] }),
    ...(random.once(9) && { text: value() }),
  };
}

test(`random records (seed ${SEED})`, { timeout: 20 * 60_000 }, () => {
  let passed = 0;
  for (let run = 0; run < RUNS; run++) {
    const random = randomOf(SEED + run);
    const line = Buffer.from(`${randomText(random, record(random))}\n`);
    const found = [...auditRecords(machine, new MemorySource(line))].flatMap((text) => {
      return typeof text === 'number' ? [] : text.findings;
    });
    for (const { engine, input, rows, scan, audit } of BUILDS.map((one) => ({
      engine: one.engine, input: one.input, rows: one.rows, scan: one.scan.bind(one), audit: one.audit.bind(one),
    }))) {
      input.set(line);
      const end = scan(0, line.length, FORM_MESSAGES | FORM_CONVERSATIONS);
      expect(rows[NEXT]).toBe(end);
      if (rows[KIND]! & SLOW || audit(0, end) !== end) continue;
      passed++;
      expect(found, `seed ${SEED + run}, ${engine}: ${line.toString()}`).toEqual([]);
    }
  }
  // Else nothing was shown.
  expect(passed).toBeGreaterThan(RUNS / 20);
});

test(`random texts (seed ${SEED})`, { timeout: 20 * 60_000 }, () => {
  const escapes = ['\\u{3c}|end|>', '\\U003c|end|>', '\\X3c', '[\\x49NST]', '<\\u007cend|>', '[\\u0049NST]', '\\u'];
  const pieces = [...PIECES, ...escapes];
  let passed = 0;
  for (let run = 0; run < RUNS; run++) {
    const random = randomOf(SEED + run);
    const words = Array.from({ length: 1 + random.below(4) }, () => random.pick(random.once(2) ? pieces : ['a ', 'b']));
    const bytes = Buffer.from(words.join(''));
    const body = random.pick(['openchatml-0.1', 'openchatml-2.2', 'harmony'] as const);
    const found = findTokens(words.join(''), { body, role: 'user', edges: 'none' }, Infinity);
    for (const one of BUILDS) {
      // At each place of a block; what stands behind it belongs to something else.
      const at = random.below(16);
      one.output.set(bytes, at);
      one.output.set(Buffer.from(random.pick(['<|end|>', 'x<|im_end|>', '    '])), at + bytes.length);
      if (one.mayHold(one.outputAt + at, one.outputAt + at + bytes.length)) continue;
      passed++;
      expect(found, `seed ${SEED + run}: ${JSON.stringify(words.join(''))}`).toEqual([]);
    }
  }
  expect(passed).toBeGreaterThan(RUNS / 10);
});

const ESCAPES = Buffer.from('"\\/bfnrtu');

test('what may begin with two bytes: the builds agree', () => {
  const answers = BUILDS.map((one) => {
    const found: number[] = [];
    for (let first = 0x20; first < 0x100; first++) {
      for (let second = 0; second < 0x100; second++) {
        if (first === 0x5c && !ESCAPES.includes(second)) continue;
        // At each place of a block; in bytes that are no text, so the scan is done with one that is.
        const line = Buffer.from(`{"messages":[{"role":"user","content":"${' '.repeat(second & 15)}xyzab"}]}\n`);
        one.input.set(line);
        const end = one.scan(0, line.length, FORM_MESSAGES);
        const at = line.indexOf('x');
        one.input[at] = first;
        one.input[at + 1] = second;
        if (one.audit(0, end) !== end) found.push(first << 8 | second);
      }
    }
    return found;
  });
  expect(answers[0]!.length).toBeGreaterThan(100);
  expect(answers[0]).toEqual(answers[1]);
});
