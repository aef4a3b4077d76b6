// What a thread keeps between jobs: scanners, and the input that it read last.

import type { Source } from '../../scan/source.ts';
import { Counter } from '../../rules/count.ts';
import { InputError } from '../error.ts';
import { COLUMNS } from '../input/columns.ts';
import type { JobInput } from './job.ts';
import { openRef } from '../input/paths.ts';
import type { InputSource } from '../input/source.ts';
import type { FileOptions } from '../records/unit.ts';
import { columnOf } from '../records/within.ts';
import { Scanners } from './scanners.ts';

/** What the thread that asks wants to see of a job that it does itself. */
export interface Watching {
  source(input: InputSource): Source;
  /** What to count into; without it the counts are the job's result. */
  readonly counter?: Counter | undefined;
}

/** An open input, and how to read it. */
export interface Opened {
  readonly input: InputSource;
  readonly options: FileOptions;
}

/** Throws an InputError. */
export function openInput({ ref, options, tellsAtEnd, columns: further = [] }: JobInput): Opened {
  const named = options.field === undefined ? [] : [columnOf(options.field)];
  const columns = [...new Set([...COLUMNS, ...further, ...named])];
  const { input, container } = openRef(ref, { verify: !tellsAtEnd, columns });
  // A row of a table has no place in the file's bytes.
  return { input, options: container === 'parquet' ? { ...options, positions: 'field', isTable: true } : options };
}

export class ThreadContext extends Scanners {
  /** Of the job that is begun next. */
  watching: Watching | undefined;
  #open: (Opened & { readonly key: string }) | undefined;

  /** The input, watched. */
  watched(input: InputSource): Source {
    return this.watching?.source(input) ?? input;
  }

  /** What to count into, and whether its counts are the job's own. */
  get counter(): { readonly counter: Counter; readonly isOwn: boolean } {
    const counter = this.watching?.counter;
    return counter === undefined ? { counter: new Counter(true), isOwn: true } : { counter, isOwn: false };
  }

  /** The input of a job; a file stays open for the next job. Throws an InputError. */
  open(job: JobInput): Opened {
    const key = JSON.stringify([job.path, job.options, job.tellsAtEnd]);
    if (this.#open?.key === key && this.#open.input.canReread) return this.#open;
    this.close();
    this.#open = { key, ...openInput(job) };
    return this.#open;
  }

  close(): void {
    this.#open?.input.close();
    this.#open = undefined;
  }
}

/** Contexts that nobody uses at the moment: two readings that go on at the same time need two. */
const idle: ThreadContext[] = [];
/** A context is up to 30 MB of memory. */
const MOST_IDLE = 4;

/** A context, of an earlier reading where there is one: new memory would be new pages of the system each time. */
export function takeContext(): ThreadContext {
  return idle.pop() ?? new ThreadContext();
}

/** The context is free: its input is closed, what it knows stays. */
export function leaveContext(context: ThreadContext): void {
  context.close();
  context.watching = undefined;
  context.restart();
  if (idle.length < MOST_IDLE) idle.push(context);
}

/** Rows of a table are wanted as they are. */
export function columnsLeftOut(path: string): InputError {
  const remedy = 'write verdicts, and select the rows with a tool for tables';
  return new InputError(path, 'is a Parquet file, of which not all columns are read', remedy);
}
