// Arguments against a tool's schema: what fits, where it does not, and schemas and arguments that want to do harm
// (R-CALL, R-TOOLS).
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';

import { Validator } from '@cfworker/json-schema';
import type { JsonSchema, ToolDefinition } from '../../src/model/data.ts';
import { argumentsForCheck } from '../../src/tools/arguments.ts';
import { ToolCache } from '../../src/tools/cache.ts';
import { type CompiledTool, compileTool } from '../../src/tools/compile.ts';
import { BLOCK } from '../../src/scan/source.ts';
import { Budget } from '../../src/tools/schema-limits.ts';
import { check as checkText } from '../../src/tools.ts';
import { part, runs } from '../long.ts';
import { SEED } from '../random.ts';

function tool(parameters?: unknown): ToolDefinition {
  return {
    namespace: 'functions', name: 'f', ...(parameters !== undefined && { parameters: parameters as JsonSchema }),
  };
}

/** `keyword pointer` of the finding, `fits`, or why the schema is refused. */
function check(parameters: unknown, value: unknown): string {
  const compiled: CompiledTool = compileTool(tool(parameters));
  if (compiled.refused) return `refused ${compiled.refused.pointer}`;
  const finding = compiled.check(value);
  return finding ? `${finding.keyword} ${finding.pointer}` : 'fits';
}

const object = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });

describe('arguments', () => {
  const CASES: [schema: unknown, value: unknown, told: string][] = [
    [object({ a: { type: 'string' } }, { required: ['a'] }), { a: 'x' }, 'fits'],
    [object({ a: { type: 'string' } }, { required: ['a'] }), {}, 'required '],
    [object({ a: { type: 'string' } }), { a: 1 }, 'type /a'],
    [object({ a: { type: 'string' } }), [], 'type '],
    [object({ a: { type: 'integer' } }), { a: 1.5 }, 'type /a'],
    [object({ a: { type: ['string', 'null'] } }), { a: null }, 'fits'],
    [object({ a: { enum: ['x', 'y'] } }), { a: 'z' }, 'enum /a'],
    [object({ a: { const: { b: [1] } } }), { a: { b: [1] } }, 'fits'],
    [
      object({ a: { type: 'array', items: object({ b: { minimum: 3 } }) } }), { a: [{ b: 3 }, { b: 2 }] },
      'minimum /a/1/b',
    ],
    [object({ 'a/b~c d': { type: 'string' } }), { 'a/b~c d': 1 }, 'type /a~1b~0c d'],
    [object({ a: { anyOf: [{ type: 'string' }, { type: 'number' }] } }), { a: true }, 'anyOf /a'],
    [object({ a: { oneOf: [{ type: 'number' }, { type: 'integer' }] } }), { a: 1 }, 'oneOf /a'],
    [object({ a: { not: { type: 'string' } } }), { a: 'x' }, 'not /a'],
    [object({ a: { allOf: [{ minLength: 2 }, { maxLength: 3 }] } }), { a: 'four' }, 'maxLength /a'],
    [object({ a: { type: 'array', uniqueItems: true } }), { a: [1, { b: 1 }, { b: 1 }] }, 'uniqueItems /a'],
    [object({ a: { contains: { const: 1 } } }), { a: [2] }, 'contains /a'],
    [object({ a: false }), { a: 1 }, 'false /a'],
    [object({ a: true }), { a: 1 }, 'fits'],
    [{ if: { required: ['a'] }, then: { required: ['b'] }, else: { required: ['c'] } }, { a: 1 }, 'required '],
    [{ dependencies: { a: ['b'] } }, { a: 1 }, 'dependencies '],
    [{ dependencies: { a: { required: ['b'] } } }, { a: 1 }, 'required '],
    [{ dependentRequired: { a: ['b'] } }, { a: 1 }, 'dependentRequired '],
    [{ exclusiveMinimum: true, minimum: 3 }, 3, 'exclusiveMinimum '],
    [{ exclusiveMaximum: false, maximum: 3 }, 3, 'fits'],
    [{ multipleOf: 0.01 }, 0.07, 'fits'],
    // OpenAPI's nullable, which openai-harmony's schemas and our reader use.
    [object({ a: { type: 'string', nullable: true } }), { a: null }, 'fits'],
    [object({ a: { type: 'string', enum: ['x'], nullable: true } }), { a: null }, 'fits'],
    [object({ a: { type: 'string', nullable: false } }), { a: null }, 'type /a'],
    // An annotation, not a constraint.
    [object({ a: { type: 'string', format: 'email' } }), { a: 'none' }, 'fits'],
    [
      { $ref: '#/$defs/n', $defs: { n: object({ next: { $ref: '#/$defs/n' }, v: { type: 'number' } }) } },
      { next: { next: { v: 'x' } } }, 'type /next/next/v',
    ],
    [object({ a: { $ref: '#' } }), { a: { a: [] } }, 'type /a/a'],
    [object({ a: { $ref: '#/properties/b%20c' }, 'b c': { type: 'null' } }), { a: 1 }, 'type /a'],
    [{ $ref: '#here', $defs: { x: { $anchor: 'here', type: 'array' } } }, {}, 'type '],
    // Beside a reference, older drafts count nothing.
    [
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        $ref: '#/definitions/x',
        type: 'null',
        definitions: { x: true },
      },
      1, 'fits',
    ],
    [{ $ref: '#/definitions/x', type: 'null', definitions: { x: true } }, 1, 'type '],
    [{}, 1, 'fits'],
    [undefined, {}, 'fits'],
    [undefined, { a: 1 }, 'additionalProperties '],
    [undefined, null, 'type '],
  ];
  test.each(CASES)('%j: %j: %s', (schema, value, told) => {
    expect(check(schema, value)).toBe(told);
  });

  test('a name that only the arguments hold is not told', () => {
    const closed = object({ a: object({}, { additionalProperties: false }) }, {
      additionalProperties: { type: 'number' },
    });
    expect(check(closed, { a: { secret: 1 } })).toBe('additionalProperties /a');
    expect(check(closed, { secret: 'x' })).toBe('type ');
    expect(check({ propertyNames: { maxLength: 3 } }, { secret: 1 })).toBe('maxLength ');
    expect(check({ additionalProperties: { items: { type: 'string' } } }, { secret: [1] })).toBe('type ');
    expect(check({ patternProperties: { s: { type: 'string' } } }, { secret: 1 })).toBe('type ');
    expect(check({ unevaluatedProperties: false, properties: { a: {} } }, { a: 1, secret: 1 }))
      .toBe('unevaluatedProperties ');
  });

  test('deadline_ms is taken out before, unless the schema names it (R-CALL)', () => {
    const value = { a: 1, deadline_ms: 5 };
    const plain = tool(object({ a: {} }, { additionalProperties: false }));
    expect(argumentsForCheck(value, plain)).toEqual({ a: 1 });
    expect(value).toEqual({ a: 1, deadline_ms: 5 });
    expect(compileTool(plain).check(argumentsForCheck(value, plain))).toBeNull();
    for (const naming of [
      object({ deadline_ms: {} }), { allOf: [object({ deadline_ms: {} })] },
      { $ref: '#/$defs/x', $defs: { x: object({ deadline_ms: {} }) } },
    ]) {
      expect(argumentsForCheck(value, tool(naming))).toBe(value);
    }
    expect(argumentsForCheck(value, tool())).toEqual({ a: 1 });
    for (const other of [null, 1, 'x', [1], {}]) expect(argumentsForCheck(other, plain)).toBe(other);
    expect(JSON.stringify(argumentsForCheck(JSON.parse('{"__proto__":1,"deadline_ms":2}'), plain)))
      .toBe('{"__proto__":1}');
  });
});

describe('patterns', () => {
  const CASES: [schema: unknown, value: unknown, told: string][] = [
    [object({ a: { pattern: '^[a-z]+$' } }), { a: 'abc' }, 'fits'],
    [object({ a: { pattern: '^[a-z]+$' } }), { a: 'aBc' }, 'pattern /a'],
    [object({ a: { pattern: 'b' } }), { a: 'abc' }, 'fits'],
    [object({ a: { pattern: '^\\d{3}$' } }), { a: 5 }, 'fits'],
    [object({ a: { pattern: '^\\p{L}+$' } }), { a: 'é' }, 'fits'],
    [object({ a: { pattern: '\\u0041' } }), { a: 'A' }, 'fits'],
    [object({ a: { not: { type: 'string', pattern: '^a' } } }), { a: 'abc' }, 'not /a'],
    [object({ a: { not: { type: 'string', pattern: '^a' } } }), { a: 'bc' }, 'fits'],
    [
      object({ a: { anyOf: [{ type: 'string', pattern: '^a' }, { type: 'string', pattern: '^b' }] } }), { a: 'bc' },
      'fits',
    ],
    [object({ a: { oneOf: [{ pattern: '^a' }, { pattern: 'b$' }] } }), { a: 'ab' }, 'oneOf /a'],
    [{ propertyNames: { pattern: '^[a-z]$' } }, { a: 1 }, 'fits'],
    [{ propertyNames: { pattern: '^[a-z]$' } }, { A: 1 }, 'pattern '],
    [{ patternProperties: { '^n_': { type: 'number' } }, additionalProperties: false }, { n_a: 1, n_b: 2 }, 'fits'],
    [
      { patternProperties: { '^n_': { type: 'number' } }, additionalProperties: false }, { n_a: 1, s_a: 2 },
      'additionalProperties ',
    ],
    [
      object({ n_a: { minimum: 5 } }, { patternProperties: { '^n_': { type: 'number' }, a$: { maximum: 7 } } }),
      { n_a: 6 }, 'fits',
    ],
    [
      object({ n_a: { minimum: 5 } }, { patternProperties: { '^n_': { type: 'number' }, a$: { maximum: 7 } } }),
      { n_a: 8 }, 'maximum /n_a',
    ],
    [
      object({ n_a: { minimum: 5 } }, { patternProperties: { '^n_': { type: 'number' }, a$: { maximum: 7 } } }),
      { n_a: 4 }, 'minimum /n_a',
    ],
    [{ not: { patternProperties: { '^x': false } } }, { x1: 1 }, 'fits'],
    [{ patternProperties: { '^x': { $ref: '#' }, '^v': { type: 'string' } } }, { x1: { x2: { v: 1 } } }, 'type '],
    [{ patternProperties: { '.*': { type: 'number' } } }, JSON.parse('{"__proto__": "x"}'), 'type '],
  ];
  test.each(CASES)('%j: %j: %s', (schema, value, told) => {
    expect(check(schema, value)).toBe(told);
  });

  const REFUSED: [pattern: string][] = [
    ['(?=a)'], ['(?<!a)b'], ['(a)\\1'], ['('], ['a{1001}'], ['((a{100}){100}){100}'],
  ];
  test.each(REFUSED)('%s cannot be matched in linear time or not at all, so the schema is refused', (pattern) => {
    expect(check(object({ a: { type: 'string', pattern } }), { a: 'x' })).toBe('refused /properties/a/pattern');
    expect(check({ patternProperties: { [pattern]: {} } }, {})).toBe(`refused /patternProperties/${pattern}`);
  });

  test('what one check was told does not reach the next', () => {
    const compiled = compileTool(
      tool(object({ a: { pattern: '^a' }, b: {} }, { patternProperties: { '^x': { type: 'string' } } })),
    );
    expect(compiled.check({ a: 'ab' })).toBeNull();
    expect(compiled.check({ a: 'b' })).toEqual({ pointer: '/a', keyword: 'pattern' });
    expect(compiled.check({ a: 'ab', x: 1 })).toEqual({ pointer: '', keyword: 'type' });
    expect(compiled.check({ a: 'ab', b: 'b' })).toBeNull();
  });
});

describe('schemas that are refused, with their place', () => {
  const deep = (levels: number): object => (levels === 0 ? {} : { not: deep(levels - 1) });
  const CASES: [schema: unknown, told: string][] = [
    [object({ a: { $ref: 'http://example.com/x' } }), 'refused /properties/a/$ref'],
    [object({ a: { $ref: 'other.json#/x' } }), 'refused /properties/a/$ref'],
    [object({ a: { $ref: 'file:///etc/passwd' } }), 'refused /properties/a/$ref'],
    [object({ a: { $ref: '#/$defs/none' } }), 'refused /properties/a/$ref'],
    [object({ a: { $ref: '#/type' } }), 'refused /properties/a/$ref'],
    [object({ a: { $ref: '#/constructor' } }), 'refused /properties/a/$ref'],
    [object({ a: { $ref: '#/__proto__' } }), 'refused /properties/a/$ref'],
    [object({ a: { $ref: '#%' } }), 'refused /properties/a/$ref'],
    [object({ a: { $ref: 5 } }), 'refused /properties/a/$ref'],
    [object({ a: { $id: 'http://example.com/', $ref: '#/x' } }), 'refused /properties/a/$id'],
    [{ $dynamicRef: '#x' }, 'refused /$dynamicRef'],
    [{ $recursiveRef: '#' }, 'refused /$recursiveRef'],
    [{ $ref: '#' }, 'refused '],
    [
      { $ref: '#/$defs/a', $defs: { a: { anyOf: [{ $ref: '#/$defs/b' }] }, b: { not: { $ref: '#/$defs/a' } } } },
      'refused ',
    ],
    [object({ a: { type: 'float' } }), 'refused /properties/a/type'],
    [object({ a: 'string' }), 'refused /properties/a'],
    [object({ a: null }), 'refused /properties/a'],
    [{ properties: [] }, 'refused /properties'],
    [{ required: true }, 'refused /required'],
    [{ anyOf: {} }, 'refused /anyOf'],
    [{ enum: 'x' }, 'refused /enum'],
    [{ multipleOf: 0 }, 'refused /multipleOf'],
    [{ pattern: 5 }, 'refused /pattern'],
    [{ items: 5 }, 'refused /items'],
    [{ properties: { '\ud800': {} } }, 'refused /properties'],
    [{ enum: Array.from({ length: 10_001 }, (_, index) => index) }, 'refused /enum'],
    [{ description: 'x'.repeat(256 * 1024) }, 'refused '],
    [deep(65), 'refused '],
    [{ allOf: Array.from({ length: 10_001 }, () => ({})) }, 'refused /allOf/10000'],
    [{ default: 1n }, 'refused '],
    ['string', 'refused '],
    [5, 'refused '],
  ];
  test.each(CASES.map(([schema, told]) => ({ schema, told })))('$told', ({ schema, told }) => {
    expect(check(schema, {})).toBe(told);
    expect(compileTool(tool(schema)).check({})).toEqual({ pointer: '', keyword: 'schema' });
  });

  test('a schema within its own bounds is none', () => {
    expect(check(deep(50), {})).toMatch(/fits|not/);
    expect(check(
      { $id: 'http://example.com/', properties: { a: { $ref: '#/$defs/b' } }, $defs: { b: { type: 'string' } } },
      { a: 1 },
    )).toBe('type /a');
    const limits = { bytes: 10 };
    expect(compileTool(tool({ type: 'object' }), limits).refused).toEqual({ pointer: '', reason: 'too large' });
    expect(compileTool(tool({ description: 'ééé' }), { bytes: 23 }).refused)
      .toEqual({ pointer: '', reason: 'too large' });
  });
});

describe('harm', () => {
  const nested = (levels: number, inner: unknown = {}): unknown => {
    let value = inner;
    for (let level = 0; level < levels; level++) value = { a: value };
    return value;
  };
  const twice = { allOf: [object({ a: { $ref: '#' } }), object({ a: { $ref: '#' } })] };
  const chain = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => {
      return [`n${index}`, { allOf: [{ $ref: `#/$defs/n${index + 1}` }, { $ref: `#/$defs/n${index + 1}` }] }];
    }),
  );
  const broad = Object.fromEntries(Array.from({ length: 4000 }, (_, index) => [`k${index}`, index]));
  const items = Array.from({ length: 20_000 }, (_, index) => index);

  const CASES: [what: string, schema: unknown, value: unknown, told: string][] = [
    ['references that double at every level', twice, nested(40), 'limit '],
    ['references that double in one place', { $ref: '#/$defs/n0', $defs: { ...chain, n40: {} } }, {}, 'limit '],
    ['the same with an end that does not hold', { $ref: '#/$defs/n0', $defs: { ...chain, n40: false } }, {}, 'limit '],
    ['arguments that nest deep', object({ a: { $ref: '#' } }), nested(100_000), 'limit '],
    ['arguments that nest deep where the schema does not', object({ a: {} }), nested(1000), 'fits'],
    ['uniqueItems of many items', { uniqueItems: true }, items, 'limit '],
    ['uniqueItems of a few', { uniqueItems: true }, items.slice(0, 2000), 'fits'],
    [
      'uniqueItems many times', { allOf: Array.from({ length: 2000 }, () => ({ uniqueItems: true })) },
      items.slice(0, 2000), 'limit ',
    ],
    [
      'many names many times', { allOf: Array.from({ length: 9000 }, () => ({ maxProperties: 5000 })) },
      Array.from({ length: 20 }, () => broad), 'fits',
    ],
    [
      'every name in many schemas',
      { items: { allOf: Array.from({ length: 1000 }, () => ({ additionalProperties: true })) } }, [broad], 'limit ',
    ],
    [
      'too many names', {}, Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`k${index}`, index])),
      'limit ',
    ],
    ['too many values', {}, Array.from({ length: 200_000 }, () => 0), 'limit '],
    [
      'long strings measured often', { items: { allOf: Array.from({ length: 100 }, () => ({ minLength: 1 })) } },
      Array.from({ length: 50 }, () => 'x'.repeat(100_000)), 'limit ',
    ],
    [
      'a pattern that would backtrack', object({ a: { pattern: '^(a+)+$' } }), { a: `${'a'.repeat(50_000)}b` },
      'pattern /a',
    ],
    [
      'many patterns and many strings',
      { items: { allOf: Array.from({ length: 9 }, (_, index) => ({ pattern: `(a|b|ab)*c${index}` })) } },
      Array.from({ length: 90_000 }, (_, index) => `${'ab'.repeat(50)}${index}`), 'limit ',
    ],
    ['a long name', object({}), { ['x'.repeat(2000)]: 1 }, 'limit '],
    ['a name that is no text', object({}, { additionalProperties: { type: 'string' } }), { '\udc00': 1 }, 'limit '],
    ['what is no JSON', {}, { a: undefined }, 'limit '],
    [
      'many errors', { anyOf: Array.from({ length: 3000 }, () => ({ additionalProperties: { type: 'string' } })) },
      broad, 'limit ',
    ],
  ];
  test.each(
    part(CASES).map(([what, schema, value, told]) => ({ what, schema, value, told })),
  )('$what', ({ schema, value, told }) => {
    expect(check(schema, value)).toBe(told);
  });

  test('arguments that refer to themselves', () => {
    const round: { a?: unknown } = {};
    round.a = round;
    expect(check(object({ a: { $ref: '#' } }), round)).toBe('limit ');
  });

  const PROTO = JSON.parse(
    '{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}, "toString": 1}',
  ) as object;
  test('names of prototypes are names like others', () => {
    const properties = JSON.parse('{"__proto__": {"type": "string"}, "constructor": {"type": "object"}}') as object;
    expect(check(object(properties), JSON.parse('{"__proto__": 1}'))).toBe('type /__proto__');
    expect(check(object(properties), { constructor: 1 })).toBe('type /constructor');
    expect(check(object(properties, { required: ['constructor'] }), {})).toBe('required ');
    expect(check(object({}, { required: ['toString', '__proto__'] }), {})).toBe('required ');
    expect(check(object({}, { additionalProperties: false }), PROTO)).toBe('additionalProperties ');
    expect(check({ const: PROTO }, PROTO)).toBe('fits');
    expect(check({ $defs: PROTO, properties: PROTO }, PROTO)).toBe('refused /properties/toString');
    expect(check(PROTO, PROTO)).toBe('fits');
  });
  afterEach(() => expect(({} as { polluted?: unknown }).polluted).toBeUndefined());
});

describe(`any schema (OPENCHATML_SEED=${SEED})`, () => {
  const word = fc.constantFrom(
    'object', 'array', 'string', 'integer', 'null', '#', '#/$defs/a', '#/properties/a', 'http://x/', '^a', '(?=a)', '(',
    'a', '__proto__',
  );
  const keyword = fc.constantFrom(
    'type', 'enum', 'const', 'required', 'properties', 'items', 'prefixItems', 'allOf', 'anyOf', 'oneOf', 'not', 'if',
    'then', 'else', '$ref', '$defs',
    '$schema', '$id', '$anchor', 'pattern', 'patternProperties', 'additionalProperties', 'unevaluatedProperties',
    'uniqueItems', 'contains', 'minItems',
    'minLength', 'multipleOf', 'minimum', 'exclusiveMinimum', 'nullable', 'dependencies', 'dependentSchemas',
    'propertyNames', 'a', '__proto__',
  );
  const { anything } = fc.letrec<{ anything: unknown; schema: unknown }>((tie) => ({
    anything: fc.oneof(
      { depthSize: 'medium' }, word, fc.constantFrom(null, true, false, 0, 1, -2.5, 1e300), tie('schema'),
      fc.array(tie('anything'), { maxLength: 3 }),
    ),
    schema: fc.array(fc.tuple(keyword, tie('anything')), { maxLength: 5 })
      .map((entries) => Object.fromEntries(entries)),
  }));

  test('is compiled or refused, and checks or not, without an exception', () => {
    fc.assert(
      fc.property(anything, fc.jsonValue(), (schema, value) => {
        const compiled = compileTool(tool(schema));
        const finding = compiled.check(value);
        if (finding) expect(Object.keys(finding)).toEqual(['pointer', 'keyword']);
        expect(compiled.check(value)).toEqual(finding);
      }),
      { seed: SEED, numRuns: 1000 },
    );
  });

  const leaf = fc.constantFrom<object | boolean>(
    { type: 'string' }, { type: 'number' }, { enum: ['a', 1, null] }, { const: [1] }, { minLength: 2 },
    { pattern: '^a' }, { minimum: 1 }, true, false,
    { required: ['a'] }, { uniqueItems: true }, { maxItems: 1 }, { minProperties: 1 },
  );
  const keywords = (node: fc.Arbitrary<unknown>): { [name: string]: fc.Arbitrary<unknown> } => {
    const some = fc.array(node, { minLength: 1, maxLength: 2 });
    return {
      properties: fc.dictionary(fc.constantFrom('a', 'b', 'ab'), node, { maxKeys: 2 }),
      patternProperties: fc.dictionary(fc.constantFrom('^a', 'b$', '.'), node, { maxKeys: 2 }),
      additionalProperties: node, unevaluatedProperties: node, items: node, contains: node, not: node, if: node,
      then: node,
      propertyNames: fc.constantFrom({ pattern: '^a' }, { minLength: 2 }),
      allOf: some, anyOf: some, oneOf: some,
    };
  };
  const { node } = fc.letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(
        fc.oneof(...Object.entries(keywords(tie('node'))).map(([name, value]) => fc.record({ [name]: value }))),
        { maxLength: 3 },
      )
        .map((all): unknown => Object.assign({}, ...all)),
    ),
  }));
  const scalar = fc.constantFrom<unknown>('a', 'ab', 'b', '', 0, 1, 2, null, true);
  const { instance } = fc.letrec<{ instance: unknown }>((tie) => ({
    instance: fc.oneof(
      { depthSize: 'small' }, scalar, fc.array(tie('instance'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'ab', 'c'), tie('instance'), { maxKeys: 3 }),
    ),
  }));

  test('of harmless patterns says what the library says of it as it is', () => {
    fc.assert(
      fc.property(node, instance, (schema, value) => {
        const plain = new Validator(structuredClone(schema) as object, '2020-12', true).validate(value);
        expect(
          compileTool(tool(schema === true || schema === false ? { allOf: [schema] } : schema)).check(value) === null,
        ).toBe(plain.valid);
      }),
      { seed: SEED, numRuns: runs(2000) },
    );
  });
});

describe('a cache of tools', () => {
  test('knows a definition by identity and by what it says', () => {
    const cache = new ToolCache();
    const one = tool(object({ a: {} }));
    expect(cache.get(one)).toBe(cache.get(one));
    expect(cache.get(structuredClone(one))).toBe(cache.get(one));
    expect(cache.get({ ...one, name: 'g' })).not.toBe(cache.get(one));
    expect(cache.get(tool(object({ a: { type: 'null' } }))).check({ a: 1 }))
      .toEqual({ pointer: '/a', keyword: 'type' });
    expect(cache.size).toBe(3);
  });

  test('keeps what was asked for last', () => {
    const cache = new ToolCache();
    const first = cache.get(tool(object({ first: {} })));
    for (let index = 0; index < 3000; index++) {
      cache.get(tool(object({ [`p${index}`]: {} })));
      expect(cache.get(tool(object({ first: {} })))).toBe(first);
    }
    expect(cache.size).toBe(64);
  });

  test('keeps more of those that come again', () => {
    const cache = new ToolCache();
    const round = (): CompiledTool[] =>
      Array.from({ length: 1000 }, (_, index) => cache.get(tool(object({ [`p${index}`]: {} }))));
    const first = round();
    const second = round();
    expect(second.filter((compiled, index) => compiled === first[index]).length).toBe(64);
    expect(round().every((compiled, index) => compiled === second[index])).toBe(true);
    expect(cache.size).toBe(1000);
    for (let index = 1000; index < 3000; index++) cache.get(tool(object({ [`p${index}`]: {} })));
    expect(cache.size).toBe(1000);
    const others = second.slice(0, 936);
    expect(round().slice(0, 936).every((compiled, index) => compiled === others[index])).toBe(true);
    for (let index = 0; index < 1200; index++) cache.get(tool(object({ [`p${index}`]: {} })));
    expect(cache.size).toBe(1024 + 64);
  });

  test('takes no more text than it may, and what is no JSON at all', () => {
    const cache = new ToolCache();
    for (let index = 0; index < 100; index++) cache.get(tool({ description: `${index}${'x'.repeat(200_000)}` }));
    expect(cache.size).toBeLessThan(90);
    expect(cache.get(tool({ default: 1n })).refused).not.toBeNull();
  });

  const withPattern = (index: number): ToolDefinition =>
    tool(object({ a: { type: 'string', pattern: `^(a{0,90}b?){0,9}${index}$` } }));

  test('keeps few programs of patterns, and finds those it let go again', () => {
    const cache = new ToolCache();
    const first = withPattern(0);
    const compiled = cache.get(first);
    for (let index = 1; index < 200; index++) cache.get(withPattern(index));
    expect(cache.size).toBeGreaterThan(10);
    expect(cache.size).toBeLessThan(150);
    expect(cache.get(first)).not.toBe(compiled);
    expect(cache.get(first).check({ a: 'aab0' })).toBeNull();
    const last = cache.get(withPattern(199));
    for (let index = 200; index < 400; index++) {
      cache.get(withPattern(index));
      expect(cache.get(withPattern(199))).toBe(last);
    }
  });

  test('a budget: what is known stays, no other pattern is compiled until the next block', () => {
    const budget = new Budget();
    budget.begin(0);
    const cache = new ToolCache({}, budget);
    let count = 0;
    while (cache.find(withPattern(count)) !== null) count++;
    expect(count).toBeGreaterThan(50);
    expect(count).toBeLessThan(1000);
    expect(cache.find(withPattern(count - 1))!.check({ a: 'x' })).toEqual({ pointer: '/a', keyword: 'pattern' });
    // Another cache compiles for itself, and has the same budget.
    expect(new ToolCache({}, budget).find(withPattern(0))).toBeNull();
    budget.begin(BLOCK - 1);
    expect(cache.find(withPattern(count))).toBeNull();
    budget.begin(BLOCK);
    expect(cache.find(withPattern(count))).not.toBeNull();
    // What is known is charged as what is new: what is left does not depend on what came before.
    let again = 1;
    for (let i = 0; cache.find(withPattern(i)) !== null; i++) again++;
    expect(again).toBe(count);
  });

  test('a budget: checks take no more steps than are left', () => {
    const budget = new Budget();
    budget.begin(0);
    const all = budget.steps;
    const cache = new ToolCache({}, budget);
    const slow = cache.find(tool(object({ a: { type: 'array', items: { anyOf: [{ const: 1 }, { const: 2 }] } } })))!;
    const value = { a: Array.from({ length: 10_000 }, (_, i) => 1 + (i % 2)) };
    expect(slow.check(value)).toBeNull();
    expect(budget.steps).toBeLessThan(all - 10_000);
    budget.spend(budget.steps - 10_000);
    expect(slow.check(value)).toEqual({ pointer: '', keyword: 'limit' });
    budget.begin(BLOCK);
    expect(slow.check(value)).toBeNull();
  });
});

test('a schema that is given up is so in each object that says the same, in its block', () => {
  const budget = new Budget();
  const tool = (name: string): ToolDefinition => ({ namespace: 'functions', name, parameters: { type: 'object' } });
  budget.begin(0);
  expect(budget.hasGivenUp(tool('f'))).toBe(false);
  budget.giveUp(tool('f'));
  expect([budget.hasGivenUp(tool('f')), budget.hasGivenUp(tool('g'))]).toEqual([true, false]);
  budget.begin(BLOCK);
  expect(budget.hasGivenUp(tool('f'))).toBe(false);
});

test('a definition that is no JSON, after another check has run into its bound', () => {
  const branches = Array.from({ length: 100 }, (_, i) => ({ const: `c${i}` }));
  const slow = { type: 'object', properties: { a: { type: 'array', items: { anyOf: branches } } } };
  const given = Object.entries({ slow, bad: { default: 1n } }).map(([name, parameters]) => {
    return { namespace: 'functions', name, parameters } as unknown as ToolDefinition;
  });
  const call = (name: string, value: object): string =>
    `<|start|>assistant to=functions.${name}<|channel|>commentary<|message|>${JSON.stringify(value)}<|call|>`;
  const calls = [call('slow', { a: Array.from({ length: 9000 }, () => 'c99') }), call('bad', {}), call('bad', {})];
  const found = checkText(`version: 2.2\n${calls.join('')}`, { tools: given });
  const told = found.filter(({ rule }) => rule === 'invalid-arguments').map(({ message }) => message);
  expect(told.map((message) => /(?<=schema: ).*/.exec(message)![0])).toEqual([
    'slow: they are not checked: they or the schema are beyond a bound',
    ...Array.from({ length: 2 }, () => 'bad: the schema is not usable at #: too deep, too large, or no JSON'),
  ]);
});

test('a definition that comes again after it has made room, as another object too', () => {
  const cache = new ToolCache();
  const tool = (name: string): ToolDefinition => ({ namespace: 'functions', name, parameters: { type: 'object' } });
  let number = 0;
  const fill = (): void => {
    for (let i = 0; i < 1100; i++) cache.find(tool(`other_${number++}`));
  };
  const [first, second] = [tool('f'), tool('f')];
  for (const again of [first, second, first, first]) {
    expect(cache.find(again)!.check({})).toBeNull();
    if (again === second) cache.find(first);
    fill();
  }
  // It came again.
  expect(cache.size).toBe(65);
});
