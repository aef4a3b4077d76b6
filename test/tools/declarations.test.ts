// Reading tool definitions from Harmony's declarations (2.2 §16.2, R-TOOLS).
import { describe, expect, test } from 'vitest';

import { readDeclarations } from '../../src/tools/declarations.ts';
import { MOST_DEPTH, MOST_TEXT, MOST_TOOLS } from '../../src/tools/types.ts';

const MINIMAL = `# Tools

## functions
namespace functions {
// Gets weather for a city.
type get_current_weather = (_: {
  location: string,
  format?: "celsius" | "fahrenheit", // default: celsius
}) => any;
} // namespace functions`;

/** The fields of one function of the parameters given. */
function fields(...lines: string[]): unknown {
  const { tools, problems } = readDeclarations(
    `namespace functions {\ntype f = (_: {\n${lines.join('\n')}\n}) => any;\n}`,
  );
  expect(problems).toEqual([]);
  return tools[0]!.parameters!['properties'];
}

describe('declarations', () => {
  test('2.2 §16.2 is read', () => {
    const { tools, problems, from, to, isClean } = readDeclarations(MINIMAL);
    expect(tools).toEqual([
      {
        namespace: 'functions',
        name: 'get_current_weather',
        description: 'Gets weather for a city.',
        parameters: {
          type: 'object',
          properties: {
            location: { type: 'string' },
            format: { type: 'string', enum: ['celsius', 'fahrenheit'], default: 'celsius' },
          },
          required: ['location'],
        },
      },
    ]);
    expect({ problems, from, to, isClean }).toEqual({ problems: [], from: 0, to: MINIMAL.length, isClean: true });
  });

  test('stand among other text, which is left when their part is cut out', () => {
    const text = `# Instructions\n\nBe kind. A namespace is a set of names.\n\n${MINIMAL}\n\nThat is all.`;
    const { tools, from, to, isClean } = readDeclarations(text);
    expect(tools).toHaveLength(1);
    expect(isClean).toBe(true);
    expect(text.slice(0, from) + text.slice(to))
      .toBe('# Instructions\n\nBe kind. A namespace is a set of names.\n\n\n\nThat is all.');
  });

  test.each([
    ['', ''], ['\n', '\n'], ['x\n', 'x\n'], ['\n## a\n', '\n'], ['# Tools\n', ''], ['\n# Tools\n\n## a\n\n', '\n'],
    ['x\n# Tools\n', 'x\n'],
    ['## b\n## a\n', '## b\n'],
  ])('behind %j, of which %j stays', (before, left) => {
    const text = `${before}namespace a {\n}\nnamespace a {\ntype f = () => any;\n}`;
    const { tools, from, to } = readDeclarations(text);
    expect(tools).toEqual([{ namespace: 'a', name: 'f' }]);
    expect(text.slice(0, from)).toBe(left);
    expect(to).toBe(text.length);
  });

  test('come in several namespaces, as in a system message with builtin tools', () => {
    const text = `You are a model.

# Tools

## browser

// Tool for browsing.
// sources=web (default: web)
namespace browser {

// Opens the link.
type open = (_: {
id?: number | string, // default: -1
view_source?: boolean, // default: false
}) => any;

} // namespace browser

## functions

namespace functions {

type now = () => any;

} // namespace functions

# Valid channels: analysis, commentary, final.`;
    const { tools, from, to, isClean } = readDeclarations(text);
    expect(tools).toEqual([
      {
        namespace: 'browser',
        name: 'open',
        description: 'Opens the link.',
        parameters: {
          type: 'object',
          properties: {
            id: { type: ['number', 'string'], default: -1 }, view_source: { type: 'boolean', default: false },
          },
          required: [],
        },
      },
      { namespace: 'functions', name: 'now' },
    ]);
    expect(text.slice(from, from + 7)).toBe('# Tools');
    expect(text.slice(to)).toBe('\n\n# Valid channels: analysis, commentary, final.');
    // The words about the namespace have no place in a definition.
    expect(isClean).toBe(false);
  });

  test('prose between two namespaces is told: cutting it out would lose it', () => {
    const block = 'namespace a {\ntype f = () => any;\n}';
    expect(readDeclarations(`${block}\n\n${block}`).isClean).toBe(true);
    expect(readDeclarations(`${block}\nUse both.\n${block}`).isClean).toBe(false);
  });

  test('comments carry title, description, examples and default', () => {
    expect(
      fields(
        '// Dish', '//', '// What to eat.', '// Only one.', '// Examples:', '// - "soup"', '// - "a \\"b\\""',
        'dish: string, // default: "soup"',
        'size?: number, // how large',
        '//no space', 'count?: number, // default: 3',
      ),
    ).toEqual({
      dish: {
        type: 'string',
        title: 'Dish',
        description: 'What to eat.\nOnly one.',
        examples: ['soup', 'a "b"'],
        default: 'soup',
      },
      size: { type: 'number', description: 'how large' },
      count: { type: 'number', description: 'no space', default: 3 },
    });
  });

  const TYPES: [type: string, schema: unknown][] = [
    ['string', { type: 'string' }],
    ['integer', { type: 'integer' }],
    ['object', { type: 'object' }],
    ['null', { type: 'null' }],
    ['any', {}],
    ['unknown', {}],
    ['any | null', { nullable: true }],
    ['any | string', {}],
    ['string | null', { type: ['string', 'null'] }],
    ['number | string', { type: ['number', 'string'] }],
    ['"a"', { type: 'string', enum: ['a'] }],
    ['"a" | "b c"\n| "d"', { type: 'string', enum: ['a', 'b c', 'd'] }],
    ['"a" | null', { type: 'string', enum: ['a'], nullable: true }],
    ['"\\u00e9\\n\\"" | "a\\d"', { type: 'string', enum: ['é\n"', 'a\\d'] }],
    ['1 | 2.5 | -3', { type: 'number', enum: [1, 2.5, -3] }],
    ['true', { type: 'boolean', enum: [true] }],
    ['"a" | 1', { anyOf: [{ type: 'string', enum: ['a'] }, { type: 'number', enum: [1] }] }],
    ['"a" | number', { anyOf: [{ type: 'string', enum: ['a'] }, { type: 'number' }] }],
    ['string[]', { type: 'array', items: { type: 'string' } }],
    ['string[][]', { type: 'array', items: { type: 'array', items: { type: 'string' } } }],
    ['any[]', { type: 'array', items: {} }],
    ['Array<any>', { type: 'array' }],
    ['Array<string | null>', { type: 'array', items: { type: ['string', 'null'] } }],
    ['(string | number)[]', { type: 'array', items: { type: ['string', 'number'] } }],
    ['string[] | null', { type: 'array', items: { type: 'string' }, nullable: true }],
    ['"a" | "b"[]', { type: 'array', items: { type: 'string', enum: ['a', 'b'] } }],
    ['"a" | "b"[] | null', { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, nullable: true }],
    ['string[] | number', { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'number' }] }],
    [
      '{ a: string; b?: number }',
      { type: 'object', properties: { a: { type: 'string' }, b: { type: 'number' } }, required: ['a'] },
    ],
    ['{}', { type: 'object', properties: {} }],
    [
      '{ a?: {}[] }',
      { type: 'object', properties: { a: { type: 'array', items: { type: 'object', properties: {} } } } },
    ],
  ];
  test.each(TYPES)('the type %s', (type, schema) => {
    expect(fields(`x?: ${type},`)).toEqual({ x: schema });
    expect(fields(`x?:${type}`)).toEqual({ x: schema });
    const { tools } = readDeclarations(`namespace n {\r\n\ttype f = (_: ${type}) => any\r\n}`);
    // The arguments' own object says so when it requires nothing.
    const own = schema as Record<string, unknown>;
    const says = 'properties' in own && !('required' in own);
    expect(tools).toEqual([{ namespace: 'n', name: 'f', parameters: says ? { ...own, required: [] } : own }]);
  });

  test('a bar before each branch is a oneOf, with a comment for each', () => {
    expect(
      fields(
        '// What to look for', '// default: "all"', 'what?:', ' | string // Words default: "x"',
        ' | "a" | "b" // default: b', ' | number',
        ' |    // An entry', '{', '   id: string,', '   } | null // default: {"id":"1"}', ',', 'next: string,',
      ),
    ).toEqual({
      what: {
        description: 'What to look for',
        default: 'all',
        oneOf: [
          { type: 'string', description: 'Words', default: 'x' },
          { type: 'string', enum: ['a', 'b'], default: 'b' },
          { type: 'number' },
          {
            type: 'object',
            description: 'An entry',
            properties: { id: { type: 'string' } },
            required: ['id'],
            nullable: true,
            default: { id: '1' },
          },
        ],
      },
      next: { type: 'string' },
    });
  });

  test('names of fields are read bare or quoted, and never reach a prototype', () => {
    const read = fields(
      'with space: any,', 'é?: any,', '$ref: any,', '"a: b"?: any,', '__proto__: string,', 'constructor?: any,',
    ) as object;
    expect(Object.keys(read)).toEqual(['with space', 'é', '$ref', 'a: b', '__proto__', 'constructor']);
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
    expect(JSON.stringify(read)).toContain('"__proto__":{"type":"string"}');
  });
});

describe('what cannot be read', () => {
  const around = (...declarations: string[]): string => `namespace functions {\n${declarations.join('\n')}\n}`;
  const GOOD = '// Good.\ntype good = (_: {\na: string,\n}) => any;';
  const BAD: [reason: string, declaration: string][] = [
    ['syntax', 'type f = (_: {\na: Thing,\n}) => any;'],
    ['syntax', 'type f = (_: {\na string,\n}) => any;'],
    ['syntax', 'type f = (_: {\na: "open,\n}) => any;'],
    ['syntax', 'type f = { a: string };'],
    ['syntax', 'type f'],
    ['syntax', 'interface f { }'],
    ['syntax', 'type f = (_: {\na: |\n}) => any;'],
    ['syntax', 'type f% = () => any;'],
    ['name', `type ${'f'.repeat(300)} = () => any;`],
    ['name', 'type é = () => any;'],
    ['name', 'type f = (_: {\na: string,\na: number,\n}) => any;'],
    ['too-deep', `type f = (_: ${'{ a: '.repeat(MOST_DEPTH + 1)}any${' }'.repeat(MOST_DEPTH + 1)}) => any;`],
    ['too-deep', `type f = (_: string${'[]'.repeat(MOST_DEPTH + 1)}) => any;`],
    ['too-deep', `type f = (_: ${'('.repeat(5000)}any) => any;`],
  ];
  test.each(BAD)('%s: %s', (reason, declaration) => {
    const text = around(GOOD, declaration, GOOD);
    const { tools, problems, isClean } = readDeclarations(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]!.reason).toBe(reason);
    expect(text.slice(0, problems[0]!.from)).toContain(GOOD);
    expect(isClean).toBe(false);
    // The definitions around it are there; the one behind may have lost its comment.
    expect(tools.map((tool) => tool.name)).toEqual(['good', 'good']);
    expect(tools[0]!.description).toBe('Good.');
  });

  test('a block that does not end gives what was read of it', () => {
    const { tools, problems } = readDeclarations(`namespace functions {\n${GOOD}\n`);
    expect(tools.map((tool) => tool.name)).toEqual(['good']);
    expect(problems.map((problem) => problem.reason)).toEqual(['unclosed']);
  });

  test('a namespace in the middle of a line, of prose, or without a name is none', () => {
    for (const text of [
      'the namespace functions { is', 'namespace {', 'namespace a b {', `namespace ${'n'.repeat(300)} {`,
      '// namespace x {',
    ]) {
      expect(readDeclarations(text)).toEqual({ tools: [], problems: [], from: 0, to: 0, isClean: true });
    }
  });

  test('beyond the bounds, definitions are reported and not read', () => {
    const many = around(...Array.from({ length: MOST_TOOLS + 2 }, (_, index) => `type f${index} = () => any;`));
    const { tools, problems } = readDeclarations(many);
    expect(tools).toHaveLength(MOST_TOOLS);
    expect(problems.map((problem) => problem.reason)).toEqual(['too-many', 'too-many']);
    const long = around(GOOD) + ' '.repeat(MOST_TEXT);
    expect(readDeclarations(long)).toEqual({
      tools: [],
      problems: [{ reason: 'too-long', from: 0, to: long.length }],
      from: 0,
      to: long.length,
      isClean: false,
    });
  });

  test.each([
    ['namespace a {', 60_000], ['namespace a { type f = (_: { x: "', 30_000], ['\nnamespace a {\ntype f = (', 30_000],
    ['namespace ', 100_000],
    ['\nnamespace a {\n//', 50_000], ['namespace a {\ntype', 50_000], ['\n// x', 200_000], ['{ x: ', 150_000],
    ['| ', 200_000],
  ])('%j a hundred thousand times is read in one go', (piece, times) => {
    const text = `namespace a {\n${piece.repeat(times)}`.slice(0, MOST_TEXT);
    expect(readDeclarations(text).tools).toEqual([]);
  });
});
