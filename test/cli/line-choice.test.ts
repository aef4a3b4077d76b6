// Lines that are chosen: the first ones, or a sample that depends on lines and seed alone.
import { expect, test } from 'vitest';
import { FirstLines, type LineChoice, LineSample } from '../../src/cli/line-choice.ts';

const LINES = Array.from({ length: 5000 }, (_, i) => `${i} ${'x'.repeat(i % 7)}\n`);

/** What comes of lines that are cut every `step` bytes. */
function chosen(
  make: (write: (bytes: Uint8Array) => void) => LineChoice, lines: readonly string[], step: number,
): string[] {
  const out: Buffer[] = [];
  const choice = make((bytes) => out.push(Buffer.from(bytes)));
  const all = Buffer.from(lines.join(''));
  for (let at = 0; at < all.length && !choice.isDone; at += step) choice.take(all.subarray(at, at + step));
  choice.end();
  return Buffer.concat(out).toString().split('\n').slice(0, -1).map((line) => `${line}\n`);
}

test.each([1, 3, 1000, 1e6])('cut every %i bytes', (step) => {
  for (const count of [1, 2, 4999, 5000, 6000]) {
    expect(chosen((write) => new FirstLines(count, write), LINES, step)).toEqual(LINES.slice(0, count));
  }
  const sampled = (by: number): string[][] =>
    [0, 1, 2 ** 40].map((seed) => chosen((write) => new LineSample(20, seed, write), LINES, by));
  const samples = sampled(step);
  expect(samples).toEqual(sampled(100));
  expect(new Set(samples.map((sample) => sample.join(''))).size).toBe(3);
  for (const sample of samples) expect(sample).toEqual(LINES.filter((line) => sample.includes(line)));
  expect(chosen((write) => new LineSample(5000, 0, write), LINES, step)).toEqual(LINES);
});

test('a sample prefers no line', () => {
  // Of 100 lines 10 are taken 2,000 times: each line 200 times, and seldom 60 more or fewer.
  const lines = LINES.slice(0, 100);
  const taken = new Map<string, number>();
  for (let seed = 0; seed < 2000; seed++) {
    for (const line of chosen((write) => new LineSample(10, seed, write), lines, 1e6)) {
      taken.set(line, (taken.get(line) ?? 0) + 1);
    }
  }
  expect(taken.size).toBe(100);
  for (const count of taken.values()) expect(Math.abs(count - 200)).toBeLessThan(80);
});
