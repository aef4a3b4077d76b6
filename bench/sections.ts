// The three sections: files (everything from a file on disk to the answer), memory (bytes that are in memory already)
// and linear (each hostile shape at a size and at twice that size).
import { readFileSync } from 'node:fs';
import { Bench } from 'tinybench';
import { check } from './check.ts';
import { START } from './commands.ts';
import type { Contender, FileInput, MemoryContender, MemoryInput } from './contender.ts';
import { type Kind, corpus, hostile, jsonl } from './corpus.ts';
import type { Shape } from './hostile.ts';
import { type Job, interleave, median } from './measure.ts';
import { type Result, fixed, megabytes, resultTable, table } from './report.ts';

export interface Settings {
  size: number;
  seed: number;
  rounds: number;
  base: string;
  log(line: string): void;
}

export interface Outcome {
  results: Result[];
  wrong: number;
}

/** Growing by more than this when the input doubles is no longer linear, with some room for noise. */
export const LINEAR = 2.6;
const MEMORY_SIZE = 16_000_000;
/** Milliseconds that a row in memory runs for in each round. */
const MEMORY_TIME = 150;

export async function files(kind: Kind, contenders: readonly Contender[], settings: Settings): Promise<Outcome> {
  const { size, seed, rounds, log } = settings;
  const made = corpus(kind, size, seed);
  const fit = contenders.filter(({ unfit }) => (unfit?.(made) ?? null) === null);
  const lines = fit.some((row) => row.jsonl) ? jsonl(kind, size, seed, made.counts) : null;
  const input: FileInput = { ...made, jsonl: lines };
  log(`\nfiles: ${kind.name} (${kind.about}), ${about(input)}`);
  const outcome: Outcome = { results: [], wrong: 0 };
  const jobs: Job[] = [];
  if (START.unfit?.(made) === null) jobs.push({ name: START.name, run: () => START.run(input) });
  const prepared: Contender[] = [];
  try {
    for (const row of contenders) {
      const result = blank('files', input, row);
      outcome.results.push(result);
      const reason = row.unfit?.(made) ?? null;
      if (reason !== null) {
        result.note = `skipped: ${reason}`;
        continue;
      }
      prepared.push(row);
      await row.prepare?.(input);
      const verdict = await check(row.exact, made.counts, () => row.run(input));
      result.note = verdict.note;
      if (verdict.wrong) outcome.wrong++;
      if (verdict.usable) jobs.push({ name: row.name, run: () => row.run(input) });
    }
    const timings = new Map((await interleave(jobs, rounds)).map(({ name, times }) => [name, times]));
    const starting = median(timings.get(START.name) ?? [0]);
    for (const [i, row] of contenders.entries()) {
      const times = timings.get(row.name) ?? [];
      if (times.length === 0) continue;
      const result = outcome.results[i] as Result;
      const ms = median(times) - (row.command ? starting : 0);
      if (ms > 0) finish(result, ms, times.length);
      else result.note = `${result.note} no longer than starting a command: take a larger file`.trim();
    }
    const base = compare(outcome.results, settings.base);
    log(resultTable(outcome.results, base));
    if (starting > 0) log(`  (${fixed(starting, 1)} ms, the time of starting a command, is taken off the commands)`);
  } finally {
    for (const row of prepared) await row.dispose?.();
  }
  return outcome;
}

export async function memory(
  kind: Kind,
  contenders: readonly MemoryContender[],
  settings: Settings,
): Promise<Outcome> {
  const { seed, rounds, log } = settings;
  const made = corpus(kind, Math.min(MEMORY_SIZE, settings.size), seed);
  const bytes = readFileSync(made.path);
  const input: MemoryInput = { ...made, bytes, text: bytes.toString('utf8') };
  log(`\nmemory: ${kind.name}, ${about(input)}`);
  const outcome: Outcome = { results: [], wrong: 0 };
  const timed: { row: MemoryContender; times: number[] }[] = [];
  for (const row of contenders) {
    const result = blank('memory', input, row);
    outcome.results.push(result);
    const reason = row.unfit?.(made) ?? null;
    if (reason !== null) {
      result.note = `skipped: ${reason}`;
      continue;
    }
    await row.prepare?.(input);
    const verdict = await check(row.exact, made.counts, () => row.run(input));
    result.note = verdict.note;
    if (verdict.wrong) outcome.wrong++;
    if (verdict.usable) timed.push({ row, times: [] });
  }
  // tinybench runs its tasks one after another; short runs of all of them, several times, make rounds.
  for (let round = 0; round < rounds; round++) {
    const bench = new Bench({ time: MEMORY_TIME, iterations: 3, warmup: round === 0, throws: true });
    for (const { row } of timed) bench.add(row.name, () => row.run(input));
    await bench.run();
    for (const [i, { result }] of bench.tasks.entries()) {
      if ('latency' in result) timed[i]?.times.push(result.latency.p50);
    }
  }
  for (const { row, times } of timed) {
    const result = outcome.results[contenders.indexOf(row)] as Result;
    finish(result, median(times), times.length);
  }
  log(resultTable(outcome.results, compare(outcome.results, 'regex parser')));
  return outcome;
}

export async function linear(
  shapes: readonly Shape[],
  contenders: readonly Contender[],
  settings: Settings,
): Promise<Outcome> {
  const { size, rounds, log } = settings;
  const outcome: Outcome = { results: [], wrong: 0 };
  log(`\nlinear: hostile shapes of ${megabytes(size)} and twice that, minimum of ${rounds}`);
  const rows: string[][] = [['shape', 'row', 'ms', 'ms at 2n', 'ratio', 'GB/s', `<= ${LINEAR}`]];
  for (const shape of shapes) {
    const once: FileInput = { ...hostile(shape, size), jsonl: null };
    const twice: FileInput = { ...hostile(shape, 2 * size), jsonl: null };
    for (const row of contenders) {
      if (row.hostile !== true || (row.unfit?.(once) ?? null) !== null) continue;
      const result = blank('linear', once, row);
      outcome.results.push(result);
      const jobs: Job[] = [];
      try {
        for (const input of [once, twice]) {
          await row.prepare?.(input);
          const verdict = await check(row.exact, input.counts, () => row.run(input));
          if (verdict.wrong) outcome.wrong++;
          if (verdict.note !== '') result.note = verdict.note;
          if (verdict.usable) jobs.push({ name: input.path, run: () => row.run(input) });
        }
        if (jobs.length < 2) {
          rows.push([shape.name, row.name, '-', '-', '-', '-', result.note]);
          continue;
        }
        const [a, b] = (await interleave(jobs, rounds)).map(({ times }) => Math.min(...times)) as [number, number];
        finish(result, a, rounds);
        result.ms2 = b;
        result.ratio = b / a;
        const speed = fixed(twice.counts.bytes / b / 1e6, 2);
        const verdict = `${result.ratio <= LINEAR ? 'yes' : 'NO'} ${result.note}`.trim();
        rows.push([shape.name, row.name, fixed(a, 1), fixed(b, 1), fixed(result.ratio, 2), speed, verdict]);
      } finally {
        await row.dispose?.();
      }
    }
  }
  log(table(rows));
  return outcome;
}

function about({ counts, notation }: FileInput | MemoryInput): string {
  const { bytes, messages, transcripts, calls } = counts;
  const count = (n: number, what: string): string => `${n.toLocaleString('en')} ${what}${n === 1 ? '' : 's'}`;
  const parts = [count(messages, 'message'), count(transcripts, 'transcript'), count(calls, 'call')];
  return [notation, megabytes(bytes), ...parts].join(', ');
}

function blank(section: Result['section'], input: FileInput | MemoryInput, row: Contender | MemoryContender): Result {
  return {
    section,
    corpus: input.name,
    notation: input.notation,
    bytes: input.counts.bytes,
    row: row.name,
    does: row.does,
    ms: null,
    gigabytesPerSecond: null,
    toBase: null,
    base: null,
    rounds: 0,
    note: '',
  };
}

function finish(result: Result, ms: number, rounds: number): void {
  result.ms = ms;
  result.gigabytesPerSecond = result.bytes / ms / 1e6;
  result.rounds = rounds;
}

/** Sets the ratios to the base row, or to the first row that was timed where there is no such row. */
function compare(results: readonly Result[], wanted: string): string | null {
  const timed = results.filter(({ ms }) => ms !== null);
  const base = timed.find(({ row }) => row === wanted) ?? timed[0];
  if (base === undefined) return null;
  for (const result of timed) {
    result.base = base.row;
    result.toBase = (base.ms as number) / (result.ms as number);
  }
  return base.row;
}
