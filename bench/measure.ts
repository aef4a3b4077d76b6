// Interleaved measuring: A, B, C, A, B, C, …, so that a noisy minute of the machine falls on every row alike.

export interface Job {
  name: string;
  run(): unknown;
}

export interface Timing {
  name: string;
  /** Milliseconds, one for each round that the job took part in. */
  times: number[];
  /** The same in processor time of all threads of this process. */
  cpu: number[];
}

/** What a run took, in milliseconds. */
export interface Spent {
  time: number;
  cpu: number;
}

/** The last result of a job is kept here, so that no engine may find out that nobody looks at it. */
export let sink: unknown;

export async function time(run: () => unknown): Promise<Spent> {
  // A collection that an earlier job caused would otherwise fall into the time of this one. Without a type it would
  // also drop what the engine has compiled, and each round would begin cold.
  globalThis.gc?.({ type: 'major' });
  const used = process.cpuUsage();
  const begin = performance.now();
  sink = await run();
  const time = performance.now() - begin;
  const { user, system } = process.cpuUsage(used);
  return { time, cpu: (user + system) / 1000 };
}

/**
 * Rounds over all jobs. A job that has used up `budget` milliseconds after two rounds sits out the rest: medians of
 * slow rows need fewer rounds than those of fast ones.
 */
export async function interleave(jobs: readonly Job[], rounds: number, budget = 20_000): Promise<Timing[]> {
  const timings = jobs.map(({ name }): Timing => ({ name, times: [], cpu: [] }));
  for (let round = 0; round < rounds; round++) {
    for (const [i, { run }] of jobs.entries()) {
      const { times, cpu } = timings[i] as Timing;
      if (round >= 2 && times.reduce((a, b) => a + b, 0) > budget) continue;
      const spent = await time(run);
      times.push(spent.time);
      cpu.push(spent.cpu);
    }
  }
  return timings;
}

/** Milliseconds: an engine compiles what it runs often, a little at a time. */
const WARM = 1500;

/** Runs a job until it is warm; it has run for `spent` milliseconds already. */
export async function warmUp({ run }: Job, spent = 0): Promise<void> {
  while (spent < WARM) spent += (await time(run)).time;
}

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return Number.NaN;
  if (sorted.length % 2 === 1) return sorted[middle] as number;
  return ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}
