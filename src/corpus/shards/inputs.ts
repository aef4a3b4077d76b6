// The inputs of a run in their one order, and the names of what is made of them. Every process of a run, on whichever
// host, finds the same ones.

import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { InputError, systemReason } from '../error.ts';
import { findInputs, type Input, STANDARD_INPUT } from '../input/paths.ts';

/** One input of a run. */
export interface ShardInput {
  readonly path: string;
  /** In the order of the paths' bytes, from 0. */
  readonly position: number;
  /** Begins the names of what is made of it: readable, different for every path, and never outside a folder. */
  readonly name: string;
  /** How it is opened, or why it cannot be one. */
  readonly input: Input | InputError;
}

export interface ShardInputs {
  readonly inputs: readonly ShardInput[];
  /** SHA-256 of all paths: the same list gives the same digest. */
  readonly digest: string;
}

/** Characters of a path that a name shows. */
const SHOWN = 80;
const DIGITS = 24;

/** All inputs that arguments mean. Throws an InputError when they are no list for a run. */
export function shardInputs(paths: readonly string[]): ShardInputs {
  const found: { path: string; input: Input | InputError; bytes: Buffer }[] = [];
  for (const path of paths) {
    if (path === STANDARD_INPUT) {
      throw new InputError(path, 'standard input cannot be read a second time', 'name files or folders');
    }
    for (const input of findInputs([path], -1)) {
      found.push({ path: input.path, input, bytes: Buffer.from(input.path, 'utf8') });
    }
  }
  found.sort((a, b) => Buffer.compare(a.bytes, b.bytes));
  const digest = listDigest(found.map(({ path }) => path));
  const inputs = found.map(({ path, input }, position) => ({ path, position, input, name: nameOf(path) }));
  for (const [position, { path }] of inputs.entries()) {
    if (inputs[position - 1]?.path === path) throw new InputError(path, 'comes twice among the inputs', 'name it once');
  }
  return { inputs, digest };
}

export function listDigest(paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of paths) hash.update(`${JSON.stringify(path)}\n`);
  return hash.digest('hex');
}

/** `chats_a.jsonl-0123456789abcdef01234567` for `chats/a.jsonl`. */
export function nameOf(path: string): string {
  const shown = path.replace(/[^A-Za-z0-9._-]/g, '_').replace(/^[._-]+/, '').slice(-SHOWN).replace(/^[._-]+/, '');
  const hash = createHash('sha256').update(path).digest('hex').slice(0, DIGITS);
  return shown === '' ? hash : `${shown}-${hash}`;
}

/** What tells that a file is still the one that was read. */
export interface FileState {
  readonly size: number;
  readonly mtime_ms: number;
}

/** The state of an input, which must be a regular file. Throws an InputError. */
export function fileState({ path, ref }: Input): FileState {
  const at = ref.kind === 'file' ? (typeof ref.path === 'string' ? ref.path : Buffer.from(ref.path)) : '';
  try {
    const status = statSync(at, { bigint: true });
    if (!status.isFile()) {
      throw new InputError(path, 'is not a regular file, and could not be read a second time', 'store it in a file');
    }
    return { size: Number(status.size), mtime_ms: Number(status.mtimeNs / 1000n) / 1000 };
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(path, systemReason(error), '', error);
  }
}
