// Jobs on threads. Every job is begun in the order in which it is given; its pieces come out when they are asked for,
// so that output is in order whatever thread is first. A thread that fails is replaced, and its job done again from its
// beginning; what was handed out already is left out then, since a job always gives the same.

import { Worker } from 'node:worker_threads';
import { InputError } from '../error.ts';
import { isNumbered, type Job, type JobResult, type Piece } from './job.ts';
import { roomFor } from './piece-memory.ts';
import { ThreadError } from './thread-error.ts';
import { workerFile } from '../worker-file.ts';

/** A job that is under way. */
export interface Running {
  readonly job: Job;
  /**
   * The next piece, or the result. Throws an InputError, or a ThreadError; so it does when the threads are ended first.
   */
  next(): Promise<{ readonly piece: Piece } | { readonly result: JobResult }>;
  /** Nothing more is wanted of it: `next` is not called any more. */
  drop(): void;
}

export interface Jobs {
  readonly threads: number;
  /** `first`: before those that wait. */
  start(job: Job, first?: boolean): Running;
}

/** What a worker says. A piece of bytes stands in the memory of the task. */
export type Answer =
  | { readonly task: number; readonly piece: Piece }
  | { readonly task: number; readonly at: number; readonly length: number; readonly numbers?: readonly number[] }
  | { readonly task: number; readonly result: JobResult }
  | { readonly task: number; readonly error: ThreadFailure };

/** An error on its way between threads. */
export interface ThreadFailure {
  /** Of an InputError, with the system's error if there was one; null: a bug. */
  readonly input: { readonly path: string; readonly reason: string; readonly remedy: string } | null;
  readonly system?: { readonly code: string; readonly errno: number } | undefined;
  readonly stack: string;
}

/** A job that a worker may do, as long as none has begun it. */
export interface PoolRunning extends Running {
  /** A piece or the result is there. */
  readonly hasArrived: boolean;
  /** Takes it back: true when no worker has begun it, and then none will. */
  takeBack(): boolean;
}

/** What a worker is told. */
export interface Task {
  readonly task: number;
  readonly job: Job;
  /** Word TAKEN: pieces that were taken; DROPPED: 1 when nothing more is wanted; BEGUN: 1 when somebody does it. */
  readonly flow: Int32Array;
  /** For pieces, as large as `roomFor` says. A short job needs none. */
  readonly memory: SharedArrayBuffer | undefined;
}

export const TAKEN = 0;
export const DROPPED = 1;
export const BEGUN = 2;
const newFlow = (): Int32Array => new Int32Array(new SharedArrayBuffer(12));
/** How often a job is begun. */
const ATTEMPTS = 2;
/** Jobs that a thread is given at once: it need not wait until the next one is on its way. */
const AT_ONCE = 6;

/** It gives no pieces: it never waits until they are taken, and jobs behind it need not wait for that. */
const isShort = ({ kind }: Job): boolean => kind === 'count';

type Arrived = { readonly piece: Piece } | { readonly result: JobResult } | { readonly error: Error };

class Thread {
  readonly worker: Worker;
  /** What it is doing, and short jobs that it does next. */
  readonly doing: { readonly number: number; readonly task: RunningTask }[] = [];

  constructor(worker: Worker) {
    this.worker = worker;
  }

  /** Jobs that somebody waits for. */
  get left(): number {
    return this.doing.reduce((sum, { task }) => sum + Number(!task.isDropped), 0);
  }
}

class RunningTask implements PoolRunning {
  readonly job: Job;
  flow = newFlow();
  memory: SharedArrayBuffer | undefined;
  attempts = 0;
  /** The piece that was handed out last stands in the memory and is not given back yet. */
  #isOwing = false;
  readonly #onEnd: (task: RunningTask) => void;
  readonly #onTakenBack: (task: RunningTask) => void;
  /** Pieces that a former attempt handed out, and those that this one gave. */
  #handedOut = 0;
  #given = 0;
  #arrived: Arrived[] = [];
  #wake: (() => void) | null = null;
  /** The result or an error came: no worker touches its memory any more. */
  #isDone = false;
  isDropped = false;

  /** `onEnd`: nothing of what a worker gave is wanted any more. `onTakenBack`: no worker will touch its memory. */
  constructor(job: Job, onEnd: (task: RunningTask) => void, onTakenBack: (task: RunningTask) => void) {
    this.job = job;
    this.#onEnd = onEnd;
    this.#onTakenBack = onTakenBack;
  }

  begin(memory: SharedArrayBuffer | undefined): void {
    this.attempts++;
    this.memory = memory;
    this.#isOwing = this.#isDone = false;
    this.flow = newFlow();
    this.#given = 0;
    this.#arrived = [];
  }

  arrive(arrived: Arrived): void {
    if ('piece' in arrived && this.#given++ < this.#handedOut) {
      this.#take();
      return;
    }
    this.#isDone = !('piece' in arrived);
    this.#arrived.push(arrived);
    this.#wake?.();
  }

  /** A piece stands in the memory. */
  arriveAt(at: number, length: number, numbers: readonly number[] | undefined): void {
    const bytes = new Uint8Array(this.memory!, at, length);
    this.arrive({ piece: numbers === undefined ? bytes : { bytes, numbers } });
  }

  /** A piece is valid until the next one is asked for. */
  async next(): Promise<{ readonly piece: Piece } | { readonly result: JobResult }> {
    if (this.#isOwing) this.#take();
    this.#isOwing = false;
    while (this.#arrived.length === 0) await new Promise<void>((wake) => (this.#wake = wake));
    this.#wake = null;
    const arrived = this.#arrived.shift()!;
    if ('error' in arrived) throw arrived.error;
    if ('piece' in arrived) {
      this.#handedOut++;
      const bytes = isNumbered(arrived.piece) ? arrived.piece.bytes : arrived.piece;
      this.#isOwing = bytes instanceof Uint8Array && bytes.buffer === this.memory;
      if (!this.#isOwing) this.#take();
    } else {
      this.#onEnd(this);
    }
    return arrived;
  }

  get hasArrived(): boolean {
    return this.#arrived.length > 0;
  }

  takeBack(): boolean {
    // What failed once is done again by a thread, which leaves out what was handed out.
    if (this.hasArrived || this.attempts > 1) return false;
    if (!this.#takeFromWorkers()) return false;
    this.drop();
    this.#onTakenBack(this);
    return true;
  }

  drop(): void {
    this.isDropped = true;
    this.#arrived = [];
    if (this.#isDone || this.#takeFromWorkers()) this.#onEnd(this);
    Atomics.store(this.flow, DROPPED, 1);
    this.#take();
  }

  /** True: no worker has begun it, and none will. */
  #takeFromWorkers(): boolean {
    return Atomics.compareExchange(this.flow, BEGUN, 0, 1) === 0;
  }

  #take(): void {
    Atomics.add(this.flow, TAKEN, 1);
    Atomics.notify(this.flow, TAKEN);
  }
}

export interface PoolOptions {
  readonly script?: URL;
  readonly isHelped?: boolean;
}

/** Jobs on worker threads. */
export class Pool implements Jobs {
  readonly threads: number;
  readonly #script: URL;
  readonly #isHelped: boolean;
  readonly #workers: Thread[] = [];
  readonly #urgent: RunningTask[] = [];
  readonly #waiting: RunningTask[] = [];
  /** Memory that no task uses. */
  readonly #memories: SharedArrayBuffer[] = [];
  #number = 0;
  #closed = false;

  /**
   * `script`: what the threads run. `isHelped`: who asks does what no thread has begun, so that any job may stand
   * behind any other.
   */
  constructor(threads: number, { script = workerFile('corpus-jobs-worker.js'), isHelped = false }: PoolOptions = {}) {
    this.threads = threads;
    this.#script = script;
    this.#isHelped = isHelped;
  }

  start(job: Job, first = false): PoolRunning {
    const task = new RunningTask(job, (done) => this.#giveBack(done), (taken) => {
      this.#giveBack(taken);
      this.#dispatch();
    });
    if (this.#closed) task.arrive({ error: endedError(job) });
    else (first ? this.#urgent : this.#waiting).push(task);
    this.#dispatch();
    return task;
  }

  close(): void {
    this.#closed = true;
    const doing = this.#workers.flatMap((thread) => thread.doing.map(({ task }) => task));
    for (const task of [...doing, ...this.#urgent, ...this.#waiting]) task.arrive({ error: endedError(task.job) });
    this.#urgent.length = this.#waiting.length = 0;
    for (const { worker } of this.#workers) void worker.terminate();
    this.#workers.length = 0;
  }

  #dispatch(): void {
    while (!this.#closed) {
      const queue = this.#urgent.length > 0 ? this.#urgent : this.#waiting;
      if (queue.length === 0) return;
      if (queue[0]!.isDropped) {
        queue.shift();
        continue;
      }
      const thread = this.#threadFor(queue[0]!.job);
      if (!thread) return;
      const task = queue.shift()!;
      const { job } = task;
      task.begin(isShort(job) ? undefined : this.#memoryFor(job));
      const number = this.#number++;
      thread.doing.push({ number, task });
      const told: Task = { task: number, job, flow: task.flow, memory: task.memory };
      thread.worker.postMessage(told);
    }
  }

  /** A thread that has nothing to do, or that can be given a short job more while enough are left for the others. */
  #threadFor(job: Job): Thread | undefined {
    const idle = this.#workers.find(({ left }) => left === 0);
    if (idle) return idle;
    if (this.#workers.length < this.threads) return this.#add();
    if (this.#isHelped) return this.#workers.find(({ left }) => left < AT_ONCE);
    if (!isShort(job) || this.#urgent.length + this.#waiting.length <= this.threads) return undefined;
    return this.#workers.find(({ doing }) => doing.length < AT_ONCE && doing.every(({ task }) => isShort(task.job)));
  }

  #memoryFor(job: Job): SharedArrayBuffer {
    const room = roomFor(job);
    const found = this.#memories.findIndex(({ byteLength }) => byteLength === room);
    return found < 0 ? new SharedArrayBuffer(room) : this.#memories.splice(found, 1)[0]!;
  }

  #giveBack(task: RunningTask): void {
    if (task.memory) this.#memories.push(task.memory);
    task.memory = undefined;
  }

  #add(): Thread {
    const thread = new Thread(new Worker(this.#script, { execArgv: [], name: 'openchatml' }));
    this.#workers.push(thread);
    let reason = '';
    thread.worker.on('message', (answer: unknown) => this.#hear(thread, answer));
    thread.worker.on('error', (error: Error & { code?: string }) => (reason = error.code ?? error.name));
    thread.worker.on('messageerror', () => {
      reason = 'a message that cannot be read';
      void thread.worker.terminate();
    });
    // Whatever the exit code: a thread that ends before it is told to has failed.
    thread.worker.on('exit', (code) => this.#lose(thread, reason || `exit code ${code}`));
    return thread;
  }

  #hear(thread: Thread, answer: unknown): void {
    const doing = thread.doing[0];
    if (doing === undefined || this.#closed) return;
    // Whatever runs in a thread that says anything else, it is not to be relied on.
    if (!isAnswer(answer) || answer.task !== doing.number) {
      void thread.worker.terminate();
      return;
    }
    const { task } = doing;
    if ('piece' in answer) {
      task.arrive({ piece: answer.piece });
      return;
    }
    if ('length' in answer) {
      task.arriveAt(answer.at, answer.length, answer.numbers);
      return;
    }
    thread.doing.shift();
    if (task.isDropped) this.#giveBack(task);
    else if ('result' in answer) task.arrive({ result: answer.result });
    else task.arrive({ error: errorOf(answer.error) });
    this.#dispatch();
  }

  #lose(thread: Thread, reason: string): void {
    if (this.#closed) return;
    const at = this.#workers.indexOf(thread);
    if (at >= 0) this.#workers.splice(at, 1);
    const [first, ...others] = thread.doing.splice(0).map(({ task }) => task);
    for (const task of others.reverse()) {
      task.attempts--;
      this.#urgent.unshift(task);
    }
    if (first !== undefined && !first.isDropped) {
      if (first.attempts < ATTEMPTS) this.#urgent.unshift(first);
      else {
        first.arrive({ error: new ThreadError(`a thread that read ${first.job.input.path} failed twice (${reason})`) });
      }
    }
    this.#dispatch();
  }
}

const endedError = ({ input }: Job): ThreadError => new ThreadError(`the threads that read ${input.path} were ended`);

function isAnswer(value: unknown): value is Answer {
  if (typeof value !== 'object' || value === null || !('task' in value)) return false;
  return 'piece' in value || 'length' in value || 'result' in value || 'error' in value;
}

function errorOf({ input, system, stack }: ThreadFailure): Error {
  if (input !== null) return new InputError(input.path, input.reason, input.remedy, system);
  const error = new Error('a job failed');
  error.stack = stack;
  return error;
}
