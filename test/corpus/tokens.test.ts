// Tokens of texts: those of the package where no run is long, and bounded work where one is.
import { encode } from 'gpt-tokenizer/encoding/o200k_harmony';
import { describe, expect, test } from 'vitest';
import { ENCODINGS, loadTokenizer, tokenCounter } from '../../src/corpus/tokens.ts';
import { runs } from '../long.ts';
import { type Random, randomOf, SEED } from '../random.ts';

const WORDS = [
  'a', 'stra\u00dfe', '\u4e2d\u6587', '\u{1f600}', '\n', ' ', '  ', "'s", '123456', '<|end|>', '=',
  '\u0301',
];
const text = (random: Random): string =>
  Array.from({ length: random.below(120) }, () => random.pick(WORDS)).join('');

describe('tokens', async () => {
  for (const encoding of ENCODINGS) await loadTokenizer(encoding);

  test('by vocabulary', () => {
    expect(ENCODINGS.map((encoding) => tokenCounter(encoding)('Hello, \u4e2d\u6587!'))).toEqual([4, 4, 5, 7, 7, 7]);
    for (const encoding of ENCODINGS) expect(tokenCounter(encoding)('')).toBe(0);
  });

  test(`short runs are counted as the package counts, seed ${SEED}`, () => {
    const random = randomOf(SEED);
    const count = tokenCounter('o200k_harmony');
    for (let run = 0; run < runs(3000); run++) {
      const one = text(random);
      expect(count(one), JSON.stringify(one)).toBe(encode(one, { disallowedSpecial: new Set() }).length);
    }
  });

  test.each([
    ['letters', 'a'], ['signs', '='], ['white space', '\n'], ['marks', 'a\u0301'],
    ['characters of two units', '\u{1f600}'], ['signs and marks', '=\u0301'], ['half characters', '\ud800'],
  ])('a long run of %s is counted in parts of 500', (_, piece) => {
    const count = tokenCounter('o200k_harmony');
    const long = piece.repeat(400_000 / piece.length);
    const part = count(piece.repeat(500 / piece.length));
    expect(Math.abs(count(long) - part * 800)).toBeLessThan(part * 8);
    expect(count(`x ${long} y`)).toBeGreaterThan(part * 790);
  });

  test('what was not loaded cannot count', async () => {
    await expect(loadTokenizer('gpt2' as 'r50k_base')).rejects.toThrow('npm install gpt-tokenizer');
    expect(() => tokenCounter('gpt2' as 'r50k_base')).toThrow('gpt2 was not loaded');
  });
});
