// A command's way through its inputs: jobs in the order of the inputs, begun some way ahead on threads where that pays.

import { availableParallelism } from 'node:os';
import { InputError } from '../error.ts';
import { type FileStamp, stampOfInput } from '../input/stamp.ts';
import { type CountedPart, guessChain } from './guess-chain.ts';
import {
  type Job, type JobInput, type JobResult, NO_RESULT, type Part, type Piece, tableOf, type Work,
} from './job.ts';
import { JointJobs } from './joint-jobs.ts';
import { kindOf } from './kinds.ts';
import { leaveContext, type Opened, openInput, takeContext, type ThreadContext, type Watching } from './open.ts';
import { perform } from './perform.ts';
import type { Input } from '../input/paths.ts';
import {
  canBeCut, canBeMoved, countParts, type Cut, cutOf, exactParts, gainsFrom, guessedParts, movedParts, type PartOptions,
  PARTS, readsValues,
} from './parts.ts';
import type { Jobs, Running } from './pool.ts';
import { canBeGuessed } from './guess.ts';
import { joined } from './joined.ts';
import { movedBy, NOTHING, placedFrom, placeFrom, START, type Totals } from './moved.ts';
import type { Checkpoint } from '../../model/part-walk.ts';
import type { DialectId } from '../../scan/dialects.ts';
import type { FileOptions } from '../records/unit.ts';

/** What comes out of the inputs, in their order. */
export type Event =
  /** An input cannot be opened, or not be read on: nothing more comes of it. */
  | { readonly kind: 'error'; readonly error: InputError; readonly isBroken: boolean }
  /** An input could be opened. */
  | { readonly kind: 'begin'; readonly input: JobInput }
  | { readonly kind: 'piece'; readonly input: JobInput; readonly opened: Opened | null; readonly piece: Piece }
  /** A part is done. */
  | { readonly kind: 'part'; readonly input: JobInput; readonly opened: Opened | null; readonly result: JobResult }
  /** All of an input is done. */
  | ({ readonly kind: 'end'; readonly input: JobInput } & Totals);

/** What is planned for an input. */
type Step =
  /** It cannot be opened. */
  | { readonly input: null; readonly error: InputError }
  /**
   * A job whose pieces and result are to be taken; the last one of its input, or not. `opened`: the input, done in this
   * thread.
   */
  | {
    readonly input: JobInput;
    readonly work: Running;
    readonly opened: Opened | null;
    readonly state: FileStamp | null;
    readonly isFirst: boolean;
    readonly isLast: boolean;
  }
  /** Parts that are counted. */
  | {
    readonly input: JobInput;
    readonly chain: AsyncGenerator<CountedPart, void, void>;
    readonly state: FileStamp | null;
  };

export interface FlowOptions {
  /** At most so many, where they gain; 1: this one alone. Left out: as there are cores, at most USUAL_THREADS. */
  readonly threads?: number | undefined;
  readonly work: Work;
  readonly read: (path: string) => FileOptions;
  readonly tellsAtEnd: boolean;
  /** Columns of tables that are read beside those of records. */
  readonly columns?: readonly string[] | undefined;
  /** What is to be seen of an input that is read in this thread. */
  readonly watching?: (input: JobInput, opened: Opened) => Watching;
  readonly parts?: PartOptions;
  /** What does the parts of large inputs, and stays; this thread and others of its own when left out. */
  readonly jobs?: Jobs;
}

/** Jobs begun before they are taken, for each thread; those that take long for their bytes keep more. */
const AHEAD = 4;
const FEW_AHEAD = 1;
/** Bytes of inputs before small ones go to threads, too. */
const SMALL = 32 * 1024 * 1024;
/** More of them than this only wait for each other. */
export const USUAL_THREADS = 8;

export class Flow {
  readonly #options: FlowOptions;
  readonly #parts: PartOptions;
  #context: ThreadContext | undefined;
  readonly #threads: number;
  #own: JointJobs | undefined;
  #planner: ThreadContext | undefined;
  /** Bytes of the inputs so far. */
  #bytes = 0;

  constructor(options: FlowOptions) {
    this.#options = options;
    this.#threads = options.threads ?? Math.min(availableParallelism(), USUAL_THREADS);
    this.#parts = options.parts ?? PARTS;
  }

  /** Whether threads take part even where they do not gain: those that are there already do, and tests ask for it. */
  get #areWanted(): boolean {
    const { jobs, threads } = this.#options;
    return threads !== undefined && (jobs !== undefined || process.env['OPENCHATML_THREADS'] === 'always');
  }

  /** For the beginnings of inputs, which are looked at while another one is read. */
  get #planning(): ThreadContext {
    return (this.#planner ??= takeContext());
  }

  get #jobs(): Jobs {
    return this.#options.jobs ?? (this.#own ??= new JointJobs(this.#threads));
  }

  /**
   * What comes out of the inputs, in order. At the end, and when the loop over it is left, threads are ended and inputs
   * closed.
   */
  async *events(inputs: Iterable<Input | InputError>): AsyncGenerator<Event, void, void> {
    const planned = this.#plan(inputs);
    try {
      yield* this.#events(planned);
    } finally {
      // Who plans may wait for a thread: that is over then.
      this.#own?.close();
      await planned.return();
      for (const context of [this.#context, this.#planner]) if (context !== undefined) leaveContext(context);
      this.#context = this.#planner = undefined;
    }
  }

  /** Nothing more comes of an input; jobs of it that were begun are dropped. */
  skip(input: JobInput): void {
    this.#skipped = input;
  }

  async *#events(planned: AsyncGenerator<Step, void, void>): AsyncGenerator<Event, void, void> {
    let sums = NOTHING;
    // Where the part at hand begins, and lines before it that it did not count.
    let from = START;
    let lines = 0;
    let end: Checkpoint | null = null;
    for await (const step of this.#steps(planned)) {
      if (step.input === null) {
        yield { kind: 'error', error: step.error, isBroken: false };
        continue;
      }
      const { input } = step;
      let work = 'work' in step ? step.work : null;
      try {
        if (('chain' in step || step.isFirst) && this.#skipped !== input) yield { kind: 'begin', input };
        if (this.#skipped === input) continue;
        if ('chain' in step) {
          let transcripts = 0;
          for await (const { counts, transcripts: more, likeHarmony, bytes } of step.chain) {
            transcripts += more;
            yield { kind: 'part', input, opened: null, result: { ...NO_RESULT, counts, likeHarmony, bytes } };
          }
          refuseChanged(step, false);
          yield { kind: 'end', input, ...NOTHING, transcripts };
          continue;
        }
        if (step.isFirst) {
          sums = NOTHING;
          from = START;
          lines = 0;
          end = null;
        }
        const { opened } = step;
        const isMoved = canBeMoved(this.#options.work, step.work.job.part.of);
        const part = await joined(() => this.#jobs, this.#exact(step.work, sums.transcripts - sums.records), end);
        work = part && part.work;
        while (part !== null) {
          const answer = await part.work.next();
          if ('piece' in answer) {
            const piece = isMoved ? movedBy(part.work.job, sums, lines, answer.piece)
              : placedFrom(part.work.job, from, part.before, answer.piece);
            yield { kind: 'piece', input, opened, piece };
            if (this.#skipped === input) break;
            continue;
          }
          const result = part.exact(answer.result);
          end = result.end;
          if (result.place !== null) from = placeFrom(from, result.place);
          // Counts of lines begin anew in every part.
          const before = isMoved || step.work.job.kind === 'count' ? sums : NOTHING;
          lines += result.lines;
          sums = {
            holdsRecords: result.holdsRecords,
            records: before.records + result.records,
            transcripts: before.transcripts + result.transcripts,
            messages: sums.messages + result.messages,
            badRecords: sums.badRecords + result.badRecords,
          };
          this.#surplus = sums.transcripts - sums.records;
          yield { kind: 'part', input, opened, result };
          break;
        }
        if (!step.isLast || this.#skipped === input) continue;
        refuseChanged(step, opened !== null);
        yield { kind: 'end', input, ...sums };
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        this.#skipped = input;
        yield { kind: 'error', error, isBroken: true };
      } finally {
        work?.drop();
        if ('chain' in step) void step.chain.return();
      }
    }
  }

  /** The input of which nothing more is wanted. */
  #skipped: JobInput | null = null;
  /** Transcripts beyond one a record, in what was done last: what is likely for the parts that are begun ahead. */
  #surplus = 0;

  /** Lines that were begun with another number of transcripts before them are done again. */
  #exact(work: Running, surplus: number): Running {
    const { job } = work;
    if (job.part.of !== 'lines' || job.kind === 'count' || canBeMoved(this.#options.work, job.part.of)) return work;
    if (job.part.surplus === surplus) return work;
    work.drop();
    return this.#jobs.start({ ...job, part: { ...job.part, surplus } }, true);
  }

  async *#steps(planned: AsyncGenerator<Step, void, void>): AsyncGenerator<Step, void, void> {
    const { work } = this.#options;
    const ahead = tableOf(work) !== null || readsValues(work) ? FEW_AHEAD : AHEAD;
    const most = this.#threads === 1 ? 1 : 1 + ahead * this.#threads;
    const ready: Step[] = [];
    let failure: unknown;
    let ended = false;
    let left = false;
    let wake: () => void = () => {};
    // Goes on while a step is taken; errors come where they belong.
    const fill = async (): Promise<void> => {
      try {
        while (ready.length < most && !left && !ready.some(isDecoded)) {
          const next = await planned.next();
          if (next.done) {
            ended = true;
            break;
          }
          if (left) dropStep(next.value);
          else ready.push(next.value);
          wake();
        }
      } catch (error) {
        failure = error;
        ended = true;
      }
      wake();
    };
    let filling = fill();
    try {
      while (true) {
        while (ready.length === 0 && !ended) await new Promise<void>((done) => (wake = done));
        const step = ready.shift();
        if (step === undefined) break;
        if (!ended) filling = filling.then(fill);
        yield step;
      }
      if (failure !== undefined) throw failure;
    } finally {
      left = true;
      for (const step of ready) dropStep(step);
    }
  }

  async *#plan(inputs: Iterable<Input | InputError>): AsyncGenerator<Step, void, void> {
    const { read, tellsAtEnd, columns } = this.#options;
    for (const found of inputs) {
      if (found instanceof InputError) {
        yield { input: null, error: found };
        continue;
      }
      const { path, ref } = found;
      const input: JobInput = { ref, path, options: read(path), tellsAtEnd, columns };
      try {
        yield* this.#planInput(input);
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        yield { input: null, error };
      }
    }
  }

  async *#planInput(input: JobInput): AsyncGenerator<Step, void, void> {
    const { work } = this.#options;
    const state = stampOfInput(input.ref);
    const opened = openInput(input);
    let isTaken = false;
    try {
      const { size, canReread } = opened.input;
      this.#bytes += size ?? 0;
      const isAnywhere = this.#threads > 1 && canReread && size !== null && input.ref.kind === 'file';
      const gains = (of: 'raw' | 'lines', dialect?: DialectId): boolean =>
        this.#areWanted || this.#bytes >= gainsFrom(work, of, dialect);
      const pays = (of: 'raw' | 'lines', dialect?: DialectId): boolean => canBeCut(work, of) && gains(of, dialect);
      const cut: Cut = isAnywhere
        ? cutOf(() => this.#planning.machine, input.path, opened, work, this.#parts, pays) : { of: 'whole' };
      const isSmall = isAnywhere && size! < this.#parts.least && this.#bytes > SMALL && gains('raw') && gains('lines');
      if (cut.of === 'whole' && !isSmall) {
        isTaken = true;
        yield {
          input,
          work: this.#here({ ...work, input, part: cut } as Job, opened),
          opened,
          state,
          isFirst: true,
          isLast: true,
        };
        return;
      }
      if (work.kind === 'count' && cut.of === 'raw') {
        yield { input, chain: guessChain(this.#jobs, input, countParts(opened, cut, this.#parts)), state };
        return;
      }
      const isMoved = canBeMoved(work, cut.of);
      const parts =
        isMoved ? movedParts(opened, cut, work, this.#parts)
          : canBeGuessed(work, cut.of) ? guessedParts(opened, cut, work, this.#parts)
          : work.kind === 'count' ? countParts(opened, cut, this.#parts)
          : exactParts(this.#jobs, () => this.#planning.text, input, opened, cut, work, this.#parts);
      // Whether a part is the last one is known when there is no other.
      let before: Part | null = null;
      let isFirst = true;
      const step = (part: Part, isLast: boolean): Step => {
        const job = {
          ...work, input, part: part.of === 'lines' && !isFirst && !isMoved
            ? { ...part, surplus: this.#surplus } : part,
        } as Job;
        const begun = { input, work: this.#jobs.start(job), opened: null, state, isFirst, isLast };
        isFirst = false;
        return begun;
      };
      for await (const part of parts) {
        if (this.#skipped === input) return;
        if (before !== null) yield step(before, false);
        before = part;
      }
      if (before !== null) yield step(before, true);
    } finally {
      if (!isTaken) opened.input.close();
    }
  }

  /** A job done in this thread, when its pieces are asked for. */
  #here(job: Job, opened: Opened): Running {
    let pieces: Generator<Piece, JobResult, void> | undefined;
    const close = (): void => opened.input.close();
    return {
      job,
      next: async () => {
        try {
          if (pieces === undefined) {
            const kind = await kindOf(job);
            this.#context ??= takeContext();
            this.#context.watching = this.#options.watching?.(job.input, opened);
            pieces = perform(this.#context, kind, job, opened);
          }
          const { done, value } = pieces.next();
          if (done) close();
          return done ? { result: value } : { piece: value };
        } catch (error) {
          close();
          throw error;
        }
      },
      drop: () => {
        pieces?.return(undefined as never);
        close();
      },
    };
  }
}

/**
 * A file that changed while it was read gives a mix of both versions. A new file under the same name does no harm while
 * the old one is open; parts are opened by name.
 */
function refuseChanged(
  { input, state }: { readonly input: JobInput; readonly state: FileStamp | null }, isOpen: boolean,
): void {
  if (state === null) return;
  const now = stampOfInput(input.ref);
  if (now?.file !== state.file ? isOpen : now.content === state.content) return;
  throw new InputError(input.path, 'was changed while it was read', 'read it when nobody writes to it');
}

/** A thread decodes it a MiB ahead: one that waits is enough, as this thread reads one after the other. */
const isDecoded = (step: Step): boolean => 'opened' in step && step.opened?.input.canReread === false;

function dropStep(step: Step): void {
  if ('work' in step) step.work.drop();
  else if ('chain' in step) void step.chain.return();
}

