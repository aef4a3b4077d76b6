// The quick yes without making a schema ready: what it accepts, the schema made ready accepts too.
import { expect, test } from 'vitest';
import { compileTool } from '../../src/tools/compile.ts';
import { fitsSimple } from '../../src/tools/simple-schema.ts';
import { runs } from '../long.ts';
import { type Random, randomOf, SEED } from '../random.ts';
import { randomSchema, randomValue } from './random-schema.ts';

const toolOf = (parameters: object): ReturnType<typeof compileTool> =>
  compileTool({ namespace: 'functions', name: 'f', parameters } as Parameters<typeof compileTool>[0]);

/** What no keyword takes, or what schemas seldom hold. */
const ODD: readonly [keyword: string, value: unknown][] = [
  ['type', 'float'], ['type', []], ['enum', 'a'], ['required', 'a'], ['required', [1]], ['properties', []],
  ['properties', { a: 1 }], ['properties', { '\ud800': {} }], ['items', 1], ['items', [{}]], ['minLength', -1],
  ['maxLength', 1.5], ['minimum', '1'], ['maximum', null], ['minItems', 'x'], ['anyOf', {}], ['anyOf', [1]],
  ['oneOf', []], ['additionalProperties', 'x'], ['additionalProperties', { type: 1 }], ['$id', 'a'], ['$ref', '#'],
  ['$dynamicRef', '#'], ['$schema', 'http://json-schema.org/draft-07/schema#'], ['not', 1], ['const', 1],
  ['exclusiveMinimum', true], ['multipleOf', 0], ['patternProperties', 1], ['nullable', 1], ['default', { a: [] }],
];

/** The schema with something odd somewhere in it. */
function withOdd(random: Random, schema: Record<string, unknown>): Record<string, unknown> {
  const { properties, items } = schema;
  if (typeof properties === 'object' && properties !== null && random.once(2)) {
    const entries = Object.entries(properties);
    if (entries.length > 0) {
      const [name, one] = random.pick(entries);
      return { ...schema, properties: { ...properties, [name]: withOdd(random, one as Record<string, unknown>) } };
    }
  }
  if (typeof items === 'object' && items !== null && random.once(2)) {
    return { ...schema, items: withOdd(random, items as Record<string, unknown>) };
  }
  const [keyword, value] = random.pick(ODD);
  return random.once(2) ? { ...schema, [keyword]: value } : { [keyword]: value, ...schema };
}

test(`schemas that can be used, and others (OPENCHATML_SEED=${SEED})`, () => {
  const times = runs(20_000);
  let [accepted, fitting, refused] = [0, 0, 0];
  for (let i = 0; i < times; i++) {
    const random = randomOf(SEED + i);
    const plain = randomSchema(random);
    const schema = random.once(3) ? withOdd(random, plain) : plain;
    const value = randomValue(random, schema);
    const tool = toolOf(schema);
    const fits = tool.refused === null && tool.check(value) === null;
    if (fits) fitting++;
    if (tool.refused !== null) refused++;
    if (!fitsSimple(schema, value)) continue;
    accepted++;
    expect(fits, `OPENCHATML_SEED=${SEED + i}: ${JSON.stringify([schema, value])}`).toBe(true);
  }
  expect(accepted / fitting).toBeGreaterThan(0.3);
  expect(refused / times).toBeGreaterThan(0.1);
});

test('schemas that are too deep or too large are left to the library', () => {
  let deep: object = { type: 'string' };
  for (let depth = 0; depth < 70; depth++) deep = { type: 'object', properties: { a: deep } };
  expect([fitsSimple(deep, {}), toolOf(deep).refused === null]).toEqual([false, false]);
  const names = Array.from({ length: 2000 }, (_, i) => [`p${i}`, { type: 'string' }] as const);
  expect(fitsSimple({ type: 'object', properties: Object.fromEntries(names) }, {})).toBe(false);
  const members = Array.from({ length: 1001 }, (_, i) => i);
  expect(fitsSimple({ type: 'integer', enum: members }, 1)).toBe(false);
  expect(fitsSimple({ type: 'integer', enum: members.slice(1) }, 1)).toBe(true);
});
