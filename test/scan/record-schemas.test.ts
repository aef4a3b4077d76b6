// Arguments that the record scanner accepts by a definition's bytes: the library accepts them, too. In both builds.
import { describe, expect, test } from 'vitest';
import { FORM_MESSAGES } from '../../src/abi.ts';
import { RecordMachine } from '../../src/scan/record-machine.ts';
import type { JsonSchema } from '../../src/model/data.ts';
import { compileTool } from '../../src/tools/compile.ts';
import { runs } from '../long.ts';
import { randomOf, SEED } from '../random.ts';
import { randomSchema, randomValue } from '../tools/random-schema.ts';

const MACHINES = [new RecordMachine({ build: 'simd' }), new RecordMachine({ build: 'scalar' })];

/** Whether the scanner says that arguments, JSON text, fit a schema. */
function fits(machine: RecordMachine, schema: object, text: string): boolean {
  const tools = [{ type: 'function', function: { name: 'f', parameters: schema } }];
  machine.giveTools(JSON.stringify(tools), true);
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: text } };
  const messages = [
    { role: 'assistant', content: null, tool_calls: [call] }, { role: 'tool', tool_call_id: 'c', content: 'x' },
  ];
  const bytes = Buffer.from(`${JSON.stringify({ messages })}\n`);
  machine.input.set(bytes);
  const rows = machine.scan(0, bytes.length, FORM_MESSAGES);
  return machine.check(0, rows) === rows;
}

const object = (a: object): JsonSchema => ({ type: 'object', properties: { a } });

/** The schema of a property, values of it that fit, and others, of which the host must tell. */
const CASES: readonly (readonly [schema: object, fitting: readonly unknown[], others: readonly unknown[]])[] = [
  [{ type: ['string', 'null'] }, ['x', null], [1, {}, []]],
  [{ type: ['string', 'null'], enum: ['x', null] }, ['x', null], ['y', 1]],
  [{ type: ['string', 'null'], enum: ['x'] }, ['x'], [null, 'y']],
  [{ type: ['string', 'null'], enum: [null] }, [null], ['x', '']],
  [{ type: ['object', 'null'], properties: { b: { type: 'string' } }, required: ['b'] }, [null, { b: '' }], [{}, 1]],
  [{ type: ['array', 'string'], items: { type: 'number' } }, ['x', [1.5]], [null, ['x']]],
  [{ type: 'string', nullable: true }, ['x', null], [1]],
  [{ type: 'string', enum: ['x'], nullable: true }, ['x', null], ['y']],
  [{ type: 'string', nullable: false }, ['x'], [null]],
  [{ anyOf: [{ type: 'integer' }, { type: 'null' }], default: null, title: 'A' }, [1, null], [1.5, '1']],
  [{ anyOf: [{ type: 'string', enum: ['x'] }, { type: 'null' }] }, ['x', null], ['y']],
  [{ anyOf: [{ type: 'string', enum: ['x'] }, { type: 'string' }] }, ['x', 'y'], [null]],
  [{ anyOf: [{ type: 'string' }, { type: 'string', enum: ['x'] }] }, ['x', 'y'], [null]],
  [{ anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'string' }] }, ['x', [], ['y']], [[1], null]],
  [{ anyOf: [{ type: 'string', pattern: '^a' }, { type: 'null' }] }, [null], ['b']],
  [{ anyOf: [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }, { type: 'null' }] }, ['x', 1, null], [{}]],
  [{ oneOf: [{ type: 'string' }, { type: 'null' }] }, ['x', null], [1]],
  [{ oneOf: [{ type: 'number' }, { type: 'integer' }] }, [], [1]],
  [{ oneOf: [{ type: 'string' }, { const: null }] }, [], [null]],
  [{ oneOf: [{ anyOf: [{}, { type: 'null' }] }, { type: 'string' }] }, [], ['x', 1]],
  [{ type: 'string', anyOf: [{ type: 'string' }, { type: 'null' }] }, [], [null, 1]],
];

describe.each(MACHINES.map((machine) => [machine.engine, machine] as const))('%s', (_, machine) => {
  test.each(CASES)('%j', (schema, fitting, others) => {
    const tool = compileTool({ namespace: 'functions', name: 'f', parameters: object(schema) });
    for (const a of fitting) {
      expect([a, fits(machine, object(schema), JSON.stringify({ a })), tool.check({ a })]).toEqual([a, true, null]);
    }
    for (const a of others) expect([a, fits(machine, object(schema), JSON.stringify({ a }))]).toEqual([a, false]);
  });
});

test(`random schemas (OPENCHATML_SEED=${SEED})`, () => {
  const times = runs(20_000);
  let [good, said] = [0, 0];
  for (let i = 0; i < times; i++) {
    const random = randomOf(SEED + i);
    const schema = randomSchema(random);
    const value = randomValue(random, schema);
    const text = JSON.stringify(value, null, random.pick([0, 0, 1]));
    const told = `OPENCHATML_SEED=${SEED + i}: ${JSON.stringify(schema)} ${text}`;
    const [simd, scalar] = MACHINES.map((machine) => fits(machine, schema, text));
    expect(scalar, told).toBe(simd);
    const fault = compileTool({ namespace: 'functions', name: 'f', parameters: schema }).check(value);
    if (fault === null) good++;
    if (!simd) continue;
    said++;
    expect(fault, told).toBeNull();
  }
  expect(said / good).toBeGreaterThan(0.2);
});
