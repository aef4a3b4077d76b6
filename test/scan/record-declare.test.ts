// What the record scanner writes of lists of definitions, beside what the host writes of them: the same text, the same
// list. It may leave any of them to the host, but for those that are as most are.
import { expect, test } from 'vitest';
import * as abi from '../../src/abi.ts';
import { readText } from '../../src/corpus/records/record-tools.ts';
import { readToolField } from '../../src/formats/chat/tools.ts';
import { type Loss, Refusal } from '../../src/formats/loss.ts';
import { RecordMachine } from '../../src/scan/record-machine.ts';
import { isRounded } from '../../src/tools/exact.ts';
import { toolsToOpenAI } from '../../src/tools/records.ts';
import { randomText, randomTools } from '../corpus/records/random-chat.ts';
import { runs } from '../long.ts';
import { type Random, randomOf, SEED } from '../random.ts';

const LISTS = runs(20_000, 20);
const MACHINES = [new RecordMachine({ build: 'simd' }), new RecordMachine({ build: 'scalar' })];

const WORDS = [
  'The city', 'a "b" \\ c', 'one\ntwo', 'Examples:\n- "x"', 'Examples:', '- "x"', 'default: 3', ' led', 'behind ',
  'end\n', 'a\r\nb', '\n', 'ä 日本 😀', '// x', '}\n} // namespace functions', '*/', '', 'tab\there',
  'type f = () => any;', '\u2028', '<|end|>', 'a\n\nb', 'x'.repeat(300),
];
/** Mostly such as most are. */
const word = (random: Random): string =>
  random.pick(random.once(12) ? WORDS : ['The city', 'Wo? ä "b"', 'a']);
const NAMES = ['city', 'a-b', '_x', 'type', 'x2', 'A', 'name'];
const ODD_NAMES = [...NAMES, '1', '01', '__proto__', 'constructor'];
const DEFAULTS = [
  'x', 'x,', 'é', 'a"b', '', 1, 1.5, 0.000009, 0.00001, 1e21, -0, 12345678901234567890, true, null, [1], {},
  [[[[[[[[[]]]]]]]]],
];
const MEMBERS = ['a', 'b c', '"', 'ä', '', 'null', 'a | b', '//', 'x'.repeat(40)];

/** Some of them, in any order. */
function sample<T>(random: Random, from: readonly T[]): T[] {
  const some = from.filter(() => random.once(3));
  return random.once(2) ? some : some.reverse();
}

function schema(random: Random, depth: number): object {
  const words = {
    ...(random.once(5) && { title: word(random) }),
    ...(!random.once(3) && { description: word(random) }),
  };
  switch (random.below(depth > 3 ? 5 : 8)) {
    case 0: return { type: 'string', ...words };
    case 1: return { ...words, type: 'string', enum: sample(random, MEMBERS) };
    case 2: return { type: random.pick(['number', 'boolean', 'string']), ...words };
    case 3: return { type: random.once(3) ? random.pick(['integer', 'null', 'any', ['string', 'null']]) : 'number' };
    case 4: {
      const given = random.once(2) ? { default: random.pick(DEFAULTS) } : {};
      return { type: 'string', ...given, ...words, ...more(random) };
    }
    case 5: return { type: 'array', items: schema(random, depth + 1), ...words };
    default: return object(random, depth + 1, words);
  }
}

/** What a text does not say, or says in its own way. */
function more(random: Random): object {
  return random.pick<object>([
    {}, {}, {}, { enum: ['x', 'x,', 'é'] }, { enum: [] }, { enum: [1] }, { format: 'date' }, { minLength: 1 },
    { pattern: '^a' }, { nullable: true }, { examples: ['a'] }, { type: undefined, anyOf: [{}] }, { oneOf: [{}] },
    { type: 'number', minimum: 0.5 }, { type: 'dict' }, { type: 'array' }, { type: 'array', items: true },
    { title: null },
  ]);
}

function object(random: Random, depth: number, words: object): object {
  const names = sample(random, random.once(12) ? ODD_NAMES : NAMES);
  const properties = JSON.parse(`{${names.map((name) => `"${name}":0`).join()}}`) as Record<string, unknown>;
  for (const name of Object.keys(properties)) {
    Object.defineProperty(properties, name, { value: schema(random, depth), enumerable: true });
  }
  const required = sample(random, names);
  if (random.once(20)) required.push(random.pick(names.concat('missing')));
  return {
    type: 'object', ...words, properties, ...(!random.once(4) && { required }),
    ...(random.once(12) && { additionalProperties: false }),
  };
}

/** What a schema of all arguments may have besides. */
const AROUND: readonly object[] = [
  { $defs: { a: { type: 'string' } } }, { $ref: '#/$defs/a', $defs: { a: {} } }, { minProperties: 1 }, { type: 'dict' },
  { type: ['object'] }, { type: ['object', 'null'] }, { anyOf: [{ required: ['a'] }] }, { allOf: [{}] }, { oneOf: [] },
  { oneOf: [{ type: 'object' }] }, { nullable: true }, { enum: [{}] }, { const: {} }, { items: {} },
  { type: undefined }, { patternProperties: { a: {} } }, { default: {} }, { examples: ['a'] },
  { additionalProperties: { type: 'string' } },
];

function list(random: Random): unknown {
  if (random.once(8)) return randomTools(random);
  return ['get_weather', 'f', 'a-b'].slice(0, 1 + random.below(3)).map((name) => {
    const called = {
      name, ...(!random.once(5) && { description: word(random) }),
      ...(!random.once(20) && {
        parameters: {
          ...object(random, 0, random.once(6) ? { description: word(random) } : {}),
          ...(random.once(12) && random.pick(AROUND)),
        },
      }),
      ...(random.once(20) && { strict: true }),
    };
    if (random.once(12)) return { type: 'function', ...called };
    return random.once(12) ? { function: called, type: 'function' } : { type: 'function', function: called };
  });
}

/** Its list, as chat records have it; null: something would be lost. */
function listOf(json: string): string | null {
  try {
    const losses: Loss[] = [];
    const tools = readToolField(JSON.parse(json) as unknown, losses);
    return losses.length > 0 || isRounded(json) ? null : JSON.stringify(toolsToOpenAI(tools));
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** The entry of the list, which a machine keeps; 0: it does not. */
function entryOf(machine: RecordMachine, json: string): number {
  const length = machine.input.length;
  const { written } = new TextEncoder().encodeInto(`{"tools":${json},"messages":[]}\n`, machine.input);
  expect(written).toBeLessThan(length);
  if (machine.scan(0, written, abi.FORM_MESSAGES, true) === 0) return 0;
  const entry = machine.rows[abi.ROW_WORDS + abi.KIND]! >>> abi.ENTRY_SHIFT;
  return entry > abi.MOST_ENTRIES ? 0 : entry;
}

const text = (bytes: Uint8Array | null): string | null => bytes && Buffer.from(bytes).toString();

test(`${LISTS} lists (OPENCHATML_SEED=${SEED})`, { timeout: 60 * 60_000 }, () => {
  let [flat, declared, others, whole, known, listed] = [0, 0, 0, 0, 0, 0];
  for (let n = 0; n < LISTS; n++) {
    const random = randomOf(SEED + n);
    const value = list(random);
    const json = random.once(3) ? JSON.stringify(value) : randomText(random, value);
    for (const machine of MACHINES) {
      const told = `OPENCHATML_SEED=${SEED + n}, ${machine.engine}: ${json}`;
      const entry = entryOf(machine, json);
      if (entry === 0) continue;
      known++;
      const isFlat = machine.hasFlatTools(entry);
      if (isFlat) flat++;
      const defined = text(machine.declareTools(entry, false));
      if (defined !== null) {
        if (isFlat) declared++;
        else others++;
        const { json: wanted, lost } = readText(Buffer.from(json));
        expect(defined, told).toBe(text(wanted));
        expect(text(machine.declareTools(entry, true)), told).toBe(JSON.parse(`"${defined}"`));
        if (machine.declaresAll) {
          whole++;
          expect(lost?.times, told).toBe(0);
        }
      }
      const wanted = listOf(json);
      const given = text(machine.listTools(entry, false));
      if (given === null) continue;
      listed++;
      expect(given, told).toBe(`,"tools":${wanted}`);
      expect(text(machine.listTools(entry, true)), told).toBe(`,"tools":${JSON.stringify(wanted)}`);
    }
  }
  expect([declared / flat > 0.5, whole / declared > 0.1, listed / known > 0.28, others / known > 0.02])
    .toEqual([true, true, true, true]);
});

/** Definitions as most are: nothing of them is left to the host. */
test.each([
  ['[{"type":"function","function":{"name":"now","description":"The time","parameters":'
    + '{"type":"object","properties":{}}}}]'],
  ['[{"type": "function", "function": {"name": "f", "description": "Say \\"x\\"", "parameters": {"type": "object", '
    + '"properties": {"a": {"type": "string", "description": "Ä", "enum": ["x", "y"]}, "b": {"type": "array", "items": '
    + '{"type": "object", "properties": {"c": {"type": "number"}}, "required": ["c"]}}}, "required": ["b", "a"]}}}]'],
])('%s', (json) => {
  for (const machine of MACHINES) {
    // What is shorter is not kept.
    const padded = json.replace('[', `[${' '.repeat(128)}`);
    const entry = entryOf(machine, padded);
    const wanted = readText(Buffer.from(padded));
    expect(text(machine.declareTools(entry, false))).toBe(text(wanted.json));
    expect([machine.declaresAll, wanted.lost?.times]).toEqual([true, 0]);
    expect(text(machine.listTools(entry, false))).toBe(`,"tools":${listOf(json)}`);
  }
});
