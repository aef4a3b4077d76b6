// Statistics of records of which nothing is to be told: they are written as text from their rows, many at once, and
// never become values. The text is what a unit of the record holds (records/unit-chat.ts).

import { KIND, SLOW } from '../../abi.ts';
import { Checker } from '../../rules/check.ts';
import { wordAt } from '../../scan/record-rows.ts';
import { MemorySource } from '../../scan/source.ts';
import type { RecordRows } from '../records/rows.ts';
import { READING } from '../records/unit-chat.ts';
import type { Statistics } from '../report/statistics.ts';
import { writeRecordTexts } from './convert-rows.ts';
import type { Scanners } from './scanners.ts';
import { settleTools } from './settled-tools.ts';

export class StatisticsRows {
  readonly #scanners: Scanners;
  readonly #statistics: Statistics;
  /** Of these rows nothing is to be told of the records before row `#cleanTo`, whether they can be written or not. */
  #cleanRows: RecordRows | null = null;
  #cleanTo = 0;
  /** Transcripts that were counted last: one for each record. */
  transcripts = 0;

  constructor(scanners: Scanners, statistics: Statistics) {
    this.#scanners = scanners;
    this.#statistics = statistics;
  }

  /** Counts records from row `record` on; answers the first one that must come as a unit, or `to`. */
  take(rows: RecordRows, record: number, to = rows.to): number {
    const { machine, tools } = rows;
    this.transcripts = 0;
    if (this.#cleanRows !== rows) [this.#cleanRows, this.#cleanTo] = [rows, 0];
    while (record < to) {
      if (record >= this.#cleanTo) this.#cleanTo = machine.check(record, to);
      const next = Math.min(this.#cleanTo, to);
      const written = next === record ? record : this.#write(rows, record, next);
      if (written < next || next === to) return written;
      record = next;
      const asks = !(wordAt(machine.rows, next, KIND) & SLOW) && machine.asksForTools(next);
      if (!asks || !settleTools(machine, tools, next, this.#scanners.tools)) return next;
    }
    return record;
  }

  /** Counts the records before row `to`, of which nothing is to be told; answers the first that was not written. */
  #write(rows: RecordRows, record: number, to: number): number {
    const texts = writeRecordTexts(rows, record, to, true);
    for (let next = texts.next(); ; next = texts.next()) {
      if (next.done) return next.value;
      this.#statistics.records += next.value.texts;
      this.#statistics.isChat = true;
      const { machine, headers, tools } = this.#scanners;
      const checker = new Checker(machine, new MemorySource(next.value.bytes), {
        ...READING, visitor: this.#statistics,
      }, { known: headers, memory: tools });
      // Nothing is found: the rows were checked by the same rules.
      for (const _ of checker.run());
      this.transcripts += checker.transcripts;
    }
  }
}
