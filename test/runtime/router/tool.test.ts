// Tools that bring their handlers, described by the schemas of zod and valibot, or by JSON Schema.
import { toJsonSchema, toStandardJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import type { JsonSchema } from '../../../src/model/data.ts';
import { ToolRouter } from '../../../src/runtime/router/router.ts';
import { defineTool, type StandardSchema } from '../../../src/runtime/router/tool.ts';
import type { RouterOptions, Tool } from '../../../src/runtime/router/types.ts';
import { run } from '../turn/script.ts';
import { call, envelope, errorOf } from './cases.ts';
import { VirtualClock } from './clock.ts';

const isPlace = (city: string): boolean => city !== 'Atlantis';
const ZOD = z.object({
  city: z.string().min(1).refine(isPlace, 'no such place: Atlantis'),
  unit: z.enum(['c', 'f']).default('c'),
  days: z.number().int().transform((days) => days * 24).optional(),
});
const VALIBOT = v.object({
  city: v.pipe(v.string(), v.minLength(1), v.check(isPlace, 'no such place: Atlantis')),
  unit: v.optional(v.picklist(['c', 'f']), 'c'),
});
const JSON_SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string', minLength: 1 }, unit: { type: 'string', enum: ['c', 'f'], default: 'c' } },
  required: ['city'],
};

const given: unknown[] = [];
const execute = (value: unknown): string => (given.push(value), 'rain');
const routerOf = (tool: Tool, options: RouterOptions = {}): ToolRouter => {
  given.length = 0;
  return new ToolRouter({ tools: [tool], clock: new VirtualClock(), ...options });
};
test.each<[what: string, parameters: JsonSchema, place: string]>([
  ['a type', { type: 'objekt' }, '#/type: not what type takes'],
  ['a reference', { $ref: '#/$defs/none' }, '#/$ref: a reference to nothing'],
  ['a reference elsewhere', { $ref: 'https://elsewhere.example/schema' }, '#/$ref: a reference out of the schema'],
  ['a pattern', { type: 'object', properties: { city: { pattern: '(' } } },
    '#/properties/city/pattern: a pattern that cannot be matched in linear time'],
])('a router takes no tool whose schema cannot be used: %s', (_, parameters, place) => {
  const tool = defineTool({ name: 'weather', parameters, execute });
  const error = new TypeError(`tool functions.weather: its schema is not usable at ${place}`);
  expect(() => routerOf(tool)).toThrow(error);
});

const content = (value: object): { content: string } => ({ content: JSON.stringify(value) });

describe.each([
  ['zod', defineTool({ name: 'weather', description: 'The weather.', parameters: ZOD, execute })],
  ['valibot', defineTool({
    name: 'weather', description: 'The weather.', parameters: VALIBOT, execute,
    // A check of one's own has no JSON Schema.
    jsonSchema: toJsonSchema(VALIBOT, { errorMode: 'ignore' }) as JsonSchema,
  })],
])('a tool by %s', (_, tool) => {
  test('is told as JSON Schema', () => {
    expect(tool.parameters).toMatchObject({ type: 'object', required: ['city'] });
    expect(tool.parameters!['properties']).toMatchObject({ city: { minLength: 1 }, unit: { enum: ['c', 'f'] } });
    expect(Object.keys(tool.parameters!)).not.toContain('$schema');
    const [definition] = routerOf(tool).tools;
    const { namespace, name, description, parameters } = tool;
    expect(definition).toEqual({ namespace, name, description, parameters });
  });

  test('gets what the schema makes of its arguments', async () => {
    const router = routerOf(tool);
    expect((await router.dispatch(call(content({ city: 'Oslo', deadline_ms: 50 })))).status).toBe('ok');
    expect(given).toEqual([{ city: 'Oslo', unit: 'c' }]);
  });

  test('never gets what the JSON Schema refuses, nor what only the library can check', async () => {
    const router = routerOf(tool);
    const shape = await router.dispatch(call(content({ city: '' })));
    expect([shape.status, shape.rule]).toEqual(['refused', 'invalid-arguments']);
    const refined = await router.dispatch(call(content({ city: 'Atlantis' })));
    expect([refined.status, refined.rule, refined.code]).toEqual(['refused', 'invalid-arguments', 'E-CALL-SCHEMA']);
    expect(errorOf(refined).message).toContain('/city is not as it must be');
    expect(JSON.stringify(refined)).not.toContain('Atlantis');
    expect(given).toEqual([]);
    const open = routerOf(tool, { exposeErrors: true });
    expect(errorOf(await open.dispatch(call(content({ city: 'Atlantis' })))).message).toContain('/city: no such place');
  });
});

describe('a tool', () => {
  test('knows the types of its arguments', async () => {
    const tool = defineTool({
      name: 'weather',
      parameters: ZOD,
      execute: ({ city, unit, days }) => {
        expectTypeOf(city).toEqualTypeOf<string>();
        expectTypeOf(unit).toEqualTypeOf<'c' | 'f'>();
        return { city, unit, days };
      },
    });
    const outcome = await routerOf(tool).dispatch(call(content({ city: 'Oslo', days: 2 })));
    expect(envelope(outcome)['content']).toEqual({ city: 'Oslo', unit: 'c', days: 48 });
  });

  test('by JSON Schema, or of no arguments', async () => {
    const tool = defineTool({ name: 'weather', parameters: JSON_SCHEMA, execute });
    expect(tool.parameters).toBe(JSON_SCHEMA);
    expect((await routerOf(tool).dispatch(call(content({ city: 'Oslo' })))).status).toBe('ok');
    expect(given).toEqual([{ city: 'Oslo' }]);
    const bare = routerOf(defineTool({ name: 'weather', execute }));
    expect((await bare.dispatch(call(content({ city: 'Oslo' })))).rule).toBe('invalid-arguments');
    expect((await bare.dispatch(call(content({})))).status).toBe('ok');
  });

  test('by a schema that gives no JSON Schema needs one beside it', async () => {
    const parameters = v.object({ city: v.string() });
    expect(() => defineTool({ name: 'weather', parameters, execute })).toThrow('valibot');
    expect(() => defineTool({ name: 'at', parameters: z.object({ at: z.date() }), execute })).toThrow('tool at');
    const tool = defineTool({ name: 'weather', parameters, jsonSchema: JSON_SCHEMA, execute });
    expect((await routerOf(tool).dispatch(call(content({ city: 'Oslo', unit: 'f' })))).status).toBe('ok');
    expect(given).toEqual([{ city: 'Oslo' }]);
    const told = defineTool({ name: 'weather', parameters: toStandardJsonSchema(parameters), execute });
    expect(told.parameters).toEqual({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] });
  });

  test('whose schema takes its time is bound by the deadline, and does not begin after it', async () => {
    const clock = new VirtualClock();
    const slow: StandardSchema<unknown, string> = {
      '~standard': {
        version: 1, vendor: 'own', jsonSchema: { input: () => ({ type: 'object' }) },
        validate: () => new Promise((resolve) => clock.setTimeout(() => resolve({ value: 'late' }), 100)),
      },
    };
    const router = routerOf(defineTool({ name: 'weather', parameters: slow, execute }), { clock, deadlineMs: 50 });
    const dispatched = router.dispatch(call(content({})));
    await clock.run();
    expect([(await dispatched).status, given, router.late, router.abandoned]).toEqual(['timeout', [], 1, 0]);
  });

  test('has its own bound, and one handler', async () => {
    const never = (): Promise<never> => new Promise(() => undefined);
    const tool = defineTool({ name: 'weather', parameters: JSON_SCHEMA, concurrency: 1, execute: never });
    const clock = new VirtualClock();
    let started = 0;
    const router = routerOf(tool, { clock, onEvent: ({ type }) => void (type === 'tool.start' && started++) });
    const all = [call(content({ city: 'Oslo' })), call(content({ city: 'Rome' }))].map((one) => router.dispatch(one));
    expect(started).toBe(1);
    await clock.run();
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual(['timeout', 'timeout']);
    expect(() => routerOf(tool, { handlers: { 'functions.weather': execute } })).toThrow('functions.weather');
    expect(() => routerOf({ ...tool, concurrency: 0 })).toThrow('concurrencyOf');
    expect(() => defineTool({ name: 'weather', execute: 5 as never })).toThrow('execute');
  });

  test('stands in the prompts of a turn, and is called there', async () => {
    const tool = defineTool({ name: 'weather', description: 'The weather.', parameters: ZOD, execute });
    const output = '<|channel|>commentary to=functions.weather<|message|>{"city":"Oslo"}<|call|>';
    const { stop, script } = await run([output, '<|channel|>final<|message|>Rain.<|return|>'], {
      dialect: 'harmony', router: routerOf(tool),
    });
    expect([stop, given]).toEqual(['final', [{ city: 'Oslo', unit: 'c' }]]);
    expect(script.prompts[0]!.text).toContain('// The weather.\ntype weather = (_: {\ncity: string,');
    expect(script.prompts[0]!.tools[0]).not.toHaveProperty('execute');
  });
});

test.each([[[{ message: 'm', path: [null] }]], [[null]], ['x'], [[{ message: 'm', path: 1 }]]])(
  'issues that are none (%j) refuse the call all the same', async (issues) => {
    const validate = (): object => ({ issues });
    const parameters = { '~standard': { version: 1, vendor: 'x', validate } } as unknown as StandardSchema;
    const router = routerOf(defineTool({ name: 'weather', parameters, jsonSchema: JSON_SCHEMA, execute }));
    const outcome = await router.dispatch(call(content({ city: 'Oslo' })));
    expect([outcome.rule, given]).toEqual(['invalid-arguments', []]);
  },
);
