// The decoding thread: reads coded bytes, decodes them, and puts what they hold into a ring that another thread reads;
// one task after the other. That thread sleeps while it waits, so that it sees no event of this one: every error must
// go through the ring.

import { fstatSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { reportOf } from './decoder.ts';
import { decode, type DecodeTask } from './pass.ts';
import { RingWriter } from './ring.ts';
import { stopZstd } from './zstd.ts';

export interface WorkerTask extends DecodeTask {
  readonly memory: SharedArrayBuffer;
}

/** Of the task at hand. */
let ring: RingWriter | undefined;

async function run(task: WorkerTask): Promise<void> {
  ring = new RingWriter(task.memory);
  try {
    if (task.container === 'parquet') {
      const { readParquet } = await import('../tables/parquet-read.ts');
      await readParquet(task, fstatSync(task.descriptor!).size, ring);
    } else {
      await decode(task, ring);
    }
    ring.end();
  } catch (error) {
    ring.fail(reportOf(error));
  }
  ring.leave();
}

parentPort?.on('message', (task: WorkerTask | null) => {
  // Nobody wants the rest. The decoder asks the ring wherever it does not wait for the program.
  if (task === null) stopZstd();
  else void run(task);
});
process.on('uncaughtException', (error) => {
  ring?.fail(reportOf(error));
  process.exit();
});
