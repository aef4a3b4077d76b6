// A share of a corpus into a folder, input by input. Whatever stops it, what stands there is whole: an output is
// renamed to its place, and its sidecar after it; the next run does what has no sidecar that fits.

import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { InputError, systemCode } from '../error.ts';
import type { Input } from '../input/paths.ts';
import type { Event } from '../jobs/flow.ts';
import { type JobResult, type JudgeWork, type RunCounts, type RunEmit, SECTION, type Work } from '../jobs/job.ts';
import { type FileCalls, fileOutputError } from '../output-file.ts';
import type { FileOptions } from '../records/unit.ts';
import { Statistics } from '../report/statistics.ts';
import { MESSAGE_TABLE } from '../tables/message-schema.ts';
import { VERDICT_TABLE } from '../tables/verdict-columns.ts';
import type { TableFormat } from '../tables/writer.ts';
import { sizeOf } from './folder.ts';
import { fileState, type FileState, type ShardInput, type ShardInputs } from './inputs.ts';
import { ShardOutput } from './output.ts';
import type { Share } from './share.ts';
import {
  canonicalJson, INPUTS_NAME, INPUTS_SCHEMA, readInputs, readSidecar, RUN_COUNTS, RUN_SCHEMA, sha256, type Sidecar,
  SIDECAR_ENDING, writeJson,
} from './sidecar.ts';

/** Lines of JSON, or a table. */
export type RunFormat = 'ndjson' | TableFormat;

export interface ShardRunSettings {
  readonly folder: string;
  readonly share: Share;
  readonly emit: RunEmit;
  readonly format: RunFormat;
  readonly unit: FileOptions;
  /** How verdicts are given. */
  readonly judging: JudgeWork;
  readonly version: string;
  /** What comes out of inputs, in their order; tells those that cannot be read. */
  readonly events: (inputs: Iterable<Input | InputError>, work: Work) => AsyncIterable<RunEvent>;
  /** Is told of an input that cannot be read. */
  readonly onFailure: (error: InputError) => void;
  /** For tests: faults of the file system. */
  readonly calls?: FileCalls;
}

/** Of an input nothing more comes behind its end, or an error. */
export type RunEvent = Exclude<Event, { kind: 'error' }> | { readonly kind: 'broken' };

export interface ShardRunResult {
  /** Inputs of the share, those that were read now, and those that were done before. */
  readonly inputs: number;
  readonly written: number;
  readonly skipped: number;
}

/** An input that is to be read, and what its sidecar says before. */
interface Todo {
  readonly input: Input;
  readonly name: string;
  readonly known: Pick<Sidecar, 'version' | 'list' | 'position' | 'input' | 'options'>;
}

type Made = Pick<Sidecar, 'output' | 'counts' | 'statistics'>;

/** Does what is left to do. Throws a FileOutputError when nothing can be written. */
export async function runShare(inputs: ShardInputs, settings: ShardRunSettings): Promise<ShardRunResult> {
  const { folder, share, calls } = settings;
  writeList(folder, inputs.digest, inputs.inputs, calls);
  const mine = inputs.inputs.filter(({ position }) => position % share.count === share.index);
  let [written, skipped] = [0, 0];
  const todo = function* (): Generator<Todo, void, void> {
    for (const input of mine) {
      try {
        const next = todoOf(input, inputs, settings);
        if (next === null) skipped++;
        else yield next;
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        settings.onFailure(error);
      }
    }
  };
  const done = ({ name, known }: Todo, made: Made): void => {
    const sidecar: Sidecar = { schema: RUN_SCHEMA, ...known, ...made };
    writeJson(join(folder, `${name}${SIDECAR_ENDING}`), sidecar, calls);
    written++;
  };
  await write(todo(), done, settings);
  return { inputs: mine.length, written, skipped };
}

/** What is left to do for an input; null: it is done. Throws an InputError. */
function todoOf(
  { input, path, position, name: base }: ShardInput, { inputs, digest }: ShardInputs,
  { folder, emit, format, unit, judging, version, calls }: ShardRunSettings,
): Todo | null {
  if (input instanceof InputError) throw input;
  const { tools, ...further } = judging;
  const decides = { emit, format, unit, further: { ...further, tools: sha256(canonicalJson(tools)) } };
  const options = { emit, format, sha256: sha256(canonicalJson(decides)) };
  const list = { inputs: inputs.length, sha256: digest };
  const name = `${base}.${emit}.${format}`;
  const known = { version, list, position, input: { path, ...fileState(input) }, options };
  const sidecar = join(folder, `${name}${SIDECAR_ENDING}`);
  const before = readSidecar(folder, name);
  if (before !== null && fits(before, known) && sizeOf(join(folder, name)) === before.output.bytes) {
    // The same output in another list of inputs.
    if (!isSame(before.list, list) || before.position !== position) {
      writeJson(sidecar, { ...before, list, position }, calls);
    }
    return null;
  }
  removeOld(sidecar, calls);
  return { input, name, known };
}

/** Writes what comes of inputs, which are read on threads where that pays. */
async function write(
  todo: Iterable<Todo>, done: (todo: Todo, made: Made) => void,
  { folder, emit, format, judging, events, calls, onFailure }: ShardRunSettings,
): Promise<void> {
  const form = format === 'ndjson' ? 'lines' : { format, section: SECTION };
  const table = format === 'ndjson' ? null : { format, schema: emit === 'verdict' ? VERDICT_TABLE : MESSAGE_TABLE };
  // Inputs are asked for before those in front of them are done.
  const asked: Todo[] = [];
  const inputs = function* (): Generator<Input, void, void> {
    for (const next of todo) {
      asked.push(next);
      yield next.input;
    }
  };
  let at: { readonly todo: Todo; readonly output: ShardOutput; readonly sums: ShardSums } | null = null;
  try {
    for await (const event of events(inputs(), { kind: 'run', emit, form, ...judging })) {
      if (event.kind === 'begin') {
        while (asked[0]!.input.path !== event.input.path) asked.shift();
        const next = asked.shift()!;
        const output = await ShardOutput.open(join(folder, next.name), table, calls);
        at = { todo: next, output, sums: new ShardSums() };
      } else if (event.kind === 'piece') at!.output.take(event.piece);
      else if (event.kind === 'part') at!.sums.add(event.result);
      else if (event.kind === 'broken') {
        at?.output.discard();
        at = null;
      } else {
        const { todo: { input, name, known }, output, sums } = at!;
        at = null;
        try {
          refuseChanged(input, known.input);
          done({ input, name, known }, { output: { name, ...output.commit() }, ...sums.made() });
        } catch (error) {
          if (!(error instanceof InputError)) throw error;
          onFailure(error);
        } finally {
          output.discard();
        }
      }
    }
  } finally {
    at?.output.discard();
  }
}

/** What the parts of an input add up to. */
class ShardSums {
  readonly #counts: RunCounts = { records: 0, ok: 0, bad: 0, messages: 0, calls: 0 };
  readonly #statistics = new Statistics();
  #bytes = 0;

  add({ run, statistics, bytes }: JobResult): void {
    for (const name of RUN_COUNTS) this.#counts[name] += run![name];
    this.#statistics.merge(statistics);
    this.#bytes += bytes;
  }

  made(): Pick<Made, 'counts' | 'statistics'> {
    this.#statistics.file(this.#bytes);
    return { counts: this.#counts, statistics: this.#statistics.toJSON() };
  }
}

function refuseChanged(input: Input, { size, mtime_ms }: FileState): void {
  if (isSame(fileState(input), { size, mtime_ms })) return;
  throw new InputError(input.path, 'was changed while it was read', 'try again when it is complete');
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
