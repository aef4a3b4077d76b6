// The rows of one message's header, and its body's: a table of their own, over which the model reads what the header
// says.

import { BODY, FIELD, KIND, KIND_MASK, NEXT, ROW_WORDS, TO } from '../../abi.ts';
import { GrowingTable, type Table } from '../../scan/table.ts';

type Bytes = { bytes(from: number, to: number): Uint8Array };

export class HeaderRows {
  readonly #own = new GrowingTable(new Float64Array(16 * ROW_WORDS));
  readonly #row = new Float64Array(ROW_WORDS);
  /** The message is row 0. */
  readonly table: Table;

  constructor(bytes: Bytes) {
    const own = this.#own;
    const source = { read: () => 0, bytes: (from: number, to: number) => bytes.bytes(from, to), release: () => {} };
    this.table = { get words() { return own.words; }, base: 0, first: 0, source };
  }

  get words(): Int32Array | Float64Array {
    return this.#own.words;
  }

  get count(): number {
    return this.#own.count;
  }

  get hasField(): boolean {
    for (let row = 1; row < this.count; row++) if ((this.words[row * ROW_WORDS]! & KIND_MASK) === FIELD) return true;
    return false;
  }

  /** A message begins. */
  begin(word: number, from: number): void {
    this.#own.clear();
    this.#add(word, from, from, 0);
  }

  /** A field begins; it ends with `endField`. */
  addField(word: number, from: number): void {
    this.#add(word, from, from, 0);
  }

  /** A row without descendants. */
  addLeaf(word: number, from: number, to: number): void {
    this.#add(word, from, to, this.count + 1);
  }

  endField(row: number, to: number): void {
    this.words[row * ROW_WORDS + TO] = to;
    this.words[row * ROW_WORDS + NEXT] = this.count;
  }

  /** The body begins at `bodyFrom`: the message is as `word` says, and ends at `to` as far as it is known. */
  addBody(word: number, bodyFrom: number, to: number): void {
    this.addLeaf(BODY, bodyFrom, bodyFrom);
    const { words } = this;
    words[KIND] = word;
    words[TO] = to;
    words[NEXT] = this.count;
  }

  #add(word: number, from: number, to: number, next: number): void {
    this.#row[0] = word;
    this.#row[1] = from;
    this.#row[2] = to;
    this.#row[3] = next;
    this.#own.append(this.#row, 0, 1, 0, 0);
  }
}
