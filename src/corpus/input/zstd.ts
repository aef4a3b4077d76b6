// zstd, decoded by Node where it can, else by the `zstd` program.

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import * as zlib from 'node:zlib';
import { Flow } from './gzip.ts';
import { type CodedInput, Damage, type Sink } from './decoder.ts';
import { type Frame, FrameReader } from './zstd-frames.ts';

/** Newer than the types of the oldest Node that is supported. */
interface NodeZstd {
  createZstdDecompress?(options: { chunkSize: number }): zlib.InflateRaw;
}

const PIECE = 2 ** 18;
/** What the program may use; frames that need more are refused before. */
const MEMORY = '--memory=136MB';
const KEPT_WORDS = 2000;

/** Neither Node nor a program can decode zstd. */
export class NoZstd extends Error {}
/** The program failed for another reason than its input. */
export class BrokenZstd extends Error {}

/** The program while it runs, so that it can be ended. */
type Child = ChildProcessByStdio<Writable, Readable, Readable>;
let running: Child | null = null;

/** Ends the program at once. */
export function stopZstd(): void {
  running?.kill('SIGKILL');
}

/**
 * Decodes all frames; `passed` hears of each one that passed by, whole in its form, its content maybe not yet decoded.
 * Throws Damage, LargeWindow, NoZstd.
 */
export async function decodeZstd(input: CodedInput, sink: Sink, passed: (frame: Frame) => void): Promise<void> {
  const frames = new FrameReader();
  const { createZstdDecompress } = zlib as NodeZstd;
  const decoder = createZstdDecompress === undefined ? new Program(sink) : new FrameByFrame(createZstdDecompress, sink);
  try {
    for (let chunk = input.next(); chunk !== null; chunk = input.next()) {
      await decoder.chunk(chunk);
      for (let at = 0; at < chunk.length; ) {
        const { at: to, frame } = frames.next(chunk, at);
        await decoder.part(chunk.subarray(at, to), frame);
        if (frame !== null) passed(frame);
        at = to;
      }
    }
    frames.end();
    await decoder.end();
  } finally {
    await decoder.stop();
  }
}

interface Decoder {
  /** Hears of the input chunk by chunk. */
  chunk(bytes: Uint8Array): Promise<void>;
  /** And of parts of frames, with the frame that ends with the part. */
  part(bytes: Uint8Array, frame: Frame | null): Promise<void>;
  /** Answers when all is decoded and given. */
  end(): Promise<void>;
  /** Lets go of everything; answers when nothing is left. */
  stop(): Promise<void>;
}

/** Node's decoder, a new one for every frame: it ends with the first one. */
class FrameByFrame implements Decoder {
  readonly #create: NonNullable<NodeZstd['createZstdDecompress']>;
  readonly #sink: Sink;
  #stream: zlib.InflateRaw | null = null;
  #flow: Flow | null = null;
  #from = 0;

  constructor(create: NonNullable<NodeZstd['createZstdDecompress']>, sink: Sink) {
    this.#create = create;
    this.#sink = sink;
  }

  async chunk(): Promise<void> {}

  async part(bytes: Uint8Array, frame: Frame | null): Promise<void> {
    this.#stream ??= this.#create({ chunkSize: PIECE });
    this.#flow ??= new Flow(this.#stream, this.#sink);
    await this.#attempt(this.#flow.write(bytes));
    if (frame === null) return;
    await this.#attempt(this.#flow.end());
    await this.stop();
    this.#from = frame.to;
  }

  async end(): Promise<void> {}

  async stop(): Promise<void> {
    this.#stream?.close();
    this.#stream = this.#flow = null;
  }

  async #attempt(work: Promise<boolean>): Promise<void> {
    try {
      await work;
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (typeof code !== 'string' || !/^(ZSTD_|Z_|ERR_)/.test(code)) throw error;
      const what = code.includes('checksum') ? 'the checksum is wrong' : 'the content cannot be decoded';
      throw new Damage(`in the zstd frame at byte ${this.#from} ${what}`);
    }
  }
}

/** The `zstd` program. It reads and writes pipes, and tells by its exit code whether all was whole. */
class Program implements Decoder {
  readonly #child: Child;
  readonly #over: Promise<void>;
  #words = '';
  #error: unknown;

  constructor(sink: Sink) {
    const child = spawn('zstd', ['-d', '-c', '-q', MEMORY], { stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true });
    this.#child = running = child;
    // It does not read to the end when the input is damaged; its exit code tells.
    child.stdin.on('error', () => {});
    child.stdout.on('data', (bytes: Uint8Array) => {
      try {
        if (this.#error === undefined) sink(bytes);
      } catch (error) {
        this.#error = error;
        child.kill('SIGKILL');
      }
    });
    child.stderr.on('data', (bytes: Buffer) => {
      if (this.#words.length < KEPT_WORDS) this.#words += bytes.toString('latin1');
    });
    this.#over = new Promise((resolve) => {
      child.on('error', (error) => {
        this.#error ??= (error as { code?: unknown }).code === 'ENOENT' ? new NoZstd() : new BrokenZstd();
        resolve();
      });
      child.on('close', (code, signal) => {
        if (code !== 0) this.#error ??= signal === null ? this.#damage() : new BrokenZstd();
        resolve();
      });
    });
  }

  async chunk(bytes: Uint8Array): Promise<void> {
    const { stdin } = this.#child;
    if (stdin.destroyed || !stdin.write(bytes)) {
      // Room again, or the program is over.
      const room = new Promise((resolve) => stdin.once('drain', resolve));
      await (stdin.destroyed ? this.#over : Promise.race([room, this.#over]));
    }
    if (this.#error !== undefined) throw this.#error;
    // It has ended well, and has not read all.
    if (stdin.destroyed) throw new BrokenZstd();
  }

  async part(): Promise<void> {}

  async end(): Promise<void> {
    this.#child.stdin.end();
    await this.#over;
    if (this.#error !== undefined) throw this.#error;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null) this.#child.kill('SIGKILL');
    await this.#over;
    running = null;
  }

  #damage(): Damage {
    return new Damage(this.#words.includes('checksum') ? 'a checksum is wrong' : 'the content cannot be decoded');
  }
}
