// The calls of a 0.1 body that comes in pieces (R-CALL, R-HERMES): what is wrong with them, as `check` says it. Kept
// are the bytes of the call at hand, up to what is read of one.

import type { Finding } from '../../errors.ts';
import type { Span } from '../../model/message.ts';
import { MOST_CALLS } from '../../model/thoughts.ts';
import { callFault, LONGEST_CALL, readCall } from '../../rules/v01-calls.ts';
import { checkJsonParts } from '../../scan/twin/json.ts';
import { Kept } from './kept.ts';

const CHECKER = { checkJson: (bytes: Uint8Array, depth: number): number => checkJsonParts([bytes], depth) };

export class LineCalls {
  /** Of the message. */
  readonly #header: Span;
  readonly #kept = new Kept(LONGEST_CALL);
  #calls = 0;
  #isWritten = false;
  /** Of the calls that have ended. */
  readonly faults: Finding[] = [];

  constructor(header: Span) {
    this.#header = header;
  }

  /** A call begins, and ends the one before it. Its token or tag ends at `from`. */
  begin(from: number, isWritten: boolean): void {
    if (this.#calls === MOST_CALLS) return;
    this.end();
    this.#calls++;
    this.#isWritten = isWritten;
    this.#kept.clear(from);
  }

  /** The next bytes of the body; those before the call do not count. */
  take(bytes: Uint8Array, at: number): void {
    const begin = Math.max(0, this.#kept.from - at);
    if (begin < bytes.length) this.#kept.add(at + begin, bytes.subarray(begin));
  }

  /** The call at hand has ended. */
  end(): void {
    if (this.#calls === 0) return;
    const { from, end: to } = this.#kept;
    const call = readCall(this.#kept, { from, to }, this.#isWritten);
    const fault = callFault(call, this.#header, CHECKER, this.#kept);
    if (fault !== null) this.faults.push(fault);
  }
}
