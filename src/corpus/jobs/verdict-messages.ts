// Verdicts with the messages of their records, from rows: lines that `messages` writes, without what they say of the
// file. What comes out is what verdict-texts.ts makes of values.

import { HAS_SIDES, KIND, NEXT, RECORD_SHIFT, SLOW } from '../../abi.ts';
import { linePieces } from '../../formats/chat/record-lines.ts';
import type { RecordMachine } from '../../scan/record-machine.ts';
import { wordAt } from '../../scan/record-rows.ts';
import { LF } from '../records/json-bytes.ts';
import type { RecordTools } from '../records/record-tools.ts';

/** Lines of a file without a name, of its record 0 and transcript 0. */
const PIECES = linePieces('');
const LINE_START = '{"path":"","record":0,';
const LIST_START = Buffer.from('"messages":');
const [COMMA, OPEN, CLOSE] = [0x2c, 0x5b, 0x5d];
/** Every role and channel. */
const ALL = -1;

export class VerdictMessages {
  readonly #machine: RecordMachine;
  readonly #tools: RecordTools;
  /** Bytes of the messages of one record, at most. */
  readonly #largest: number;
  #out = Buffer.alloc(256 * 1024);
  #to = 0;

  constructor(machine: RecordMachine, tools: RecordTools, largest: number) {
    this.#machine = machine;
    this.#tools = tools;
    this.#largest = largest;
  }

  /**
   * The line of JSON of a verdict, with the messages of the record at a row where their number stands; null: they must
   * be read otherwise. `lineAt`: address of what position 0 is. Writes over the machine's output; valid until the next.
   */
  lineOf(verdict: Buffer, record: number, lineAt: number): Uint8Array | null {
    // An id may be anything, and stands before it.
    const at = verdict.lastIndexOf(LIST_START) + LIST_START.length;
    const behind = verdict.indexOf(COMMA, at);
    this.#to = 0;
    this.#put(verdict, 0, at);
    this.#byte(OPEN);
    const messages = this.#messages(record, lineAt);
    if (messages !== Number(verdict.toString('latin1', at, behind)) || this.#to - at > this.#largest) return null;
    // The last comma becomes the list's end.
    if (messages > 0) this.#to--;
    this.#byte(CLOSE);
    this.#put(verdict, behind, verdict.length);
    return this.#out.subarray(0, this.#to);
  }

  /** Adds the messages of a record; answers how many, -1 when rows alone do not say them. */
  #messages(record: number, lineAt: number): number {
    const machine = this.#machine;
    // In a verdict each side of a preference counts from 0.
    if (wordAt(machine.rows, record + 1, KIND) & HAS_SIDES) return -1;
    const next = wordAt(machine.rows, record, NEXT);
    const before = -(wordAt(machine.rows, record, KIND) >>> RECORD_SHIFT);
    machine.setPieces(PIECES);
    for (let hasAsked = false; ; hasAsked = true) {
      if (machine.writeLines(record, next, 0, -lineAt, before, before, ALL) === next) break;
      const entry = machine.wantedText;
      const text = entry > 0 && !hasAsked ? this.#tools.textOf(entry) : null;
      if ((wordAt(machine.rows, record, KIND) & SLOW) !== 0 || text === null) return -1;
      if (!machine.setToolsText(entry, text)) return -1;
    }
    const lines = machine.output.subarray(0, machine.linesTo);
    for (let from = 0; from < lines.length; ) {
      const to = lines.indexOf(LF, from);
      // It begins with its brace, and what stands behind the record's number.
      const start = from + LINE_START.length;
      lines[start - 1] = 0x7b;
      lines[to] = COMMA;
      this.#put(lines, start - 1, to + 1);
      from = to + 1;
    }
    return machine.linesWritten;
  }

  #put(bytes: Uint8Array, from: number, to: number): void {
    this.#hold(to - from);
    this.#out.set(bytes.subarray(from, to), this.#to);
    this.#to += to - from;
  }

  #byte(byte: number): void {
    this.#hold(1);
    this.#out[this.#to++] = byte;
  }

  #hold(more: number): void {
    const needed = this.#to + more;
    if (needed <= this.#out.length) return;
    const larger = Buffer.alloc(Math.max(needed, 2 * this.#out.length));
    larger.set(this.#out.subarray(0, this.#to));
    this.#out = larger;
  }
}
