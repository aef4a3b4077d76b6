// The verdict on a record whose rows are marked: what the rules say of its rows (marked-records.ts).

import { diagnose, type Diagnostic } from '../../errors.ts';
import type { RecordRows } from '../records/rows.ts';
import { countsOf, judgedRow } from './judged-rows.ts';
import { MarkedRecords } from './marked-records.ts';
import type { ThreadContext } from './open.ts';
import { Verdict } from './verdict.ts';
import type { JudgeOptions } from './verdict-judge.ts';
import type { JudgedLine } from './verdict-lines.ts';

export class MarkedVerdicts {
  readonly #marked: MarkedRecords;
  readonly #options: Pick<JudgeOptions, 'warnings' | 'adjust'>;

  constructor(context: ThreadContext, options: Pick<JudgeOptions, 'warnings' | 'adjust'>) {
    this.#marked = new MarkedRecords(context.machine, context.tools);
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
    const { messages, calls } = countsOf(rows, record);
    [verdict.messages, verdict.calls] = [messages, calls];
    return { verdict, id: judgedRow(rows, record).id };
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
