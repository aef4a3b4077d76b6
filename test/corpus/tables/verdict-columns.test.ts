// Verdicts as rows: what each cell holds, and texts that are too long.
import { parquetReadObjects } from 'hyparquet';
import { expect, test } from 'vitest';
import { TableError } from '../../../src/corpus/tables/error.ts';
import { openTable } from '../../../src/corpus/tables/table.ts';
import { VERDICT_TABLE, VerdictColumns, type VerdictRow } from '../../../src/corpus/tables/verdict-columns.ts';

const ROW: VerdictRow = { n: 0, line: 1, id: 'a', ok: true, messages: 2, calls: 1, findings: 0, err: '[]' };

async function readBack({ columns }: VerdictColumns): Promise<object[]> {
  const pieces: Uint8Array[] = [];
  const table = await openTable('parquet', VERDICT_TABLE, (bytes) => void pieces.push(bytes.slice()));
  table.take({ columns: columns.data() });
  table.end();
  const rows = await parquetReadObjects({ file: Uint8Array.from(Buffer.concat(pieces)).buffer });
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => {
    return [name, typeof value === 'bigint' ? Number(value) : value as unknown];
  })));
}

test('cells are what was added', async () => {
  const columns = new VerdictColumns();
  columns.begin('gone');
  columns.add(ROW);
  columns.begin('\u00e9.jsonl');
  const rows = [
    ROW, { ...ROW, n: 2 ** 40, line: 2 ** 33, id: '', ok: false, findings: 7, err: '[{"rule":"\u4f60"}]' },
    { ...ROW, n: 3, line: null, id: null },
  ];
  for (const row of rows) columns.add(row);
  expect(await readBack(columns)).toEqual(rows.map((row) => ({ path: '\u00e9.jsonl', ...row })));
});

test('a text that is too long is refused, and others follow', async () => {
  const columns = new VerdictColumns(10);
  columns.begin('x');
  columns.add({ ...ROW, id: '\u4f60\u597d\u4f60!' });
  expect(() => columns.add({ ...ROW, n: 8, id: '\u4f60\u597d\u4f60\u597d' })).toThrow(TableError);
  expect(() => columns.add({ ...ROW, n: 8, err: 'x'.repeat(11) })).toThrow(
    'err of verdict 8 has 11 bytes, and a cell of a table takes 10; write lines of JSON, which have no such limit',
  );
  columns.add({ ...ROW, id: 'after' });
  expect((await readBack(columns)).map((row) => 'id' in row && row.id)).toEqual(['\u4f60\u597d\u4f60!', 'after']);
});
