// What stands outside of messages in raw text: in 0.1 it may be files (R-FIM).

import { FILE, HAS_LINE } from '../../abi.ts';
import { type FileInSequence, gapFiles } from '../../model/sequence.ts';
import type { Source } from '../../scan/source.ts';
import { type Batch, GrowingTable, kindOf, toOf } from '../../scan/table.ts';

/** Bytes of text of one transcript: it is held in memory, and written as one string. */
export const LARGEST = 64 * 1024 * 1024;
/** Tokens of files and fill-ins of one transcript: what becomes of each takes most of a kilobyte. */
export const MOST_FILES = 1 << 17;

/** What stands outside of messages, up to the next message, BOS or EOS. */
export class Gap {
  readonly #rows = new GrowingTable(new Float64Array(0));
  #from: number;
  /** It holds something that belongs to the part of the input. */
  isOwn = false;
  /** Tokens that make files of it (R-FIM). */
  fileTokens = 0;

  constructor(from: number) {
    this.#from = from;
  }

  begin(from: number): void {
    this.#from = from;
    this.#rows.clear();
    this.isOwn = false;
    this.fileTokens = 0;
  }

  add(batch: Batch, row: number, isOwn: boolean): void {
    this.isOwn ||= isOwn;
    if (kindOf(batch, row) === FILE) this.fileTokens++;
    // Only in 0.1 text outside of messages may be a file.
    if ((batch.dialect.flags & HAS_LINE) === 0 || this.lengthTo(toOf(batch, row)) > LARGEST) return;
    if (this.fileTokens > MOST_FILES) return;
    this.#rows.append(batch.words, row - batch.first, row - batch.first + 1, batch.base, 0);
  }

  /** Bytes from its beginning. */
  lengthTo(to: number): number {
    return to - this.#from;
  }

  /** A gap that is too large is not kept. */
  mayRelease(before: number): number {
    return this.lengthTo(before) > LARGEST ? before : Math.min(before, this.#from);
  }

  files(to: number, source: Source): FileInSequence[] {
    const { words, count } = this.#rows;
    return gapFiles({ words, base: 0, first: 0, source }, [...Array(count).keys()], this.#from, to);
  }
}
