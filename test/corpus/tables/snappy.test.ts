// Compressed bytes: another program's decompressor gives back what was there, and nothing grows by more than a little.
import fc from 'fast-check';
import { snappyUncompress } from 'hyparquet';
import { expect, test } from 'vitest';
import { compressSnappy } from '../../../src/corpus/tables/snappy.ts';
import { randomOf, SEED } from '../../random.ts';

function roundTrip(input: Uint8Array): Uint8Array {
  const compressed = compressSnappy(input);
  expect(compressed.length).toBeLessThanOrEqual(10 + input.length + input.length / 60);
  const output = new Uint8Array(input.length);
  // It takes no input without bytes.
  if (input.length > 0) snappyUncompress(compressed, output);
  if (Buffer.compare(output, input) !== 0) throw new Error(`${input.length} bytes are not the same`);
  return compressed;
}

const BLOCK = 65536;
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

test('of every length around what the form has of its own', () => {
  const random = randomOf(1);
  const noise = Uint8Array.from({ length: 3 * BLOCK }, () => random.below(256));
  const lengths = [...Array(300).keys(), BLOCK - 16, BLOCK - 1, BLOCK, BLOCK + 1, BLOCK + 15, BLOCK + 16, 3 * BLOCK];
  for (const length of lengths) {
    roundTrip(noise.subarray(0, length));
    roundTrip(new Uint8Array(length).fill(97));
    // A copy that is as long, at distances on both sides of 2048.
    for (const distance of [length, 2047, 2048]) {
      const before = noise.subarray(0, Math.max(distance, length));
      roundTrip(Buffer.concat([before, noise.subarray(0, length), noise.subarray(5000, 5020)]));
    }
  }
});

test('what repeats itself becomes small', () => {
  expect(roundTrip(new Uint8Array(1_000_000)).length).toBeLessThan(50_000);
  expect(roundTrip(encode('the same words again and again, '.repeat(10_000))).length).toBeLessThan(20_000);
  const random = randomOf(2);
  const words = Array.from({ length: 20_000 }, () => random.pick(['word', 'other', 'nothing', 'else', 'there', 'is']));
  const text = encode(words.join(' '));
  expect(roundTrip(text).length).toBeLessThan(0.5 * text.length);
});

test('the input may lie anywhere in its buffer', () => {
  const text = encode('abcdefgh'.repeat(40));
  const buffer = new Uint8Array(1000).fill(120);
  buffer.set(text, 13);
  expect(roundTrip(buffer.subarray(13, 13 + text.length))).toEqual(roundTrip(text));
});

test(`any pieces come back (OPENCHATML_SEED=${SEED})`, () => {
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 20 }), fc.integer({ min: 1, max: 400 }))
      .map(([bytes, times]) => Buffer.concat(Array<Uint8Array>(times).fill(bytes))),
    fc.integer({ min: 0, max: BLOCK + 100 }).map((length) => new Uint8Array(length)),
  );
  const input = fc.array(piece, { minLength: 1, maxLength: 12 }).chain((pieces) => {
    const order = fc.array(fc.nat(pieces.length - 1), { maxLength: 20 });
    return order.map((places) => Buffer.concat(places.map((i) => pieces[i]!)));
  });
  fc.assert(fc.property(input, (bytes) => void roundTrip(bytes)), { seed: SEED, numRuns: 300 });
});
