// Rows that are measured together, interleaved: a base, the numbers that each must find, how fast they are meant to be.
import { check } from './check.ts';
import { START } from './commands.ts';
import type { Corpus } from './corpus.ts';
import type { Counts } from './counts.ts';
import { interleave, type Job, median, type Timing, warmUp } from './measure.ts';
import { fixed, type Result, resultTable } from './report.ts';
import type { Outcome, Settings } from './sections.ts';

/** What rows may find. */
export interface Found extends Counts {
  lines: number;
  textBytes: number;
  /** Findings of severity error. */
  errors: number;
  outputBytes: number;
  /** Transcripts that define tools. */
  definitions: number;
  /** Control tokens in texts that should hold none. */
  hiddenTokens: number;
}

/** None of what only some corpora hold. */
export const NONE = { lines: 0, textBytes: 0, errors: 0, outputBytes: 0, definitions: 0, hiddenTokens: 0 } as const;

export interface Row {
  name: string;
  does: string;
  /** It runs a command: the time that starting any command takes is subtracted. */
  command?: true;
  /** Another process that is there already does the work: its processor time is not known. */
  elsewhere?: true;
  /** Shown beside its numbers. */
  note?: string;
  /** Why it cannot run. */
  skipped?: string;
  run(): Partial<Found> | Promise<Partial<Found>>;
  /** Looks at what `run` drops. Runs once, before anything is timed; without it `run` does. */
  answer?(): Promise<Partial<Found>>;
}

/** How many times as fast as `base` a row is meant to be. */
export interface Goal {
  row: string;
  base: string;
  least: number;
  /** What is hoped for. */
  aim?: number;
}

export interface Group {
  name: string;
  about: string;
  base: string;
  /** Bytes that GB/s are told of. */
  bytes: number;
  right: Found;
  rows: Row[];
  goals: Goal[];
  close(): void;
}

/** Checks the answers of a group's rows and measures them; `wanted`: rows by name, or null for all. */
export async function measured(
  section: Result['section'], heading: string, group: Group, wanted: readonly string[] | null, made: Corpus,
  settings: Settings,
): Promise<Outcome> {
  const { rounds, log } = settings;
  const rows = group.rows.filter(({ name }) => wanted?.includes(name) ?? true);
  const outcome: Outcome = { results: [], wrong: 0 };
  if (rows.length === 0) return outcome;
  log(`\n${section}: ${heading}`);
  const jobs: Job[] = [];
  const isStarting = rows.some(({ command, skipped }) => command && skipped === undefined);
  if (isStarting && START.unfit?.(made) === null) {
    jobs.push({ name: START.name, run: () => START.run({ ...made, jsonl: null }) });
  }
  for (const row of rows) {
    const result = blank(section, group, made, row);
    outcome.results.push(result);
    if (row.skipped !== undefined) {
      result.note = `skipped: ${row.skipped}`;
      continue;
    }
    const begin = performance.now();
    const verdict = await check(true, group.right, () => row.answer?.() ?? row.run());
    const spent = performance.now() - begin;
    result.note = verdict.note || (row.note ?? '');
    if (verdict.wrong) outcome.wrong++;
    if (!verdict.usable) continue;
    const job = { name: row.name, run: () => row.run() };
    if (!row.command) await warmUp(job, spent);
    jobs.push(job);
  }
  take(outcome.results, rows, group, await interleave(jobs, rounds));
  log(resultTable(outcome.results, outcome.results.find(({ base }) => base !== null)?.base ?? null));
  for (const line of group.goals.flatMap((goal) => verdictOf(goal, outcome.results))) log(`  ${line}`);
  return outcome;
}

/** Times into results, and ratios to the base. */
function take(results: readonly Result[], rows: readonly Row[], group: Group, timings: readonly Timing[]): void {
  const timingOf = (name: string): Timing | undefined => timings.find((timing) => timing.name === name);
  const starting = median(timingOf(START.name)?.times ?? [0]);
  for (const [i, row] of rows.entries()) {
    const timing = timingOf(row.name);
    const result = results[i]!;
    if (!timing) continue;
    const ms = median(timing.times) - (row.command ? starting : 0);
    if (ms <= 0) {
      result.note = 'no longer than starting a command: take a larger corpus';
      continue;
    }
    result.ms = ms;
    if (!row.command && !row.elsewhere) result.cpu = median(timing.cpu);
    result.gigabytesPerSecond = group.bytes / ms / 1e6;
    result.rounds = timing.times.length;
  }
  const base = results.find(({ row }) => row === group.base)?.ms ?? null;
  for (const result of results) {
    if (base === null || result.ms === null) continue;
    result.base = group.base;
    result.toBase = base / result.ms;
  }
}

/** Whether a goal is reached; nothing when one of its rows was not timed. */
export function verdictOf({ row, base, least, aim }: Goal, results: readonly Result[]): string[] {
  const [ours, theirs] = [row, base].map((name) => results.find((result) => result.row === name));
  if (ours?.ms == null || theirs?.ms == null) return [];
  const ratio = theirs.ms / ours.ms;
  const known = ours.cpu !== undefined && theirs.cpu !== undefined;
  const cpu = known ? ` (${fixed(theirs.cpu! / ours.cpu!, 2)} in processor time)` : '';
  const wanted = `wanted ${fixed(least, 2)}${aim === undefined ? '' : `, aim ${fixed(aim, 2)}`}`;
  const verdict = ratio < least ? 'MISSED' : aim === undefined || ratio < aim ? 'reached' : 'reached, with the aim';
  return [`${row} : ${base} = ${fixed(ratio, 2)}${cpu}, ${wanted}: ${verdict}`];
}

function blank(section: Result['section'], group: Group, made: Corpus, { name, does }: Row): Result {
  const { notation } = made;
  const shared = { section, corpus: `${made.name}, ${group.name}`, notation, bytes: group.bytes } as const;
  return {
    ...shared, row: name, does, ms: null, gigabytesPerSecond: null, toBase: null, base: null, rounds: 0, note: '',
  };
}
