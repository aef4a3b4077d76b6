// Values by bytes: made once for the same bytes, whatever else was asked for in between, and bounded.
import { expect, test } from 'vitest';
import { ByBytes } from '../../src/model/by-bytes.ts';
import { randomOf, SEED } from '../random.ts';

test(`the value of the same bytes, however they lie (OPENCHATML_SEED=${SEED})`, () => {
  const { below, once } = randomOf(SEED);
  const known = new ByBytes<string>();
  const keys: Uint8Array[] = [];
  for (let run = 0; run < 5000; run++) {
    const old = keys[below(keys.length || 1)];
    const key = old !== undefined && !once(4) ? old.slice() : Uint8Array.from({ length: below(40) }, () => below(3));
    // One byte more or less, or another one.
    if (once(6) && key.length > 0) key[below(key.length)] = below(256);
    const cut = once(9) ? key.subarray(0, below(key.length + 1)) : key;
    keys.push(cut);
    const shifted = new Uint8Array(cut.length + 7).fill(7);
    shifted.set(cut, 3);
    expect(known.get(shifted.subarray(3, 3 + cut.length), () => cut.join())).toBe(cut.join());
  }
});

test('is made once', () => {
  const known = new ByBytes<object>();
  const [a, b] = [Uint8Array.of(1, 2, 3), Uint8Array.of(1, 2, 3, 0)];
  const made = known.get(a, () => ({}));
  expect(known.get(b, () => ({}))).not.toBe(made);
  expect(known.get(a.slice(), () => ({}))).toBe(made);
});

test('what is too long is made each time, and all of it has a bound', () => {
  const known = new ByBytes<object>();
  const long = new Uint8Array(64 * 1024 + 1);
  expect(known.get(long, () => ({}))).not.toBe(known.get(long, () => ({})));
  const first = new Uint8Array(60_000);
  const made = known.get(first, () => ({}));
  for (let i = 1; i < 80; i++) known.get(new Uint8Array(60_000).fill(i), () => ({}));
  expect(known.get(first, () => ({}))).not.toBe(made);
});
