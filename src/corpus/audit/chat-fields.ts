// The texts of a chat record in which something may be found, read where they lie: no value of the record is made. Of
// most records these are plain texts of messages; where anything else may hold something the record is read as a whole,
// by textsOf, whose fields these are.

import { FROM, HAS_SIDES, IS_TEXT, IS_TRANSCRIPT, KIND, SLOW } from '../../abi.ts';
import { holdsBound } from '../../formats/control-tokens/known.ts';
import { wordAt } from '../../scan/record-rows.ts';
import { crowdOf } from '../records/crowded.ts';
import {
  CLOSE_LIST, CLOSE_OBJECT, COLON, COMMA, OPEN_LIST, OPEN_OBJECT, QUOTE,
} from '../records/json-bytes.ts';
import { JsonReader, type JsonSpan } from '../records/json-place.ts';
import { RowEntries } from '../records/row-entries.ts';
import type { RecordRows } from '../records/rows.ts';
import { type AuditField, goesOn, isShownKey, type Path, roleOf } from './fields.ts';

/**
 * The fields of the record at a row in which something may be found, in order; null: the record is to be read as a
 * whole. `bytes`: the record.
 */
export function chatFields(rows: RecordRows, record: number, bytes: Buffer): readonly AuditField[] | null {
  const { machine } = rows;
  const { rows: table } = machine;
  if (wordAt(table, record, KIND) & SLOW || wordAt(table, record + 1, KIND) & OTHER) return null;
  const start = wordAt(table, record, FROM);
  const mayHold = (from: number, to: number): boolean => machine.mayHold(start + from, start + to);
  const entries = RowEntries.of(rows, record, bytes);
  if (entries === null || mayHold(0, entries.from)) return null;
  const list = { outer: null, step: entries.list, depth: 0 };
  const found = new EntryFields(bytes, mayHold);
  while (entries.next()) {
    const { from, to, index } = entries;
    if (mayHold(from, to) && !found.take({ from, to }, { outer: list, step: index, depth: 1 })) return null;
  }
  const { end } = entries;
  return end !== null && !mayHold(end, bytes.length) && crowdOf(bytes) === null ? found.fields : null;
}

/** What the TOOLS row says of a record that is no plain list of messages. */
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
        // Bounds mean something at the edges of a transcript, which are not known here.
        if (goesOn(text) || holdsBound(text)) return false;
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
