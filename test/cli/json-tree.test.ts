// JSON with places: it takes what the engine takes, gives the same values, and knows where each of them begins.
import { expect, test } from 'vitest';
import { type JsonNode, JsonProblem, readJson } from '../../src/cli/json-tree.ts';
import { type Random, randomOf, SEED } from '../random.ts';

/** The plain value, keys in the order of the text. */
function valueOf(node: JsonNode): unknown {
  if (node.kind === 'plain') return node.value;
  if (node.kind === 'list') return node.items.map(valueOf);
  return { entries: node.entries.map(({ key, value }) => [key, valueOf(value)]) };
}

/** The same of what the engine gives. */
function plainOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(plainOf);
  return { entries: Object.entries(value).map(([key, one]) => [key, plainOf(one)]) };
}

function attempt(text: string): { value: JsonNode } | { problem: JsonProblem } {
  try {
    return { value: readJson(text) };
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    return { problem: error };
  }
}

function engine(text: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return null;
  }
}

function checkPlaces(text: string, node: JsonNode): void {
  if (node.kind === 'plain') {
    const told = text.slice(node.from);
    if (typeof node.value === 'number') expect(told).toMatch(/^-?\d/);
    else expect(told.startsWith(typeof node.value === 'string' ? '"' : String(node.value))).toBe(true);
  } else {
    expect(text[node.from]).toBe(node.kind === 'list' ? '[' : '{');
    if (node.kind === 'list') for (const item of node.items) checkPlaces(text, item);
    else for (const entry of node.entries) {
      expect(text[entry.from]).toBe('"');
      checkPlaces(text, entry.value);
    }
  }
}

const PIECES = [
  '{', '}', '[', ']', ',', ':', '"', '\\', '\\n', '\\u00e9', '\\u12', 'true', 'false', 'null', '0', '-', '1.5', '1e',
  'e+3', ' ', '\n', '\t', '\u00a0', '\u0001', 'a', '"b"', '"__proto__"', '/', '//', '\u2028',
];
const PLAIN = ['"a\\"\\\\\\u00e9é\u2028"', '""', '-0', '12.5e-3', '1E400', 'true', 'false', 'null'];
let names = 0;

function valid(random: Random, depth: number): string {
  const blank = random.pick(['', '', ' ', '\n\t', '\r\n']);
  const parts = (part: () => string): string => Array.from({ length: random.below(4) }, part).join(',');
  const kind = depth === 0 ? 2 : random.below(4);
  if (kind === 0) return `${blank}[${parts(() => valid(random, depth - 1))}${blank}]`;
  const entry = (): string => `${blank}"k\\u0041${names++}"${blank}:${valid(random, depth - 1)}`;
  if (kind === 1) return `${blank}{${parts(entry)}${blank}}${blank}`;
  return blank + random.pick(PLAIN) + blank;
}

test(`takes what the engine takes and gives the same values (OPENCHATML_SEED=${SEED})`, () => {
  const random = randomOf(SEED);
  let taken = 0;
  for (let round = 0; round < 4000; round++) {
    let text = round % 4 === 3 ? '' : valid(random, 4);
    for (let times = random.below(3); times > 0; times--) {
      const at = random.below(text.length + 1);
      text = text.slice(0, at) + random.pick(PIECES) + text.slice(at + random.below(2));
    }
    const expected = engine(text);
    const read = attempt(text);
    if ('problem' in read) {
      expect(read.problem.from).toBeLessThanOrEqual(text.length);
      // A key that stands twice is the one thing that the engine takes and this does not.
      if (expected !== null) expect(read.problem.reason, JSON.stringify(text)).toBe('a key stands twice in an object');
    } else {
      taken++;
      expect(valueOf(read.value), JSON.stringify(text)).toEqual(plainOf(expected!.value));
      checkPlaces(text, read.value);
    }
  }
  expect(taken).toBeGreaterThan(500);
});

test('keys are told as they stand, __proto__ like any other', () => {
  const node = readJson('{"__proto__":{"a":1},"constructor":2}');
  expect(valueOf(node)).toEqual({ entries: [['__proto__', { entries: [['a', 1]] }], ['constructor', 2]] });
});

test('what is wrong is told by its place, and deep nesting ends soon', () => {
  const problem = (text: string): [number, string] => {
    const read = attempt(text);
    if (!('problem' in read)) throw new Error('was taken');
    return [read.problem.from, read.problem.reason];
  };
  expect(problem('{"a":1,"a":2}')).toEqual([7, 'a key stands twice in an object']);
  expect(problem('[1 2]')).toEqual([3, 'expected a comma or ]']);
  expect(problem(' /* x */ 1')).toEqual([1, 'JSON has no comments']);
  expect(problem('['.repeat(1_000_000))).toEqual([17, 'is nested too deeply']);
  expect(problem(`"${'\\u0041'.repeat(40_000)}`)).toEqual([0, 'expected a value']);
});
