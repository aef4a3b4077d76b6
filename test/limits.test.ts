// Bounds and sizes that are too large for a fixture: headers at and beyond their limits, one message over many windows,
// many transcripts, hostile YAML.
import { describe, expect, test } from 'vitest';
import { checkFile } from '../src/corpus/files.ts';
import { Lines, parse, scan } from '../src/index.ts';
import { check } from '../src/tools.ts';
import { MemorySource, WatchedSource } from '../src/scan/source.ts';
import { Twin } from '../src/scan/twin/twin.ts';
import { WasmMachine } from '../src/scan/wasm.ts';
import { file, run } from './cli/harness.ts';
import { Chunked, recordsOf } from './read.ts';
import { expectAgreement } from './runtime/stream/agrees.ts';
import { eventsOf } from './runtime/stream/run.ts';

const rulesOf = (text: string, options = {}): string[] => check(text, options).map(({ rule }) => rule);

describe('document headers', () => {
  const filled = (bytes: number): string => {
    const head = 'version: 2.2\nmodel: ';
    return `${head}${'m'.repeat(bytes - head.length - 1)}\n<|start|>user<|message|>x<|end|>`;
  };
  const withBrackets = (count: number): string =>
    `version: 2.2\nx: [${'"[",'.repeat(count - 1)}]\n<|start|>user<|message|>x<|end|>`;
  const indented = (columns: number): string =>
    `version: 2.2\nx:\n${' '.repeat(columns)}y: 1\n<|start|>user<|message|>x<|end|>`;
  const marks = (count: number): string =>
    `version: 2.2\nx:\n  ${'- '.repeat(count)}y\n<|start|>user<|message|>x<|end|>`;

  test.each([
    ['64 KiB', filled(65_536), filled(65_537)],
    ['64 brackets', withBrackets(64), withBrackets(65)],
    ['64 columns', indented(64), indented(65)],
    ['16 list marks in a row', marks(16), marks(17)],
  ])('%s are allowed, more are not', (_, allowed, beyond) => {
    expect(rulesOf(allowed)).toEqual([]);
    expect(rulesOf(beyond)).toEqual(['header-limit']);
    expect(parse(beyond).transcripts[0]!.length).toBe(1);
  });

  test.each([
    ['nested brackets', `x: ${'{'.repeat(350)}`], ['list marks', `x: ${'-  '.repeat(5000)}`],
    ['many keys', 'k:\n'.repeat(20_000)],
    ['aliases', 'a: &a [x]\nb: *a'], ['tags', 'a: !!binary x'], ['a complex key', '? [a]\n: b'],
    ['prototype', '__proto__: {x: 1}'],
    ['one long scalar', `x: "${'\\\\'.repeat(30_000)}`], ['tabs', `x:\n${'\t'.repeat(60)}- y`],
  ])('hostile: %s does no harm', (_, yaml) => {
    const text = `version: 2.2\n${yaml}\n<|start|>user<|message|>x<|end|>`;
    const parsed = parse(text);
    expect(parsed.transcripts.map((transcript) => transcript.length)).toEqual([1]);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
    const header = parsed.transcripts[0]!.header;
    if (header) expect(Object.getPrototypeOf(header)).toBeNull();
  });

  test('keys are kept, versions are text', () => {
    const header = parse(
      'version: 2.10\nmodel: m\nx: {y: [1, true, null, "z"]}\n<|start|>user<|message|>x<|end|>',
    ).transcripts[0]!;
    expect(header.version).toBe('2.10');
    expect(JSON.parse(JSON.stringify(header.header)))
      .toEqual({ version: '2.10', model: 'm', x: { y: [1, true, null, 'z'] } });
  });
});

test('a message header of 64 KiB is allowed, of a longer one no more is read', () => {
  const message = (bytes: number): string =>
    `<|start|>user name=${'n'.repeat(bytes - '<|start|>user name=<|message|>'.length)}<|message|>x<|end|>`;
  expect(rulesOf(message(65_536), { dialect: 'harmony' })).toEqual([]);
  expect(rulesOf(message(65_537), { dialect: 'harmony' })).toEqual(['header-limit']);
  const parsed = parse(message(65_537), { dialect: 'harmony' }).transcripts[0]!.at(0)!;
  expect([parsed.role, parsed.content]).toEqual(['user', 'x']);
});

describe('headers of more than 64 KiB: what stands behind is not read', () => {
  const filler = ` a=${'b'.repeat(65_480)}`;
  test.each([
    ['words and a field behind', `tool name=x${filler} ${'c'.repeat(100)} name=y<|channel|>analysis<|message|>x<|end|>`,
      { role: 'tool', name: 'x', explicitChannel: null, content: 'x' }],
    ['a word at the edge', `tool${filler} name=y${'z'.repeat(100)}<|message|>x<|end|>`,
      { role: 'tool', name: null, content: 'x' }],
    ['a role behind', `${' '.repeat(65_600)}user<|message|>x<|end|>`, { role: null, content: 'x' }],
    ['an escape at the edge', `user${filler} b=${'<<|end|>'.repeat(100)}<|message|>x<|end|>`,
      { role: 'user', content: 'x' }],
    ['stray tokens', `user${'<|literal|>'.repeat(7000)} name=y<|message|>x<|end|>`,
      { role: 'user', name: null, content: 'x' }],
    ['no message token', `user name=x${' name=x'.repeat(10_000)} and more`, { role: 'user', name: 'x', content: '' }],
  ])('%s', (_, text, expected) => {
    const input = new TextEncoder().encode(`version: 2.2\n<|start|>${text}`);
    const options = { dialect: 'openchatml-2.2' } as const;
    const message = parse(input, options).transcripts[0]!.at(0)!;
    expect(message).toMatchObject(expected);
    const found = check(input, options);
    expect(found.map(({ rule }) => rule)).toContain('header-limit');
    if (found.length > 1000) return;
    expectAgreement(eventsOf(input, { ...options, reasoning: true, collect: true }), input, options, 'a long header');
  });
});

describe('very many findings of one message: those of one kind beyond the first 1,000 are one', () => {
  const many = (text: string, dialect: 'openchatml-2.2' | 'openchatml-0.1' = 'openchatml-2.2') =>
    check(text, { dialect });

  test.each([
    ['words of a header', `<|start|>user${' a'.repeat(20_000)}<|message|>x<|end|>`, 'stray-word', 20_000],
    ['tokens in a body', `<|start|>user<|message|>${'<|channel|>'.repeat(20_000)}<|end|>`, 'stray-token', 20_000],
    ['tokens in a gap', `<|start|>user<|message|>x<|end|>${'<|constrain|>'.repeat(20_000)}`, 'stray-token', 20_000],
  ])('%s', (_, text, rule, count) => {
    const found = many(`version: 2.2\n${text}`);
    const alike = found.filter((one) => one.rule === rule);
    expect(found.filter((one) => one.rule !== rule).length).toBeLessThan(2);
    expect(alike.length).toBe(1001);
    expect(alike[1000]!.message).toContain(`${count - 1000} times`);
    expect(alike[1000]!.from - alike[999]!.from).toBe(alike[999]!.from - alike[998]!.from);
    expect(new Set(alike.map(({ severity }) => severity)).size).toBe(1);
  });

  test('bad bytes of a body, of bodies in a row, and of a header', () => {
    const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'latin1'));
    const input = bytes(
      `version: 2.2\n<|start|>user name=${'\xff'.repeat(1500)}<|message|>${'a\xff'.repeat(5000)}<|end|>`
        + `<|start|>user<|message|>${'\xe2\x82'.repeat(1001)}<|end|>`,
    );
    // The first message has another finding, too.
    const found = check(input).filter(({ rule }) => rule === 'invalid-utf8');
    expect(found.length).toBe(999 + 2 + 1000 + 1);
    expect(found.slice(999, 1001).map(({ severity, message }) => [severity, /\d+ times/.exec(message)?.[0]]))
      .toEqual([['error', '501 times'], ['warning', '5000 times']]);
    expect(found.at(-1)!.to - found.at(-1)!.from).toBe(2);
  });

  test('of very many messages, beyond one for each 128 bytes of the transcript', () => {
    // Two findings in nine bytes.
    const found = many(`version: 2.2\n${'<|start|>'.repeat(20_000)}`);
    const told = found.filter(({ rule }) => rule === 'missing-message');
    const times = told.map(({ message }) => Number(/(\d+) times/.exec(message)?.[1] ?? 1));
    expect(times.reduce((sum, count) => sum + count, 0)).toBe(20_000);
    expect(found.length).toBeGreaterThan(4000);
    expect(found.length).toBeLessThan(4000 + (20_000 * 9) / 128 + 10);
    // Each of longer messages is told of.
    const long = many(`version: 2.2\n${`<|start|>${'x'.repeat(200)}`.repeat(6000)}`);
    expect(long.filter(({ rule }) => rule === 'missing-message').length).toBe(6000);
  });

  test('of a gap of any length, run by run', () => {
    const gap = '<|constrain|>'.repeat(400_000);
    const found = many(`version: 2.2\n<|start|>user<|message|>x<|end|>${gap}<|start|>user<|message|>x<|end|>`);
    const times = found.slice(1000).map(({ message }) => Number(/(\d+) times/.exec(message)![1]));
    expect(times.length).toBeGreaterThan(3);
    expect(times.length).toBeLessThan(8);
    expect(times.reduce((sum, count) => sum + count, 1000)).toBe(400_000);
  });

  test('files drop the texts of a gap, however many', () => {
    const text = `<|im_start|>user\nx<|im_end|>${'a<s>'.repeat(5000)}`;
    expect(many(text, 'openchatml-0.1').length).toBe(1001);
    expect(many(`${text}<|file_separator|>b`, 'openchatml-0.1')).toEqual([]);
  });
});

test.each([
  ['2.x', 'version: 2.2\n<|start|>assistant name=', 'openchatml-2.2'],
  ['0.1', '<|im_start|>assistant name=', 'openchatml-0.1'],
] as const)('a prompt that waits may be too long, too (%s)', (_, head, dialect) => {
  const prompt = (bytes: number): string => head + 'n'.repeat(bytes - head.length + head.indexOf('<'));
  expect(rulesOf(prompt(65_536), { dialect })).toEqual(['open-turn']);
  expect(rulesOf(prompt(65_537), { dialect })).toEqual(['open-turn', 'header-limit']);
  const input = new TextEncoder().encode(prompt(65_537));
  expectAgreement(eventsOf(input, { dialect, reasoning: true, collect: true }), input, { dialect }, 'open turn');
});

describe('messages over many windows', () => {
  const body = 'word <<|end|> <|literal|><|end|><|endliteral|> é'.repeat(40_000);
  const text =
    `version: 2.2\n<|start|>user<|message|>a<|end|>\n`
      + `<|start|>assistant to=functions.f call_id=1<|channel|>commentary<|message|>${body}<|call|>\n<|end|>\n`
      + `<|start|>user<|message|>b<|end|>`;
  const bytes = new TextEncoder().encode(text);
  const whole = recordsOf(new Twin({ window: 1 << 22, tableRows: 1 << 18 }), new MemorySource(bytes), {});

  test.each([
    ['simd', new WasmMachine({ build: 'simd', window: 4096, tableRows: 16 })],
    ['scalar', new WasmMachine({ build: 'scalar', window: 1024, tableRows: 8 })],
    ['js', new Twin({ window: 100, tableRows: 4 })],
    ['simd, usual sizes', new WasmMachine()],
  ])('%s', (_, machine) => {
    expect(whole[1]!.content).toBe('word <|end|> <|end|> é'.repeat(40_000));
    expect(recordsOf(machine, new MemorySource(bytes), {})).toEqual(whole);
    expect(recordsOf(machine, new Chunked(bytes, () => 777), {})).toEqual(whole);
  });
});

test('a source is told how many rows of a message are kept', () => {
  const escapes = '<<|end|>'.repeat(100_000);
  const bytes = new TextEncoder().encode(`<|start|>user<|message|>a<|end|><|start|>user<|message|>${escapes}<|end|>`);
  class Told extends MemorySource {
    rows = 0;

    keeps(rows: number, from: number): void {
      expect(from).toBe(32);
      expect(rows).toBeGreaterThan(this.rows);
      this.rows = rows;
      if (rows > 80_000) throw new Error('too many');
    }
  }
  const source = new Told(bytes);
  expect(() => recordsOf(new WasmMachine(), new WatchedSource(source, {}), {})).toThrow('too many');
  expect(source.rows).toBeLessThan(120_000);
});

test('a million messages cost their table until a field is read', () => {
  const one = '<|start|>user<|message|>hello<|end|>\n';
  const parsed = parse(one.repeat(1_000_000), { dialect: 'harmony' });
  expect(parsed.transcripts[0]!.length).toBe(1_000_000);
  expect(parsed.rows.byteLength).toBe(2 * 16 * 1_000_000);
  const last = parsed.transcripts[0]!.at(-1)!;
  expect([last.from, last.content]).toEqual([one.length * 999_999, 'hello']);
  expect(scan(one.repeat(1000), { dialect: 'harmony' }).messages).toBe(1000);
});

describe('wrong calls', () => {
  test.each([
    [() => parse(1 as never), TypeError, /Uint8Array/],
    [() => parse(new ArrayBuffer(1) as never), TypeError, /Uint8Array/],
    [() => parse('x', { dialect: 'openchatml-3' as never }), RangeError, /option dialect/],
    [() => parse('x', { role: '' }), TypeError, /option role/],
    [() => check(null as never), TypeError, /Uint8Array/],
  ])('%s throws', (call, kind, message) => {
    expect(call).toThrow(kind);
    expect(call).toThrow(message);
  });
});

test('a header of very many words, and a sequence of very many files, are read like any other', () => {
  const header = `<|start|>user${' a'.repeat(200_000)}<|message|>x<|end|>\n<|start|>user<|message|>y<|end|>`;
  expect(parse(header, { dialect: 'harmony' }).transcripts[0]!.length).toBe(2);
  expect(new Set(rulesOf(header, { dialect: 'harmony' }))).toEqual(new Set(['stray-word', 'header-limit']));
  expect(parse('<|file_separator|>a'.repeat(300_000), { dialect: 'openchatml-0.1' }).transcripts[0]!.files().length)
    .toBe(300_000);
});

test('a source that ends early does not keep Lines waiting', () => {
  expect(new Lines((from, to) => Uint8Array.of(0x41, 0xc3).subarray(from, to)).at(3)).toEqual({ line: 1, column: 3 });
});

test('with a role, text that begins with a start token after many blanks lacks its header', () => {
  const text = (blanks: number): string => `${'\n'.repeat(blanks)}<|start|>user<|message|>x<|end|>`;
  expect(rulesOf(text(9000), { role: 'assistant' })).toEqual(rulesOf(text(1), { role: 'assistant' }));
});

test.each([
  ['2.x', 'harmony', '<|start|>assistant Sorry, '],
  ['0.1, a line without end', 'openchatml-0.1', '<|im_start|>assistant Sorry, '],
] as const)('a refusal of any length without a message token is a body (%s)', (_, dialect, head) => {
  const body = 'word '.repeat(100_000);
  const message = parse(`${head}${body}`, { dialect }).transcripts[0]!.at(0)!;
  expect([message.role, message.body.from, message.content.length])
    .toEqual(['assistant', head.indexOf('Sorry'), 7 + body.length]);
  const attributes = parse(`${head.replace('Sorry, ', 'name=n '.repeat(20_000))}`, { dialect }).transcripts[0]!.at(0)!;
  expect([attributes.name, attributes.content, attributes.attributes.length]).toEqual(['n', '', 9359]);
});

test('a text of more than 17 MiB is told, and read where larger records are asked for', async () => {
  const text = `<|start|>user<|message|>${'x'.repeat(17 << 20)}<|end|>`;
  const path = file('large-text.jsonl', `${JSON.stringify({ text })}\n{"messages":[]}\n`);
  const told = (options: object): string[] =>
    [...checkFile(path, options)].filter(({ record, rule }) => record === 0 && rule === 'bad-record')
      .map(({ message }) => message);
  expect(told({})).toEqual([expect.stringContaining('its text has more than 17825792 bytes')]);
  expect(told({ largestRecord: 1 << 25 })).toEqual([]);
  const said = async (...argv: string[]): Promise<string> => {
    const { out, err } = await run([...argv, path]);
    return out + err;
  };
  const words = 'its text has more than 17825792 bytes';
  for (const argv of [['audit'], ['convert', '--to', 'messages'], ['filter']]) {
    expect(await said(...argv), argv[0]).toContain(words);
  }
  expect(await said('filter', '--max-line-bytes', `${1 << 27}`)).not.toContain(words);
});
