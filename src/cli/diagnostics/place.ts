// Lines and columns of diagnostics, over inputs of any size: bytes are read again from a file; of a pipe they are
// counted before they are let go.

import type { InputSource } from '../../corpus/input/source.ts';
import { Lines, type Place } from '../../errors.ts';
import { type Source, type SourceWatcher, WatchedSource } from '../../scan/source.ts';
import type { OpenCalls } from '../../rules/calls.ts';

const START: Place = { line: 1, column: 1 };

export class Places implements SourceWatcher {
  readonly #input: InputSource;
  readonly #lines: Lines;
  readonly #open = new Map<number, Place>();
  readonly #closed: number[] = [];
  #part = new Uint8Array(64 * 1024);

  constructor(input: InputSource) {
    this.#input = input;
    this.#lines = new Lines((from, to) => this.#read(from, to));
  }

  /** The place of a byte that was not let go. */
  at(position: number): Place {
    return this.#open.get(position) ?? (position === 0 ? START : this.#lines.at(position));
  }

  /** An open call is told long after its bytes were let go: of a pipe its place is kept. */
  readonly openCalls: OpenCalls = {
    opened: (from) => {
      if (this.#input.canReread) return;
      // What was closed before has been told by now, if it was to be told.
      for (const closed of this.#closed.splice(0)) this.#open.delete(closed);
      this.#open.set(from, this.#lines.at(from));
    },
    closed: (from) => {
      if (!this.#input.canReread) this.#closed.push(from);
    },
  };

  /** The source to check: what it lets go is counted first. */
  watch(source: Source): Source {
    return this.#input.canReread ? source : new WatchedSource(source, this);
  }

  mayRelease(before: number): number {
    if (before > 0) this.#lines.forget(before);
    return before;
  }

  #read(from: number, to: number): Uint8Array {
    if (to - from > this.#part.length) this.#part = new Uint8Array(to - from);
    return this.#part.subarray(0, this.#input.read(from, this.#part.subarray(0, to - from)));
  }
}
