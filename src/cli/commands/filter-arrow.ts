// `filter --format arrow`: batches of Arrow in, batches of verdicts out, each before the next one is waited for.

import { TableError } from '../../corpus/tables/error.ts';
import { InputError } from '../../corpus/error.ts';
import { judgeArrow, type VerdictArrowOptions } from '../../corpus/jobs/verdict-arrow.ts';
import type { InputSource } from '../../corpus/input/source.ts';
import type { TextStream } from '../stream.ts';

export type FilterArrowOptions = Omit<VerdictArrowOptions, 'write' | 'flush'>;

/** Throws an InputError. */
export function filterArrow(input: InputSource, stdout: TextStream, options: FilterArrowOptions): void {
  let pieces: Uint8Array[] = [];
  try {
    judgeArrow(input, {
      ...options,
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
  }
}
