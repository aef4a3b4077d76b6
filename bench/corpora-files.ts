// What the section corpora reads beside the raw text: transcripts as a field of JSON lines, and the raw text
// compressed.
import {
  createReadStream, createWriteStream, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Message, type Sink, writeChats } from './chat.ts';
import { cached, cacheFolder, type Corpus, GENERATOR, type Kind, poolSize } from './corpus.ts';
import type { Counts } from './counts.ts';
import { type Output, writeFile } from './output.ts';
import { type TextOutput, TextWriter } from './writers.ts';

/** Lines of JSON, each with a transcript in its field `text`. */
export interface Lines {
  path: string;
  /** Of the file. */
  bytes: number;
  lines: number;
  /** Of all transcripts, as UTF-8. */
  textBytes: number;
  /** Of all transcripts together; `bytes` are the file's. */
  counts: Counts;
}

/** Turns of a transcript, on average: 10 to 20 messages. */
const TURNS = 5;

/** Text of one transcript, gathered. */
class Gathered implements TextOutput {
  bytes = 0;
  #buffer = Buffer.allocUnsafe(1 << 20);

  ascii(text: string): void {
    this.#reserve(text.length);
    this.bytes += this.#buffer.write(text, this.bytes, 'latin1');
  }

  copy(bytes: Buffer, from: number, to: number): void {
    this.#reserve(to - from);
    this.bytes += bytes.copy(this.#buffer, this.bytes, from, to);
  }

  /** The text; it is forgotten here. */
  take(): string {
    const text = this.#buffer.toString('utf8', 0, this.bytes);
    this.bytes = 0;
    return text;
  }

  #reserve(more: number): void {
    if (this.bytes + more <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.bytes + more));
    this.#buffer.copy(larger, 0, 0, this.bytes);
    this.#buffer = larger;
  }
}

/** Writes each transcript as a line of its own. */
class LineWriter implements Sink {
  lines = 0;
  textBytes = 0;
  readonly #output: Output;
  readonly #size: number;
  readonly #gathered = new Gathered();
  readonly #text: TextWriter;

  constructor(output: Output, kind: Kind, size: number) {
    this.#output = output;
    this.#size = size;
    this.#text = new TextWriter(this.#gathered, kind.notation, Infinity);
  }

  begin(): void {
    this.#text.begin();
  }

  message(message: Message): void {
    this.#text.message(message);
  }

  finish(): void {
    this.#text.finish();
    this.textBytes += this.#gathered.bytes;
    const record = { id: `record-${this.lines}`, text: this.#gathered.take() };
    this.#output.utf8(`${JSON.stringify(record)}\n`);
    this.lines++;
  }

  full(): boolean {
    return this.#output.bytes >= this.#size;
  }

  counts(): Counts {
    return { ...this.#text.counts(), bytes: this.#output.bytes };
  }
}

/** The lines of a kind of corpus; a kind that is one transcript is given as many. */
export function textLines(kind: Kind, size: number, seed: number, folder = cacheFolder()): Lines {
  const path = join(folder, `${kind.name}-text-${size}-${seed}-v${GENERATOR}.jsonl`);
  const made = cached<Omit<Lines, 'path'>>(path, () =>
    writeFile(path, (output) => {
      const writer = new LineWriter(output, kind, size);
      writeChats({ ...kind.profile, turns: TURNS }, kind.notation, seed, poolSize(size), writer);
      const counts = writer.counts();
      return { bytes: counts.bytes, lines: writer.lines, textBytes: writer.textBytes, counts };
    }),
  );
  return { path, ...made };
}

/** The same corpus, compressed; and how long it is then. */
export async function gzipped({ path }: Corpus): Promise<{ path: string; bytes: number }> {
  const packed = `${path}.gz`;
  const sidecar = `${packed}.json`;
  if (!existsSync(
    packed,
  ) || !existsSync(sidecar) || JSON.parse(readFileSync(sidecar, 'utf8')).bytes !== statSync(packed).size) {
    const temporary = `${packed}.${process.pid}.tmp`;
    try {
      await pipeline(createReadStream(path), createGzip({ level: 6 }), createWriteStream(temporary, { mode: 0o600 }));
      renameSync(temporary, packed);
    } finally {
      rmSync(temporary, { force: true });
    }
    writeFileSync(sidecar, `${JSON.stringify({ bytes: statSync(packed).size })}\n`);
  }
  return { path: packed, bytes: statSync(packed).size };
}
