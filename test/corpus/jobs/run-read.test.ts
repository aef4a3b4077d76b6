// What a run writes of chat records that are read as rows, against the way on which every record is a value.
import { expect, test } from 'vitest';
import type { InputSource } from '../../../src/corpus/input/source.ts';
import type { Piece, RunJob, RunWork } from '../../../src/corpus/jobs/job.ts';
import { ThreadContext } from '../../../src/corpus/jobs/open.ts';
import { kindOf } from '../../../src/corpus/jobs/kinds.ts';
import { LARGEST } from '../../../src/corpus/records/record.ts';
import { Judge, type JudgeOptions } from '../../../src/corpus/jobs/verdict-judge.ts';
import { outputOf } from '../../../src/corpus/jobs/run-job.ts';
import { readRun } from '../../../src/corpus/jobs/run-read.ts';
import { ALL } from '../../../src/corpus/records/units.ts';
import { RecordMachine } from '../../../src/scan/record-machine.ts';
import { toolsFromOpenAI } from '../../../src/tools/records.ts';
import { runs } from '../../long.ts';
import { randomOf, SEED } from '../../random.ts';
import { SlowSource } from '../input/slow-source.ts';
import { randomLine, randomTools } from '../records/random-chat.ts';

const OPTIONS: JudgeOptions = { tools: [], warnings: true, adjust: (diagnostic) => diagnostic };
const PLAIN_CONTEXT = new ThreadContext();
/** Small windows hold some lines, small tables some records. */
const CONTEXTS = [{}, { input: 2000, rows: 40 }, { input: 9000, rows: 300 }].map((options) => {
  return new ThreadContext({ records: new RecordMachine({ build: 'simd', ...options }) });
});

const PLAIN = { tools: [], warnings: true, rules: {}, strict: false } as const;
const WORK: readonly RunWork[] = [
  { ...PLAIN, emit: 'verdict', form: 'lines' }, { ...PLAIN, emit: 'keep', form: 'lines' },
  { ...PLAIN, emit: 'messages', form: 'lines' },
  { ...PLAIN, emit: 'messages', form: { format: 'arrow', section: 700 } },
  { ...PLAIN, emit: 'messages', form: { format: 'parquet', section: 1e6 } },
  { ...PLAIN, emit: 'verdict', form: { format: 'parquet', section: 700 } },
];
// It loads what writes tables.
await Promise.all(WORK.map((work) => kindOf({ ...work, kind: 'run' })));

const withoutBig = (_: string, value: unknown): unknown => typeof value === 'bigint' ? String(value) : value;

/** What a run writes, and what it counts. */
function run(bytes: Uint8Array, work: RunWork, judge: Judge, largestRecord: number): unknown {
  const lines: string[] = [];
  const others: string[] = [];
  const rest = { path: 'x', size: bytes.length, canReread: true, first: 0, close: () => {}, release: () => {} };
  const input = Object.assign(new SlowSource(bytes, 5000), rest) as unknown as InputSource;
  const job = { ...work, kind: 'run', input: { path: 'x.jsonl' }, part: { of: 'whole' } };
  const rows = outputOf(job as unknown as RunJob);
  const put = (pieces: Iterable<Piece>): void => {
    for (const piece of pieces) {
      if (piece instanceof Uint8Array) lines.push(Buffer.from(piece).toString('latin1'));
      else others.push(JSON.stringify(piece, withoutBig));
    }
  };
  const reading = readRun({
    path: 'x.jsonl', input, source: input, options: { largestRecord }, judge, rows, part: ALL,
  });
  for (let next = reading.next(); ; next = reading.next()) {
    put(rows.take());
    if (!next.done) continue;
    put(rows.end());
    const { statistics, ...sums } = next.value;
    return { lines: lines.join(''), others, sums, statistics: statistics.toJSON() };
  }
}

test(`verdicts, kept records, messages, counts and statistics (seed ${SEED})`, { timeout: 20 * 60_000 }, () => {
  for (let seed = SEED; seed < SEED + runs(200, 25); seed++) {
    const random = randomOf(seed);
    const lines = Array.from({ length: 1 + random.below(12) }, () => randomLine(random));
    const isList = random.once(4);
    const all = lines.flatMap((line, i) => [Buffer.from(i === 0 ? '' : isList ? ',' : '\n'), line]);
    const bytes = Buffer.concat(isList ? [Buffer.from('['), ...all, Buffer.from(']')] : all);
    const { tools } = toolsFromOpenAI(random.once(2) ? [] : randomTools(random));
    const judge = new Judge({ ...OPTIONS, tools }, random.pick(CONTEXTS));
    const plain = new Judge({ ...OPTIONS, tools }, PLAIN_CONTEXT);
    for (const work of WORK) {
      const hint = `seed ${seed}, ${JSON.stringify(work)}`;
      expect(run(bytes, work, judge, LARGEST), hint).toEqual(run(bytes, work, plain, LARGEST - 1));
    }
  }
});

test('a turn by itself is kept as a list, by which it stays apart', () => {
  const lines = ['{"messages":[]}', ' {"role":"user","content":"a"}', '{"role":"assistant","content":"b"}'];
  const work: RunWork = { ...PLAIN, emit: 'keep', form: 'lines' };
  const judge = new Judge(OPTIONS, PLAIN_CONTEXT);
  const kept = (largest: number): unknown => run(Buffer.from(lines.join('\n')), work, judge, largest);
  expect(kept(LARGEST)).toEqual(kept(LARGEST - 1));
  const [chat, user, assistant] = lines.map((line) => line.trim());
  expect(kept(LARGEST)).toMatchObject({ lines: `${chat}\n[${user}]\n[${assistant}]\n` });
});
