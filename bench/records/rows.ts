// The rows of the section records, in groups: every command and every rival on the dialogues as they are; the variants.
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../corpus.ts';
import type { Found, Goal, Group, Row } from '../group.ts';
import { megabytes } from '../report.ts';
import { RIVALS } from '../rivals.ts';
import {
  AUDIT, BACK, CHECK, type Command, CONVERT, FILTER, HARMONY, Here, MESSAGES, PARQUET, RECORDS, SCAN, SHARE_GPT,
  takesThreads,
} from './commands.ts';
import { type RecordFile, recordFile } from './corpus.ts';
import { loop, LOOPS } from './loop.ts';
import { hasDialogues } from './record.ts';
import { rivals } from './rivals.ts';
import { PLANTED, type Variant } from './variants.ts';

export const LOOP = 'JSON.parse loop';
/** Bytes of records with control tokens in them. */
const PLANTED_SIZE = 1_000_000;

/** How many times as fast as the loop, and what is hoped for: with one thread and with two. */
type Wanted = readonly [one: readonly [number, number], two?: readonly [number, number]];
const WANTED: ReadonlyMap<Command, Wanted> = new Map<Command, Wanted>([
  [SCAN, [[6, 9], [9, 14]]],
  [CHECK, [[4.5, 7], [7, 11]]],
  [MESSAGES, [[3.5, 5], [5, 8]]],
  [PARQUET, [[1, 2], [1.7, 3]]],
  [AUDIT, [[5, 8], [7, 12]]],
  [FILTER, [[2.5, 4]]],
]);
const BOTH_WAYS: Wanted = [[1.5, 3], [2.5, 5]];
/** `check` where definitions do not repeat. */
const CHECK_UNIQUE: Wanted = [[3, 4.5], [4.5, 7]];
/** `scan` of variants that are harder. */
const SCAN_HARDER = 4;
const HARDER: ReadonlySet<string> = new Set(['unique', 'short', 'escapes', 'long']);
/** Variants that people convert to chat records. */
const CONVERTED: ReadonlySet<string> = new Set(['unique', 'sharegpt', 'hermes', 'instructions', 'completions']);

export const nameOf = (name: string, threads: number): string => `${name} ${threads} thread${threads === 1 ? '' : 's'}`;

/** Bytes of a file that is worth a second thread. */
const LARGE = 400e6;

/** Two threads beside one: a gain on a large file where there is work, and no loss anywhere. */
export function threadGoals(size: number): Goal[] {
  const busy = [CHECK, MESSAGES, AUDIT, CONVERT, BACK].map(({ name }) => name);
  return [SCAN, PARQUET, CHECK, MESSAGES, AUDIT, CONVERT, BACK].map(({ name }) => {
    const least = size >= LARGE && busy.includes(name) ? 1.6 : 0.95;
    return { row: nameOf(name, 2), base: nameOf(name, 1), least };
  });
}

function goalsOf(name: string, [one, two]: Wanted): Goal[] {
  const goal = (row: string, [least, aim]: readonly [number, number]): Goal => ({ row, base: LOOP, least, aim });
  return two === undefined ? [goal(name, one)] : [goal(nameOf(name, 1), one), goal(nameOf(name, 2), two)];
}

/** Runs a command and looks at what it wrote. */
export async function answerOf(here: Here, command: Command, path: string): Promise<Partial<Found>> {
  return await inFile(async (output) => {
    await toFile(here, command, path, output);
    return await command.look(output);
  });
}

/** A file that is there for a while. */
async function inFile<T>(use: (path: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(cacheFolder(), 'output-'));
  try {
    return await use(join(folder, 'output'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function toFile(here: Here, command: Command, path: string, output: string): Promise<void> {
  const fd = openSync(output, 'wx', 0o600);
  try {
    await here.run(command, path, fd);
  } finally {
    closeSync(fd);
  }
}

/** A command on a file. */
function rowOf(here: Here, command: Command, path: string, name: string): Row {
  return {
    name,
    does: command.does,
    ...(here.threads > 1 && !takesThreads(command) && { skipped: `${command.args[0]} uses one thread` }),
    async run() {
      await here.run(command, path);
      return {};
    },
    answer: () => answerOf(here, command, path),
  };
}

const rowsOf = (all: readonly Here[], command: Command, path: string): Row[] =>
  all.map((here) => rowOf(here, command, path, nameOf(command.name, here.threads)));

function loopRow({ path }: RecordFile, look = loop): Row {
  const does = 'each line to a string, JSON.parse, messages by role and calls counted';
  return { name: LOOP, does, run: () => look(path) };
}

export interface Measuring {
  size: number;
  seed: number;
  threads: readonly number[];
}

const makeHere = (threads: readonly number[]): Here[] => threads.map((count) => new Here(count));

function aboutOf({ about }: Variant, { found }: RecordFile): string {
  const { lines, messages, calls } = found;
  const kinds = Object.entries({ records: lines, messages, calls });
  const counts = kinds.map(([name, count]) => `${count.toLocaleString('en')} ${name}`);
  const source = hasDialogues() ? '' : '; made, as the real dialogues are not beside the checkout';
  return `${about}: ${megabytes(found.bytes)}, ${counts.join(', ')}${source}`;
}

/** Everything, on the dialogues as they are. */
export async function allRows(variant: Variant, { size, seed, threads }: Measuring): Promise<Group> {
  const file = recordFile(variant, size, seed);
  const { path, found } = file;
  const planted = recordFile(PLANTED, PLANTED_SIZE, seed);
  const all = makeHere(threads);
  const single = new Here(1);
  const text = join(cacheFolder(), `records-${process.pid}.txt`);
  await toFile(single, CONVERT, path, text);
  const others = await rivals(path);
  const read = RIVALS.find(({ name }) => name === 'read 256 KiB')!;
  const input = { ...variant, notation: 'openchatml-2.2', path, counts: found, jsonl: null } as const;
  return {
    name: variant.name,
    about: aboutOf(variant, file),
    base: LOOP,
    bytes: found.bytes,
    right: { ...found, hiddenTokens: found.hiddenTokens + planted.found.hiddenTokens },
    rows: [
      loopRow(file),
      { name: read.name, does: read.does, run: () => read.run(input) },
      ...[SCAN, CHECK, MESSAGES, PARQUET].flatMap((command) => rowsOf(all, command, path)),
      ...all.map((here) => auditRow(here, path, planted.path)),
      rowOf(single, FILTER, path, FILTER.name),
      ...all.flatMap((here) => convertRows(here, path, text)),
      ...[RECORDS, HARMONY, SHARE_GPT].flatMap((command) => rowsOf(all, command, path)),
      ...others.rows,
    ],
    goals: [
      ...[...WANTED].flatMap(([{ name }, wanted]) => goalsOf(name, wanted)),
      ...goalsOf('convert and back', BOTH_WAYS),
      ...threadGoals(size),
      ...others.goals,
    ],
    close() {
      for (const here of [...all, single]) here.close();
      others.close();
      rmSync(text, { force: true });
    },
  };
}

/** `audit` answers with what it finds in the dialogues, where nothing is hidden, and in records where something is. */
function auditRow(here: Here, path: string, planted: string): Row {
  return {
    ...rowOf(here, AUDIT, path, nameOf(AUDIT.name, here.threads)),
    async answer() {
      const [none, some] = [await answerOf(here, AUDIT, path), await answerOf(here, AUDIT, planted)];
      return { hiddenTokens: none.hiddenTokens! + some.hiddenTokens! };
    },
  };
}

function convertRows(here: Here, path: string, text: string): Row[] {
  const to = rowOf(here, CONVERT, path, nameOf(CONVERT.name, here.threads));
  const back = rowOf(here, BACK, text, nameOf(BACK.name, here.threads));
  const both: Row = {
    ...to,
    name: nameOf('convert and back', here.threads),
    does: 'both, one after the other',
    async run() {
      await to.run();
      return await back.run();
    },
    answer: () =>
      inFile(async (output) => {
        await toFile(here, CONVERT, path, output);
        return await answerOf(here, BACK, output);
      }),
  };
  return [to, back, both];
}

/** `scan`, `check` where definitions are what varies, and a conversion to chat records. */
export function variantRows(variant: Variant, { size, seed, threads }: Measuring): Group {
  const file = recordFile(variant, size, seed);
  const all = makeHere(threads);
  const isUnique = variant.name === 'unique' || variant.name === 'short';
  const least = { row: nameOf(SCAN.name, 1), base: LOOP, least: SCAN_HARDER };
  return {
    name: variant.name,
    about: aboutOf(variant, file),
    base: LOOP,
    bytes: file.found.bytes,
    right: file.found,
    rows: [
      loopRow(file, LOOPS[variant.name] ?? loop),
      ...rowsOf(all, SCAN, file.path),
      ...(isUnique ? rowsOf(all, CHECK, file.path) : []),
      ...(CONVERTED.has(variant.name) ? rowsOf(all, RECORDS, file.path) : []),
    ],
    goals: [...(HARDER.has(variant.name) ? [least] : []), ...(isUnique ? goalsOf(CHECK.name, CHECK_UNIQUE) : [])],
    close: () => all.forEach((here) => here.close()),
  };
}
