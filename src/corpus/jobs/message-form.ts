// What becomes of the messages of a job: the form in which they go out.

import type { Message } from '../../model/message.ts';
import type { TranscriptInfo } from '../../model/transcript.ts';
import type { Source } from '../../scan/source.ts';
import type { RecordRows } from '../records/rows.ts';
import type { Piece } from './job.ts';

export interface MessageForm {
  /** The input may be cut here, before what is added next. */
  begins(position: number): void;
  /** What is ready must go out before anything is added. */
  readonly isFull: boolean;
  /**
   * `record` null: raw text. `place` tells the position in the file of one in the text; it is asked in rising order.
   */
  add(
    message: Message,
    transcript: TranscriptInfo,
    index: number,
    source: Source,
    record: number | null,
    place: (offset: number, isEnd?: boolean) => number,
  ): void;
  /**
   * Adds the messages of records from row `record` on. `transcripts`: number of the transcript of the table's first
   * record; `channels`: bits of role | channel << 3 that are wanted. Answers the first record that was not added,
   * which must be read otherwise unless `isFull`; or the end.
   */
  addRows(rows: RecordRows, record: number, transcripts: number, channels: number): number;
  /** Messages that `addRows` has added so far. */
  readonly ofRows: number;
  /** Transcripts that records have beyond one each which `addRows` has added so far. */
  readonly sides: number;
  /** There is something to be taken. */
  readonly isReady: boolean;
  take(): Iterable<Piece>;
  /** All that is left. */
  end(): Iterable<Piece>;
}
