// A file that is written in large pieces and appears under its name only when it is complete.
import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';

const PIECE = 1 << 22;
/** No single append is longer than this. */
const LONGEST = 1 << 18;

export class Output {
  #written = 0;
  #length = 0;
  #closed = false;
  readonly #buffer = Buffer.allocUnsafe(PIECE + LONGEST);
  readonly #path: string;
  readonly #temporary: string;
  readonly #fd: number;

  constructor(path: string) {
    this.#path = path;
    this.#temporary = `${path}.${process.pid}.tmp`;
    this.#fd = openSync(this.#temporary, 'wx', 0o600);
  }

  get bytes(): number {
    return this.#written + this.#length;
  }

  /** Appends text that is ASCII. */
  ascii(text: string): void {
    this.#length += this.#buffer.write(text, this.#length, 'latin1');
    if (this.#length >= PIECE) this.#flush();
  }

  utf8(text: string): void {
    const bytes = Buffer.from(text, 'utf8');
    for (let from = 0; from < bytes.length; from += LONGEST) {
      this.copy(bytes, from, Math.min(from + LONGEST, bytes.length));
    }
  }

  copy(bytes: Buffer, from: number, to: number): void {
    this.#length += bytes.copy(this.#buffer, this.#length, from, to);
    if (this.#length >= PIECE) this.#flush();
  }

  /** The file gets its name; until then nobody can take a half of it for the whole. */
  close(): void {
    this.#flush();
    this.#closed = true;
    closeSync(this.#fd);
    renameSync(this.#temporary, this.#path);
  }

  /** Leaves nothing behind. */
  discard(): void {
    if (!this.#closed) closeSync(this.#fd);
    rmSync(this.#temporary, { force: true });
  }

  #flush(): void {
    for (let from = 0; from < this.#length; ) from += writeSync(this.#fd, this.#buffer, from, this.#length - from);
    this.#written += this.#length;
    this.#length = 0;
  }
}

/** Runs `write` on a new file; the file is there afterwards, whole, or not at all. */
export function writeFile<T>(path: string, write: (output: Output) => T): T {
  const output = new Output(path);
  try {
    const result = write(output);
    output.close();
    return result;
  } catch (error) {
    output.discard();
    throw error;
  }
}
