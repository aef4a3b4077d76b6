// A worker thread: does one job after the other, and waits when nobody takes what it gives.

import { parentPort } from 'node:worker_threads';
import { copyBytes } from '../copy-bytes.ts';
import { InputError } from '../error.ts';
import { isNumbered, type JobResult, NO_RESULT, type Piece } from './job.ts';
import { kindOf } from './kinds.ts';
import { ThreadContext } from './open.ts';
import { perform } from './perform.ts';
import { AHEAD, LARGEST_PIECE, PiecePlaces } from './piece-memory.ts';
import { type Answer, BEGUN, DROPPED, TAKEN, type Task, type ThreadFailure } from './pool.ts';

const port = parentPort!;
const context = new ThreadContext();
const say = (answer: Answer): void => port.postMessage(answer);

/** One after the other: a job may have to wait until its code is there. */
let before = Promise.resolve();
port.on('message', (task: Task) => void (before = before.then(() => work(task))));

async function work({ task, job, flow, memory }: Task): Promise<void> {
  try {
    const isMine = Atomics.compareExchange(flow, BEGUN, 0, 1) === 0;
    if (!isMine || Atomics.load(flow, DROPPED) === 1) {
      say({ task, result: NO_RESULT });
      return;
    }
    const pieces = parted(perform(context, await kindOf(job), job));
    const shared = memory === undefined ? null : new Uint8Array(memory);
    const places = new PiecePlaces(shared?.length ?? 0);
    let given = 0;
    /** Waits until enough pieces were taken; false: nothing more is wanted. */
    const waitFor = (isReady: (taken: number) => boolean): boolean => {
      while (Atomics.load(flow, DROPPED) === 0) {
        const taken = Atomics.load(flow, TAKEN);
        if (isReady(taken)) return true;
        Atomics.wait(flow, TAKEN, taken);
      }
      return false;
    };
    while (true) {
      const { done, value } = pieces.next();
      if (done) {
        say({ task, result: value });
        return;
      }
      const bytes = value instanceof Uint8Array ? value : isNumbered(value) ? value.bytes : null;
      if (shared !== null && bytes !== null) {
        let at = -1;
        if (!waitFor((taken) => (at = places.place(given, bytes.length, taken)) >= 0)) break;
        copyBytes(bytes, shared, at);
        say({ task, at, length: bytes.length, ...(isNumbered(value) && { numbers: value.numbers }) });
      } else {
        places.pass(given);
        say({ task, piece: value });
      }
      given++;
      if (!waitFor((taken) => given - taken < AHEAD)) break;
    }
    pieces.return(undefined as never);
    say({ task, result: NO_RESULT });
  } catch (error) {
    say({ task, error: failureOf(error) });
  }
}

/** Pieces of bytes in parts that are not too large. */
function* parted(pieces: Generator<Piece, JobResult, void>): Generator<Piece, JobResult, void> {
  for (let next = pieces.next(); ; next = pieces.next()) {
    if (next.done) return next.value;
    const { value } = next;
    if (!(value instanceof Uint8Array)) yield value;
    else for (let at = 0; at < value.length; at += LARGEST_PIECE) yield value.subarray(at, at + LARGEST_PIECE);
  }
}

function failureOf(error: unknown): ThreadFailure {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  if (!(error instanceof InputError)) return { input: null, stack };
  const { path, reason, remedy, code, cause } = error;
  const system = code === undefined ? undefined : { code, errno: (cause as { errno: number }).errno };
  return { input: { path, reason, remedy }, system, stack };
}
