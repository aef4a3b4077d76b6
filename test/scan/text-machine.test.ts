// The text machine, both builds, against plain readers, JSON.parse, JSON.stringify and TextDecoder; at every alignment,
// and with bytes behind the end that must not matter.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as abi from '../../src/abi.ts';
import { TextMachine } from '../../src/scan/text-machine.ts';
import { WasmMachine } from '../../src/scan/wasm.ts';
import { part, runs } from '../long.ts';
import { forSeeds, type Random, randomOf, SEED } from '../random.ts';
import { jsonFault } from '../reference/json.ts';
import { sharedData } from '../skip.ts';
import { plainMembers, plainOrigins, randomContent, randomObject, randomValue } from './text-pieces.ts';

const INPUT = 8192;
const MACHINES = [
  new TextMachine({ build: 'simd', input: INPUT, output: INPUT }),
  new TextMachine({ build: 'scalar', input: INPUT, output: INPUT }),
];
const ENGINES = MACHINES.map((machine) => [machine.engine, machine] as const);
const RUNS = runs(4000);
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

/** The line that bytes begin with. */
const lineOf = (bytes: Uint8Array): Uint8Array => bytes.subarray(0, [...bytes, 0x0a].indexOf(0x0a));
const CONTAINERS: Record<string, number> = {
  '"': abi.VALUE_STRING, '{': abi.VALUE_OBJECT, '[': abi.VALUE_ARRAY, 't': abi.VALUE_TRUE, 'f': abi.VALUE_FALSE,
  'n': abi.VALUE_NULL,
};

/** The members of a line that lies at `from`, and what `line` answers, against the plain readers and JSON.parse. */
function expectLine(machine: TextMachine, bytes: Uint8Array, random: Random): number {
  const from = put(machine, bytes, random);
  return expectLineAt(machine, from, bytes);
}

function expectLineAt(machine: TextMachine, from: number, bytes: Uint8Array): number {
  const line = lineOf(bytes);
  const answer = machine.line(from, from + bytes.length);
  const isObject = jsonFault(line, abi.JSON_DEPTH) < 0 && decoder.decode(line).trimStart().startsWith('{');
  const members = isObject ? plainMembers(line) : [];
  const right = !isObject || members.length > abi.MOST_MEMBERS ? abi.LINE_OTHER : members.length;
  if (answer !== right) expect(answer, latin1(line)).toBe(right);
  if (answer < 0) {
    expect(machine.find('text')).toBe(-1);
    return answer;
  }
  expect(machine.lineTo - from, latin1(line)).toBe(line.length);
  members.forEach((member, i) => {
    const found = {
      key: [machine.keyFrom(i) - from, machine.keyTo(i) - from],
      value: [machine.valueFrom(i) - from, machine.valueTo(i) - from],
    };
    if (String([found.key, found.value]) !== String([member.key, member.value])) {
      expect(found, latin1(line)).toEqual(member);
    }
    const value = line.subarray(...member.value);
    const isText = value[0] === 0x22;
    const meant = isText ? (JSON.parse(decoder.decode(value)) as string) : '';
    const told = [machine.kind(i), machine.isEscaped(i), machine.hasLone(i)];
    const kind = CONTAINERS[String.fromCharCode(value[0]!)] ?? abi.VALUE_NUMBER;
    const wanted = [kind, isText && value.includes(0x5c), /\p{Surrogate}/u.test(meant)];
    if (String(told) !== String(wanted)) expect(told, latin1(line)).toEqual(wanted);
    if (isText && !Buffer.from(machine.text(i)).equals(encoder.encode(meant))) {
      expect(decoder.decode(machine.text(i)), latin1(line)).toBe(decoder.decode(encoder.encode(meant)));
      throw new Error(`other bytes: ${latin1(line)}`);
    }
  });
  const object = JSON.parse(decoder.decode(line)) as Record<string, unknown>;
  for (const name of ['text', 'prompt', 'messages', '', 'none']) {
    const member = machine.find(name);
    expect(member >= 0, latin1(line)).toBe(Object.hasOwn(object, name));
    if (member < 0) continue;
    expect(JSON.parse(decoder.decode(machine.input.subarray(machine.valueFrom(member), machine.valueTo(member)))))
      .toEqual(object[name]);
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

  test('the last line feed, at every alignment and distance', () => {
    for (let from = 0; from < 64; from++) {
      for (let length = 0; length < 200; length += 1 + (length >> 4)) {
        machine.input.fill(0x0b);
        const at = from + length;
        machine.input[at] = 0x0a;
        for (const to of [at + 1, at + 2, at + 17, INPUT]) expect(machine.lastLine(from, to)).toBe(at);
        expect([machine.lastLine(from, at), machine.lastLine(at + 1, INPUT), machine.lastLine(at, at)])
          .toEqual([-1, -1, -1]);
        machine.input[Math.max(0, from - 1)] = 0x0a;
        expect(machine.lastLine(from, at)).toBe(from === 0 && length > 0 ? 0 : -1);
        machine.input[at - 5 > from ? at - 5 : at] = 0x0a;
        expect(machine.lastLine(from, INPUT)).toBe(at);
      }
    }
  });

  test('lines and records, however the input is cut', () => {
    forSeeds(RUNS, (random) => {
      const alphabet = random.pick([
        [0x0a, 0x20], [0x0a, 0x0d, 0x78], [0x0a, 0x09, 0x20, 0x29, 0x1a, 0x19, 0x8a],
        [0x0a, 0x20, 0x78, 0x78, 0x78, 0x78, 0x78],
      ]);
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

describe.each(ENGINES)('line, %s', (_, machine) => {
  test('members of random objects', () => {
    let members = 0;
    forSeeds(RUNS, (random) => {
      members += Math.max(
        0, expectLine(machine, Uint8Array.from(randomObject(random, 2, false)).subarray(0, INPUT), random),
      );
    });
    expect(members).toBeGreaterThan(RUNS);
  });

  test('what is none: wild strings, changed bytes, cut texts', () => {
    const answers = new Map<boolean, number>();
    forSeeds(RUNS, (random) => {
      const value = random.once(8) ? randomValue(random, 2, true) : randomObject(random, 2, true);
      let bytes = Uint8Array.from(value).subarray(0, INPUT);
      if (random.once(2)) bytes[random.below(bytes.length)] = random.pick([
        0x00, 0x0a, 0x20, 0x22, 0x2c, 0x30, 0x5c, 0x5d, 0x75, 0x7b, 0x7d, 0xc3, 0xff,
      ]);
      if (random.once(4)) bytes = bytes.subarray(0, random.below(bytes.length + 1));
      const isWrong = expectLine(machine, bytes, random) < 0;
      answers.set(isWrong, (answers.get(isWrong) ?? 0) + 1);
    });
    for (const isWrong of [true, false]) expect(answers.get(isWrong)).toBeGreaterThan(RUNS / 10);
  });

  test('every byte behind a backslash, in every place of a step', () => {
    const random = randomOf(SEED);
    for (let byte = 0; byte < 256; byte++) {
      for (let before = 0; before < 140; before += byte % 16 === 2 ? 1 : 13) {
        const text = [...encoder.encode(`{"a":"${'x'.repeat(before)}\\`), byte, ...encoder.encode('"}')];
        expectLine(machine, Uint8Array.from(text), random);
      }
    }
  });

  test('runs of backslashes before a quote, in every place of a step', () => {
    const random = randomOf(SEED);
    for (let before = 0; before < 140; before++) {
      for (let run = 0; run < 9; run++) {
        expectLine(machine, encoder.encode(`{"a":"${'x'.repeat(before)}${'\\'.repeat(run)}","b":""}`), random);
      }
    }
  });

  test('numbers and words', () => {
    const random = randomOf(SEED);
    const given = [
      '0', '-0', '00', '-', '-a', '1.', '1.5', '.5', '1e', '1e+', '1e5', '1e+5', '1.5E-05', '+1', '01', '1x', 'true',
      'tru', 'truex', 'false', 'fals',
      'falsy', 'null', 'nul', 'nulL', 'NaN', '', ',', '"a"x', '[]', '[}', '{]', '[1,]', '{"a":}', '{"a":1,}',
    ];
    for (const value of given) {
      for (const text of [
        `{"a":${value}}`, `{"a": ${value} ,"b":1}`, `{"a":${value}`, value, ` { "a" : ${value} } \n`,
      ]) {
        expectLine(machine, encoder.encode(text), random);
      }
    }
  });

  test('other values at the top, blanks, and what follows the object', () => {
    const random = randomOf(SEED);
    for (const text of [
      '[]', '"a"', '1', 'null', '', ' \n', '{}', ' {} ', '{} {}', '{}x', '{},', '\ufeff{}', '{', '{ ', '}', '{,}',
      '{"a":1}}',
    ]) {
      expectLine(machine, encoder.encode(text), random);
    }
  });

  test('as many members as the table takes, and one more', () => {
    const random = randomOf(SEED);
    const text = (count: number): Uint8Array =>
      encoder.encode(`{${Array.from({ length: count }, (_unused, i) => `"k${i}":${i}`).join(',')}}`);
    expect(expectLine(machine, text(abi.MOST_MEMBERS), random)).toBe(abi.MOST_MEMBERS);
    expect(expectLine(machine, text(abi.MOST_MEMBERS + 1), random)).toBe(abi.LINE_OTHER);
  });

  test('as deep as JSON may be, and one deeper', () => {
    const random = randomOf(SEED);
    for (const depth of [abi.JSON_DEPTH - 1, abi.JSON_DEPTH]) {
      for (const end of [']'.repeat(depth), ']'.repeat(depth - 1), '']) {
        expectLine(machine, encoder.encode(`{"a":${'['.repeat(depth)}${end}}`), random);
      }
    }
  });
});

const suite = sharedData('JSONTestSuite/test_parsing');
describe.skipIf(suite === null).each(ENGINES)('JSONTestSuite, %s', (_, machine) => {
  test('the verdict of checkJson, as a text and as a member', () => {
    const scanner = new WasmMachine();
    const large = new TextMachine({ build: machine.engine, input: 1024 * 1024 });
    const files = readdirSync(suite!);
    expect(files.length).toBeGreaterThan(300);
    for (const file of files) {
      const bytes = readFileSync(join(suite!, file));
      for (const text of [bytes, Buffer.concat([Buffer.from('{"a":'), bytes, Buffer.from('}')])]) {
        const line = lineOf(text);
        const isObject =
          scanner.checkJson(line, abi.JSON_DEPTH) < 0 && Buffer.from(line).toString().trimStart().startsWith('{');
        large.input.set(text, 1);
        expect([file, large.line(1, 1 + text.length) >= 0]).toEqual([file, isObject]);
        if (isObject) expect(large.lineTo).toBe(1 + line.length);
      }
    }
  });
});

/** What stands at a place of a string: every kind of escape and character, and what is none. */
const PIECES = [
  ...[
    '\\n', '\\"', '\\\\', '\\\\\\"', '\\/', '\\u003c', '\\u00e9', '\\u4f60', '\\ud83d\\ude00', '\\ud83d', '\\ude00',
    '\\ud83dx', '\\ud83d\\n', '\\ud83d\\u0041', '\\ud83d\\ud83d\\ude00',
  ],
  ...['\u00e9', '\u4f60', '\u{1f600}', 'x'],
  ...[
    '\\', '\\x', '\\u', '\\u12g4', '\\u123', '\\ud83d\\ude0', '\\ud83d\\ude0g', '\\\u0022"', '\t', '\x00', '"',
    '\\\u00e9', '\\\u0122',
  ],
].map((piece) => encoder.encode(piece));
const BROKEN = [
  [0x80], [0xc3], [0xe4, 0xbd], [0xf0, 0x9f, 0x98], [0xed, 0xa0, 0x80], [0xc1, 0xbf], [0xf4, 0x90, 0x80, 0x80],
  [0x5c, 0xa2], [0x5c, 0xe2],
].map((piece) => Uint8Array.from(piece));

describe.each(ENGINES)('strings, %s', (_, machine) => {
  const lineWith = (before: number, ...pieces: Uint8Array[]): Buffer =>
    Buffer.concat([Buffer.from(`{"text":"${'x'.repeat(before)}`), ...pieces, Buffer.from('"}')]);

  test('every piece in every place of a step, alone and before every other one', () => {
    const random = randomOf(SEED);
    const others = part([...PIECES, ...BROKEN], 9);
    let answers = 0;
    for (let before = 0; before < 140; before++) {
      for (const piece of [...PIECES, ...BROKEN]) {
        if (expectLine(machine, lineWith(before, piece), random) === 1) answers++;
        if (before < 40 || before > 70) continue;
        for (const other of others) expectLine(machine, lineWith(before, piece, other), random);
      }
    }
    // Most pieces are valid ones.
    expect(answers).toBeGreaterThan(140 * 18);
  });

  test('dense escapes, and escapes at all distances', () => {
    const random = randomOf(SEED);
    for (const piece of PIECES.slice(0, 19)) {
      for (let gap = 0; gap < 130; gap += gap < 20 ? 1 : 11) {
        const all = Array.from({ length: Math.min(200, 3 + Math.trunc(3000 / (gap + 8))) }, () => {
          return [piece, Buffer.alloc(gap, 0x79)];
        }).flat();
        expect(expectLine(machine, lineWith(random.below(9), ...all), random)).toBe(1);
      }
    }
  });

  test('what is behind the end decides nothing: every cut of a line whose rest is there', () => {
    const pieces = PIECES.slice(0, 19);
    const line = Buffer.concat([
      Buffer.from(' {"id":"\\u003c","a":[1,"]"],"n":-1.5e3,"text":"'), ...pieces, Buffer.alloc(70, 0x78), ...pieces,
      Buffer.from('","t":true,"last":""} \r'),
    ]);
    const valid = line.lastIndexOf('}');
    for (let from = 0; from < 70; from += 3) {
      machine.input.fill(0x20);
      machine.input.set(line, from);
      for (let cut = 0; cut <= line.length; cut++) {
        const answer = machine.line(from, from + cut);
        if (answer !== (cut > valid ? 6 : abi.LINE_OTHER)) expect([cut, answer]).toEqual([cut, 6]);
        if (answer >= 0) expect(machine.lineTo).toBe(from + cut);
      }
      expectLineAt(machine, from, line);
    }
  });

  test('a line feed at every place ends the line', () => {
    const line = Buffer.from('{"id":"r","a":[1,{"b":"]"}],"text":"a\\nb\\u003c","n":12}');
    for (let at = 0; at <= line.length; at++) {
      const bytes = Buffer.concat([
        line.subarray(0, at), Buffer.from('\n'), line.subarray(at), Buffer.from('\n{"text":"next"}'),
      ]);
      machine.input.fill(0x7d);
      machine.input.set(bytes, 5);
      expect(expectLineAt(machine, 5, bytes)).toBe(at === line.length ? 4 : abi.LINE_OTHER);
    }
  });

  test('a text as long as input and output', () => {
    for (const piece of ['x', '\u00e9', 'x\\n']) {
      const room = INPUT - '{"":""}'.length;
      const bytes = encoder.encode(`{"":"${piece.repeat(Math.trunc(room / encoder.encode(piece).length))}"}`);
      expectLineAt(machine, put(machine, bytes, randomOf(SEED)), bytes);
    }
  });

  test('gives what JSON.parse gives, and where each byte comes from', () => {
    let lone = 0;
    forSeeds(RUNS, (random) => {
      const content = Uint8Array.from(randomContent(random, 14)).subarray(0, INPUT - 16);
      const line = Buffer.concat([Buffer.from('{"text":"'), content, Buffer.from('"}')]);
      const at = put(machine, line, random);
      const from = at + 9;
      const to = from + content.length;
      expect(expectLineAt(machine, at, line)).toBe(1);
      if (machine.hasLone(0)) lone++;
      const length = machine.text(0).length;
      const origins = plainOrigins(content);
      expect(origins.length).toBe(length + 1);
      machine.mapBegin(from, to);
      for (let offset = random.below(3); offset < origins.length; offset += random.below(20)) {
        expect(machine.mapTo(offset) - from, `${offset} of ${latin1(content)}`).toBe(origins[offset]);
        if (random.once(30)) offset = random.below(offset + 1);
      }
      expect(machine.mapTo(length) - from).toBe(content.length);
      expect(machine.mapTo(length + 7) - from).toBe(content.length);
      expect(machine.mapTo(0)).toBe(from);
    });
    expect(lone).toBeGreaterThan(RUNS / 50);
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
        expect(decoder.decode(machine.output.subarray(0, machine.escape(0, bytes.length))))
          .toBe(stringified(Uint8Array.from(bytes)));
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
