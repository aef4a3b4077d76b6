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

  /** Text of lines, between bytes; not for a terminal. */
  text(text: string): void {
    this.#text += text;
    if (this.#text.length >= PIECE) this.flush();
  }

  /** Bytes as they are; on a terminal what could steer it is escaped. */
  bytes(bytes: Uint8Array): void {
    if (this.#text !== '') this.#add(Buffer.from(this.#text));
    this.#text = '';
    this.#add(Buffer.from(bytes));
    if (this.#size >= PIECE) this.flush();
  }

  #add(bytes: Buffer): void {
    this.#parts.push(bytes);
    this.#size += bytes.length;
  }

  lineEnded(): void {
    if (this.#lineBuffered || this.#text.length >= PIECE) this.flush();
  }

  /** What is text still follows all bytes. */
  flush(): void {
    const { isTTY } = this.#stream;
    if (this.#size > 0) {
      const bytes = Buffer.concat(this.#parts);
      this.#parts = [];
      this.#size = 0;
      if (isTTY) this.#stream.write(escapeText(bytes.toString('utf8')));
      else if (this.#stream.writeBytes) this.#stream.writeBytes(bytes);
      else this.#stream.write(bytes.toString('utf8'));
    }
    const text = this.#text;
    this.#text = '';
    if (text !== '') this.#stream.write(text);
  }
}
