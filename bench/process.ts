// The section process: commands as whole processes, from start to exit, on chat records: time, processor time, memory.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Asked, askedUsage } from './asked.ts';
import { check } from './check.ts';
import { cacheFolder } from './corpus.ts';
import { type Found, verdictOf } from './group.ts';
import { median } from './measure.ts';
import { type Look, LOOKS } from './records/answers.ts';
import {
  ARROW, AUDIT, BACK, CHECK, type Command, commandLine, CONVERT, FILTER, isFine, MESSAGES, PARQUET, RENDER, RUN, SCAN,
  takesThreads,
} from './records/commands.ts';
import { type RecordFile, recordFile } from './records/corpus.ts';
import { LOOP, type Measuring, nameOf, threadGoals } from './records/rows.ts';
import { VARIANTS } from './records/variants.ts';
import { fixed, megabytes, type Result, resultTable } from './report.ts';
import type { Outcome, Settings } from './sections.ts';

const COMMAND = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const LOOP_COMMAND = fileURLToPath(new URL('./loop-command.js', import.meta.url));
/** What a command may have resident at most. */
const MOST_MEMORY = 250 * 2 ** 20;
/** How many times the processor time of `node -e 0` a scan of nothing may take. */
const MOST_START = 1.6;
const START_ROUNDS = 31;
/** A row that has taken so many milliseconds sits out further rounds. */
const BUDGET = 30_000;
/** Of commands as they are typed: on as many threads as they take by themselves. */
const GOALS = [
  { row: SCAN.name, base: LOOP, least: 4.5, aim: 7 },
  { row: CHECK.name, base: LOOP, least: 3.5, aim: 5 },
];

/** What the system tells of a process. */
interface Usage {
  ms: number;
  cpu: number;
  memory: number;
  status: number;
  words: string;
}

interface ProcessRow {
  name: string;
  does: string;
  /** `folder`: there for this run only. */
  argv(folder: string): string[];
  input: string | null;
  look: Look;
}

export async function processes(
  wanted: readonly string[] | null, measuring: Measuring, settings: Settings,
): Promise<Outcome> {
  if (!existsSync(COMMAND)) throw new Error('dist/ is not there: npm run build');
  const usage = await askedUsage();
  if (typeof usage === 'string') {
    settings.log(`\nprocess: skipped: ${usage}`);
    return { results: [], wrong: 0 };
  }
  try {
    const commands = await measureCommands(usage, wanted, measuring, settings);
    const starts = wanted === null || wanted.includes('start') ? await measureStart(usage, settings) : [];
    return { results: [...commands.results, ...starts], wrong: commands.wrong };
  } finally {
    usage.close();
  }
}

async function measureCommands(
  usage: Asked, wanted: readonly string[] | null, { size, seed, threads }: Measuring, { rounds, log }: Settings,
): Promise<Outcome> {
  const outcome: Outcome = { results: [], wrong: 0 };
  const file = recordFile(VARIANTS[0]!, size, seed);
  const scratch = mkdtempSync(join(cacheFolder(), 'process-'));
  try {
    const text = join(scratch, 'text');
    const rows = commandRows(file, text, threads).filter(({ name }) => wanted?.includes(name) ?? true);
    if (rows.length === 0) return outcome;
    log(`\nprocess: whole processes, ${megabytes(file.found.bytes)} of chat records`);
    const convert = ourRow(CONVERT, file.path, 1);
    await run(usage, convert, scratch, text);
    const usable: ProcessRow[] = [];
    for (const row of rows) {
      const result = blank(row, file.found.bytes);
      outcome.results.push(result);
      const output = join(scratch, 'output');
      const verdict = await check(true, rightOf(file), async () => {
        await run(usage, row, scratch, output);
        return await row.look(output);
      });
      rmSync(output, { force: true });
      result.note = verdict.note;
      if (verdict.wrong) outcome.wrong++;
      if (verdict.usable) usable.push(row);
    }
    const spent = await interleaved(usage, usable, scratch, rounds);
    for (const [i, row] of rows.entries()) take(outcome.results[i]!, spent.get(row.name));
  } finally {
    rmSync(scratch, { recursive: true });
  }
  const base = outcome.results.find(({ row }) => row === LOOP)?.ms ?? null;
  for (const result of outcome.results) {
    if (base === null || result.ms === null) continue;
    result.base = LOOP;
    result.toBase = base / result.ms;
  }
  log(resultTable(outcome.results, base === null ? null : LOOP));
  const goals = [...GOALS, ...threadGoals(size)];
  for (const line of goals.flatMap((goal) => verdictOf(goal, outcome.results))) log(`  ${line}`);
  log(`  ${memoryVerdict(outcome.results)}`);
  return outcome;
}

/** Nothing is hidden in the dialogues. */
const rightOf = ({ found }: RecordFile): Found => ({ ...found, hiddenTokens: 0 });

function commandRows({ path }: RecordFile, text: string, threads: readonly number[]): ProcessRow[] {
  const looping = [process.execPath, LOOP_COMMAND, path];
  const ours = [SCAN, CHECK, MESSAGES, PARQUET, ARROW, AUDIT, CONVERT, RENDER];
  return [
    { name: 'cat', does: 'reads the file', argv: () => ['cat', '--', path], input: null, look: LOOKS.none },
    { name: LOOP, does: 'parses each line', argv: () => looping, input: null, look: LOOKS.looped },
    ...[SCAN, CHECK].map((command) => ourRow(command, path, null)),
    ...ours.flatMap((command) => rowsOf(command, path, threads)),
    ...rowsOf(BACK, text, threads),
    ourRow(FILTER, path, 1),
    ourRow(RUN, path, 1),
  ];
}

function rowsOf(command: Command, path: string, threads: readonly number[]): ProcessRow[] {
  return (takesThreads(command) ? threads : [1]).map((count) => ourRow(command, path, count));
}

/** `threads` null: as many as the command itself takes. */
function ourRow(command: Command, path: string, threads: number | null): ProcessRow {
  const { name, does, look, isPiped } = command;
  return {
    name: threads !== null && takesThreads(command) ? nameOf(name, threads) : name,
    does,
    look,
    input: isPiped ? path : null,
    argv(folder) {
      const more = command === RUN ? ['--out', join(folder, 'out')] : [];
      return [process.execPath, COMMAND, ...commandLine(command, path, threads), ...more];
    },
  };
}

/** Runs a row once; `output`: where its standard output goes, nowhere without it. */
async function run(usage: Asked, row: ProcessRow, scratch: string, output: string | null = null): Promise<Usage> {
  const folder = mkdtempSync(join(scratch, 'run-'));
  try {
    const question = { argv: row.argv(folder), output, input: row.input };
    const used = await usage.line<Usage>(JSON.stringify(question));
    if (!isFine(used.status)) throw new Error(`${row.name} ended with ${used.status}: ${used.words.trimEnd()}`);
    return used;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function interleaved(
  usage: Asked, rows: readonly ProcessRow[], scratch: string, rounds: number,
): Promise<Map<string, Usage[]>> {
  const spent = new Map(rows.map(({ name }): [string, Usage[]] => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const row of rows) {
      const used = spent.get(row.name)!;
      if (used.reduce((sum, { ms }) => sum + ms, 0) > BUDGET) continue;
      used.push(await run(usage, row, scratch));
    }
  }
  return spent;
}

function take(result: Result, spent: readonly Usage[] = []): void {
  if (spent.length === 0) return;
  const ms = median(spent.map((usage) => usage.ms));
  result.ms = ms;
  result.cpu = median(spent.map(({ cpu }) => cpu));
  // Of a small program it would be that of the one that started it.
  if (result.row !== 'cat') result.memory = Math.max(...spent.map(({ memory }) => memory));
  result.gigabytesPerSecond = result.bytes / ms / 1e6;
  result.rounds = spent.length;
}

function memoryVerdict(results: readonly Result[]): string {
  const ours = results.filter(({ row, memory }) => row !== LOOP && memory !== undefined);
  const over = ours.filter(({ memory }) => memory! > MOST_MEMORY).map(({ row }) => row);
  const verdict = over.length === 0 ? 'reached' : `MISSED by ${over.join('; ')}`;
  return `memory of a command at most ${fixed(MOST_MEMORY / 2 ** 20, 0)} MiB: ${verdict}`;
}

async function measureStart(usage: Asked, { rounds, log }: Settings): Promise<Result[]> {
  const scratch = mkdtempSync(join(cacheFolder(), 'start-'));
  const [base, scan] = ['node -e 0', 'scan of an empty file'];
  try {
    const empty = join(scratch, 'empty.jsonl');
    writeFileSync(empty, '');
    const node = { name: base, does: 'starts and ends', argv: () => [process.execPath, '-e', '0'] };
    const ours = { name: scan, does: 'counts nothing', argv: () => [process.execPath, COMMAND, 'scan', empty] };
    const rows = [node, ours].map((row): ProcessRow => ({ ...row, input: null, look: LOOKS.none }));
    log('\nprocess: start');
    const spent = await interleaved(usage, rows, scratch, Math.max(rounds, START_ROUNDS));
    const results = rows.map((row) => {
      const result = blank(row, 0);
      take(result, spent.get(row.name));
      return { ...result, gigabytesPerSecond: null };
    });
    log(resultTable(results, null));
    const ratio = results[1]!.cpu! / results[0]!.cpu!;
    const verdict = ratio <= MOST_START ? 'reached' : 'MISSED';
    log(`  ${scan} : ${base} = ${fixed(ratio, 2)} in processor time, at most ${fixed(MOST_START, 2)}: ${verdict}`);
    return results;
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function blank({ name, does }: ProcessRow, bytes: number): Result {
  return {
    section: 'process', corpus: 'chat records', notation: 'openchatml-2.2', bytes, row: name, does,
    ms: null, gigabytesPerSecond: null, toBase: null, base: null, rounds: 0, note: '',
  };
}
