// What a file is and how it stands: whether two names mean one file, and whether a file was changed while it was read.

import { type BigIntStats, fstatSync, lstatSync, statSync } from 'node:fs';
import { attempt } from '../error.ts';
import type { InputRef, Path } from './paths.ts';

/** Tells a file from others, and from itself when it was changed. */
export interface FileStamp {
  /** Device and number of the file. */
  readonly file: string;
  /** Size and time of the last change. */
  readonly content: string;
}

/** Null: there is no such file, or it cannot be looked at. */
export function stampOf(path: Path): FileStamp | null {
  return stampIn(attempt(() => statSync(path, { throwIfNoEntry: false, bigint: true }), undefined));
}

/** The same of what is open. */
export function stampOfOpen(fd: number): FileStamp | null {
  return stampIn(attempt(() => fstatSync(fd, { bigint: true }), undefined));
}

function stampIn(status: BigIntStats | undefined): FileStamp | null {
  return status?.isFile()
    ? { file: `${status.dev} ${status.ino}`, content: `${status.size} ${status.mtimeNs}` }
    : null;
}

/** Whether something has this name, a link that leads nowhere included; what cannot be looked at is not there. */
export function existsAt(path: string): boolean {
  return attempt(() => lstatSync(path), null) !== null;
}

/** The state of an input that is a regular file with a name. */
export function stampOfInput(ref: InputRef): FileStamp | null {
  if (ref.kind !== 'file') return null;
  return stampOf(typeof ref.path === 'string' ? ref.path : Buffer.from(ref.path));
}
