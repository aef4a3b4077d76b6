// An output of a run while it is written: its bytes are counted and hashed on their way to the file.

import { createHash, type Hash } from 'node:crypto';
import { type FileCalls, OutputFile } from '../output-file.ts';

/** Characters that are gathered. */
const PIECE = 64 * 1024;

export class ShardOutput {
  readonly #file: OutputFile;
  readonly #hash: Hash = createHash('sha256');
  #text = '';
  #bytes = 0;

  /** Throws a FileOutputError, as all that is called on it. */
  constructor(path: string, calls?: FileCalls) {
    this.#file = OutputFile.create(path, calls);
  }

  line(text: string): void {
    this.#text += `${text}\n`;
    if (this.#text.length >= PIECE) this.#flush();
  }

  bytes(bytes: Uint8Array): void {
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    this.#file.write(bytes);
  }

  /** Puts the file in its place; answers with what it holds. */
  commit(): { bytes: number; sha256: string } {
    this.#flush();
    this.#file.commit();
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  discard(): void {
    this.#file.discard();
  }

  #flush(): void {
    const bytes = Buffer.from(this.#text, 'utf8');
    this.#text = '';
    this.bytes(bytes);
  }
}
