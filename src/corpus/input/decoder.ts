// What decoders read from, write to, and complain with.

import { readSync } from 'node:fs';
import { Cancelled } from './ring.ts';
import { InputError, systemCode, systemReason } from '../error.ts';

/** Coded bytes read at once. */
const CHUNK = 2 ** 18;

/** Takes decoded bytes; they may change after the call. */
export type Sink = (bytes: Uint8Array) => void;

/** The bytes of an input are not what their format and checksums promise. Says what and where, never what they hold. */
export class Damage extends Error {}

/** Coded bytes, in order. */
export interface CodedInput {
  /** The next bytes, at least one, which stay as they are; null at the end. */
  next(): Uint8Array | null;
}

/** Part of a regular file, read through a descriptor that the reading thread opened. */
export class CodedFile implements CodedInput {
  readonly #fd: number;
  readonly #path: string;
  readonly #to: number;
  readonly #check: () => void;
  #at = 0;

  /** Up to byte `to`. `check` is called before every reading, and throws when nobody wants the rest. */
  constructor(fd: number, path: string, to: number, check: () => void) {
    this.#fd = fd;
    this.#path = path;
    this.#to = to;
    this.#check = check;
  }

  next(): Uint8Array | null {
    this.#check();
    const into = Buffer.allocUnsafeSlow(Math.max(0, Math.min(CHUNK, this.#to - this.#at)));
    const length = into.length > 0 ? readAt(this.#fd, into, this.#at, this.#path) : 0;
    this.#at += length;
    return length > 0 ? into.subarray(0, length) : null;
  }
}

/** Reads at a position; fewer bytes than asked for are possible, 0 at the end. Throws an InputError. */
export function readAt(fd: number, into: Uint8Array, at: number, path: string): number {
  while (true) {
    try {
      return readSync(fd, into, 0, into.length, at);
    } catch (error) {
      if (systemCode(error) === 'EINTR') continue;
      throw new InputError(path, `cannot be read at byte ${at}: ${systemReason(error)}`, '', error);
    }
  }
}

/** The report of an error for the reading thread. */
export function reportOf(error: unknown): string {
  if (error instanceof Cancelled) return JSON.stringify({ reason: 'was closed while it was read', remedy: '' });
  if (error instanceof InputError) {
    const { reason, remedy, cause } = error;
    const { code, errno } = (cause ?? {}) as { code?: string; errno?: number };
    return JSON.stringify({ reason, remedy, code, errno });
  }
  return JSON.stringify({ bug: error instanceof Error ? String(error.stack).slice(0, 4000) : typeof error });
}

/** The error that a report tells. */
export function errorOf(path: string, report: string): Error {
  const { reason, remedy, code, errno, bug } = JSON.parse(report) as Record<string, string | undefined>;
  if (reason === undefined) return new Error(`the decoder failed: ${bug}`);
  return new InputError(path, reason, remedy, code === undefined ? undefined : { code, errno });
}
