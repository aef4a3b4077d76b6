// The decoding thread: reads coded bytes, decodes them, and puts what they hold into a ring that another thread reads.
// That thread sleeps while it waits, so that it sees no event of this one: every error must go through the ring.

import { fstatSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { reportOf } from './decoder.ts';
import { decode, type DecodeTask } from './pass.ts';
import { RingWriter } from './ring.ts';
import { stopZstd } from './zstd.ts';

export interface WorkerTask extends DecodeTask {
  readonly memory: SharedArrayBuffer;
}

const task = workerData as WorkerTask;
const ring = new RingWriter(task.memory);

async function run(): Promise<void> {
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
}

function leave(): void {
  ring.leave();
  process.exit();
}

// Nobody wants the rest. The decoder asks the ring wherever it does not wait for the program.
parentPort?.on('message', stopZstd);
process.on('uncaughtException', (error) => {
  ring.fail(reportOf(error));
  leave();
});
void run().then(leave);
