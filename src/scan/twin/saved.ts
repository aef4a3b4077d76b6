// The scanner of rows in TypeScript with what streams ask of it: its state between two calls is put away and taken up
// again, for many of them take turns with one; and bad UTF-8 is found.

import type { StreamMachine } from '../machine.ts';
import { characterLength } from '../../utf8.ts';
import { TwinRows, type TwinOptions } from './rows.ts';
import { lexiconOfNumber } from './token.ts';

/** Numbers and truth values of a part of the scanner. */
interface Fields {
  readonly of: Record<string, number | boolean>;
  readonly names: readonly string[];
}

const fields = <T extends object>(of: T, ...names: (keyof T & string)[]): Fields => ({ of: of as Fields['of'], names });

export class SavedTwin extends TwinRows implements StreamMachine {
  readonly #fields: readonly Fields[];
  readonly #arrays: readonly (Int32Array | Uint8Array)[];

  constructor(options?: TwinOptions) {
    super(options);
    const { cursor, gaps, messages: { words } } = this;
    const { table } = cursor;
    this.#fields = [
      fields(cursor, 'place'),
      fields(gaps, 'how', 'fresh', 'atLine', 'lineFrom', 'leadFrom'),
      fields(gaps.opener, 'first', 'form', 'count'),
      fields(gaps.lines, 'line', 'sign', 'count', 'content'),
      fields(words, 'plain', 'roles', 'field', 'count', 'bytes', 'seen', 'found', 'size', 'kinds'),
      fields(table, 'base'),
    ];
    this.#arrays = [words.word, table.open, table.slotRows, table.slots];
  }

  save(): Int32Array {
    const state = [this.cursor.lexicon.number, this.done];
    for (const { of, names } of this.#fields) for (const name of names) state.push(Number(of[name]));
    for (const array of this.#arrays) for (const word of array) state.push(word);
    return Int32Array.from(state);
  }

  restore(state: Int32Array): void {
    let at = 2;
    this.cursor.lexicon = lexiconOfNumber(state[0]!);
    this.done = state[1]!;
    for (const { of, names } of this.#fields) {
      for (const name of names) {
        const value = state[at++]!;
        of[name] = typeof of[name] === 'boolean' ? value !== 0 : value;
      }
    }
    for (const array of this.#arrays) {
      array.set(state.subarray(at, at + array.length));
      at += array.length;
    }
    this.cursor.table.count = 0;
  }

  invalidUtf8(from: number, to: number): number {
    const { source } = this;
    for (let at = from; at < to; ) {
      const length = source[at]! < 0x80 ? 1 : characterLength(source, at, to);
      if (length < 0) return at;
      at += length;
    }
    return -1;
  }
}
