// Threads that say what no worker says, and threads that must not be begun any more.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Job } from '../../../src/corpus/jobs/job.ts';
import { Pool, type Running } from '../../../src/corpus/jobs/pool.ts';
import { ThreadError } from '../../../src/corpus/jobs/thread-error.ts';
import { workerFile } from '../../../src/corpus/worker-file.ts';
import { file } from '../../cli/harness.ts';

/** Something is found behind each message. */
const path = file('rubbish/many.txt', '<|start|>user<|message|>a<|end|>\n<|call|>\n'.repeat(256 * 40));
const input = { ref: { kind: 'file', path, inFolder: false }, path, options: {}, tellsAtEnd: false } as const;
const job = { kind: 'check', tools: [], input, part: { of: 'whole' } } as const satisfies Job;

async function piecesOf(running: Running): Promise<number> {
  for (let count = 0; ; count++) if ('result' in (await running.next())) return count;
}

/** A worker that says something else in place of its sixth answer. */
const saying = (what: string): URL => new URL(`data:text/javascript,${encodeURIComponent(`
  import { parentPort } from 'node:worker_threads';
  const post = parentPort.postMessage.bind(parentPort);
  let answers = 0;
  parentPort.postMessage = (answer, transfer) => { if (answers++ === 5) { ${what} } else post(answer, transfer); };
  await import('${workerFile('corpus-jobs-worker.js').href}');
`)}`);

describe('a thread that says rubbish is taken for one that failed', () => {
  test.each(['post({})', "post('x')", 'post(null)', 'post({ task: 99, piece: [] })'])('%s', async (what) => {
    const pool = new Pool(1, { script: saying(what) });
    try {
      await expect(piecesOf(pool.start(job))).rejects.toBeInstanceOf(ThreadError);
    } finally {
      pool.close();
    }
  });
});

test('nothing is begun after the end', async () => {
  let alive = 0;
  const count = (worker: { on(event: 'exit', heard: () => void): unknown }): void => {
    alive++;
    worker.on('exit', () => alive--);
  };
  process.on('worker', count);
  try {
    const pool = new Pool(2);
    const jobs = Array.from({ length: 6 }, () => pool.start(job));
    for (const running of jobs.slice(0, 2)) await running.next();
    for (const running of jobs) running.drop();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    pool.close();
    for (let i = 0; i < 50 && alive > 0; i++) await sleep(100);
    expect(alive).toBe(0);
  } finally {
    process.off('worker', count);
  }
});
