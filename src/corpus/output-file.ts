// A file that is never half-written: it grows under a temporary name beside its place, and takes the place when it is
// whole and on the disk.

import {
  closeSync, fsyncSync, lstatSync, openSync, realpathSync, renameSync, unlinkSync, writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { attempt, systemCode, systemReason } from './error.ts';
import { addOpenFile, removeOpenFile } from './open-files.ts';
import { temporaryName } from './output-temporary.ts';
import { nap } from './input/source.ts';

export { removeStale } from './output-temporary.ts';

/** What is asked of the file system; tests put faults in between. */
export interface FileCalls {
  openSync(path: string, flags: string, mode?: number): number;
  /** The number of bytes that were taken. */
  writeSync(fd: number, bytes: Uint8Array, offset: number, length: number): number;
  fsyncSync(fd: number): void;
  closeSync(fd: number): void;
  renameSync(from: string, to: string): void;
  unlinkSync(path: string): void;
  lstatSync(path: string): { mode: number; isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean };
  realpathSync(path: string): string;
}

const NODE: FileCalls = {
  openSync, writeSync, fsyncSync, closeSync, renameSync, unlinkSync, lstatSync, realpathSync,
};

/** What goes wrong with a file that is written: which one, why, and what to do. */
export class FileOutputError extends Error {
  override readonly name = 'FileOutputError';
  readonly path: string;
  readonly reason: string;
  readonly remedy: string;
  /** The system's name of the error, ENOSPC for example; undefined when the system reported none. */
  readonly code: string | undefined;

  constructor(path: string, reason: string, remedy: string, cause?: unknown) {
    super(`${path}: ${reason}; ${remedy}`, { cause });
    this.path = path;
    this.reason = reason;
    this.remedy = remedy;
    this.code = systemCode(cause);
  }
}

const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: 'make room, or choose another place',
  EDQUOT: 'make room, or choose another place',
  EFBIG: 'choose a place that takes larger files',
  EACCES: 'get the right to write there, or choose another place',
  EPERM: 'get the right to write there, or choose another place',
  ENOENT: 'make the folder first',
  ENOTDIR: 'choose another place: a part of the path is no folder',
  ENAMETOOLONG: 'choose a shorter name',
  EIO: 'see to the disk, or choose another place',
  EMFILE: 'allow more open files',
  ENFILE: 'allow more open files',
};

/** The error to throw for what the system threw. `failed`: `cannot be written` for example. */
export function fileOutputError(path: string, failed: string, error: unknown): FileOutputError {
  const reason = systemReason(error);
  const remedy = REMEDIES[systemCode(error)!] ?? 'choose another place';
  return new FileOutputError(path, `${failed}: ${reason}`, remedy, error);
}

/** Answers of systems and file systems that do not write folders to the disk by themselves. */
const NO_FOLDER_SYNC = ['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EPERM', 'EACCES', 'EISDIR', 'EBADF'];
/** Small pieces are gathered. */
const GATHERED = 256 * 1024;
/** The system refuses to write 2^31 bytes and more at once. */
const MOST_AT_ONCE = 2 ** 30;
/** Temporary names that are tried: left-overs of a process with the same number may be in the way. */
const MOST_NAMES = 100;

export class OutputFile {
  /** The path as it was given. */
  readonly path: string;
  readonly #calls: FileCalls;
  /** Where the file will be: `path`, or what the link at `path` leads to. */
  readonly #place: string;
  readonly #temporary: string;
  /** Negative: closed. */
  #fd: number;
  #ended = false;
  #size = 0;
  readonly #gathered = new Uint8Array(GATHERED);
  #waiting = 0;

  /** Begins a file. What is at `path` stays until `commit`. Throws a FileOutputError. */
  static create(path: string, calls: FileCalls = NODE): OutputFile {
    const { place, mode } = placeOf(path, calls);
    for (let number = 1; ; number++) {
      const temporary = join(dirname(place), temporaryName(basename(place), number));
      try {
        return new OutputFile(path, calls, place, temporary, mode);
      } catch (error) {
        if (systemCode(error) === 'EEXIST' && number < MOST_NAMES) continue;
        throw fileOutputError(path, 'cannot be written', error);
      }
    }
  }

  private constructor(path: string, calls: FileCalls, place: string, temporary: string, mode: number) {
    this.path = path;
    this.#calls = calls;
    this.#place = place;
    this.#temporary = temporary;
    // Signals are caught before there is a file.
    addOpenFile(this);
    try {
      // Never through a link, never over a file.
      this.#fd = again(() => calls.openSync(temporary, 'wx', mode));
    } catch (error) {
      this.#ended = true;
      removeOpenFile(this);
      throw error;
    }
  }

  /** Bytes that were given so far. */
  get size(): number {
    return this.#size;
  }

  /** Takes bytes, or text as UTF-8. Throws a FileOutputError; then the file is discarded. */
  write(data: Uint8Array | string): void {
    this.#demandOpen();
    const bytes = typeof data === 'string' ? Buffer.from(data, 'utf8') : data;
    this.#size += bytes.length;
    if (this.#waiting + bytes.length > GATHERED) this.#attempt(() => this.#flush());
    if (bytes.length >= GATHERED) {
      this.#attempt(() => this.#writeAll(bytes));
    } else {
      this.#gathered.set(bytes, this.#waiting);
      this.#waiting += bytes.length;
    }
  }

  /** Puts the whole file in its place. Throws a FileOutputError. */
  commit(): void {
    this.#demandOpen();
    this.#attempt(() => {
      this.#flush();
      again(() => this.#calls.fsyncSync(this.#fd));
      this.#close();
      again(() => this.#calls.renameSync(this.#temporary, this.#place));
    });
    this.#ended = true;
    removeOpenFile(this);
    this.#syncFolder();
  }

  /** Gives the file up, as far as the system allows; what was at `path` stays. Nothing after a `commit`. */
  discard(): void {
    if (this.#ended) return;
    this.#ended = true;
    removeOpenFile(this);
    for (const step of [() => this.#close(), () => this.#calls.unlinkSync(this.#temporary)]) {
      // Where one fails there is nothing better to do, and what led here is told anyway.
      attempt(step, undefined);
    }
  }

  #demandOpen(): void {
    if (this.#ended) throw new Error(`${this.path} was committed or discarded`);
  }

  #attempt(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.discard();
      throw error instanceof FileOutputError ? error : fileOutputError(this.path, 'cannot be written', error);
    }
  }

  #flush(): void {
    const waiting = this.#gathered.subarray(0, this.#waiting);
    this.#waiting = 0;
    this.#writeAll(waiting);
  }

  #writeAll(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) {
      const length = Math.min(bytes.length - done, MOST_AT_ONCE);
      const taken = again(() => this.#calls.writeSync(this.#fd, bytes, done, length));
      if (taken <= 0) {
        const reason = 'cannot be written: the system takes no more bytes';
        throw new FileOutputError(this.path, reason, 'choose another place');
      }
      done += taken;
    }
  }

  #close(): void {
    if (this.#fd < 0) return;
    const fd = this.#fd;
    // Whatever the answer is, the number is free and may soon be that of another file.
    this.#fd = -1;
    try {
      this.#calls.closeSync(fd);
    } catch (error) {
      if (systemCode(error) !== 'EINTR') throw error;
    }
  }

  /** Writes the new name to the disk. */
  #syncFolder(): void {
    let fd = -1;
    try {
      fd = again(() => this.#calls.openSync(dirname(this.#place), 'r'));
      again(() => this.#calls.fsyncSync(fd));
    } catch (error) {
      if (!NO_FOLDER_SYNC.includes(systemCode(error) ?? '')) {
        throw fileOutputError(this.path, 'is whole, but its folder cannot be written to the disk', error);
      }
    } finally {
      // It was only read: nothing can be lost.
      if (fd >= 0) attempt(() => this.#calls.closeSync(fd), undefined);
    }
  }
}

/** Where a file goes, and with which rights: never more than those of the file that it replaces. */
function placeOf(path: string, calls: FileCalls): { place: string; mode: number } {
  try {
    const there = again(() => calls.lstatSync(path));
    const place = there.isSymbolicLink() ? again(() => calls.realpathSync(path)) : path;
    const file = place === path ? there : again(() => calls.lstatSync(place));
    if (file.isFile()) return { place, mode: file.mode & 0o777 };
    const reason = file.isDirectory() ? 'is a folder' : 'is not a regular file';
    throw new FileOutputError(path, `cannot be written: ${reason}`, 'give the name of a file');
  } catch (error) {
    if (error instanceof FileOutputError) throw error;
    // A link to nothing gives ENOENT too, and is replaced.
    if (systemCode(error) === 'ENOENT') return { place: path, mode: 0o666 };
    throw fileOutputError(path, 'cannot be written', error);
  }
}

/** The answer of a call that signals interrupt, or that is to be asked again later. */
function again<T>(call: () => T): T {
  while (true) {
    try {
      return call();
    } catch (error) {
      const code = systemCode(error);
      if (code === 'EAGAIN') nap();
      else if (code !== 'EINTR') throw error;
    }
  }
}
