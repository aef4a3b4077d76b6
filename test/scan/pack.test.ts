// What the pack machine writes: another program reads back what was there, the same bytes in every build, and Snappy
// grows nothing by more than a little.
import fc from 'fast-check';
import { snappyUncompress } from 'hyparquet';
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js';
import { readRleBitPackedHybrid } from 'hyparquet/src/encoding.js';
import { describe, expect, test } from 'vitest';
import { MOST_VALUES, PackMachine } from '../../src/scan/pack-machine.ts';
import { randomOf, SEED } from '../random.ts';

const MACHINES = (['simd', 'scalar'] as const).map((build) => new PackMachine(build));

/** The page that every build makes. */
function pageOf(
  add: (machine: PackMachine) => void,
  take = (machine: PackMachine): Uint8Array => machine.plain,
): Uint8Array {
  const [first, second] = MACHINES.map((machine) => {
    machine.begin();
    add(machine);
    return take(machine).slice();
  });
  expect(Buffer.compare(first!, second!)).toBe(0);
  return first!;
}

const readerOf = (bytes: Uint8Array): { view: DataView; offset: number } => {
  // It may look at bytes behind the end.
  const padded = new Uint8Array(bytes.length + 8);
  padded.set(bytes);
  return { view: new DataView(padded.buffer), offset: 0 };
};

describe('numbers', () => {
  function differencesBack(values: readonly number[]): void {
    const page = pageOf((machine) => {
      machine.numbers.set(values);
      const sorted = Float64Array.from(values).sort();
      const bounds = [sorted[0]! + 0, sorted.at(-1)! + 0];
      expect(machine.addDifferences(values.length)).toEqual(bounds);
    });
    const [found, reader] = [new BigInt64Array(values.length), readerOf(page)];
    deltaBinaryUnpack(reader, values.length, found);
    expect(Array.from(found, Number)).toEqual(values);
    expect(reader.offset).toBe(page.length);
  }

  function lengthsBack(values: readonly number[]): void {
    const page = pageOf((machine) => {
      machine.words.set(values);
      machine.addLengths(values.length);
    });
    const found = new Int32Array(values.length);
    deltaBinaryUnpack(readerOf(page), values.length, found);
    expect([...found]).toEqual(values);
  }

  const LARGEST = 2 ** 53;
  const CASES: [name: string, values: number[]][] = [
    ['one', [7]],
    ['the same', Array<number>(1000).fill(5)],
    ['rising', Array.from({ length: 500 }, (_, i) => 3 * i)],
    ['around the length of a block', Array.from({ length: 129 }, (_, i) => i * i)],
    ['one more than blocks', Array.from({ length: 258 }, (_, i) => (i * 7919) % 1000)],
  ];
  test.each(CASES)('%s', (_, values) => {
    differencesBack(values);
    lengthsBack(values);
  });

  test('the greatest and the least', () => {
    differencesBack([0, LARGEST, -LARGEST, LARGEST, 0, -1, 1]);
    lengthsBack([0, 2 ** 29, 0, 2 ** 29, 1]);
  });

  test('no number', () => {
    const page = pageOf((machine) => machine.addLengths(0));
    // A block has 128 of them in 4 parts; there are 0, and the first one is 0.
    expect([...page]).toEqual([0x80, 1, 4, 0, 0]);
  });

  test('as many as there is room for, of every width', () => {
    const random = randomOf(SEED);
    const number = (): number => Math.floor(2 ** (53 * random.below(1000) / 1000)) * (random.once(2) ? 1 : -1);
    differencesBack(Array.from({ length: MOST_VALUES }, number));
  });

  test(`any numbers (OPENCHATML_SEED=${SEED})`, () => {
    const number = fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -300, max: 300 }));
    const some = { minLength: 1, maxLength: 400 };
    fc.assert(fc.property(fc.array(number, some), differencesBack), { seed: SEED, numRuns: 300 });
    const length = fc.oneof(fc.nat(2 ** 29), fc.nat(100));
    fc.assert(fc.property(fc.array(length, some), lengthsBack), { seed: SEED, numRuns: 300 });
  });
});

describe('what is there', () => {
  const CASES: [name: string, isThere: (i: number) => boolean][] = [
    ['all', () => true], ['none', () => false], ['some', (i) => i % 3 === 0 || i % 7 === 1],
  ];
  test.each(CASES)('%s', (_, isThere) => {
    for (const count of [0, 1, 2, 1000]) {
      const places = [...Array(count).keys()];
      for (const machine of MACHINES) {
        const marks = places.map((i) => (isThere(i) ? 1 : 0));
        machine.words.set(places.map((i) => (isThere(i) ? 5 * i : -1)));
        expect(machine.presentWords(count)).toBe(marks.filter((mark) => mark === 1).length);
        expect([...machine.marks.subarray(0, count)]).toEqual(marks);
        const there = places.filter(isThere);
        expect([...machine.words.subarray(0, there.length)]).toEqual(there.map((i) => 5 * i));
        machine.numbers.set(places.map((i) => (isThere(i) ? -(2 ** 40) * i : NaN)));
        expect(machine.presentNumbers(count)).toBe(there.length);
        expect([...machine.marks.subarray(0, count)]).toEqual(marks);
        expect([...machine.numbers.subarray(0, there.length)]).toEqual(there.map((i) => -(2 ** 40) * i));
      }
    }
  });
});

describe('runs and bits', () => {
  function idsBack(values: readonly number[], width: number): Uint8Array {
    const page = pageOf((machine) => {
      machine.words.set(values);
      machine.addIds(values.length, width);
    });
    const [found, reader] = [new Int32Array(values.length), readerOf(page)];
    readRleBitPackedHybrid(reader, width, found, page.length);
    expect([...found]).toEqual(values);
    return page;
  }

  function marksBack(values: readonly number[]): Uint8Array {
    const page = pageOf((machine) => {
      machine.marks.set(values);
      machine.addMarks(values.length);
    });
    expect(page).toEqual(idsBack(values, 1));
    return page;
  }

  test('one number for all of them takes no room', () => {
    expect([...idsBack(Array<number>(1000).fill(0), 0)]).toEqual([0xd0, 0x0f]);
    expect(idsBack([0, 0, 0], 0).length).toBe(1);
    expect(marksBack(Array<number>(MOST_VALUES).fill(1)).length).toBe(4);
  });

  test('runs of every length at every place', () => {
    for (let before = 0; before < 20; before++) {
      for (let length = 0; length < 30; length++) {
        const values = [...Array.from({ length: before }, (_, i) => i & 1), ...Array<number>(length).fill(1), 0, 1, 0];
        marksBack(values);
        idsBack(values.map((value) => 300 * value), 9);
      }
    }
  });

  test(`any numbers of any width (OPENCHATML_SEED=${SEED})`, () => {
    const random = randomOf(SEED);
    for (let run = 0; run < 1000; run++) {
      // The reader has no more than 24.
      const width = random.below(25);
      const values: number[] = [];
      for (let parts = random.below(8); parts >= 0; parts--) {
        const one = random.below(2 ** width);
        const isRun = random.once(2);
        for (let i = random.below(40); i >= 0; i--) values.push(isRun ? one : random.below(2 ** width));
      }
      idsBack(values, width);
    }
  });
});

describe('Snappy', () => {
  function roundTrip(input: Uint8Array, before = 0): Uint8Array {
    const head = new Uint8Array(before).fill(1);
    const compressed = pageOf((machine) => {
      for (const byte of head) machine.addByte(byte);
      machine.addBytes(input);
      expect(machine.length).toBe(before + input.length);
    }, (machine) => machine.compressed());
    expect(compressed.length).toBeLessThanOrEqual(10 + before + input.length + input.length / 60);
    const output = new Uint8Array(before + input.length);
    // It takes no input without bytes.
    if (output.length > 0) snappyUncompress(compressed, output);
    const isSame = Buffer.compare(output, Buffer.concat([head, input])) === 0;
    if (!isSame) throw new Error(`${input.length} bytes are not the same`);
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

  test('around what is compressed at once, with something before it', () => {
    const window = 2 * 1024 * 1024;
    const random = randomOf(4);
    const noise = Uint8Array.from({ length: 5000 }, () => random.below(256));
    const long = Buffer.concat(Array.from({ length: 1300 }, () => noise.subarray(0, random.below(5000))));
    expect(long.length).toBeGreaterThan(window + BLOCK);
    for (const before of [0, 1, 7]) {
      for (const length of [window - 8, window - 7, window - 1, window, window + 1, window + BLOCK, long.length]) {
        roundTrip(long.subarray(0, length), before);
      }
    }
    roundTrip(Buffer.concat([long, long, long]), 3);
  });

  test('what repeats itself becomes small', () => {
    expect(roundTrip(new Uint8Array(1_000_000)).length).toBeLessThan(50_000);
    expect(roundTrip(encode('the same words again and again, '.repeat(10_000))).length).toBeLessThan(20_000);
    const random = randomOf(2);
    const choice = ['word', 'other', 'nothing', 'else', 'there', 'is'];
    const words = Array.from({ length: 20_000 }, () => random.pick(choice));
    const text = encode(words.join(' '));
    expect(roundTrip(text).length).toBeLessThan(0.5 * text.length);
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
});
