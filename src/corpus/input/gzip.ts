// gzip (RFC 1952), member by member: Node's own Gunzip does not tell where members end, and takes what follows one for
// nothing.

import { constants, crc32, createInflateRaw, type InflateRaw, inflateRawSync } from 'node:zlib';
import { type CodedInput, Damage, type Sink } from './decoder.ts';

/** Decoded bytes per piece. */
const PIECE = 2 ** 18;
/** A member after one that was not larger than this (as in BGZF) is decoded in one go, which costs less. */
const SMALL = 2 ** 16;
const SMALL_DECODED = 2 ** 20;

const DEFLATE = 8;
const HEADER_CRC = 2;
const EXTRA = 4;
const NAME = 8;
const COMMENT = 16;
const RESERVED = 0xe0;

/** Node's answer of a decoder that is asked for all at once. */
interface Whole {
  buffer: Buffer;
  engine: { bytesWritten: number };
}

export class GzipDecoder {
  readonly #input: CodedInput;
  readonly #sink: Sink;
  #chunk: Uint8Array = new Uint8Array(0);
  /** Position in #chunk, and of #chunk in the input. */
  #at = 0;
  #base = 0;
  /** Where the current member begins, its checksum and its size up to here. */
  #member = 0;
  #crc = 0;
  #size = 0;
  /** Checksum of the header up to here. */
  #headerCrc = 0;
  #isSmall = false;
  /** What is whole: coded bytes, and what they decode to. */
  wholeCoded = 0;
  whole = 0;

  constructor(input: CodedInput, sink: Sink) {
    this.#input = input;
    this.#sink = sink;
  }

  /** Decodes all members. Throws Damage. */
  async run(): Promise<void> {
    while (this.#next()) {
      await this.#decodeMember();
      this.wholeCoded = this.#position;
      this.whole += this.#size;
    }
  }

  get #position(): number {
    return this.#base + this.#at;
  }

  /** Whether another member begins. After a member zeros up to the end are padding. */
  #next(): boolean {
    if (!this.#fill()) return false;
    if (this.#position === 0 || this.#chunk[this.#at] !== 0) return true;
    const from = this.#position;
    do {
      while (this.#at < this.#chunk.length && this.#chunk[this.#at] === 0) this.#at++;
    } while (this.#at === this.#chunk.length && this.#fill());
    if (this.#at < this.#chunk.length) throw noGzip(from);
    return false;
  }

  async #decodeMember(): Promise<void> {
    this.#member = this.#position;
    this.#crc = 0;
    this.#size = 0;
    this.#readHeader();
    const from = this.#position;
    if (!this.#isSmall || !this.#inflateAtOnce()) await this.#inflate();
    this.#isSmall = this.#position - from <= SMALL && this.#size <= SMALL_DECODED;
    if (this.#number(4) !== this.#crc) throw this.#damage('the checksum', 'is wrong');
    if (this.#number(4) !== this.#size % 2 ** 32) throw this.#damage('the size', 'is wrong');
  }

  #readHeader(): void {
    this.#headerCrc = 0;
    if (this.#byte() !== 0x1f || this.#byte() !== 0x8b) {
      throw this.#member === 0 ? new Damage('it is no gzip') : noGzip(this.#member);
    }
    const method = this.#byte();
    const flags = this.#byte();
    if (method !== DEFLATE || (flags & RESERVED) !== 0) throw this.#damage('the header', 'is of an unknown kind');
    for (let skip = 6; skip > 0; skip--) this.#byte();
    if ((flags & EXTRA) !== 0) {
      for (let skip = this.#number(2); skip > 0; skip--) this.#byte();
    }
    if ((flags & NAME) !== 0) while (this.#byte() !== 0);
    if ((flags & COMMENT) !== 0) while (this.#byte() !== 0);
    if ((flags & HEADER_CRC) === 0) return;
    const crc = this.#headerCrc & 0xffff;
    if (this.#number(2) !== crc) throw this.#damage('the checksum of the header', 'is wrong');
  }

  /** A small member that lies in the chunk; false when it is neither, or damaged. */
  #inflateAtOnce(): boolean {
    const options = { info: true, maxOutputLength: SMALL_DECODED, chunkSize: 2 ** 16, finishFlush: constants.Z_FINISH };
    try {
      const { buffer, engine } = inflateRawSync(this.#chunk.subarray(this.#at), options) as unknown as Whole;
      this.#at += engine.bytesWritten;
      this.#give(buffer);
      return true;
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (code === 'Z_DATA_ERROR' || code === 'Z_BUF_ERROR' || code === 'ERR_BUFFER_TOO_LARGE') return false;
      throw error;
    }
  }

  async #inflate(): Promise<void> {
    const inflate = createInflateRaw({ chunkSize: PIECE });
    try {
      const flow = new Flow(inflate, (piece) => this.#give(piece));
      let ended = false;
      while (!ended) {
        if (!this.#fill()) throw this.#damage('the end', 'is missing');
        const before = inflate.bytesWritten;
        ended = await flow.write(this.#chunk.subarray(this.#at));
        this.#at += inflate.bytesWritten - before;
      }
    } catch (error) {
      if ((error as { code?: unknown }).code === 'Z_DATA_ERROR') throw this.#damage('the content', 'cannot be decoded');
      throw error;
    } finally {
      inflate.close();
    }
  }

  #give(piece: Uint8Array): void {
    this.#crc = crc32(piece, this.#crc);
    this.#size += piece.length;
    this.#sink(piece);
  }

  /** Whether there are bytes at the position. */
  #fill(): boolean {
    if (this.#at < this.#chunk.length) return true;
    const chunk = this.#input.next();
    if (chunk === null) return false;
    this.#base += this.#chunk.length;
    this.#chunk = chunk;
    this.#at = 0;
    return true;
  }

  #byte(): number {
    if (!this.#fill()) throw this.#damage('the end', 'is missing');
    const byte = this.#chunk.subarray(this.#at, ++this.#at);
    this.#headerCrc = crc32(byte, this.#headerCrc);
    return byte[0]!;
  }

  /** Of `length` bytes, the lowest first. */
  #number(length: number): number {
    let number = 0;
    for (let index = 0; index < length; index++) number += this.#byte() * 2 ** (8 * index);
    return number;
  }

  #damage(part: string, what: string): Damage {
    return new Damage(`${part} of the gzip member at byte ${this.#member} ${what}`);
  }
}

function noGzip(at: number): Damage {
  return new Damage(`what follows the gzip member that ends at byte ${at} is no gzip`);
}

/** A decoding stream of Node, fed chunk by chunk. Pieces are given while the next one is being decoded. */
export class Flow {
  readonly #stream: InflateRaw;
  readonly #give: Sink;
  #pieces: Uint8Array[] = [];
  #settle: ((error: unknown, ended: boolean) => void) | null = null;
  #error: unknown;
  #ended = false;

  constructor(stream: InflateRaw, give: Sink) {
    this.#stream = stream;
    this.#give = give;
    stream.on('data', (piece: Uint8Array) => {
      if (this.#pieces.push(piece) === 1) queueMicrotask(() => this.#flush());
    });
    stream.on('end', () => this.#done(undefined, true));
    stream.on('error', (error) => this.#done(error, false));
  }

  /** Answers when all of the chunk that belongs to the stream is decoded and given: whether the stream ended. */
  write(chunk: Uint8Array): Promise<boolean> {
    return this.#wait(() => this.#stream.write(chunk, () => this.#done(undefined, false)));
  }

  /** Nothing follows; answers when all is given. */
  end(): Promise<boolean> {
    return this.#wait(() => this.#stream.end());
  }

  #wait(act: () => void): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#settle = (error, ended) => (error === undefined ? resolve(ended) : reject(error));
      if (this.#error !== undefined || this.#ended) this.#done(undefined, false);
      else act();
    });
  }

  #done(error: unknown, ended: boolean): void {
    this.#error ??= error;
    this.#ended ||= ended;
    this.#flush();
    this.#settle?.(this.#error, this.#ended);
    this.#settle = null;
  }

  #flush(): void {
    const pieces = this.#pieces;
    this.#pieces = [];
    try {
      for (const piece of pieces) if (this.#error === undefined) this.#give(piece);
    } catch (error) {
      this.#error = error;
      this.#settle?.(error, false);
      this.#settle = null;
    }
  }
}
