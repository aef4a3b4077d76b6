// A worker thread: does one job after the other, and waits when nobody takes what it gives.

import { parentPort } from 'node:worker_threads';
import { InputError } from '../error.ts';
import { type JobResult, NO_RESULT, type Piece } from './job.ts';
import { kindOf } from './kinds.ts';
import { Kit } from './open.ts';
import { perform } from './perform.ts';
import { AHEAD, type Answer, BEGUN, DROPPED, SLOT, TAKEN, type Task, type ThreadFailure } from './pool.ts';

const port = parentPort!;
const kit = new Kit();
const say = (answer: Answer): void => port.postMessage(answer);

/** One after the other: a job may have to wait until its code is there. */
let before = Promise.resolve();
port.on('message', (task: Task) => void (before = before.then(() => work(task))));

async function work({ task, job, flow, slots }: Task): Promise<void> {
  try {
    const isMine = Atomics.compareExchange(flow, BEGUN, 0, 1) === 0;
    if (!isMine || Atomics.load(flow, DROPPED) === 1) {
      say({ task, result: NO_RESULT });
      return;
    }
    const pieces = parted(perform(kit, await kindOf(job), job));
    let given = 0;
    while (true) {
      const { done, value } = pieces.next();
      if (done) {
        say({ task, result: value });
        return;
      }
      if (slots !== undefined && value instanceof Uint8Array) {
        new Uint8Array(slots, (given % AHEAD) * SLOT, value.length).set(value);
        say({ task, length: value.length });
      } else {
        say({ task, piece: value });
      }
      given++;
      for (let taken = Atomics.load(flow, TAKEN); given - taken >= AHEAD; taken = Atomics.load(flow, TAKEN)) {
        if (Atomics.load(flow, DROPPED) === 1) break;
        Atomics.wait(flow, TAKEN, taken);
      }
      if (Atomics.load(flow, DROPPED) === 1) {
        pieces.return(undefined as never);
        say({ task, result: NO_RESULT });
        return;
      }
    }
  } catch (error) {
    say({ task, error: failureOf(error) });
  }
}

/** Pieces of bytes in parts that fit into a slot. */
function* parted(pieces: Generator<Piece, JobResult, void>): Generator<Piece, JobResult, void> {
  for (let next = pieces.next(); ; next = pieces.next()) {
    if (next.done) return next.value;
    const { value } = next;
    if (!(value instanceof Uint8Array) || value.length <= SLOT) yield value;
    else for (let at = 0; at < value.length; at += SLOT) yield value.subarray(at, at + SLOT);
  }
}

function failureOf(error: unknown): ThreadFailure {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  if (!(error instanceof InputError)) return { input: null, stack };
  const { path, reason, remedy, code, cause } = error;
  const system = code === undefined ? undefined : { code, errno: (cause as { errno: number }).errno };
  return { input: { path, reason, remedy }, system, stack };
}
