// Arrow streams: what their rows say as JSON, whatever the type and the cuts; streams that are damaged or none.
import * as arrow from '@uwdata/flechette';
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasTableReaders } from '../../outside/tables.ts';
import { SEED } from '../../random.ts';
import { runs } from '../../long.ts';
import { linesOfRows, pipeOf, streamOf } from './arrow-streams.ts';
import { ArrowReader } from '../../../src/corpus/tables/arrow-read.ts';

const MESSAGE = arrow.struct({
  role: arrow.utf8(), content: arrow.utf8(),
  tool_calls: arrow.list(arrow.struct({ id: arrow.utf8(), weight: arrow.float64(), done: arrow.bool() })),
});
const MESSAGES = arrow.list(MESSAGE);

test('a row is a record of the columns that records have', () => {
  const stream = streamOf({
    id: [[1, null], arrow.int64()],
    score: [[0.5, 0.5], arrow.float64()],
    messages: [[
      [
        { role: 'user', content: 'a "b"\n\\\u0001é🙂', tool_calls: null },
        { role: 'assistant', content: null, tool_calls: [{ id: 'x', weight: 0.25, done: true }, null] },
      ],
      null,
    ], MESSAGES],
  });
  expect(linesOfRows(stream)).toEqual([
    '{"id":1,"messages":[{"role":"user","content":"a \\"b\\"\\n\\\\\\u0001é🙂"},'
    + '{"role":"assistant","tool_calls":[{"id":"x","weight":0.25,"done":true},null]}]}',
    '{}',
  ]);
});

test('the cells of a column are records', () => {
  const texts = ['{"a":\n1}', 'what?\n', '', null, '\ufeff{}'];
  expect(linesOfRows(streamOf({ r: [texts, arrow.utf8()] }), { recordColumn: 'r' }))
    .toEqual(['{"a":\r1}', 'what?\r', '', 'null', '\ufeff{}']);
  const structs = [{ role: 'user', content: 'x', tool_calls: null }, null];
  expect(linesOfRows(streamOf({ r: [structs, MESSAGE] }), { recordColumn: 'r' }))
    .toEqual(['{"role":"user","content":"x"}', 'null']);
});

/** What is null is left out of objects. */
function told(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(told);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, told(member)]));
}

test(`any rows come as they are, in batches and pieces of any size (OPENCHATML_SEED=${SEED})`, () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc.string({ unit: fc.constantFrom('"', '\\', '\n', 'é', 'x', '\u001f', '🙂'), minLength: 200, maxLength: 600 }),
  );
  const call = fc.record({ id: fc.option(text), weight: fc.option(fc.integer()), done: fc.option(fc.boolean()) });
  const message = fc.record({
    role: fc.option(text), content: fc.option(text), tool_calls: fc.option(fc.array(fc.option(call), { maxLength: 3 })),
  });
  const rows = fc.array(fc.option(fc.array(message, { maxLength: 4 })), { minLength: 1, maxLength: 30 });
  const sizes = [fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 400 })] as const;
  fc.assert(fc.property(rows, ...sizes, (messages, size, piece) => {
    const stream = streamOf({ messages: [messages, MESSAGES] }, size);
    expect(linesOfRows(stream, {}, piece).map((line) => JSON.parse(line) as unknown))
      .toEqual(messages.map((value) => told({ messages: value })));
  }), { seed: SEED, numRuns: runs(200) });
});

test('a record that is too long has a blank line', () => {
  const long = 'x'.repeat(300);
  const stream = streamOf({ text: [['a', long, 'b'], arrow.utf8()] });
  expect(linesOfRows(stream, { largest: 300 })).toEqual(['{"text":"a"}', '', '{"text":"b"}']);
  expect(linesOfRows(stream, { largest: 311 })).toEqual(['{"text":"a"}', `{"text":"${long}"}`, '{"text":"b"}']);
  expect(linesOfRows(streamOf({ r: [['{}', long], arrow.utf8()] }), { recordColumn: 'r', largest: 299 }))
    .toEqual(['{}', '']);
});

test('tells of streams and batches as they come', () => {
  const one = streamOf({ text: [['a', 'b', 'c'], arrow.utf8()] }, 2);
  const other = streamOf({ messages: [[[]], MESSAGES] });
  const events: unknown[] = [];
  linesOfRows(Buffer.concat([one, other]), {
    begin: () => events.push('begin'), end: () => events.push('end'), batchDone: (rows) => events.push(rows),
  });
  expect(events).toEqual(['begin', 2, 1, 'end', 'begin', 1, 'end']);
  // A stream may end where its input ends.
  expect(linesOfRows(streamOf({ text: [['a'], arrow.utf8()] }, 1, false))).toEqual(['{"text":"a"}']);
  expect(linesOfRows(new Uint8Array(0))).toEqual([]);
});

const good = (): Uint8Array => streamOf({ text: [['abc', 'defg'], arrow.utf8()] });
const wrong: [name: string, bytes: () => Uint8Array, words: string][] = [
  ['lines of JSON', () => Buffer.from('{"text":""}\n'),
    'standard input: has no message of Arrow at byte 0; send an Arrow IPC stream (pyarrow.ipc.new_stream), or lines of '
    + 'JSON to --format ndjson'],
  ['a few bytes', () => Buffer.from('{}\n'), 'standard input: has no message of Arrow at byte 0'],
  ['a file', () => arrow.tableToIPC(arrow.tableFromArrays({ text: ['a'] }), { format: 'file' })!,
    'standard input: is an Arrow file and no stream; send the stream form'],
  ['a cut schema', () => good().subarray(0, 40),
    'standard input: ends within a message of Arrow; look why the program that sends it was stopped'],
  ['a cut batch', () => good().subarray(0, -20), 'standard input: ends within a message of Arrow'],
  ['other columns', () => streamOf({ note: [['a'], arrow.utf8()] }),
    'standard input: has none of the columns that records have; its columns are "note"; name the one whose cells are '
    + 'records, --record-column NAME, or the one that holds transcripts, --field NAME'],
  ['a type that is not read', () => streamOf({ text: [[1], arrow.decimal(18, 2)] }),
    'standard input: has a column "text" with values of the type Decimal, which are not read; leave the column out, '
    + 'or make it text'],
];
test.each(wrong)('%s: says so', (_, bytes, words) => {
  expect(() => linesOfRows(bytes())).toThrow(words);
});

test('a column that was asked for and is not there', () => {
  expect(() => linesOfRows(good(), { recordColumn: 'r' }))
    .toThrow('has no column "r"; its columns are "text"; name one of them: --record-column NAME');
});

test('wrong offsets are told, and never followed', () => {
  const bytes = good();
  const body = bytes.length - 8 - 24;
  // Two texts: offsets 0, 3, 7 and four bytes of padding, then seven bytes.
  expect([...new Int32Array(bytes.slice(body, body + 12).buffer)]).toEqual([0, 3, 7]);
  for (const [at, value] of [[0, -1], [1, 9], [1, -1], [2, 2], [2, 1000], [2, -5]] as const) {
    const damaged = bytes.slice();
    new DataView(damaged.buffer).setInt32(body + 4 * at, value, true);
    expect(() => linesOfRows(damaged), `${at}: ${value}`).toThrow('is an Arrow stream that is damaged or of');
  }
});

test(`random damage is told or gives rows (OPENCHATML_SEED=${SEED})`, () => {
  const bytes = streamOf({
    text: [['abc', null, 'd'], arrow.utf8()], messages: [[[{ role: 'user' }], null, []], MESSAGES],
  }, 2);
  fc.assert(fc.property(fc.nat(bytes.length - 1), fc.nat(255), (at, byte) => {
    const damaged = bytes.slice();
    damaged[at] = byte;
    const reader = new ArrowReader(pipeOf(damaged));
    try {
      linesOfRows(damaged);
      while (reader.next() !== null);
    } catch (error) {
      expect(String(error), `byte ${at}: ${byte}`).toMatch(/^InputError: standard input: /);
    }
  }), { seed: SEED, numRuns: runs(3000) });
});

const STREAMS = new URL('../../outside/arrow_types.py', import.meta.url).pathname;

describe.skipIf(!hasTableReaders())('as pyarrow writes', () => {
  test('every type that is read', () => {
    const { stdout, stderr, status } = spawnSync(process.env['OPENCHATML_TABLES_PYTHON']!, [STREAMS]);
    expect(status, stderr.toString()).toBe(0);
    const [expected, ...streams] = stdout.toString('utf8').trim().split('\n');
    const rows = JSON.parse(expected!) as string[][];
    expect(streams.length).toBe(rows.length);
    for (const [i, stream] of streams.entries()) {
      const [name, bytes] = stream.split(' ') as [string, string];
      expect(linesOfRows(Buffer.from(bytes, 'base64'), { recordColumn: 'c' }), name).toEqual(rows[i]);
    }
  });

  test('a compressed stream is refused', () => {
    const { stdout } = spawnSync(process.env['OPENCHATML_TABLES_PYTHON']!, [STREAMS, 'zstd']);
    const bytes = Buffer.from(stdout.toString('utf8'), 'base64');
    expect(() => linesOfRows(bytes)).toThrow('is compressed within its batches; send it without compression');
  });
});
