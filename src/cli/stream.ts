// What surrounds the commands, the standard streams above all; and the real streams: written in order, every byte
// checked.

import { writeSync } from 'node:fs';
import { nap } from '../corpus/input/source.ts';
import type { Jobs } from '../corpus/jobs/pool.ts';
import type { Signals } from './signals.ts';

/** Where text goes. */
export interface TextStream {
  readonly isTTY: boolean;
  /**
   * Writes all of it before it returns. Throws a ClosedPipe when nobody reads any more, an OutputError when it fails.
   */
  write(text: string): void;
  /** The same with bytes, for streams that take any. */
  writeBytes?(bytes: Uint8Array): void;
}

/** What the command line is given besides its arguments. */
export interface Host {
  /** A file descriptor. */
  readonly stdin: { readonly fd: number; readonly isTTY: boolean };
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  readonly env: NodeJS.ProcessEnv;
  /** The version of the package. */
  readonly version: string;
  /** Threads that are there already, and stay; a command starts its own when left out. */
  readonly jobs?: Jobs;
  /** Of the process; left out: they do what they always do. */
  readonly signals?: Signals;
}

/** Nobody reads the output any more: no error, the work is done. */
export class ClosedPipe extends Error {
  override readonly name = 'ClosedPipe';
}

/** The output cannot be written, the disk is full for example. The message is the system's name of the error. */
export class OutputError extends Error {
  override readonly name = 'OutputError';
}

/**
 * A stream over a file descriptor. Writing waits until everything is taken: a slow reader slows the work down, a
 * short write goes on, and the process may end at any time without losing what was written.
 */
export class DescriptorStream implements TextStream {
  readonly isTTY: boolean;
  readonly #fd: number;

  constructor(fd: number, isTTY: boolean) {
    this.#fd = fd;
    this.isTTY = isTTY;
  }

  write(text: string): void {
    this.writeBytes(Buffer.from(text, 'utf8'));
  }

  writeBytes(bytes: Uint8Array): void {
    let rest = bytes;
    while (rest.length > 0) {
      try {
        rest = rest.subarray(writeSync(this.#fd, rest));
      } catch (error) {
        const { code } = error as { code?: string };
        if (code === 'EAGAIN') nap();
        else if (code === 'EPIPE' || code === 'EOF') throw new ClosedPipe();
        else if (code !== 'EINTR') throw new OutputError(code ?? 'unknown', { cause: error });
      }
    }
  }
}
