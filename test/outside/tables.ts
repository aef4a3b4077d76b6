// pyarrow, Polars and DuckDB as other readers of tables: one Python process reads an Arrow stream and a Parquet file.
import { spawnSync } from 'node:child_process';
import { isAll } from '../long.ts';

export interface TableAnswer {
  reader: string;
  /** Of the schema; null where a reader does not tell. */
  metadata: Record<string, string> | null;
  nullable: Record<string, boolean> | null;
  /** The reader's names of the types. */
  types: Record<string, string>;
  rows: Record<string, unknown>[];
  /** For each filter: rows whose column has the value. */
  counts: number[];
}

const PYTHON = process.env['OPENCHATML_TABLES_PYTHON'];
const SCRIPT = new URL('tables.py', import.meta.url).pathname;

/**
 * Whether the readers are asked: all tests are run, and a Python with them is there. Where tests must not be skipped,
 * it is an error that none is.
 */
export function hasTableReaders(): boolean {
  if (!isAll) return false;
  if (PYTHON) return true;
  const reason = 'OPENCHATML_TABLES_PYTHON does not name a Python with pyarrow, polars and duckdb';
  if (process.env['OPENCHATML_CI'] === '1') throw new Error(reason);
  console.log(`skipped: ${reason}`);
  return false;
}

/** What every reader finds in the two files. */
export function readTables(
  arrow: string,
  parquet: string,
  filters: [column: string, value: string | number][],
): TableAnswer[] {
  const input = JSON.stringify({ arrow, parquet, filters });
  const options = { input, encoding: 'utf8', maxBuffer: 1 << 28 } as const;
  const { status, stdout, stderr, error } = spawnSync(PYTHON!, [SCRIPT], options);
  if (error || status !== 0) throw new Error(`${SCRIPT} failed: ${error?.message ?? stderr}`);
  return stdout.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as TableAnswer);
}
