// What a run writes of chat records that are read as rows, against the way on which every record is a value.
import { expect, test } from 'vitest';
import type { InputSource } from '../../../src/corpus/input/source.ts';
import type { Piece } from '../../../src/corpus/jobs/job.ts';
import { LARGEST } from '../../../src/corpus/records/record.ts';
import { Judge } from '../../../src/corpus/jobs/verdict-judge.ts';
import { readRun } from '../../../src/corpus/jobs/run-read.ts';
import { lineRows } from '../../../src/corpus/jobs/run-rows.ts';
import { ALL } from '../../../src/corpus/records/units.ts';
import { runs } from '../../long.ts';
import { randomOf, SEED } from '../../random.ts';
import { SlowSource } from '../input/slow-source.ts';
import { mutated, randomRecord, randomText } from '../records/random-chat.ts';

const judge = new Judge({ tools: [], warnings: true, adjust: (diagnostic) => diagnostic });

/** What a run writes, and what it counts. */
function run(bytes: Uint8Array, emit: 'verdict' | 'keep', largestRecord: number): unknown {
  const lines: string[] = [];
  const rows = lineRows(emit, 'x.jsonl');
  const put = (pieces: Iterable<Piece>): void => {
    for (const piece of pieces) lines.push(Buffer.from(piece as Uint8Array).toString('utf8'));
  };
  const rest = { path: 'x', size: bytes.length, canReread: true, first: 0, close: () => {}, release: () => {} };
  const input = Object.assign(new SlowSource(bytes, 5000), rest) as unknown as InputSource;
  const reading = readRun({
    path: 'x.jsonl', input, source: input, options: { largestRecord }, judge, rows, part: ALL,
  });
  for (let next = reading.next(); ; next = reading.next()) {
    put(rows.take());
    if (!next.done) continue;
    put(rows.end());
    const { statistics, ...sums } = next.value;
    return { lines: lines.join(''), sums, statistics: statistics.toJSON() };
  }
}

test(`verdicts, kept records, counts and statistics (seed ${SEED})`, { timeout: 10 * 60_000 }, () => {
  for (let seed = SEED; seed < SEED + runs(600); seed++) {
    const random = randomOf(seed);
    const lines = Array.from({ length: 1 + random.below(12) }, () => {
      const line = Buffer.from(randomText(random, randomRecord(random)), 'utf8');
      return random.once(20) ? mutated(random, line) : line;
    });
    const bytes = Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
    for (const emit of ['verdict', 'keep'] as const) {
      expect(run(bytes, emit, LARGEST), `seed ${seed}, ${emit}`).toEqual(run(bytes, emit, LARGEST - 1));
    }
  }
});
