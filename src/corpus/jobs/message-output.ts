// Messages on their way out of a job: those that are wanted, as lines of JSON or as columns of a table.

import type { TranscriptInfo } from '../../model/transcript.ts';
import { CHANNEL_NAMES, ROLE_NAMES } from '../../scan/dialects.ts';
import type { PlacedMessage } from '../messages.ts';
import { ordinalOf, type RecordRows } from '../records/rows.ts';
import { tokenCounter } from '../tokens.ts';
import type { MessageFilters, MessagesJob, Piece } from './job.ts';
import { LineOutput } from './line-output.ts';
import type { MessageForm } from './message-form.ts';
import { TableOutput } from './table-output.ts';
import { type TextFilter, textFilterOf } from './text-filter.ts';

/** What `scan` calls the role of a message that has none. */
const NO_ROLE = '(none)';

/** Where a message of a record stands. */
export interface RecordPlace {
  readonly record: number;
  /** Transcripts of the file before those of the record. */
  readonly transcripts: number;
  place(offset: number, isEnd?: boolean): number;
}

const same = (offset: number): number => offset;

export class MessageOutput {
  readonly #filters: MessageFilters;
  readonly #form: MessageForm;
  readonly #countsTokens: boolean;
  /** A transcript of a record, and the same with its number in the file. */
  #own: TranscriptInfo | undefined;
  #ofFile: TranscriptInfo | undefined;
  /** The text that is looked for. */
  readonly #text: TextFilter | null;
  #messages = 0;

  /**
   * `isLive`: the input may come slowly, and what is there goes out. `isTable`: records are rows of a table, in which
   * positions are.
   */
  constructor(
    { input: { path }, filters, form, tokens }: Omit<MessagesJob, 'part'>, isLive: boolean, isTable = false,
  ) {
    this.#filters = filters;
    this.#text = textFilterOf(filters);
    this.#countsTokens = tokens !== undefined;
    const count = tokens === undefined ? null : tokenCounter(tokens);
    this.#form = form === 'lines' ? new LineOutput(path, isLive, count, this.#text, isTable)
      : new TableOutput(path, form, isTable);
  }

  /** Messages that were taken. */
  get messages(): number {
    return this.#messages + this.#form.ofRows;
  }

  /** Transcripts that records taken as rows have beyond one each. */
  get sides(): number {
    return this.#form.sides;
  }

  begins(position: number): void {
    this.#form.begins(position);
  }

  get isFull(): boolean {
    return this.#form.isFull;
  }

  get isReady(): boolean {
    return this.#form.isReady;
  }

  take(): Iterable<Piece> {
    return this.#form.take();
  }

  end(): Iterable<Piece> {
    return this.#form.end();
  }

  /** Takes a message, if it is wanted. False: no further one of the input can be. */
  add({ message, transcript, index, source }: PlacedMessage, where: RecordPlace | null): boolean {
    const { onlyRole, onlyChannel, transcript: wanted, at } = this.#filters;
    const info = where === null ? transcript : this.#numbered(transcript, where.transcripts);
    const place = where === null ? same : (offset: number, isEnd?: boolean) => where.place(offset, isEnd);
    if (wanted !== undefined && info.number !== wanted) return info.number < wanted;
    if (at !== undefined) {
      // Fields of a record may stand in any order.
      if (place(message.from) > at) return where !== null;
      if (place(message.to, true) <= at) return true;
    }
    if (onlyRole && !onlyRole.includes(message.role ?? NO_ROLE)) return true;
    if (onlyChannel && !onlyChannel.includes(message.channel)) return true;
    if (this.#text !== null && !this.#text.holds(message)) return true;
    this.#messages++;
    this.#form.add(message, info, index, source, where?.record ?? null, place);
    return true;
  }

  /** Messages of chat records can be written from their rows. */
  get takesRows(): boolean {
    const { transcript, at } = this.#filters;
    const canFind = this.#text === null || (this.#text.takesLines && this.#form instanceof LineOutput);
    return transcript === undefined && at === undefined && canFind && !this.#countsTokens;
  }

  /** Adds the messages of records from row `record` on; see MessageForm. */
  addRows(rows: RecordRows, record: number, transcripts: number): number {
    return this.#form.addRows(rows, record, transcripts - ordinalOf(rows, record), this.#channels);
  }

  /** Role and channel of messages that are wanted, as bits. */
  get #channels(): number {
    const { onlyRole, onlyChannel } = this.#filters;
    let bits = 0;
    for (let bit = 0; bit < 32; bit++) {
      const channel = CHANNEL_NAMES[bit >> 3] || 'final';
      if ((onlyRole?.includes(ROLE_NAMES[bit & 7] ?? '') ?? true) && (onlyChannel?.includes(channel) ?? true)) {
        bits |= 1 << bit;
      }
    }
    return bits;
  }

  #numbered(transcript: TranscriptInfo, before: number): TranscriptInfo {
    if (transcript !== this.#own) {
      this.#own = transcript;
      this.#ofFile = { ...transcript, number: before + transcript.number };
    }
    return this.#ofFile!;
  }
}
