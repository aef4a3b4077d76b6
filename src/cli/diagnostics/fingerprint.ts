// Names of findings that stay the same from run to run.

import { createHash } from 'node:crypto';
import type { Told } from './report.ts';

export class Fingerprints {
  /** Diagnostics of each rule so far, in the transcript that is being read. */
  #before = new Map<Told['rule'], number>();
  #reading = '';

  /** Counts a diagnostic; to be called for every one. Answers with what makes its fingerprint when that is wanted. */
  next(path: string, { rule, transcript }: Told, record: number | null): (file: string) => string {
    const holder = record === null ? `${transcript}` : `${record}.${transcript}`;
    const reading = `${path}\0${holder}`;
    if (reading !== this.#reading) {
      this.#reading = reading;
      this.#before = new Map();
    }
    const number = this.#before.get(rule) ?? 0;
    this.#before.set(rule, number + 1);
    return (file) => fingerprint(file, holder, rule, number);
  }
}

/**
 * The same for the same finding in the next run: the n-th of its rule in its transcript. Positions would change with
 * every edit before them, and a hash of the text itself would tell something of it.
 */
function fingerprint(file: string, holder: string, rule: Told['rule'], number: number): string {
  return createHash('sha256').update(`${file}\0${holder}\0${rule}\0${number}`).digest('hex').slice(0, 32);
}
