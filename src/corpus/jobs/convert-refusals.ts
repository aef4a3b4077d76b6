// Records and transcripts that are not converted: the first ones are told by themselves, further ones as a number. Why
// a short record is refused is known when its bytes come again.

import { Refusal } from '../../formats/loss.ts';
import { BadRuns } from '../records/bad-runs.ts';
import { KnownBytes } from '../../model/known-bytes.ts';
import type { RecordProblem } from '../records/record.ts';
import { detailOf } from '../records/unit-types.ts';
import { type FileOptions, missOf, noRecord } from '../records/unit.ts';
import type { GatheredBytes } from './gathered-bytes.ts';
import type { Piece } from './job.ts';
import type { Words } from './words.ts';

/** What a refusal tells. */
export type Refused = Pick<Refusal, 'index' | 'reason' | 'remedy'>;

/** What is told of refusals beyond the first ones. */
export const RUNS = {
  problem: 'records that cannot be read', record: 'records that cannot be converted',
  transcript: 'transcripts that cannot be converted',
} as const;

/** What is told of a record that holds nothing which can be converted. */
export function refusalOf(value: unknown, reading: Pick<FileOptions, 'field' | 'isTable'>): Refusal {
  const problem = noRecord(value, reading);
  if (problem !== null) return new Refusal(null, problem, 'give one JSON object a line, or one list');
  const miss = missOf(value, { field: reading.field });
  return new Refusal(null, miss.problem, miss.remedy);
}

/** What is refused of a record wherever it stands. */
export interface KnownRefusal {
  readonly refusal: Refused;
  readonly id: string | number | null;
  /** Byte of the record where it goes wrong. */
  readonly at: number | null;
  readonly rule: string;
}

/** Of a record that cannot be read. */
export function refusedFor({ problem, remedy, at, from }: RecordProblem): KnownRefusal {
  const refusal = { index: null, reason: problem, remedy };
  return { refusal, id: null, at: at === null ? null : at - from, rule: RUNS.problem };
}

/** What is told of it. */
export const toldOf = ({ refusal, at }: KnownRefusal): Refused =>
  (at === null ? refusal : { ...refusal, reason: detailOf(refusal.reason, at) });

export class Refusals extends BadRuns<Words> {
  readonly known = new KnownBytes<KnownRefusal>();

  /** Tells of those that were not told by themselves. */
  *end(out: GatheredBytes): Generator<Piece, void, void> {
    for (const { rule, first, times, to, lastLine } of this.take()) {
      const end = rule === RUNS.transcript ? [`byte ${to}`] : ['line ', lastLine];
      yield* out.flush();
      yield { words: [['refused: ', ...first, `: ${times} ${rule}, up to `, ...end]] };
    }
  }
}
