// The decoding of a whole input: what is handed out before an error, and what the error says.

import { GzipDecoder } from './gzip.ts';
import { CodedFile, type CodedInput, Damage, type Sink } from './decoder.ts';
import { BrokenZstd, decodeZstd, NoZstd } from './zstd.ts';
import { LargeWindow } from './zstd-frames.ts';
import { InputError } from '../error.ts';
import type { LeftOut } from './source.ts';

export interface DecodeTask {
  readonly container: 'gzip' | 'zstd' | 'parquet';
  readonly path: string;
  /** Of a regular file; null: the output gives the coded bytes. */
  readonly descriptor: number | null;
  readonly verify: boolean;
  /** Of a Parquet file. */
  readonly columns: readonly string[];
}

/** Where decoded bytes go to. */
export interface Decoded {
  write(bytes: Uint8Array): void;
  /** Columns of a table that are not among what is written; told before anything is. */
  leaveOut(columns: LeftOut): void;
  /** Throws when nobody wants the rest. */
  check(): void;
  /** Coded bytes, when there is no descriptor; null at the end. */
  ask(): Uint8Array | null;
}

const RESTORE = 'restore it from its source';

/** How far a pass over the input came. */
interface Pass {
  /** Decoded bytes that were given. */
  given: number;
  /** Coded bytes and decoded bytes whose checksums are right; decoded ones null when that is not known. */
  wholeCoded: number;
  whole: number | null;
  /** Ends of zstd frames that have checksums, up to the first one that has none. */
  ends: number[];
  damage: Damage | null;
}

/** Decodes up to byte `to`. Damage is answered, not thrown. */
async function pass(task: DecodeTask, output: Decoded, sink: Sink, to = Infinity): Promise<Pass> {
  const { descriptor } = task;
  const result: Pass = { given: 0, wholeCoded: 0, whole: null, ends: [], damage: null };
  const count: Sink = (bytes) => {
    result.given += bytes.length;
    sink(bytes);
  };
  const input: CodedInput = descriptor === null
    ? { next: () => output.ask() }
    : new CodedFile(descriptor, task.path, to, () => output.check());
  const gzip = task.container === 'gzip' ? new GzipDecoder(input, count) : null;
  let isChecked = true;
  try {
    if (gzip !== null) await gzip.run();
    else {
      await decodeZstd(input, count, (frame) => {
        isChecked &&= frame.isChecked;
        if (isChecked) result.ends.push(frame.to);
      });
    }
  } catch (error) {
    if (!(error instanceof Damage)) throw error;
    result.damage = error;
  }
  if (gzip !== null) [result.wholeCoded, result.whole] = [gzip.wholeCoded, gzip.whole];
  return result;
}

/** Where the coded bytes end that are whole. */
async function findWhole(task: DecodeTask, output: Decoded, { wholeCoded, ends }: Pass): Promise<number> {
  if (task.container === 'gzip') return wholeCoded;
  // The program does not tell in which frame it stopped: the first so many frames can be decoded, one more cannot.
  const known = [0, ...ends];
  let [good, bad] = [0, known.length];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    const { damage } = await pass(task, output, () => output.check(), known[middle]!);
    if (damage === null) good = middle;
    else bad = middle;
  }
  return known[good]!;
}

/** Decodes gzip or zstd. Throws an InputError. */
export async function decode(task: DecodeTask, output: Decoded): Promise<void> {
  try {
    await decodeAll(task, output);
  } catch (error) {
    throw explain(task.path, error);
  }
}

async function decodeAll(task: DecodeTask, output: Decoded): Promise<void> {
  const give: Sink = (bytes) => output.write(bytes);
  if (!task.verify || task.descriptor === null) {
    const { damage, whole } = await pass(task, output, give);
    if (damage !== null) throw damaged(task.path, damage, whole);
    return;
  }
  const first = await pass(task, output, () => output.check());
  const { damage } = first;
  const to = damage === null ? Infinity : await findWhole(task, output, first);
  const second = to === 0 ? { given: 0, damage: null } : await pass(task, output, give, to);
  if (damage !== null) throw damaged(task.path, damage, second.given);
  if (second.damage !== null || second.given !== first.given) {
    throw new InputError(task.path, 'was changed while it was read', 'try again');
  }
}

function damaged(path: string, damage: Damage, whole: number | null): InputError {
  const before = whole === null ? '' : `; ${whole} decompressed bytes before it are whole`;
  if (damage instanceof LargeWindow) {
    const remedy = 'decompress it first: `zstd -d --long=31`';
    return new InputError(path, `needs more than 128 MiB of memory to be decompressed${before}`, remedy);
  }
  return new InputError(path, `is damaged: ${damage.message}${before}`, RESTORE);
}

/** An error as an InputError where the input, or what decodes it, is the reason. */
function explain(path: string, error: unknown): unknown {
  if (error instanceof NoZstd) {
    return new InputError(path, 'is compressed with zstd', 'install the `zstd` program, or use Node 22.15 or newer');
  }
  if (error instanceof BrokenZstd) {
    return new InputError(path, 'the `zstd` program could not decompress it', 'try again');
  }
  return error;
}
