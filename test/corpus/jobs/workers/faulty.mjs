// The worker of dist/, made to fail: as `fault` of its job says, or FAULT in the environment. { how, code, after,
// times, folder }: what it does once it has given `after` pieces, in how many of its attempts. Attempts are counted in
// `folder`, whatever thread makes them.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';

const FAULTS = {
  exit: ({ code }) => process.exit(code),
  memory: () => {
    for (const all = []; ; ) all.push(new Array(1000).fill(all.length));
  },
  none: () => {},
};

const on = parentPort.on.bind(parentPort);
const post = parentPort.postMessage.bind(parentPort);
let fault = null;
let given = 0;

function isChosen({ times, folder }) {
  for (let n = 0; n < (times ?? Infinity); n++) {
    if (times === undefined) return true;
    try {
      mkdirSync(join(folder, String(n)));
      return true;
    } catch {
      // Another attempt was this one.
    }
  }
  return false;
}

parentPort.on = (name, listener) => on(name, (task) => {
  fault = task.job.fault ?? JSON.parse(process.env.FAULT ?? '{"how":"none","after":0}');
  given = 0;
  if (fault.how === 'throw' && isChosen(fault)) throw new Error('thrown');
  listener(task);
});

parentPort.postMessage = (answer, moved) => {
  if (given === fault.after && fault.how in FAULTS && isChosen(fault)) FAULTS[fault.how](fault);
  given++;
  if (fault.seen) Atomics.add(fault.seen, 0, 1);
  post(answer, moved);
};

await import('../../../../dist/cli/corpus-jobs-worker.js');
