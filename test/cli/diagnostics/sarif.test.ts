// `check --format sarif`: the log's shape, places and fingerprints, what is kept and what is dropped.
import { type Schema, Validator } from '@cfworker/json-schema';
import { expect, test } from 'vitest';
import { Output } from '../../../src/cli/output.ts';
import { endOf } from '../../../src/cli/diagnostics/region.ts';
import { MOST_BYTES, MOST_RESULTS, Sarif } from '../../../src/cli/diagnostics/sarif.ts';
import type { InputSource } from '../../../src/corpus/input/source.ts';
import { type Diagnostic, type RuleName, RULES, type Severity } from '../../../src/errors.ts';
import { at, FAULTY, CLEAN, file } from '../harness.ts';
import { inputFrom, report, SECRETS } from './report.ts';

const whole = (minimum: number): object => ({ type: 'integer', minimum });
const object = (properties: Record<string, object>, optional: string[] = []): object => ({
  type: 'object', additionalProperties: false, properties,
  required: Object.keys(properties).filter((key) => !optional.includes(key)),
});
const words = object({ text: { type: 'string', minLength: 1 } });
const level = { enum: ['error', 'warning', 'note'] };
const counts = { type: 'object', additionalProperties: whole(1) };
const region = object({
  startLine: whole(1), startColumn: whole(1), endLine: whole(1), endColumn: whole(1),
  byteOffset: whole(0), byteLength: whole(0),
}, ['endLine', 'endColumn']);

/** The part of SARIF 2.1.0 (sections 3.13 to 3.58) that is written, and nothing beside it; properties bags are ours. */
const LOG = object({
  $schema: { type: 'string', pattern: '^https://' },
  version: { const: '2.1.0' },
  runs: {
    type: 'array', minItems: 1, maxItems: 1, items: object({
      tool: object({
        driver: object({
          name: { const: 'openchatml' }, version: { type: 'string' },
          rules: {
            type: 'array', uniqueItems: true, items: object({
              id: { type: 'string', pattern: '^[a-z0-9-]+$' },
              shortDescription: words, fullDescription: words, help: words, defaultConfiguration: object({ level }),
              properties: object({ code: { type: ['string', 'null'] }, clause: { type: 'string' } }),
            }),
          },
        }),
      }),
      invocations: {
        type: 'array', minItems: 1, maxItems: 1, items: object({
          executionSuccessful: { type: 'boolean' },
          toolExecutionNotifications: { type: 'array', items: object({ level, message: words }) },
        }),
      },
      columnKind: { const: 'unicodeCodePoints' },
      newlineSequences: { type: 'array', minItems: 1, uniqueItems: true, items: { type: 'string' } },
      properties: object({
        files: whole(0), errors: whole(0), warnings: whole(0), infos: whole(0), dropped: whole(0), rules: counts,
      }),
      results: {
        type: 'array', items: object({
          ruleId: { type: 'string' }, ruleIndex: whole(0), level, message: words,
          locations: {
            type: 'array', minItems: 1, maxItems: 1, items: object({
              physicalLocation: object({
                artifactLocation: object({ uri: { type: 'string', pattern: '^[A-Za-z0-9._~/:%-]+$' } }), region,
              }),
            }),
          },
          partialFingerprints: { type: 'object', additionalProperties: { type: 'string', pattern: '^[0-9a-f]{32}$' } },
          properties: object({ code: { type: ['string', 'null'] }, transcript: whole(0) }),
        }),
      },
    }),
  },
});

interface Entry {
  ruleId: RuleName;
  ruleIndex: number;
  level: string;
  message: { text: string };
  locations: [{ physicalLocation: { artifactLocation: { uri: string }; region: Record<string, number> } }];
  partialFingerprints: Record<string, string>;
  properties: { transcript: number };
}

interface Log {
  runs: [{
    tool: { driver: { version: string; rules: { id: string }[] } };
    invocations: [{ executionSuccessful: boolean; toolExecutionNotifications: { message: { text: string } }[] }];
    properties: Record<string, unknown>;
    results: Entry[];
  }];
}

function readLog(out: string): Log['runs'][0] {
  const log = JSON.parse(out) as Log;
  expect(new Validator(LOG as Schema, '2020-12', false).validate(log).errors).toEqual([]);
  return log.runs[0];
}

test('one run with the rules, and a result for each diagnostic', async () => {
  const path = file('sarif/faulty.txt', FAULTY);
  const { code, out, err } = await report('sarif', [path]);
  expect([code, err]).toEqual([1, '1 error, 1 warning, 1 info in 1 file\n']);
  const { tool, invocations, properties, results } = readLog(out);
  expect(tool.driver.version).toBe('0.0.0-test');
  expect(tool.driver.rules.map(({ id }) => id)).toEqual(Object.keys(RULES));
  expect(tool.driver.rules.find(({ id }) => id === 'truncated')).toMatchObject({
    defaultConfiguration: { level: 'error' }, properties: { code: 'E-STREAM-TRUNCATED' },
  });
  expect(invocations).toEqual([{ executionSuccessful: true, toolExecutionNotifications: [] }]);
  expect(properties).toEqual({
    files: 1, errors: 1, warnings: 1, infos: 1, dropped: 0,
    rules: { 'text-between-messages': 1, 'unknown-attribute': 1, 'unknown-role': 1 },
  });
  expect(results.map(({ ruleId, level }) => [ruleId, level])).toEqual([
    ['unknown-role', 'error'], ['text-between-messages', 'warning'], ['unknown-attribute', 'note'],
  ]);
  for (const { ruleId, ruleIndex, message } of results) {
    expect(Object.keys(RULES)[ruleIndex]).toBe(ruleId);
    expect(message.text).toBe(`${RULES[ruleId].text} (remedy: ${RULES[ruleId].remedy})`);
  }
  expect(results[0]!.locations[0].physicalLocation).toEqual({
    artifactLocation: { uri: `file://${path}` },
    region: { startLine: 2, startColumn: 10, endLine: 2, endColumn: 15, byteOffset: 22, byteLength: 5 },
  });
});

test('a clean input has a run without results, an input that is not there one that failed', async () => {
  const clean = await report('sarif', [file('sarif/clean.txt', CLEAN)]);
  expect(clean.code).toBe(0);
  expect(readLog(clean.out)).toMatchObject({ results: [], invocations: [{ executionSuccessful: true }] });
  const missing = await report('sarif', [at('sarif/none.txt')]);
  expect(missing.code).toBe(2);
  expect(readLog(missing.out)).toMatchObject({ results: [], invocations: [{ executionSuccessful: false }] });
});

test('regions: code points, several lines, none beyond a bound, empty ones', async () => {
  const regions = async (text: string): Promise<unknown[]> => {
    const { out } = await report('sarif', [file('sarif/regions.txt', text)]);
    return readLog(out).results.map(({ locations }) => locations[0].physicalLocation.region);
  };
  const head = 'version: 2.2\n---\n';
  const user = '<|start|>user<|message|>';
  expect(await regions(`\ufeff${head}${user}\u{1f600}<|end|>\u{1f600}\u00e9${user}c<|end|>`)).toEqual([
    { startLine: 3, startColumn: 33, endLine: 3, endColumn: 35, byteOffset: 55, byteLength: 6 },
  ]);
  expect(await regions(`${head}<|start|>user<|message|>a\nb\n<|start|>user<|message|>c<|end|>`)).toEqual([
    { startLine: 3, startColumn: 1, endLine: 5, endColumn: 1, byteOffset: 17, byteLength: 28 },
  ]);
  expect(await regions(`${head}${user}a<|end|>  ${user}b\nc\u00e9${user}d<|end|>`)).toEqual([
    { startLine: 3, startColumn: 35, endLine: 4, endColumn: 3, byteOffset: 51, byteLength: 29 },
  ]);
  expect(await regions(`${head}<|start|>user<|message|>${'a'.repeat(70_000)}`)).toEqual([
    { startLine: 3, startColumn: 1, byteOffset: 17, byteLength: 70_024 },
  ]);
  expect(await regions('<|start|>user<|message|>c<|end|>')).toEqual([
    { startLine: 1, startColumn: 1, endLine: 1, endColumn: 1, byteOffset: 0, byteLength: 0 },
  ]);
});

test('a byte order mark at the beginning counts no column, one elsewhere does', () => {
  const end = (from: number): unknown => {
    const diagnostic: Diagnostic = {
      code: null, rule: 'truncated', severity: 'error', from, to: from + 5, transcript: 0, message: 'm',
    };
    return endOf(inputFrom(0, '\ufeffab\ufeffab'), diagnostic, { line: 1, column: 1 });
  };
  expect([end(0), end(5)]).toEqual([{ line: 1, column: 3 }, { line: 1, column: 4 }]);
});

test('bytes that a pipe has let go leave the end open', () => {
  const log = gather((add) => add('error', 'truncated', 'a.txt', 0, inputFrom(4, '0123456789')));
  expect(log.results[0]!.locations[0].physicalLocation.region).toEqual({
    startLine: 1, startColumn: 3, byteOffset: 2, byteLength: 6,
  });
});

test('a pipe gives the results of a file, apart from ends that are gone', async () => {
  const blank = ' \n'.repeat(300_000);
  const call = '<|start|>assistant to=functions.f call_id=c<|channel|>commentary<|message|>{}<|call|>';
  const text = `version: 2.2\n${call}${blank}${FAULTY}${blank}a`;
  const entries = (out: string): unknown[] => readLog(out).results.map(({ ruleId, level, locations }) => {
    const { endLine: _, endColumn: __, ...start } = locations[0].physicalLocation.region;
    return [ruleId, level, start];
  });
  const ofPipe = await report('sarif', ['-'], text);
  expect(ofPipe.err).not.toContain('error:');
  expect(entries(ofPipe.out).length).toBeGreaterThan(4);
  expect(entries(ofPipe.out)).toEqual(entries((await report('sarif', [file('sarif/pipe.txt', text)])).out));
});

test('names are percent-encoded, those below the working directory relative to it', () => {
  const uri = (path: string): string => {
    const [result] = gather((add) => add('error', 'truncated', path)).results;
    return result!.locations[0].physicalLocation.artifactLocation.uri;
  };
  expect(uri(`${process.cwd()}/a b/\u00e9%2f#?.txt`)).toBe('a%20b/%C3%A9%252f%23%3F.txt');
  expect(uri('/elsewhere/a:b.txt')).toBe('file:///elsewhere/a%3Ab.txt');
  expect(uri('a:b.txt')).toBe('a%3Ab.txt');
  expect(uri('\ud800.txt')).toBe('%EF%BF%BD.txt');
  expect(uri('-')).toBe('-');
});

test('a fingerprint stays when text is put before the finding, and differs from every other one', async () => {
  const path = file('sarif/moved.txt', FAULTY + FAULTY);
  const prints = async (): Promise<string[]> => {
    const { out } = await report('sarif', [path]);
    return readLog(out).results.flatMap((result) => Object.values(result.partialFingerprints));
  };
  const before = await prints();
  expect(before.length).toBeGreaterThan(5);
  expect(new Set(before).size).toBe(before.length);
  const longer = FAULTY.replace('<|start|>', '<|start|>user<|message|>Good day<|end|>\n<|start|>');
  file('sarif/moved.txt', `\n\n\n${longer}${FAULTY}`);
  expect(await prints()).toEqual(before);
});

test('a further finding in a transcript changes no fingerprint of the next one', async () => {
  const prints = async (text: string): Promise<string[]> => {
    const { results } = readLog((await report('sarif', [file('sarif/further.txt', text)])).out);
    const wanted = results.filter(({ ruleId }) => ruleId === 'unknown-role');
    return wanted.flatMap((one) => Object.values(one.partialFingerprints));
  };
  const robot = '<|start|>robot<|message|>Hello<|end|>\n';
  const [first, second] = await prints(`${FAULTY}${FAULTY}`);
  const [, further, last] = await prints(`${FAULTY}${robot}${FAULTY}`);
  expect(last).toBe(second);
  expect(new Set([first, second, further]).size).toBe(3);
});

type Add = (severity: Severity, rule: RuleName, path?: string, number?: number, input?: InputSource) => void;

/** The log of diagnostics that are given by hand. */
function gather(give: (add: Add) => void): Log['runs'][0] & { size: number; words: string } {
  let out = '';
  const output = new Output({ isTTY: false, write: (text) => void (out += text) });
  const sarif = new Sarif(output, '0.0.0-test');
  const counts = { error: 0, warning: 0, info: 0 };
  const memory = inputFrom(0, '0123456789');
  give((severity, rule, path = 'a.txt', number = 0, input = memory) => {
    counts[severity]++;
    const diagnostic: Diagnostic = { code: null, rule, severity, from: 2, to: 8, transcript: number, message: 'm' };
    sarif.diagnostic(path, diagnostic, { line: 1, column: 3 }, input);
  });
  const { error: errors, warning: warnings, info: infos } = counts;
  const words = sarif.end({ schema: 'openchatml/check/1', files: 1, errors, warnings, infos, rules: {} }, true);
  output.flush();
  return { ...readLog(out), size: Buffer.byteLength(out), words };
}

const levelsOf = (results: Entry[]): Record<string, number> => {
  const levels: Record<string, number> = {};
  for (const { level } of results) levels[level] = (levels[level] ?? 0) + 1;
  return levels;
};

test('5,000 results are kept, the most severe and the first ones, in order; what is dropped is said', () => {
  const { results, invocations, properties, words } = gather((add) => {
    for (let i = 0; i < 3000; i++) add('info', 'open-call', 'a.txt', i);
    for (let i = 0; i < 2500; i++) add('warning', 'invalid-utf8', 'a.txt', i);
    for (let i = 0; i < 4000; i++) add('error', 'truncated', 'a.txt', i);
    add('info', 'open-call');
    add('warning', 'invalid-utf8');
  });
  expect(results).toHaveLength(MOST_RESULTS);
  expect(levelsOf(results)).toEqual({ error: 4000, warning: 1000 });
  expect(results.map(({ level }) => level)).toEqual([...results.map(({ level }) => level)].sort());
  expect(results.map((result) => result.properties.transcript)).toEqual([...Array(4000).keys(), ...Array(1000).keys()]);
  expect(properties).toMatchObject({ errors: 4000, warnings: 2501, infos: 3001, dropped: 4502 });
  expect(invocations[0].toolExecutionNotifications).toHaveLength(1);
  expect(invocations[0].toolExecutionNotifications[0]!.message.text).toContain('4,502 results are left out');
  expect(words).toContain('4,502 results are left out');
});

test('exactly 5,000 drop nothing; one more drops the last', () => {
  const log = (count: number): ReturnType<typeof gather> => gather((add) => {
    for (let i = 0; i < count; i++) add('error', 'truncated', 'a.txt', i);
  });
  const { properties, invocations } = log(MOST_RESULTS);
  expect([properties['dropped'], invocations[0].toolExecutionNotifications]).toEqual([0, []]);
  expect(log(MOST_RESULTS + 1).properties).toMatchObject({ dropped: 1 });
});

test('very long names do not make a file of 10 MB', () => {
  const { results, size, properties } = gather((add) => {
    for (let i = 0; i < 2000; i++) add('warning', 'invalid-utf8', 'a.txt', i);
    for (let i = 0; i < 2000; i++) add('error', 'truncated', `${'\u00e9'.repeat(2000)}/${i}`, i);
  });
  expect(size).toBeLessThan(10_000_000);
  expect(size).toBeGreaterThan(MOST_BYTES - 50_000);
  expect(levelsOf(results)).toEqual({ error: results.length });
  expect(properties).toMatchObject({ dropped: 4000 - results.length });
});

test('where bytes are short, none is kept behind one that was dropped', () => {
  const { results } = gather((add) => {
    for (let i = 0; i < 2000; i++) add('error', 'truncated', `${'\u00e9'.repeat(2000)}/${i}`, i);
    add('error', 'truncated', 'a.txt', 2000);
    add('info', 'open-call', 'a.txt', 2001);
  });
  expect(results.map((result) => result.properties.transcript)).toEqual([...results.keys()]);
});

test('no log holds a byte of a body, and none steers the terminal', async () => {
  const path = file('sarif/na\x1b[31mme\u202e.txt', SECRETS.replace('robot', 'a\x1b]0;x\x07\u202e'));
  const { out, err } = await report('sarif', [path], '', true);
  expect(readLog(out).results.length).toBeGreaterThan(8);
  expect(out + err).not.toContain('SECRET');
  expect(out + err).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
});
