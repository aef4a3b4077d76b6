// The record scanner: small tables written by hand, and random lines on which SIMD = scalar = TypeScript, row for row.
import { describe, expect, test } from 'vitest';
import * as abi from '../../src/abi.ts';
import { RecordMachine, type RecordMachineOptions } from '../../src/scan/record-machine.ts';
import { runs, testLong } from '../long.ts';
import { randomOf, SEED } from '../random.ts';
import { ENTRIES, LINES, RARE_ENTRIES, WRITTEN_ENTRIES, WRITTEN_TOOLS } from './record-cases.ts';
import {
  ALL_FORMS, isSame, type Placed, scanByTwin, scanWith, show, type Table, walk, withoutKeptTools,
} from './record-drive.ts';
import { linePool, randomLines } from './record-lines.ts';

const SCANS = runs(1_000_000, 100);

const machines = (options: RecordMachineOptions): [simd: RecordMachine, scalar: RecordMachine] =>
  [new RecordMachine({ ...options, build: 'simd' }), new RecordMachine({ ...options, build: 'scalar' })];
const WIDE = machines({});

/** Characters below U+0100 are bytes, others are written as UTF-8. */
const bytesOf = (text: string): Buffer =>
  Buffer.concat([...text].map((character) => Buffer.from(character, character <= '\xff' ? 'latin1' : 'utf8')));

/** The rows of all builds as text, which are the same wherever the lines lie. */
function expectRows(text: string, rows: readonly string[], scans?: number): void {
  const lines = bytesOf(text);
  const expectTable = (table: Table, wanted: readonly string[], name: string): void => {
    expect(show(table.words, lines), name).toEqual(wanted);
    if (scans !== undefined) expect(table.scans, name).toBe(scans);
  };
  for (const machine of WIDE) {
    for (const at of [0, 1, 7, 30, 63, undefined]) {
      const placed = { ...(at !== undefined && { at }), around: at ?? 3 };
      expectTable(scanWith(machine, lines, placed), rows, `${machine.engine} at ${at}`);
    }
  }
  const unknown = rows.map((row) => row.replace('tools flat|', 'tools ask|'));
  expectTable(scanByTwin(lines), unknown, 'TypeScript');
}

/** Cases with titles that a line holds. */
const titled = <T extends readonly [string, ...unknown[]]>(cases: readonly T[]): [title: string, ...T][] =>
  cases.map((given) => [given[0].length > 150 ? `${given[0].slice(0, 100)}\u2026` : given[0], ...given]);

describe('entries', () => {
  test.each(titled(ENTRIES))('%s', (_, entry, flags, rows) => {
    const record = `record 0 line 0 ${flags}`.trim();
    expectRows(`{"messages":[${entry}]}\n`, [record, ...rows.map((row) => `  ${row}`)]);
  });

  test.each(titled(WRITTEN_ENTRIES))('%s', (_, entry, flags, rows) => {
    const record = `record 0 line 0 ${flags}${flags.includes('lost') ? ' elsewhere' : ''}`.trim();
    expectRows(`{"messages":[${entry}]}\n`, [record, ...rows.map((row) => `  ${row}`)]);
  });

  test.each(WRITTEN_TOOLS)('definitions in a text: %j', (content, list, isAlone) => {
    const json = JSON.stringify(content);
    const said = isAlone ? [] : ['  system', `    body${json.includes('\\') ? ' escaped' : ''}|${json.slice(1, -1)}`];
    const user = ['  user', '    body|a'];
    const line = `{"messages":[{"role":"system","content":${json}},{"role":"user","content":"a"}],"tools":null}\n`;
    expectRows(line, ['record 0 line 0 lost elsewhere', `  tools ask|${list}`, ...said, ...user]);
    // Beside others they are for the host.
    expectRows(line.replace('null', '[{}]'), ['record 0 line 0 slow object']);
  });

  test.each(titled(ENTRIES))('where its messages come from: %s', (_, entry) => {
    const lines = bytesOf(`{"messages":[ ${entry} ]}\n`);
    const whole = bytesOf(entry).toString('latin1').trim();
    for (const { words } of [...WIDE.map((machine) => scanWith(machine, lines)), scanByTwin(lines)]) {
      for (let at = 0; at < words.length; at += abi.ROW_WORDS) {
        const [word, from, to] = [...words.subarray(at, at + abi.NEXT)] as [number, number, number];
        const kind = word & abi.KIND_MASK;
        const text = lines.subarray(from, to).toString('latin1');
        if (kind === abi.RECORD) expect(text).toBe(lines.toString('latin1').trimEnd());
        if (kind === abi.MESSAGE) expect(text).toBe(whole);
        if (kind === abi.BODY && (word & (abi.ABSENT | abi.VALUE)) === abi.ABSENT) expect(text).toBe(whole);
      }
    }
  });

  test.each(titled(RARE_ENTRIES.map((entry) => [entry] as const)))('rare: %s', (_, entry) => {
    expectRows(`{"messages":[{"role":"system","content":"a"},${entry}]}\n`, ['record 0 line 0 slow object']);
  });
});

describe('lines', () => {
  test.each(titled(LINES))('%j', (_, text, rows) => expectRows(text, rows));

  test('a scan stops behind a first record of another form', () => {
    const next = 'record 1 line 2';
    expectRows('\n{"text":"a"}\n{"messages":[]}\n', ['record 0 line 1 slow object other', next], 2);
    expectRows('\n{"text":"a"}x\n{"messages":[]}\n', ['record 0 line 1 slow', next], 1);
    expectRows('\n{}\n{"messages":[]}\n', ['record 0 line 1 slow object', next], 1);
    expectRows('{"messages":[]}\n\n{"text":"a"}\n', ['record 0 line 0', `${next} slow object other`], 1);
  });

  test('a table that is full is emptied; a record that does not fit into it is slow', () => {
    const entry = '{"role":"user","name":"n","content":"a"}';
    const record = (entries: number): string => `{"messages":[${Array<string>(entries).fill(entry).join()}]}\n`;
    const lines = bytesOf([1, 2, 3, 1, 4, 1].map(record).join(''));
    const rows = (number: number, entries: number): string[] => {
      const below = Array<string[]>(entries).fill(['  user', '    name|n', '    body|a']);
      return [`record ${number} line ${number}`, ...below.flat()];
    };
    const slow = 'record 4 line 4 slow object';
    const wanted = [...rows(0, 1), ...rows(1, 2), ...rows(2, 3), ...rows(3, 1), slow, ...rows(5, 1)];
    for (const machine of machines({ rows: 13 })) {
      expect(show(scanWith(machine, lines).words, lines), machine.engine).toEqual(wanted);
    }
    expect(show(scanByTwin(lines, { rows: 13 }).words, lines)).toEqual(wanted);
  });

  testLong('a record of too many objects, lists or values is slow, whatever it holds them in', () => {
    const record = (metadata: string): string =>
      `{"messages":[{"role":"user","content":"a"}],"metadata":${metadata}}\n`;
    const most = 65536 - 4;
    const good = ['record 0 line 0 lost', '  user', '    body|a'];
    const slow = ['record 0 line 0 slow object'];
    expectRows(record(`["${'x'.repeat(1 << 17)}"${',[]'.repeat(most)}]`), good);
    expectRows(record(`["${'x'.repeat(1 << 17)}"${',[]'.repeat(most + 1)}]`), slow);
    expectRows(record(`"${'{'.repeat(2 * most)}"`), slow);
    expectRows(record(`[${'1,'.repeat((1 << 20) - 2)}1]`), good);
    expectRows(record(`[${'1,'.repeat((1 << 20) - 1)}1]`), slow);
    expectRows(`{"other":"${'{'.repeat(2 * most)}"}\n`, slow);
  });

  test('what a conversion loses is counted for who asks', () => {
    const lines = bytesOf('{"messages":[],"x":1}\n{"conversations":[{"from":"user","value":"a"}]}\n');
    const rows = (first: string, second: string): string[] =>
      [`record 0 line 0 ${first}`, `record 1 line 1 ${second}`, '  user', '    body|a'];
    for (const [forms, wanted] of [
      [ALL_FORMS, rows('losses', 'losses')], [ALL_FORMS | abi.COUNTS_LOST, rows('lost', 'renamed-1')],
    ] as const) {
      for (const machine of WIDE) expect(show(scanWith(machine, lines, { forms }).words, lines)).toEqual(wanted);
      expect(show(scanByTwin(lines, { forms }).words, lines)).toEqual(wanted);
    }
  });

  test('a list of a form that is not wanted is a member as others are', () => {
    const lines = bytesOf('{"messages":[],"conversations":1}\n{"messages":1,"conversations":[]}\n');
    for (const [forms, wanted] of [
      [abi.FORM_MESSAGES, ['record 0 line 0 losses', 'record 1 line 1 slow object']],
      [abi.FORM_CONVERSATIONS, ['record 0 line 0 slow object', 'record 1 line 1 losses']],
      [0, ['record 0 line 0 slow object other', 'record 1 line 1 slow object other']],
    ] as const) {
      for (const machine of WIDE) {
        expect(show(scanWith(machine, lines, { forms }).words, lines), machine.engine).toEqual(wanted);
      }
      expect(show(scanByTwin(lines, { forms }).words, lines)).toEqual(wanted);
    }
  });
});

describe('random lines', () => {
  /** Tables and windows of several sizes. */
  const SIZES: { rows?: number; window?: number; both: [RecordMachine, RecordMachine] }[] = [
    { both: WIDE },
    { rows: 3, window: 1, both: machines({ rows: 3, input: 1 << 16 }) },
    { rows: 14, window: 3000, both: machines({ rows: 14, input: 1 << 17 }) },
    { rows: 60, window: 200, both: machines({ rows: 60, input: 1 << 18 }) },
    { rows: 700, both: machines({ rows: 700, input: 1 << 20 }) },
  ];
  type Tables = [simd: Table, scalar: Table, twin: Table];

  const agrees = ([simd, scalar, twin]: Tables): boolean =>
    isSame(simd.words, scalar.words) && isSame(withoutKeptTools(simd.words), twin.words)
    && [simd, scalar].every(({ lines, records }) => lines === twin.lines && records === twin.records);

  /** The first line on which the builds differ when it stands alone, which is easier to look at; else all of them. */
  function blame(lines: Buffer, compare: (line: Buffer) => Tables): string {
    const alone = lines.toString('latin1').split('\n').map((line) => Buffer.from(`${line}\n`, 'latin1'));
    return JSON.stringify((alone.find((line) => !agrees(compare(line))) ?? lines).toString('latin1'));
  }

  const EVERY_FORM = ALL_FORMS | abi.FORM_TRANSCRIPTS;

  test(`${SCANS} give the same rows in all builds (OPENCHATML_SEED=${SEED})`, { timeout: 60 * 60_000 }, () => {
    const pool = linePool(randomOf(SEED), 500);
    let [lines, fast] = [0, 0];
    for (let batch = 0; lines < SCANS; batch++) {
      const random = randomOf(SEED + batch);
      const bytes = randomLines(random, pool);
      const { rows, window, both } = random.once(3) ? random.pick(SIZES) : SIZES[0]!;
      const some = random.once(4) ? random.below(EVERY_FORM + 1) : random.once(3) ? EVERY_FORM : ALL_FORMS;
      const forms = some | (random.once(2) ? abi.COUNTS_LOST : 0);
      const writes = random.once(2);
      const placed: Placed = {
        forms, around: random.below(12), ...(!random.once(3) && { at: random.below(130) }), ...(window && { window }),
      };
      const walks: [number[], number[]] = [[], []];
      const scan = (given: Buffer, build: 0 | 1): Table =>
        scanWith(both[build], given, { ...placed, then: (count) => walk(both[build], count, writes, walks[build]) });
      const compare = (given: Buffer): Tables =>
        [scan(given, 0), scan(given, 1), scanByTwin(given, { forms, ...(rows && { rows }) })];
      const tables = compare(bytes);
      const told = (): string => `OPENCHATML_SEED=${SEED}, batch ${batch}, ${rows} rows: ${blame(bytes, compare)}`;
      if (!agrees(tables)) {
        const [simd, scalar, twin] = tables;
        expect(show(simd.words, bytes), told()).toEqual(show(scalar.words, bytes));
        expect(show(withoutKeptTools(simd.words), bytes), told()).toEqual(show(twin.words, bytes));
        throw new Error(told());
      }
      if (walks[0].join() !== walks[1].join()) expect(walks[0], told()).toEqual(walks[1]);
      lines += tables[2].lines;
      for (let at = 0; at < tables[2].words.length; at += abi.ROW_WORDS) {
        const word = tables[2].words[at]!;
        if ((word & (abi.KIND_MASK | abi.SLOW)) === abi.RECORD) fast++;
      }
    }
    // Neither all of them are rare, nor none.
    expect(fast).toBeGreaterThan(lines / 10);
    expect(fast).toBeLessThan(lines / 2);
  });
});
