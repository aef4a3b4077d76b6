// Messages of a job on their way into a table: in groups that are encoded where they were filled.

import { FROM, KIND, SLOW } from '../../abi.ts';
import type { Message } from '../../model/message.ts';
import type { TranscriptInfo } from '../../model/transcript.ts';
import { wordAt } from '../../scan/record-rows.ts';
import type { Source } from '../../scan/source.ts';
import { InputError } from '../error.ts';
import { ordinalOf, type RecordRows } from '../records/rows.ts';
import { MessageColumns } from '../tables/message-columns.ts';
import { RecordColumns } from '../tables/record-columns.ts';
import { LARGEST_CELL } from '../tables/table.ts';
import type { Piece, TableForm } from './job.ts';
import type { MessageForm } from './message-form.ts';
import { TableGroups } from './table-groups.ts';

/** Columns that a job has done with: the memory is used again. */
const IDLE: MessageColumns[] = [];

export class TableOutput implements MessageForm {
  readonly #path: string;
  readonly #isTable: boolean;
  readonly #groups: TableGroups;
  readonly #rows: MessageColumns;
  readonly #ofRecords: RecordColumns;
  ofRows = 0;
  /** Records of two transcripts are not written as cells. */
  readonly sides = 0;
  isFull = false;

  /** `isTable`: records are rows of a table, in which positions are. */
  constructor(path: string, form: TableForm, isTable: boolean) {
    this.#path = path;
    this.#isTable = isTable;
    this.#groups = new TableGroups(form);
    this.#rows = IDLE.pop() ?? new MessageColumns();
    this.#rows.begin(path);
    this.#ofRecords = new RecordColumns(this.#rows);
  }

  begins(position: number): void {
    this.isFull = this.#groups.endsBefore(position, this.#rows.columns);
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
    if (record === null) this.isFull = this.#groups.isFull(this.#rows.columns);
  }

  addRows(rows: RecordRows, record: number, transcripts: number, channels: number): number {
    const { machine, tools, base, to, framing } = rows;
    const { columns } = this.#rows;
    machine.beginCells();
    /** A record at a row; it may be the first one of a section, or there may be no more room. */
    const begin = (row: number): number => {
      // An input without lines is one section.
      this.begins(framing === null ? base + wordAt(machine.rows, row, FROM) : 0);
      return this.isFull ? -1 : rows.record + ordinalOf(rows, row);
    };
    const baseOf = this.#isTable ? (row: number): number => -wordAt(machine.rows, row, FROM) : (): number => base;
    while (record < to) {
      const next = machine.writeCells(record, to, channels);
      const before = columns.rows;
      const stopped = this.#ofRecords.add(machine, transcripts - rows.record, baseOf, begin);
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
    yield* this.#groups.pieces(this.#rows.columns);
    this.#rows.clear();
    this.#ofRecords.clear();
  }

  *end(): Generator<Piece, void, void> {
    yield* this.take();
    IDLE.push(this.#rows);
  }
}
