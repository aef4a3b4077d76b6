// The library as a program that reads one corpus after the other has it: scanners and threads that are there already.
import { type Event, Flow, type FlowOptions } from '../src/corpus/jobs/flow.ts';
import { findInputs } from '../src/corpus/input/paths.ts';
import { JointJobs } from '../src/corpus/jobs/joint-jobs.ts';
import type { Piece, Work } from '../src/corpus/jobs/job.ts';
import type { FileOptions } from '../src/corpus/records/unit.ts';
import { createMachine } from '../src/scan/engine.ts';
import type { Machine } from '../src/scan/machine.ts';
import type { Source } from '../src/scan/source.ts';
import { Counter } from '../src/rules/count.ts';
import type { Counts } from '../src/rules/counts.ts';

export class Warm {
  readonly #threads: number;
  readonly #pool: JointJobs | null;

  constructor(threads: number) {
    this.#threads = threads;
    this.#pool = threads === 1 ? null : new JointJobs(threads);
  }

  /** For what is scanned without a job. */
  readonly machine: Machine = createMachine();

  /** What `scan` tells. `watch` sees what is read in this thread. */
  async count(
    path: string, options: FileOptions, watch: (source: Source) => Source = (source) => source,
  ): Promise<Counts & { records: number }> {
    const counter = new Counter();
    let records = 0;
    const events = this.#events(path, options, {
      work: { kind: 'count' },
      tellsAtEnd: true,
      watching: (_, { input }) => ({ source: () => watch(input), counter }),
    });
    for await (const event of events) {
      if (event.kind === 'part' && event.result.counts !== null) counter.merge(event.result.counts);
      if (event.kind !== 'end') continue;
      counter.addFile(0);
      records += event.records;
    }
    return { ...counter.result(), records };
  }

  /** Does other work; `take` gets its pieces. */
  async each(
    path: string, options: FileOptions, work: Work, take: (piece: Piece) => void,
  ): Promise<{ transcripts: number; messages: number }> {
    const sums = { transcripts: 0, messages: 0 };
    for await (const event of this.#events(path, options, { work, tellsAtEnd: false })) {
      if (event.kind === 'piece') take(event.piece);
      if (event.kind !== 'end') continue;
      sums.transcripts += event.transcripts;
      sums.messages += event.messages;
    }
    return sums;
  }

  async *#events(
    path: string, options: FileOptions, settings: Pick<FlowOptions, 'work' | 'tellsAtEnd' | 'watching'>,
  ): AsyncGenerator<Exclude<Event, { kind: 'error' }>, void, void> {
    const jobs = this.#pool;
    const flow = new Flow({
      ...settings, threads: this.#threads, read: () => options, ...(jobs && { jobs }),
    });
    for await (const event of flow.events(findInputs([path], -1))) {
      if (event.kind === 'error') throw event.error;
      yield event;
    }
  }

  close(): void {
    this.#pool?.close();
  }
}
