// The JSON Schemas of the package: what the commands write fits them, and the configuration's says what is read.
// OPENCHATML_UPDATE_SCHEMAS=1 writes the configuration's.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Schema, Validator } from '@cfworker/json-schema';
import { describe, expect, test } from 'vitest';
import { type Kind, KINDS, settableOf } from '../src/cli/config-read.ts';
import { ALL_RULES } from '../src/cli/diagnostics/rule-of.ts';
import { MOST_THREADS } from '../src/cli/options.ts';
import { makeProgram } from '../src/cli/program.ts';
import type { Host } from '../src/cli/stream.ts';
import { at, file, jsonLines, run } from './cli/harness.ts';

const FOLDER = 'schemas';
const names = readdirSync(FOLDER).map((name) => name.replace('.schema.json', ''));
const schemaOf = (name: string): Schema => JSON.parse(readFileSync(`${FOLDER}/${name}.schema.json`, 'utf8')) as Schema;
const used = new Set<string>();

function validatorOf(name: string): Validator {
  used.add(name);
  return new Validator(schemaOf(name), '2020-12');
}

/** Values fit, and do not when a member goes or one more comes. */
function expectFits(name: string, values: readonly unknown[]): void {
  const validator = validatorOf(name);
  expect(values.length, name).toBeGreaterThan(0);
  for (const value of values) {
    const { valid, errors } = validator.validate(value);
    expect(valid, `${name}: ${JSON.stringify(errors.slice(-2))}: ${JSON.stringify(value).slice(0, 400)}`).toBe(true);
    expect(validator.validate({ ...(value as object), surplus: 1 }).valid, name).toBe(false);
    const [wanted] = schemaOf(name).required ?? Object.keys(value as object);
    const others = Object.entries(value as object).filter(([member]) => member !== wanted);
    expect(validator.validate(Object.fromEntries(others)).valid, `${name} without ${wanted}`).toBe(false);
  }
}

const call = { name: 'f', arguments: '{"a":' };
const RECORDS = [
  { id: 7, messages: [{ role: 'user', content: 'a <|end|> b' }, { role: 'assistant', content: null, tool_calls: [
    { id: 'c', type: 'function', function: call },
    { id: 'c', type: 'function', function: { ...call, arguments: '{}' } },
  ] }, { role: 'tool', tool_call_id: 'c', content: '' }] },
  { messages: [{ role: 'user', content: '<think>x' }, { role: 'assistant', content: '<think>a</think>b' }] },
  { text: 'version: 2.2\n<|start|>robot<|message|>a\u00e9<|end|> x <|start|>assistant to=f<|message|>' },
  {},
];
const LINES = file('schemas/lines.jsonl', `${RECORDS.map((one) => JSON.stringify(one)).join('\n')}\nx\n`);
const INPUTS = ['fixtures/samples', 'fixtures/chat', LINES];

async function jsonOf(...argv: string[]): Promise<unknown> {
  return JSON.parse((await run(argv)).out);
}

const linesOf = async (...argv: string[]): Promise<unknown[]> => jsonLines((await run(argv)).out);

describe('outputs', () => {
  test('of scan', async () => {
    expectFits('scan', [
      await jsonOf('scan', '--format', 'json', ...INPUTS),
      await jsonOf('scan', '--format', 'json', '--tokens', 'o200k_base', ...INPUTS),
    ]);
  });

  test.each(['check', 'audit'])('of %s', async (command) => {
    expectFits(command, [await jsonOf(command, '--format', 'json', ...INPUTS)]);
    expectFits(`${command}-line`, await linesOf(command, '--format', 'ndjson', ...INPUTS));
  });

  test('of messages', async () => {
    expectFits('messages-line', [
      ...await linesOf('messages', ...INPUTS), ...await linesOf('messages', '--tokens', 'o200k_base', ...INPUTS),
    ]);
  });

  test('of filter, run and merge', async () => {
    const stdin = readFileSync(LINES);
    for (const more of [[], ['--emit', 'messages'], ['--warnings'], ['--passthrough']]) {
      expectFits('verdict-line', jsonLines((await run(['filter', ...more, '-'], { stdin })).out));
    }
    const out = at('schemas/run');
    expect((await run(['run', '--out', out, ...INPUTS])).code).toBe(0);
    const of = (ending: string): string[] =>
      readdirSync(out).filter((name) => name.endsWith(ending)).map((name) => readFileSync(join(out, name), 'utf8'));
    expectFits('verdict-line', of('.ndjson').flatMap((text) => jsonLines(text)));
    expectFits('run', of('.done.json').map((text) => JSON.parse(text) as unknown));
    expectFits('run-inputs', of('inputs.json').map((text) => JSON.parse(text) as unknown));
    expectFits('merge', [await jsonOf('merge', out)]);
  });

  test('of convert to a dialect', async () => {
    for (const to of ['openchatml-2.2', 'harmony']) {
      expectFits('convert-line', await linesOf('convert', '--to', to, '--format', 'ndjson', LINES));
    }
  });

  test('of explain', async () => {
    expectFits('explain', [
      await jsonOf('explain', '--format', 'json'), await jsonOf('explain', '--format', 'json', 'truncated'),
      await jsonOf('explain', '--format', 'json', 'R-GAP'),
    ]);
  });

  test('all schemas are those of something', () => {
    const others = ['config', 'interchange-2.0', 'interchange-2.2'];
    expect([...new Set([...used, ...others])].sort()).toEqual(names.sort());
  });
});

/** What a configuration may give for an option; `choices`: of a choice. */
function valueOf(name: string, kind: Kind, choices: readonly string[]): object {
  switch (kind) {
    case 'choice':
      return { enum: choices };
    case 'flag':
      return { type: 'boolean' };
    case 'text':
      return { type: 'string' };
    case 'number':
      return { type: 'integer', ...(name === 'threads' ? { minimum: 1, maximum: MOST_THREADS } : { minimum: 0 }) };
    case 'limit':
      return { anyOf: [{ type: 'integer', minimum: 0 }, { const: 'none' }] };
    case 'paths':
      return { type: 'array', items: { type: 'string' } };
  }
}

describe('the configuration', () => {
  const program = makeProgram({ version: '0' } as Host, () => {});
  const settable = settableOf(program);
  const choicesOf = (name: string, ...commands: string[]): string[] =>
    [...new Set(commands.flatMap((command) => settable.get(command)!.get(name)?.argChoices ?? []))];
  const all = [...settable.keys()];
  const everywhere = Object.fromEntries(Object.entries(KINDS).map(([name, kind]) =>
    [name, valueOf(name, kind, choicesOf(name, ...all))]));
  const commands = Object.fromEntries([...settable].map(([command, options]) =>
    [command, Object.fromEntries([...options.keys()].map((name) =>
      [name, valueOf(name, KINDS[name]!, choicesOf(name, command))]))]));
  const severity = { enum: ['off', 'info', 'warn', 'error'] };
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'config.schema.json',
    title: 'openchatml.config.json',
    description: 'How severe rules are, and defaults for options: of every command that knows them, or of one.',
    type: 'object',
    properties: {
      $schema: { type: 'string' },
      rules: {
        type: 'object',
        properties: Object.fromEntries([...ALL_RULES].sort().map((rule) => [rule, severity])),
        additionalProperties: false,
      },
      ...everywhere,
      ...Object.fromEntries(Object.entries(commands).map(([name, properties]) => {
        return [name, { type: 'object', properties, additionalProperties: false }];
      })),
    },
    additionalProperties: false,
  };

  test('has a schema that says what is read', () => {
    const text = `${JSON.stringify(schema, null, 2)}\n`;
    if (process.env['OPENCHATML_UPDATE_SCHEMAS']) writeFileSync(`${FOLDER}/config.schema.json`, text);
    expect(readFileSync(`${FOLDER}/config.schema.json`, 'utf8')).toBe(text);
  });

  test.each([
    ['{}', true],
    ['{"$schema":"x","rules":{"truncated":"warn"},"threads":4,"check":{"format":"concise","tools":["t.json"]}}', true],
    ['{"maxDiagnostics":"none","dialect":"harmony","quiet":true,"field":"text","check":{"maxWarnings":0}}', true],
    ['{"rules":{"truncated":"warning"}}', false],
    ['{"rules":{"x":"off"}}', false],
    ['{"dialect":"x"}', false],
    ['{"quiet":"yes"}', false],
    ['{"check":{"format":"table"}}', false],
    ['{"scan":{"format":"pretty"}}', false],
    ['{"limit":1}', false],
    ['{"threads":0}', false],
    ['{"tools":"t.json"}', false],
  ])('%s', async (text, isRight) => {
    const path = file('schemas/config.json', text);
    expect(validatorOf('config').validate(JSON.parse(text)).valid).toBe(isRight);
    const { code } = await run(['check', '--config', path, '--print-config']);
    expect(code).toBe(isRight ? 0 : 2);
  });
});
