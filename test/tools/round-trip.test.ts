// Definitions that are written and read again (OPENCHATML_SEED repeats a run).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { JsonSchema, ToolDefinition } from '../../src/model/data.ts';
import { readDeclarations } from '../../src/tools/declarations.ts';
import { readFunctionList, readToolList, writeFunctionList, writeToolList } from '../../src/tools/lists.ts';
import { toolsFromOpenAI, toolsToOpenAI } from '../../src/tools/records.ts';
import { writeDeclarations } from '../../src/tools/write-declarations.ts';
import { SEED } from '../random.ts';

const RUNS = { seed: SEED, numRuns: 500 };

/** A text that is one line of a comment and means nothing else there. */
const line = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((text) => {
  return !/[\r\n]/.test(text) && !/^\s|default: |^Examples:$/.test(text);
});
const lines = fc.array(line, { minLength: 1, maxLength: 3 }).map((texts) => texts.join('\n'));
const text = fc.string({ unit: 'binary', maxLength: 12 });
const fieldName = fc.oneof(
  fc.stringMatching(/^[a-z_]{1,8}$/), fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom('__proto__', 'toString'),
);
const toolName = fc.stringMatching(/^[A-Za-z0-9_.-]{1,12}$/);

const words = fc.record(
  { title: line, description: lines, examples: fc.array(text, { minLength: 1, maxLength: 3 }) },
  { requiredKeys: [] },
);

/** The default of an enum stands without quotes, so that only a member is sure to come back. */
function withDefault<T extends JsonSchema>(schema: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.tuple(schema, fc.option(fc.jsonValue({ maxDepth: 2 }), { nil: undefined })).map(([plain, value]) => {
    // Minus zero is zero in JSON.
    return value === undefined || plain['enum'] !== undefined
      ? plain
      : { ...plain, default: JSON.parse(JSON.stringify(value)) as unknown };
  });
}

const plain = fc.constantFrom<JsonSchema>(
  { type: 'string' }, { type: 'number' }, { type: 'boolean' }, { type: 'array' }, {}, { type: ['string', 'null'] },
  { type: ['string', 'number', 'boolean'] }, { nullable: true },
);
const members = fc.uniqueArray(text, { minLength: 1, maxLength: 4 });
const enumeration = fc.record({ type: fc.constant('string'), enum: members });
const enumerationWithDefault = enumeration.chain((schema) => {
  return fc.option(fc.constantFrom(...schema.enum), { nil: undefined })
    .map((member) => (member === undefined ? schema : { ...schema, default: member }));
});
const nullable = (schema: JsonSchema): boolean => JSON.stringify(schema).includes('null');

/** Schemas that the notation carries. */
const { object } = fc.letrec<{ schema: JsonSchema; object: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small' },
    plain,
    enumerationWithDefault,
    fc.record({
      type: fc.constant('array'),
      items: fc.oneof(fc.constantFrom({ type: 'string' }, { type: 'number' }, {}), tie('object')),
    }),
    fc.record({ type: fc.constant('array'), items: enumeration.filter(({ enum: all }) => all.length > 1) }),
    tie('object'),
  ),
  object: fc
    .uniqueArray(fc.tuple(fieldName, withDefault(tie('schema')), words, fc.boolean(), fc.boolean()), {
      selector: ([name]) => name,
      maxLength: 4,
    })
    .map((fields) => {
      const properties = Object.fromEntries(
        fields.map(([name, schema, words, , isNullable]) => {
          const mayBe =
            isNullable && !nullable(schema) && (schema['enum'] !== undefined || schema['items'] !== undefined);
          // An object that is nested says its description twice; only one of the two is read.
          return [name, { ...schema, ...words, ...(mayBe && { nullable: true }) }];
        }),
      );
      const required = fields.filter(([, , , isRequired]) => isRequired).map(([name]) => name);
      return { type: 'object', properties, ...(required.length > 0 && { required }) };
    }),
}));

const carried = fc.record(
  { namespace: fc.constant('functions'), name: toolName, description: lines, parameters: object },
  { requiredKeys: ['namespace', 'name'] },
) as fc.Arbitrary<ToolDefinition>;

/** Anything that looks like a schema. */
const keyword = fc.constantFrom(
  'type', 'enum', 'properties', 'required', 'items', 'oneOf', 'anyOf', 'allOf', 'not', '$ref', 'description', 'title',
  'examples', 'default',
  'nullable', 'pattern', 'additionalProperties', 'const', '__proto__', 'constructor',
);
const word = fc.constantFrom(
  'object', 'array', 'string', 'integer', 'null', 'weird', '#/x', '\n}) => any;', '"', '// x', 'default: 1', '',
);
const { anything } = fc.letrec<{ anything: unknown; schema: unknown }>((tie) => ({
  anything: fc.oneof(
    { depthSize: 'small' }, word, fc.constantFrom(null, true, 0, -0.5, 1e300), tie('schema'),
    fc.array(tie('anything'), { maxLength: 3 }),
  ),
  schema: fc.array(fc.tuple(fc.oneof(keyword, word), tie('anything')), { maxLength: 6 })
    .map((entries) => Object.fromEntries(entries)),
}));
const anyTool = fc.record(
  {
    namespace: fc.constantFrom('functions', 'browser'),
    name: fc.constantFrom('f', 'g', 'a b'),
    description: fc.oneof(word, lines, text),
    parameters: anything,
  },
  { requiredKeys: ['namespace', 'name'] },
) as fc.Arbitrary<ToolDefinition>;

/** Without what says nothing: an empty `required`, its order, and `properties` of an object that has none. */
function normal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normal);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    if (inner === undefined) return [];
    const isNames = key === 'required' && Array.isArray(inner) && inner.every((name) => typeof name === 'string');
    if (isNames) return inner.length === 0 ? [] : [[key, [...inner].sort()]];
    const isEmpty = key === 'properties' && typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      && Object.keys(inner).length === 0;
    return isEmpty && (value as { type?: unknown }).type === 'object' ? [] : [[key, normal(inner)]];
  });
  return Object.fromEntries(entries);
}

describe(`definitions (OPENCHATML_SEED=${SEED})`, () => {
  test('that the notation carries come back as they are', () => {
    fc.assert(
      fc.property(fc.array(carried, { maxLength: 3 }), (tools) => {
        const written = writeDeclarations(tools);
        expect(written.problems).toEqual([]);
        expect(written.losses).toEqual([]);
        expect(normal(readDeclarations(written.text).tools)).toEqual(normal(tools));
      }),
      RUNS,
    );
  });

  test.each(['harmony', 'template'] as const)('of any kind never break out, and what is lost is told (%s)', (style) => {
    fc.assert(
      fc.property(fc.array(anyTool, { maxLength: 3 }), (tools) => {
        const written = writeDeclarations(tools, style);
        const left = new Set(written.problems.map((problem) => problem.from));
        const kept = tools.filter((_, index) => !left.has(index));
        const namespaces = [...new Set(kept.map((tool) => tool.namespace))];
        const grouped = namespaces.flatMap((namespace) => kept.filter((tool) => tool.namespace === namespace));
        const read = readDeclarations(written.text);
        expect(read.problems).toEqual([]);
        expect(read.tools.map(({ namespace, name }) => [namespace, name]))
          .toEqual(grouped.map(({ namespace, name }) => [namespace, name]));
        const same = JSON.stringify(sorted(normal(read.tools))) === JSON.stringify(sorted(normal(grouped)));
        expect(written.losses.length > 0).toBe(!same);
      }),
      RUNS,
    );
  });

  test('are the same in every JSON notation', () => {
    fc.assert(
      fc.property(fc.array(carried, { maxLength: 3 }), (tools) => {
        expect(readFunctionList(writeFunctionList(tools)).tools).toEqual(tools);
        expect(readToolList(`Instructions.\n\n${writeToolList(tools)}`).tools).toEqual(tools);
        expect(toolsFromOpenAI(toolsToOpenAI(tools))).toEqual({ tools, problems: [] });
        expect(toolsFromOpenAI(JSON.stringify(toolsToOpenAI(tools)))).toEqual({ tools, problems: [] });
      }),
      RUNS,
    );
  });

  test('are read from any text without an exception', () => {
    const pieces = fc.constantFrom(
      'namespace a {\n', 'type f = (_: {', '\n', '}', ') => any;', '"', '// x', 'x?: ', '|', 'string', '[]',
      '{"name":"f","parameters":{}}', '[', ',',
      '```json\n', '\\', '# Tools', '## a\n', ' ',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(pieces, text), { maxLength: 40 }), (parts) => {
        const input = parts.join('');
        for (const read of [readDeclarations, readFunctionList, readToolList]) {
          const { from, to, problems } = read(input);
          expect(0 <= from && from <= to && to <= input.length).toBe(true);
          for (const problem of problems) {
            expect(0 <= problem.from && problem.from <= problem.to && problem.to <= input.length).toBe(true);
          }
        }
        toolsFromOpenAI(input);
      }),
      RUNS,
    );
  });
});

/** With the keys of every object in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, sorted(inner)]);
}
