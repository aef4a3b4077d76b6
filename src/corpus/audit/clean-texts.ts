// Records that hold a transcript as text, of which the audit has nothing to tell: all tokens in them are those that
// their messages are made of. Texts are scanned many at once, and no value or view is made of them. The simple version
// is auditRecords, to which all others go.

import { BODY, FROM, HAS_LINE, IS_TRANSCRIPT, KIND, KIND_MASK, NEXT, RECORD_ROWS, ROW_WORDS, TO } from '../../abi.ts';
import { bareBytes } from '../../model/message.ts';
import type { HeaderCache } from '../../model/transcript.ts';
import { scanTexts, textGroups } from '../../rules/count-texts.ts';
import type { Dialect } from '../../scan/dialects.ts';
import type { Machine } from '../../scan/machine.ts';
import type { RecordMachine } from '../../scan/record-machine.ts';
import { wordAt } from '../../scan/record-rows.ts';
import type { RecordRows } from '../records/rows.ts';
import { beginsTranscript } from './fields.ts';
import { isCleanHeader } from './signs.ts';

/** Texts in the output of the record machine, from their first start tokens to their ends. */
interface Texts {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  readonly dialect: Dialect;
}

export class CleanTexts {
  readonly #machine: Machine;
  readonly #known: HeaderCache;
  #rows: RecordRows | null = null;
  /** The rows of the records that were looked at, and by row, which of these have nothing to be told of. */
  #from = 0;
  #to = 0;
  #clean = new Uint8Array(0);

  /** `known`: document headers. */
  constructor(machine: Machine, known: HeaderCache) {
    this.#machine = machine;
    this.#known = known;
  }

  /** The first record from row `record` on of which something may be to be told. */
  pass(rows: RecordRows, record: number): number {
    if (rows !== this.#rows || record < this.#from || record >= this.#to) this.#look(rows, record);
    while (record < this.#to && this.#clean[record] !== 0) record = wordAt(rows.machine.rows, record, NEXT);
    return record;
  }

  /** Looks at records from row `record` on, as many as there is room for. */
  #look(rows: RecordRows, record: number): void {
    const { machine, to } = rows;
    this.#rows = rows;
    this.#from = this.#to = record;
    if (!(wordAt(machine.rows, record + 1, KIND) & IS_TRANSCRIPT)) return;
    const next = machine.copyTranscripts(record, to, this.#machine.capacity);
    this.#to = next;
    if (this.#clean.length < to) this.#clean = new Uint8Array(to);
    this.#clean.fill(0, record, next);
    const records: number[] = [];
    for (let at = record; at < next; at = wordAt(machine.rows, at, NEXT)) records.push(at);
    const ends = records.map((_, text) => machine.cells[text]! - machine.outputAt);
    for (const { dialect, first, last, starts } of textGroups(this.#machine, machine.output, ends, this.#known)) {
      if (dialect === null) continue;
      for (const text of this.#cleanOf(machine, { starts, ends: ends.slice(first, last), dialect })) {
        const at = records[first + text]!;
        const begin = first + text === 0 ? 0 : ends[first + text - 1]!;
        const isPlain = isAlone(machine, at) && beginsTranscript(machine.output.subarray(begin, ends[first + text]));
        this.#clean[at] = Number(isPlain);
      }
    }
  }

  /** The texts in which nothing is found. */
  *#cleanOf(machine: RecordMachine, { starts, ends, dialect }: Texts): Generator<number, void, void> {
    const { rows } = this.#machine;
    const { output } = machine;
    let text = 0;
    // Where the text stands in the scanner's window.
    let placed = 0;
    for (const run of scanTexts(this.#machine, output, starts, ends, dialect)) {
      const isPassed = 'to' in run;
      let row = isPassed ? run.from : -1;
      for (let left = isPassed ? run.texts : 1; left > 0; left--) {
        const [start, end] = [starts[text]!, ends[text]!];
        const shift = start - placed;
        placed += end - start;
        if (isPassed) {
          let isClean = true;
          while (row < run.to && rows[row * ROW_WORDS + FROM]! < placed) {
            isClean &&= this.#isClean(row, machine, shift, dialect);
            row = rows[row * ROW_WORDS + NEXT]!;
          }
          if (isClean) yield text;
        }
        text++;
      }
    }
  }

  /** Whether nothing is found in a plain message, which stands `shift` bytes further on in the output. */
  #isClean(row: number, machine: RecordMachine, shift: number, dialect: Dialect): boolean {
    const { rows } = this.#machine;
    let body = row + 1;
    while ((rows[body * ROW_WORDS + KIND]! & KIND_MASK) !== BODY) body++;
    const from = rows[body * ROW_WORDS + FROM]! + shift;
    const to = rows[body * ROW_WORDS + TO]! + shift;
    if (machine.mayHold(machine.outputAt + from, machine.outputAt + to)) return false;
    const header = rows[row * ROW_WORDS + FROM]! + shift;
    const isBare = !(dialect.flags & HAS_LINE) && from - header === bareBytes(rows[row * ROW_WORDS + KIND]!);
    return isBare || isCleanHeader(machine.output, header, from, dialect.id);
  }
}

/** Nothing is to be told of a record but of its one text. */
function isAlone(machine: RecordMachine, record: number): boolean {
  const { rows } = machine;
  const text = record + RECORD_ROWS;
  if (wordAt(rows, record, NEXT) !== text + 1) return false;
  return !machine.mayHold(wordAt(rows, record, FROM), wordAt(rows, text, FROM))
    && !machine.mayHold(wordAt(rows, text, TO), wordAt(rows, record, TO));
}
