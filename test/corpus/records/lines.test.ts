// JSON lines the fast way (lines scanned as bytes) against the plain way (every line a value): the same units, the same
// places, the same words for what is wrong; whatever the lines, the options, the sizes of reads and of the window, and
// where a range is cut.
import { describe, expect, test } from 'vitest';
import { ThreadContext } from '../../../src/corpus/jobs/open.ts';
import { countLines } from '../../../src/corpus/records/count-lines.ts';
import { layoutOf } from '../../../src/corpus/records/layout.ts';
import { readRecords } from '../../../src/corpus/records/record.ts';
import { RecordLines } from '../../../src/corpus/records/lines.ts';
import type { LineRange } from '../../../src/corpus/records/window.ts';
import { type BadRecord, isBad, type Unit, type FileOptions, unitsOfRecord } from '../../../src/corpus/records/unit.ts';
import { createMachine } from '../../../src/index.ts';
import { MemorySource, type Source } from '../../../src/scan/source.ts';
import { TextMachine } from '../../../src/scan/text-machine.ts';
import { part, runs } from '../../long.ts';
import { forSeeds, type Random } from '../../random.ts';
import { SlowSource } from '../input/slow-source.ts';

const machine = createMachine();
/** Windows of which the smallest holds hardly a line, and the next ones some. */
const WINDOWS = [48, 100, 1000, 64 * 1024];
const TEXTS = (['simd', 'scalar'] as const).flatMap((build) => {
  return WINDOWS.map((input) => new TextMachine({ build, input }));
});
const RUNS = runs(4000);
const WHOLE: LineRange = { from: 0, to: Infinity, record: 0, line: 1 };
const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** All that can be asked of a unit, asked while it is valid. */
function seen(unit: Unit | BadRecord): object {
  if (isBad(unit)) return unit;
  const { kind, record, line, source, options, place } = unit;
  const text = Buffer.from(source.bytes(0, 2 ** 30));
  const again = Buffer.alloc(text.length + 1);
  expect(again.subarray(0, source.read(0, again)).equals(text)).toBe(true);
  const rising = Array.from({ length: text.length + 1 }, (_, offset) => place(offset));
  // Back to the beginning, and on in leaps.
  for (const offset of [0, text.length >> 1, text.length, text.length >> 2]) expect(place(offset)).toBe(rising[offset]);
  return { kind, record, line, options, text: text.toString('latin1'), places: rising.join() };
}

/** A row of a table has no bytes of its own in the file: what is told of it counts from its beginning. */
function withoutBytes(unit: object): object {
  if (!('rule' in unit)) return unit;
  const bad = unit as BadRecord;
  return { ...bad, from: 0, to: bad.to - bad.from };
}

/** The plain way: `unitsOf` over lines. */
function plain(bytes: Uint8Array, options: FileOptions): object[] {
  const locate = (part: Uint8Array): number => machine.checkJson(part, 1024);
  const found: object[] = [];
  for (const record of readRecords(new MemorySource(bytes), { locate, largest: options.largestRecord })) {
    for (const unit of unitsOfRecord(record, options)) {
      found.push(options.positions === 'field' ? withoutBytes(seen(unit)) : seen(unit));
    }
  }
  return found;
}

function fast(
  text: TextMachine, source: Source, options: FileOptions, range = WHOLE,
): { found: object[]; records: number; lines: number } {
  const lines = new RecordLines(text, machine, source, options, range);
  const found: object[] = [];
  for (const unit of lines.units()) found.push(seen(unit));
  const { records, lines: passed } = lines;
  return { found, records, lines: passed };
}

const TALK = '<|start|>user<|message|>Hi<|end|>';
const CHARACTERS = [
  'a', TALK, '<|', ' ', 'é', '中', '\u{1f600}', '\x7f', '/', 'text', '{"text":"no"}', ',', '[', 'x'.repeat(40),
];
const ESCAPES = [
  '\\n', '\\"', '\\\\', '\\/', '\\b', '\\t', '\\u003c|start|\\u003E', '\\u0000', '\\u00e9', '\\u4e2d', '\\ud83d\\ude00',
  '\\uD83D\\uDE00',
];
const LONE = ['\\ud800', '\\udc00', '\\ude00\\ud83d', '\\ud83dx', '\\ud83d\\n', '\\ud83d\\ud83d\\ude00'];
const KEYS = [
  'text', 'text', 'text', 'messages', 'conversations', 'prompt', 'completion', 'id', 'own', 'te\\u0078t', 'Text', '',
  '__proto__', 'é', 'm\\u0065ssages',
];
const BAD = [
  '{', '{}', '[]', '[1]', '"x"', '1', 'null', 'nope', '{"text":"a"', '{"text":"a"}}', '{"text":"a"} x',
  '{"text":\'a\'}', '{"text":"a\tb"}', '{"text":"\\x"}',
  '{"text":"\\u12"}', '{"text":"a",}', '{text:"a"}', '{"text":"a""b"}', '{"text":01}', '{"text"}', '\u00a0{"text":"a"}',
  '\ufeff{"text":"a"}', '\0', '{"a":1}{"text":"a"}',
];
const BLANK = ['', ' ', '\t', '\r', ' \t\r '];
const LONG_BLANK = ' '.repeat(60);

const some = <T>(random: Random, most: number, make: () => T): T[] =>
  Array.from({ length: random.below(most + 1) }, make);

function string(random: Random): string {
  const escapes = random.once(3) ? [] : ESCAPES;
  const lone = random.once(12) ? LONE : [];
  const from = [...CHARACTERS, ...escapes, ...lone].map((piece) => {
    return piece.startsWith('\\') ? piece : JSON.stringify(piece).slice(1, -1);
  });
  return `"${some(random, 8, () => random.pick(from)).join('')}"`;
}

function chat(random: Random): string {
  const role = random.pick(['user', 'assistant', 'system', 'robot']);
  return random.once(6)
    ? value(random, 1)
    : `[{"role":"${role}","content":${string(random)}},{"role":"assistant","content":${string(random)}}]`;
}

function value(random: Random, depth: number): string {
  switch (random.below(depth > 3 ? 5 : 7)) {
    case 0: return random.pick(['0', '-1.5e3', '12345678901234567890', '1e999']);
    case 1: return random.pick(['true', 'false', 'null']);
    case 2: return '[]';
    case 3: case 4: return string(random);
    case 5: return `[${some(random, 3, () => value(random, depth + 1)).join()}]`;
    default: return object(random, depth + 1);
  }
}

function object(random: Random, depth = 0): string {
  const space = (): string => (random.once(8) ? random.pick([' ', '\t', '\r', '  ']) : '');
  const members = some(random, 4, () => {
    const key = random.pick(KEYS);
    const held = ['messages', 'conversations'].includes(key) && random.once(2) ? chat(random)
      : random.once(3) ? value(random, depth)
      : string(random);
    return `${space()}"${key}"${space()}:${space()}${held}${space()}`;
  });
  return `${space()}{${members.join()}}${space()}`;
}

/** An object with more members than the machine's table takes, and one that is deeper than it goes. */
function huge(random: Random): string {
  if (random.once(2)) {
    return `{${Array.from({ length: 300 }, (_, n) => `"k${n}":${n}`).join()},"text":${string(random)}}`;
  }
  const deep = random.pick([60, 200, 1100]);
  return `{"a":${'['.repeat(deep)}${']'.repeat(deep)},"text":${string(random)}}`;
}

function line(random: Random, blank: readonly string[]): Buffer {
  const of = random.below(12);
  if (of === 0) return Buffer.from(random.pick(blank));
  if (of === 1) return Buffer.from(random.pick(BAD));
  if (of === 2 && random.once(4)) return Buffer.from(huge(random));
  const bytes = Buffer.from(object(random));
  if (!random.once(8)) return bytes;
  // One byte is another one, or missing.
  const at = random.below(bytes.length);
  const other = random.pick([[], [0xff], [0xc3], [0x22], [0x5c], [0x7d], [0x00], [0xed, 0xa0, 0x80], [0x2c]]);
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(other), bytes.subarray(at + 1)]);
}

/** JSON lines that are taken for such. */
function input(random: Random, options: FileOptions): Buffer {
  for (;;) {
    const bytes = linesOf(random, options);
    if (layoutOf(new MemorySource(bytes)) === 'lines') return bytes;
  }
}

/**
 * JSON lines, of which the first that is not blank opens no list; blank ones are no larger than a record may be.
 */
function linesOf(random: Random, { largestRecord }: FileOptions): Buffer {
  const ends = random.pick([['\n'], ['\r\n'], ['\n', '\r\n', '\n\n', '\n \r\n']]);
  const blank = largestRecord === undefined ? [...BLANK, LONG_BLANK] : BLANK;
  const lines = some(random, 9, () => line(random, blank));
  const first = lines.findIndex((one) => one.toString('latin1').trim() !== '');
  if (first >= 0) {
    lines[first] = Buffer.from(lines[first]!.toString('latin1').replace(/^([ \t\r]*)\[/, '$1'), 'latin1');
  }
  const parts: Buffer[] = random.once(6) ? [MARK] : [];
  for (const [i, one] of lines.entries()) {
    parts.push(one, Buffer.from(i === lines.length - 1 && random.once(2) ? '' : random.pick(ends)));
  }
  return Buffer.concat(parts);
}

function optionsOf(random: Random): FileOptions {
  return {
    ...(random.once(2) && { form: random.pick(['auto', 'text', 'messages', 'conversations'] as const) }),
    ...(random.once(4) && { field: random.pick(['text', 'own', 'messages', 'id', '__proto__', 'é', 'none', '']) }),
    ...(random.once(5) && { positions: random.pick(['file', 'field'] as const) }),
    ...(random.once(5) && { largestRecord: random.pick([10, 20, 60, 150]) }),
    ...(random.once(9) && { dialect: 'openchatml-2.2' as const }),
  };
}

/** Compares; words are made only for a failure. */
function expectSame(found: unknown, wanted: unknown, bytes: Uint8Array, about: unknown): void {
  if (JSON.stringify(found) === JSON.stringify(wanted)) return;
  expect(found, `${JSON.stringify(Buffer.from(bytes).toString('latin1'))} ${JSON.stringify(about)}`).toEqual(wanted);
  throw new Error('the same values in another order');
}

test('random lines: the same units, places and bad records', () => {
  let units = 0;
  let bad = 0;
  let escaped = 0;
  forSeeds(RUNS, (random) => {
    const options = optionsOf(random);
    const bytes = input(random, options);
    const wanted = plain(bytes, options);
    for (const one of wanted) {
      if ('rule' in one) bad++;
      else units++;
    }
    escaped += bytes.includes('\\u') ? 1 : 0;
    const most = random.pick([1, 2, 3, 7, 64, Infinity]);
    const text = random.pick(TEXTS);
    expectSame(fast(text, new SlowSource(bytes, most), options).found, wanted, bytes, [
      options, most, text.input.length,
    ]);
  });
  // Enough of everything was there.
  expect(Math.min(units, bad, escaped)).toBeGreaterThan(RUNS / 10);
});

test('random lines: each cut into ranges gives the whole', () => {
  forSeeds(RUNS / 4, (random) => {
    const options = optionsOf(random);
    const bytes = input(random, options);
    const text = random.pick(TEXTS);
    const whole = fast(text, new MemorySource(bytes), options);
    const first = MARK.equals(bytes.subarray(0, 3)) ? 4 : 1;
    const cuts = some(random, 4, () => first + random.below(bytes.length + 3)).sort((a, b) => a - b);
    const found: object[] = [];
    let [record, line, from] = [0, 1, 0];
    for (const to of [...cuts, Infinity]) {
      const part = fast(text, new SlowSource(bytes, random.pick([1, 5, Infinity])), options, {
        from, to, record, line,
      });
      found.push(...part.found);
      [record, line, from] = [part.records, part.lines + 1, to];
    }
    expectSame({ found, records: record, lines: line - 1 }, whole, bytes, [options, cuts, text.input.length]);
  });
});

test('counting lines alone gives the same numbers', () => {
  const context = new ThreadContext();
  forSeeds(RUNS / 4, (random) => {
    const options = optionsOf(random);
    const bytes = input(random, options);
    const starts = [0, ...[...bytes.keys()].filter((at) => at > 0 && bytes[at - 1] === 0x0a)];
    const cuts = [...starts.filter((at) => at > 0 && random.once(2)), Infinity];
    let from = 0;
    for (const to of cuts) {
      const range = { from, to, record: 0, line: 1 };
      const { records, lines } = fast(random.pick(TEXTS), new MemorySource(bytes), options, range);
      const counted = countLines(context.text, new MemorySource(bytes), from, to);
      // Lines that have ended are counted, and passed: the last one of an input may have no end.
      const ended = bytes.subarray(from, Math.min(to, bytes.length)).filter((byte) => byte === 0x0a).length;
      expectSame([counted.records, counted.lines], [records, ended], bytes, [options, range]);
      expect(lines - ended).toBeLessThanOrEqual(to === Infinity ? 1 : 0);
      from = to;
    }
  });
});

describe('a record of every size around the window', () => {
  const text = TEXTS[0]!;
  const around = Array.from({ length: 2 * text.input.length }, (_, n) => n);

  test.each(part(['\r\n', '\n', '']))('its end is %j', (end) => {
    for (const length of around) {
      const one = `{"text":"${'x'.repeat(length)}"}`;
      const bytes = Buffer.from(`${one}\n${one}${end}`);
      for (const most of [1, 13, Infinity]) {
        expectSame(fast(text, new SlowSource(bytes, most), {}).found, plain(bytes, {}), bytes, most);
      }
    }
  });

  test('the largest that may be read', () => {
    const sizes: boolean[] = [];
    for (const length of around) {
      const bytes = Buffer.from(`{"text":"${'x'.repeat(length)}"}\n{"text":""}\n`);
      for (const largestRecord of [30, 47, 48, 49, 80]) {
        const wanted = plain(bytes, { largestRecord });
        sizes.push('rule' in wanted[0]!);
        expectSame(fast(text, new SlowSource(bytes, 5), { largestRecord }).found, wanted, bytes, largestRecord);
      }
    }
    expect(new Set(sizes)).toEqual(new Set([true, false]));
  });
});

test('one record of all escapes is placed at every byte', () => {
  const content = [...ESCAPES, ...LONE, 'é', '\u{1f600}'].join('a');
  const bytes = Buffer.from(`\n{"id":"\\u003c","text":"${content}","last":1}\n`);
  const [bad, unit] = plain(bytes, {}) as { places: string; text: string }[];
  expect(bad).toMatchObject({ rule: 'bad-record', detail: 'its text holds half a character' });
  const places = unit!.places.split(',').map(Number);
  // Every escape is one character: its bytes are placed at its backslash.
  expect(new Set(places.slice(0, -1)).size).toBe(Array.from(JSON.parse(`"${content}"`) as string).length + 1 + 3);
  for (const text of TEXTS) {
    expectSame(fast(text, new SlowSource(bytes, 3), {}).found, [bad, unit], bytes, text.input.length);
  }
});
