// Corpus files: made once, kept in a cache folder with the right counts beside them, used again when they are there.
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeChats } from './chat.ts';
import type { Counts } from './counts.ts';
import { type Shape, writeShape } from './hostile.ts';
import type { Notation } from './notation.ts';
import { writeFile } from './output.ts';
import { PROFILES, type Profile } from './profiles.ts';
import { JsonlWriter, TextWriter } from './writers.ts';

/** Goes up with every change of what is generated, so that old files are not taken for new ones. */
export const GENERATOR = 1;

export interface Corpus {
  name: string;
  about: string;
  notation: Notation;
  path: string;
  counts: Counts;
}

export interface JsonlCorpus {
  path: string;
  bytes: number;
  lines: number;
}

export interface Kind {
  name: string;
  aliases: readonly string[];
  about: string;
  notation: Notation;
  profile: Profile;
}

const MIXED = PROFILES[0] as Profile;

/** Every corpus that can be asked for by name. */
export const KINDS: readonly Kind[] = [
  ...PROFILES.map((profile): Kind => ({ ...profile, notation: 'openchatml-2.2', profile })),
  { name: 'im', aliases: [], about: 'mixed, in OpenChatML 0.1', notation: 'openchatml-0.1', profile: MIXED },
  { name: 'harmony', aliases: [], about: 'mixed, in Harmony', notation: 'harmony', profile: MIXED },
];

/** Bodies are cut from pools that are much larger than any window a scanner works in, and small for small corpora. */
const POOL = { min: 1 << 17, max: 1 << 22 };

/** A file of the real dialogues, which may lie beside the checkout. */
export const dialogues = (name: string): URL => new URL(`../../shared/data/dialogues/${name}`, import.meta.url);

export function cacheFolder(): string {
  const folder = process.env['OPENCHATML_BENCH_DIR'] || join(tmpdir(), 'openchatml-bench');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

export function corpus(kind: Kind, size: number, seed: number, folder = cacheFolder()): Corpus {
  const { name, about, notation, profile } = kind;
  const extension = notation === 'harmony' ? 'harmony' : 'txt';
  const path = join(folder, `${name}-${size}-${seed}-v${GENERATOR}.${extension}`);
  const counts = cached<Counts>(path, () =>
    writeFile(path, (output) => {
      const writer = new TextWriter(output, notation, size);
      writeChats(profile, notation, seed, poolSize(size), writer);
      return writer.counts();
    }),
  );
  return { name, about, notation, path, counts };
}

/** The same chats as JSON lines, for readers of JSON. */
export function jsonl(kind: Kind, size: number, seed: number, counts: Counts, folder = cacheFolder()): JsonlCorpus {
  const path = join(folder, `${kind.name}-${size}-${seed}-v${GENERATOR}.jsonl`);
  const made = cached<{ bytes: number; lines: number }>(path, () =>
    writeFile(path, (output) => {
      const writer = new JsonlWriter(output, counts.messages);
      writeChats(kind.profile, kind.notation, seed, poolSize(size), writer);
      return { bytes: output.bytes, lines: writer.lines };
    }),
  );
  return { path, ...made };
}

export function hostile(shape: Shape, size: number, folder = cacheFolder()): Corpus {
  const path = join(folder, `hostile-${shape.name}-${size}-v${GENERATOR}.txt`);
  const counts = cached<Counts>(path, () => writeFile(path, (output) => writeShape(shape, size, output)));
  return { name: shape.name, about: shape.about, notation: 'openchatml-2.2', path, counts };
}

export function poolSize(size: number): number {
  return Math.max(POOL.min, Math.min(POOL.max, size));
}

/** What the sidecar of a file says, when both are there and agree on the length; else what `make` gives. */
export function cached<T extends { bytes: number }>(path: string, make: () => T): T {
  const sidecar = `${path}.json`;
  if (existsSync(path) && existsSync(sidecar)) {
    const known = JSON.parse(readFileSync(sidecar, 'utf8')) as T;
    if (known.bytes === statSync(path).size) return known;
  }
  const made = make();
  writeFile(sidecar, (output) => output.utf8(`${JSON.stringify(made, null, 1)}\n`));
  return made;
}
