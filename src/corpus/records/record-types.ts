// A record of a corpus, and what cannot be read as one.

/** Where a record stands. */
export interface Placed {
  /** From 0, in the input; a record that cannot be read counts. */
  readonly number: number;
  /** Line of its first byte, from 1. */
  readonly line: number;
  /** Bytes in the input, half open. */
  readonly from: number;
  readonly to: number;
}

export interface CorpusRecord extends Placed {
  readonly value: unknown;
  /** Its text; valid until the next record is asked for. */
  readonly bytes: Uint8Array;
  /** Position in the input of one in `bytes`, where they do not stand there as they are. */
  readonly place?: (offset: number) => number;
  /** Of `bytes`, what stands in the input as JSON in a string; `place` answers for its end, too. */
  readonly text?: { readonly from: number; readonly to: number };
}

/** A record that cannot be read. */
export interface RecordProblem extends Placed {
  /** What is wrong and what to do; hold nothing of the record. */
  readonly problem: string;
  readonly remedy: string;
  /** Byte position in the input where it goes wrong, when that is known. */
  readonly at: number | null;
}
