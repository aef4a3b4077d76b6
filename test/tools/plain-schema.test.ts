// The quick yes for plain schemas: what it accepts, the library accepts too.
import { Validator } from '@cfworker/json-schema';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { WasmMachine } from '../../src/scan/wasm.ts';
import { acceptsFor } from '../../src/tools/plain-schema.ts';
import { TableWriter } from '../../src/tools/argument-table.ts';
import { isAll, runs } from '../long.ts';
import { SEED } from '../random.ts';

const plain = fc.letrec<{ schema: Record<string, unknown> }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(...['string', 'number', 'integer', 'boolean', 'null'].map((type) => ({ type }))),
    fc.record({ type: fc.constant('string'), enum: fc.array(fc.constantFrom('a', 'b', 1, null), { maxLength: 3 }) }),
    fc.record({ type: fc.constant('array'), items: tie('schema') }),
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

test('never says yes where the library says no', () => {
  let accepted = 0;
  fc.assert(
    fc.property(plain.schema, values.value, (schema, value) => {
      const accepts = acceptsFor(schema);
      expect(accepts).not.toBeNull();
      if (!accepts!.value(value)) return;
      accepted++;
      expect(new Validator(schema, '2020-12').validate(value).valid).toBe(true);
    }),
    { seed: SEED, numRuns: runs(20_000) },
  );
  expect(accepted).toBeGreaterThan(runs(700));
});

describe('what it does not know', () => {
  test.each<[string, unknown]>([
    ['another keyword', { type: 'string', pattern: '^a$' }],
    ['several types', { type: ['string', 'null'] }],
    ['no type', { properties: {} }],
    ['a reference', { $ref: '#/$defs/a', $defs: { a: {} } }],
    ['a schema that is a boolean', true],
    ['within a property', { type: 'object', properties: { a: { type: 'string', minLength: 1 } } }],
    ['required that is no list of names', { type: 'object', required: [1] }],
  ])('%s', (_, schema) => {
    expect(acceptsFor(schema)).toBeNull();
  });

  test('properties that are not named, and long lists', () => {
    expect(acceptsFor({ type: 'object', properties: {} })!.value({ a: 1 })).toBe(false);
    expect(acceptsFor({ type: 'array', items: { type: 'null' } })!.value(new Array(1001).fill(null))).toBe(false);
  });
});

describe.each(['simd', 'scalar'] as const)('text, %s', (build) => {
  const machine = new WasmMachine({ build });
  const FROM = 5;

  /** Whether `text`, in the window, with more of its kind around it, is accepted. */
  function accepts(schema: unknown, text: string): boolean {
    const table = new TableWriter();
    acceptsFor(schema)!.node(table);
    machine.forgetKept();
    const address = machine.keepTable(table.finish());
    const bytes = new TextEncoder().encode(text);
    machine.source.set(bytes, FROM);
    machine.source.set(new TextEncoder().encode('"}]}'), FROM + bytes.length);
    const before = machine.source.slice(0, 200);
    const does = machine.fits(address, FROM, FROM + bytes.length);
    if (Buffer.compare(before, machine.source.subarray(0, 200)) !== 0) expect.fail('the window was changed');
    return does;
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
        const isAccepted = acceptsFor(schema)!.value(valueOf(text));
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
      const check = acceptsFor(parts)!;
      let accepted = 0;
      for (const value of texts(LETTERS, most, before)) {
        const text = `{"${name}":${value}}`;
        if (!accepts(parts, text)) continue;
        accepted++;
        const read = valueOf(text);
        if (read === undefined || !check.value(read)) expect.fail(`${JSON.stringify(text)} is accepted`);
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
