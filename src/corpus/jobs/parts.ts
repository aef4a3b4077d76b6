// Inputs to jobs: what is large and can be read anywhere is cut into parts for threads; everything else is one job,
// done in the thread that asks. Where parts begin depends on the input alone, and what comes out on neither.

import { Counter } from '../../rules/count.ts';
import type { Checkpoint } from '../../model/part-walk.ts';
import { type DialectId, dialectNamed } from '../../scan/dialects.ts';
import type { Machine } from '../../scan/machine.ts';
import { BLOCK } from '../../scan/source.ts';
import type { TextMachine } from '../../scan/text-machine.ts';
import { newHeaders } from '../headers.ts';
import { canBeRecords, canWriteRows, isRowsDialect } from './convert-quick.ts';
import { type CountedPart, guessChain } from './guess-chain.ts';
import { type JobInput, type Part, tableOf, type Work } from './job.ts';
import type { Opened } from './open.ts';
import type { Jobs } from './pool.ts';
import type { InputSource } from '../input/source.ts';
import { countLines } from '../records/count-lines.ts';
import { areLines } from '../records/turns.ts';
import { isContainer } from '../records/unit.ts';

export interface PartOptions {
  /**
   * Bytes of the next part where so many are left; parts of raw text end with a message, those of lines with a line.
   */
  readonly step: (left: number) => number;
  /** Bytes below which an input is not worth a thread's start. */
  readonly least: number;
}

const MIB = 1024 * 1024;
/** Bytes from which the density of transcripts is told. */
const SAMPLE = 256 * 1024;

/** Parts are few, as each costs a little by itself; towards the end they become small, so that threads end together. */
export const PARTS: PartOptions = {
  step: (left) => Math.min(64 * MIB, Math.max(4 * MIB, Math.ceil(left / 8))), least: 16 * MIB,
};

/**
 * Bytes of input from which a second thread gains. Its start takes 70 ms of processor time, and compiling its code 200
 * to 500 more; that of the first thread is compiled on another core meanwhile, so that one thread ends 0.2 s earlier
 * than its processor time says, and two on two cores after half of theirs at best. Processor time of a process on one
 * thread and on two, 401 MB of raw text: `scan` 0.37 and 0.61 s, `check` 0.90 and 1.45 (1.4 GB: 2.1 and 2.7),
 * `messages` 2.4 and 3.6, the others 4 to 8 s on one; 480 MB: `audit` 1.5 and 2.0 (240 MB: 0.95 and 1.3); 270 MB of
 * records: 0.26 and 0.31, `check` 0.40 and 0.53; 420 MB: `messages` 0.43 and 0.73, `convert` 0.47 and 0.76, `audit`
 * 0.33 and 0.46, `filter` 0.9 and 1.5 (860 MB: 1.4 and 1.9; 20 MB where it reads every value: 2.2 and 3.2); 134 MB:
 * `run` 1.5 and 2.5, 1.9 and 2.9 for tables; 60 MB where it reads every value: 10 and 13. What is not faster than 120
 * MB/s gains from 128 MiB on; records that are converted as values, at 45 MB/s, do from 64 MiB on. Text of 2.2
 * and Harmony that is written as records from its rows does not: 1.5 GB take 2.7 to 3.4 s on one thread and on two.
 * `dialect`: of raw text, where it is known.
 */
export function gainsFrom(work: Work, of: 'raw' | 'lines', dialect?: DialectId): number {
  const name = readsValues(work) ? 'values'
    : work.kind === 'messages' && tableOf(work) !== null ? 'table'
    : work.kind === 'convert' && isRowsDialect(dialect) && canBeRecords(work) ? 'records'
    : work.kind === 'convert' && of === 'lines' && !canWriteRows(work, {}) ? 'anew' : work.kind;
  return GAINS[name][of] * MIB;
}

type Gains = { readonly raw: number; readonly lines: number };

const GAINS: Readonly<Record<Work['kind'] | 'table' | 'records' | 'anew' | 'values', Gains>> = {
  count: { raw: 1024, lines: 256 },
  check: { raw: 1536, lines: 256 },
  statistics: { raw: 256, lines: 128 },
  messages: { raw: 384, lines: 1024 },
  table: { raw: 128, lines: 128 },
  audit: { raw: 384, lines: 256 },
  convert: { raw: 128, lines: 384 },
  records: { raw: Infinity, lines: Infinity },
  anew: { raw: 128, lines: 64 },
  render: { raw: 128, lines: 128 },
  run: { raw: 128, lines: 256 },
  filter: { raw: 1024, lines: 1024 },
  values: { raw: 32, lines: 32 },
};

/** Each record is read by itself, which takes as long for every one. */
export const readsValues = (work: Work): boolean =>
  work.kind === 'filter' && work.passthrough;

/** Work on lines as they stand: nobody looks what an input holds, as one that comes slowly may show nothing yet. */
export const takesLines = ({ kind }: Pick<Work, 'kind'>): boolean => kind === 'filter';

/**
 * Whether work can be done on a part of an input: a verdict is on a whole transcript, and the first transcripts of raw
 * text are known to be these when all before them are counted.
 */
export const canBeCut = (work: Work, of: 'raw' | 'lines'): boolean =>
  of === 'lines' || (work.kind !== 'run' && !takesLines(work) && !(work.kind === 'check' && work.most !== undefined));

/**
 * Bytes of a part of work that gives as many bytes as it reads: a thread is done with it while the parts before are
 * still written.
 */
const EXACT = BLOCK;

const shortParts = (options: PartOptions): PartOptions =>
  ({ ...options, step: (left) => Math.min(options.step(left), EXACT) });

/** How an input is cut. */
export type Cut =
  | { readonly of: 'whole' }
  /** `density`: transcripts for each byte, as far as one can tell from the beginning. */
  | { readonly of: 'raw'; readonly size: number; readonly like: Checkpoint; readonly density: number }
  | { readonly of: 'lines'; readonly size: number };

/** How an input is cut: reads its beginning. `gains`: whether a second thread does. Throws an InputError. */
export function cutOf(
  machine: () => Machine, path: string, { input: source, options }: Opened, work: Work, { least }: PartOptions,
  gains: (of: 'raw' | 'lines', dialect?: DialectId) => boolean,
): Cut {
  const { size } = source;
  if (!source.canReread || size === null || size < least) return { of: 'whole' };
  if (takesLines(work)) return gains('lines') ? { of: 'lines', size } : { of: 'whole' };
  if (isContainer(path, source, options)) {
    return gains('lines') && areLines(source) ? { of: 'lines', size } : { of: 'whole' };
  }
  if (!gains('raw')) return { of: 'whole' };
  const counter = new Counter(true);
  const headers = newHeaders();
  const like = counter.addRange(machine(), source, options, { start: null, to: 0 }, headers);
  if (like === null || !gains('raw', dialectNamed(like.dialect).id)) return { of: 'whole' };
  const end = counter.addRange(machine(), source, options, { start: like, to: SAMPLE }, headers);
  const density = end === null ? 0 : end.transcript.number / end.position;
  // In the middle of a transcript, which is where most messages stand.
  const { verdict } = like.transcript.likeness;
  const transcript = {
    ...like.transcript,
    messages: 1,
    bounded: false,
    boundFrom: -1,
    afterMessage: true,
    afterReturn: false,
    likeness: { verdict: verdict === 'open' ? 'likely' : verdict, from: 0, messages: 0, signs: 0 },
  } as const;
  return { of: 'raw', size, like: { ...like, transcript }, density };
}

/**
 * Whether what comes out of a part of lines can be moved by the records and lines before it, so that nobody counts
 * these ahead: findings and words have numbers, bytes hold them.
 */
export function canBeMoved(work: Work, of: Part['of']): boolean {
  if (of !== 'lines') return false;
  // Lines of JSON have the numbers of records in their ids.
  if (work.kind === 'convert') return work.format === 'text';
  if (work.kind === 'filter') return work.emit === 'keep' || work.emit === 'drop';
  return work.kind === 'audit' || (work.kind === 'check' && work.most === undefined);
}

/** Parts for work that can be moved: of whole blocks, over which findings are gathered. */
export function movedParts(opened: Opened, cut: Cut, work: Work, options: PartOptions): Part[] {
  const most = work.kind === 'convert' || work.kind === 'filter' ? EXACT : Infinity;
  const step = (left: number): number => {
    const wanted = Math.min(options.step(left), most);
    return wanted <= BLOCK ? wanted : wanted - (wanted % BLOCK);
  };
  return countParts(opened, cut, { ...options, step });
}

/**
 * Parts of raw text that can be guessed; of an audit one for each block, over which findings are gathered. Those of
 * text with numbers of transcripts have likely ones: a number that has as many digits as the right one is written over.
 */
export function guessedParts(opened: Opened, cut: Cut, { kind }: Work, options: PartOptions): Part[] {
  if (kind === 'check' || cut.of !== 'raw') return countParts(opened, cut, options);
  return countParts(opened, cut, shortParts(options)).map((part) => {
    if (part.of !== 'guess' || kind !== 'convert') return part;
    const { like, from } = part;
    const number = Math.round(cut.density * from);
    return { ...part, like: { ...like, transcript: { ...like.transcript, number } } };
  });
}

/** Parts for what can be guessed: where they begin is seen to be right, or done again, by whoever joins them. */
export function countParts({ input: source }: Opened, cut: Cut, { step }: PartOptions): Part[] {
  if (cut.of === 'whole') return [cut];
  const cuts = cutsOf(cut.size, step);
  if (cut.of === 'raw') {
    return cuts.map(({ from, to }) => {
      return from === 0 ? { of: 'raw', start: null, to } : { of: 'guess', from, to, like: cut.like };
    });
  }
  return movedToLines(source, cuts).map(({ from, to }) => ({ of: 'lines', from, to, record: 0, line: 1, surplus: 0 }));
}

/**
 * Parts for work that tells where things stand: each is counted before it is given out, which costs little beside the
 * work. Those of raw text are counted side by side with it; `text` counts lines.
 */
export async function* exactParts(
  jobs: Jobs, text: () => TextMachine, input: JobInput, opened: Opened, cut: Cut, work: Work, given: PartOptions,
): AsyncGenerator<Part, void, void> {
  const section = tableOf(work)?.section ?? null;
  const options = section === null ? shortParts(given) : { ...given, step: () => section };
  if (cut.of === 'whole') yield cut;
  else if (cut.of === 'raw') yield* countedRaw(jobs, input, countParts(opened, cut, options));
  else yield* countedLines(text(), opened.input, movedToLines(opened.input, cutsOf(cut.size, options.step)));
}

/**
 * Parts of raw text, each given out as soon as those before it are counted; the first one when it is, as it may go on
 * to the first transcript.
 */
async function* countedRaw(jobs: Jobs, input: JobInput, parts: readonly Part[]): AsyncGenerator<Part, void, void> {
  const chain = guessChain(jobs, input, parts.length > 1 ? parts.slice(0, -1) : parts, true);
  const endOf = async (): Promise<Checkpoint | null> => {
    const next: IteratorResult<CountedPart, void> = await chain.next();
    return next.done ? null : next.value.end;
  };
  try {
    let start = await endOf();
    yield { of: 'raw', start: null, to: start?.position ?? Infinity };
    for (const part of parts.slice(1)) {
      if (start === null) return;
      const to = part.of === 'guess' ? part.to : Infinity;
      // A message that is longer than the part took it along.
      if (start.position >= to) continue;
      yield { of: 'raw', start, to };
      if (to !== Infinity) start = await endOf();
    }
  } finally {
    await chain.return();
  }
}

/** Parts of lines that are counted as they are given out: by who asks, as it takes less than a job would. */
function* countedLines(text: TextMachine, source: InputSource, ranges: readonly Span[]): Generator<Part, void, void> {
  let [record, line] = [0, 1];
  for (const range of ranges) {
    yield { of: 'lines', ...range, record, line, surplus: 0 };
    if (range.to === Infinity) return;
    const { records, lines } = countLines(text, source, range.from, range.to);
    record += records;
    line += lines;
  }
}

interface Span {
  readonly from: number;
  readonly to: number;
}

function cutsOf(size: number, step: PartOptions['step']): Span[] {
  const spans: Span[] = [];
  for (let from = 0; from < size; ) {
    const to = from + step(size - from);
    spans.push({ from, to: to >= size ? Infinity : to });
    from = to;
  }
  return spans;
}

const LF = 0x0a;
const PEEK = 64 * 1024;

/** The same spans, moved to where lines begin; one that holds no beginning of a line is left out. */
function movedToLines(source: InputSource, spans: readonly Span[]): Span[] {
  const starts = spans.map(({ from }) => (from === 0 ? 0 : lineAfter(source, from - 1)));
  const size = source.size!;
  const wanted = starts.filter((start, i) => i === 0 || (start > starts[i - 1]! && start < size));
  return wanted.map((from, i) => ({ from, to: wanted[i + 1] ?? Infinity }));
}

/** The first byte behind the first line feed from a position on. */
function lineAfter(source: InputSource, from: number): number {
  const part = new Uint8Array(PEEK);
  for (let at = from; ; ) {
    const read = source.read(at, part);
    if (read === 0) return at;
    const lf = part.subarray(0, read).indexOf(LF);
    if (lf >= 0) return at + lf + 1;
    at += read;
  }
}
