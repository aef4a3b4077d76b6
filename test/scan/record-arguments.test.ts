// Arguments that are an object, in both builds: written as JSON.stringify writes what JSON.parse reads, or not at all.
import { describe, expect, test } from 'vitest';
import { CELL_CONTENT_TO, FORM_MESSAGES, FORM_OTHERS } from '../../src/abi.ts';
import { linePieces } from '../../src/formats/chat/record-lines.ts';
import { RecordMachine } from '../../src/scan/record-machine.ts';
import { runs } from '../long.ts';
import { type Random, randomOf, SEED } from '../random.ts';

const ALL_MESSAGES = 0xffffffff;
const MACHINES = [new RecordMachine({ build: 'simd' }), new RecordMachine({ build: 'scalar' })];

/** The content of a call whose arguments are this JSON, from a line and from cells; null: it is the host's. */
function written(machine: RecordMachine, json: string): string | null {
  const call = `{"id":"c","type":"function","function":{"name":"f","arguments":${json}}}`;
  const bytes = Buffer.from(`{"messages":[{"role":"assistant","content":null,"tool_calls":[${call}]}]}\n`);
  machine.input.set(bytes);
  const rows = machine.scan(0, bytes.length, FORM_MESSAGES);
  machine.setPieces(linePieces('a.jsonl'));
  const next = machine.writeLines(0, rows, 0, 0, 0, 0, ALL_MESSAGES);
  const line = next === 0 ? null : Buffer.from(machine.output.subarray(0, machine.linesTo)).toString();
  const content = line && (JSON.parse(line) as { content: string }).content;
  if (line !== null) expect(line).toContain(`"content":${JSON.stringify(content)}`);
  const nextOfCells = machine.writeCells(0, rows, ALL_MESSAGES);
  const to = machine.cells[CELL_CONTENT_TO]! - machine.outputAt;
  const text = nextOfCells === 0 ? null : Buffer.from(machine.output.subarray(0, to)).toString();
  expect(text).toBe(content);
  return content;
}

const asHost = (json: string): string => JSON.stringify(JSON.parse(json));
const ofNumber = (number: string): string => `{"a":${number}}`;

describe.each(MACHINES.map((machine) => [machine.engine, machine] as const))('%s', (_, machine) => {
  test.each([
    '{}', '{ }', '{\t"a" : \r1 }', '{"a":[ ],"b":[ 1 , [{"c":{ }}]], "c" : null,"d":true,"e": false}',
    '{"a":"","b":" x  y ","c":"\\"\\\\\\b\\f\\n\\r\\t"}', '{"a":"caf\u00e9 \u4f60","\u00e9":"\u{1f600}"}',
    '{"a":"\\u00e9\\/\\u0041\\u0000\\u001f\\u007f","b":"\\ud83d\\ude00","c":["\\u2028",{"d":"\\u005c"}]}',
    '{"a":{"a":{"a":1}},"b":{"a":1}}', '{"":1,"__proto__":2,"constructor":3}', '{"a":"<|end|><think>"}',
    `{"a":"${'long '.repeat(100)}","b":"${'\\n'.repeat(100)}"}`, '{"a\\n":1,"a":2}', '{"a1":1,"-1":2," 1":3}',
    ...['0', '-1', '123456789012345', '1.5', '-0.25', '0.000001', '1.0', '20.50', '0.0', '9999999999999.9']
      .map(ofNumber),
  ])('writes %s', (json) => {
    expect(written(machine, json)).toBe(asHost(json));
  });

  test.each([
    '{"b":1,"0":2}', '{"a":1,"a":2}', '{"a":{"b":1,"b":2}}', '{"\\u0061":1}',
    `{${Array.from({ length: 65 }, (_, i) => `"k${i}":${i}`).join()}}`,
    ...[
      '-0', '-0.0', '1e5', '1E-7', '0.0000001', '1234567890123456', '1.23456789012345678', '1.5e300',
    ].map(ofNumber),
  ])('leaves %s to the host', (json) => {
    expect(written(machine, json)).toBeNull();
  });
});

test('there is room for what both sides of a preference write of their prompt, or nothing is written', () => {
  for (const length of [100_000, 300_000, 400_000]) {
    const given = `{"a":"${'\\"'.repeat(length)}"}`;
    const call = `{"id":"c","type":"function","function":{"name":"f","arguments":${given}}}`;
    const prompt = `{"role":"assistant","content":null,"tool_calls":[${call}]}`;
    const side = '[{"role":"user","content":"x"}]';
    const bytes = Buffer.from(`{"prompt":[${prompt}],"chosen":${side},"rejected":${side}}\n`);
    for (const build of ['simd', 'scalar'] as const) {
      const machine = new RecordMachine({ build });
      machine.input.set(bytes);
      const rows = machine.scan(0, bytes.length, FORM_OTHERS);
      machine.setPieces(linePieces('a.jsonl'));
      const next = machine.writeLines(0, rows, 0, 0, 0, 0, ALL_MESSAGES);
      const needed = 8 * length;
      expect(next).toBe(needed < machine.output.length ? rows : 0);
      if (next > 0) expect(machine.linesTo).toBeGreaterThan(needed);
    }
  }
});

const PIECES = [
  '"a"', '"b"', '"\\u00e9"', '"\\n"', '"x y"', '"\\/"', '"\\ud83d\\ude00"', '"\u00e9\u4f60"', '""', '0', '-1', '1.50',
  '1e3', '12.0', '0.1', '-0', '99999999999999999999', 'true', 'false', 'null',
];

function value(random: Random, depth: number): string {
  const blank = (): string => random.pick(['', '', '', ' ', '\t', ' \r ']);
  if (depth > 4 || random.once(3)) return random.pick(PIECES);
  const items = Array.from({ length: random.below(5) }, (_, i) => {
    const item = value(random, depth + 1) + blank();
    if (depth % 2 === 1) return blank() + item;
    return `${blank()}${random.once(4) ? random.pick(PIECES.slice(0, 9)) : `"k${i}"`}${blank()}:${blank()}${item}`;
  });
  const [open, close] = depth % 2 === 1 ? '[]' : '{}';
  return `${open}${items.length === 0 ? blank() : items.join(',')}${close}`;
}

test(`random objects (OPENCHATML_SEED=${SEED})`, () => {
  const random = randomOf(SEED);
  let taken = 0;
  const times = runs(20_000);
  for (let i = 0; i < times; i++) {
    const json = value(random, 0);
    if (!json.startsWith('{')) continue;
    const [simd, scalar] = MACHINES.map((machine) => written(machine, json));
    expect(scalar, json).toBe(simd);
    if (simd === null) continue;
    taken++;
    expect(simd, `OPENCHATML_SEED=${SEED}: ${json}`).toBe(asHost(json));
  }
  expect(taken).toBeGreaterThan(times / 20);
});
