// Places of values in JSON bytes, against a reference that reads character by character, and on what is no JSON.
import { describe, expect, test } from 'vitest';
import {
  type JsonPlace, JsonPointers, placesOf, RawOffsets, rawOffset, spanOf,
} from '../../../src/corpus/records/json-place.ts';
import { type Random, randomOf, SEED } from '../../random.ts';

/** The value within another one at a path of keys and indices; null: there is none. */
function placeAt(place: JsonPlace, path: readonly (string | number)[]): JsonPlace | null {
  let at: JsonPlace | undefined = place;
  for (const step of path) {
    const inner: JsonPlace['inner'] = at.inner;
    if (typeof step === 'string') at = inner instanceof Map ? inner.get(step) : undefined;
    else at = Array.isArray(inner) ? inner[step] : undefined;
    if (!at) return null;
  }
  return at;
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

/** The text of the value at a path, as it stands. */
function at(json: string, path: (string | number)[]): string | null {
  const bytes = encode(json);
  const span = spanOf(bytes, path);
  return span && decode(bytes.subarray(span.from, span.to));
}

describe('spanOf', () => {
  const cases: [json: string, path: (string | number)[], text: string | null][] = [
    ['{"a":{"b":[1, "x" ,{"c":null}]}}', ['a', 'b', 1], '"x"'],
    ['{"a":{"b":[1,"x",{"c":null}]}}', ['a', 'b', 2, 'c'], 'null'],
    ['{"a":{"b":[1,"x"]}}', ['a', 'b'], '[1,"x"]'],
    [' [ ] ', [], '[ ]'],
    [' -1.5e3 ', [], '-1.5e3'],
    ['"é\\"}"', [], '"é\\"}"'],
    ['{"a":1,"a":2}', ['a'], '2'],
    ['{"a":{"b":1},"a":{"c":2}}', ['a', 'b'], null],
    ['{"a":{"b":1},"a":[{"b":3}]}', ['a', 0, 'b'], '3'],
    ['{"a":[1],"a":1}', ['a', 0], null],
    ['{"a":[1],"a":1}', ['a'], '1'],
    ['{"a":1,"a":[2,[3]]}', ['a'], '[2,[3]]'],
    ['{"\\u0061\\n":1}', ['a\n'], '1'],
    ['{"\\ud83d\\ude00":1}', ['😀'], '1'],
    ['{"\\ud83d":1,"\ufffd":2}', ['\ud83d'], '1'],
    ['{"\\ud83d":1,"\ufffd":2}', ['\ufffd'], '2'],
    ['{"__proto__":{"x":1}}', ['__proto__', 'x'], '1'],
    ['{"x":{"a":1},"a":2}', ['a'], '2'],
    ['{"0":1}', [0], null],
    ['[1]', ['0'], null],
    ['[1]', [1], null],
    ['[[],[[7]]]', [1, 0, 0], '7'],
    ['{"a":"]}","b":"\\\\"}', ['b'], '"\\\\"'],
    ['"a"', ['a'], null],
    ['', [], null],
    ['  ', ['a'], null],
  ];
  test.each(cases)('%j at %j', (json, path, text) => {
    expect(at(json, path)).toBe(text);
    const bytes = encode(json);
    const root = placesOf(bytes);
    const place = root && placeAt(root, path);
    expect(place && decode(bytes.subarray(place.from, place.to))).toBe(text);
  });

  test('goes as deep as the text', () => {
    const depth = 100_000;
    const bytes = encode(`${'['.repeat(depth)}7${']'.repeat(depth)}`);
    expect(spanOf(bytes, Array<number>(depth).fill(0))).toEqual({ from: depth, to: depth + 1 });
    expect(placesOf(bytes)).toMatchObject({ from: 0, to: bytes.length });
  });
});

/** A JSON text of a random value: spaces, escapes of every kind, duplicate keys. */
function randomJson(random: Random, depth: number): string {
  const space = (): string => random.pick(['', '', '', ' ', '\n', '\t\r\n']);
  const list = (item: () => string): string =>
    Array.from({ length: random.below(4) }, () => space() + item() + space()).join(',');
  switch (depth > 4 ? random.below(3) : random.below(7)) {
    case 0: return random.pick(['1', '-0.5e+3', 'true', 'null']);
    case 1: case 2: return randomString(random);
    case 3: case 4: return `[${list(() => randomJson(random, depth + 1)) || space()}]`;
    default: {
      const key = (): string => random.pick(['"a"', '"\\u0061"', '"b"', '"\\ud800"', '"\ufffd"', '"a\\"}"', '""']);
      return `{${list(() => `${key()}${space()}:${space()}${randomJson(random, depth + 1)}`) || space()}}`;
    }
  }
}

const PIECES = [
  'a', '<', '|', ' ', 'é', '€', '😀', '\u2028', '\\n', '\\"', '\\\\', '\\/', '\\u003c', '\\u003C', '\\u00e9', '\\u20ac',
  '\\ud83d\\ude00', '\\ud83d', '\\ude00', '\\uD83D\\uDE00', '\\ud83dx', '\\u0000', '\\\\u0041',
];

function randomString(random: Random): string {
  return `"${Array.from({ length: random.below(8) }, () => random.pick(PIECES)).join('')}"`;
}

/** Every path of a value. */
function pathsOf(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (Array.isArray(value)) return [path, ...value.flatMap((item, i) => pathsOf(item, [...path, i]))];
  if (value === null || typeof value !== 'object') return [path];
  return [
    path, ...Object.keys(value).flatMap((key) => pathsOf((value as Record<string, unknown>)[key], [...path, key])),
  ];
}

function valueAt(value: unknown, path: (string | number)[]): unknown {
  return path.reduce((it, step) => (it as Record<string | number, unknown>)[step], value);
}

test('random JSON: every value is where JSON.parse has it from', () => {
  for (let round = 0; round < 2000; round++) {
    const json = randomJson(randomOf(SEED + round), 0);
    const bytes = encode(json);
    const value = JSON.parse(json) as unknown;
    const root = placesOf(bytes)!;
    for (const path of pathsOf(value)) {
      const why = `seed ${SEED}, round ${round}: ${json} at ${JSON.stringify(path)}`;
      const span = spanOf(bytes, path);
      expect(span, why).not.toBeNull();
      const text = decode(bytes.subarray(span!.from, span!.to));
      expect(text.trim(), why).toBe(text);
      expect(JSON.parse(text), why).toEqual(valueAt(value, path));
      const { from, to, key } = placeAt(root, path)!;
      expect({ from, to }, why).toEqual(span);
      const step = path.at(-1);
      if (typeof step !== 'string') expect(key, why).toBeNull();
      else expect(JSON.parse(decode(bytes.subarray(key!.from, key!.to))), why).toBe(step);
      expect(spanOf(bytes, [...path, 'none']), why).toBeNull();
    }
  }
});

test('random JSON: pointers of values, by where they begin, in any order', () => {
  for (let round = 0; round < 1000; round++) {
    const random = randomOf(SEED + round);
    const json = randomJson(random, 0);
    const bytes = encode(json);
    const values = pathsOf(JSON.parse(json)).map((path) => ({ path, from: spanOf(bytes, path)!.from }));
    const pointers = new JsonPointers(bytes);
    const inOrder = values.toSorted((a, b) => a.from - b.from);
    for (const { path, from } of [...inOrder, ...inOrder.toReversed()]) {
      const why = `seed ${SEED}, round ${round}: ${json} at ${from}`;
      const escaped = path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`);
      expect(pointers.at(from), why).toBe(escaped.join(''));
    }
    expect(pointers.at(bytes.length)).toBeNull();
  }
});

/** For each byte of the value, and for its end, the byte of the text: read one character after another. */
function reference(json: string): number[] {
  const found: number[] = [];
  let raw = 1;
  let text = json.slice(1, -1);
  while (text !== '') {
    const written = /^(?:\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.|[^\\])/su.exec(text)![0];
    const bytes = encode(JSON.parse(`"${written}"`) as string).length;
    const isEscape = written.startsWith('\\');
    for (let i = 0; i < bytes; i++) found.push(raw + (isEscape ? 0 : i));
    raw += encode(written).length;
    text = text.slice(written.length);
  }
  return [...found, raw];
}

describe('rawOffset', () => {
  const cases: [json: string, expected: number[]][] = [
    ['"abc"', [1, 2, 3, 4]],
    ['""', [1]],
    ['"a\\u003cb"', [1, 2, 8, 9]],
    ['"é\\u00e9."', [1, 2, 3, 3, 9, 10]],
    ['"\\ud83d\\ude00."', [1, 1, 1, 1, 13, 14]],
    ['"\\ud83d."', [1, 1, 1, 7, 8]],
    ['"\\ude00\\ud83d"', [1, 1, 1, 7, 7, 7, 13]],
    ['"\\ud83d\\ud83d\\ude00"', [1, 1, 1, 7, 7, 7, 7, 19]],
    ['"\\n\\\\"', [1, 3, 5]],
  ];
  test.each(cases)('%s', (json, expected) => {
    const bytes = encode(json);
    const span = { from: 0, to: bytes.length };
    expect(reference(json)).toEqual(expected);
    expect(expected.map((_, offset) => rawOffset(bytes, span, offset))).toEqual(expected);
    expect(rawOffset(bytes, span, expected.length + 5)).toBe(expected.at(-1));
    expect(rawOffset(bytes, span, -3)).toBe(1);
  });

  test('random strings: as the reference, in any order', () => {
    for (let round = 0; round < 3000; round++) {
      const random = randomOf(SEED + round);
      const before = random.pick(['', '[ ', '{"é":']);
      // Of what stands between escapes, what is long is passed in another way.
      const long = 'x'.repeat(random.below(100));
      const json = `${randomString(random).slice(0, -1)}${long}${randomString(random).slice(1)}`;
      const from = encode(before).length;
      const bytes = encode(`${before}${json}  `);
      const expected = reference(json).map((raw) => raw + from);
      const span = { from, to: from + encode(json).length };
      const many = new RawOffsets(bytes, span);
      for (let i = 0; i < 20; i++) {
        const offset = random.below(expected.length);
        const why = `seed ${SEED}, round ${round}: ${json} at ${offset}`;
        expect(rawOffset(bytes, span, offset), why).toBe(expected[offset]);
        expect(many.of(offset), why).toBe(expected[offset]);
      }
    }
  });
});

test('offsets of a long string, in any order, are those of short steps', () => {
  const random = randomOf(SEED);
  const parts = ['plain text, ', '\\n', '\\u00e9', '\\ud83d\\ude00', 'é', '\\ud800'];
  let json = '"';
  while (json.length < 400_000) json += random.pick(parts);
  const bytes = encode(`${json}"`);
  const span = { from: 0, to: bytes.length };
  const steps = new RawOffsets(bytes, span);
  const expected: number[] = [];
  while (expected.at(-1) !== bytes.length - 1) expected.push(steps.of(expected.length));
  const many = new RawOffsets(bytes, span);
  for (let i = 0; i < 2000; i++) {
    const offset = random.below(expected.length);
    expect(many.of(offset), `seed ${SEED}, offset ${offset}`).toBe(expected[offset]);
  }
});

test('keys are those that stand there, where the bytes of one record are written over by the next', () => {
  const keys = (bytes: Uint8Array): string[] => [...(placesOf(bytes)!.inner as Map<string, JsonPlace>).keys()];
  const bytes = Buffer.from('{"abcde":1}');
  expect(keys(bytes)).toEqual(['abcde']);
  bytes.write('{"axcde":1}');
  expect(keys(bytes)).toEqual(['axcde']);
  expect(keys(Buffer.from('{"abcde":1}'))).toEqual(['abcde']);
});

test('what is no JSON gives null or a place within it', () => {
  for (let round = 0; round < 5000; round++) {
    const random = randomOf(SEED + round);
    const pieces = [...PIECES, '"', '{', '}', '[', ']', ',', ':', '"a":', '1', '\\', '\\u12', '\\ud83d\\u'];
    const bytes = encode(Array.from({ length: random.below(12) }, () => random.pick(pieces)).join(''));
    const why = `seed ${SEED}, round ${round}: ${decode(bytes)}`;
    for (const path of [[], ['a'], [0], ['a', 0], [0, 'a']]) {
      const span = spanOf(bytes, path);
      if (span) expect(span.from >= 0 && span.from < span.to && span.to <= bytes.length, why).toBe(true);
    }
    placesOf(bytes);
    const span = { from: random.below(bytes.length + 3), to: random.below(bytes.length + 3) };
    for (let offset = -1; offset < bytes.length + 2; offset++) {
      const raw = rawOffset(bytes, span, offset);
      expect(raw >= 0 && raw <= bytes.length, why).toBe(true);
    }
  }
});
