// Diagnostics of the records of a file, for the library: chat records of which nothing is to be told are passed where
// they lie, at fifteen times the speed of values.

import { KIND, SLOW } from '../abi.ts';
import { diagnose } from '../errors.ts';
import { Checker } from '../rules/check.ts';
import type { CheckOptions } from '../rules/check-options.ts';
import { wordAt } from '../scan/record-rows.ts';
import type { FileDiagnostic } from './file-types.ts';
import { placedDiagnostic } from './jobs/check-worker.ts';
import type { ThreadContext } from './jobs/open.ts';
import { giveTools, settleTools } from './jobs/settled-tools.ts';
import { isRows, nextRecord, type RecordRows } from './records/rows.ts';
import { type BadRecord, type FileOptions, isBad, type Unit } from './records/unit.ts';
import type { RowsWanted, Units } from './records/units.ts';

/** Whether records are checked by rows: in the usual way. */
export function rowsFor(
  { visitor, contentTypes, jsonDepth, writtenCalls, openCalls, wholeTools }: CheckOptions,
): RowsWanted {
  const others = [visitor, contentTypes, jsonDepth, writtenCalls, openCalls, wholeTools];
  return others.every((option) => option === undefined) ? 'chats' : 'none';
}

export class RecordCheck {
  readonly #context: ThreadContext;
  readonly #units: Units;
  readonly #options: CheckOptions & FileOptions;
  readonly #isTable: boolean;
  #transcripts = 0;

  constructor(context: ThreadContext, units: Units, options: CheckOptions & FileOptions) {
    this.#context = context;
    this.#units = units;
    this.#options = options;
    this.#isTable = options.positions === 'field';
  }

  /** In order; of a record by rising position. */
  *diagnostics(): Generator<FileDiagnostic, void, void> {
    this.#context.tools.budget.restart();
    giveTools(this.#context, this.#options.tools ?? []);
    for (const item of this.#units.items()) {
      if (isRows(item)) yield* this.#rows(item);
      else yield* this.#unit(item);
    }
  }

  *#rows(rows: RecordRows): Generator<FileDiagnostic, void, void> {
    const { machine, tools, to } = rows;
    for (let record = 0; record < to; ) {
      record = machine.check(record, to);
      this.#transcripts += machine.transcripts;
      if (record === to) return;
      const asks = !(wordAt(machine.rows, record, KIND) & SLOW) && machine.asksForTools(record);
      if (asks && settleTools(machine, tools, record, this.#context.tools)) continue;
      for (const unit of this.#units.slow(rows, record)) yield* this.#unit(unit);
      record = nextRecord(rows, record);
    }
  }

  *#unit(unit: Unit | BadRecord): Generator<FileDiagnostic, void, void> {
    if (isBad(unit)) {
      const { rule, from, to, detail, record, pointer } = unit;
      const at = this.#isTable ? { from: 0, to: to - from } : { from, to };
      yield { ...diagnose({ rule, ...at, detail }, this.#transcripts, true), record, pointer };
      return;
    }
    const { source, options, at, place, record, pointer } = unit;
    const checker = new Checker(this.#context.machine, source, { ...this.#options, ...options }, {
      known: this.#context.headers, memory: this.#context.tools, at,
    });
    for (const diagnostic of checker.run()) {
      const placed = placedDiagnostic(diagnostic, this.#transcripts, place);
      yield { ...placed, record: record!, pointer: pointer(diagnostic)! };
    }
    this.#transcripts += checker.transcripts;
  }
}
