// The calls and replies of a record as its rows have them, matched by the rules (R-CALL); their arguments, and what is
// wrong with them as JSON.

import {
  ABSENT, CALL_ID, FROM, IN_PART, JSON_DEPTH, KIND, KIND_MASK, LACKS_ID, NAME, NEXT, PARTS, RECIPIENT, RECORD_ROWS,
  TO, VALUE,
} from '../../abi.ts';
import type { Finding } from '../../errors.ts';
import { CallIds, OpenCalls } from '../../formats/chat/calls.ts';
import { CallRules } from '../../rules/calls.ts';
import { brokenJson } from '../../rules/constraint.ts';
import { DIALECTS } from '../../scan/dialects.ts';
import type { Machine } from '../../scan/machine.ts';
import { wordAt } from '../../scan/record-rows.ts';
import { parseJson } from '../../tools/json.ts';
import { characterLength, decodeUtf8 } from '../../utf8.ts';
import { RawOffsets } from '../records/json-place.ts';
import type { RowPointers } from '../records/row-pointers.ts';
import { nextRecord, type RecordRows } from '../records/rows.ts';

/** What records are looked at as: text of 2.2. */
const TEXT = { dialect: DIALECTS['openchatml-2.2'], header: null };
const CHANNEL = 'commentary';

/** A finding about the message at a row, in its place in the file. `waits`: it was told at the record's end. */
export type TellRow = (finding: Finding, row: number, pointer: string, waits?: boolean) => void;

/** Calls and replies in order, as they pass. Without `pointers` none is told. */
export class MarkedCalls {
  readonly #rows: RecordRows;
  readonly #pointers: RowPointers | null;
  /** Positions are rows there. */
  readonly #rules = new CallRules(TEXT);
  /** By which replies without a name get that of their call. */
  readonly #open = new OpenCalls();
  /** Ids for calls without one. */
  readonly #ids: CallIds;
  readonly #callPointers = new Map<number, string>();

  constructor(rows: RecordRows, record: number, pointers: RowPointers | null) {
    this.#rows = rows;
    this.#pointers = pointers;
    this.#ids = new CallIds(idsOf(rows, record));
  }

  call(row: number, tell: TellRow): void {
    const id = fieldAt(this.#rows, row, CALL_ID) ?? this.#ids.next();
    const name = toolAt(this.#rows, row);
    if (this.#pointers !== null) this.#callPointers.set(row, this.#pointers.pointer(row));
    this.#open.call(id, name);
    this.#rules.call(id, name, CHANNEL, row, row, (finding) => {
      tell({ ...finding, ...spanAt(this.#rows, row) }, row, this.#pointers?.pointer(row, finding.rule) ?? '');
    });
  }

  /** False: its content is no text, by which it is placed. */
  reply(row: number, tell: TellRow): boolean {
    const rows = this.#rows;
    if (kindOfBody(rows, row) & (PARTS | IN_PART | VALUE | ABSENT)) return false;
    const id = fieldAt(rows, row, CALL_ID);
    const name = fieldAt(rows, row, NAME);
    const call = this.#open.reply(id, name);
    this.#rules.reply(id ?? call?.id ?? null, name ?? call?.recipient ?? null, row, row, (finding) => {
      tell({ ...finding, ...spanAt(rows, row) }, row, this.#pointers?.reply(row, finding.rule) ?? '');
    });
    return true;
  }

  /** The record has ended: calls that no reply answers. */
  end(tell: TellRow): void {
    for (const finding of this.#rules.end()) {
      const { from: row } = finding;
      tell({ ...finding, ...spanAt(this.#rows, row) }, row, this.#callPointers.get(row) ?? '', true);
    }
  }
}

const bodyOf = ({ machine }: RecordRows, message: number): number => wordAt(machine.rows, message, NEXT) - 1;

const kindOfBody = (rows: RecordRows, message: number): number =>
  wordAt(rows.machine.rows, bodyOf(rows, message), KIND);

/** The span of the file that findings about a message have: up to its body, where that is text. */
export function spanAt(rows: RecordRows, message: number): { readonly from: number; readonly to: number } {
  const { machine, base } = rows;
  const isText = !(kindOfBody(rows, message) & VALUE);
  const to = isText ? wordAt(machine.rows, bodyOf(rows, message), FROM) : wordAt(machine.rows, message, TO);
  return { from: base + wordAt(machine.rows, message, FROM), to: base + to };
}

function textAt({ machine }: RecordRows, row: number): string {
  return decodeUtf8(machine.memory.subarray(wordAt(machine.rows, row, FROM), wordAt(machine.rows, row, TO)));
}

/** What a row of this kind below a message holds; null: there is none. */
function fieldAt(rows: RecordRows, message: number, field: number): string | null {
  const { rows: words } = rows.machine;
  const body = bodyOf(rows, message);
  for (let row = message + 1; row < body; row++) {
    if ((wordAt(words, row, KIND) & KIND_MASK) === field) return textAt(rows, row);
  }
  return null;
}

/** The ids of a record where some are lacking. */
function idsOf(rows: RecordRows, record: number): ReadonlySet<string> {
  const { rows: words } = rows.machine;
  const ids = new Set<string>();
  if (!(wordAt(words, record, KIND) & LACKS_ID)) return ids;
  const next = nextRecord(rows, record);
  for (let row = record + RECORD_ROWS; row < next; row++) {
    if ((wordAt(words, row, KIND) & KIND_MASK) === CALL_ID) ids.add(textAt(rows, row));
  }
  return ids;
}

/** The name of the tool that is called. */
export const toolAt = (rows: RecordRows, call: number): string => fieldAt(rows, call, RECIPIENT)!;

/** The text of the arguments of a call, whose row below it is `body`. */
function argumentsText(rows: RecordRows, body: number): string {
  const text = textAt(rows, body);
  return wordAt(rows.machine.rows, body, KIND) & VALUE ? text : JSON.parse(`"${text}"`) as string;
}

/** The arguments of a call; undefined: there are none, or they are no JSON. */
export function argumentsAt(rows: RecordRows, call: number): unknown {
  return kindOfBody(rows, call) & ABSENT ? undefined : parseJson(argumentsText(rows, bodyOf(rows, call)));
}

const ENCODER = new TextEncoder();

/** What is wrong with the arguments of a call as JSON, in its place in the file; null: nothing. */
export function wrongJson(checker: Machine, rows: RecordRows, record: number, call: number): Finding | null {
  const body = bodyOf(rows, call);
  if (kindOfBody(rows, call) & (VALUE | ABSENT)) return null;
  const text = argumentsText(rows, body);
  // Too short to be too deep. A run that has few findings is not kept waiting until the scanner of text is compiled.
  if (text.length <= JSON_DEPTH && parseJson(text) !== undefined) return null;
  const bytes = ENCODER.encode(text);
  const at = checker.checkJson(bytes, JSON_DEPTH);
  if (at < 0) return null;
  const { machine: { memory, rows: words }, base } = rows;
  const start = wordAt(words, record, FROM);
  const span = { from: wordAt(words, body, FROM) - 1 - start, to: wordAt(words, body, TO) + 1 - start };
  const offsets = new RawOffsets(memory.subarray(start, start + span.to), span);
  const placed = (offset: number): number => base + start + offsets.of(offset);
  const length = at < bytes.length ? Math.abs(characterLength(bytes, at, bytes.length)) : 0;
  return brokenJson(true, { from: placed(at), to: placed(at + length) });
}
