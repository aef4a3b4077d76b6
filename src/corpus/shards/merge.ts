// The shares of a run put together: what is there, what is missing, the sums, and the outputs joined.

import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { InputError, systemReason } from '../error.ts';
import { type FileCalls, FileOutputError, OutputFile } from '../output-file.ts';
import { realPlace, sizeOf } from './folder.ts';
import { listDigest, nameOf } from './inputs.ts';
import type { RunCounts } from '../jobs/job.ts';
import {
  INPUTS_NAME, readInputs, readSidecar, RUN_COUNTS, type Sidecar, SIDECAR_ENDING,
} from './sidecar.ts';
import { FileSource } from '../input/source.ts';
import { stampOf } from '../input/stamp.ts';
import { Statistics, type StatisticsJson } from '../report/statistics.ts';

/** Why shares cannot be put together: one line each. */
export class MergeError extends Error {
  override readonly name = 'MergeError';
  readonly reasons: readonly string[];

  constructor(reasons: readonly string[]) {
    super(reasons.join('\n'));
    this.reasons = reasons;
  }
}

export interface WholeRun {
  readonly version: string;
  readonly options: Sidecar['options'];
  /** Digest of the list of inputs. */
  readonly sha256: string;
  /** Bytes of the inputs as they lie there, and of the outputs. */
  readonly inputBytes: number;
  readonly outputBytes: number;
  readonly counts: RunCounts;
  readonly statistics: StatisticsJson;
  /** In the order of the paths of the inputs, which stand beside. */
  readonly inputs: readonly string[];
  readonly outputs: readonly Sidecar['output'][];
}

/** Inputs that an error names of each kind. */
const NAMED = 20;

/** All shares of a run in a folder. Throws a MergeError, or an InputError when the folder cannot be read. */
export function wholeRun(folder: string): WholeRun {
  const names = sidecarNames(folder);
  const list = readInputs(folder);
  if (!list) {
    throw new MergeError([
      `${folder} holds no ${INPUTS_NAME} that can be read: it is no folder that \`run\` has written to`,
    ]);
  }
  if (listDigest(list.inputs) !== list.sha256) {
    throw new MergeError([`${join(folder, INPUTS_NAME)} is damaged; call \`run\` again`]);
  }
  const found = new Map<number, Sidecar>();
  const [damaged, strange]: [string[], string[]] = [[], []];
  const kinds = new Map<string, string[]>();
  const fileOf = (name: string): string => join(folder, name + SIDECAR_ENDING);
  for (const name of names) {
    const sidecar = readSidecar(folder, name);
    if (!sidecar) damaged.push(fileOf(name));
    else if (sidecar.list.sha256 !== list.sha256 || list.inputs[sidecar.position] !== sidecar.input.path) {
      strange.push(fileOf(name));
    } else {
      const { version, options: { emit, format, sha256 } } = sidecar;
      const kind = `${emit}, ${format}, version ${version}, options ${sha256.slice(0, 12)}`;
      kinds.set(kind, [...(kinds.get(kind) ?? []), name]);
      found.set(sidecar.position, sidecar);
    }
  }
  const reasons: string[] = [];
  const tell = (what: string, which: readonly string[], remedy: string): void => {
    for (const one of which.slice(0, NAMED)) reasons.push(`${one}: ${what}; ${remedy}`);
    if (which.length > NAMED) reasons.push(`${which.length - NAMED} more: ${what}; ${remedy}`);
  };
  tell('the sidecar cannot be read', damaged, 'remove it, and call `run` again');
  tell(
    'it belongs to another list of inputs', strange,
    'call `run` with one list for all shares, or remove the file and its output',
  );
  if (kinds.size > 1) {
    const parts = [...kinds].sort().map(([kind, of]) => `${of.length} of ${kind} (${of[0]})`);
    reasons.push(`the shares were not made alike: ${parts.join('; ')}; use a folder for each, or remove the others`);
  } else {
    const missing = list.inputs.filter((path, position) => {
      const sidecar = found.get(position);
      return !sidecar || !hasOutput(folder, sidecar, path);
    });
    tell('its share is missing', missing, 'call `run` for it');
  }
  if (reasons.length > 0) throw new MergeError(reasons);
  return summed(list.sha256, list.inputs.map((_, position) => found.get(position)!));
}

function sidecarNames(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith(SIDECAR_ENDING));
    return names.map((name) => name.slice(0, -SIDECAR_ENDING.length)).sort();
  } catch (error) {
    throw new InputError(
      folder, `cannot be listed: ${systemReason(error)}`, 'name the folder that `run` has written to', error,
    );
  }
}

function hasOutput(folder: string, { output, options }: Sidecar, path: string): boolean {
  return output.name === `${nameOf(path)}.${options.emit}.${options.format}`
    && sizeOf(join(folder, output.name)) === output.bytes;
}

function summed(sha256: string, sidecars: readonly Sidecar[]): WholeRun {
  const counts: RunCounts = { records: 0, ok: 0, bad: 0, messages: 0, calls: 0 };
  const statistics = new Statistics();
  let [inputBytes, outputBytes] = [0, 0];
  for (const sidecar of sidecars) {
    for (const name of RUN_COUNTS) counts[name] += sidecar.counts[name];
    statistics.merge(sidecar.statistics);
    inputBytes += sidecar.input.size;
    outputBytes += sidecar.output.bytes;
  }
  // There is at least one: a run without inputs writes no list.
  const { version, options } = sidecars[0]!;
  const outputs = sidecars.map(({ output }) => output);
  const inputs = sidecars.map(({ input }) => input.path);
  return {
    version, options, sha256, inputBytes, outputBytes, counts, statistics: statistics.toJSON(), inputs, outputs,
  };
}

const PART = 1024 * 1024;

/**
 * Writes the outputs one after the other. Throws a FileOutputError, an InputError when an output cannot be read, a
 * MergeError when it is not the one that was written.
 */
export function joinOutputs(
  folder: string, { outputs, inputs }: Pick<WholeRun, 'outputs' | 'inputs'>, path: string, calls?: FileCalls,
): void {
  refuseOwn(folder, outputs, path);
  const state = stampOf(path);
  if (state !== null && inputs.some((input) => stampOf(input)?.file === state.file)) {
    throw new FileOutputError(path, 'is an input of the run', 'give another name');
  }
  const file = OutputFile.create(path, calls);
  try {
    const part = new Uint8Array(PART);
    for (const { name, sha256 } of outputs) {
      const source = FileSource.open(join(folder, name));
      const hash = createHash('sha256');
      try {
        for (let at = 0, read = -1; read !== 0; at += read) {
          read = source.read(at, part);
          const bytes = part.subarray(0, read);
          hash.update(bytes);
          file.write(bytes);
        }
      } finally {
        source.close();
      }
      if (hash.digest('hex') !== sha256) {
        throw new MergeError([`${join(folder, name)}: it is not what was written; remove it, and call \`run\` again`]);
      }
    }
    file.commit();
  } finally {
    file.discard();
  }
}

/** Refuses a place for the joined outputs that is one of the run's own files. */
function refuseOwn(folder: string, outputs: WholeRun['outputs'], path: string): void {
  const place = realPlace(path);
  const own = [INPUTS_NAME, ...outputs.flatMap(({ name }) => [name, `${name}${SIDECAR_ENDING}`])];
  const base = realPlace(folder);
  if (!own.some((name) => join(base, name) === place)) return;
  throw new FileOutputError(path, 'is a file of the run itself', 'give another name');
}
