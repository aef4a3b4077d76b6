// Verdicts on the rows of Arrow streams, batch for batch: what `filter --format arrow` does between two pipes.

import { COLUMNS } from '../input/columns.ts';
import type { InputSource } from '../input/source.ts';
import { LF } from '../records/json-bytes.ts';
import { canReadRows, formsOf } from '../records/chat-lines.ts';
import type { FileOptions } from '../records/unit.ts';
import { columnOf } from '../records/within.ts';
import { ArrowReader } from '../tables/arrow-read.ts';
import { beginStream, endStream, VerdictBatch } from '../tables/verdict-batch.ts';
import { ArrowLines } from './arrow-lines.ts';
import { giveTools } from './settled-tools.ts';
import type { Judge } from './verdict-judge.ts';
import { EVERY_LINE, everyLine, type Line } from './verdict-lines.ts';
import { recordOfLine } from './verdict-record.ts';
import { LEAST_BOUND, VerdictRows } from './verdict-rows.ts';

export interface VerdictArrowOptions {
  readonly judge: Judge;
  readonly unit: FileOptions;
  /** The column whose cells are records; left out: the columns are fields of records. */
  readonly recordColumn?: string | undefined;
  /** Bytes of a record that is still read. */
  readonly largest: number;
  /** Nothing but errors is told, and of what records hold by themselves. */
  readonly onlyErrors: boolean;
  readonly write: (bytes: Uint8Array) => void;
  /** What was written is to go out. */
  readonly flush: () => void;
}

/** Reads all streams of an input. Throws an InputError, or a TableError. */
export function judgeArrow(input: InputSource, options: VerdictArrowOptions): void {
  const { judge, unit, recordColumn, largest, write, flush } = options;
  const verdicts = new VerdictBatch();
  const lines = new ArrowLines(new ArrowReader(input), {
    path: input.path,
    recordColumn,
    fields: unit.field === undefined ? COLUMNS : [...COLUMNS, columnOf(unit.field)],
    largest,
    begin: () => {
      beginStream(write);
      flush();
    },
    batchDone: (rows) => {
      if (verdicts.rows !== rows) throw new Error(`a batch of ${rows} rows has ${verdicts.rows} verdicts`);
      verdicts.flush(write);
      flush();
    },
    end: () => {
      endStream(write);
      flush();
    },
  });
  // Fields that are columns have no place in a text.
  const placed: FileOptions = recordColumn === undefined ? { ...unit, positions: 'field' } : unit;
  const judgeLine = (line: Line): void => {
    const size = lines.takeTooLong(line.number);
    const whole = size === null ? line : { ...line, isTooLong: true, size };
    verdicts.add(judge.record(recordOfLine(whole, judge.machine, largest, false), placed));
  };
  const rows = largest >= LEAST_BOUND && canReadRows(unit) ? judge.context.records : null;
  if (rows !== null) giveTools(judge.context, judge.tools);
  const items = rows === null ? everyLine(lines, { largest })
    : new VerdictRows(rows, lines, {
      largest,
      forms: formsOf(unit),
      onlyErrors: options.onlyErrors,
      range: { ...EVERY_LINE, isLine: true },
      memory: judge.context.tools,
      gives: 'verdicts',
    }).items();
  for (const item of items) {
    if (item instanceof Uint8Array) addClean(Buffer.from(item.buffer, item.byteOffset, item.length), verdicts);
    else if (item !== null) judgeLine(item);
  }
}

/** What ends the line of a verdict without findings, and stands between its two numbers. */
const NO_FINDINGS = ',"err":[]}'.length;
const BEFORE_CALLS = ',"calls":'.length;

/** Lines of verdicts without findings. */
function addClean(lines: Buffer, verdicts: VerdictBatch): void {
  for (let from = 0; from < lines.length; ) {
    const to = lines.indexOf(LF, from);
    const calls = numberBefore(lines, to - NO_FINDINGS);
    const messages = numberBefore(lines, calls.from - BEFORE_CALLS);
    verdicts.addClean(messages.value, calls.value);
    from = to + 1;
  }
}

function numberBefore(bytes: Buffer, end: number): { value: number; from: number } {
  let [from, value] = [end, 0];
  for (let unit = 1; bytes[from - 1]! >= 0x30 && bytes[from - 1]! <= 0x39; unit *= 10) {
    value += (bytes[--from]! - 0x30) * unit;
  }
  return { value, from };
}
