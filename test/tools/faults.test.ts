// What is said of arguments that do not fit: each fault with its place and what the schema allows there, and nothing of
// the arguments themselves.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { JsonSchema } from '../../src/model/data.ts';
import { compileTool } from '../../src/tools/compile.ts';
import { MOST_FAULTS } from '../../src/tools/faults.ts';
import { runs } from '../long.ts';
import { SEED } from '../random.ts';

const faults = (parameters: object, value: unknown): readonly string[] =>
  compileTool({ namespace: 'functions', name: 'f', parameters: parameters as JsonSchema }).faults(value);

const object = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });
const STRING = { type: 'string' };
const CITY = object({ city: STRING, unit: { enum: ['c', 'f'] } }, { required: ['city', 'unit'] });

const CASES: [parameters: object, value: unknown, told: readonly string[]][] = [
  [CITY, {}, ['/city is missing (a string)', '/unit is missing (one of "c", "f")']],
  [CITY, { city: 1 }, ['/unit is missing (one of "c", "f")', '/city must be a string']],
  [CITY, { city: 'x', unit: 'k' }, ['/unit must be one of "c", "f"']],
  [CITY, 'x', ['the arguments must be an object']],
  [object({ a: CITY }), { a: { unit: 'c' } }, ['/a/city is missing (a string)']],
  [object({}, { required: ['x'] }), {}, ['/x is missing']],
  [object({ a: { const: 1 } }), { a: 2 }, ['/a must be 1']],
  [object({ a: { type: ['integer', 'null'] } }), { a: 1.5 }, ['/a must be an integer or null']],
  [
    object({ a: { type: 'array', items: STRING } }), { a: ['', 1, 2] },
    ['/a/1 must be a string', '/a/2 must be a string'],
  ],
  [object({ a: { minimum: 1 } }), { a: 0 }, ['/a must be at least 1']],
  [object({ a: { exclusiveMaximum: 1 } }), { a: 1 }, ['/a must be below 1']],
  [object({ a: { multipleOf: 2 } }), { a: 1 }, ['/a must be a multiple of 2']],
  [object({ a: { minLength: 1 } }), { a: '' }, ['/a must have at least 1 character']],
  [object({ a: { maxItems: 2 } }), { a: [1, 2, 3] }, ['/a must have at most 2 items']],
  [object({ a: { pattern: '^x' } }), { a: 'y' }, ['/a must match ^x']],
  [object({ a: { anyOf: [STRING, { type: 'null' }] } }), { a: 1 }, ['/a must be a string or null']],
  [object({ a: { anyOf: [object({ b: STRING }, { required: ['b'] }), { minimum: 1 }] } }), { a: 0 },
    ['/a must fit one of the alternatives']],
  [object({ a: { $ref: '#/$defs/s' } }, { required: ['a'], $defs: { s: STRING } }), {}, ['/a is missing (a string)']],
  [object({ a: { $ref: '#/$defs/s' } }, { $defs: { s: STRING } }), { a: 1 }, ['/a must be a string']],
  [object({ a: STRING }, { additionalProperties: false }), { b: 1, c: 1 },
    ['the arguments must not have other properties than a']],
  [
    object({ a: object({}, { additionalProperties: false }) }), { a: { secret: 1 } },
    ['/a must not have other properties'],
  ],
  [object({}, { additionalProperties: STRING }), { secret: 1 }, ['a value in the arguments must be a string']],
  [
    object({}, { additionalProperties: CITY }), { secret: { city: '' } },
    ['a value in the arguments lacks unit (one of "c", "f")'],
  ],
  [object({ a: false }), { a: 1 }, ['/a must not be there']],
  [object({ [`\u001b[31m${'n'.repeat(100)}`]: STRING }), { [`\u001b[31m${'n'.repeat(100)}`]: 1 },
    [`/\\x1b[31m${'n'.repeat(73)}\u2026 must be a string`]],
  [object({ a: { enum: Array.from({ length: 12 }, (_, i) => i) } }), { a: 'x' },
    ['/a must be one of 0, 1, 2, 3, 4, 5, 6, 7, \u2026']],
];

test.each(CASES)('%j %j', (parameters, value, told) => {
  expect(faults(parameters, value)).toEqual(told);
});

test('so many and no more', () => {
  const names = Array.from({ length: 30 }, (_, i) => `p${i}`);
  const told = faults(object({}, { required: names }), {});
  expect(told).toHaveLength(MOST_FAULTS + 1);
  expect(told.at(-1)).toBe('and more');
});

test('a schema that is not used, and what is beyond a bound', () => {
  expect(faults({ properties: { a: { pattern: '(' } } }, {})).toEqual([
    expect.stringMatching(/^the schema is not usable at #\/properties\/a\/pattern: /),
  ]);
  const tool = { namespace: 'functions', name: 'f', parameters: object({ a: STRING }) as JsonSchema };
  expect(compileTool(tool, { values: 4 }).faults({ a: [1, 2, 3, 4, 5] }))
    .toEqual([expect.stringContaining('beyond a bound')]);
});

describe(`random arguments, seed ${SEED}`, () => {
  const schema = fc.letrec((tie) => ({
    schema: fc.oneof({ maxDepth: 3 },
      fc.constantFrom(STRING, { type: 'integer' }, { enum: ['x', 1] }, { minimum: 3 }, false, { pattern: 'a' }),
      fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
      fc.record({
        type: fc.constant('object'),
        properties: fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('schema')),
        required: fc.uniqueArray(fc.constantFrom('a', 'b', 'toString'), { maxLength: 2 }),
        additionalProperties: tie('schema'),
      }, { requiredKeys: ['type'] }),
      fc.record({ type: fc.constant('array'), items: tie('schema') })),
  })).schema;
  const value = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 3 }, fc.constantFrom('SECRET', 1, null), fc.array(tie('value'), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'SECRETNAME'), tie('value'))),
  })).value;

  test('something is told when something is found, and nothing of the arguments', () => {
    fc.assert(fc.property(schema, value, (parameters, given) => {
      const compiled = compileTool({ namespace: 'functions', name: 'f', parameters: parameters as JsonSchema });
      if (compiled.refused || compiled.check(given) === null) return;
      const told = compiled.faults(given);
      expect(told.length).toBeGreaterThan(0);
      expect(told.join()).not.toMatch(/SECRET|undefined/);
    }), { seed: SEED, numRuns: runs(20_000) });
  });
});
