// The quick yes for plain schemas: what it accepts, the library accepts too.
import { Validator } from '@cfworker/json-schema';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { acceptsFor } from '../../src/semantics/tools/plain-schema.ts';
import { SEED } from '../random.ts';

const plain = fc.letrec<{ schema: Record<string, unknown> }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(...['string', 'number', 'integer', 'boolean', 'null'].map((type) => ({ type }))),
    fc.record({ type: fc.constant('string'), enum: fc.array(fc.constantFrom('a', 'b', 1, null), { maxLength: 3 }) }),
    fc.record({ type: fc.constant('array'), items: tie('schema') }),
    fc.record(
      { type: fc.constant('object'), properties: fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('schema')), required: fc.array(fc.constantFrom('a', 'b')), additionalProperties: fc.boolean() },
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
    { seed: SEED, numRuns: 20_000 },
  );
  expect(accepted).toBeGreaterThan(1000);
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
