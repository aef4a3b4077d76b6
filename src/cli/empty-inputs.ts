// Inputs that hold no message are told with what they look like, each up to a bound and then as a number.

import { InputError } from '../corpus/error.ts';
import { isReadOnce, openRef } from '../corpus/input/paths.ts';
import type { JobInput } from '../corpus/jobs/job.ts';
import { likenessOf, LOOK } from '../rules/likeness.ts';
import { countOf, escapeLine } from './print.ts';

/** Inputs that are named. */
const MOST_NAMED = 20;

export class EmptyInputs {
  #others = 0;
  #named = 0;

  /**
   * What to tell of one more of them; null: nothing now. Records that hold none are told by their findings: of them it
   * is told when their beginning looks like something.
   */
  add({ path, ref }: JobInput, holdsRecords = false): string | null {
    const isNamed = this.#named < MOST_NAMED;
    if (!isNamed && !holdsRecords) {
      this.#others++;
      return null;
    }
    const isSeen = isNamed && ref.kind !== 'stdin' && !isReadOnce(path);
    const name = isSeen ? likenessOf(beginningOf(ref)) : null;
    if (holdsRecords && name === null) return null;
    this.#named++;
    return `${escapeLine(path)}: holds no message${name === null ? '' : `; it looks like ${name}`}`;
  }

  /** What to tell at the end; null: nothing. */
  end(): string | null {
    const others = this.#others;
    this.#others = 0;
    return others === 0 ? null : `${countOf(others, 'more input')} ${others === 1 ? 'holds' : 'hold'} no message`;
  }
}

/** The first bytes of an input that was read before; none when it has gone. */
function beginningOf(ref: JobInput['ref']): Uint8Array {
  try {
    const { input } = openRef(ref, { verify: false });
    try {
      return input.bytes(0, LOOK).slice();
    } finally {
      input.close();
    }
  } catch (error) {
    if (error instanceof InputError) return new Uint8Array(0);
    throw error;
  }
}
