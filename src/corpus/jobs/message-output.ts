// Messages on their way out of a job: lines of JSON as bytes, or rows for a table.

import { now } from '../clock.ts';
import { MessageLines } from '../../formats/message-lines.ts';
import { messageRecord } from '../../formats/record.ts';
import type { TranscriptInfo } from '../../model/transcript.ts';
import { InputError } from '../error.ts';
import type { Job, MessageFilters, Piece } from './job.ts';
import { ordinalOf, type RecordRows } from '../records/rows.ts';
import { CHANNEL_NAMES, ROLE_NAMES } from '../../scan/dialects.ts';
import { type RecordMachine, wordAt } from '../../scan/record-machine.ts';
import { KIND, SLOW } from '../../abi.ts';
import { linePieces, longestLine } from '../../formats/chat/record-lines.ts';
import type { MessageRow } from '../tables/table.ts';
import { LARGEST_CELL } from '../tables/batch.ts';
import type { PlacedMessage } from '../messages.ts';

/** What `scan` calls the role of a message that has none. */
const NO_ROLE = '(none)';
/** Rows, and bytes of their texts, that are handed out at once. */
const ROWS = 1024;
const ROW_BYTES = 1024 * 1024;

/** Bytes of a copy: most pieces have fewer. */
const COPY = 512 * 1024;
/** What was gathered for longer goes out with the next message. */
const PATIENCE_MS = 100;

/** Where a message of a record stands. */
export interface RecordPlace {
  readonly record: number;
  /** Transcripts of the file before those of the record. */
  readonly transcripts: number;
  place(offset: number, isEnd?: boolean): number;
}

export class MessageOutput {
  readonly #path: string;
  readonly #filters: MessageFilters;
  readonly #lines: MessageLines | null;
  readonly #isLive: boolean;
  #handedOut = -Infinity;
  #ready: Piece[] = [];
  readonly #copies: ArrayBuffer[] = [];
  #rows: MessageRow[] = [];
  #rowBytes = 0;
  /** The machine that knows the pieces of this file's lines; bytes in its output. */
  #machine: RecordMachine | undefined;
  #gathered = 0;
  /** A transcript of a record, and the same with its number in the file. */
  #own: TranscriptInfo | undefined;
  #ofFile: TranscriptInfo | undefined;
  /** Messages that were taken. */
  messages = 0;

  /** `isLive`: the input may come slowly, and what is there goes out. */
  constructor({ input: { path }, filters, form }: Extract<Job, { kind: 'messages' }>, isLive: boolean) {
    this.#isLive = isLive;
    this.#path = path;
    this.#filters = filters;
    this.#lines = form === 'lines' ? new MessageLines((bytes) => this.#ready.push(this.#copy(bytes))) : null;
    this.#lines?.begin(path);
  }

  /** Takes a message, if it is wanted. False: no further one of the input can be. */
  add({ message, transcript, index, source }: PlacedMessage, where: RecordPlace | null): boolean {
    const { onlyRole, onlyChannel, transcript: wanted, at } = this.#filters;
    const info = where === null ? transcript : this.#numbered(transcript, where.transcripts);
    const place = where === null ? (offset: number) => offset : (offset: number, isEnd?: boolean) => where.place(offset, isEnd);
    if (wanted !== undefined && info.number !== wanted) return info.number < wanted;
    if (at !== undefined) {
      // Fields of a record may stand in any order.
      if (place(message.from) > at) return where !== null;
      if (place(message.to, true) <= at) return true;
    }
    if (onlyRole && !onlyRole.includes(message.role ?? NO_ROLE)) return true;
    if (onlyChannel && !onlyChannel.includes(message.channel)) return true;
    this.messages++;
    if (this.#lines !== null) {
      try {
        this.#lines.add(message, info, index, source, where?.record ?? null, where === null ? undefined : place);
      } catch (error) {
        this.#lines.dropLine();
        throw error;
      }
      return true;
    }
    const row = messageRecord(message, info, index, source);
    if (row.body_to - row.body_from > LARGEST_CELL) {
      const reason = `the message at byte ${place(row.from)} has ${row.body_to - row.body_from} bytes, more than a table takes`;
      throw new InputError(this.#path, reason, 'write lines of JSON: --format ndjson');
    }
    const { content } = message;
    this.#rows.push({
      path: this.#path,
      ...row,
      ...(where !== null && {
        record: where.record,
        from: place(row.from),
        to: place(row.to, true),
        body_from: place(row.body_from),
        body_to: place(row.body_to, true),
      }),
      content,
    });
    this.#rowBytes += content.length;
    return true;
  }

  /** Messages of chat records can be written from their rows. */
  get takesRows(): boolean {
    const { transcript, at } = this.#filters;
    return this.#lines !== null && transcript === undefined && at === undefined;
  }

  /** Writes the messages of records from row `record` on; answers the first record that must be read otherwise, or the end. */
  addRows(rows: RecordRows, record: number, transcripts: number): number {
    const { machine, tools, to } = rows;
    this.#lines!.flush();
    if (this.#machine !== machine) {
      const pieces = linePieces(this.#path);
      machine.setPieces(pieces, longestLine(pieces));
      this.#machine = machine;
    }
    const first = transcripts - ordinalOf(rows, record);
    while (record < to) {
      const next = machine.writeLines(record, to, this.#gathered, rows.base, rows.record, first, this.#channels);
      this.#gathered = machine.linesTo;
      this.messages += machine.linesWritten;
      record = next;
      if (next === to) break;
      const entry = machine.wantedText;
      if (entry > 0) {
        const text = tools.textOf(entry);
        if (text !== null && machine.setToolsText(entry, text)) continue;
      } else if (!(wordAt(machine.rows, next, KIND) & SLOW)) {
        if (machine.asksForTools(next)) {
          if (tools.settle(next)) continue;
        } else if (this.#gathered > 0) {
          this.#handOut(machine);
          continue;
        }
      }
      break;
    }
    this.#handOut(machine);
    return record;
  }

  #handOut(machine: RecordMachine): void {
    if (this.#gathered > 0) this.#ready.push(this.#copy(machine.output.subarray(0, this.#gathered)));
    this.#gathered = 0;
  }

  /** Role and channel of messages that are wanted, as bits. */
  get #channels(): number {
    const { onlyRole, onlyChannel } = this.#filters;
    let bits = 0;
    for (let bit = 0; bit < 32; bit++) {
      const channel = CHANNEL_NAMES[bit >> 3] || 'final';
      if ((onlyRole?.includes(ROLE_NAMES[bit & 7] ?? '') ?? true) && (onlyChannel?.includes(channel) ?? true)) bits |= 1 << bit;
    }
    return bits;
  }

  /** What is ready to go out. */
  *take(): Generator<Piece, void, void> {
    if (this.#rows.length >= ROWS || this.#rowBytes >= ROW_BYTES) this.#gather();
    if (this.#isLive && now() - this.#handedOut > PATIENCE_MS) {
      this.#handedOut = now();
      this.#lines?.flush();
    }
    if (this.#ready.length === 0) return;
    const ready = this.#ready;
    this.#ready = [];
    for (const piece of ready) {
      yield piece;
      if (piece instanceof Uint8Array && piece.buffer.byteLength === COPY) this.#copies.push(piece.buffer as ArrayBuffer);
    }
  }

  /** Of bytes that will be written over. Memory that was used for a piece is used again for a later one. */
  #copy(bytes: Uint8Array): Uint8Array {
    if (bytes.length > COPY) return bytes.slice();
    const copy = new Uint8Array(this.#copies.pop() ?? new ArrayBuffer(COPY), 0, bytes.length);
    copy.set(bytes);
    return copy;
  }

  *end(): Generator<Piece, void, void> {
    this.#lines?.flush();
    this.#gather();
    yield* this.take();
  }

  #gather(): void {
    if (this.#rows.length > 0) this.#ready.push({ rows: this.#rows });
    this.#rows = [];
    this.#rowBytes = 0;
  }

  #numbered(transcript: TranscriptInfo, before: number): TranscriptInfo {
    if (transcript !== this.#own) {
      this.#own = transcript;
      this.#ofFile = { ...transcript, number: before + transcript.number };
    }
    return this.#ofFile!;
  }
}
