// Statistics of records of which nothing is to be told: they are written as text from their rows, many at once, and
// never become values. The text is what a unit of the record holds (records/unit-chat.ts).

import { KIND, MESSAGE, RECORD_ROWS, SLOW } from '../../abi.ts';
import { PartWalk } from '../../model/part-walk.ts';
import type { TranscriptInfo } from '../../model/transcript.ts';
import { wordAt } from '../../scan/record-rows.ts';
import { MemorySource } from '../../scan/source.ts';
import { kindOf, nextOf } from '../../scan/table.ts';
import type { RecordRows } from '../records/rows.ts';
import { READING } from '../records/unit-chat.ts';
import type { Statistics } from '../report/statistics.ts';
import { countEmpty, emptyText, writeRecordTexts } from './convert-rows.ts';
import type { Scanners } from './scanners.ts';
import { settleTools } from './settled-tools.ts';

/** The end of a transcript without a message. */
interface Empty {
  readonly transcript: TranscriptInfo;
  readonly to: number;
}

type Visitor = Pick<Statistics, 'messages' | 'transcriptEnd'>;

export class StatisticsRows {
  readonly #scanners: Scanners;
  readonly #statistics: Statistics;
  /** Of these rows nothing is to be told of the records before row `#cleanTo`, whether they can be written or not. */
  #cleanRows: RecordRows | null = null;
  #cleanTo = 0;
  #empty: Empty | undefined;
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
      const empty = countEmpty(rows, written, next);
      if (empty > 0) {
        this.#countEmpty(empty);
        record = written + empty * RECORD_ROWS;
        continue;
      }
      if (written < next || next === to) return written;
      record = next;
      const asks = !(wordAt(machine.rows, next, KIND) & SLOW) && machine.asksForTools(next);
      if (!asks || !settleTools(machine, tools, next, this.#scanners.tools)) return next;
    }
    return record;
  }

  /** Counts transcripts without a message: one of them is read. */
  #countEmpty(times: number): void {
    const statistics = this.#statistics;
    this.#empty ??= this.#readEmpty();
    const { transcript, to } = this.#empty;
    statistics.isChat = true;
    statistics.records += times;
    this.transcripts += times;
    for (let i = 0; i < times; i++) statistics.transcriptEnd(transcript, 0, to);
  }

  #readEmpty(): Empty {
    let empty: Empty | undefined;
    this.#walk(emptyText(), {
      messages: () => {},
      transcriptEnd: (transcript, _messages, to) => void (empty = { transcript, to }),
    });
    return empty!;
  }

  /** Counts the records before row `to`, of which nothing is to be told; answers the first that was not written. */
  #write(rows: RecordRows, record: number, to: number): number {
    const texts = writeRecordTexts(rows, record, to);
    for (let next = texts.next(); ; next = texts.next()) {
      if (next.done) return next.value;
      this.#statistics.records += next.value.texts;
      this.#statistics.isChat = true;
      this.transcripts += this.#walk(next.value.bytes, this.#statistics);
    }
  }

  /**
   * Shows the messages of a text, and answers how many transcripts it holds. No rule is asked: nothing is to be told of
   * what the rows were checked for.
   */
  #walk(text: Uint8Array, visitor: Visitor): number {
    const { machine, headers } = this.#scanners;
    const walk = new PartWalk(machine, new MemorySource(text), READING, { known: headers });
    const { divider } = walk;
    for (const batch of walk.batches()) {
      for (let row = batch.from; row < batch.to; ) {
        const { current, messages } = divider;
        const first = row;
        const begins = divider.place(batch, row);
        if (begins && current !== null) visitor.transcriptEnd(current, messages, divider.current!.from);
        row = nextOf(batch, row);
        if (kindOf(batch, first) !== MESSAGE) continue;
        for (; row < batch.to && kindOf(batch, row) === MESSAGE; row = nextOf(batch, row)) divider.place(batch, row);
        visitor.messages(batch, first, row, divider.context, divider.current!);
      }
    }
    const { current, messages } = divider;
    if (current === null) return 0;
    visitor.transcriptEnd(current, messages, walk.reading.position);
    return current.number + 1;
  }
}
