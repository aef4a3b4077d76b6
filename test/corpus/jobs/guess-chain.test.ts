// Parts that are counted from a guess, joined.
import { expect, test } from 'vitest';
import { InputError } from '../../../src/corpus/error.ts';
import { guessChain } from '../../../src/corpus/jobs/guess-chain.ts';
import { type Job, type JobResult, NO_RESULT, type Part } from '../../../src/corpus/jobs/job.ts';
import { joined } from '../../../src/corpus/jobs/joined.ts';
import type { Jobs, Running } from '../../../src/corpus/jobs/pool.ts';
import type { Checkpoint } from '../../../src/model/part-walk.ts';

const endAt = (position: number): Checkpoint => ({ position } as Checkpoint);

/** Jobs that count; `counts` answers for a part, or throws. */
const jobsOf = (counts: (part: Part) => Partial<JobResult>): Jobs => ({
  threads: 1,
  start: ({ part }: Job) => ({
    next: async () => ({ result: { ...NO_RESULT, ...counts(part) } }),
    drop: () => {},
  }),
} as unknown as Jobs);

const PARTS: readonly Part[] = [
  { of: 'raw', start: null, to: 10 }, { of: 'guess', from: 10, to: 20, like: null }, { of: 'raw', start: null, to: 30 },
] as unknown as Part[];

test('a guess that fails is done again from where the part before ended', async () => {
  const asked: Part[] = [];
  const jobs = jobsOf((part) => {
    asked.push(part);
    if (part.of === 'guess') throw new InputError('x', 'holds too much');
    return { bytes: 10, end: endAt((part as { readonly to: number }).to) };
  });
  const ends: (number | undefined)[] = [];
  for await (const { end } of guessChain(jobs, {} as never, PARTS)) ends.push(end?.position);
  expect(ends).toEqual([10, 20, 30]);
  expect(asked).toContainEqual({ of: 'raw', start: endAt(10), to: 20 });
});

test('a part that fails when it is done again fails', async () => {
  const jobs = jobsOf((part) => {
    if (part !== PARTS[0]) throw new InputError('x', 'holds too much');
    return { bytes: 10, end: endAt(10) };
  });
  const counted = guessChain(jobs, {} as never, PARTS);
  await counted.next();
  await expect(counted.next()).rejects.toThrow('holds too much');
});

test('what is wrong with a guess beside its input is no wrong guess', async () => {
  const jobs = jobsOf((part) => {
    if (part.of === 'guess') throw new Error('a bug');
    return { bytes: 10, end: endAt((part as { readonly to: number }).to) };
  });
  const counted = guessChain(jobs, {} as never, PARTS);
  await counted.next();
  await expect(counted.next()).rejects.toThrow('a bug');
});

test('a guessed part whose pieces come is done again, too', async () => {
  let isDropped = false;
  const failing = {
    job: { kind: 'check', part: PARTS[1] },
    next: () => Promise.reject(new InputError('x', 'holds too much')),
    drop: () => void (isDropped = true),
  } as unknown as Running;
  const again = {} as Running;
  const asked: Part[] = [];
  const jobs = { threads: 1, start: ({ part }: Job) => (asked.push(part), again) } as Jobs;
  expect((await joined(() => jobs, failing, endAt(10)))!.work).toBe(again);
  expect(isDropped).toBe(true);
  expect(asked).toEqual([{ of: 'raw', start: endAt(10), to: 20 }]);
});
