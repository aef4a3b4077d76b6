// How far an output of a model goes: which of its messages belong to it, and whether it is whole. The turn loop and the
// forms of other APIs both ask here, so that a call that one makes is one that the others give.
//
// A model speaks for the assistant alone: a message of somebody else is left out, and where the assistant has said
// something before it, hidden or not, nothing behind it counts. Nothing does behind `<|return|>`. Behind `<|call|>`
// only further calls do (R-STOP), so it is the same how the rest ends: what is left out cannot be missing.

import type { DoneMessage, StreamedMessage } from './event.ts';
import { withoutCall } from './rescue.ts';

export class Extent {
  readonly #isCompletion: boolean;
  readonly #isRescued: boolean;
  #hasSpoken = false;
  /** A message ended in `<|call|>`. */
  hasCalled = false;
  /** Nothing that follows belongs to the output. */
  isOver = false;
  /** All that belongs to the output is there, however the stream ends. */
  isWhole = false;

  /** `isCompletion`: all of it is one output of a model, not a transcript; `isRescued`: R-RESCUE. */
  constructor(isCompletion: boolean, isRescued: boolean) {
    this.#isCompletion = isCompletion;
    this.#isRescued = isRescued;
  }

  /** Whether the message that begins belongs to the output. */
  begin({ role, kind }: Pick<StreamedMessage, 'role' | 'kind'>): boolean {
    if (this.isOver) return false;
    if (role !== 'assistant') {
      if (!this.#isCompletion) this.hasCalled = this.isWhole = false;
      else if (this.#hasSpoken) this.isOver = true;
      // A header that is cut may be anybody's.
      if (this.isOver && role !== null) this.isWhole = true;
      return false;
    }
    if (this.hasCalled && kind !== 'call') return false;
    this.#hasSpoken = true;
    this.isWhole = false;
    return true;
  }

  /** A message that belongs to the output has ended: as what it counts. */
  finish(message: DoneMessage): DoneMessage {
    const done = this.#isRescued ? withoutCall(message) : message;
    this.hasCalled ||= done.end === 'call';
    this.isOver = this.#isCompletion && message.end === 'return';
    this.isWhole = this.isOver || done.end === 'call';
    return done;
  }

  /** One that does not has ended. */
  pass({ end }: Pick<DoneMessage, 'end'>): void {
    if (this.isOver && end !== 'eof') this.isWhole = true;
  }
}
