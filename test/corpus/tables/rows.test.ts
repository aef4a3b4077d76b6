// Rows of tables that hold chat records, in every command: what rows of the scanner give is what values give.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, expect, test } from 'vitest';
import type { FilterWork, RunWork, Work } from '../../../src/corpus/jobs/job.ts';
import { LARGEST_LINE, LARGEST_LIST } from '../../../src/corpus/jobs/verdict-lines.ts';
import { LARGEST } from '../../../src/corpus/records/record.ts';
import type { FileOptions } from '../../../src/corpus/records/unit.ts';
import { runs } from '../../long.ts';
import { type Random, randomOf, SEED } from '../../random.ts';
import { seen } from '../jobs/seen.ts';
import { randomRecord } from '../records/random-chat.ts';

const folder = mkdtempSync(join(tmpdir(), 'openchatml-tables-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Columns that are read, with what they hold. */
const COLUMNS = { id: 'text', messages: 'json', conversations: 'json', tools: 'json', text: 'text' } as const;

/** A table of records, of which each column holds what it can. */
function tableOf(random: Random): Uint8Array {
  const records = Array.from({ length: 1 + random.below(60) }, () => {
    const text = random.pick(['Hi', '<|im_start|>user\nHi<|im_end|>', '']);
    return random.once(12) ? { text } : { ...(randomRecord(random) as object) };
  });
  const columnData = Object.entries(COLUMNS).map(([name, kind]) => {
    const data = records.map((record) => {
      const value = (record as Record<string, unknown>)[name];
      return value === undefined || (kind === 'text' && typeof value !== 'string') ? null : value;
    });
    return { name, data, type: kind === 'json' ? 'JSON' : 'STRING', nullable: true };
  });
  return new Uint8Array(parquetWriteBuffer({ columnData: columnData as never, rowGroupSize: 1 + random.below(20) }));
}

const JUDGED = { tools: [], warnings: false, rules: {}, strict: false } as const;
const FILTER: FilterWork = {
  ...JUDGED, emit: 'verdict', passthrough: false, isApart: false, largest: LARGEST_LINE, largestList: LARGEST_LIST,
};
const RUN: RunWork = { ...JUDGED, emit: 'verdict', form: 'lines' };
const CONVERT = { kind: 'convert', to: 'openchatml-2.2', from: 'auto', forTerminal: false } as const;
/** Limits that are not the usual ones leave nothing to the scanner. */
const VALUES: FileOptions = { largestRecord: LARGEST - 1 };

/** Work, and how it is done by values. */
const WORK: readonly (readonly [work: Work, byValues: { work?: Work; read?: FileOptions }])[] = [
  [{ kind: 'filter', ...FILTER }, { work: { kind: 'filter', ...FILTER, isApart: true } }],
  [
    { kind: 'filter', ...FILTER, emit: 'messages' },
    { work: { kind: 'filter', ...FILTER, emit: 'messages', isApart: true } },
  ],
  [{ kind: 'run', ...RUN }, { read: VALUES }],
  [{ kind: 'run', ...RUN, warnings: true, emit: 'messages' }, { read: VALUES }],
  [{ kind: 'run', ...RUN, emit: 'messages', form: { format: 'parquet', section: 1000 } }, { read: VALUES }],
  [{ kind: 'render', format: 'text', untitled: null, options: { notes: true } }, { read: VALUES }],
  [{ kind: 'messages', filters: {}, form: 'lines' }, { read: VALUES }],
  [{ kind: 'messages', filters: {}, form: { format: 'arrow', section: 500 } }, { read: VALUES }],
  [{ kind: 'messages', filters: { onlyRole: ['tool'] }, form: { format: 'parquet', section: 1e6 } }, { read: VALUES }],
  [{ kind: 'check', tools: [] }, { read: VALUES }],
  [{ kind: 'statistics', tools: [], characters: true }, { read: VALUES }],
];

interface Seen {
  readonly lines: string;
}

test(`rows give what values give (seed ${SEED})`, { timeout: 20 * 60_000 }, async () => {
  for (let seed = SEED; seed < SEED + runs(20); seed++) {
    const path = join(folder, `${seed}.parquet`);
    writeFileSync(path, tableOf(randomOf(seed)));
    for (const [work, { work: other = work, read = {} }] of WORK) {
      const told = `seed ${seed}, ${JSON.stringify(work)}`;
      expect(await seen(path, work, {}, 1), told).toEqual(await seen(path, other, read, 1));
    }
    const values = (await seen(path, { ...CONVERT, format: 'ndjson' }, {}, 1)) as Seen;
    const texts = values.lines.split('\0').map((part, i) => (i % 2 === 1 ? `\0${part}\0` : textsIn(part))).join('');
    const rows = await seen(path, { ...CONVERT, format: 'text' }, {}, 1);
    expect(rows, `seed ${seed}`).toEqual({ ...values, lines: texts });
    rmSync(path);
  }
});

const textsIn = (lines: string): string => lines.split('\n').slice(0, -1)
  .map((line) => (JSON.parse(line) as { text: string | null }).text ?? '').join('');
