// The entries of a record's list of messages, by its rows: where each stands, and its number, without reading what is
// in them.

import { FROM, NEXT, RECORD_ROWS, TO } from '../../abi.ts';
import { isBlankByte, standsAt } from '../../model/bytes.ts';
import { wordAt } from '../../scan/record-rows.ts';
import { CLOSE_LIST, CLOSE_OBJECT, COLON, COMMA, OPEN_LIST, OPEN_OBJECT } from './json-bytes.ts';
import { JsonReader, spanOf } from './json-place.ts';
import { LISTS } from './other-forms.ts';
import type { RecordRows } from './rows.ts';

/** Lists of messages, by their keys with quotes. */
const KEYS = LISTS.map((name) => ({ name, key: new TextEncoder().encode(`"${name}"`) }));

/** Positions are bytes of the record. */
export class RowEntries {
  readonly #bytes: Uint8Array;
  readonly #table: Int32Array;
  readonly #start: number;
  readonly #lastRow: number;
  #row: number;
  #isOver = false;
  /** The member that holds them. */
  readonly list: string;
  /** The entry at hand. Before the first one: behind the list's bracket. */
  index = -1;
  from: number;
  to: number;

  private constructor({ machine }: RecordRows, record: number, bytes: Uint8Array, list: List) {
    this.#bytes = bytes;
    this.#table = machine.rows;
    this.#start = wordAt(machine.rows, record, FROM);
    this.#row = record + RECORD_ROWS;
    this.#lastRow = wordAt(machine.rows, record, NEXT);
    this.list = list.name;
    this.from = this.to = list.from;
  }

  /** Of the record at a row, whose bytes are given; null: its messages are no list of the usual names. */
  static of(rows: RecordRows, record: number, bytes: Uint8Array): RowEntries | null {
    const { rows: table } = rows.machine;
    const first = record + RECORD_ROWS;
    if (first >= wordAt(table, record, NEXT)) return null;
    const list = listIn(bytes, wordAt(table, first, FROM) - wordAt(table, record, FROM));
    return list && new RowEntries(rows, record, bytes, list);
  }

  /** Goes to the next entry. False: there is none, or one that is no object. */
  next(): boolean {
    if (this.#isOver) return false;
    const bytes = this.#bytes;
    let at = skipBlanks(bytes, this.to);
    if (this.index >= 0 && bytes[at] === COMMA) at = skipBlanks(bytes, at + 1);
    if (bytes[at] !== OPEN_OBJECT) {
      this.#isOver = true;
      return false;
    }
    this.index++;
    this.from = at;
    this.to = this.#endOf(at);
    return true;
  }

  /** Where the list's bracket stands, behind the last entry; null: an item of the list is no object. */
  get end(): number | null {
    const end = skipBlanks(this.#bytes, this.to);
    return this.#isOver && this.#bytes[end] === CLOSE_LIST ? end : null;
  }

  /** An entry may be several messages, and definitions alone are none. */
  #endOf(at: number): number {
    const table = this.#table;
    const address = this.#start + at;
    while (this.#row < this.#lastRow && wordAt(table, this.#row, FROM) < address) {
      this.#row = wordAt(table, this.#row, NEXT);
    }
    const isKnown = this.#row < this.#lastRow && wordAt(table, this.#row, FROM) === address;
    if (isKnown) return wordAt(table, this.#row, TO) - this.#start;
    const bytes = this.#bytes.subarray(at);
    return at + (spanOf(bytes, [])?.to ?? bytes.length);
  }
}

interface List {
  readonly name: string;
  /** Behind its bracket. */
  readonly from: number;
}

/** The list of a record's messages, the first of which may stand at `first`; null: there is none. */
function listIn(bytes: Uint8Array, first: number): List | null {
  for (const { name, key } of KEYS) if (isListOf(bytes, first, key)) return { name, from: first };
  const reader = new JsonReader(bytes);
  let depth = 0;
  let named: (typeof KEYS)[number] | undefined;
  while (reader.next()) {
    const { token, from, to } = reader;
    if (depth === 1 && token === OPEN_LIST && named !== undefined) return { name: named.name, from: to };
    if (token === OPEN_OBJECT || token === OPEN_LIST) depth++;
    else if (token === CLOSE_OBJECT || token === CLOSE_LIST) depth--;
    else if (reader.isKey && depth === 1) {
      named = KEYS.find(({ key }) => key.length === to - from && standsAt(key, bytes, from));
    }
  }
  return null;
}

/** Whether a list begins directly before the value at `at`, as the member of a key, with its quotes. */
function isListOf(bytes: Uint8Array, at: number, key: Uint8Array): boolean {
  let before = beforeBlanks(bytes, at);
  if (bytes[before - 1] !== OPEN_LIST) return false;
  before = beforeBlanks(bytes, before - 1);
  if (bytes[before - 1] !== COLON) return false;
  before = beforeBlanks(bytes, before - 1);
  return before >= key.length && standsAt(key, bytes, before - key.length);
}

function skipBlanks(bytes: Uint8Array, at: number): number {
  while (at < bytes.length && isBlankByte(bytes[at]!)) at++;
  return at;
}

function beforeBlanks(bytes: Uint8Array, at: number): number {
  while (at > 0 && isBlankByte(bytes[at - 1]!)) at--;
  return at;
}
