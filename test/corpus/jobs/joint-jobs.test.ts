// Threads and the thread that asks together: each job is done once, what comes out is what one thread gives, and nobody
// waits for a thread that has begun nothing.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { InputError } from '../../../src/corpus/error.ts';
import { JointJobs } from '../../../src/corpus/jobs/joint-jobs.ts';
import type { Job } from '../../../src/corpus/jobs/job.ts';
import type { Running } from '../../../src/corpus/jobs/pool.ts';
import { part, testLong, testOnce } from '../../long.ts';

const folder = mkdtempSync(join(tmpdir(), 'openchatml-joint-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a file of so many messages. */
function file(messages: number): string {
  const path = join(folder, `of-${messages}`);
  writeFileSync(path, Array.from({ length: messages }, (_, i) => `<|start|>user<|message|>${i}<|end|>\n`).join(''));
  return path;
}
const SIZES = [1, 20_000, 3, 0, 5000, 1, 40_000, 7, 300, 2];
const PATHS = SIZES.map(file);

function jobOf(path: string): Job {
  const input = { ref: { kind: 'file', path, inFolder: false }, path, options: {}, tellsAtEnd: false } as const;
  return { kind: 'messages', filters: {}, form: 'lines', input, part: { of: 'whole' } };
}

/** What a job gives; null: an error of its input. `rest`: who takes it, waits that long after each piece. */
async function all(running: Running, rest = -1): Promise<{ lines: number; messages: number } | null> {
  let lines = 0;
  try {
    for (let answer = await running.next(); ; answer = await running.next()) {
      if ('result' in answer) return { lines, messages: answer.result.messages };
      for (const byte of answer.piece as Uint8Array) if (byte === 0x0a) lines++;
      if (rest >= 0) await sleep(rest);
    }
  } catch (error) {
    expect(error).toBeInstanceOf(InputError);
    return null;
  }
}

const script = (name: string): URL => new URL(`workers/${name}.mjs`, import.meta.url);
const THREADS: [string, URL | undefined][] = [
  ['good threads', undefined],
  ['threads that begin nothing', script('silent')],
];
const whole = SIZES.map((messages) => ({ lines: messages, messages }));

describe.each(THREADS)('%s', (_, worker) => {
  const once = worker === undefined ? testOnce : testLong;

  (worker === undefined ? test : testLong).each(part([0, -1, 2]))('in order; who asks rests %i ms', async (rest) => {
    const jobs = new JointJobs(3, worker);
    for (let round = 0; round < 3; round++) {
      const running = PATHS.map((path) => jobs.start(jobOf(path)));
      const found = [];
      for (const one of running) found.push(await all(one, rest));
      expect(found).toEqual(whole);
    }
    jobs.close();
  });

  once('side by side, and urgent ones', async () => {
    const jobs = new JointJobs(2, worker);
    const running = PATHS.map((path, i) => jobs.start(jobOf(path), i % 3 === 2));
    expect(await Promise.all(running.map((one) => all(one)))).toEqual(whole);
    jobs.close();
  });

  once('what is dropped, at any piece, stops nobody', async () => {
    const jobs = new JointJobs(2, worker);
    for (let after = 0; after < 4; after++) {
      const running = PATHS.map((path) => jobs.start(jobOf(path)));
      const found = [];
      for (const [i, one] of running.entries()) {
        if (i % 2 === 0) {
          found.push(await all(one));
          continue;
        }
        for (let n = 0; n < after && !('result' in (await one.next())); n++);
        one.drop();
      }
      expect(found).toEqual(whole.filter((_, i) => i % 2 === 0));
    }
    jobs.close();
  });

  once('an input that cannot be read is an error of its job alone', async () => {
    const jobs = new JointJobs(2, worker);
    const running = [PATHS[1]!, join(folder, 'none'), PATHS[4]!, folder].map((path) => jobs.start(jobOf(path)));
    const found = [];
    for (const one of running) found.push(await all(one));
    expect(found).toEqual([whole[1], null, whole[4], null]);
    jobs.close();
  });
});
