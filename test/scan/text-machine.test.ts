// The text machine, both builds, against plain readers, JSON.parse, JSON.stringify and TextDecoder; at every alignment, and with bytes
// behind the end that must not matter.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as abi from '../../src/abi.ts';
import { TextMachine } from '../../src/scan/text-machine.ts';
import { WasmMachine } from '../../src/scan/wasm.ts';
import { type Random, randomOf, SEED } from '../random.ts';
import { jsonFault } from '../reference/json.ts';
import { sharedData } from '../skip.ts';
import { plainMembers, plainOrigins, randomContent, randomObject, randomValue } from './text-pieces.ts';

const INPUT = 8192;
const MACHINES = [new TextMachine({ build: 'simd', input: INPUT, output: INPUT }), new TextMachine({ build: 'scalar', input: INPUT, output: INPUT })];
const ENGINES = MACHINES.map((machine) => [machine.engine, machine] as const);
const RUNS = Number(process.env['OPENCHATML_TEXT_RUNS'] ?? 4000);
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const latin1 = (bytes: Uint8Array): string => JSON.stringify(Buffer.from(bytes).toString('latin1'));

/** Puts bytes into the input, among others that may look like their continuation. Answers where they begin. */
function put(machine: TextMachine, bytes: Uint8Array, random: Random): number {
  const from = random.once(6) ? INPUT - bytes.length : random.below(Math.min(64, INPUT - bytes.length + 1));
  machine.input.fill(random.pick([0x00, 0x0a, 0x20, 0x22, 0x5c, 0x78, 0x7d, 0x80, 0xff]));
  machine.input.set(bytes, from);
  return from;
}

/** `work` for many seeds; a failure tells its own. */
function forSeeds(runs: number, work: (random: Random) => void): void {
  for (let run = 0; run < runs; run++) {
    try {
      work(randomOf(SEED + run));
    } catch (error) {
      throw new Error(`OPENCHATML_SEED=${SEED + run}: ${(error as Error).message}`, { cause: error });
    }
  }
}

/** The verdict of `record`, its position and its members, against the plain readers. */
function expectRecord(machine: TextMachine, bytes: Uint8Array, random: Random): number {
  const from = put(machine, bytes, random);
  const answer = machine.record(from, from + bytes.length);
  const fault = jsonFault(bytes, abi.JSON_DEPTH);
  if (fault >= 0) {
    const found = [answer, machine.wrongAt - from];
    if (found[0] !== abi.RECORD_WRONG || found[1] !== fault) expect(found, latin1(bytes)).toEqual([abi.RECORD_WRONG, fault]);
    return answer;
  }
  const isObject = decoder.decode(bytes).trimStart().startsWith('{');
  if (!isObject) {
    expect(answer, latin1(bytes)).toBe(abi.RECORD_OTHER);
    return answer;
  }
  const members = plainMembers(bytes);
  if (members.length > abi.MOST_MEMBERS) {
    expect(answer).toBe(abi.RECORD_MANY);
    return answer;
  }
  const found = Array.from({ length: answer }, (_, i) => {
    const words = machine.members.subarray(i * abi.MEMBER_WORDS, (i + 1) * abi.MEMBER_WORDS);
    return {
      key: [words[abi.MEMBER_KEY_FROM]! - from, words[abi.MEMBER_KEY_TO]! - from],
      value: [machine.valueFrom(i) - from, machine.valueTo(i) - from],
      kind: words[abi.MEMBER_KIND],
    };
  });
  const right = members.map(({ key, value }) => {
    const hasEscape = ([a, b]: readonly [number, number]): boolean => bytes.subarray(a, b).includes(0x5c);
    const first = String.fromCharCode(bytes[value[0]]!);
    const kinds: Record<string, number> = {
      '"': abi.VALUE_STRING, '{': abi.VALUE_OBJECT, '[': abi.VALUE_ARRAY, 't': abi.VALUE_TRUE, 'f': abi.VALUE_FALSE, 'n': abi.VALUE_NULL,
    };
    const kind = kinds[first] ?? abi.VALUE_NUMBER;
    const isEscaped = kind === abi.VALUE_STRING && hasEscape(value);
    return { key, value, kind: kind | (hasEscape(key) ? abi.KEY_ESCAPED : 0) | (isEscaped ? abi.VALUE_ESCAPED : 0) };
  });
  expect(found, latin1(bytes)).toEqual(right);
  const object = JSON.parse(decoder.decode(bytes)) as Record<string, unknown>;
  for (const name of ['text', 'prompt', 'messages', '', 'none']) {
    const member = machine.find(name);
    expect(member >= 0, latin1(bytes)).toBe(Object.hasOwn(object, name));
    if (member < 0) continue;
    expect(JSON.parse(decoder.decode(machine.input.subarray(machine.valueFrom(member), machine.valueTo(member))))).toEqual(object[name]);
    expect(machine.isEscaped(member)).toBe((found[member]!.kind! & abi.VALUE_ESCAPED) !== 0);
    expect(machine.kind(member)).toBe(found[member]!.kind! & abi.VALUE_MASK);
  }
  return answer;
}

test('both builds are here', () => {
  expect(MACHINES.map(({ engine }) => engine)).toEqual(['simd', 'scalar']);
});

describe.each(ENGINES)('lines, %s', (_, machine) => {
  test('the next line feed, at every alignment and distance', () => {
    for (let from = 0; from < 64; from++) {
      for (let length = 0; length < 200; length += 1 + (length >> 4)) {
        machine.input.fill(0x0b);
        machine.input[from + length] = 0x0a;
        expect(machine.nextLine(from, from + length)).toBe(-1);
        expect(machine.nextLine(from, from + length + 1)).toBe(from + length);
        machine.input[from + length + 5] = 0x0a;
        expect(machine.nextLine(from, INPUT)).toBe(from + length);
      }
    }
  });

  test('lines and records, however the input is cut', () => {
    forSeeds(RUNS, (random) => {
      const alphabet = random.pick([[0x0a, 0x20], [0x0a, 0x0d, 0x78], [0x0a, 0x09, 0x20, 0x29, 0x1a, 0x19, 0x8a], [0x0a, 0x20, 0x78, 0x78, 0x78, 0x78, 0x78]]);
      const bytes = Uint8Array.from({ length: random.below(400) }, () => random.pick(alphabet));
      const from = put(machine, bytes, random);
      machine.beginLines();
      for (let at = 0; at < bytes.length; ) {
        const to = random.once(3) ? bytes.length : Math.min(bytes.length, at + random.below(150));
        machine.countLines(from + at, from + to);
        at = to;
      }
      const parts = Buffer.from(bytes).toString('latin1').split('\n');
      const held = parts.map((part) => /[^ \t\r]/.test(part));
      const right = [parts.length - 1, held.slice(0, -1).filter(Boolean).length, held.at(-1)];
      expect([machine.lines, machine.records, machine.inRecord], latin1(bytes)).toEqual(right);
    });
  });
});

describe.each(ENGINES)('record, %s', (_, machine) => {
  test('members of random objects', () => {
    let members = 0;
    forSeeds(RUNS, (random) => {
      members += Math.max(0, expectRecord(machine, Uint8Array.from(randomObject(random, 2, false)).subarray(0, INPUT), random));
    });
    expect(members).toBeGreaterThan(RUNS);
  });

  test('what is wrong, and where: wild strings, changed bytes, cut texts', () => {
    const answers = new Map<boolean, number>();
    forSeeds(RUNS, (random) => {
      const value = random.once(8) ? randomValue(random, 2, true) : randomObject(random, 2, true);
      let bytes = Uint8Array.from(value).subarray(0, INPUT);
      if (random.once(2)) bytes[random.below(bytes.length)] = random.pick([0x00, 0x0a, 0x20, 0x22, 0x2c, 0x30, 0x5c, 0x5d, 0x75, 0x7b, 0x7d, 0xc3, 0xff]);
      if (random.once(4)) bytes = bytes.subarray(0, random.below(bytes.length + 1));
      const isWrong = expectRecord(machine, bytes, random) < 0;
      answers.set(isWrong, (answers.get(isWrong) ?? 0) + 1);
    });
    for (const isWrong of [true, false]) expect(answers.get(isWrong)).toBeGreaterThan(RUNS / 10);
  });

  test('every byte behind a backslash, in every place of a step', () => {
    const random = randomOf(SEED);
    for (let byte = 0; byte < 256; byte++) {
      for (let before = 0; before < 140; before += byte % 16 === 2 ? 1 : 13) {
        const text = [...encoder.encode(`{"a":"${'x'.repeat(before)}\\`), byte, ...encoder.encode('"}')];
        expectRecord(machine, Uint8Array.from(text), random);
      }
    }
  });

  test('runs of backslashes before a quote, in every place of a step', () => {
    const random = randomOf(SEED);
    for (let before = 0; before < 140; before++) {
      for (let run = 0; run < 9; run++) {
        expectRecord(machine, encoder.encode(`{"a":"${'x'.repeat(before)}${'\\'.repeat(run)}","b":""}`), random);
      }
    }
  });

  test('numbers and words', () => {
    const random = randomOf(SEED);
    const given = [
      '0', '-0', '00', '-', '-a', '1.', '1.5', '.5', '1e', '1e+', '1e5', '1e+5', '1.5E-05', '+1', '01', '1x', 'true', 'tru', 'truex', 'false', 'fals',
      'falsy', 'null', 'nul', 'nulL', 'NaN', '', ',', '"a"x', '[]', '[}', '{]', '[1,]', '{"a":}', '{"a":1,}',
    ];
    for (const value of given) {
      for (const text of [`{"a":${value}}`, `{"a": ${value} ,"b":1}`, `{"a":${value}`, value, ` { "a" : ${value} } \n`]) {
        expectRecord(machine, encoder.encode(text), random);
      }
    }
  });

  test('other values at the top, blanks, and what follows the object', () => {
    const random = randomOf(SEED);
    for (const text of ['[]', '"a"', '1', 'null', '', ' \n', '{}', ' {} ', '{} {}', '{}x', '{},', '\ufeff{}', '{', '{ ', '}', '{,}', '{"a":1}}']) {
      expectRecord(machine, encoder.encode(text), random);
    }
    machine.input.set(encoder.encode('  '));
    expect([machine.record(0, 2), machine.wrongAt]).toEqual([abi.RECORD_WRONG, 2]);
  });

  test('as many members as the table takes, and one more', () => {
    const random = randomOf(SEED);
    const text = (count: number): Uint8Array => encoder.encode(`{${Array.from({ length: count }, (_unused, i) => `"k${i}":${i}`).join(',')}}`);
    expect(expectRecord(machine, text(abi.MOST_MEMBERS), random)).toBe(abi.MOST_MEMBERS);
    expect(expectRecord(machine, text(abi.MOST_MEMBERS + 1), random)).toBe(abi.RECORD_MANY);
  });

  test('as deep as JSON may be, and one deeper', () => {
    const random = randomOf(SEED);
    for (const depth of [abi.JSON_DEPTH - 1, abi.JSON_DEPTH]) {
      for (const end of [']'.repeat(depth), ']'.repeat(depth - 1), '']) {
        expectRecord(machine, encoder.encode(`{"a":${'['.repeat(depth)}${end}}`), random);
      }
    }
  });
});

const suite = sharedData('JSONTestSuite/test_parsing');
describe.skipIf(suite === null).each(ENGINES)('JSONTestSuite, %s', (_, machine) => {
  test('the verdict and position of checkJson, as a text and as a member', () => {
    const scanner = new WasmMachine();
    const large = new TextMachine({ build: machine.engine, input: 1024 * 1024 });
    const files = readdirSync(suite!);
    expect(files.length).toBeGreaterThan(300);
    for (const file of files) {
      const bytes = readFileSync(join(suite!, file));
      for (const text of [bytes, Buffer.concat([Buffer.from('{"a":'), bytes, Buffer.from('}')])]) {
        const right = scanner.checkJson(text, abi.JSON_DEPTH);
        large.input.set(text, 1);
        const answer = large.record(1, 1 + text.length);
        if (right >= 0) expect([file, answer, large.wrongAt - 1]).toEqual([file, abi.RECORD_WRONG, right]);
        else expect([file, answer >= 0], file).toEqual([file, text.toString().trimStart().startsWith('{')]);
      }
    }
  });
});

describe.each(ENGINES)('unescape, %s', (_, machine) => {
  test('gives what JSON.parse gives, and where each byte comes from', () => {
    let lone = 0;
    forSeeds(RUNS, (random) => {
      const content = Uint8Array.from(randomContent(random, 14)).subarray(0, INPUT);
      const from = put(machine, content, random);
      const to = from + content.length;
      const value = JSON.parse(`"${decoder.decode(content)}"`) as string;
      const right = encoder.encode(value);
      const at = random.below(Math.min(64, INPUT - content.length + 1));
      const end = machine.unescape(from, to, at);
      expect(Buffer.from(machine.output.subarray(at, end)).equals(right), latin1(content)).toBe(true);
      expect(machine.hasLone).toBe(/\p{Surrogate}/u.test(value));
      if (machine.hasLone) lone++;
      const origins = plainOrigins(content);
      expect(origins.length).toBe(right.length + 1);
      machine.mapBegin(from, to);
      for (let offset = random.below(3); offset < origins.length; offset += random.below(20)) {
        expect(machine.mapTo(offset) - from, `${offset} of ${latin1(content)}`).toBe(origins[offset]);
        if (random.once(30)) offset = random.below(offset + 1);
      }
      expect(machine.mapTo(right.length) - from).toBe(content.length);
      expect(machine.mapTo(right.length + 7) - from).toBe(content.length);
      expect(machine.mapTo(0)).toBe(from);
    });
    expect(lone).toBeGreaterThan(RUNS / 50);
  });

  test('refuses an output without room', () => {
    expect(() => machine.unescape(0, 100, machine.output.length - 99)).toThrow(RangeError);
  });
});

/** Random bytes, mostly text. */
function randomBytes(random: Random): Uint8Array {
  const bytes = randomContent(random, 14, true);
  for (let i = random.below(6); i > 0 && bytes.length > 0; i--) bytes[random.below(bytes.length)] = random.below(256);
  return Uint8Array.from(bytes).subarray(0, 1300);
}

describe.each(ENGINES)('escape, %s', (_, machine) => {
  const stringified = (bytes: Uint8Array): string => JSON.stringify(decoder.decode(bytes)).slice(1, -1);

  test('gives what JSON.stringify gives of the decoded bytes', () => {
    forSeeds(RUNS, (random) => {
      const bytes = randomBytes(random);
      const from = put(machine, bytes, random);
      const end = machine.escape(from, from + bytes.length, 7);
      expect(machine.taken - from).toBe(bytes.length);
      const found = decoder.decode(machine.output.subarray(7, end));
      if (found !== stringified(bytes)) expect(found, latin1(bytes)).toBe(stringified(bytes));
    });
  });

  test('every byte, alone and among others; every lead with every second byte', () => {
    for (let byte = 0; byte < 256; byte++) {
      for (const bytes of [[byte], [0x78, byte, 0x78], [...new Array<number>(17).fill(0x78), byte]]) {
        machine.input.set(bytes);
        expect(decoder.decode(machine.output.subarray(0, machine.escape(0, bytes.length)))).toBe(stringified(Uint8Array.from(bytes)));
      }
      for (let second = 0; byte >= 0x80 && second < 256; second++) {
        const bytes = Uint8Array.of(byte, second, 0x80, 0xbf, 0x78);
        machine.input.set(bytes);
        const found = decoder.decode(machine.output.subarray(0, machine.escape(0, bytes.length)));
        if (found !== stringified(bytes)) expect(found, latin1(bytes)).toBe(stringified(bytes));
      }
    }
  });

  test('goes on where the input was cut, and where the output was full', () => {
    const small = new TextMachine({ build: machine.engine, input: 40, output: 160 });
    forSeeds(RUNS, (random) => {
      const bytes = randomBytes(random);
      const parts: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; ) {
        const part = bytes.subarray(at, at + 4 + random.below(37));
        const final = at + part.length === bytes.length;
        small.input.set(part);
        for (let taken = 0; taken < part.length; taken = small.taken) {
          const into = random.below(80);
          const end = small.escape(taken, part.length, into, final);
          parts.push(small.output.slice(into, end));
          expect(end).toBeLessThanOrEqual(small.output.length);
          if (small.taken === taken) break;
        }
        expect(part.length - small.taken).toBeLessThan(final ? 1 : 4);
        at += small.taken;
      }
      const found = Buffer.concat(parts).toString();
      if (found !== stringified(bytes)) expect(found, latin1(bytes)).toBe(stringified(bytes));
    });
  });
});
