// Jobs that worker threads and the thread that asks do together. A worker takes tens of milliseconds to start, and as
// many again until its code is fast. So whoever asks for a job that nobody has begun does it, and while a worker does
// the job that is asked for, one of the jobs behind it.

import { setImmediate as turn } from 'node:timers/promises';
import { isNumbered, type Job, type JobResult, type Piece } from './job.ts';
import type { Kind } from './kind.ts';
import { kindOf } from './kinds.ts';
import { leaveContext, takeContext, type ThreadContext } from './open.ts';
import { perform } from './perform.ts';
import { type Jobs, Pool, type PoolRunning, type Running } from './pool.ts';

type Answer = Awaited<ReturnType<Running['next']>>;

/** Bytes of pieces that are kept until they are asked for; the job rests then. */
const KEPT = 8 * 1024 * 1024;
/** Pieces of anything else, too. */
const MOST_KEPT = 32;

/** What jobs use one after the other: new memory would be new pages of the system all the time. */
interface Spare {
  readonly contexts: ThreadContext[];
  readonly memories: Uint8Array[];
}

/** A job done in this thread, piece by piece. */
class OwnWork {
  readonly #job: Job;
  readonly #kind: Promise<Kind>;
  readonly #spare: Spare;
  #context: ThreadContext | null;
  /** For bytes that are kept. */
  #memory: Uint8Array | undefined;
  #pieces: Generator<Piece, JobResult, void> | undefined;
  /** What nobody has asked for yet. */
  readonly #kept: (Answer | { readonly error: unknown })[] = [];
  #bytes = 0;
  isOver = false;

  constructor(job: Job, spare: Spare) {
    this.#job = job;
    this.#kind = kindOf(job);
    this.#spare = spare;
    this.#context = spare.contexts.pop() ?? takeContext();
  }

  get hasRoom(): boolean {
    return !this.isOver && this.#bytes < KEPT && this.#kept.length < MOST_KEPT;
  }

  /** Makes a piece before it is asked for. */
  async advance(): Promise<void> {
    const kind = await this.#kind;
    if (!this.hasRoom) return;
    try {
      this.#keep(this.#make(kind));
    } catch (error) {
      this.#kept.push({ error });
    }
  }

  async next(): Promise<Answer> {
    const kind = await this.#kind;
    const kept = this.#kept.shift();
    if (kept === undefined) this.#bytes = 0;
    const answer = kept ?? this.#make(kind);
    if ('error' in answer) throw answer.error;
    // Whoever took the last piece is done with it.
    if ('result' in answer && this.#memory) this.#spare.memories.push(this.#memory);
    return answer;
  }

  end(): void {
    this.isOver = true;
    this.#pieces?.return(undefined as never);
    if (this.#context !== null) this.#spare.contexts.push(this.#context);
    this.#context = null;
  }

  #make(kind: Kind): Answer {
    try {
      this.#pieces ??= perform(this.#context!, kind, this.#job);
      const { done, value } = this.#pieces.next();
      if (!done) return { piece: value };
      this.end();
      return { result: value };
    } catch (error) {
      this.end();
      throw error;
    }
  }

  /** A piece is valid until the next one is made. */
  #keep(answer: Answer): void {
    if ('result' in answer) {
      this.#kept.push(answer);
      return;
    }
    const { piece } = answer;
    this.#kept.push({
      piece: piece instanceof Uint8Array ? this.#copy(piece)
        : isNumbered(piece) ? { ...piece, bytes: this.#copy(piece.bytes) } : structuredClone(piece),
    });
  }

  #copy(piece: Uint8Array): Uint8Array {
    this.#memory ??= this.#spare.memories.pop() ?? new Uint8Array(KEPT);
    const at = this.#bytes;
    this.#bytes += piece.length;
    if (this.#bytes > KEPT) return piece.slice();
    this.#memory.set(piece, at);
    return this.#memory.subarray(at, this.#bytes);
  }
}

class JointRunning implements Running {
  readonly job: Job;
  readonly isUrgent: boolean;
  readonly #pool: PoolRunning;
  readonly #jobs: JointJobs;
  #own: OwnWork | null = null;

  constructor(pool: PoolRunning, jobs: JointJobs, isUrgent: boolean) {
    this.job = pool.job;
    this.isUrgent = isUrgent;
    this.#pool = pool;
    this.#jobs = jobs;
  }

  async next(): Promise<Answer> {
    while (this.#own === null && !this.#pool.hasArrived && !this.takeUp()) {
      if (!(await this.#jobs.help())) break;
    }
    const answer = await (this.#own ?? this.#pool).next();
    if ('result' in answer) {
      this.#jobs.forget(this);
      // Workers that wait for this thread have been waiting for as long as the job took.
      if (this.#own !== null) await turn();
    }
    return answer;
  }

  drop(): void {
    this.#jobs.forget(this);
    this.#own?.end();
    this.#pool.drop();
  }

  /** Makes it a job of this thread, if no worker has begun it. */
  takeUp(): boolean {
    if (!this.#pool.takeBack()) return false;
    this.#own = this.#jobs.begin(this.job);
    return true;
  }

  get own(): OwnWork | null {
    return this.#own;
  }
}

export class JointJobs implements Jobs {
  readonly threads: number;
  readonly #pool: Pool;
  readonly #spare: Spare = { contexts: [], memories: [] };
  /** Jobs that are not over, in the order in which they were given. */
  readonly #running = new Set<JointRunning>();
  /** Done in this thread before it is asked for. */
  #ahead: OwnWork | null = null;

  /** `threads`: from 2 on, this one among them. `script`: what the others run. */
  constructor(threads: number, script?: URL) {
    this.threads = threads;
    this.#pool = new Pool(threads - 1, { isHelped: true, ...(script && { script }) });
  }

  start(job: Job, first = false): Running {
    const running = new JointRunning(this.#pool.start(job, first), this, first);
    this.#running.add(running);
    return running;
  }

  close(): void {
    this.#pool.close();
    for (const running of this.#running) running.own?.end();
    this.#running.clear();
    for (const context of this.#spare.contexts.splice(0)) leaveContext(context);
  }

  begin(job: Job): OwnWork {
    return new OwnWork(job, this.#spare);
  }

  forget(running: JointRunning): void {
    this.#running.delete(running);
  }

  /** Does a little of a job that is asked for later. False: there is none, or enough of it is done. */
  async help(): Promise<boolean> {
    if (this.#ahead === null || this.#ahead.isOver) this.#ahead = this.#takeAny();
    if (this.#ahead === null || !this.#ahead.hasRoom) return false;
    await this.#ahead.advance();
    await turn();
    return true;
  }

  #takeAny(): OwnWork | null {
    for (const wanted of [true, false]) {
      for (const running of this.#running) {
        if (running.isUrgent === wanted && running.own === null && running.takeUp()) return running.own;
      }
    }
    return null;
  }
}
