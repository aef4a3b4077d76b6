// Threads that fail, at any time and in any way: what comes out is what comes out of good ones, or an error that names
// the input. And threads whose work nobody takes: they wait, and end when they are told to.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { InputError } from '../../../src/corpus/error.ts';
import type { Job, JobResult, Piece } from '../../../src/corpus/jobs/job.ts';
import { AHEAD } from '../../../src/corpus/jobs/piece-memory.ts';
import { Pool, type Running } from '../../../src/corpus/jobs/pool.ts';
import { part, testLong, testOnce } from '../../long.ts';
import { ThreadError } from '../../../src/corpus/jobs/thread-error.ts';

const script = (name: string): URL => new URL(`./workers/${name}.mjs`, import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'openchatml-pool-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The threads that live. */
const alive = new Set<Worker>();
let begun = 0;
process.on('worker', (worker) => {
  begun++;
  alive.add(worker);
  worker.on('exit', () => alive.delete(worker));
});

/** Waits for what must come; the test's time is the limit. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(5);
}

const pools: Pool[] = [];
function poolOf(threads: number, name = 'faulty'): Pool {
  const pool = new Pool(threads, { script: script(name) });
  pools.push(pool);
  return pool;
}

// Whatever was done, no thread is left.
afterEach(async () => {
  for (const pool of pools.splice(0)) pool.close();
  await sleep(0);
  await until(() => alive.size === 0);
});

let names = 0;
function file(content: string): string {
  const path = join(folder, `input-${names++}`);
  writeFileSync(path, content);
  return path;
}
function newFolder(): string {
  const path = join(folder, `folder-${names++}`);
  mkdirSync(path);
  return path;
}

/** What workers/faulty.mjs takes. */
interface Fault {
  how: 'exit' | 'throw' | 'none';
  /** Pieces that are given before. */
  after: number;
  code?: number;
  /** Attempts that fail, counted in the folder; all, when left out. */
  times?: number;
  folder?: string;
  /** Word 0: pieces and results that were given. */
  seen?: Int32Array;
}

/** A job of many pieces, each of 256 findings; and one of a few. */
const PIECES = 40;
/** Something is found behind each message, which is long enough for each finding to be told. */
const FOUND = `<|start|>user<|message|>${'a'.repeat(200)}<|end|>\n<|call|>\n`;
const MANY = file(FOUND.repeat(256 * PIECES));
const FEW = file(FOUND.repeat(600));

function checkOf(path: string, fault?: Fault): Job {
  return {
    kind: 'check',
    tools: [],
    input: { ref: { kind: 'file', path, inFolder: false }, path, options: {}, tellsAtEnd: false },
    part: { of: 'whole' },
    fault,
  } as Job;
}

interface Whole {
  pieces: Piece[];
  result: JobResult;
}

async function all(running: Running): Promise<Whole> {
  const pieces: Piece[] = [];
  for (let answer = await running.next(); ; answer = await running.next()) {
    if ('result' in answer) return { pieces, result: answer.result };
    pieces.push(answer.piece);
  }
}

/** What a thread of the package gives that nothing disturbs. */
let many: Whole;
let few: Whole;
beforeAll(async () => {
  const pool = new Pool(1);
  many = await all(pool.start(checkOf(MANY)));
  few = await all(pool.start(checkOf(FEW)));
  pool.close();
});

testOnce('a job is done in pieces', () => {
  const { pieces } = many;
  // What stands between messages is one finding more.
  expect(pieces.length).toBeGreaterThanOrEqual(PIECES);
  expect(pieces.flat().length).toBeGreaterThanOrEqual(256 * PIECES);
});

const FAULTS: [string, Omit<Fault, 'after'>][] = [
  ['exits with code 3', { how: 'exit', code: 3 }],
  ['exits with code 0', { how: 'exit', code: 0 }],
];

describe.each(FAULTS)('a thread that %s', (_, fault) => {
  const once = fault.code === 3 ? testOnce : testLong;

  (fault.code === 3 ? test : testLong).each(part([
    0, 1, AHEAD, AHEAD + 1, PIECES,
  ]))('after %i pieces, and then does not: nothing is lost, nothing twice', async (after) => {
    begun = 0;
    const pool = poolOf(2);
    const work = [
      pool.start(checkOf(FEW)),
      pool.start(checkOf(MANY, { ...fault, after, times: 1, folder: newFolder() })),
      pool.start(checkOf(FEW)),
      pool.start(checkOf(MANY)),
    ];
    expect(await Promise.all(work.map(all))).toEqual([few, many, few, many]);
    expect(begun).toBeLessThanOrEqual(3);
  });

  once('each job once', async () => {
    const pool = poolOf(2);
    const jobs = [FEW, MANY, FEW, FEW, MANY].map((path, i) => {
      return pool.start(checkOf(path, { ...fault, after: i, times: 1, folder: newFolder() }));
    });
    const found: Whole[] = [];
    // In order, as they are begun.
    for (const job of jobs) found.push(await all(job));
    expect(found).toEqual([few, many, few, few, many]);
  });

  once('while its pieces are taken one by one', async () => {
    const running = poolOf(1).start(checkOf(MANY, { ...fault, after: AHEAD + 2, times: 1, folder: newFolder() }));
    const pieces: Piece[] = [];
    for (let answer = await running.next(); 'piece' in answer; answer = await running.next()) {
      pieces.push(answer.piece);
      await sleep(pieces.length < 6 ? 20 : 0);
    }
    expect(pieces).toEqual(many.pieces);
  });

  once.each([
    0, 5,
  ])('after %i pieces, always: an error that names the file, and the next job is done', async (after) => {
    const pool = poolOf(1);
    const bad = pool.start(checkOf(MANY, { ...fault, after }));
    const good = pool.start(checkOf(FEW));
    const message = `a thread that read ${MANY} failed twice (exit code ${fault.code})`;
    const error: unknown = await all(bad).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ThreadError);
    expect((error as ThreadError).message).toBe(message);
    expect(await all(good)).toEqual(few);
  });
});

testOnce('a thread that throws is told by the name of the error, not by its words', async () => {
  const pool = poolOf(1);
  expect(await all(pool.start(checkOf(FEW, { how: 'throw', after: 0, times: 1, folder: newFolder() })))).toEqual(few);
  const error: unknown = await all(pool.start(checkOf(FEW, { how: 'throw', after: 0 }))).catch((reason: unknown) => {
    return reason;
  });
  expect(error).toEqual(new ThreadError(`a thread that read ${FEW} failed twice (Error)`));
});

testOnce.each([
  ['ends', 'exit code 0'], ['breaks', 'Error'], ['is-not-there', 'MODULE_NOT_FOUND'],
])('a worker that %s: an error, and no end of threads', async (name, reason) => {
  begun = 0;
  const pool = poolOf(3, name);
  const jobs = Array.from({ length: 5 }, () => pool.start(checkOf(FEW)));
  for (const job of jobs) {
    const error: unknown = await all(job).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ThreadError);
    expect((error as ThreadError).message.replace(' (ERR_MODULE', ' (MODULE'))
      .toBe(`a thread that read ${FEW} failed twice (${reason})`);
  }
  // Two for each job, and those that replaced the last ones.
  expect(begun).toBeLessThanOrEqual(2 * jobs.length + 3);
});

describe('short jobs, of which a thread has two at once', () => {
  const countOf = (path: string, fault?: Fault): Job => ({ ...checkOf(path, fault), kind: 'count' }) as Job;
  const paths = Array.from({ length: 9 }, (_, i) => (i % 4 === 3 ? MANY : FEW));
  const countsOf = async (threads: number, jobs: readonly Job[]): Promise<unknown[]> => {
    const pool = poolOf(threads);
    const found = await Promise.allSettled(jobs.map((job) => all(pool.start(job))));
    return found.map((one) => (one.status === 'fulfilled' ? one.value.result : (one.reason as Error).name));
  };
  let right: unknown[];
  beforeAll(async () => {
    const pool = new Pool(1);
    right = [];
    for (const path of paths) right.push((await all(pool.start(countOf(path)))).result);
    pool.close();
  });

  test.each(part([2, 1, 3]))('each fails once, on %i threads', async (threads) => {
    const jobs = paths.map((path) => countOf(path, { how: 'exit', code: 0, after: 0, times: 1, folder: newFolder() }));
    expect(await countsOf(threads, jobs)).toEqual(right);
  });

  testOnce.each([0, 1, 2, 5])('number %i fails always: the others are done', async (bad) => {
    const jobs = paths.map((path, i) => countOf(path, i === bad ? { how: 'exit', code: 1, after: 0 } : undefined));
    expect(await countsOf(2, jobs)).toEqual(right.map((result, i) => (i === bad ? 'ThreadError' : result)));
  });

  testOnce('a job that is dropped before it is begun is not done', async () => {
    const pool = poolOf(1);
    const jobs = paths.map((path) => pool.start(countOf(path)));
    for (const job of jobs.slice(1, 5)) job.drop();
    const results = await Promise.all([jobs[0]!, ...jobs.slice(5)].map(all));
    expect(results.map(({ result }) => result)).toEqual([right[0], ...right.slice(5)]);
  });

  testOnce('a job that gives pieces has a thread for itself', async () => {
    const pool = poolOf(1);
    const seen = new Int32Array(new SharedArrayBuffer(4));
    const long = pool.start(checkOf(MANY, { how: 'none', after: 0, seen }));
    const counts = [FEW, MANY, FEW].map((path) => pool.start(countOf(path)));
    await until(() => Atomics.load(seen, 0) === AHEAD);
    expect(await all(long)).toEqual(many);
    expect((await Promise.all(counts.map(all))).map(({ result }) => result.counts))
      .toEqual([0, 3, 0].map((i) => (right[i] as JobResult).counts));
  });
});

testOnce('a failing job does not take others with it', async () => {
  const pool = poolOf(2);
  const jobs = [MANY, FEW, MANY, FEW].map((path, i) => {
    return pool.start(checkOf(path, i === 2 ? { how: 'exit', code: 1, after: 3 } : undefined));
  });
  const found = await Promise.allSettled(jobs.map(all));
  expect(found.map((one) => (one.status === 'fulfilled' ? one.value : (one.reason as Error).name)))
    .toEqual([many, few, 'ThreadError', few]);
});

describe('what the work itself throws', () => {
  testOnce('an error of an input comes out as it is, once', async () => {
    begun = 0;
    const pool = poolOf(1);
    const missing = join(folder, 'missing');
    begun = 0;
    const errors = [missing, folder].map((path) => all(pool.start(checkOf(path))).catch((error: unknown) => error));
    const good = all(pool.start(checkOf(FEW)));
    const [one, other] = (await Promise.all(errors)) as InputError[];
    expect(one).toBeInstanceOf(InputError);
    expect({ ...one, message: one!.message }).toMatchObject({
      path: missing, reason: 'no such file or directory (ENOENT)', remedy: 'look at the spelling of the path',
    });
    expect({ ...other, message: other!.message }).toMatchObject({
      path: folder, reason: 'is a folder, not a file', message: `${folder}: is a folder, not a file; name a file in it`,
    });
    expect(await good).toEqual(few);
    // The thread goes on.
    expect(begun).toBe(1);
  });

  testOnce('a bug comes out as a bug, with the place where it arose', async () => {
    const broken = { ...checkOf(FEW), part: null } as unknown as Job;
    const error: unknown = await all(poolOf(1).start(broken)).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(ThreadError);
    expect((error as Error).stack).toMatch(/TypeError[^]*dist\//);
  });
});

describe('nobody takes what is given', () => {
  const seenOf = (): Int32Array => new Int32Array(new SharedArrayBuffer(4));

  /** What was given, when nothing has been for a while. */
  async function settled(seen: readonly Int32Array[]): Promise<number[]> {
    const counts = (): number[] => seen.map((one) => Atomics.load(one, 0));
    for (let before = '', still = 0; still < 20; before = counts().join()) {
      still = counts().join() === before && counts().some((count) => count > 0) ? still + 1 : 0;
      await sleep(10);
    }
    return counts();
  }

  testOnce('a thread is ahead by so many pieces and no more', async () => {
    const seen = seenOf();
    const running = poolOf(1).start(checkOf(MANY, { how: 'none', after: 0, seen }));
    await until(() => Atomics.load(seen, 0) >= AHEAD);
    expect(await settled([seen])).toEqual([AHEAD]);
    for (let taken = 1; taken <= 3; taken++) {
      await running.next();
      await until(() => Atomics.load(seen, 0) >= AHEAD + taken);
      expect(await settled([seen])).toEqual([AHEAD + taken]);
    }
    expect((await all(running)).pieces).toEqual(many.pieces.slice(3));
  });

  testLong('jobs that wait give nothing, however many they are', async () => {
    const seen = Array.from({ length: 200 }, seenOf);
    const pool = poolOf(2);
    const jobs = seen.map((one) => pool.start(checkOf(MANY, { how: 'none', after: 0, seen: one })));
    await until(() => seen.slice(0, 2).every((one) => Atomics.load(one, 0) === AHEAD));
    expect(await settled(seen)).toEqual([AHEAD, AHEAD, ...Array<number>(198).fill(0)]);
    for (const job of jobs) job.drop();
    expect(await all(pool.start(checkOf(FEW)))).toEqual(few);
    expect(seen.slice(2).every((one) => Atomics.load(one, 0) === 0)).toBe(true);
  });

  testLong('after a failure a thread is ahead by as many again', async () => {
    const seen = seenOf();
    const running = poolOf(1).start(
      checkOf(MANY, { how: 'exit', code: 1, after: 10, times: 1, folder: newFolder(), seen }),
    );
    // Ten of the first attempt; of the second the first two are known, and left out.
    await running.next();
    await running.next();
    await until(() => Atomics.load(seen, 0) >= 10 + AHEAD);
    const [given] = await settled([seen]);
    expect(given).toBeLessThanOrEqual(10 + 10 + AHEAD);
    expect((await all(running)).pieces).toEqual(many.pieces.slice(2));
  });
});

describe('nothing more is wanted', () => {
  testOnce('of a job that waits, that runs, that is done', async () => {
    const seen = new Int32Array(new SharedArrayBuffer(4));
    const pool = poolOf(1);
    const runs = pool.start(checkOf(MANY, { how: 'none', after: 0, seen }));
    const waits = pool.start(checkOf(MANY, { how: 'exit', code: 1, after: 0 }));
    const next = pool.start(checkOf(FEW));
    expect('piece' in (await runs.next())).toBe(true);
    waits.drop();
    runs.drop();
    expect(await all(next)).toEqual(few);
    // It was let go at its next piece.
    expect(Atomics.load(seen, 0)).toBeLessThan(PIECES);
    next.drop();
    runs.drop();
    waits.drop();
    expect(await all(pool.start(checkOf(MANY)))).toEqual(many);
  });

  testOnce('of a job whose thread fails: it is not done again', async () => {
    const attempts = newFolder();
    const seen = new Int32Array(new SharedArrayBuffer(4));
    const pool = poolOf(1);
    const bad = pool.start(checkOf(MANY, { how: 'exit', code: 1, after: AHEAD + 1, times: 5, folder: attempts, seen }));
    await until(() => Atomics.load(seen, 0) === AHEAD);
    bad.drop();
    expect(await all(pool.start(checkOf(FEW)))).toEqual(few);
    // At most the one piece that it was about to give.
    expect(Atomics.load(seen, 0)).toBeLessThanOrEqual(AHEAD + 1);
  });

  testOnce('a job that comes first goes before those that wait', async () => {
    const pool = poolOf(1);
    const order: string[] = [];
    const start = (name: string, first?: boolean): Promise<unknown> =>
      all(pool.start(checkOf(FEW), first)).then(() => order.push(name));
    await Promise.all([start('running'), start('second'), start('third'), start('first', true)]);
    expect(order).toEqual(['running', 'first', 'second', 'third']);
  });
});

describe('closing', () => {
  testOnce('ends threads that wait, that work, and that have not begun', async () => {
    const seen = new Int32Array(new SharedArrayBuffer(4));
    const pool = poolOf(3);
    for (let n = 0; n < 10; n++) pool.start(checkOf(MANY, { how: 'none', after: 0, seen }));
    pool.start(checkOf(FEW));
    await until(() => Atomics.load(seen, 0) > AHEAD);
    begun = 0;
    pool.close();
    await until(() => alive.size === 0);
    expect(begun).toBe(0);
    const fresh = poolOf(2);
    fresh.start(checkOf(MANY));
    fresh.close();
    await sleep(0);
    await until(() => alive.size === 0);
  });

  testOnce('settles who waits for a job that runs, that has not begun, that is begun too late', async () => {
    const pool = poolOf(1);
    const running = pool.start(checkOf(MANY));
    await running.next();
    const jobs = [running, pool.start(checkOf(MANY)), pool.start(checkOf(FEW), true)];
    const waiting = jobs.map((job) => all(job).catch((error: unknown) => error));
    pool.close();
    waiting.push(all(pool.start(checkOf(FEW))).catch((error: unknown) => error));
    const paths = [MANY, MANY, FEW, FEW];
    expect(await Promise.all(waiting))
      .toEqual(paths.map((path) => new ThreadError(`the threads that read ${path} were ended`)));
  });

  testOnce('twice, and without a job', () => {
    const pool = poolOf(2);
    pool.close();
    pool.close();
    expect(alive.size).toBe(0);
  });
});
