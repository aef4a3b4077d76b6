// Records that cannot be audited: the first ones are told by themselves, further ones together. What was wrong with a
// short one is known when its bytes come again.

import { manyTimes } from '../../errors.ts';
import { BadRuns } from '../records/bad-runs.ts';
import { type Fault, faultOf } from '../records/known-bad.ts';
import { KnownBytes } from '../../model/known-bytes.ts';
import type { PassesBad } from '../records/pass-bad.ts';
import type { CorpusRecord, Placed, RecordProblem } from '../records/record.ts';
import type { ChatLines } from '../records/chat-lines.ts';
import type { RecordRows } from '../records/rows.ts';
import { type BadRecordRule, detailOf } from '../records/unit-types.ts';
import { type AuditedText, badText } from './audited.ts';

interface Bad extends Placed {
  readonly rule: BadRecordRule;
  readonly detail: string;
  readonly faultAt: number | undefined;
}

type Texts = Generator<AuditedText, void, void>;

export class BadRecords {
  readonly known = new KnownBytes<Fault>();
  readonly #runs = new BadRuns<Bad>();

  readonly isFurther: PassesBad = (...bad) => this.#runs.isFurther(...bad);

  /** Tells of one, or keeps it for a run. `at`: the byte of the record where it goes wrong. */
  *tell(rule: BadRecordRule, { number, line, from, to }: Placed, problem: string, at: number | null = null): Texts {
    const [detail, faultAt] = [detailOf(problem, at), at === null ? undefined : from + at];
    const bad: Bad = { number, line, from, to, rule, detail, faultAt };
    if (this.#runs.endsBefore(from)) yield* this.end();
    if (this.#runs.isAlone(rule, bad, bad)) yield badText(rule, bad, from, to, detail, 0, faultAt);
  }

  /** Some were kept. */
  get isAny(): boolean {
    return this.#runs.isAny;
  }

  /** Tells of those that were kept. */
  *end(): Texts {
    if (!this.#runs.isAny) return;
    for (const { first, times, to } of this.#runs.take()) {
      const isOne = times === 1;
      const detail = isOne ? first.detail : manyTimes(times);
      const text = badText(first.rule, first, first.from, to, detail, 0, first.faultAt);
      const findings = isOne ? text.findings : [{ ...text.findings[0]!, times }];
      yield { ...text, findings, briefs: findings, left: times };
    }
  }

  /** Audits a record among rows, which `audit` does as long as nothing is known of it. */
  *row(lines: ChatLines, rows: RecordRows, row: number, audit: (record: CorpusRecord | RecordProblem) => Texts): Texts {
    const bytes = lines.bytesOf(rows, row);
    const known = this.known.get(bytes);
    if (known !== undefined) {
      const place = lines.placeOf(rows, row);
      yield* this.tell(known.rule, place, known.detail, known.at);
      return;
    }
    const before = this.#runs.last;
    const record = lines.record(rows, row);
    yield* audit(record);
    const bad = this.#runs.last;
    if (bad !== before && bad !== null) this.known.keep(bytes, faultOf(record, { ...bad, pointer: '' }));
  }
}
