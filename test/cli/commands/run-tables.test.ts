// `run` into tables: what lines of JSON say, in the same bytes on every number of threads.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { runShards, type RunShardsOptions } from '../../../src/cli/commands/run.ts';
import { SECTION } from '../../../src/corpus/jobs/job.ts';
import { at, CLEAN, FAULTY, file, jsonLines } from '../harness.ts';
import { describeLong } from '../../long.ts';
import { SHARED, work, type Worked } from '../hosts.ts';

const FORMATS = ['arrow', 'parquet'] as const;
const EMITS = ['verdict', 'messages'] as const;

let folders = 0;
const newFolder = (): string => at(`tables/out-${folders++}`);

const run = (
  paths: string[], options: Pick<RunShardsOptions, 'out' | 'emit' | 'format'> & Partial<RunShardsOptions>,
): Promise<Worked> => work((host) => runShards(paths, { ...SHARED, ...options }, host, null));

/** What a folder holds, byte for byte. */
const contents = (folder: string): Record<string, string> =>
  Object.fromEntries(readdirSync(folder).sort().map((name) => [name, readFileSync(join(folder, name), 'latin1')]));

const outputs = (folder: string): string[] => readdirSync(folder).filter((name) => /\.(arrow|parquet)$/.test(name));

const plain = (value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value);
const plainRow = (row: object): object =>
  Object.fromEntries(Object.entries(row).map(([key, value]) => [key, plain(value)]));

async function arrowRows(bytes: Uint8Array): Promise<object[]> {
  const { tableFromIPC } = await import('@uwdata/flechette');
  return tableFromIPC(bytes).toArray().map((row) => plainRow(row as object));
}

async function parquetRows(bytes: Uint8Array): Promise<object[]> {
  const { parquetReadObjects } = await import('hyparquet');
  const { compressors } = await import('hyparquet-compressors');
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  return (await parquetReadObjects({ file: buffer, compressors })).map((row) => plainRow(row));
}

/** Each table of a folder holds what the file of lines beside it says; answers with the number of rows. */
async function expectRows(tables: string, lines: string, format: 'arrow' | 'parquet'): Promise<number> {
  let count = 0;
  for (const name of outputs(tables)) {
    const bytes = readFileSync(join(tables, name));
    const rows = format === 'arrow' ? await arrowRows(bytes) : await parquetRows(bytes);
    const text = readFileSync(join(lines, name.replace(/[a-z]+$/, 'ndjson')), 'utf8');
    // In a table an id is text: a number of many digits stays what it is.
    const told = jsonLines(text.replaceAll(/("line":\d+,"id":)(\d+)/g, '$1"$2"'));
    const expected = told.map((line) => (name.includes('.messages.') ? line : verdictRow(line)));
    expect(rows.length, name).toBe(expected.length);
    for (const [i, row] of rows.entries()) {
      if (!isDeepStrictEqual(row, expected[i])) expect(row, `${name} ${i}`).toEqual(expected[i]);
    }
    count += rows.length;
  }
  return count;
}

function verdictRow({ path, n, line, id, ok, messages, calls, err, more }: Record<string, unknown>): object {
  return {
    path, n, line: line ?? null, id: id ?? null, ok, messages, calls,
    findings: (err as unknown[]).length + Number(more ?? 0), err: JSON.stringify(err),
  };
}

const json = (value: unknown): string => JSON.stringify(value);
const CHAT = [
  { role: 'user', content: 'Gr\u00fc\u00dfe "<|end|>' }, { role: 'assistant', content: 'x'.repeat(50_000) },
];
const TOOLS = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }];
const CALLS = [
  { role: 'user', content: '?' },
  { role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"a"' } }] },
];
/** Records of every kind, and lines that hold none. */
const ODD = [
  json({ id: 'a', text: CLEAN }), json({ id: 7, text: FAULTY + CLEAN }), '', '   ', 'what?', '{"text": nope}', '[1]',
  '"x"',
  `  ${json({ messages: CHAT })}\r`, json({ messages: CALLS, tools: TOOLS }), json({ other: 1 }),
  '{"id":12345678901234567890,"text":""}', json({ id: '\u00e9"', conversations: [{ from: 'human', value: 'a' }] }),
  json({ messages: [{ role: 'x' }] }), json({ text: FAULTY.repeat(120) }),
];

const small = [
  file('tables/a.jsonl', ODD.join('\n')),
  file('tables/b.txt', `${CLEAN}${FAULTY}version: 2.2\n---\n`),
  file('tables/c.ocml', ''),
  file('tables/d.harmony', '<|start|>user<|message|>Hi<|end|><|start|>assistant<|channel|>final<|message|>Ho<|end|>'),
  file('tables/e/\u00fc.txt', 'nothing of a transcript'),
  file('tables/f.jsonl.gz', gzipSync(ODD.join('\n'))),
  file('tables/g.json', `[${[ODD[0], ODD[1], ODD[9]].join(',\n ')}]`),
];

describe.each(FORMATS)('%s', (format) => {
  test.each(EMITS)('tables of %s hold what the lines hold', async (emit) => {
    const [tables, again, lines] = [newFolder(), newFolder(), newFolder()];
    expect(await run(small, { out: tables, emit, format })).toMatchObject({ code: 0, err: '' });
    await run(small, { out: again, emit, format });
    expect(contents(again)).toEqual(contents(tables));
    await run(small, { out: lines, emit, format: 'ndjson' });
    expect(outputs(tables)).toHaveLength(small.length);
    expect(await expectRows(tables, lines, format)).toBeGreaterThan(30);
  });

  test('of a damaged input nothing is kept, and the others are done', async () => {
    const cut = file('tables/cut.txt.gz', gzipSync(CLEAN.repeat(100)).subarray(0, 100));
    const out = newFolder();
    expect(await run([cut, ...small], { out, emit: 'messages', format })).toMatchObject({ code: 2 });
    expect(outputs(out)).toHaveLength(small.length);
    expect(readdirSync(out)).toHaveLength(1 + 2 * small.length);
  });
});

describeLong('a file that is cut', () => {
  let path: string;
  const lines: Record<string, string> = {};
  beforeAll(async () => {
    const unit = `${ODD.join('\n')}\n`;
    const count = Math.ceil(2.2 * SECTION / Buffer.byteLength(unit));
    // Lines of other lengths: cuts fall anywhere in them.
    const text = Array.from({ length: count }, (_, i) => `${' '.repeat(i % 97)}${unit}`).join('');
    path = file('tables/large.jsonl', text);
    for (const emit of EMITS) {
      lines[emit] = newFolder();
      await run([path], { out: lines[emit], emit, format: 'ndjson', threads: 1 });
    }
  });

  test.each(EMITS.flatMap((emit) => FORMATS.map((format) => ({ emit, format }))))(
    '$emit, $format: the same bytes on any number of threads', async ({ emit, format }) => {
      const outs: string[] = [];
      for (const threads of [1, 2, 3]) {
        const out = newFolder();
        expect(await run([path], { out, emit, format, threads })).toMatchObject({ code: 0, err: '' });
        outs.push(out);
      }
      const [one, ...others] = outs.map(contents);
      for (const other of others) expect(other).toEqual(one);
      expect(await expectRows(outs[0]!, lines[emit]!, format)).toBeGreaterThan(1000);
    },
  );
});
