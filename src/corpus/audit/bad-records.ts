// Records that cannot be audited: the first ones are told by themselves, further ones together. What was wrong with a
// short one is known when its bytes come again.

import { manyTimes } from '../../errors.ts';
import { BadRuns } from '../records/bad-runs.ts';
import { detailAt, type Fault, faultOf } from '../records/known-bad.ts';
import { KnownBytes } from '../../model/known-bytes.ts';
import type { PassesBad } from '../records/pass-bad.ts';
import type { CorpusRecord, Placed, RecordProblem } from '../records/record.ts';
import type { ChatLines } from '../records/chat-lines.ts';
import type { RecordRows } from '../records/rows.ts';
import type { BadRecordRule } from '../records/unit-types.ts';
import { type AuditedText, badText } from './audited.ts';

interface Bad extends Placed {
  readonly rule: BadRecordRule;
  readonly detail: string;
}

type Texts = Generator<AuditedText, void, void>;

export class BadRecords {
  readonly known = new KnownBytes<Fault>();
  readonly #runs = new BadRuns<Bad>();

  readonly isFurther: PassesBad = (...bad) => this.#runs.isFurther(...bad);

  /** Tells of one, or keeps it for a run. */
  *tell(rule: BadRecordRule, { number, line, from, to }: Placed, detail: string): Texts {
    const bad: Bad = { number, line, from, to, rule, detail };
    if (this.#runs.endsBefore(from)) yield* this.end();
    if (this.#runs.isAlone(rule, bad, bad)) yield badText(rule, bad, from, to, detail);
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
      const text = badText(first.rule, first, first.from, to, isOne ? first.detail : manyTimes(times));
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
      yield* this.tell(known.rule, place, detailAt(known, place));
      return;
    }
    const before = this.#runs.last;
    const record = lines.record(rows, row);
    yield* audit(record);
    const bad = this.#runs.last;
    if (bad !== before && bad !== null) this.known.keep(bytes, faultOf(record, { ...bad, pointer: '' }));
  }
}
