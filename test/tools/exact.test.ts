// Numbers that a double does not hold.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isRounded } from '../../src/tools/exact.ts';
import { SEED } from '../random.ts';

test.each<[string, boolean]>([
  ['{"id":12345678901234567890}', true],
  ['{"id":12345678901234567000}', false],
  ['{"id":"12345678901234567891"}', false],
  ['{"a\\"1":"9007199254740993","b":9007199254740993}', true],
  ['9007199254740992', false],
  ['[0.1,1e5,1E+2,-0.0,100000000000000000000]', false],
  ['[1e400]', true],
  ['[1e-400]', true],
  ['[0e400,0.00000000000000000000]', false],
  ['0.1000000000000000055511151231257827', true],
  ['0.100000000000000000000000000', false],
  ['1234567890123456.5', false],
  ['"a number: 12345678901234567891"', false],
])('%s: %s', (text, rounded) => {
  expect(isRounded(text)).toBe(rounded);
});

test(`what JSON.stringify writes is not rounded (OPENCHATML_SEED=${SEED})`, () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => !isRounded(JSON.stringify(value))), { seed: SEED, numRuns: 3000 });
});

test('a long text takes linear time', () => {
  expect(isRounded(`["${'1'.repeat(2_000_000)}","${'\\"'.repeat(500_000)}",${'1,'.repeat(500_000)}1]`)).toBe(false);
});

test('strings of many MiB, with escapes or without', () => {
  for (const inside of ['x'.repeat(9_000_000), '\\"'.repeat(5_000_000), '\\\\'.repeat(5_000_000)]) {
    expect(isRounded(`["${inside}",1e5]`)).toBe(false);
    expect(isRounded(`{"1e400 ${inside}":"1e400\\"","b":1e400}`)).toBe(true);
    expect(isRounded(`{"1e400 ${inside}":"1e400\\\\","b":"1e400`)).toBe(false);
  }
});
