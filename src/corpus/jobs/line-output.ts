// Messages of a job as lines of JSON, in bytes.

import { now } from '../clock.ts';
import { lineMachine, MessageLines } from '../../formats/message-lines.ts';
import type { Message } from '../../model/message.ts';
import type { TranscriptInfo } from '../../model/transcript.ts';
import { FROM, KIND, SLOW } from '../../abi.ts';
import { linePieces } from '../../formats/chat/record-lines.ts';
import type { RecordMachine } from '../../scan/record-machine.ts';
import { wordAt } from '../../scan/record-rows.ts';
import type { Source } from '../../scan/source.ts';
import type { TextMachine } from '../../scan/text-machine.ts';
import { nextRecord, type RecordRows } from '../records/rows.ts';
import type { CountTokens } from '../tokens.ts';
import type { Piece } from './job.ts';
import type { MessageForm } from './message-form.ts';
import type { TextFilter } from './text-filter.ts';

/** Bytes of a copy: most pieces have fewer. */
const COPY = 512 * 1024;
/** Bytes of rows that are gathered with other lines: a write for each of them takes longer than they do. */
const FEW = 16 * 1024;
/** Bytes of a body that goes out in parts. */
const LONG = 1 << 20;
/** What was gathered for longer goes out with the next message. */
const PATIENCE_MS = 100;

/** What lines are made with. Jobs use it one after the other: new memory for each part took a third of their time. */
interface Made {
  readonly machine: TextMachine;
  readonly copies: ArrayBuffer[];
}
const IDLE: Made[] = [];

export class LineOutput implements MessageForm {
  readonly #path: string;
  readonly #lines: MessageLines;
  readonly #isLive: boolean;
  readonly #text: TextFilter | null;
  readonly #isTable: boolean;
  #handedOut = -Infinity;
  #ready: Uint8Array[] = [];
  readonly #made: Made;
  /** Bytes in the output of the machine that has rows. */
  #gathered = 0;
  ofRows = 0;
  sides = 0;

  /**
   * `isLive`: the input may come slowly, and what is there goes out. `count`: tokens of contents are told. `text`: of
   * rows those lines go out that hold it. `isTable`: records are rows of a table, in which positions are.
   */
  constructor(path: string, isLive: boolean, count: CountTokens | null, text: TextFilter | null, isTable: boolean) {
    this.#isTable = isTable;
    this.#path = path;
    this.#isLive = isLive;
    this.#text = text;
    this.#made = IDLE.pop() ?? { machine: lineMachine(), copies: [] };
    const { machine } = this.#made;
    this.#lines = new MessageLines((bytes) => this.#ready.push(this.#copy(bytes)), { count, long: LONG, machine });
    this.#lines.begin(path);
  }

  readonly isFull = false;

  begins(): void {}

  add(
    message: Message,
    transcript: TranscriptInfo,
    index: number,
    source: Source,
    record: number | null,
    place: (offset: number, isEnd?: boolean) => number,
  ): void {
    this.#orDrop(() => this.#lines.add(message, transcript, index, source, record, place));
  }

  /** A line that cannot be ended, as reading its message fails, is taken back. */
  #orDrop<T>(adds: () => T): T {
    try {
      return adds();
    } catch (error) {
      this.#lines.dropLine();
      throw error;
    }
  }

  addRows(rows: RecordRows, record: number, transcripts: number, channels: number): number {
    const { machine, tools, to } = rows;
    machine.setPieces(linePieces(this.#path));
    while (record < to) {
      // Positions are those of the file, or of the row of a table.
      const end = this.#isTable ? nextRecord(rows, record) : to;
      const base = this.#isTable ? -wordAt(machine.rows, record, FROM) : rows.base;
      const next = machine.writeLines(record, end, this.#gathered, base, rows.record, transcripts, channels);
      this.#gathered = machine.linesTo;
      this.sides += machine.linesSides;
      transcripts += machine.linesSides;
      if (this.#text === null) this.ofRows += machine.linesWritten;
      record = next;
      if (next === end) continue;
      const entry = machine.wantedText;
      if (entry > 0) {
        const text = tools.textOf(entry);
        if (text !== null && machine.setToolsText(entry, text)) continue;
      } else if (!(wordAt(machine.rows, next, KIND) & SLOW)) {
        if (machine.asksForTools(next)) {
          if (tools.settle(next)) continue;
        } else if (this.#gathered > 0) {
          this.#handOut(machine, false);
          continue;
        }
      }
      break;
    }
    this.#handOut(machine, true);
    return record;
  }

  /** `isLast`: nothing is written over it before it is taken. */
  #handOut(machine: RecordMachine, isLast: boolean): void {
    const all = machine.output.subarray(0, this.#gathered);
    const bytes = this.#text === null ? all : this.#text.keep(all);
    if (this.#text !== null) this.ofRows = this.#text.kept;
    this.#gathered = 0;
    if (bytes.length === 0) return;
    if (bytes.length < FEW && !this.#isLive) {
      this.#lines.addLines(bytes);
      return;
    }
    this.#lines.flush();
    this.#ready.push(isLast ? bytes : this.#copy(bytes));
  }

  get isReady(): boolean {
    return this.#isLive || this.#lines.isOpen || this.#ready.length > 0;
  }

  *take(): Generator<Piece, void, void> {
    if (this.#isLive && now() - this.#handedOut > PATIENCE_MS) {
      this.#handedOut = now();
      this.#lines.flush();
    }
    yield* this.#given();
    while (this.#lines.isOpen) {
      this.#orDrop(() => this.#lines.goOn());
      yield* this.#given();
    }
  }

  *#given(): Generator<Piece, void, void> {
    if (this.#ready.length === 0) return;
    const ready = this.#ready;
    this.#ready = [];
    for (const piece of ready) {
      yield piece;
      if (piece.buffer.byteLength === COPY) this.#made.copies.push(piece.buffer as ArrayBuffer);
    }
  }

  *end(): Generator<Piece, void, void> {
    yield* this.take();
    this.#lines.flush();
    yield* this.#given();
    IDLE.push(this.#made);
  }

  /** Of bytes that will be written over. Memory that was used for a piece is used again for a later one. */
  #copy(bytes: Uint8Array): Uint8Array {
    if (bytes.length > COPY) return bytes.slice();
    const copy = new Uint8Array(this.#made.copies.pop() ?? new ArrayBuffer(COPY), 0, bytes.length);
    copy.set(bytes);
    return copy;
  }
}
