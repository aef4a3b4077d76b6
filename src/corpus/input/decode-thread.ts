// Threads that decode one input after the other: the start of one takes 50 ms, and a folder may hold thousands of
// compressed files. The thread that reads sleeps while it waits, and hears of no event.

import { MessageChannel, Worker } from 'node:worker_threads';
import type { DecodeTask } from './pass.ts';
import { clearRing, makeRingMemory } from './ring.ts';

/** MiB of objects in a thread that decodes bytes; buffers are not part of it. */
const HEAP = 64;
/** Threads that wait for the next input, and how long they do. */
const MOST_IDLE = 2;
const IDLE_MS = 300;
/** Bytes of a table: after a larger one a thread's memory, 60 MiB, is worth more than the time of a new one. */
const SMALL = 8 * 1024 * 1024;

const idle = new Set<DecodeThread>();

export class DecodeThread {
  readonly memory = makeRingMemory();
  readonly #script: string;
  readonly #isLimited: boolean;
  readonly #worker: Worker;
  /** A port tells at once when the thread at its other end is no more, even while nothing here can hear of events. */
  readonly #line: MessageChannel['port1'];
  #timer: NodeJS.Timeout | undefined;

  /** One that waits, or a new one; it begins with the task. `script`: what it runs. */
  static begin(script: URL, task: DecodeTask): DecodeThread {
    const isLimited = task.container !== 'parquet';
    let thread: DecodeThread | undefined;
    for (const one of idle) {
      if (one.#script === script.href && one.#isLimited === isLimited && one.isAlive) thread = one;
    }
    if (thread !== undefined) {
      thread.#wake();
      clearRing(thread.memory);
    }
    thread ??= new DecodeThread(script, isLimited);
    thread.#worker.postMessage({ ...task, memory: thread.memory });
    return thread;
  }

  private constructor(script: URL, isLimited: boolean) {
    this.#script = script.href;
    this.#isLimited = isLimited;
    const { port1: line, port2: end } = new MessageChannel();
    this.#line = line;
    const resourceLimits = isLimited ? { maxOldGenerationSizeMb: HEAP } : {};
    this.#worker = new Worker(script, {
      workerData: { end }, transferList: [end], execArgv: [], name: 'decode', resourceLimits,
    });
    this.#worker.unref();
    line.unref();
    // What goes wrong is seen in the ring.
    this.#worker.on('error', () => {});
  }

  get isAlive(): boolean {
    return (this.#line.postMessage(null) as unknown) !== false;
  }

  /** Nobody wants the rest of the task. */
  cancel(): void {
    this.#worker.postMessage(null);
  }

  /** The task is over, which gave so many bytes: the thread may be given another one. */
  leave(decoded: number): void {
    if (idle.size >= MOST_IDLE || (!this.#isLimited && decoded > SMALL)) return this.end();
    idle.add(this);
    this.#timer = setTimeout(() => this.end(), IDLE_MS).unref();
  }

  end(): void {
    this.#wake();
    void this.#worker.terminate();
  }

  #wake(): void {
    idle.delete(this);
    clearTimeout(this.#timer);
  }
}
