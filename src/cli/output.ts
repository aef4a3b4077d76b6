// Data on its way to standard output: lines are gathered and written in large pieces.

import { now } from '../corpus/clock.ts';
import { escapeJson } from './print.ts';
import type { TextStream } from './stream.ts';

/** Characters that are gathered. */
const PIECE = 64 * 1024;
/** What was gathered for longer than this goes out with the next line. */
const PATIENCE_MS = 100;

export class Output {
  readonly #stream: TextStream;
  #text = '';
  #written = -Infinity;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  constructor(stream: TextStream) {
    this.#stream = stream;
  }

  /** Takes a whole line, or several, and writes when it is time to. The first one goes out at once. */
  line(text: string): void {
    this.#text += text;
    if (this.#text.length >= PIECE || now() - this.#written > PATIENCE_MS) this.flush();
  }

  /** Takes a piece of a line. */
  piece(text: string): void {
    this.#text += text;
    if (this.#text.length >= PIECE) this.flush();
  }

  /** One line of JSON. On a terminal, what could steer it is escaped: the value is the same. */
  json(text: string): void {
    this.line(this.#stream.isTTY ? `${escapeJson(text)}\n` : `${text}\n`);
  }

  /** A piece of a JSON line. */
  jsonPiece(text: string): void {
    this.piece(this.#stream.isTTY ? escapeJson(text) : text);
  }

  /** Takes bytes of lines of JSON; a piece may end anywhere. */
  jsonBytes(bytes: Uint8Array): void {
    if (this.#stream.isTTY) this.piece(escapeJson(this.#decoder.decode(bytes, { stream: true })));
    else this.bytes(bytes);
  }

  /** Takes bytes, in large pieces. */
  bytes(bytes: Uint8Array): void {
    this.flush();
    if (this.#stream.writeBytes) this.#stream.writeBytes(bytes);
    else this.#stream.write(Buffer.from(bytes).toString('utf8'));
  }

  flush(): void {
    if (this.#text === '') return;
    const text = this.#text;
    this.#text = '';
    this.#stream.write(text);
    this.#written = now();
  }
}
