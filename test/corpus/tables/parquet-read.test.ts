// Parquet files as JSON lines: what rows become, which columns are read, what damage leaves, and files of another
// writer.
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { ColumnSource } from 'hyparquet-writer';
import { describe, expect, test } from 'vitest';
import { COLUMNS } from '../../../src/corpus/input/columns.ts';
import { decodeInput } from '../../../src/corpus/input/container.ts';
import { readParquet } from '../../../src/corpus/tables/parquet-read.ts';
import { JsonWriter } from '../../../src/corpus/tables/json-writer.ts';
import { keyText, PARSERS, writeJson, writeJsonText } from '../../../src/corpus/tables/parquet-values.ts';
import { FileSource, PipeSource } from '../../../src/corpus/input/source.ts';
import { at, file, jsonLines, run } from '../../cli/harness.ts';
import { isAll, part, testLong } from '../../long.ts';
import { hasTableReaders } from '../../outside/tables.ts';
import { int, oneList, struct } from './parquet-bytes.ts';
import { readHere, write } from './parquet-here.ts';

function written(write: (out: JsonWriter) => boolean): string {
  const out = new JsonWriter();
  return write(out) ? Buffer.from(out.bytes.subarray(0, out.at)).toString() : 'null';
}
const jsonOf = (value: unknown): string => written((out) => writeJson(out, value));
const jsonOfText = (json: string): string => written((out) => writeJsonText(out, Buffer.from(json)));

/** Through the decoding thread. */
function read(path: string, columns?: string[]): string {
  const input = decodeInput(FileSource.open(path), { verify: true, columns });
  try {
    return Buffer.from(input.bytes(0, 2 ** 30)).toString();
  } finally {
    input.close();
  }
}

const many = Array.from({ length: 5000 }, (_, n) => {
  return `<|start|>user<|message|>number ${n} é \u{1f600} "quoted"\n<|end|>`;
});

test('rows are lines, through row groups and pages', () => {
  const ids = many.map((_, n) => n);
  const columns: ColumnSource[] = [
    { name: 'text', data: many, type: 'STRING' },
    { name: 'other', data: many, type: 'STRING' },
    { name: 'id', data: ids, type: 'INT32' },
  ];
  const expected = many.map((text, id) => ({ text, id }));
  for (const options of [{ rowGroupSize: 700 }, { pageSize: 1000 }, { codec: 'UNCOMPRESSED' as const }]) {
    expect(jsonLines(read(write('many', columns, options)))).toEqual(expected);
  }
  const compressors = { GZIP: (bytes: Uint8Array) => new Uint8Array(gzipSync(bytes)) };
  expect(jsonLines(read(write('gzip', columns, { codec: 'GZIP', compressors })))).toEqual(expected);
});

test('of a row group pages are read as rows are wanted', async () => {
  // Columns whose pages end at different rows.
  const path = write('pages', [
    { name: 'text', data: many, type: 'STRING' },
    { name: 'id', data: many.map((_, n) => n), type: 'INT32' },
  ], { pageSize: 4000, rowGroupSize: many.length, codec: 'UNCOMPRESSED' });
  const bytes = readFileSync(path);
  const descriptor = openSync(path, 'r');
  let reads = 0;
  const readsAt: number[] = [];
  const lines: string[] = [];
  const output = {
    write: (part: Uint8Array) => {
      readsAt.push(reads);
      lines.push(Buffer.from(part).toString());
    },
    check: () => void reads++,
    leaveOut: () => {},
    ask: () => null,
  };
  await readParquet({ path, descriptor, columns: COLUMNS }, bytes.length, output);
  closeSync(descriptor);
  expect(jsonLines(lines.join(''))).toEqual(many.map((text, id) => ({ text, id })));
  expect(readsAt[0]).toBeLessThan(reads);
  // Of a damaged page nothing is given, and all rows before it are: whole ones.
  const place = bytes.lastIndexOf('number 3');
  bytes.writeUInt32LE(0x7fffffff, place - 5 - '<|start|>user<|message|>'.length);
  const { text, error } = await readHere(file('parquet/pages-damaged', bytes), ['id', 'text']);
  const rows = jsonLines(text);
  expect(rows).toEqual(many.slice(0, rows.length).map((one, id) => ({ text: one, id })));
  expect(rows.length).toBeGreaterThan(1000);
  expect(error?.reason).toContain(`; ${rows.length} rows before it are whole`);
});

describe('chat records in a table', () => {
  const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":' } };
  const records = [
    { messages: [{ role: 'user', content: 'Hi' }, { role: 'assistant', content: 'Hello' }] },
    { messages: [{ role: 'user', content: 'a <|end|>' }, { role: 'assistant', content: '<think>x</think>y' }] },
    { messages: [{ role: 'assistant', content: null, tool_calls: [call] }] },
    { messages: [{ role: 'robot', content: 'x' }, { role: 'tool', content: 'y', tool_call_id: 'none' }] },
    { messages: 'none' },
  ];
  const table = write('chats.parquet', [
    { name: 'messages', data: records.map(({ messages }) => messages), type: 'JSON' },
  ]);
  const ends: number[] = [];
  let json = '';
  for (const record of records) ends.push((json += `${JSON.stringify(record)}\n`).length);
  const lines = file('parquet/chats.jsonl', Buffer.from(json, 'latin1'));

  test('are counted as lines are', async () => {
    const counts = async (path: string): Promise<unknown> => {
      const { out } = await run(['scan', '--format', 'json', path]);
      return { ...(JSON.parse(out) as object), bytes: 0, seconds: 0 };
    };
    expect(await counts(table)).toEqual(await counts(lines));
  });

  test('are listed and audited as lines are, with positions in their rows', async () => {
    type Told = { path: string; record: number; from: number; to: number; column?: number; body_from?: number };
    for (const argv of [['messages'], ['messages', '--only-role', 'assistant'], ['audit', '--format', 'ndjson']]) {
      const told = async (path: string): Promise<Told[]> => {
        const all = jsonLines((await run([...argv, path])).out) as Told[];
        return all.filter(({ from }) => from !== undefined);
      };
      const inTable = await told(table);
      expect(inTable.length, argv.join(' ')).toBeGreaterThan(1);
      expect(inTable).toEqual((await told(lines)).map(({ path: _, ...one }) => {
        const shift = ends[one.record - 1] ?? 0;
        const moved = Object.entries(one).map(([key, value]) =>
          [key, /^(?:body_)?(?:from|to)$/.test(key) ? Number(value) - shift : value]);
        const place = one.column === undefined ? {} : { column: one.from - shift + 1 };
        return { path: table, ...Object.fromEntries(moved) as object, ...place };
      }));
    }
  });

  test('are checked as lines are, with positions in their rows', async () => {
    type Told = { path: string; record: number; from: number; to: number; column: number; rule?: string };
    const told = async (path: string): Promise<Told[]> => {
      const all = jsonLines((await run(['check', '--format', 'ndjson', path])).out) as Told[];
      return all.filter(({ rule }) => rule !== undefined);
    };
    const inTable = await told(table);
    expect(inTable.map(({ rule }) => rule)).toEqual(expect.arrayContaining(['reasoning-in-final', 'open-call']));
    const inLines = (await told(lines)).map((one) => {
      const shift = ends[one.record - 1] ?? 0;
      return { ...one, path: table, from: one.from - shift, to: one.to - shift, column: one.from - shift + 1 };
    });
    expect(inTable).toEqual(inLines);
  });
});

test('only wanted columns are read, in the order of the file', () => {
  const path = write('wanted', [
    { name: 'z', data: ['1'], type: 'STRING' },
    { name: 'mine', data: ['2'], type: 'STRING' },
    { name: 'id', data: ['3'], type: 'STRING' },
  ]);
  expect(read(path)).toBe('{"id":"3"}\n');
  expect(read(path, ['id', 'mine', 'none'])).toBe('{"mine":"2","id":"3"}\n');
  expect(() => read(path, ['none'])).toThrow(
    'has none of the columns none; its columns are "z", "mine", "id"; name the column that holds the transcripts: '
      + '--field NAME');
});

test('values become JSON', async () => {
  const values: [ColumnSource, string[]][] = [
    [{ name: 'v', data: [1n, 9007199254740993n, -5n], type: 'INT64' }, ['1', '9007199254740993', '-5']],
    [{ name: 'v', data: [0.5, NaN, 1e300], type: 'DOUBLE' }, ['0.5', '', '1e+300']],
    [{ name: 'v', data: [true, false], type: 'BOOLEAN' }, ['true', 'false']],
    [{ name: 'v', data: ['a', null, ''], type: 'STRING', nullable: true }, ['"a"', '', '""']],
    [{ name: 'v', data: [new Date(0), new Date('2026-01-02T03:04:05.678Z')], type: 'TIMESTAMP' },
      ['"1970-01-01T00:00:00.000Z"', '"2026-01-02T03:04:05.678Z"']],
    [{ name: 'v', data: [Buffer.from('bytes é'), Buffer.from('x')], type: 'BYTE_ARRAY' }, ['"bytes é"', '"x"']],
    [{ name: 'v', data: [{ a: [1, { b: null }] }, ['x']], type: 'JSON' }, ['{"a":[1,{"b":null}]}', '["x"]']],
  ];
  for (const [column, expected] of values) {
    const { text } = await readHere(write('values', [column]), ['v']);
    expect(text).toBe(expected.map((json) => (json === '' ? '{}\n' : `{"v":${json}}\n`)).join(''));
  }
});

test('values that writers of JavaScript do not make', () => {
  const utf8 = (text: string): unknown => PARSERS.stringFromBytes(Buffer.from(text));
  expect(jsonOf(PARSERS.timestampFromMicroseconds(-1n))).toBe('"1969-12-31T23:59:59.999999Z"');
  expect(jsonOf(PARSERS.timestampFromNanoseconds(1_000_000_001n))).toBe('"1970-01-01T00:00:01.000000001Z"');
  expect(jsonOf(PARSERS.timestampFromMilliseconds(10n ** 18n))).toBe(`"${10n ** 18n}"`);
  expect(jsonOf(PARSERS.dateFromDays(-1))).toBe('"1969-12-31"');
  expect(jsonOfText(' {"n":12345678901234567890}')).toBe('{"n":12345678901234567890}');
  expect(jsonOfText('[1,\n2]')).toBe('[1,2]');
  expect(jsonOfText(' null')).toBe('null');
  expect(jsonOf({ a: null, b: [null, utf8('x'), { c: undefined }], d: { e: null } }))
    .toBe('{"b":[null,"x",{}],"d":{}}');
  // The content of a message beside calls.
  expect(jsonOf([{ role: 'x', content: null, name: null }, { content: null, n: 1 }]))
    .toBe('[{"role":"x","content":null},{"content":null,"n":1}]');
  expect(jsonOf({ [keyText(utf8('key'))]: Float32Array.of(0.5) })).toBe('{"key":[0.5]}');
});

test('a row that JSON cannot tell is no record, and no row is lost', async () => {
  const bytes = [Buffer.from('a'), Buffer.from([0x61, 0xff]), Buffer.from('c')];
  const { text, error } = await readHere(write('bytes', [{ name: 'text', data: bytes, type: 'BYTE_ARRAY' }]));
  expect(error).toBeNull();
  expect(text).toBe('{"text":"a"}\n"the column text holds bytes that are not valid UTF-8"\n{"text":"c"}\n');
});

test('a Parquet file needs to be a file', () => {
  const path = write('pipe', [{ name: 'text', data: ['x'], type: 'STRING' }]);
  const pipe = new PipeSource(openSync(path, 'r'), '-', true);
  expect(() => decodeInput(pipe, { verify: true })).toThrow(
    '-: is a Parquet file, which is read from its end; name the file itself instead of sending it through a pipe');
  pipe.close();
});

test('an encrypted file is refused', () => {
  const source = FileSource.open(file('parquet/encrypted', 'PARE....PARE'));
  expect(() => decodeInput(source, { verify: true })).toThrow('is an encrypted Parquet file; decrypt it first');
  source.close();
  const text = FileSource.open(file('parquet/text', 'PARENTS'));
  expect(decodeInput(text, { verify: true })).toBe(text);
  text.close();
});

describe('damage', () => {
  const texts = ['first', 'second', 'third', 'fourth'].map((text) => `${text} <|start|>user<|message|>${text}<|end|>`);
  const path = write('damage', [{ name: 'text', data: texts, type: 'STRING' }], { rowGroupSize: 2 });
  const whole = readFileSync(path);

  testLong('cuts anywhere are errors', async () => {
    for (let to = 4; to < whole.length; to++) {
      const { text, error } = await readHere(file('parquet/cut', whole.subarray(0, to)));
      expect(text, `cut at ${to}`).toBe('');
      expect(error?.reason, `cut at ${to}`)
        .toMatch(/^is a Parquet file that is damaged or of an unknown kind: .*; 0 rows/);
    }
  });

  test('flips anywhere are errors or give as many rows', async () => {
    for (let place = 4; place < whole.length; place += isAll ? 1 : 2) {
      for (const bit of part([1, 0x10, 0x80])) {
        const bytes = Buffer.from(whole);
        bytes[place] = bytes[place]! ^ bit;
        const { text, error } = await readHere(file('parquet/flip', bytes));
        const rows = jsonLinesOrNothing(text);
        if (error === null) expect(rows, `byte ${place}`).toBe(4);
        else expect(error.remedy, `byte ${place}`).not.toBe('');
      }
    }
  });

  /** Numbers of five bytes, in groups of seven bits: 2^31 - 1, and -1. */
  const HUGE = [[0xff, 0xff, 0xff, 0xff, 0x07], [0xff, 0xff, 0xff, 0xff, 0x0f], [0xfe, 0xff, 0xff, 0xff, 0x0f]];

  test.each(part([
    ['PLAIN', 'SNAPPY'], ['PLAIN', 'UNCOMPRESSED'], ['DELTA_BYTE_ARRAY', 'UNCOMPRESSED'],
    ['DELTA_LENGTH_BYTE_ARRAY', 'UNCOMPRESSED'],
  ] as const))('numbers of any size anywhere end no process and keep none busy: %s, %s', async (encoding, codec) => {
    const some = texts.flatMap((text) => [text, null, text, `${text}!`]);
    const huge = readFileSync(write(`huge-${encoding}`, [
      { name: 'text', data: some, type: 'STRING', nullable: true, encoding },
      { name: 'id', data: some.map((_, n) => n * n), type: 'INT32', encoding: 'DELTA_BINARY_PACKED' },
      { name: 'tools', data: some.map((_, n) => n > 3), type: 'BOOLEAN', encoding: 'RLE' },
      { name: 'messages', data: some.map((_, n) => `${n % 2}`), type: 'STRING' },
    ], { codec }));
    let [tried, failed] = [0, 0];
    for (let place = 4; place + 5 <= huge.length; place += isAll ? 5 : 13) {
      for (const pattern of HUGE) {
        const bytes = Buffer.from(huge);
        bytes.set(pattern, place);
        tried++;
        if ((await readHere(file('parquet/huge', bytes))).error !== null) failed++;
      }
    }
    expect(failed).toBeGreaterThan(tried / 4);
  });

  test.each([
    ['a list that goes on over pages', oneList(3, 2 ** 20, 1), 'row has more than 1048576 values'],
    ['a page with two headers', oneList(1, 3, 1, [struct(8, int(1, 3), int(2, 0), int(3, 1), int(4, 8), int(5, 2))]),
      'page has two headers'],
  ])('%s is refused', async (_, bytes, reason) => {
    const { text, error } = await readHere(file('parquet/odd', bytes));
    expect([text, error?.reason]).toEqual(['', expect.stringContaining(reason)]);
  });

  test('a row that would be longer than a record may be is none', async () => {
    const few = await readHere(file('parquet/few', oneList(2, 2, 3)));
    expect(few).toEqual({ text: '{"messages":["xxx","xxx","xxx","xxx"]}\n', error: null });
    const { text, error } = await readHere(file('parquet/long', oneList(1, 2 ** 13, 2 ** 14)));
    expect([text, error]).toEqual(['"the row is longer than 64 MiB"\n', null]);
  });

  test('a run is no longer than the values of its page', async () => {
    const nulls = write('runs', [{ name: 'text', data: ['one', 'two', null], type: 'STRING', nullable: true }], {
      codec: 'UNCOMPRESSED',
    });
    const bytes = readFileSync(nulls);
    // Packed levels, before the length of the first text, become a run of 2^31 - 1.
    bytes.set(HUGE[2]!, bytes.indexOf(Buffer.from([3, 3, 3, 0, 0, 0])));
    const { text, error } = await readHere(file('parquet/runs-huge', bytes));
    expect([text, error?.reason]).toEqual(['', expect.stringContaining('a run that is longer than its values')]);
  });

  test('comes after the row groups before it', () => {
    const bytes = Buffer.from(whole);
    const second = bytes.indexOf('third');
    // The length of the page's first value.
    bytes.writeUInt32LE(0x7fffffff, second - 8 < 0 ? 0 : second - 6);
    const damaged = file('parquet/second', bytes);
    const input = decodeInput(FileSource.open(damaged), { verify: false });
    const into = new Uint8Array(2 ** 16);
    let size = 0;
    let error: unknown;
    try {
      for (let length; (length = input.read(size, into.subarray(size))) > 0; ) size += length;
    } catch (thrown) {
      error = thrown;
    }
    input.close();
    expect(jsonLines(Buffer.from(into.subarray(0, size)).toString()))
      .toEqual(texts.slice(0, 2).map((text) => ({ text })));
    expect(String(error)).toMatch(/damaged or of an unknown kind: .*; 2 rows before it are whole; restore it/);
  });
});

function jsonLinesOrNothing(text: string): number {
  return text === '' ? 0 : text.split('\n').length - 1;
}

const PYTHON = process.env['OPENCHATML_TABLES_PYTHON'];
const WRITE = `
import json, sys, decimal, datetime, pyarrow as pa, pyarrow.parquet as pq
rows = json.load(sys.stdin)
table = pa.Table.from_pylist(rows)
for codec in ['none', 'snappy', 'zstd', 'gzip', 'brotli', 'lz4']:
    for version in ['1.0', '2.0']:
        pq.write_table(table, f'{sys.argv[1]}.{codec}.{version}', compression=codec, row_group_size=300,
                       data_page_size=2000, data_page_version=version, use_dictionary=version == '1.0',
                       write_page_checksum=True)
typed = pa.table({
    'id': pa.array([1, None], pa.int64()),
    'text': pa.array(['x', 'x']).dictionary_encode(),
    'day': pa.array([datetime.date(2026, 1, 2), None]),
    'time': pa.array([datetime.datetime(2026, 1, 2, 3, 4, 5, 6), None], pa.timestamp('us', tz='UTC')),
    'map': pa.array([[('a', 1), ('b', 2)], []], pa.map_(pa.string(), pa.int32())),
    'decimal': pa.array([decimal.Decimal('1.25'), None], pa.decimal128(9, 2)),
    'lists': pa.array([[[1, None], []], None], pa.list_(pa.list_(pa.int32()))),
    'large': pa.array(['x', None], pa.large_string()),
    'unsigned': pa.array([2**64 - 1, 0], pa.uint64()),
})
pq.write_table(typed, sys.argv[1] + '.typed')
`;

describe.skipIf(!hasTableReaders())('files of pyarrow', () => {
  const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } };
  const rows = Array.from({ length: 1000 }, (_, n) => ({
    id: `row ${n}`,
    messages: [
      { role: 'system', content: 'Be good.' },
      { role: 'user', content: `number ${n} é` },
      ...(n % 3 === 0 ? [{ role: 'assistant', content: null, tool_calls: [call, { ...call, id: 'c2' }] }] : []),
      ...(n % 5 === 0 ? [] : [{ role: 'assistant', content: '' }]),
    ],
    ...(n % 7 === 1 ? {} : { tools: '[]' }),
  }));
  const base = at('parquet-python');

  test('hold the rows that were written, by every codec', { timeout: 120_000 }, async () => {
    const { status, stderr } = spawnSync(PYTHON!, ['-c', WRITE, base], {
      input: JSON.stringify(rows), encoding: 'utf8',
    });
    expect(status, stderr).toBe(0);
    for (const codec of ['none', 'snappy', 'zstd', 'gzip', 'brotli', 'lz4']) {
      for (const version of ['1.0', '2.0']) {
        const { text, error } = await readHere(`${base}.${codec}.${version}`);
        expect(error, `${codec} ${version}`).toBeNull();
        expect(jsonLines(text), `${codec} ${version}`).toEqual(rows);
      }
    }
    const { text, error } = await readHere(`${base}.typed`, [
      'id', 'text', 'day', 'time', 'map', 'decimal', 'lists', 'large', 'unsigned',
    ]);
    expect(error).toBeNull();
    expect(text).toBe('{"id":1,"text":"x","day":"2026-01-02","time":"2026-01-02T03:04:05.000006Z","map":{"a":1,"b":2},'
      + '"decimal":1.25,"lists":[[1,null],[]],"large":"x","unsigned":18446744073709551615}\n'
      + '{"text":"x","map":{},"unsigned":0}\n');
  });

  test('with checksums give no wrong row, wherever a bit of a page is wrong', { timeout: 120_000 }, async () => {
    const whole = readFileSync(`${base}.none.1.0`);
    const lines = (await readHere(`${base}.none.1.0`)).text.split('\n');
    expect(lines.length).toBe(rows.length + 1);
    const pages = whole.lastIndexOf('row 999');
    for (let n = 0; n < 60; n++) {
      const bytes = Buffer.from(whole);
      const place = 4 + Math.floor((n / 60) * (pages - 4));
      bytes[place] = bytes[place]! ^ 4;
      const { text, error } = await readHere(file('parquet/bit', bytes));
      const given = text.split('\n').slice(0, -1);
      expect(given, `byte ${place}`).toEqual(lines.slice(0, given.length));
      if (error === null) expect(given.length).toBe(rows.length);
    }
  });
});
