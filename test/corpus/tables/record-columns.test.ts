// Random chat records as tables against the same records as lines: every row, on any number of threads, however they
// are cut.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tableFromIPC } from '@uwdata/flechette';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, expect, test } from 'vitest';
import type { Work } from '../../../src/corpus/jobs/job.ts';
import { runs } from '../../long.ts';
import { type Random, randomOf, SEED } from '../../random.ts';
import { jobsHere, seen } from '../jobs/seen.ts';
import { mutated, randomRecord, randomText } from '../records/random-chat.ts';

const folder = mkdtempSync(join(tmpdir(), 'openchatml-tables-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, 'records.jsonl');

type Row = Record<string, unknown>;
interface Seen {
  /** The output, a character for each byte. */
  readonly lines: string;
}

const plain = (value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value);
/** Readers of tables take a byte order mark at the start of a text away, but not a second one. */
const MARKS = /^\ufeff+/;
const unmarked = (value: unknown): unknown => (typeof value === 'string' ? value.replace(MARKS, '') : plain(value));
const rowOf = (row: object): Row =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, unmarked(value)]));

async function rowsOf(format: 'arrow' | 'parquet', { lines }: Seen): Promise<Row[]> {
  const bytes = Uint8Array.from(Buffer.from(lines, 'latin1'));
  const rows: object[] = format === 'arrow' ? tableFromIPC(bytes, { useBigInt: true }).toArray()
    : await parquetReadObjects({ file: bytes.buffer });
  return rows.map(rowOf);
}

function randomLines(random: Random): Buffer {
  const lines = Array.from({ length: random.below(30) }, () => {
    const line = Buffer.from(randomText(random, randomRecord(random)));
    return random.once(15) ? mutated(random, line) : line;
  });
  return Buffer.concat([Buffer.from('{"messages":[]}'), ...lines].flatMap((line) => [line, Buffer.from('\n')]));
}

test(`random records (OPENCHATML_SEED=${SEED})`, async () => {
  for (let run = 0; run < runs(240, 16); run++) {
    const random = randomOf(SEED + run);
    const hint = `seed ${SEED + run}`;
    writeFileSync(path, randomLines(random));
    const filters = random.once(3) ? { onlyRole: random.pick([['tool', 'developer'], ['user'], ['assistant']]) } : {};
    const lines = await seen(path, { kind: 'messages', filters, form: 'lines' }, {}, 1) as Seen;
    const text = Buffer.from(lines.lines, 'latin1').toString('utf8');
    const rows = text.split('\n').slice(0, -1).map((line) => rowOf(JSON.parse(line) as object));
    const format = random.pick(['arrow', 'parquet'] as const);
    const section = 1 + random.below(6000);
    const work: Work = { kind: 'messages', filters, form: { format, section } };
    const table = await seen(path, work, {}, 1) as Seen;
    expect(await rowsOf(format, table), hint).toEqual(rows);
    const parts = { step: () => section, least: 0 };
    for (const threads of [2, 3]) expect(await seen(path, work, {}, threads, parts, jobsHere()), hint).toEqual(table);
  }
});
