// Tables: what was written is what every reader finds, in batches of any size, and with little memory.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tableFromIPC } from '@uwdata/flechette';
import fc from 'fast-check';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { describe, expect, test } from 'vitest';
import { messagesOf } from '../../../src/corpus/messages.ts';
import { type Bounds, Columns } from '../../../src/corpus/tables/columns.ts';
import { MESSAGE_COLUMNS, MESSAGE_TABLE } from '../../../src/corpus/tables/message-schema.ts';
import { openTable, type TableFormat, type TableSchema } from '../../../src/corpus/tables/table.ts';
import { createMachine } from '../../../src/index.ts';
import { MemorySource } from '../../../src/scan/source.ts';
import { hasTableReaders, readTables } from '../../outside/tables.ts';
import { SEED } from '../../random.ts';
import { makeTable, type RowOf } from './table-rows.ts';

const FORMATS: TableFormat[] = ['arrow', 'parquet'];
type MessageRow = RowOf<typeof MESSAGE_COLUMNS>;
type Row = Record<string, string | number | boolean | null>;

async function bytesOf(
  format: TableFormat,
  table: TableSchema,
  rows: Iterable<Row>,
  bounds?: Bounds,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  const sink = await makeTable(format, table, (bytes) => {
    pieces.push(bytes.slice());
    bytes.fill(0xee);
  }, bounds);
  for (const row of rows) sink.add(row);
  sink.end();
  return Buffer.concat(pieces);
}

const bufferOf = (bytes: Uint8Array): ArrayBuffer => Uint8Array.from(bytes).buffer;

async function readBack(format: TableFormat, bytes: Uint8Array): Promise<Row[]> {
  const rows: object[] = format === 'arrow' ? tableFromIPC(bytes, { useBigInt: true }).toArray()
    : await parquetReadObjects({ file: bufferOf(bytes) });
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => {
    return [name, typeof value === 'bigint' ? Number(value) : value as string | boolean | null];
  })));
}

/** What `readBack` finds: its readers take a byte order mark at the start of a text away, and there is no -0. */
function seen(rows: readonly object[]): Row[] {
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => {
    return [name, typeof value === 'string' ? value.replace(/^\ufeff/, '') : value === 0 ? 0 : value];
  })));
}

/** Record batches, row groups: the rows of each. */
function batchesOf(format: TableFormat, bytes: Uint8Array): number[] {
  if (format === 'arrow') return tableFromIPC(bytes).getChildAt(0)!.data.map(({ length }) => length);
  return parquetMetadata(bufferOf(bytes)).row_groups.map(({ num_rows }) => Number(num_rows));
}

const TEXTS = [
  '', 'a', 'héllo', '你好 🙂', '\u0000', 'a\u0000b', 'line\nline\r\n', '\u2028"\\', '\ufeffb', '<|end|>',
  'x'.repeat(3000),
];
/** Some pages of Parquet, many blocks of Snappy. */
const LONG = Array.from({ length: 200_000 }, (_, i) => `${i * i % 9973} héllo`).join(' ');
const NUMBERS = [0, 1, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 53 - 1, 2 ** 53, -1];

function messageRow(i: number): MessageRow {
  const text = (salt: number): string => TEXTS[(i + salt) % TEXTS.length]!;
  const number = (salt: number): number => NUMBERS[(i + salt) % NUMBERS.length]!;
  const some = <T>(every: number, value: T): T | null => (i % every === 0 ? null : value);
  return {
    path: `folder/${i % 3}/é.txt`, record: some(3, number(0)), transcript: Math.floor(i / 7), index: i % 7,
    role: some(5, text(1)), name: some(2, text(2)), recipient: null,
    channel: text(3), explicit_channel: some(4, text(4)),
    content_type: some(6, 'json'), intent: some(7, ''), call_id: some(3, `call-${i}`), end: 'implicit',
    visible: i % 3 === 1, from: i * 1_000_003, to: number(1), body_from: number(2), body_to: number(3),
    content: i === 200 ? LONG : `${text(5)}${i % 4 === 0 ? '' : i}`,
  };
}

const rowsOf = (count: number): MessageRow[] => Array.from({ length: count }, (_, i) => messageRow(i));

describe.each(FORMATS)('%s', (format) => {
  test.each([0, 1, 8, 100, 1000])('gives %i rows back', async (count) => {
    const rows = rowsOf(count);
    const bytes = await bytesOf(format, MESSAGE_TABLE, rows, { rows: 64, bytes: 1e7 });
    expect(await readBack(format, bytes)).toEqual(seen(rows));
    const full = Math.floor(count / 64);
    expect(batchesOf(format, bytes)).toEqual([...Array<number>(full).fill(64), ...(count % 64 ? [count % 64] : [])]);
  });

  test('has the schema in its metadata and the columns in their order, also without rows', async () => {
    for (const rows of [[], rowsOf(3)]) {
      const bytes = await bytesOf(format, MESSAGE_TABLE, rows);
      const names = MESSAGE_COLUMNS.map(({ name }) => name);
      const nullable = MESSAGE_COLUMNS.filter((column) => column.nullable).map(({ name }) => name);
      if (format === 'arrow') {
        const { schema } = tableFromIPC(bytes);
        expect([...schema.metadata!]).toEqual([['openchatml.schema', 'openchatml/messages/1']]);
        expect(schema.fields.map(({ name }) => name)).toEqual(names);
        expect(schema.fields.filter((field) => field.nullable).map(({ name }) => name)).toEqual(nullable);
        const end = [...bytes.subarray(-8)];
        expect(end).toEqual([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]);
      } else {
        const { schema, key_value_metadata: metadata } = parquetMetadata(bufferOf(bytes));
        expect(metadata).toEqual([{ key: 'openchatml.schema', value: 'openchatml/messages/1' }]);
        expect(schema.slice(1).map(({ name }) => name)).toEqual(names);
        expect(schema.slice(1).filter((column) => column.repetition_type === 'OPTIONAL').map(({ name }) => name))
          .toEqual(nullable);
      }
    }
  });

  test('ends a batch with the row that reaches its rows or its bytes', async () => {
    const table = { schema: 'test/1', columns: [{ name: 'a', type: 'text', nullable: false }] } as const;
    const lengths = [4, 6, 1, 11, 5, 5, 5, 1, 1, 1, 1, 1];
    const rows = lengths.map((length) => ({ a: 'é'.repeat(length / 2) + 'x'.repeat(length % 2) }));
    const bytes = await bytesOf(format, table, rows, { rows: 4, bytes: 10 });
    // 4+6 | 1+11 | 5+5 | 5+1+1+1 | 1+1
    expect(batchesOf(format, bytes)).toEqual([2, 2, 2, 4, 2]);
    expect(await readBack(format, bytes)).toEqual(rows);
  });

  test('is the same for the same rows', async () => {
    const first = await bytesOf(format, MESSAGE_TABLE, rowsOf(500), { rows: 100, bytes: 1e6 });
    const again = await bytesOf(format, MESSAGE_TABLE, rowsOf(500), { rows: 100, bytes: 1e6 });
    expect(Buffer.compare(first, again)).toBe(0);
  });

  test(`any columns and any rows come back (OPENCHATML_SEED=${SEED})`, async () => {
    const column = fc.record({ type: fc.constantFrom('word', 'text', 'integer', 'boolean'), nullable: fc.boolean() });
    const cells: Record<string, fc.Arbitrary<string | number | boolean>> = {
      word: fc.constantFrom(...TEXTS, 'a', 'b', 'c'),
      // Half a pair has no UTF-8.
      text: fc.oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.constantFrom(...TEXTS)),
      integer: fc.oneof(fc.maxSafeInteger(), fc.constantFrom(...NUMBERS), fc.integer({ min: 0, max: 9 })),
      boolean: fc.boolean(),
    };
    const input = fc.array(column, { minLength: 1, maxLength: 5 }).chain((types) => {
      const columns = types.map(({ type, nullable }, i) => ({ name: `c${i}`, type, nullable }) as const);
      const row = fc.record(Object.fromEntries(columns.map(({ name, type, nullable }) => {
        return [name, nullable ? fc.option(cells[type]!, { freq: 2 }) : cells[type]!];
      })));
      return fc.tuple(fc.constant(columns), fc.array(row, { maxLength: 60 }), fc.integer({ min: 1, max: 40 }));
    });
    await fc.assert(fc.asyncProperty(input, async ([columns, rows, most]) => {
      const bytes = await bytesOf(format, { schema: 'test/1', columns }, rows as Row[], { rows: most, bytes: 500 });
      expect(await readBack(format, bytes)).toEqual(seen(rows));
    }), { seed: SEED, numRuns: 200 });
  });

  test('writes half a surrogate pair as U+FFFD', async () => {
    const table = { schema: 'test/1', columns: [{ name: 'a', type: 'text', nullable: false }] } as const;
    const bytes = await bytesOf(format, table, [{ a: 'x\ud800y' }, { a: '\udc00' }, { a: '🙂' }]);
    expect(await readBack(format, bytes)).toEqual([{ a: 'x\ufffdy' }, { a: '\ufffd' }, { a: '🙂' }]);
  });

  test('takes nothing behind its end', async () => {
    const table = { schema: 'test/1', columns: [{ name: 'a', type: 'boolean', nullable: false }] } as const;
    const pieces: Uint8Array[] = [];
    const sink = await openTable(format, table, (bytes) => void pieces.push(bytes.slice()));
    const columns = new Columns(table.columns);
    columns.cells.a.values[0] = 1;
    columns.next(0);
    sink.take({ columns: columns.data() });
    sink.end();
    expect(await readBack(format, Buffer.concat(pieces))).toEqual([{ a: true }]);
    expect(() => sink.take({ columns: columns.data() })).toThrow('the table was ended');
    expect(() => sink.take(new Uint8Array(1))).toThrow('the table was ended');
    expect(() => sink.end()).toThrow('the table was ended');
  });

  test('is broken when its bytes cannot be written', async () => {
    const full = new Error('full');
    let room = format === 'arrow' ? 2000 : 200;
    const sink = await makeTable(format, MESSAGE_TABLE, (bytes) => {
      room -= bytes.length;
      if (room < 0) throw full;
    }, { rows: 10, bytes: 1e6 });
    let thrown: unknown;
    let added = 0;
    try {
      for (; added < 1000; added++) sink.add(messageRow(added));
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBe(full);
    expect(added).toBe(9);
    room = Infinity;
    expect(() => sink.add(messageRow(0))).toThrow('the table could not be written');
    expect(() => sink.end()).toThrow('the table could not be written');
  });

  test('keeps no more than a batch', async () => {
    let most = 0;
    let written = 0;
    let given = 0;
    const bounds = { rows: 1000, bytes: 1_000_000 };
    const sink = await makeTable(format, MESSAGE_TABLE, (bytes) => void (written += bytes.length), bounds);
    for (let i = 0; i < 60; i++) {
      // Nothing to compress in it.
      let state = i + 1;
      const content = Array.from({ length: 100_000 }, () => {
        state = Math.imul(state, 1664525) + 1013904223 | 0;
        return String.fromCharCode(33 + (state >>> 24) % 90);
      }).join('');
      sink.add({ ...messageRow(i), content });
      given += content.length;
      most = Math.max(most, given - written);
    }
    sink.end();
    expect(given).toBe(6_000_000);
    expect(written).toBeGreaterThan(given * 0.9);
    // A batch, and in Parquet the megabyte that is gathered.
    expect(most).toBeLessThan(bounds.bytes + 1_100_000 + 100_000);
  });
});

test('the records of messages with their content are rows', async () => {
  const text = '---\nversion: 2.2\n---\n<|start|>user<|message|>hi <<|end|>é<|end|>'
    + '<|start|>assistant<|channel|>commentary to=functions.f call_id=c<|constrain|>json<|message|>{}<|call|>'
    + '<|start|>nobody<|message|>open';
  const rows: MessageRow[] = [];
  const source = new MemorySource(new TextEncoder().encode(text));
  for (const { message } of messagesOf(createMachine(), source, {})) {
    rows.push({ path: 'a.txt', ...message.toRecord() });
  }
  expect(rows.map(({ content }) => content)).toEqual(['hi <|end|>é', '{}', 'open']);
  for (const format of FORMATS) {
    expect(Object.keys(rows[0]!)).toEqual(MESSAGE_COLUMNS.map(({ name }) => name));
    expect(await readBack(format, await bytesOf(format, MESSAGE_TABLE, rows))).toEqual(rows);
  }
});

test('Parquet tells the beginning of the least and of the greatest text', async () => {
  const same = 'x'.repeat(30);
  const groups: [texts: (string | null)[], least: string | undefined, greatest: string | undefined][] = [
    [['b', 'a', 'c'], 'a', 'c'],
    [['b', '', 'ab', 'a'], '', 'b'],
    [[null, 'é', 'z', null], 'z', 'é'],
    [[null], undefined, undefined],
    // 16 bytes of what is longer, a little more of the greatest.
    [[same, `${same}b`, `${same}a`], 'x'.repeat(16), `${'x'.repeat(15)}y`],
    // Told apart by a byte that the file does not tell.
    [['x'.repeat(16), 'x'.repeat(17)], 'x'.repeat(16), `${'x'.repeat(15)}y`],
    [['\u{10ffff}', '\uffff'], '\uffff', '\u{10ffff}'],
  ];
  for (const type of ['text', 'word'] as const) {
    const table = { schema: 'test/1', columns: [{ name: 'a', type, nullable: true }] } as const;
    for (const [texts, least, greatest] of groups) {
      const bytes = await bytesOf('parquet', table, texts.map((a) => ({ a })));
      const statistics = parquetMetadata(bufferOf(bytes)).row_groups[0]!.columns[0]!.meta_data!.statistics!;
      expect([statistics.min_value, statistics.max_value], texts.join()).toEqual([least, greatest]);
      expect(Number(statistics.null_count)).toBe(texts.filter((text) => text === null).length);
    }
  }
});

test.skipIf(!hasTableReaders())('pyarrow, Polars and DuckDB read the rows that were written', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'openchatml-'));
  try {
    for (const count of [0, 1, 300]) {
      const rows = rowsOf(count);
      const paths = FORMATS.map((format) => join(folder, `${count}.${format}`));
      for (const [i, format] of FORMATS.entries()) {
        const bytes = await bytesOf(format, MESSAGE_TABLE, rows, { rows: 64, bytes: 20_000 });
        if (count === 300) expect(batchesOf(format, bytes).length).toBeGreaterThan(4);
        writeFileSync(paths[i]!, bytes);
      }
      const filters: [string, string | number][] = [
        ...TEXTS.map((text): [string, string] => ['role', text]),
        ...TEXTS.map((text): [string, string] => ['content', text]),
        ...NUMBERS.map((number): [string, number] => ['to', number]), ['path', 'folder/1/é.txt'], ['path', 'none'],
        ['from', 17 * 1_000_003], ['call_id', 'call-256'], ['transcript', 42],
      ];
      const counts = filters.map(([column, value]) => {
        return rows.filter((row) => row[column as keyof MessageRow] === value).length;
      });
      const answers = readTables(paths[0]!, paths[1]!, filters);
      expect(answers.map(({ reader }) => reader)).toEqual([
        'pyarrow stream', 'pyarrow parquet', 'polars stream', 'polars parquet', 'duckdb parquet', 'duckdb arrow',
      ]);
      for (const answer of answers) {
        const { reader, types, metadata, nullable } = answer;
        expect(answer.rows, reader).toEqual(rows);
        expect(answer.counts, reader).toEqual(counts);
        const [text, integer, boolean] = reader.startsWith('pyarrow') ? ['string', 'int64', 'bool']
          : reader.startsWith('polars') ? ['String', 'Int64', 'Boolean'] : ['VARCHAR', 'BIGINT', 'BOOLEAN'];
        const names = { word: text, text, integer, boolean };
        expect(Object.entries(types), reader).toEqual(MESSAGE_COLUMNS.map(({ name, type }) => [name, names[type]]));
        if (!reader.startsWith('pyarrow')) continue;
        expect(metadata).toEqual({ 'openchatml.schema': 'openchatml/messages/1' });
        expect(Object.entries(nullable!)).toEqual(MESSAGE_COLUMNS.map((column) => [column.name, column.nullable]));
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
