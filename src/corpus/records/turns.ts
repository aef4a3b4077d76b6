// Turns: objects with a role, as the documents print them (R-JSON). One is read alone; those that follow each other, in
// a list or one a line, are one transcript.

import type { Source } from '../../scan/source.ts';
import { isBlankByte } from '../../model/bytes.ts';
import {
  BACKSLASH, CLOSE_LIST, CLOSE_OBJECT, COLON, COMMA, OPEN_LIST, OPEN_OBJECT, QUOTE, SEPARATOR,
} from './json-bytes.ts';
import { isObject, own } from '../../tools/json.ts';
import { ValueCount } from './crowded.ts';
import { FirstBytes, layoutOf } from './layout.ts';
import type { CorpusRecord, RecordProblem } from './record-types.ts';

type Fields = { readonly [name: string]: unknown };

/** Fields of records that hold a transcript beside whatever they say of a role. */
const HOLDERS = [
  'messages', 'conversations', 'text', 'prompt', 'completion', 'chosen', 'rejected', 'instruction', 'input', 'output',
];

export function isTurn(value: unknown): value is Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { role, conversation } = value as Fields;
  // What a conversation is called by is no list of its messages.
  const holds = HOLDERS.some((name) => Object.hasOwn(value, name))
    || (Array.isArray(conversation) && isSaid(conversation[0]));
  return typeof role === 'string' && !holds;
}

/** Whether a value says who speaks, as a message does. */
export function isSaid(value: unknown): boolean {
  return isObject(value) && (typeof own(value, 'role') === 'string' || typeof own(value, 'from') === 'string');
}

/** The turns that a record is: one by itself, or a list of nothing else; null: it is another record. */
export function turnsOf(value: unknown): readonly Fields[] | null {
  if (isTurn(value)) return [value];
  return Array.isArray(value) && value.length > 0 && value.every(isTurn) ? value : null;
}

/** Each line is a record by itself. */
export const areLines = (source: Source): boolean => layoutOf(source) === 'lines' && !beginsWithTurn(source);

const LONGEST_KEY = Math.max(...HOLDERS.map((name) => name.length));

/** Whether the first value of an input is a turn, or the first one of a list. */
export function beginsWithTurn(source: Source): boolean {
  const bytes = new FirstBytes(source);
  let byte = bytes.next();
  while (isBlankByte(byte) || byte === SEPARATOR || byte === OPEN_LIST) byte = bytes.next();
  if (byte !== OPEN_OBJECT) return false;
  let hasRole = false;
  let isKey = true;
  for (let depth = 1; depth > 0; ) {
    byte = bytes.next();
    if (byte === undefined) return hasRole;
    if (byte === QUOTE) {
      let text = '';
      for (byte = bytes.next(); byte !== QUOTE; byte = bytes.next()) {
        if (byte === undefined) return hasRole;
        if (byte === BACKSLASH) bytes.next();
        if (isKey && text.length <= LONGEST_KEY) text += String.fromCharCode(byte);
      }
      if (isKey && HOLDERS.includes(text)) return false;
      if (isKey && text === 'role') hasRole = true;
      isKey = false;
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth--;
    else if (byte === COLON) isKey = false;
    else if (byte === COMMA) isKey = depth === 1;
  }
  return hasRole;
}

const OPENED = Buffer.from('[');
const BETWEEN = Buffer.from(',');
const CLOSED = Buffer.from(']');

/**
 * Records, of which turns that follow each other are one, a list. Together they may have `largest` bytes, and as many
 * objects as one record.
 */
export function* withTurnsJoined(
  records: Iterable<CorpusRecord | RecordProblem>, run: TurnRun, first = 0,
): Generator<CorpusRecord | RecordProblem, void, void> {
  let number = first;
  for (const record of records) {
    if (run.takes(record)) continue;
    if (!run.isEmpty) yield run.record(number++);
    run.clear();
    yield numbered(record, number++);
  }
  if (!run.isEmpty) yield run.record(number);
}

/** Turns that follow each other. */
export class TurnRun {
  readonly #largest: number;
  #list: TurnList;
  /** Where the bytes begin that are still to be looked into: what is found in turns is told behind the last one. */
  keptFrom = Infinity;

  constructor(largest: number) {
    this.#largest = largest;
    this.#list = new TurnList(largest);
  }

  get isEmpty(): boolean {
    return this.#list.isEmpty;
  }

  /** False: the record is no turn. */
  takes(record: CorpusRecord | RecordProblem): boolean {
    if ('problem' in record || !isTurn(record.value)) return false;
    this.#list.add(record);
    this.keptFrom = this.#list.isTooMuch ? Infinity : Math.min(this.keptFrom, record.from);
    return true;
  }

  /** The record that they are. */
  record(number: number): CorpusRecord | RecordProblem {
    return this.#list.record(number);
  }

  /** The record was read. */
  clear(): void {
    if (this.isEmpty) return;
    this.#list = new TurnList(this.#largest);
    this.keptFrom = Infinity;
  }
}

/** Field by field: a spread costs as much as the rest of a short line. */
function numbered(record: CorpusRecord | RecordProblem, number: number): CorpusRecord | RecordProblem {
  if (!('problem' in record)) return { ...record, number };
  const { line, from, to, problem, remedy, at } = record;
  return { number, line, from, to, problem, remedy, at };
}

class TurnList {
  readonly #largest: number;
  #first: CorpusRecord | null = null;
  #last: CorpusRecord | null = null;
  #values: unknown[] = [];
  #parts: Buffer[] = [OPENED];
  /** Where each turn begins in the list's text, and how much further it stands in the input. */
  #starts: { readonly from: number; readonly shift: number }[] = [];
  #length = OPENED.length;
  readonly #count = new ValueCount();

  constructor(largest: number) {
    this.#largest = largest;
  }

  get isEmpty(): boolean {
    return this.#first === null;
  }

  /** They are not kept any more. */
  get isTooMuch(): boolean {
    return this.#length > this.#largest || this.#count.tooMany !== null;
  }

  add(turn: CorpusRecord): void {
    const { bytes, value, from } = turn;
    this.#first ??= turn;
    this.#last = turn;
    if (this.isTooMuch) return;
    if (this.#values.length > 0) this.#push(BETWEEN);
    this.#starts.push({ from: this.#length, shift: from - this.#length });
    // The bytes of a record are valid until the next one is asked for.
    this.#push(Buffer.from(bytes));
    this.#values.push(value);
    this.#count.add(bytes);
    if (!this.isTooMuch) return;
    this.#starts = [];
    this.#values = [];
    this.#parts = [];
  }

  #push(part: Buffer): void {
    this.#parts.push(part);
    this.#length += part.length;
  }

  record(number: number): CorpusRecord | RecordProblem {
    const { line, from } = this.#first!;
    const placed = { number, line, from, to: this.#last!.to };
    if (this.isTooMuch) {
      const tooMany = this.#count.tooMany;
      const problem = tooMany === null ? 'its turns are too large together' : `its turns hold ${tooMany} together`;
      return { ...placed, problem, remedy: 'split it', at: null };
    }
    // One by itself is read alone.
    if (this.#values.length === 1) return { ...this.#first!, number, bytes: this.#parts[1]! };
    const bytes = Buffer.concat([...this.#parts, CLOSED]);
    const place = (offset: number): number => this.#place(offset);
    return { ...placed, value: this.#values, bytes, place };
  }

  #place(offset: number): number {
    const starts = this.#starts;
    let low = 0;
    for (let high = starts.length; high - low > 1; ) {
      const middle = (low + high) >> 1;
      if (starts[middle]!.from <= offset) low = middle;
      else high = middle;
    }
    return offset + starts[low]!.shift;
  }
}
