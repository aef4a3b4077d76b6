// `filter --format arrow`: batches of Arrow in, batches of verdicts out, each before the next one is waited for.

import { InputError } from '../../corpus/error.ts';
import type { Input } from '../../corpus/input/paths.ts';
import type { JudgeWork } from '../../corpus/jobs/job.ts';
import { judgeArrow, type VerdictArrowOptions } from '../../corpus/jobs/verdict-arrow.ts';
import { Judge, tellsOnlyErrors } from '../../corpus/jobs/verdict-judge.ts';
import { TableError } from '../../corpus/tables/error.ts';
import { applyRules } from '../../rules/settings.ts';
import type { TextStream } from '../stream.ts';

export type FilterArrowOptions = Pick<VerdictArrowOptions, 'unit' | 'recordColumn' | 'largest'>;

/** Throws an InputError. */
export function filterArrow(input: Input, stdout: TextStream, judging: JudgeWork, options: FilterArrowOptions): void {
  const { tools, warnings, rules, strict } = judging;
  const judge = new Judge({ tools, warnings, adjust: applyRules(rules, strict) });
  let pieces: Uint8Array[] = [];
  const source = input.open();
  try {
    judgeArrow(source, {
      ...options,
      judge,
      onlyErrors: tellsOnlyErrors(judging),
      write: (bytes) => void pieces.push(bytes),
      flush: () => {
        const whole = Buffer.concat(pieces);
        pieces = [];
        stdout.writeBytes!(whole);
      },
    });
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    throw new InputError(input.path, error.reason, error.remedy);
  } finally {
    source.close();
    judge.close();
  }
}
