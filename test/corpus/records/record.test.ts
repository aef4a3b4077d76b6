// Records of a corpus: lines and lists, in pieces of any size, with everything that may be wrong with them.
import { describe, expect, test } from 'vitest';
import { formOf, holdsRecords } from '../../../src/corpus/records/form.ts';
import { readRecords, type RecordOptions } from '../../../src/corpus/records/record.ts';
import { createMachine } from '../../../src/index.ts';
import { MemorySource } from '../../../src/scan/source.ts';
import { randomOf, SEED } from '../../random.ts';
import { SlowSource } from '../input/slow-source.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

function read(input: string | Uint8Array, options: RecordOptions = {}, most = Infinity): object[] {
  const bytes = typeof input === 'string' ? encode(input) : input;
  return [...readRecords(new SlowSource(bytes, most), options)];
}

/** Line, span and value, or the problem. */
function short(records: object[]): unknown[] {
  return (records as { line: number; from: number; to: number; value?: unknown; problem?: string }[]).map(
    ({ line, from, to, value, problem }) => [line, from, to, problem ?? value],
  );
}

test('very many values in one record are refused, not those in its strings', () => {
  const lists = `{"a":[${'[],'.repeat(65_533)}[]]}`;
  const numbers = `{"a":[${'0,'.repeat(1_048_576)}0]}`;
  const text = JSON.stringify('[\\"{,'.repeat(300_000));
  const lines = [lists, lists.replace('[', '[[],'), numbers, numbers.replace('[', '[0,'), `{${text}:${text}}`];
  const found = read(`${lines.join('\n')}\n`).map((record) => ('problem' in record ? record.problem : null));
  expect(found).toEqual([
    null, 'it holds more than 65536 objects and lists', null, 'it holds more than 1048576 values', null,
  ]);
});

describe('lines', () => {
  const cases: [name: string, input: string | Uint8Array, expected: unknown[]][] = [
    [
      'two, the last one without a newline',
      '{"a":1}\n[2]',
      [
        [1, 0, 7, { a: 1 }],
        [2, 8, 11, [2]],
      ],
    ],
    [
      'CRLF and blank lines',
      '\r\n\n{"a":1}\r\n \t\r\n2\n\n',
      [
        [3, 3, 11, { a: 1 }],
        [5, 16, 17, 2],
      ],
    ],
    ['a byte order mark', '\ufeff{"a":1}\n', [[1, 3, 10, { a: 1 }]]],
    ['nothing', '', []],
    ['white space', ' \n\n', []],
    [
      'escapes and separators within strings',
      '{"a":"\\n\\u003c\u2028"}\n1',
      [
        [1, 0, 19, { a: '\n<\u2028' }],
        [2, 20, 21, 1],
      ],
    ],
    [
      'a broken one between others',
      '{"a":1}\n{"a":\n{"b":2}\n',
      [
        [1, 0, 7, { a: 1 }],
        [2, 8, 13, 'it is no JSON'],
        [3, 14, 21, { b: 2 }],
      ],
    ],
    [
      'bytes that are not UTF-8',
      Uint8Array.from([0x22, 0xff, 0x22, 0x0a, 0x31]),
      [
        [1, 0, 3, 'it is not valid UTF-8'],
        [2, 4, 5, 1],
      ],
    ],
    ['a byte order mark twice', '\ufeff\ufeff1\n', [[1, 3, 7, 'it is no JSON']]],
  ];
  test.each(cases)('%s', (_name, input, expected) => {
    for (const most of [1, 2, 3, 7, Infinity])
      expect(short(read(input, {}, most)), `${most} at once`).toEqual(expected);
  });

  test('a line that is too large is let go, the next one is read', () => {
    const large = `"${'x'.repeat(1_000_000)}"`;
    const input = `1\n${large}\n2\n${large}`;
    for (const most of [1000, Infinity]) {
      expect(short(read(input, { largest: 999_999 }, most))).toEqual([
        [1, 0, 1, 1],
        [2, 2, 1_000_004, 'the record is too large'],
        [3, 1_000_005, 1_000_006, 2],
        [4, 1_000_007, 2_000_009, 'the record is too large'],
      ]);
    }
    expect(read(input, { largest: 1_000_002 })).toHaveLength(4);
    expect(short(read(input, { largest: 1_000_002 }))[1]).toEqual([2, 2, 1_000_004, 'x'.repeat(1_000_000)]);
  });

  test('tells the byte that is wrong when it is asked to', () => {
    const machine = createMachine();
    const locate = (bytes: Uint8Array): number => machine.checkJson(bytes, 1024);
    expect(read('1\n{"a" 1}\n', { locate })[1]).toMatchObject({ problem: 'it is no JSON', at: 7 });
    expect(read('1\n{"a" 1}\n')[1]).toMatchObject({ at: null });
  });

  test('broken lines that come again are told as the first time, each at its place', () => {
    const machine = createMachine();
    const locate = (bytes: Uint8Array): number => machine.checkJson(bytes, 1024);
    const lines = ['{"a" 1}', '{', '{"a" 1}', '{', '1', '{', '{ ', '', '\r', '{"a" 1}', ' {"a" 1}', '{'];
    for (const joinsTurns of [false, true]) {
      const input = `{"role":"user","content":"x"}\n${lines.join('\n')}\n`;
      for (const most of [1, 3, Infinity]) {
        const found = read(input, { locate, joinsTurns }, most) as { from: number; to: number; problem?: string }[];
        const alone = found.map(({ from, to }) => {
          const [one] = read(input.slice(from, to), { locate }) as { problem?: string; at: number | null }[];
          return one!.problem === undefined ? null : [one!.problem, from + one!.at!];
        });
        expect(found.map((one) => ('problem' in one ? [one.problem, (one as { at?: number }).at] : null)))
          .toEqual(alone);
        expect(found.map((one) => (one as { number?: number }).number)).toEqual(found.map((_, index) => index));
        expect(alone.filter((one) => one !== null)).toHaveLength(9);
      }
    }
  });

  test('problems hold nothing of the record', () => {
    expect(JSON.stringify(read('{"secret": oops}\n"sec\xff'))).not.toContain('secret');
  });
});

describe('one list', () => {
  const cases: [name: string, input: string, expected: unknown[]][] = [
    [
      'values',
      '[1, {"a":"]"},\n [2]]\n',
      [
        [1, 1, 2, 1],
        [1, 4, 13, { a: ']' }],
        [2, 16, 19, [2]],
      ],
    ],
    ['empty', '[]', []],
    ['empty with blanks', ' \n [ \n ] \n', []],
    [
      'over lines, after blank ones',
      '\n[\n{\n"a"\n:1}\n,\n2\n]',
      [
        [3, 3, 13, { a: 1 }],
        [7, 15, 17, 2],
      ],
    ],
    [
      'quotes and brackets in strings',
      '["\\"]", "\\\\", "[,"]',
      [
        [1, 1, 6, '"]'],
        [1, 8, 12, '\\'],
        [1, 14, 18, '[,'],
      ],
    ],
    [
      'a broken value',
      '[{"a" 1}, 2]',
      [
        [1, 1, 8, 'it is no JSON'],
        [1, 10, 11, 2],
      ],
    ],
    [
      'a comma too many',
      '[1,]',
      [
        [1, 1, 2, 1],
        [1, 3, 3, 'a value is missing in the list'],
      ],
    ],
    [
      'no end',
      '[1, 2',
      [
        [1, 1, 2, 1],
        [1, 4, 5, 'the list is not ended'],
      ],
    ],
    [
      'something after it',
      '[1]\nx',
      [
        [1, 1, 2, 1],
        [2, 4, 5, 'something follows the list'],
      ],
    ],
  ];
  test.each(cases)('%s', (_name, input, expected) => {
    for (const most of [1, 2, 3, Infinity]) expect(short(read(input, {}, most)), `${most} at once`).toEqual(expected);
  });

  test('a value that is too large is let go', () => {
    const input = `[1, "${'x'.repeat(1_000_000)}", 2]`;
    for (const most of [1000, Infinity]) {
      expect(short(read(input, { largest: 1000 }, most))).toEqual([
        [1, 1, 2, 1],
        [1, 4, 1_000_006, 'the record is too large'],
        [1, 1_000_008, 1_000_009, 2],
      ]);
    }
  });
});

describe('values one after the other', () => {
  const cases: [name: string, input: string, expected: unknown[]][] = [
    ['an object over many lines', '\n{\n  "a": {"b": "}"},\n  "c": []\n}\n', [[2, 1, 33, { a: { b: '}' }, c: [] }]]],
    ['two of them', '{\n "a": 1\n}\n{\n "b": 2\n}', [[1, 0, 11, { a: 1 }], [4, 12, 23, { b: 2 }]]],
    [
      'nothing between them', '{"a":1}{"b":"\\"}"} {"c":3}\n',
      [[1, 0, 7, { a: 1 }], [1, 7, 18, { b: '"}' }], [1, 19, 26, { c: 3 }]],
    ],
    ['a JSON text sequence', '\x1e{"a":1}\n\x1e{"b":2}\n', [[1, 1, 8, { a: 1 }], [2, 10, 17, { b: 2 }]]],
    [
      'a separator ends what is broken',
      '\x1e{"a":[1\n\x1e{"b":"x\x1e{"c":3}',
      [[1, 1, 9, 'it is no JSON'], [2, 10, 17, 'it is no JSON'], [2, 18, 25, { c: 3 }]],
    ],
    ['a broken one', '{\n "a" 1\n}{"b":2}', [[1, 0, 10, 'it is no JSON'], [3, 10, 17, { b: 2 }]]],
    ['a string that is not ended', '{\n "a": "x\n}\n{"b":2}', [[1, 0, 12, 'it is no JSON'], [4, 13, 20, { b: 2 }]]],
    ['no end', '{\n "a": 1', [[1, 0, 9, 'it is no JSON']]],
    [
      'what is no object between them', '{}{} x {\n{"a":1}',
      [[1, 0, 2, {}], [1, 2, 4, {}], [1, 5, 8, 'it is no JSON'], [2, 9, 16, { a: 1 }]],
    ],
    // The first line alone is broken.
    ['lines', '{"a":\n\n{"b":2}\n', [[1, 0, 5, 'it is no JSON'], [3, 7, 14, { b: 2 }]]],
    ['lines, with a blank one', '{"a":\n \n{"b":2}', [[1, 0, 5, 'it is no JSON'], [3, 8, 15, { b: 2 }]]],
    ['lines with blanks in front', '\n\r "a":1\n \t{"b":2}', [[2, 1, 8, 'it is no JSON'], [3, 9, 18, { b: 2 }]]],
    ['lines, the first one ends in a string', '{"a":"x\n  {"b":2}', [[1, 0, 7, 'it is no JSON'], [2, 8, 17, { b: 2 }]]],
  ];
  test.each(cases)('%s', (_name, input, expected) => {
    for (const most of [1, 2, 3, Infinity]) expect(short(read(input, {}, most)), `${most} at once`).toEqual(expected);
  });

  test('an object that is too large is let go', () => {
    const input = `{\n"a": 1}\n{\n"a": "${'x'.repeat(1_000_000)}"}\n{"b": 2}`;
    for (const most of [1000, Infinity]) {
      expect(short(read(input, { largest: 1000 }, most))).toEqual([
        [1, 0, 9, { a: 1 }], [3, 10, 1_000_020, 'the record is too large'], [5, 1_000_021, 1_000_029, { b: 2 }],
      ]);
    }
  });
});

test('any values come back, in every layout, in pieces of any size', () => {
  const random = randomOf(SEED);
  const texts = ['a', '"', '\\', '\n', '[', ']', '{', '}', ',', ':', 'é', '😀', '\u2028', '<|end|>'];
  const value = (depth: number): unknown => {
    if (depth === 0 || random.once(3))
      return random.pick([1.5, null, true, Array.from({ length: random.below(5) }, () => random.pick(texts)).join('')]);
    const inner = Array.from({ length: random.below(4) }, () => value(depth - 1));
    return random.once(2)
      ? inner
      : Object.fromEntries(inner.map((item, index) => [random.pick(texts) + String(index), item]));
  };
  for (let round = 0; round < 300; round++) {
    const values = Array.from({ length: random.below(6) }, () => value(3));
    const end = random.pick(['\n', '\r\n', '\n\n']);
    const lines = values.map((item) => JSON.stringify({ item }) + end).join('');
    const list = JSON.stringify(values, null, random.below(3));
    const gap = random.pick(['', ' ', '\n', '\r\n\n', '\x1e', '\n\x1e']);
    const many = values.map((item) => JSON.stringify({ item, other: {} }, null, random.pick([1, 2, '\t']))).join(gap);
    const most = 1 + random.below(9);
    expect(
      short(read(many, {}, most)).map((record) => (record as unknown[])[3]),
      `seed ${SEED}, round ${round}: ${JSON.stringify(many)}`,
    ).toEqual(values.map((item) => ({ item, other: {} })));
    expect(
      short(read(lines, {}, most)).map((record) => (record as unknown[])[3]),
      `seed ${SEED}, round ${round}`,
    ).toEqual(values.map((item) => ({ item })));
    expect(
      short(read(list, {}, most)).map((record) => (record as unknown[])[3]),
      `seed ${SEED}, round ${round}`,
    ).toEqual(values);
  }
});

describe('detection', () => {
  const raw: [start: string, records: boolean][] = [
    ['{"messages":[]}', true],
    ['\ufeff \n{ "a":1}', true],
    ['[\n{"a":1}]', true],
    ['\x1e{"a":1}', true],
    ['[]', true],
    ['{}', true],
    ['[BOS]\n<|im_start|>', false],
    ['[EOS]', false],
    ['<|start|>user', false],
    ['version: 2.2', false],
    ['', false],
    ['{x', false],
    ['---\n', false],
    // What a model has said, with its token behind it.
    ['{"answer":{"a":"} \\" ]"}}<|return|>', false],
    ['{"x"}<|start|>user', false],
    [' [{"a":1},{}]<|im_end|>', false],
    ['{}<|file_separator|>{"b":2}', false],
    ['{"answer":1}\n<|return|>', true],
    ['{"text":"<|return|>"}', true],
  ];
  test.each(raw)('%j', (start, records) => {
    expect(holdsRecords('-', new MemorySource(encode(start)))).toBe(records);
    // A name decides where the content does not.
    expect(holdsRecords('a.jsonl', new MemorySource(encode(start)))).toBe(!/^(?:\[BOS|<\||version|---)/.test(start));
  });

  test('an answer of up to 1 MiB is told from a record', () => {
    const answer = (length: number): Uint8Array => encode(`{"text":"${'x'.repeat(length)}"}<|return|>`);
    expect(holdsRecords('-', new MemorySource(answer(5000)))).toBe(false);
    expect(holdsRecords('-', new MemorySource(answer(1_000_000)))).toBe(false);
    expect(holdsRecords('-', new MemorySource(answer(2_000_000)))).toBe(true);
  });

  const forms: [value: unknown, form: string | null][] = [
    [{ messages: [{ role: 'user', content: 'U' }] }, 'messages'],
    [{ messages: [{ role: 'assistant', content: null, tool_calls: [] }] }, 'messages'],
    [{ version: '2.0', messages: [] }, 'interchange-2.0'],
    [{ version: '2.10', messages: [] }, 'interchange-2.2'],
    [{ messages: [{ role: 'assistant', channel: 'final', content: 'A' }] }, 'interchange-2.2'],
    [{ messages: [{ role: 'assistant', tool_call: {} }] }, 'interchange-2.2'],
    [{ conversations: [] }, 'sharegpt'],
    [{ id: 1, text: 'T' }, 'text'],
    [{ text: null, error: 'E' }, null],
    [{}, null],
    [[], null],
    ['messages', null],
    [null, null],
  ];
  test.each(forms)('%j is %s', (value, form) => {
    expect(formOf(value)).toBe(form);
  });
});
