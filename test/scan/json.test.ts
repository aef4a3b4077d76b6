// The JSON checker of every build against a plain reader, against JSON.parse, and against itself however a document is
// cut.
import { describe, expect, test } from 'vitest';
import * as abi from '../../src/abi.ts';
import { DIALECTS } from '../../src/scan/dialects.ts';
import type { Machine } from '../../src/scan/machine.ts';
import { Twin } from '../../src/scan/twin/twin.ts';
import { WasmMachine } from '../../src/scan/wasm.ts';
import { runs, testOnce } from '../long.ts';
import { type Random, randomInput, randomOf, SEED } from '../random.ts';
import { jsonFault } from '../reference/json.ts';
import { drive, randomPlan } from './drive.ts';

const MACHINES: readonly Machine[] = [
  new WasmMachine({ build: 'simd' }), new WasmMachine({ build: 'scalar' }), new Twin(),
];
const ENGINES = MACHINES.map((machine) => [machine.engine, machine] as const);
const RUNS = runs(1_000_000);
const DEPTH = abi.JSON_DEPTH;
const encoder = new TextEncoder();
const latin1 = (bytes: Uint8Array): string => JSON.stringify(new TextDecoder('latin1').decode(bytes));

/**
 * All machines and the plain reader answer alike; compared by hand, as a comparison with a message takes most of the
 * time.
 */
function expectAlike(bytes: Uint8Array, depth: number, told: () => string): number {
  const right = jsonFault(bytes, depth);
  for (const machine of MACHINES) {
    const answer = machine.checkJson(bytes, depth);
    if (answer !== right) expect(answer, `${machine.engine}: ${told()}`).toBe(right);
  }
  return right;
}

/** What is known to be UTF-8 gets the same answer, whatever stands behind it. */
function expectAlikeInWindow(document: Uint8Array, fault: number, told: () => string): void {
  for (const { engine, source, ...machine } of IN_WINDOW) {
    const to = BEFORE + document.length;
    source.set(document, BEFORE);
    source.set(BEHIND, to);
    if (machine.isUtf8(to) && machine.check(to) !== fault) {
      expect(machine.check(to), `${engine}, in the window: ${told()}`).toBe(fault);
    }
  }
}

const BEFORE = 3;
const BEHIND = encoder.encode('\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"]}');
const IN_WINDOW = MACHINES.map((machine) => ({
  engine: machine.engine,
  source: machine.source,
  isUtf8: (to: number): boolean => machine.invalidUtf8(BEFORE, to) < 0,
  check: (to: number): number => {
    const at = machine.checkWindowJson(BEFORE, to, DEPTH);
    return at < 0 ? -1 : at - BEFORE;
  },
}));

/** Every string over `alphabet` of up to `longest` bytes, in one buffer. */
function* strings(alphabet: readonly number[], longest: number): Generator<Uint8Array, void, void> {
  const buffer = new Uint8Array(longest);
  for (let length = 0; length <= longest; length++) {
    const digits = new Array<number>(length).fill(0);
    for (let more = true; more; ) {
      for (let i = 0; i < length; i++) buffer[i] = alphabet[digits[i]!]!;
      yield buffer.subarray(0, length);
      more = false;
      for (let i = length - 1; i >= 0; i--) {
        digits[i] = (digits[i]! + 1) % alphabet.length;
        if (digits[i] !== 0) {
          more = true;
          break;
        }
      }
    }
  }
}

const bytesOf = (text: string): number[] => [...text].map((character) => character.charCodeAt(0));

function parses(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
    return true;
  } catch {
    return false;
  }
}

describe('the plain reader', () => {
  // What may finish a token, then a pair, then the containers.
  const tokens = ['', '0', '"', 'n"', '0000"', '000"', 'rue', 'ue', 'e'];
  const pairs = ['', ':0', '0', '"":0'];
  const closers = ['', ']', '}', ']]', ']}', '}]', '}}', ']]]', ']}]', '}]]', ']]}', '}}]', '}]}', ']}}', '}}}'];
  const ends = tokens.flatMap((token) => pairs.flatMap((pair) => closers.map((closer) => `${token}${pair}${closer}`)));
  const known = new Map<string, boolean>();

  function continues(prefix: string): boolean {
    let found = known.get(prefix);
    if (found === undefined) known.set(prefix, (found = ends.some((end) => parses(encoder.encode(prefix + end)))));
    return found;
  }

  testOnce('answers the first byte after which nothing makes a document, for every short string', () => {
    for (const bytes of strings(bytesOf('[]{}":,1.t\\u'), 3)) {
      const text = String.fromCharCode(...bytes);
      const fault = jsonFault(bytes, DEPTH);
      expect(fault < 0, text).toBe(parses(bytes));
      if (fault < 0) continue;
      expect(continues(text.slice(0, fault)), `${text} before ${fault}`).toBe(true);
      if (fault < text.length) expect(continues(text.slice(0, fault + 1)), `${text} at ${fault}`).toBe(false);
    }
  });
});

describe('every build answers as the plain reader', () => {
  testOnce('for every short string of tokens', () => {
    for (const bytes of strings(bytesOf('[]{}":,10-.et\\ '), 5)) expectAlike(bytes, DEPTH, () => latin1(bytes));
  });

  test('for every short number', () => {
    for (const bytes of strings(bytesOf('019-+.eE, '), 5)) expectAlike(bytes, DEPTH, () => latin1(bytes));
  });

  test('for every byte, and every two and three, in a string', () => {
    const edges = [
      0x1f, 0x20, 0x22, 0x5c, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed,
      0xee, 0xef,
      0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff,
    ];
    const all = Array.from({ length: 256 }, (_, byte) => byte);
    const document = new Uint8Array(8);
    for (const [alphabet, longest] of [[all, 2], [edges, 4]] as const) {
      for (const bytes of strings(alphabet, longest)) {
        document[0] = 0x22;
        document.set(bytes, 1);
        document[bytes.length + 1] = 0x22;
        const whole = document.subarray(0, bytes.length + 2);
        expectAlike(whole, DEPTH, () => latin1(whole));
      }
    }
  });

  test('for every byte after an escape, and every digit of one', () => {
    for (let byte = 0; byte < 256; byte++) {
      for (const around of ['"\\_"', '"\\_0000"', '"\\u_aF9"', '"\\u0_00"', '"\\uA0_9"', '"\\u000_"']) {
        const [before, after] = around.split('_') as [string, string];
        const document = Uint8Array.from([...bytesOf(before), byte, ...bytesOf(after)]);
        expectAlike(document, DEPTH, () => latin1(document));
      }
    }
  });

  test('with each byte at each place of a long string', () => {
    const plain = encoder.encode(`"${'x'.repeat(40)}"`);
    for (let at = 0; at < plain.length; at++) {
      for (let byte = 0; byte < 256; byte++) {
        const document = plain.slice();
        document[at] = byte;
        expectAlike(document, DEPTH, () => latin1(document));
      }
    }
  });

  test('whatever stands behind the document in memory', () => {
    const machine = new WasmMachine({ build: 'simd' });
    const cut = [
      ['tru', 3], ['fals', 4], ['"x', 2], ['"x\\', 3], ['"\xc3', 2], ['1', -1], ['1.', 2], ['[', 1],
    ] as const;
    for (const [text, answer] of cut) {
      machine.source.set(bytesOf(`${text}e"5]\xa9`));
      expect(machine.checkJson(machine.source.subarray(0, text.length), DEPTH), text).toBe(answer);
    }
  });
});

describe('depth', () => {
  /** Containers of random kinds in one another, and where each is closed. */
  function nested(levels: number, random: Random): { text: string; closers: number } {
    let text = '';
    let closing = '';
    for (let level = 0; level < levels; level++) {
      const isObject = random.once(2);
      text += isObject ? '{"":' : '[';
      closing = (isObject ? '}' : ']') + closing;
    }
    return { text: `${text}0${closing}`, closers: text.length + 1 };
  }

  test('as many containers as are allowed, and one more', () => {
    const random = randomOf(SEED);
    for (const levels of [0, 1, 2, 63, 64, 65, 127, 128, 129, 1023, 1024, abi.JSON_DEEPEST]) {
      const { text } = nested(levels, random);
      const document = encoder.encode(text);
      const deeper = encoder.encode(`[${text}]`);
      for (const machine of MACHINES) {
        expect(machine.checkJson(document, levels), `${machine.engine}, ${levels}`).toBe(-1);
        const last = Math.max(deeper.lastIndexOf(0x5b), deeper.lastIndexOf(0x7b));
        expect(machine.checkJson(deeper, levels), `${machine.engine}, ${levels} and one`).toBe(last);
      }
    }
  });

  test('never more than what there is room for, whatever is asked', () => {
    for (const levels of [abi.JSON_DEEPEST, abi.JSON_DEEPEST + 1]) {
      const document = encoder.encode('['.repeat(levels) + ']'.repeat(levels));
      for (const machine of MACHINES) {
        for (const depth of [abi.JSON_DEEPEST + 1, 2 ** 31 - 1, -1]) {
          const answer = levels > abi.JSON_DEEPEST ? abi.JSON_DEEPEST : -1;
          expect(machine.checkJson(document, depth), `${machine.engine}, ${levels} levels, depth ${depth}`)
            .toBe(answer);
        }
      }
    }
  });

  test('each level knows what closes it', () => {
    const random = randomOf(SEED);
    const { text, closers } = nested(300, random);
    for (let at = closers; at < text.length; at++) {
      const document = encoder.encode(text);
      document[at] = document[at] === 0x5d ? 0x7d : 0x5d;
      expect(expectAlike(document, DEPTH, () => `OPENCHATML_SEED=${SEED}, closer ${at}`)).toBe(at);
    }
  });
});

/** A random value as text, in one of the forms that writers give it. */
function randomDocument(random: Random): string {
  const strings = [
    '', 'a', 'key', 'Tokyo', 'naïve “x”', '日本語', '😀', 'line\nline\ttab', '\\"/\b\f\r', '\u0000\u001f\u007f\ud800',
    'x'.repeat(50),
  ];
  const numbers = [0, 1, -1, 10, 123456789, 0.5, -2.25e-7, 1e21, 1.5e300, -0.001];
  const make = (levels: number): unknown => {
    const kind = random.below(levels > 0 ? 8 : 5);
    if (kind === 0) return random.pick([true, false, null]);
    if (kind <= 2) return random.pick(numbers);
    if (kind <= 4) return random.pick(strings);
    const items = Array.from({ length: random.below(4) }, () => make(levels - 1));
    return kind === 5 ? items : Object.fromEntries(items.map((item, i) => [random.pick(strings) + i, item]));
  };
  const text = JSON.stringify(make(4), null, random.pick([undefined, undefined, 1, '\t']));
  const escape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  // As writers that keep to ASCII do.
  const ascii = random.once(4) ? text.replace(/[^\n\t\x20-\x7e]/g, escape) : text;
  return random.once(8) ? `\r\n ${ascii}\t\n` : ascii;
}

const INTERESTING = [
  ...bytesOf('"\\{}[]:, \n0123456789-+.eEutfn/'), 0, 0x1f, 0x7f, 0x80, 0xbf, 0xc2, 0xe0, 0xed, 0xf0, 0xf4, 0xef, 0xbb,
];

/** Changes up to three places of bytes [0, length) of `buffer`; answers the new length. */
function mutate(buffer: Uint8Array, length: number, random: Random): number {
  for (let left = random.below(4); left > 0; left--) {
    const at = random.below(length + 1);
    const byte = random.once(8) ? random.below(256) : random.pick(INTERESTING);
    switch (random.below(5)) {
      case 0:
        buffer.copyWithin(at + 1, at, length++);
        buffer[at] = byte;
        break;
      case 1:
        if (at === length) break;
        buffer.copyWithin(at, at + 1, length--);
        break;
      case 2:
        if (random.once(4)) length = at;
        break;
      default:
        if (at < length) buffer[at] = byte;
    }
  }
  return length;
}

test(`${RUNS} changed documents: every build as JSON.parse, with the offset of the plain reader`, () => {
  const random = randomOf(SEED);
  const originals = Array.from({ length: 400 }, () => encoder.encode(randomDocument(random)));
  const buffer = new Uint8Array(Math.max(...originals.map((original) => original.length)) + 8);
  let valid = 0;
  for (let run = 0; run < RUNS; run++) {
    const original = originals[random.below(originals.length)]!;
    buffer.set(original);
    const document = buffer.subarray(0, mutate(buffer, original.length, random));
    const told = (): string => `OPENCHATML_SEED=${SEED}, run ${run}: ${latin1(document)}`;
    const fault = expectAlike(document, DEPTH, told);
    const holds = parses(document);
    if (holds !== fault < 0) expect(fault < 0, told()).toBe(holds);
    if (holds) valid++;
    if (run % 4 === 0) expectAlikeInWindow(document, fault, told);
  }
  expect(valid).toBeGreaterThan(RUNS / 100);
  expect(valid).toBeLessThan(RUNS);
}, 600_000);

describe('pieces', () => {
  test.each(ENGINES)('%s: cut in two at every place, byte by byte, with empty pieces', (_, machine) => {
    const random = randomOf(SEED);
    for (let run = 0; run < runs(150); run++) {
      const buffer = new Uint8Array(4096);
      const original = encoder.encode(randomDocument(random));
      buffer.set(original);
      const document = buffer.slice(0, mutate(buffer, original.length, random));
      const whole = machine.checkJson(document, DEPTH);
      const told = `OPENCHATML_SEED=${SEED}, run ${run}: ${latin1(document)}`;
      for (let at = 0; at <= document.length; at++) {
        const pieces = [document.subarray(0, at), document.subarray(at)];
        if (machine.checkJson(pieces, DEPTH) !== whole) {
          expect(machine.checkJson(pieces, DEPTH), `cut at ${at}, ${told}`).toBe(whole);
        }
      }
      const bytewise = [...document].map((byte) => Uint8Array.of(byte));
      expect(machine.checkJson(bytewise, DEPTH), told).toBe(whole);
      expect(machine.checkJson(bytewise.flatMap((piece) => [new Uint8Array(0), piece]), DEPTH), told).toBe(whole);
    }
    expect(machine.checkJson([], DEPTH)).toBe(0);
    expect(machine.checkJson(new Uint8Array(0), DEPTH)).toBe(0);
  });

  test.each(ENGINES)('%s: documents larger than the scratch and the window, one of many pieces', (_, machine) => {
    const rows = Array.from({ length: 20_000 }, (_, i) => ({ i, text: 'naïve \u2028 \n', list: [null, -1.5e9, {}] }));
    const document = encoder.encode(JSON.stringify(rows));
    expect(document.length).toBeGreaterThan(machine.capacity);
    expect(machine.checkJson(document, DEPTH)).toBe(-1);
    const pieces = function* (): Generator<Uint8Array> {
      for (let at = 0; at < document.length; at += 7777) yield document.subarray(at, at + 7777);
    };
    expect(machine.checkJson(pieces(), DEPTH)).toBe(-1);
    for (const at of [1, 16_383, 16_384, 16_385, 500_000, document.length - 1]) {
      const wrong = document.slice();
      wrong[at] = 1;
      const expected = jsonFault(wrong, DEPTH);
      expect(machine.checkJson(wrong, DEPTH), `byte ${at}`).toBe(expected);
      expect(machine.checkJson([wrong.subarray(0, 9), wrong.subarray(9)], DEPTH), `byte ${at} in pieces`)
        .toBe(expected);
    }
    expect(machine.checkJson(document.subarray(0, 100_000), DEPTH)).toBe(100_000);
  });

  test.each(ENGINES)('%s: in the window they are read where they lie, to its last byte', (_, machine) => {
    const document = encoder.encode('{"a":"\u00e9","b":[1,true]}');
    const at = machine.capacity - document.length;
    machine.source.set(document, at);
    expect(machine.checkJson(machine.source.subarray(at), DEPTH)).toBe(-1);
    expect(machine.checkJson([machine.source.subarray(at, at + 7), machine.source.subarray(at + 7)], DEPTH)).toBe(-1);
    expect(machine.checkJson(machine.source.subarray(at, machine.capacity - 1), DEPTH)).toBe(document.length - 1);
    expect(machine.source.subarray(at)).toEqual(document);
  });

  test.each(ENGINES)('%s: bytes of the machine that do not lie in the window', (_, machine) => {
    const document = encoder.encode('[1, 2]');
    const rows = new Uint8Array(machine.rows.buffer, machine.rows.byteOffset, machine.rows.byteLength);
    rows.set(document, rows.length - document.length);
    expect(machine.checkJson(rows.subarray(rows.length - document.length), DEPTH)).toBe(-1);
    expect(machine.checkJson(rows.subarray(rows.length - document.length, rows.length - 1), DEPTH)).toBe(5);
  });
});

/** The machine, which checks something after every scan, as a reader of tables does that looks at bodies. */
function meddled(machine: Machine, random: Random): Machine {
  const large = encoder.encode(JSON.stringify(Array.from({ length: 5000 }, (_, i) => `${i}`)));
  return new Proxy(machine, {
    get(target, key) {
      if (key === 'scan') {
        return (...args: Parameters<Machine['scan']>) => {
          const answer = target.scan(...args);
          const from = random.below(target.capacity);
          target.checkJson(target.source.subarray(from, from + random.below(100)), DEPTH);
          expect(target.checkJson(large, DEPTH)).toBe(-1);
          return answer;
        };
      }
      const value = Reflect.get(target, key) as unknown;
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

test.each([
  ['simd', new WasmMachine({ build: 'simd', window: 1024, tableRows: 12 }), abi.PLAIN_BYTES + 3 * abi.LONGEST_TOKEN],
  [
    'scalar', new WasmMachine({ build: 'scalar', window: 1024, tableRows: 12 }),
    abi.PLAIN_BYTES + 3 * abi.LONGEST_TOKEN,
  ],
  ['js', new Twin({ window: 48, tableRows: 8 }), abi.LONGEST_TOKEN + 2],
] as const)('%s: a check changes nothing of a scan that is under way', (_, machine, mostHeld) => {
  const random = randomOf(SEED);
  for (let run = 0; run < runs(200); run++) {
    const input = randomInput(random);
    const plan = { dialect: DIALECTS['openchatml-2.2'], how: abi.AT_INPUT, mostHeld };
    const seed = random.below(0x7fffffff);
    const alone = drive(machine, input, randomPlan(randomOf(seed), plan));
    const checked = drive(meddled(machine, random), input, randomPlan(randomOf(seed), plan));
    expect(checked, `OPENCHATML_SEED=${SEED}, run ${run}`).toEqual(alone);
  }
});
