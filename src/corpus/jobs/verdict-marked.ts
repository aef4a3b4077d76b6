// The verdict on a record whose rows are marked: what the rules say of its rows (marked-records.ts).

import {
  CALL, FROM, HAS_DEVELOPER, HAS_SIDES, KIND, NEXT, RECORD_ROWS, TO, TOKEN_MASK, TOKEN_SHIFT, TOOLS_MASK, TOOLS_NONE,
  TOOLS_SHIFT,
} from '../../abi.ts';
import { diagnose, type Diagnostic } from '../../errors.ts';
import { wordAt } from '../../scan/record-rows.ts';
import { bytesOfRow } from '../records/row-pointers.ts';
import type { RecordRows } from '../records/rows.ts';
import { MarkedRecords } from './marked-records.ts';
import type { Kit } from './open.ts';
import { judgedBytes, Verdict } from './verdict.ts';
import type { JudgeOptions } from './verdict-judge.ts';
import type { JudgedLine } from './verdict-lines.ts';

export class MarkedVerdicts {
  readonly #marked: MarkedRecords;
  readonly #options: Pick<JudgeOptions, 'warnings' | 'adjust'>;

  constructor(kit: Kit, options: Pick<JudgeOptions, 'warnings' | 'adjust'>) {
    this.#marked = new MarkedRecords(kit.machine, kit.tools);
    this.#options = options;
  }

  /** Positions are those in the input less `shift`. Null: the record must be read. */
  of(rows: RecordRows, record: number, shift: number): JudgedLine | null {
    const verdict = new Verdict(this.#options.warnings);
    const [told, open]: [FoundAt[], FoundAt[]] = [[], []];
    const isAll = this.#marked.each(rows, record, null, (finding, row, _pointer, waits = false) => {
      const diagnostic = this.#options.adjust(diagnose(finding, 0, true));
      if (diagnostic !== null) (waits ? open : told).push({ row, diagnostic });
    });
    const found = [...told, ...open];
    if (!isAll || !areInOrder(found)) return null;
    for (const { diagnostic } of found) verdict.diagnostic(diagnostic);
    verdict.settle((position) => position - shift, null);
    count(rows, record, verdict);
    const { machine: { memory, rows: words } } = rows;
    const id = memory.subarray(wordAt(words, record + 2, FROM), wordAt(words, record + 2, TO));
    return { verdict, id: judgedBytes(rows.line, bytesOfRow(rows, record), id).id };
  }
}

interface FoundAt {
  readonly row: number;
  readonly diagnostic: Diagnostic;
}

/** Whether findings stand in the line as their messages follow each other: a verdict has them in the latter order. */
function areInOrder(found: readonly FoundAt[]): boolean {
  const rising = [...found].sort(({ diagnostic: a }, { diagnostic: b }) => a.from - b.from || a.to - b.to);
  return rising.every(({ row }, i) => i === 0 || row >= rising[i - 1]!.row);
}

/** Counts the messages and calls of a record. */
function count({ machine: { rows } }: RecordRows, record: number, verdict: Verdict): void {
  const end = wordAt(rows, record, NEXT);
  for (let row = record + RECORD_ROWS; row < end; row = wordAt(rows, row, NEXT)) {
    verdict.messages++;
    if (((wordAt(rows, row, KIND) >> TOKEN_SHIFT) & TOKEN_MASK) === CALL) verdict.calls++;
  }
  // Definitions are a message of each transcript, where no developer's holds them.
  const tools = wordAt(rows, record + 1, KIND);
  const hasOwn = ((tools >>> TOOLS_SHIFT) & TOOLS_MASK) !== TOOLS_NONE && !(wordAt(rows, record, KIND) & HAS_DEVELOPER);
  if (hasOwn) verdict.messages += tools & HAS_SIDES ? 2 : 1;
}
