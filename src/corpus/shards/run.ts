// A share of a corpus into a folder, input by input. Whatever stops it, what stands there is whole: an output is
// renamed to its place, and its sidecar after it; the next run does what has no sidecar that fits.

import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Source } from '../../scan/source.ts';
import { COLUMNS } from '../input/container.ts';
import { InputError, systemCode } from '../error.ts';
import { type FileCalls, fileOutputError } from '../output-file.ts';
import { type Input, openRef, optionsFor } from '../input/paths.ts';
import { sizeOf } from './folder.ts';
import { fileState, type FileState, type ShardInput, type ShardInputs } from './inputs.ts';
import { ShardOutput } from './output.ts';
import { readShard, type ShardReading } from './read.ts';
import { makeRows, type RunEmit, type RunFormat } from './rows.ts';
import type { Share } from './share.ts';
import {
  canonicalJson, INPUTS_NAME, INPUTS_SCHEMA, readInputs, readSidecar, RUN_SCHEMA, sha256, type Sidecar, SIDECAR_ENDING,
  writeJson,
} from './sidecar.ts';
import type { InputSource } from '../input/source.ts';
import type { UnitOptions } from '../records/unit.ts';
import type { Judge } from '../jobs/verdict-judge.ts';

export interface ShardRunSettings {
  readonly folder: string;
  readonly share: Share;
  readonly emit: RunEmit;
  readonly format: RunFormat;
  readonly unit: UnitOptions;
  /** What else decides what is written: tools, rules. */
  readonly further: unknown;
  readonly judge: Judge;
  readonly version: string;
  /** What is to be read instead of an input. */
  readonly watch: (input: InputSource) => Source;
  /** Is told of an input that cannot be read. */
  readonly onFailure: (error: InputError) => void;
  /** For tests: faults of the file system. */
  readonly calls?: FileCalls;
  readonly wrap?: (input: InputSource) => InputSource;
}

export interface ShardRunResult {
  /** Inputs of the share, those that were read now, and those that were done before. */
  readonly inputs: number;
  readonly written: number;
  readonly skipped: number;
}

/** Does what is left to do. Throws a FileOutputError when nothing can be written. */
export async function runShare({ inputs, digest }: ShardInputs, settings: ShardRunSettings): Promise<ShardRunResult> {
  const { folder, share, emit, format, unit, further, version, calls } = settings;
  const options = { emit, format, sha256: sha256(canonicalJson({ emit, format, unit, further })) };
  const list = { inputs: inputs.length, sha256: digest };
  writeList(folder, digest, inputs, calls);
  const mine = inputs.filter(({ position }) => position % share.count === share.index);
  let [written, skipped] = [0, 0];
  for (const input of mine) {
    try {
      if (input.input instanceof InputError) throw input.input;
      const state = fileState(input.input);
      const name = `${input.name}.${emit}.${format}`;
      const known: Pick<Sidecar, 'version' | 'list' | 'position' | 'input' | 'options'> = {
        version, list, position: input.position, input: { path: input.path, ...state }, options,
      };
      const before = readSidecar(folder, name);
      const isDone = before !== null && fits(before, known) && sizeOf(join(folder, name)) === before.output.bytes;
      if (isDone) {
        skipped++;
        // The same output in another list of inputs.
        if (!isSame(before.list, list) || before.position !== input.position) {
          writeJson(join(folder, `${name}${SIDECAR_ENDING}`), { ...before, list, position: input.position }, calls);
        }
        continue;
      }
      removeOld(join(folder, `${name}${SIDECAR_ENDING}`), calls);
      const made = await write(input.input, name, state, settings);
      const sidecar: Sidecar = { schema: RUN_SCHEMA, ...known, ...made };
      writeJson(join(folder, `${name}${SIDECAR_ENDING}`), sidecar, calls);
      written++;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      settings.onFailure(error);
    }
  }
  return { inputs: mine.length, written, skipped };
}

/** Reads one input and writes what is made of it. */
async function write(
  input: Input,
  name: string,
  state: FileState,
  { folder, emit, format, unit, judge, watch, calls, wrap }: ShardRunSettings,
): Promise<Pick<Sidecar, 'output' | 'counts' | 'statistics'>> {
  const { path, ref } = input;
  const open: ShardReading['open'] = () => {
    // Nothing is kept of an input that turns out to be damaged: it need not be known beforehand.
    const opened = openRef(ref, {
      verify: false, ...(unit.field !== undefined && { columns: [...COLUMNS, unit.field] }),
    });
    if (opened.container === 'parquet' && emit === 'keep') {
      opened.input.close();
      const remedy = 'write verdicts, and select the rows with a tool for tables';
      throw new InputError(path, 'is a Parquet file, of which not all columns are read', remedy);
    }
    return wrap ? { ...opened, input: wrap(opened.input) } : opened;
  };
  const output = new ShardOutput(join(folder, name), calls);
  try {
    const rows = await makeRows(emit, format, path, output);
    const { counts, statistics } = readShard({ path, open, watch, options: optionsFor(path, unit), judge, rows });
    rows.end();
    if (!isSame(fileState(input), state)) {
      throw new InputError(path, 'was changed while it was read', 'try again when it is complete');
    }
    return { output: { name, ...output.commit() }, counts, statistics: statistics.toJSON() };
  } finally {
    output.discard();
  }
}

const isSame = (a: object, b: object): boolean => canonicalJson(a) === canonicalJson(b);

/** What an output was made of is what it would be made of now. */
function fits(before: Sidecar, { version, input, options }: Pick<Sidecar, 'version' | 'input' | 'options'>): boolean {
  return before.version === version && isSame(before.input, input) && isSame(before.options, options);
}

function writeList(folder: string, digest: string, inputs: readonly ShardInput[], calls?: FileCalls): void {
  const paths = inputs.map(({ path }) => path);
  const before = readInputs(folder);
  if (before?.sha256 === digest && isSame(before.inputs, paths)) return;
  writeJson(join(folder, INPUTS_NAME), { schema: INPUTS_SCHEMA, sha256: digest, inputs: paths }, calls);
}

function removeOld(path: string, calls: Pick<FileCalls, 'unlinkSync'> = { unlinkSync }): void {
  try {
    calls.unlinkSync(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw fileOutputError(path, 'cannot be removed', error);
  }
}
