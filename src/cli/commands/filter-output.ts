// What `filter` writes, gathered until its input pauses: whoever waits for an answer to what was sent gets it.

import { escapeJson, escapeText } from '../print.ts';
import type { TextStream } from '../stream.ts';

/** Bytes and characters that are gathered at most. */
const PIECE = 64 * 1024;

export class FilterOutput {
  readonly #stream: TextStream;
  readonly #lineBuffered: boolean;
  #text = '';
  #parts: Buffer[] = [];
  #size = 0;

  /** `lineBuffered`: each line goes out at once. */
  constructor(stream: TextStream, lineBuffered: boolean) {
    this.#stream = stream;
    this.#lineBuffered = lineBuffered;
  }

  get isTTY(): boolean {
    return this.#stream.isTTY;
  }

  /** One line of JSON. On a terminal, what could steer it is escaped: the value is the same. */
  json(text: string): void {
    this.#text += this.#stream.isTTY ? `${escapeJson(text)}\n` : `${text}\n`;
    this.lineEnded();
  }

  /** Bytes as they are; on a terminal what could steer it is escaped. */
  bytes(bytes: Uint8Array): void {
    this.#parts.push(Buffer.from(bytes));
    this.#size += bytes.length;
    if (this.#size >= PIECE) this.flush();
  }

  lineEnded(): void {
    if (this.#lineBuffered || this.#text.length >= PIECE) this.flush();
  }

  flush(): void {
    const { isTTY } = this.#stream;
    const text = this.#text;
    this.#text = '';
    if (text !== '') this.#stream.write(text);
    if (this.#size === 0) return;
    const bytes = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#size = 0;
    if (isTTY) this.#stream.write(escapeText(bytes.toString('utf8')));
    else if (this.#stream.writeBytes) this.#stream.writeBytes(bytes);
    else this.#stream.write(bytes.toString('utf8'));
  }
}
