// Nested rows of Parquet files: random ones as JSON, the ways in which writers store lists, maps and variants, and
// columns that do not belong together.
import { readFileSync } from 'node:fs';
import type { SchemaElement } from 'hyparquet';
import { expect, test } from 'vitest';
import { file, jsonLines } from '../../cli/harness.ts';
import { isAll, runs } from '../../long.ts';
import { type Random, randomOf, SEED } from '../../random.ts';
import { readHere, withSchema, write } from './parquet-here.ts';

type Repetition = NonNullable<SchemaElement['repetition_type']>;

const group = (
  name: string, repetition: Repetition, children: number, more: Partial<SchemaElement> = {},
): SchemaElement => ({ name, repetition_type: repetition, num_children: children, ...more });
const text = (name: string, repetition: Repetition = 'OPTIONAL'): SchemaElement =>
  ({ name, repetition_type: repetition, type: 'BYTE_ARRAY', converted_type: 'UTF8' });
const list = (name: string, repetition: Repetition, ...element: SchemaElement[]): SchemaElement[] =>
  [group(name, repetition, 1, { converted_type: 'LIST' }), group('list', 'REPEATED', 1), ...element];
const root = (children: number): SchemaElement => ({ name: 'root', num_children: children });

const CALLS = [
  ...list('tool_calls', 'OPTIONAL', group('element', 'OPTIONAL', 2)),
  text('id'), group('function', 'OPTIONAL', 2), text('name'), text('arguments', 'REQUIRED'),
];
const SCHEMA = [
  root(4),
  ...list('messages', 'OPTIONAL', group('element', 'OPTIONAL', 3)), text('role', 'REQUIRED'), text('content'), ...CALLS,
  { name: 'id', repetition_type: 'OPTIONAL', type: 'INT64' } satisfies SchemaElement,
  ...list('lists', 'OPTIONAL', ...list('element', 'OPTIONAL', {
    name: 'element', repetition_type: 'OPTIONAL', type: 'DOUBLE',
  })),
  group('meta', 'OPTIONAL', 1, { converted_type: 'MAP' }), group('key_value', 'REPEATED', 2), text('key', 'REQUIRED'),
  text('value'),
];
const NAMES = ['messages', 'id', 'lists', 'meta'];

const TEXTS = ['', 'a', '"', 'say "x"\n', '\\', '\u0001', 'é\u{1f600}', 'long '.repeat(60), '\t'.repeat(300)];
/** A value, now and then null. */
const maybe = <T>(random: Random, value: () => T): T | null => (random.once(5) ? null : value());
const several = <T>(random: Random, value: () => T): T[] => Array.from({ length: random.below(4) }, value);

function randomRow(random: Random): Record<string, unknown> {
  const word = (): string => random.pick(TEXTS);
  const call = (): object => ({
    id: maybe(random, word), function: maybe(random, () => ({ name: maybe(random, word), arguments: word() })),
  });
  const message = (): object => ({
    role: word(), content: maybe(random, word),
    tool_calls: maybe(random, () => several(random, () => maybe(random, call))),
  });
  const entry = (_: unknown, n: number): [string, string | null] => [`${word()}${n}`, maybe(random, word)];
  return {
    messages: maybe(random, () => several(random, () => maybe(random, message))),
    id: maybe(random, () => BigInt(random.below(1000))),
    lists: maybe(random, () => several(random, () => maybe(random, () =>
      several(random, () => maybe(random, () => random.below(9) / 2))))),
    meta: maybe(random, () => Object.fromEntries(Array.from({ length: random.below(3) }, entry))),
  };
}

/** What a value is as JSON: of objects what is null is left out, but for a content. */
function told(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(told);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name, member]) => member !== null || name === 'content');
  return Object.fromEntries(members.map(([name, member]) => [name, told(member)]));
}

test('random nested rows are what they hold', async () => {
  for (let n = 0; n < runs(300); n++) {
    const seed = SEED + n;
    const random = randomOf(seed);
    const rows = Array.from({ length: 1 + random.below(40) }, () => randomRow(random));
    const path = write('nested', NAMES.map((name) => ({ name, data: rows.map((row) => row[name]) })), {
      schema: SCHEMA, rowGroupSize: 1 + random.below(30), pageSize: random.pick([20, 200, 100_000]),
    });
    const { text: json, error } = await readHere(path, NAMES);
    expect(error, `seed ${seed}`).toBeNull();
    expect(jsonLines(json), `seed ${seed}`).toEqual(rows.map(told));
  }
});

const MEMBERS = [text('role'), text('content')];
const MESSAGES = [[{ role: 'user', content: 'Hi' }, { role: 'assistant', content: 'Ho' }], [], null];
const TOLD = MESSAGES.map((messages) => (messages === null ? {} : { messages }));

/** What is written, and as what it is read. */
interface Shape {
  readonly written: SchemaElement[];
  readonly data: unknown[];
  readonly read: SchemaElement[];
  readonly rows: unknown[];
}
const listOf = (repetition: Repetition, ...members: SchemaElement[]): SchemaElement[] =>
  list('messages', repetition, group('element', 'REQUIRED', members.length), ...members);

test.each<[string, Shape]>([
  ['a list of two levels, as it was once written', {
    written: listOf('OPTIONAL', ...MEMBERS), data: MESSAGES, rows: TOLD,
    read: [group('messages', 'OPTIONAL', 1, { converted_type: 'LIST' }), group('array', 'REPEATED', 2), ...MEMBERS],
  }],
  ['a list of two levels whose items have one member', {
    written: listOf('OPTIONAL', text('content')), data: MESSAGES,
    rows: [{ messages: [{ content: 'Hi' }, { content: 'Ho' }] }, { messages: [] }, {}],
    read: [
      group('messages', 'OPTIONAL', 1, { converted_type: 'LIST' }), group('messages_tuple', 'REPEATED', 1),
      text('content'),
    ],
  }],
  ['a list of two levels of texts', {
    written: list('messages', 'OPTIONAL', text('element', 'REQUIRED')), data: [['a', 'b'], []],
    rows: [{ messages: ['a', 'b'] }, { messages: [] }],
    read: [group('messages', 'OPTIONAL', 1, { converted_type: 'LIST' }), text('element', 'REPEATED')],
  }],
  ['a list that is told by the logical type alone', {
    written: listOf('OPTIONAL', ...MEMBERS), data: MESSAGES, rows: TOLD,
    read: [
      group('messages', 'OPTIONAL', 1, { logical_type: { type: 'LIST' } }), group('bag', 'REPEATED', 1),
      group('item', 'REQUIRED', 2), ...MEMBERS,
    ],
  }],
  ['a group that is repeated', {
    written: listOf('REQUIRED', ...MEMBERS), data: MESSAGES.slice(0, 2), rows: TOLD.slice(0, 2),
    read: [group('messages', 'REPEATED', 2), ...MEMBERS],
  }],
  ['a map with other names', {
    written: [
      group('messages', 'OPTIONAL', 1, { converted_type: 'MAP' }), group('key_value', 'REPEATED', 2),
      text('key', 'REQUIRED'), text('value'),
    ],
    data: [{ a: 'x', content: null, b: null }, {}], rows: [{ messages: { a: 'x', content: null } }, { messages: {} }],
    read: [
      group('messages', 'OPTIONAL', 1, { converted_type: 'MAP_KEY_VALUE' }), group('map', 'REPEATED', 2),
      text('k', 'REQUIRED'), text('v'),
    ],
  }],
  ['members with the names of what objects have', {
    written: [group('messages', 'OPTIONAL', 2), text('a'), text('b')], data: [{ a: 'x', b: 'y' }, null],
    rows: [{ messages: JSON.parse('{"__proto__":"x","constructor":"y"}') as object }, {}],
    read: [group('messages', 'OPTIONAL', 2), text('__proto__'), text('constructor')],
  }],
])('%s', async (_, { written, data, read, rows }) => {
  const path = write('shapes', [{ name: 'messages', data }], { schema: [root(1), ...written] });
  const { text: json, error } = await readHere(withSchema(path, [root(1), ...read]));
  expect(error).toBeNull();
  expect(jsonLines(json)).toEqual(rows);
});

test('a variant is what it holds, however it is stored', async () => {
  const data = [
    [{ role: 'user', content: 'Hi "x"' }, { role: 'assistant', content: null, n: 12 }],
    [],
    [{ role: 'é', content: 'long '.repeat(100), on: true }],
  ];
  const expected = data.map((messages) => ({ messages }));
  for (const shredding of [undefined, true, [{ role: 'STRING', content: 'STRING' }]] as const) {
    const column = { name: 'messages', data, type: 'VARIANT', ...(shredding && { shredding }) } as const;
    const { text: json, error } = await readHere(write('variant', [column as never]));
    expect([error, jsonLines(json)]).toEqual([null, expected]);
  }
});

test('a row with a text that is no UTF-8 is told, and the rows behind it are whole', async () => {
  const bytes = (value: string): Buffer => Buffer.from(value, 'latin1');
  const binary = (name: string): SchemaElement => ({ name, repetition_type: 'OPTIONAL', type: 'BYTE_ARRAY' });
  const rows = ['a', 'b\xff', 'c', 'd\xe9', 'e'].map((content) => [
    { role: bytes('user'), content: bytes('x') }, { role: bytes('user'), content: bytes(content) },
    { role: bytes('user'), content: bytes(content.repeat(300)) },
  ]);
  const columns = [{ name: 'messages', data: rows }, { name: 'id', data: [1, 2, 3, 4, 5] }];
  const schema = [
    root(2), ...list('messages', 'OPTIONAL', group('element', 'OPTIONAL', 2)), binary('role'), binary('content'),
    { name: 'id', repetition_type: 'REQUIRED', type: 'INT32' } satisfies SchemaElement,
  ];
  const { text: json, error } = await readHere(write('latin', columns, { schema }));
  expect(error).toBeNull();
  const wrong = 'the column messages holds bytes that are not valid UTF-8';
  const told = jsonLines(json).map((row) => (typeof row === 'string' ? row : (row as { id: number }).id));
  expect(told).toEqual([1, wrong, 3, wrong, 5]);
});

test('columns of a list that do not belong together are damage, behind whole rows', async () => {
  const word = (n: number): string => 'abcdefgh'[n % 8]!;
  const rows = Array.from({ length: 24 }, (_, row) => Array.from({ length: row % 4 }, (_, n) => {
    return { role: word(row + n), content: (row + n) % 3 === 0 ? null : word(row * n) };
  }));
  const path = write('levels', [{ name: 'messages', data: rows }], {
    schema: [root(1), ...list('messages', 'OPTIONAL', group('element', 'OPTIONAL', 2), ...MEMBERS)],
    codec: 'UNCOMPRESSED', pageSize: 100,
  });
  const whole = readFileSync(path);
  const pages = whole.length - 8 - whole.readUInt32LE(whole.length - 8);
  let unequal = 0;
  for (let place = 4; place < pages; place += isAll ? 1 : 9) {
    for (const bit of [1, 2, 4, 0x20]) {
      const bytes = Buffer.from(whole);
      bytes[place] = bytes[place]! ^ bit;
      const { text: json, error } = await readHere(file('parquet/levels-flip', bytes));
      const given = jsonLines(json);
      if (error === null) expect(given.length, `byte ${place}`).toBe(24);
      else if (error.reason.includes('other levels')) {
        unequal++;
        // One text may be null instead: that is no other level of what it stands in.
        const lengths = given.map((row) => (row as { messages: unknown[] }).messages.length);
        expect(lengths, `byte ${place}`).toEqual(rows.slice(0, given.length).map((messages) => messages.length));
      }
    }
  }
  expect(unequal).toBeGreaterThan(isAll ? 20 : 1);
});
