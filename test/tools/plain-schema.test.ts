// The quick yes for plain schemas: what it accepts, the library accepts too.
import { Validator } from '@cfworker/json-schema';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { WasmMachine } from '../../src/scan/wasm.ts';
import { TableWriter } from '../../src/tools/argument-table.ts';
import { fitsPlain, plainSchema } from '../../src/tools/plain-schema.ts';
import { isAll, runs } from '../long.ts';
import { randomOf, SEED } from '../random.ts';
import { randomSchema, randomValue } from './random-schema.ts';

const plain = fc.letrec<{ schema: Record<string, unknown> }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(...['string', 'number', 'integer', 'boolean', 'null'].map((type) => ({ type }))),
    fc.record({ type: fc.constant('string'), enum: fc.array(fc.constantFrom('a', 'b', 1, null), { maxLength: 3 }) }),
    fc.record({ type: fc.constant('array'), items: tie('schema') }),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ type: fc.uniqueArray(fc.constantFrom('string', 'null', 'integer', 'boolean'), { minLength: 1 }) }),
    fc.record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('schema')),
        required: fc.array(fc.constantFrom('a', 'b')),
        additionalProperties: fc.boolean(),
      },
      { requiredKeys: ['type'] },
    ),
  ),
}));
const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>('a', 'b', '', 1, 1.5, -0, true, null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3 }),
  ),
}));

/** Whether a value is sure to fit. */
const does = (schema: unknown, value: unknown): boolean => {
  const known = plainSchema(schema);
  return known !== null && fitsPlain(known, value);
};

test('never says yes where the library says no', () => {
  let accepted = 0;
  fc.assert(
    fc.property(plain.schema, values.value, (schema, value) => {
      if (!does(schema, value)) return;
      accepted++;
      expect(new Validator(schema, '2020-12').validate(value).valid).toBe(true);
    }),
    { seed: SEED, numRuns: runs(20_000) },
  );
  expect(accepted).toBeGreaterThan(runs(700));
});

test(`random schemas as definitions have them (OPENCHATML_SEED=${SEED})`, () => {
  const times = runs(40_000);
  let [accepted, valid] = [0, 0];
  for (let i = 0; i < times; i++) {
    const random = randomOf(SEED + i);
    const schema = randomSchema(random);
    const value = randomValue(random, schema);
    // The library does not know `nullable`, and checks formats.
    const isValid = new Validator(withoutNullable(schema) as object, '2020-12').validate(value).valid;
    if (isValid) valid++;
    if (!does(schema, value)) continue;
    accepted++;
    expect(isValid, `OPENCHATML_SEED=${SEED + i}: ${JSON.stringify([schema, value])}`).toBe(true);
  }
  expect(accepted / valid).toBeGreaterThan(0.4);
});

/** The same schema in words of the standard. */
function withoutNullable(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutNullable);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema);
  const { nullable, format: _, ...rest } =
    Object.fromEntries(entries.map(([key, value]) => [key, key === 'enum' ? value : withoutNullable(value)]));
  if (nullable !== true) return rest;
  const { type, enum: members } = rest as { type?: unknown; enum?: unknown[] };
  return {
    ...rest,
    ...(type !== undefined && { type: [...(Array.isArray(type) ? type : [type]) as unknown[], 'null'] }),
    ...(members !== undefined && { enum: [...members, null] }),
  };
}

/** Schemas, values that are sure to fit, and others, of which the library must tell. */
test.each<[schema: object, fitting: readonly unknown[], others: readonly unknown[]]>([
  [{ type: ['string', 'null'] }, ['x', null], [1]],
  [{ type: ['string', 'null'], enum: ['x', null] }, ['x', null], ['y']],
  [{ type: ['integer', 'string'], enum: ['x', 1] }, ['x', 1], ['y', 2]],
  [{ type: 'string', nullable: true, enum: ['x'] }, ['x', null], ['y']],
  [{ type: 'string', minLength: 2, maxLength: 3 }, ['ab', '\u{1f600}\u{1f600}\u{1f600}'], ['a', 'abcd', '\u{1f600}']],
  [{ type: 'number', minimum: 1, maximum: 2.5 }, [1, 2.5], [0.5, 3]],
  [{ type: 'array', items: { type: 'null' }, minItems: 1 }, [[null]], [[]]],
  [{ anyOf: [{ type: 'integer', maximum: 3 }, { type: 'null' }], default: null }, [1, null], [4, 1.5]],
  [{ anyOf: [{ type: 'string', pattern: 'a' }, { type: 'null' }] }, [null], ['a']],
  [{ oneOf: [{ type: 'string' }, { type: 'object', properties: { a: { type: 'null' } } }] }, ['x', { a: null }], [1]],
  [{ oneOf: [{ type: 'number' }, { type: 'integer' }] }, [], [1, 1.5]],
  [{ type: 'object', properties: { a: { $ref: '#/$defs/a' }, b: { type: 'null' } } }, [{ b: null }], [{ a: 1 }]],
  [{ 'x-note': 1, type: 'boolean', $comment: '' }, [true], [1]],
  [{ title: 'Any' }, ['x', 1, 1.5, false, null], [[], {}]],
  [{ enum: ['x', 1] }, ['x', 1], ['y', null]],
  [{ $ref: '#/$defs/kind', $defs: { kind: { type: 'string', enum: ['x'] } } }, ['x'], ['y', 1]],
  [
    { anyOf: [{ $ref: '#/definitions/kind' }, { type: 'null' }], definitions: { kind: { enum: ['x'] } } },
    ['x', null], ['y'],
  ],
  [{ allOf: [{ $ref: '#/$defs/kind' }], default: 1, $defs: { kind: { type: 'integer' } } }, [1], [1.5]],
  [
    { $ref: '#/$defs/tree', $defs: { tree: { type: 'object', properties: {
      name: { type: 'string' }, below: { type: 'array', items: { $ref: '#/$defs/tree' } },
    } } } },
    [{ name: 'x' }], [{ name: 'x', below: [] }],
  ],
])('%j', (schema, fitting, others) => {
  for (const value of fitting) expect([value, does(schema, value)]).toEqual([value, true]);
  for (const value of others) expect([value, does(schema, value)]).toEqual([value, false]);
});

describe('what it does not know', () => {
  test.each<[string, unknown]>([
    ['another keyword', { type: 'string', pattern: '^a$' }],
    ['a reference beside a type', { type: 'string', $ref: '#/$defs/a', $defs: { a: {} } }],
    ['a reference to nothing', { $ref: '#/$defs/b', $defs: { a: {} } }],
    ['a reference out of the definitions', { $ref: '#' }],
    ['a schema that names itself', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } }],
    ['several schemas that must all fit', { allOf: [{ type: 'string' }, { type: 'string' }] }],
    ['a schema that is a boolean', true],
    ['alternatives beside a type', { type: 'string', anyOf: [{ type: 'string' }] }],
    ['required that is no list of names', { type: 'object', required: [1] }],
  ])('%s', (_, schema) => {
    expect(plainSchema(schema)).toBeNull();
  });

  test('properties that are not named, and long lists', () => {
    expect(does({ type: 'object', properties: {} }, { a: 1 })).toBe(false);
    expect(does({ type: 'array', items: { type: 'null' } }, new Array(1001).fill(null))).toBe(false);
  });
});

describe.each(['simd', 'scalar'] as const)('text, %s', (build) => {
  const machine = new WasmMachine({ build });
  const FROM = 5;

  /** Whether `text`, in the window, with more of its kind around it, is accepted. */
  function accepts(schema: unknown, text: string): boolean {
    const plain = plainSchema(schema);
    if (plain === null) return false;
    const table = new TableWriter();
    table.write(plain);
    machine.forgetKept();
    const address = machine.keepTable(table.finish());
    const bytes = new TextEncoder().encode(text);
    machine.source.set(bytes, FROM);
    machine.source.set(new TextEncoder().encode('"}]}'), FROM + bytes.length);
    const before = machine.source.slice(0, 200);
    const isAccepted = machine.fits(address, FROM, FROM + bytes.length);
    if (Buffer.compare(before, machine.source.subarray(0, 200)) !== 0) expect.fail('the window was changed');
    return isAccepted;
  }

  function valueOf(text: string): unknown {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return undefined;
    }
  }

  test('never says yes where the value is not accepted, and mostly says yes where it is', () => {
    const count = { value: 0, text: 0 };
    fc.assert(
      fc.property(plain.schema, values.value, fc.constantFrom(undefined, 1, '\t'), (schema, value, space) => {
        const text = JSON.stringify(value, null, space);
        const isAccepted = does(schema, valueOf(text));
        if (isAccepted) count.value++;
        if (!accepts(schema, text)) return;
        count.text++;
        expect(isAccepted).toBe(true);
      }),
      { seed: SEED, numRuns: runs(20_000) },
    );
    expect(count.text).toBeGreaterThan(count.value / 4);
  });

  const parts = object({
    s: { type: 'string' }, n: { type: 'number' }, i: { type: 'integer' }, b: { type: 'boolean' }, z: { type: 'null' },
    e: { type: 'string', enum: ['x', 'ab'] }, l: { type: 'array', items: { type: 'string' } },
    o: object({ s: { type: 'string' } }),
  });

  function object(properties: object): object {
    return { type: 'object', properties };
  }

  /** Every text of up to `most` of these. */
  function* texts(letters: readonly string[], most: number, before = ''): Generator<string> {
    yield before;
    if (most > 0) for (const letter of letters) yield* texts(letters, most - 1, before + letter);
  }

  /** Parts of the longest texts; one more is twenty times as many texts. */
  const LONGEST = isAll ? 4 : 3;
  const LETTERS = [
    '"', '\\', 'u', '0', '1', '-', '.', 'e', ',', '}', ']', '[', '{', ' ', ':', 's', '\n', 'true', 'null', 'ab',
    '\u00e9',
  ];

  test.each([
    ['s', '"', LONGEST], ['n', '', LONGEST], ['i', '', 3], ['b', '', 3], ['z', '', 3], ['e', '"', 3], ['l', '["', 3],
    ['l', '[', 3], ['o', '{"s":', 3],
  ] as const)(
    'every short text as the property %s, behind %j: none that is no JSON, or does not fit',
    (name, before, most) => {
      let accepted = 0;
      for (const value of texts(LETTERS, most, before)) {
        const text = `{"${name}":${value}}`;
        if (!accepts(parts, text)) continue;
        accepted++;
        const read = valueOf(text);
        if (read === undefined || !does(parts, read)) expect.fail(`${JSON.stringify(text)} is accepted`);
      }
      expect(accepted).toBeGreaterThan(0);
    },
  );

  test('what is counted', () => {
    const list = { type: 'array', items: { type: 'null' } };
    expect(accepts(list, `[${new Array(1000).fill('null').join()}]`)).toBe(true);
    expect(accepts(list, `[${new Array(1001).fill('null').join()}]`)).toBe(false);
    const nested = (depth: number): object =>
      (depth === 0 ? { type: 'null' } : { type: 'array', items: nested(depth - 1) });
    const text = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(accepts(nested(64), text(64))).toBe(true);
    expect(accepts(nested(65), text(65))).toBe(false);
    // One more, and a double holds infinity.
    expect(accepts(object({ i: { type: 'integer' } }), `{"i":-${'9'.repeat(298)}}`)).toBe(true);
    expect(accepts(object({ i: { type: 'integer' } }), `{"i":${'9'.repeat(310)}}`)).toBe(false);
    expect(accepts(object({ i: { type: 'number' } }), `{"i":${'9'.repeat(310)}}`)).toBe(true);
  });

  test('required properties, and names that are written in several ways', () => {
    const schema = { ...object({ a: { type: 'null' }, 'b"': { type: 'null' } }), required: ['a'] };
    expect(accepts(schema, '{"a":null}')).toBe(true);
    expect(accepts(schema, '{"a" :\r\n null\t}')).toBe(true);
    for (const text of [
      '{"a" : null , "a":null}', '{}', '{"b\\"":null,"a":null}', '{"\\u0061":null}', '{"a":null,}', '{"a":null} x',
      '{"a":null,"c":1}',
    ]) expect(accepts(schema, text), text).toBe(false);
  });
});
