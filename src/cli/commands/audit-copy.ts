// The copies that `audit --fix` writes: where each one goes.

import { mkdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { attempt, InputError, systemReason } from '../../corpus/error.ts';
import { existsAt, stampOf, stampOfOpen } from '../../corpus/input/stamp.ts';
import { STANDARD_INPUT } from '../../corpus/input/paths.ts';

export interface TargetOptions {
  readonly output?: string;
  readonly outputDir?: string;
  readonly inPlace?: true;
}

/** Finds the place of each copy; no two have the same one. */
export class Targets {
  readonly #options: TargetOptions;
  readonly #paths: readonly string[];
  readonly #stdin: number;
  readonly #taken = new Set<string>();

  /** `paths`: the arguments, of which some are folders; `stdin`: the descriptor of standard input. */
  constructor(options: TargetOptions, paths: readonly string[], stdin: number) {
    this.#options = options;
    this.#paths = paths;
    this.#stdin = stdin;
  }

  /** The path of the copy of an input. Throws an InputError. */
  of(path: string): string {
    const { output, outputDir, inPlace } = this.#options;
    const target = inPlace ? this.#itself(path) : output ?? this.#within(outputDir!, path);
    const place = placeOf(target);
    if (this.#taken.has(place)) {
      const isOne = output !== undefined;
      const reason = isOne ? '--output is for one input' : 'its copy would take the place of another copy';
      const remedy = isOne ? 'use --output-dir' : 'name the folder that holds both';
      throw new InputError(path, reason, `${remedy}, or call audit once for each`);
    }
    this.#taken.add(place);
    const isItself = path === STANDARD_INPUT ? this.#isStandardInput(target) : place === placeOf(path);
    if (!inPlace && isItself) {
      const other = path === STANDARD_INPUT ? '' : 'say --in-place, or ';
      throw new InputError(path, 'its copy would take its place', `${other}name another place`);
    }
    return target;
  }

  #isStandardInput(target: string): boolean {
    const open = stampOfOpen(this.#stdin);
    return open !== null && open.file === stampOf(target)?.file;
  }

  #itself(path: string): string {
    // A name that is not UTF-8 is told with escapes, and is no path then.
    if (path !== STANDARD_INPUT && existsAt(path)) return path;
    throw new InputError(path, 'has no place that a copy could take', 'use --output');
  }

  #within(folder: string, path: string): string {
    if (path === STANDARD_INPUT) throw new InputError(path, 'has no name that a copy could have', 'use --output');
    const root = this.#paths.find((it) => path.startsWith(it.endsWith('/') ? it : `${it}/`));
    const name = root === undefined ? basename(path) : path.slice(root.length).replace(/^\/+/, '');
    const target = join(folder, name);
    try {
      mkdirSync(dirname(target), { recursive: true });
    } catch (error) {
      throw new InputError(target, `cannot be written: ${systemReason(error)}`, 'choose another folder', error);
    }
    return target;
  }
}

/** The same for two paths of one file. */
const placeOf = (path: string): string => attempt(() => realpathSync(path), null) ?? resolve(path);
