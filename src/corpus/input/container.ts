// What an input is packed in, told from its first bytes, never from its name; and the input as if it were not packed.

import { COLUMNS } from './columns.ts';
import { DecodeThread } from './decode-thread.ts';
import { errorOf } from './decoder.ts';
import type { DecodeTask } from './pass.ts';
import { DeadDecoder, RingReader } from './ring.ts';
import { InputError } from '../error.ts';
import { FileSource, type InputSource, type LeftOut, type Once, type ReadOn, StreamSource } from './source.ts';
import { workerFile } from '../worker-file.ts';

export type Container = 'plain' | 'gzip' | 'zstd' | 'parquet';

/** Bytes that `containerOf` looks at. */
const LOOK = 4;
/** Deno's threads know the descriptors of none but themselves: a decoder is fed with the bytes, as of a pipe. */
const SHARES_DESCRIPTORS = !('deno' in process.versions);

const ONCE: Once = { reason: 'a compressed input is read once', remedy: 'decompress it into a file first' };

/** What an input that begins with these bytes is packed in. At least four bytes tell, if there are as many. */
export function containerOf(first: Uint8Array): Container {
  const [a, b, c, d] = first;
  if (a === 0x1f && b === 0x8b && c === 8) return 'gzip';
  if (a === 0x28 && b === 0xb5 && c === 0x2f && d === 0xfd) return 'zstd';
  // A frame to be skipped, as the zstd formats for seeking and for many threads put first.
  if ((a! & 0xf0) === 0x50 && b === 0x2a && c === 0x4d && d === 0x18) return 'zstd';
  return isText(first, 'PAR1') ? 'parquet' : 'plain';
}

export interface DecodeOptions {
  /**
   * A damaged file gives the bytes whose checksums are right, then the error: it is decoded twice. Without it, for what
   * is no regular file (a pipe can be read once only), and under Deno, bytes are given as they are decoded, and the
   * error comes when it is noticed. A Parquet file gives whole row groups in both cases.
   *
   * Of zstd frames that were written without a checksum nothing is known to be right before the whole file is decoded.
   */
  readonly verify: boolean;
  /** Columns of a Parquet file that are read, where they exist; COLUMNS when left out. */
  readonly columns?: readonly string[] | undefined;
}

/**
 * The decompressed input (of a Parquet file: JSON lines, see tables/parquet-read.ts); the same input when it is plain.
 * It is decoded by a thread of its own, a MiB ahead, and read once, in order. `close` ends the thread and closes
 * `input`. Throws an InputError; `input` is then still open.
 */
export function decodeInput(input: InputSource, options: DecodeOptions): InputSource {
  const first = input.bytes(0, LOOK);
  const container = containerOf(first);
  const { path } = input;
  if (isText(first, 'PARE') && isText(lastBytes(input), 'PARE')) {
    throw new InputError(path, 'is an encrypted Parquet file', 'decrypt it first');
  }
  if (container === 'plain') return input;
  if (container === 'parquet' && !(input instanceof FileSource)) {
    const remedy = 'name the file itself instead of sending it through a pipe';
    throw new InputError(path, 'is a Parquet file, which is read from its end', remedy);
  }
  if (container === 'parquet' && !SHARES_DESCRIPTORS) {
    throw new InputError(path, 'is a Parquet file, which cannot be read under Deno', 'use Node or Bun');
  }
  const { verify, columns = COLUMNS } = options;
  const descriptor = SHARES_DESCRIPTORS && input instanceof FileSource ? input.descriptor : null;
  const script = workerFile('corpus-input-decode-worker.js');
  return decodeWith(script, input, { container, path, descriptor, verify, columns });
}

/** What the script of a decoding thread makes of an input. */
export function decodeWith(script: URL, input: InputSource, task: DecodeTask): InputSource {
  const thread = DecodeThread.begin(script, task);
  let fed = 0;
  const ring = new RingReader(thread.memory, () => thread.isAlive, (into) => {
    const length = input.read(fed, into);
    fed += length;
    input.release(fed);
    return length;
  });
  const { path } = task;
  let isOpen = true;
  let decoded = 0;
  const readOn = (into: Uint8Array): number => {
    if (!isOpen) throw new InputError(path, 'was closed');
    const read = attempt(path, () => ring.read(into));
    if (typeof read === 'number') {
      decoded += read;
      return read;
    }
    if (read === '') return 0;
    throw errorOf(path, read);
  };
  const close = (): void => {
    isOpen = false;
    thread.cancel();
    // A thread that decodes one large piece hears of nothing.
    if (ring.cancel(() => thread.end())) thread.leave(decoded);
    else thread.end();
    input.close();
  };
  return new DecodedSource(path, readOn, close, ring);
}

class DecodedSource extends StreamSource {
  readonly #ring: RingReader;

  constructor(path: string, readOn: ReadOn, close: () => void, ring: RingReader) {
    super(path, readOn, close, ONCE);
    this.#ring = ring;
  }

  get leftOut(): LeftOut | null {
    return this.#ring.leftOut;
  }
}

function attempt<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof DeadDecoder)) throw error;
    const remedy = 'decompress it first, or give the process more memory';
    const reason = 'cannot be decompressed: the decoding thread ended, maybe for lack of memory';
    throw new InputError(path, reason, remedy, error);
  }
}

function isText(bytes: Uint8Array, text: string): boolean {
  return Buffer.from(bytes.subarray(0, text.length)).toString('latin1') === text;
}

/** Of a regular file whose size is known; else nothing. */
function lastBytes(input: InputSource): Uint8Array {
  return input.canReread && input.size !== null
    ? input.bytes(Math.max(0, input.size - 4), input.size)
    : new Uint8Array(0);
}
