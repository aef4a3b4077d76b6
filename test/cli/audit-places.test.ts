// Lines and columns of what an audit finds in records, however the file is read, beside those counted from the
// positions alone.
import { expect, test } from 'vitest';
import { runs } from '../long.ts';
import { randomOf, SEED } from '../random.ts';
import { file, run } from './harness.ts';

const TEXTS = [
  'plain', '<|end|>', 'a <|im_start|> b', '\u00fc<think>\u00fc</think>', '\u{1f600} [INST]', '&lt;|end|>', '<s>', '\r',
  '\u2028<|end|>', 'x'.repeat(3000), `${'\u00e9'.repeat(900)}<|END|>`,
];

/** Line and column of a byte: columns are code points, and lines end at LF. */
function placeOf(bytes: Buffer, position: number): { line: number; column: number } {
  const before = bytes.subarray(0, position);
  const lineFrom = before.lastIndexOf(0x0a) + 1;
  const line = before.filter((byte) => byte === 0x0a).length + 1;
  return { line, column: [...before.subarray(lineFrom).toString()].length + 1 };
}

test(`random records (OPENCHATML_SEED=${SEED})`, async () => {
  const random = randomOf(SEED);
  let found = 0;
  for (let round = 0; round < runs(100); round++) {
    const record = (): string => {
      const messages = Array.from({ length: 1 + random.below(4) }, () => ({
        role: random.pick(['user', 'assistant', 'system', 'odd']), content: random.pick(TEXTS) + random.pick(TEXTS),
      }));
      return random.pick(['', '', '  ']) + JSON.stringify(random.pick<unknown>([
        { messages }, { messages, id: random.pick(TEXTS) }, { text: random.pick(TEXTS) }, { other: 1 },
        { conversations: messages.map(({ content }) => ({ from: 'human', value: content })) },
      ]));
    };
    const lines = Array.from({ length: 1 + random.below(30) }, () => random.once(8) ? '' : record());
    const list = `[\n${lines.filter((line) => line !== '').join(',\n ')}\n]`;
    const text = random.once(6) ? list : lines.join(random.pick(['\n', '\r\n']));
    const bytes = Buffer.from(text);
    const path = file(`audit-places/${round}.jsonl`, bytes);
    for (const [argv, stdin] of [[[path], undefined], [['--form', 'auto', '-'], bytes]] as const) {
      const options = ['--format', 'ndjson', '--quiet', '--threads', '1'];
      const { out } = await run(['audit', ...options, ...argv], stdin && { stdin });
      for (const told of out.trim().split('\n').map((one) => JSON.parse(one) as Record<string, number | undefined>)) {
        if (told['from'] === undefined) continue;
        found++;
        const { line, column } = placeOf(bytes, told['from']);
        expect({ line: told['line'], column: told['column'] }, `round ${round}: ${out}`).toEqual({ line, column });
      }
    }
  }
  expect(found).toBeGreaterThan(20);
});
