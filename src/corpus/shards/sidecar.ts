// What stands beside an output: what it was made of, by which version, with which options, and what was counted. An
// output without it is not whole. And the list of a run's inputs, against which `merge` knows what is missing.

import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../error.ts';
import { type FileCalls, OutputFile } from '../output-file.ts';
import type { RunCounts } from '../jobs/job.ts';
import type { FileState } from './inputs.ts';
import { Statistics, type StatisticsJson } from '../report/statistics.ts';

export const RUN_SCHEMA = 'openchatml/run/1';
export const INPUTS_SCHEMA = 'openchatml/run-inputs/1';
export const SIDECAR_ENDING = '.done.json';
/** The list's name in the folder of a run. */
export const INPUTS_NAME = 'inputs.json';

export const RUN_COUNTS = ['records', 'ok', 'bad', 'messages', 'calls'] as const satisfies readonly (keyof RunCounts)[];

export interface RunList {
  /** How many inputs the whole run has. */
  readonly inputs: number;
  /** Of their paths. */
  readonly sha256: string;
}

export interface Sidecar {
  readonly schema: typeof RUN_SCHEMA;
  /** Of the package. */
  readonly version: string;
  readonly list: RunList;
  /** Of the input in the list, from 0. */
  readonly position: number;
  readonly input: FileState & { readonly path: string };
  /** The ones that decide what is written, and the digest of all. */
  readonly options: { readonly emit: string; readonly format: string; readonly sha256: string };
  readonly output: { readonly name: string; readonly bytes: number; readonly sha256: string };
  readonly counts: RunCounts;
  readonly statistics: StatisticsJson;
}

export interface InputsFile {
  readonly schema: typeof INPUTS_SCHEMA;
  readonly sha256: string;
  readonly inputs: readonly string[];
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** JSON of a value with the keys of its objects in order: the same for equal values. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** Writes a file of JSON whole, or not at all. Throws a FileOutputError. */
export function writeJson(path: string, value: object, calls?: FileCalls): void {
  const file = OutputFile.create(path, calls);
  file.write(`${JSON.stringify(value)}\n`);
  file.commit();
}

/** Bytes of a file that is still read; the list of a million inputs has less. */
const LARGEST = 256 * 1024 * 1024;

/** The value of a file of JSON; undefined: there is none, or none that can be read. */
function readJson(path: string): unknown {
  try {
    const status = statSync(path);
    if (!status.isFile() || status.size > LARGEST) return undefined;
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (systemCode(error) !== undefined || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The sidecar of an output; null: there is none that can be read. */
export function readSidecar(folder: string, outputName: string): Sidecar | null {
  const value = readJson(join(folder, `${outputName}${SIDECAR_ENDING}`));
  return isSidecar(value) && value.output.name === outputName ? value : null;
}

/** The list of a run's inputs; null: there is none that can be read. */
export function readInputs(folder: string): InputsFile | null {
  const value = readJson(join(folder, INPUTS_NAME));
  if (!hasShape(value, { schema: 'string', sha256: 'string', inputs: 'object' })) return null;
  const { schema, inputs } = value;
  const isList = Array.isArray(inputs) && inputs.length > 0 && inputs.every((path) => typeof path === 'string');
  return schema === INPUTS_SCHEMA && isList ? (value as unknown as InputsFile) : null;
}

function hasShape(value: unknown, shape: Readonly<Record<string, string>>): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(shape).every(([key, type]) => {
    const inner = Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
    return type === 'count'
      ? Number.isSafeInteger(inner) && (inner as number) >= 0
      : typeof inner === type && inner !== null;
  });
}

const COUNTS_SHAPE = Object.fromEntries(RUN_COUNTS.map((name) => [name, 'count']));

function isSidecar(value: unknown): value is Sidecar {
  if (!hasShape(value, { schema: 'string', version: 'string', position: 'count', statistics: 'object' })) return false;
  const { schema, list, input, options, output, counts, statistics } = value;
  if (schema !== RUN_SCHEMA
    || !hasShape(list, { inputs: 'count', sha256: 'string' })
    || !hasShape(input, { path: 'string', size: 'count', mtime_ms: 'number' })
    || !hasShape(options, { emit: 'string', format: 'string', sha256: 'string' })
    || !hasShape(output, { name: 'string', bytes: 'count', sha256: 'string' })
    || !hasShape(counts, COUNTS_SHAPE)) return false;
  try {
    Statistics.fromJSON(statistics);
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
