// The whole scanner in TypeScript: the rows of rows.ts and saved.ts, and what is asked of them.

import * as abi from '../../abi.ts';
import { checkJsonParts } from './json.ts';
import type { Machine } from '../machine.ts';
import { SavedTwin } from './saved.ts';
import { tallyRows } from './tally.ts';

export class Twin extends SavedTwin implements Machine {
  readonly sums = new Uint32Array(abi.TALLY_WORDS);
  readonly clean = new Int32Array(abi.CLEAN_WORDS);
  readonly ledger = new Int32Array(abi.LEDGER_WORDS);
  keeper: object | null = null;

  tally(from: number, to: number, stops: number): number {
    return tallyRows(this.rows, this.cursor.table.base, from, to, stops, this.sums);
  }

  /** Passes over nothing: whoever asks looks at each message. */
  skipClean(from: number): number {
    return from;
  }

  ledgerCall(): never {
    throw new Error('the ledger is empty');
  }

  keep(): number {
    return 0;
  }

  keepTable(): number {
    return 0;
  }

  setKeptState(): void {}

  learnTool(): void {}

  fits(): boolean {
    return false;
  }

  forgetKept(): void {}

  countLines(from: number, to: number): number {
    let count = 0;
    for (let at = from; at < to; at++) if (this.source[at] === 0x0a) count++;
    return count;
  }

  countCharacters(from: number, to: number): number {
    let count = 0;
    for (let at = from; at < to; at++) if ((this.source[at]! & 0xc0) !== 0x80) count++;
    return count;
  }

  findLast(from: number, to: number, byte: number): number {
    let at = to - 1;
    while (at >= from && (this.source[at]! | 0x20) !== byte) at--;
    return at < from ? -1 : at;
  }

  findPair(from: number, to: number, first: number, second: number): number {
    for (let at = from; at < to; at++) if (this.source[at] === first && this.source[at + 1] === second) return at;
    return -1;
  }

  checkJson(content: Uint8Array | Iterable<Uint8Array>, depth: number): number {
    return checkJsonParts(content instanceof Uint8Array ? [content] : content, depth);
  }

  checkWindowJson(from: number, to: number, depth: number): number {
    const wrong = checkJsonParts([this.source.subarray(from, to)], depth);
    return wrong < 0 ? -1 : from + wrong;
  }
}
