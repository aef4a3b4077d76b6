// The rows of the section corpora, in groups; each group has a base, the numbers that its rows must find, and how fast
// they are meant to be.
import { closeSync, createReadStream, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { HeaderCache } from '../src/model/transcript.ts';
import { MemorySource, type Source } from '../src/scan/source.ts';
import { Counter } from '../src/rules/count.ts';
import { InvalidUtf8 } from '../src/rules/utf8.ts';
import type { Machine } from '../src/scan/machine.ts';
import { askedDuckDb } from './asked.ts';
import { eachLine, LINES } from './chunks.ts';
import { COMMANDS } from './commands.ts';
import { gzipped, type Lines, textLines } from './corpora-files.ts';
import { Warm } from './corpora-warm.ts';
import { cacheFolder, type Corpus, type Kind } from './corpus.ts';
import { bump } from './counts.ts';
import { type Found, type Group, NONE, type Row } from './group.ts';
import { answerOf, optionsOf } from './ours.ts';
import { RIVALS } from './rivals.ts';
import { megabytes } from './report.ts';

/**
 * `check` and `scan` differ by no more than this; decompressing and scanning take no longer than decompressing, but for
 * this.
 */
const CHECK_MOST = 1.5;
const GZIP_MOST = 1.15;

function scanned(
  warm: Warm, path: string, made: Corpus, watch?: (source: Source) => Source,
): () => Promise<Partial<Found>> {
  return async () => answerOf(await warm.count(path, optionsOf(made), watch));
}

/** Raw text from the page cache. */
export function rawGroup(made: Corpus): Group {
  const warm = [new Warm(1), new Warm(2)] as const;
  const cat = COMMANDS.find(({ name }) => name === 'cat')!;
  const read = RIVALS.find(({ name }) => name === 'read 256 KiB')!;
  const input = { ...made, jsonl: null };
  const reason = cat.unfit?.(made) ?? null;
  return {
    name: 'raw',
    about: megabytes(made.counts.bytes),
    base: 'cat',
    bytes: made.counts.bytes,
    right: { ...made.counts, ...NONE },
    rows: [
      {
        name: 'cat',
        does: cat.does,
        command: true,
        run: () => cat.run(input),
        ...(reason !== null && { skipped: reason }),
      },
      { name: read.name, does: read.does, run: () => read.run(input) },
      { name: 'scan 1 thread', does: 'counts, in this thread', run: scanned(warm[0], made.path, made) },
      {
        name: 'scan 2 threads',
        does: 'the same, on two threads that are there already',
        run: scanned(warm[1], made.path, made),
      },
    ],
    goals: [{ row: 'scan 2 threads', base: 'cat', least: 1.2 }],
    close: () => warm.forEach((each) => each.close()),
  };
}

/** JSON lines with a transcript each. */
export async function lineGroup(kind: Kind, size: number, seed: number): Promise<Group> {
  const lines = textLines(kind, size, seed);
  const warm = [new Warm(1), new Warm(2)] as const;
  const made = { ...kind, path: lines.path, counts: lines.counts };
  const duck = await askedDuckDb(2);
  const ask = (name: string, query: string, does: string): Row => ({
    name,
    does: `${does}, two threads`,
    elsewhere: true,
    ...(typeof duck === 'string' && { skipped: duck }),
    async run() {
      if (typeof duck === 'string') throw new Error(duck);
      const [count, bytes] = await duck.ask(query, lines.path);
      return { lines: count!, ...(bytes !== undefined && { textBytes: bytes }) };
    },
  });
  const count = async (index: 0 | 1): Promise<Partial<Found>> => {
    const counts = await warm[index].count(lines.path, optionsOf(made));
    return { ...answerOf(counts), lines: counts.records };
  };
  const version = typeof duck === 'string' ? '' : `; DuckDB ${duck.version}`;
  return {
    name: 'records',
    about: `${megabytes(lines.bytes)}, ${lines.lines.toLocaleString('en')} lines with a transcript each${version}`,
    base: 'JSON.parse + scan',
    bytes: lines.bytes,
    right: { ...lines.counts, ...NONE, lines: lines.lines, textBytes: lines.textBytes },
    rows: [
      {
        name: 'JSON.parse + scan',
        does: 'each line to a string, JSON.parse, its text to bytes, the same counts',
        run: () => parsed(lines, made, warm[0].machine),
      },
      ask('DuckDB count', 'count', 'how many lines: each one a JSON value that nobody looks into'),
      ask('DuckDB ->>', 'text', 'bytes of the texts: a JSON function on each line'),
      ask('DuckDB column', 'column', 'the same by its reader of JSON lines, one column'),
      {
        name: 'scan 1 thread', does: 'counts of all transcripts, lines validated, in this thread', run: () => count(0),
      },
      { name: 'scan 2 threads', does: 'the same, on two threads that are there already', run: () => count(1) },
    ],
    goals: [
      { row: 'scan 2 threads', base: 'JSON.parse + scan', least: 4 },
      { row: 'scan 2 threads', base: 'DuckDB ->>', least: 2 },
      { row: 'scan 2 threads', base: 'DuckDB count', least: 1 },
    ],
    close() {
      warm.forEach((each) => each.close());
      if (typeof duck !== 'string') duck.close();
    },
  };
}

/** What a program with the library but without its readers of records does. */
function parsed(lines: Lines, made: Corpus, machine: Machine): Partial<Found> {
  const counter = new Counter();
  const headers = new HeaderCache();
  const options = optionsOf(made);
  let count = 0;
  eachLine(lines.path, (from, to) => {
    const { text } = JSON.parse(LINES.toString('utf8', from, to)) as { text: string };
    counter.addText(machine, new MemorySource(Buffer.from(text)), options, false, headers);
    count++;
  });
  counter.addBytes(lines.bytes);
  return { ...answerOf(counter.result()), lines: count };
}

/** Raw text that is compressed. */
export async function gzipGroup(made: Corpus): Promise<Group> {
  const packed = await gzipped(made);
  const warm = new Warm(1);
  const inflate = (name: string, does: string, chunkSize?: number): Row => ({
    name,
    does,
    async run() {
      let bytes = 0;
      const unpacked = createReadStream(packed.path, chunkSize === undefined ? {} : { highWaterMark: chunkSize })
        .pipe(createGunzip(chunkSize === undefined ? {} : { chunkSize }));
      for await (const chunk of unpacked) bytes += (chunk as Buffer).length;
      return { bytes };
    },
  });
  return {
    name: 'gzip',
    about: `${megabytes(made.counts.bytes)}, ${megabytes(packed.bytes)} of them compressed`,
    base: 'zlib',
    bytes: made.counts.bytes,
    right: { ...made.counts, ...NONE },
    rows: [
      inflate('zlib', 'a stream of the file through createGunzip, dropped'),
      inflate('zlib 256 KiB', 'the same in chunks of 256 KiB', 256 * 1024),
      {
        name: 'scan',
        does: 'decompressed in a thread of its own, counted in this one',
        run: scanned(warm, packed.path, made),
      },
    ],
    goals: ['zlib', 'zlib 256 KiB'].map((base) => ({ row: 'scan', base, least: 1 / GZIP_MOST })),
    close: () => warm.close(),
  };
}

/** Checking beside counting, both in one thread. */
export function checkGroup(made: Corpus): Group {
  const warm = new Warm(1);
  const validated = (source: Source): Source => {
    const { machine } = warm;
    const utf8 = new InvalidUtf8();
    return {
      read(at, into) {
        const read = source.read(at, into);
        const from = into.byteOffset - machine.source.byteOffset;
        if (into.buffer === machine.source.buffer) utf8.watch(machine, at - from, from, from + read, read === 0);
        if (utf8.pending(Infinity)) throw new Error('no valid UTF-8');
        return read;
      },
      bytes: (from, to) => source.bytes(from, to),
      release: (before) => source.release(before),
    };
  };
  return {
    name: 'check',
    about: `${megabytes(made.counts.bytes)} without errors`,
    base: 'scan + UTF-8',
    bytes: made.counts.bytes,
    right: { ...made.counts, ...NONE },
    rows: [
      { name: 'scan', does: 'counts; whether the bytes are UTF-8 is not asked', run: scanned(warm, made.path, made) },
      {
        name: 'scan + UTF-8',
        does: 'the same, and each window is looked through for bytes that are no UTF-8',
        run: scanned(warm, made.path, made, validated),
      },
      {
        name: 'check',
        does: 'every finding, UTF-8 among them',
        async run() {
          let errors = 0;
          const { transcripts } = await warm.each(made.path, optionsOf(made), { kind: 'check', tools: [] }, (piece) => {
            if (!Array.isArray(piece)) return;
            for (const { diagnostic } of piece) if (diagnostic.severity === 'error') errors++;
          });
          return { transcripts, errors };
        },
      },
    ],
    goals: [
      { row: 'check', base: 'scan + UTF-8', least: 1 / CHECK_MOST },
      { row: 'check', base: 'scan', least: 1 / CHECK_MOST },
    ],
    close: () => warm.close(),
  };
}

/** Writing messages as JSON lines beside reading those lines. */
export async function messageGroup(made: Corpus): Promise<Group> {
  const warm = [new Warm(1), new Warm(2)] as const;
  const path = join(cacheFolder(), `${made.name}-${process.pid}.messages.jsonl`);
  const write = async (index: 0 | 1, use: (bytes: Uint8Array) => void): Promise<Partial<Found>> => {
    let outputBytes = 0;
    const work = { kind: 'messages', filters: {}, form: 'lines' } as const;
    const { messages, transcripts } = await warm[index].each(made.path, optionsOf(made), work, (piece) => {
      if (!(piece instanceof Uint8Array)) return;
      outputBytes += piece.length;
      use(piece);
    });
    return { messages, transcripts, outputBytes };
  };
  const fd = openSync(path, 'wx', 0o600);
  let outputBytes: number;
  try {
    ({ outputBytes = 0 } = await write(0, (bytes) => {
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    }));
  } finally {
    closeSync(fd);
  }
  const drop = (): void => {};
  return {
    name: 'messages',
    about: `${megabytes(made.counts.bytes)} to ${megabytes(outputBytes)} of JSON lines`,
    base: 'read back',
    bytes: made.counts.bytes,
    right: { ...made.counts, ...NONE, outputBytes },
    rows: [
      {
        name: 'read back',
        does: 'each line of the output to a string, then JSON.parse',
        run: () => ({ ...readBack(path), outputBytes }),
      },
      {
        name: 'messages 1 thread',
        does: 'transcripts to lines, which are dropped; in this thread',
        run: () => write(0, drop),
      },
      {
        name: 'messages 2 threads', does: 'the same, on two threads that are there already', run: () => write(1, drop),
      },
    ],
    goals: [
      { row: 'messages 2 threads', base: 'read back', least: 2 },
      { row: 'messages 1 thread', base: 'read back', least: 2 },
    ],
    close() {
      warm.forEach((each) => each.close());
      rmSync(path, { force: true });
    },
  };
}

function readBack(path: string): Partial<Found> {
  let messages = 0;
  const roles: Record<string, number> = {};
  const channels: Record<string, number> = {};
  eachLine(path, (from, to) => {
    const { role, channel } = JSON.parse(LINES.toString('utf8', from, to)) as { role: string; channel: string };
    bump(roles, role);
    bump(channels, channel);
    messages++;
  });
  return { messages, roles, channels };
}
