// The frames and blocks of zstd (RFC 8878) as they pass by: where each frame ends, and whether it carries a checksum.
// Nothing is decoded.

import { Damage } from './decoder.ts';

const FRAME = 0xfd2fb528;
/** Frames that decoders skip begin with 16 numbers from this one on. */
const SKIPPABLE = 0x184d2a50;
/** Log of the largest window: 128 MiB, what the zstd program takes without being told to. */
const MOST_WINDOW_LOG = 27;

const LAST_BLOCK = 1;
const REPEATED_BYTE = 1;
const RESERVED_BLOCK = 3;
const LONGEST_BLOCK = 2 ** 17;

/** A frame that needs more memory than is granted. */
export class LargeWindow extends Damage {}

export interface Frame {
  /** Its end in the input. */
  readonly to: number;
  /** Its content has a checksum, or it has no content. */
  readonly isChecked: boolean;
}

type Part = 'magic' | 'descriptor' | 'header' | 'block' | 'skipped size' | 'pass';

export class FrameReader {
  /** Bytes of the part that is being read, and how many it has. */
  readonly #part = new Uint8Array(18);
  readonly #view = new DataView(this.#part.buffer);
  #length = 0;
  #need = 4;
  #kind: Part = 'magic';
  /** After bytes that are passed over: a block, or the end of the frame. */
  #after: 'block' | 'end' = 'end';
  #isChecked = false;
  #position = 0;
  #from = 0;

  /** Goes over the next bytes, up to the end of a frame: then answers with it. Throws Damage or LargeWindow. */
  next(bytes: Uint8Array, from: number): { at: number; frame: Frame | null } {
    let at = from;
    while (at < bytes.length) {
      const length = Math.min(this.#need - this.#length, bytes.length - at);
      if (this.#kind !== 'pass') this.#part.set(bytes.subarray(at, at + length), this.#length);
      this.#length += length;
      this.#position += length;
      at += length;
      if (this.#length === this.#need && this.#step()) {
        const frame = { to: this.#position, isChecked: this.#isChecked };
        this.#from = this.#position;
        return { at, frame };
      }
    }
    return { at, frame: null };
  }

  /** The input ends here. Throws Damage when a frame does not. */
  end(): void {
    if (this.#kind !== 'magic' || this.#length > 0) throw this.#damage('the end of the frame', 'is missing');
  }

  /** Reads the part; whether the frame ends with it. */
  #step(): boolean {
    switch (this.#kind) {
      case 'magic':
        this.#readMagic();
        return false;
      case 'descriptor':
        this.#expect('header', headerLength(this.#part[0]!));
        // Its first byte is the descriptor.
        this.#length = 1;
        return false;
      case 'header':
        this.#readHeader();
        return false;
      case 'block':
        return this.#readBlock();
      case 'skipped size':
        this.#isChecked = true;
        return this.#pass(this.#view.getUint32(0, true), 'end');
      case 'pass':
        if (this.#after === 'end') return this.#end();
        this.#expect('block', 3);
        return false;
    }
  }

  #expect(kind: Part, need: number): void {
    this.#kind = kind;
    this.#need = need;
    this.#length = 0;
  }

  #end(): true {
    this.#expect('magic', 4);
    return true;
  }

  /** Passes over bytes; whether the frame ends already. */
  #pass(length: number, after: 'block' | 'end'): boolean {
    this.#after = after;
    this.#expect('pass', length);
    if (length > 0) return false;
    if (after === 'end') return this.#end();
    this.#expect('block', 3);
    return false;
  }

  #readMagic(): void {
    const magic = this.#view.getUint32(0, true);
    if (magic === FRAME) this.#expect('descriptor', 1);
    else if ((magic & 0xfffffff0) === SKIPPABLE) this.#expect('skipped size', 4);
    else throw new Damage(`what stands at byte ${this.#from} is no zstd frame`);
  }

  #readHeader(): void {
    const descriptor = this.#part[0]!;
    if ((descriptor & 8) !== 0) throw this.#damage('the header of the frame', 'is of an unknown kind');
    this.#isChecked = (descriptor & 4) !== 0;
    if (this.#windowOf(descriptor) > 2 ** MOST_WINDOW_LOG) {
      throw new LargeWindow(`the zstd frame at byte ${this.#from} needs too much memory`);
    }
    this.#expect('block', 3);
  }

  #windowOf(descriptor: number): number {
    if ((descriptor & 0x20) === 0) {
      const window = this.#part[1]!;
      return 2 ** (10 + (window >> 3)) * (1 + (window & 7) / 8);
    }
    // The whole content is the window; its size is the last field.
    const length = sizeLength(descriptor);
    const at = headerLength(descriptor) - length;
    let size = 0;
    for (let index = 0; index < length; index++) size += this.#part[at + index]! * 2 ** (8 * index);
    return length === 2 ? size + 256 : size;
  }

  /** Whether the frame ends with the block. */
  #readBlock(): boolean {
    const header = this.#part[0]! + this.#part[1]! * 2 ** 8 + this.#part[2]! * 2 ** 16;
    const kind = (header >> 1) & 3;
    const size = header >> 3;
    const isLast = (header & LAST_BLOCK) !== 0;
    if (kind === RESERVED_BLOCK || size > LONGEST_BLOCK) {
      throw this.#damage('a block of the frame', 'is of an unknown kind');
    }
    const length = kind === REPEATED_BYTE ? 1 : size;
    return this.#pass(isLast && this.#isChecked ? length + 4 : length, isLast ? 'end' : 'block');
  }

  #damage(part: string, what: string): Damage {
    return new Damage(`${part} at byte ${this.#from} ${what}`);
  }
}

function sizeLength(descriptor: number): number {
  const isSingleSegment = (descriptor & 0x20) !== 0;
  return [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6]!;
}

/** Of a frame's header after its magic number. */
function headerLength(descriptor: number): number {
  const window = (descriptor & 0x20) === 0 ? 1 : 0;
  return 1 + window + [0, 1, 2, 4][descriptor & 3]! + sizeLength(descriptor);
}
