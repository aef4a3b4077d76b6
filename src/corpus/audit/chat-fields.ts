// The texts of a chat record in which something may be found, read where they lie: no value of the record is made. Of
// most records these are plain texts of messages; where anything else may hold something the record is read as a whole,
// by textsOf, whose fields these are.

import {
  FROM, HAS_SIDES, IS_TEXT, IS_TRANSCRIPT, KIND, NEXT, RECORD_ROWS, SLOW, TO,
} from '../../abi.ts';
import { isBlankByte, standsAt } from '../../model/bytes.ts';
import { wordAt } from '../../scan/record-rows.ts';
import { crowdOf } from '../records/crowded.ts';
import {
  CLOSE_LIST, CLOSE_OBJECT, COLON, COMMA, OPEN_LIST, OPEN_OBJECT, QUOTE,
} from '../records/json-bytes.ts';
import { JsonReader, type JsonSpan } from '../records/json-place.ts';
import type { RecordRows } from '../records/rows.ts';
import { type AuditField, goesOn, isShownKey, type Path, roleOf } from './fields.ts';

/** Lists of messages, by their keys with quotes. */
const LISTS = ['messages', 'conversations'].map((name) => (
  { path: { outer: null, step: name, depth: 0 }, key: new TextEncoder().encode(`"${name}"`) }
));
/** Bounds mean something at the edges of a transcript, which are not known here. */
const BOUND = /<\/?s>|\[(?:BOS|EOS)\]/;

/**
 * The fields of the record at a row in which something may be found, in order; null: the record is to be read as a
 * whole. `bytes`: the record.
 */
export function chatFields(rows: RecordRows, record: number, bytes: Buffer): readonly AuditField[] | null {
  const { machine } = rows;
  const { rows: table } = machine;
  if (wordAt(table, record, KIND) & SLOW || wordAt(table, record + 1, KIND) & OTHER) return null;
  const start = wordAt(table, record, FROM);
  const next = wordAt(table, record, NEXT);
  let row = record + RECORD_ROWS;
  const mayHold = (from: number, to: number): boolean => machine.mayHold(start + from, start + to);
  const list = listIn(bytes, row < next ? wordAt(table, row, FROM) - start : 0);
  if (list === null || mayHold(0, list.from)) return null;
  const found = new EntryFields(bytes, mayHold);
  let at = skipBlanks(bytes, list.from);
  for (let index = 0; bytes[at] === OPEN_OBJECT; index++) {
    // An entry may be several messages, and definitions alone are none.
    while (row < next && wordAt(table, row, FROM) - start < at) row = wordAt(table, row, NEXT);
    const isKnown = row < next && wordAt(table, row, FROM) - start === at;
    const end = isKnown ? wordAt(table, row, TO) - start : endOfObject(bytes, at);
    const span = { from: at, to: end };
    if (mayHold(at, end) && !found.take(span, { outer: list.path, step: index, depth: 1 })) return null;
    at = skipBlanks(bytes, end);
    if (bytes[at] === COMMA) at = skipBlanks(bytes, at + 1);
  }
  if (bytes[at] !== CLOSE_LIST || mayHold(at, bytes.length)) return null;
  return crowdOf(bytes) === null ? found.fields : null;
}

/** TOOLS: it is no plain list of messages. */
const OTHER = HAS_SIDES | IS_TEXT | IS_TRANSCRIPT;

class EntryFields {
  readonly #bytes: Buffer;
  readonly #mayHold: (from: number, to: number) => boolean;
  readonly fields: AuditField[] = [];

  /** `mayHold`: whether something may be found in a span of the bytes. */
  constructor(bytes: Buffer, mayHold: (from: number, to: number) => boolean) {
    this.#bytes = bytes;
    this.#mayHold = mayHold;
  }

  /** Takes the fields of a message. False: they are not all plain texts of a message whose role is known. */
  take({ from, to }: JsonSpan, path: Path): boolean {
    const bytes = this.#bytes.subarray(from, to);
    if (bytes[0] !== OPEN_OBJECT || bytes.at(-1) !== CLOSE_OBJECT) return false;
    const texts: { readonly step: string; readonly text: string; readonly span: JsonSpan }[] = [];
    const keys = new Set<string>();
    const said = { role: '', from: '' };
    const reader = new JsonReader(bytes);
    let depth = 0;
    let key = '';
    let begin = 0;
    while (reader.next()) {
      const { token } = reader;
      const isOpen = token === OPEN_OBJECT || token === OPEN_LIST;
      if (isOpen && depth++ === 1) begin = reader.from;
      const isClose = token === CLOSE_OBJECT || token === CLOSE_LIST;
      if (isClose && --depth === 1 && this.#mayHold(from + begin, from + reader.to)) return false;
      if (depth !== 1 || isOpen || isClose || token === COMMA || token === COLON) continue;
      const span = { from: from + reader.from, to: from + reader.to };
      if (reader.isKey) {
        key = this.#text(span);
        if (!isShownKey(key) || keys.has(key)) return false;
        keys.add(key);
      } else if (token === QUOTE) {
        if (key === 'role' || key === 'from') said[key] = this.#text(span);
        if (!this.#mayHold(span.from, span.to)) continue;
        if (key === 'role' || key === 'from') return false;
        const text = this.#text(span);
        if (goesOn(text) || BOUND.test(text)) return false;
        texts.push({ step: key, text, span });
      }
    }
    const who = keys.has('role') ? said.role : said.from;
    if (who === '') return false;
    const role = roleOf(who);
    for (const { step, text, span } of texts) {
      const place = { outer: path, step, depth: 2 };
      this.fields.push({ path: place, isKey: false, text, span, role, before: '', after: '', edges: 'none' });
    }
    return true;
  }

  /** The text of a string, span with its quotes. */
  #text({ from, to }: JsonSpan): string {
    const text = this.#bytes.toString('utf8', from, to);
    return text.includes('\\') ? JSON.parse(text) as string : text.slice(1, -1);
  }
}

interface List {
  readonly path: Path;
  /** Behind its bracket. */
  readonly from: number;
}

/** The list of a record's messages, the first of which may stand at `first`; null: there is none. */
function listIn(bytes: Buffer, first: number): List | null {
  for (const { path, key } of LISTS) if (isListOf(bytes, first, key)) return { path, from: first };
  const reader = new JsonReader(bytes);
  let depth = 0;
  let named: (typeof LISTS)[number] | undefined;
  while (reader.next()) {
    const { token, from, to } = reader;
    if (depth === 1 && token === OPEN_LIST && named !== undefined) return { path: named.path, from: to };
    if (token === OPEN_OBJECT || token === OPEN_LIST) depth++;
    else if (token === CLOSE_OBJECT || token === CLOSE_LIST) depth--;
    else if (reader.isKey && depth === 1) {
      named = LISTS.find(({ key }) => key.length === to - from && standsAt(key, bytes, from));
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

/** Where the object that begins at `at` ends. */
function endOfObject(bytes: Uint8Array, at: number): number {
  const reader = new JsonReader(bytes.subarray(at));
  let depth = 0;
  while (reader.next()) {
    if (reader.token === OPEN_OBJECT || reader.token === OPEN_LIST) depth++;
    else if ((reader.token === CLOSE_OBJECT || reader.token === CLOSE_LIST) && --depth === 0) return at + reader.to;
  }
  return bytes.length;
}

function skipBlanks(bytes: Uint8Array, at: number): number {
  while (at < bytes.length && isBlankByte(bytes[at]!)) at++;
  return at;
}

function beforeBlanks(bytes: Uint8Array, at: number): number {
  while (at > 0 && isBlankByte(bytes[at - 1]!)) at--;
  return at;
}
