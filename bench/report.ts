// Tables of text, and the same numbers as JSON.
import { cpus, totalmem, type as system, release } from 'node:os';
import type { Notation } from './notation.ts';

export interface Result {
  section: 'files' | 'memory' | 'json' | 'stream' | 'corpora' | 'records' | 'process' | 'linear';
  corpus: string;
  notation: Notation;
  bytes: number;
  row: string;
  does: string;
  /** Median (files, memory, json) or minimum (linear) in milliseconds; null when the row was not timed. */
  ms: number | null;
  /** The same in processor time of all threads, where it is known. */
  cpu?: number;
  /** Bytes that were resident at most, where it is known. */
  memory?: number;
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
  const cpuOfBase = results.find(({ row }) => row === base)?.cpu;
  const columns: [title: string, cell: (result: Result) => string][] = [
    ['row', ({ row }) => row],
    ['ms', ({ ms }) => fixed(ms, 1)],
    ['GB/s', ({ gigabytesPerSecond: speed }) => fixed(speed, speed !== null && speed < 0.1 ? 3 : 2)],
    [base === null ? 'x' : `x ${base}`, ({ toBase }) => fixed(toBase, 2)],
    ['cpu ms', ({ cpu }) => fixed(cpu, 1)],
    ['x cpu', ({ cpu }) => fixed(cpuOfBase === undefined || cpu === undefined ? null : cpuOfBase / cpu, 2)],
    ['MiB', ({ memory }) => fixed(memory === undefined ? null : memory / 2 ** 20, 0)],
    ['rounds', ({ rounds }) => (rounds === 0 ? '-' : String(rounds))],
    ['note', ({ note }) => note],
  ];
  const known = columns.filter(([title]) => {
    if (title.endsWith('cpu')) return cpuOfBase !== undefined;
    if (title === 'cpu ms') return results.some(({ cpu }) => cpu !== undefined);
    return title !== 'MiB' || results.some(({ memory }) => memory !== undefined);
  });
  return table([known.map(([title]) => title), ...results.map((result) => known.map(([, cell]) => cell(result)))]);
}
