// Messages of a job on their way into a table: columns that are encoded where they were filled, in groups that depend
// on the input alone.
//
// An input is divided into sections: each begins with the first message (in containers: the first record) that begins
// at or behind a multiple of the section's bytes, and a group never goes on into the next one. Parts for threads
// begin where sections do: whoever does the work, the groups are the same.

import { FROM, KIND, SLOW } from '../../abi.ts';
import type { Message } from '../../model/message.ts';
import type { TranscriptInfo } from '../../model/transcript.ts';
import type { RecordMachine } from '../../scan/record-machine.ts';
import { wordAt } from '../../scan/record-rows.ts';
import type { Source } from '../../scan/source.ts';
import { InputError } from '../error.ts';
import { ordinalOf, type RecordRows } from '../records/rows.ts';
import { MessageColumns } from '../tables/message-columns.ts';
import { RecordColumns } from '../tables/record-columns.ts';
import type { Bounds } from '../tables/columns.ts';
import { LARGEST_CELL } from '../tables/table.ts';
import type { TableWriter } from '../tables/writer.ts';
import { writerOf } from '../tables/writers.ts';
import type { Piece, TableForm } from './job.ts';
import type { MessageForm } from './message-form.ts';

const MIB = 1024 * 1024;
/** A group ends with the message, or the record, that reaches one of these, whatever the section holds. */
const MOST: Bounds = { rows: 64 * 1024, bytes: 32 * MIB };
/**
 * A group with less than these parts of a section, bytes for each row and bytes of text, is handed on as it is, to be
 * put together with others.
 */
const FEW_ROWS = 1024;
const FEW_BYTES = 8;
/** Bytes that travel at once. */
const SLICE = 256 * 1024;
/** Columns that a job has done with: the memory is used again. */
const IDLE: MessageColumns[] = [];

export class TableOutput implements MessageForm {
  readonly #path: string;
  readonly #writer: TableWriter;
  readonly #section: number;
  readonly #rows: MessageColumns;
  readonly #ofRecords: RecordColumns;
  #machine: RecordMachine | undefined;
  ofRows = 0;
  /** Where the next section begins. */
  #next: number | null = null;
  isFull = false;

  constructor(path: string, { format, section }: TableForm) {
    this.#path = path;
    this.#writer = writerOf(format);
    this.#section = section;
    this.#rows = IDLE.pop() ?? new MessageColumns();
    this.#rows.begin(path);
    this.#ofRecords = new RecordColumns(this.#rows);
  }

  begins(position: number): void {
    const { columns } = this.#rows;
    this.isFull = columns.isFull(MOST);
    if (this.#next !== null && position < this.#next) return;
    this.#next = (Math.floor(position / this.#section) + 1) * this.#section;
    this.isFull = columns.rows > 0;
  }

  get isReady(): boolean {
    return this.isFull;
  }

  add(
    message: Message,
    transcript: TranscriptInfo,
    index: number,
    source: Source,
    record: number | null,
    place: (offset: number, isEnd?: boolean) => number,
  ): void {
    const { from, to } = message.body;
    if (to - from > LARGEST_CELL) {
      const reason = `the message at byte ${place(message.from)} has ${to - from} bytes, more than a table takes`;
      throw new InputError(this.#path, reason, 'write lines of JSON: --format ndjson');
    }
    this.#rows.addMessage(message, transcript, transcript.number, index, source, record, place);
    // Of records all goes into one group.
    if (record === null) this.isFull = this.#rows.columns.isFull(MOST);
  }

  addRows(rows: RecordRows, record: number, transcripts: number, channels: number): number {
    const { machine, tools, base, to, framing } = rows;
    const { columns } = this.#rows;
    if (this.#machine !== machine) machine.beginCells();
    this.#machine = machine;
    /** A record at a row; it may be the first one of a section, or there may be no more room. */
    const begin = (row: number): number => {
      // An input without lines is one section.
      this.begins(framing === null ? base + wordAt(machine.rows, row, FROM) : 0);
      return this.isFull ? -1 : rows.record + ordinalOf(rows, row);
    };
    while (record < to) {
      const next = machine.writeCells(record, to, channels);
      const before = columns.rows;
      const stopped = this.#ofRecords.add(machine, base, transcripts - rows.record, begin);
      this.ofRows += columns.rows - before;
      if (stopped >= 0) return stopped;
      const isStuck = next === record;
      record = next;
      if (next === to) break;
      const entry = machine.wantedText;
      if (entry > 0) {
        const text = tools.plainTextOf(entry);
        if (text === null || !machine.setToolsText(entry, text)) break;
      } else if (wordAt(machine.rows, next, KIND) & SLOW) break;
      else if (machine.asksForTools(next)) {
        if (!tools.settle(next)) break;
      } else if (isStuck) break;
    }
    return record;
  }

  *take(): Generator<Piece, void, void> {
    this.isFull = false;
    const { columns } = this.#rows;
    if (columns.rows === 0) return;
    if (columns.rows < this.#section / FEW_ROWS && columns.bytes < this.#section / FEW_BYTES) {
      yield { columns: columns.data() };
    } else {
      const group = this.#writer.group(columns);
      let next = group.next();
      for (; !next.done; next = group.next()) {
        for (let at = 0; at < next.value.length; at += SLICE) yield next.value.subarray(at, at + SLICE);
      }
      yield { group: next.value };
    }
    this.#rows.clear();
    this.#ofRecords.clear();
  }

  *end(): Generator<Piece, void, void> {
    yield* this.take();
    IDLE.push(this.#rows);
  }
}
