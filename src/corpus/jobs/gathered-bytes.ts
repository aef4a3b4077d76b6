// Bytes of output on their way out of a job, gathered into pieces that are worth a message to another thread.

import { now } from '../clock.ts';

/** Bytes of a piece. */
export const PIECE = 256 * 1024;
/** Bytes that are sooner copied one by one. */
const FEW = 32;
/** Bytes of a UTF-16 unit. */
const LONGEST = 3;
/** What was gathered for longer goes out with the next text, where the input may come slowly. */
const PATIENCE_MS = 100;

const ENCODER = new TextEncoder();
/** Memory that nobody uses: new memory for each part of an input would be new pages of the system. */
const IDLE: Uint8Array[] = [];

/** Every piece is valid until the next one is asked for. */
export class GatheredBytes {
  #buffer = IDLE.pop() ?? new Uint8Array(PIECE);
  #length = 0;
  #handedOut = -Infinity;
  #marks: number[] = [];
  /** Places in the piece that was handed out last. */
  marks: readonly number[] = [];

  /** Takes bytes [from, to) of some that fill no piece; false: they would. */
  take(bytes: Uint8Array, from = 0, to = bytes.length): boolean {
    const length = to - from;
    if (this.#length + length >= PIECE) return false;
    if (length > FEW) this.#buffer.set(bytes.subarray(from, to), this.#length);
    else for (let i = 0; i < length; i++) this.#buffer[this.#length + i] = bytes[from + i]!;
    this.#length += length;
    return true;
  }

  /** The same of a text. */
  takeText(text: string): boolean {
    if (this.#length + LONGEST * text.length >= PIECE) return false;
    if (text.length <= FEW && this.#takeAscii(text)) return true;
    this.#length += ENCODER.encodeInto(text, this.#buffer.subarray(this.#length)).written;
    return true;
  }

  /** False: not all of it is ASCII, and nothing is taken. */
  #takeAscii(text: string): boolean {
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit >= 0x80) return false;
      this.#buffer[this.#length + i] = unit;
    }
    this.#length += text.length;
    return true;
  }

  *add(bytes: Uint8Array): Generator<Uint8Array, void, void> {
    for (let done = 0; done < bytes.length; ) {
      const part = bytes.subarray(done, done + PIECE - this.#length);
      this.#buffer.set(part, this.#length);
      this.#length += part.length;
      done += part.length;
      if (this.#length === PIECE) yield* this.flush();
    }
  }

  addText(text: string): Generator<Uint8Array, void, void> {
    return this.addTexts([text]);
  }

  *addTexts(texts: readonly string[]): Generator<Uint8Array, void, void> {
    for (const text of texts) {
      for (let done = 0; done < text.length; ) {
        const { read, written } = ENCODER.encodeInto(
          done === 0 ? text : text.slice(done), this.#buffer.subarray(this.#length),
        );
        this.#length += written;
        done += read;
        // A character of up to four bytes may not have fitted.
        if (done < text.length) yield* this.flush();
      }
    }
  }

  /** Marks a place so many bytes before what is added next. */
  mark(back: number): void {
    this.#marks.push(this.#length - back);
  }

  /** Hands out what waits for long. */
  *patience(): Generator<Uint8Array, void, void> {
    if (now() - this.#handedOut > PATIENCE_MS) yield* this.flush();
  }

  /** Nothing more is added, and what was handed out is taken. */
  close(): void {
    if (this.#buffer.length > 0) IDLE.push(this.#buffer);
    this.#buffer = this.#buffer.subarray(0, 0);
  }

  *flush(): Generator<Uint8Array, void, void> {
    if (this.#length === 0) return;
    const piece = this.#buffer.subarray(0, this.#length);
    this.#length = 0;
    this.#handedOut = now();
    this.marks = this.#marks;
    this.#marks = [];
    yield piece;
  }
}
