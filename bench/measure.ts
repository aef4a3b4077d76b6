// Interleaved measuring: A, B, C, A, B, C, …, so that a noisy minute of the machine falls on every row alike.

export interface Job {
  name: string;
  run(): unknown;
}

export interface Timing {
  name: string;
  /** Milliseconds, one for each round that the job took part in. */
  times: number[];
}

/** The last result of a job is kept here, so that no engine may find out that nobody looks at it. */
export let sink: unknown;

export async function time(run: () => unknown): Promise<number> {
  // A collection that an earlier job caused would otherwise fall into the time of this one. Without a type it would also drop what the engine
  // has compiled, and each round would begin cold.
  globalThis.gc?.({ type: 'major' });
  const begin = performance.now();
  sink = await run();
  return performance.now() - begin;
}

/**
 * Rounds over all jobs. A job that has used up `budget` milliseconds after two rounds sits out the rest: medians of
 * slow rows need fewer rounds than those of fast ones.
 */
export async function interleave(jobs: readonly Job[], rounds: number, budget = 20_000): Promise<Timing[]> {
  const timings = jobs.map(({ name }): Timing => ({ name, times: [] }));
  for (let round = 0; round < rounds; round++) {
    for (const [i, { run }] of jobs.entries()) {
      const { times } = timings[i] as Timing;
      if (round >= 2 && times.reduce((a, b) => a + b, 0) > budget) continue;
      times.push(await time(run));
    }
  }
  return timings;
}

/** Runs a job until it has taken `budget` milliseconds: an engine compiles what it runs often, a little at a time. */
export async function warmUp({ run }: Job, budget = 1500): Promise<void> {
  for (let spent = 0; spent < budget; ) spent += await time(run);
}

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return Number.NaN;
  if (sorted.length % 2 === 1) return sorted[middle] as number;
  return ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}
