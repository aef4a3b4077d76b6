// The folder that a run writes to.

import { existsSync, mkdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { attempt, InputError } from '../error.ts';
import { fileOutputError } from '../output-file.ts';

/** Makes the folder of a run. Throws a FileOutputError; an InputError when it lies in a folder that is read. */
export function makeFolder(folder: string, paths: readonly string[]): void {
  const place = realPlace(folder);
  for (const path of paths) {
    if (!statusOf(path)?.isDirectory()) continue;
    const read = realpathSync(path);
    if (place !== read && !place.startsWith(read.endsWith(sep) ? read : `${read}${sep}`)) continue;
    throw new InputError(
      folder, `lies in ${path}, which is read: outputs would become inputs`, 'choose a folder outside of it',
    );
  }
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw fileOutputError(folder, 'cannot be made', error);
  }
}

/** Where a path leads that need not exist yet. */
export function realPlace(path: string): string {
  const whole = resolve(path);
  if (existsSync(whole)) return realpathSync(whole);
  const above = dirname(whole);
  return above === whole ? whole : join(realPlace(above), basename(whole));
}

/** Bytes of a regular file; -1: there is none that can be looked at. */
export function sizeOf(path: string): number {
  const status = statusOf(path);
  return status?.isFile() ? status.size : -1;
}

const statusOf = (path: string): Stats | null => attempt(() => statSync(path), null);
