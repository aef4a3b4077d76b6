// What the record scanner takes for JSON: exactly what JSON.parse takes, at most 1,024 containers deep, in UTF-8. And
// where a line goes wrong that it does not take: what `check` tells, against a plain reader and the places that
// JSON.parse names.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as abi from '../../src/abi.ts';
import { locateWith } from '../../src/corpus/records/lines.ts';
import { recordOf } from '../../src/corpus/records/record.ts';
import { RecordMachine } from '../../src/scan/record-machine.ts';
import { Twin } from '../../src/scan/twin/twin.ts';
import { WasmMachine } from '../../src/scan/wasm.ts';
import { runs } from '../long.ts';
import { randomOf, SEED } from '../random.ts';
import { jsonFault } from '../reference/json.ts';
import { sharedData } from '../skip.ts';
import { scanByTwin, scanWith, type Table } from './record-drive.ts';
import { linePool, randomLines } from './record-lines.ts';

const LINES = runs(100_000);

const MACHINES = [new RecordMachine({ build: 'simd' }), new RecordMachine({ build: 'scalar' })];
const SCANS: [build: string, scan: (lines: Uint8Array) => Table][] = [
  ['simd', (lines) => scanWith(MACHINES[0]!, lines)],
  ['scalar', (lines) => scanWith(MACHINES[1]!, lines)],
  ['TypeScript', (lines) => scanByTwin(lines)],
];
const CHECKERS = [new WasmMachine({ build: 'simd' }), new WasmMachine({ build: 'scalar' }), new Twin()];
const LF = Buffer.from('\n');

/** Of each record of a table, whether its line was taken for a JSON object. */
function taken({ words }: Table): boolean[] {
  const found: boolean[] = [];
  for (let at = 0; at < words.length; at += abi.ROW_WORDS) {
    const word = words[at]!;
    if ((word & abi.KIND_MASK) === abi.RECORD) found.push((word & abi.SLOW) === 0 || (word & abi.IS_OBJECT) !== 0);
  }
  return found;
}

/** What JSON.parse says of bytes: the value; or where they go wrong, null when it does not say that. */
function parsed(bytes: Buffer): { value: unknown } | { at: number | null } {
  const text = bytes.toString('utf8');
  if (!Buffer.from(text).equals(bytes)) return { at: null };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    const named = /at position (\d+)/.exec((error as Error).message);
    return { at: named && Buffer.byteLength(text.slice(0, Number(named[1]))) };
  }
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

test(`${LINES} changed lines, as JSON.parse takes them (OPENCHATML_SEED=${SEED})`, { timeout: 60 * 60_000 }, () => {
  const pool = linePool(randomOf(SEED), 200);
  let [count, refused, named] = [0, 0, 0];
  for (let batch = 0; count < LINES; batch++) {
    const bytes = randomLines(randomOf(SEED + batch), pool);
    const lines = bytes.toString('latin1').split('\n').filter((line) => !/^[ \t\r]*$/.test(line));
    const answers = SCANS.map(([build, scan]) => [build, taken(scan(bytes))] as const);
    lines.forEach((text, i) => {
      const line = Buffer.from(text, 'latin1');
      const told = (): string => `OPENCHATML_SEED=${SEED}, batch ${batch}: ${JSON.stringify(text)}`;
      const right = parsed(line);
      const isTaken = 'value' in right && isObject(right.value);
      for (const [build, answer] of answers) {
        if (answer[i] !== isTaken) expect(answer[i], `${build}, ${told()}`).toBe(isTaken);
      }
      // JSON.parse knows no UTF-8, and does not name every place: the plain reader does.
      const fault = jsonFault(line, abi.JSON_DEEPEST);
      if (fault < 0 !== 'value' in right) expect(fault < 0, told()).toBe('value' in right);
      if ('at' in right && right.at !== null) {
        named++;
        if (fault !== right.at) expect(fault, told()).toBe(right.at);
      }
      for (const checker of CHECKERS) {
        const at = locateWith(checker)(line);
        if (at !== fault) expect(at, `${checker.engine}, ${told()}`).toBe(fault);
      }
      if (fault >= 0) refused++;
    });
    count += lines.length;
  }
  expect(refused).toBeGreaterThan(count / 10);
  expect(refused).toBeLessThan(count / 2);
  expect(named).toBeGreaterThan(refused / 2);
});

test('what is told of a line that is no JSON', () => {
  const place = { number: 3, line: 4, from: 100, to: 0 };
  const locate = locateWith(CHECKERS[0]!);
  const tell = (text: string): unknown => recordOf(Buffer.from(text, 'latin1'), place, { locate });
  expect(tell('{"messages":[}')).toMatchObject({ problem: 'it is no JSON', at: 113 });
  expect(tell('{"messages":[]')).toMatchObject({ problem: 'it ends in the middle', at: 114 });
  expect(tell('{"messages":[]}}')).toMatchObject({ problem: 'something follows the value', at: 115 });
  expect(tell('{"a":"\\x"}')).toMatchObject({ problem: 'an escape is none of JSON', at: 107 });
  expect(tell('{"a":"\xff"}')).toMatchObject({ problem: 'it is not valid UTF-8', at: 106 });
  expect(tell('{"messages":[]}')).toMatchObject({ value: { messages: [] } });
});

/** Places of a line where a value is read, each in a way of its own. */
const AROUND: [before: string, after: string][] = [
  ['', ''],
  ['{"messages":[],"x":', '}'],
  ['{"messages":', '}'],
  ['{"messages":[{"role":"user"},', ']}'],
  ['{"tools":', ',"messages":[]}'],
  ['{"id":', ',"messages":[]}'],
  ...['role', 'content', 'name', 'tool_call_id', 'tool_calls', 'function_call', 'thinking', 'from', 'value', 'y']
    .map((key): [string, string] => [`{"messages":[{"role":"user","${key}":`, '}]}']),
  ['{"messages":[{"role":"user","content":["",', ']}]}'],
  ...['type', 'text', 'y'].map((key): [string, string] => [`{"messages":[{"content":[{"${key}":`, '}]}]}']),
  ['{"messages":[{"role":"assistant","tool_calls":[{"id":"c"},', ']}]}'],
  ...['id', 'type', 'function', 'y'].map((key): [string, string] => {
    return [`{"messages":[{"tool_calls":[{"${key}":`, '}]}]}'];
  }),
  ...['name', 'arguments', 'y']
    .map((key): [string, string] => [`{"messages":[{"tool_calls":[{"function":{"${key}":`, '}}]}]}']),
  ['{"messages":[{"function_call":{"arguments":', '}}]}'],
];

describe('depth', () => {
  test.each(
    AROUND.filter(([before]) => before !== ''),
  )('as deep as may be, and one more: %s\u2026', (before, after) => {
    const around = before.match(/[[{]/g)!.length - (before.match(/[\]}]/g)?.length ?? 0);
    for (const [open, close] of [['[', ']'], ['{"a":', '}']] as const) {
      for (const [depth, isTaken] of [[1024, true], [1025, false]] as const) {
        const levels = depth - around;
        const line = Buffer.from(`${before}${open.repeat(levels - 1)}[]${close.repeat(levels - 1)}${after}\n`);
        expect(jsonFault(line, 1024) < 0).toBe(isTaken);
        for (const [build, scan] of SCANS) expect(taken(scan(line)), build).toEqual([isTaken]);
      }
    }
  });
});

const folder = sharedData('JSONTestSuite/test_parsing');

describe.skipIf(folder === null).each(SCANS)('JSONTestSuite, %s', (_, scan) => {
  test.each(AROUND)('at %s\u2026%s', (before, after) => {
    const names = readdirSync(folder!).filter((name) => name.endsWith('.json'));
    let [accepted, met] = [0, 0];
    for (const name of names) {
      const document = readFileSync(join(folder!, name));
      if (document.includes(0x0a)) continue;
      const line = Buffer.concat([Buffer.from(before), document, Buffer.from(after)]);
      if (/^[ \t\r]*$/.test(line.toString('latin1'))) continue;
      met++;
      const isValid = jsonFault(line, abi.JSON_DEPTH) < 0;
      if (before !== '' && !name.startsWith('i_')) expect(isValid, name).toBe(name.startsWith('y_'));
      const isTaken = isValid && /^[ \t\r]*\{/.test(line.toString('latin1'));
      expect(taken(scan(Buffer.concat([line, LF]))), name).toEqual([isTaken]);
      if (isTaken) accepted++;
    }
    expect(met).toBeGreaterThan(280);
    expect(accepted).toBeGreaterThan(before === '' ? 10 : 80);
  });
});
