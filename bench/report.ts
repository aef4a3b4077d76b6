// Tables of text, and the same numbers as JSON.
import { cpus, totalmem, type as system, release } from 'node:os';
import type { Notation } from './notation.ts';

export interface Result {
  section: 'files' | 'memory' | 'json' | 'stream' | 'corpora' | 'linear';
  corpus: string;
  notation: Notation;
  bytes: number;
  row: string;
  does: string;
  /** Median (files, memory, json) or minimum (linear) in milliseconds; null when the row was not timed. */
  ms: number | null;
  gigabytesPerSecond: number | null;
  /** How many times as fast as the base row. */
  toBase: number | null;
  base: string | null;
  rounds: number;
  /** linear: the time for twice the size, and how many times that is the time for the size. */
  ms2?: number;
  ratio?: number;
  /** What is wrong with the answer, or why there is none. */
  note: string;
}

export interface Machine {
  cpu: string;
  cores: number;
  memory: number;
  system: string;
  node: string;
  v8: string;
}

export function machine(): Machine {
  const [first] = cpus();
  return {
    cpu: first?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memory: totalmem(),
    system: `${system()} ${release()}`,
    node: process.versions.node,
    v8: process.versions.v8,
  };
}

/** Columns of text; the first and the last column stand left, the others right. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, cell.length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => (i === 0 || i === row.length - 1 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  ')
      .trimEnd();
  return rows.map((row) => `  ${line(row)}`).join('\n');
}

export function fixed(number: number | null | undefined, digits: number): string {
  return number === null || number === undefined || Number.isNaN(number) ? '-' : number.toFixed(digits);
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

export function resultTable(results: readonly Result[], base: string | null): string {
  return table([
    ['row', 'ms', 'GB/s', base === null ? 'x' : `x ${base}`, 'rounds', 'note'],
    ...results.map((r) => [
      r.row,
      fixed(r.ms, 1),
      fixed(r.gigabytesPerSecond, 2),
      fixed(r.toBase, 2),
      r.rounds === 0 ? '-' : String(r.rounds),
      r.note,
    ]),
  ]);
}
