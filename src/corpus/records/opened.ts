// Lists of messages that stand in a record as JSON in a text, as tables have them whose columns hold no lists. The
// record is read as if the list stood there.

import { isBlankByte } from '../../model/bytes.ts';
import { isObject, type JsonObject, own, parseJson, setOwn } from '../../tools/json.ts';
import { crowdOf } from './crowded.ts';
import { CLOSE_LIST, OPEN_LIST, OPEN_OBJECT } from './json-bytes.ts';
import { RawOffsets, spanOf } from './json-place.ts';
import { LISTS } from './other-forms.ts';
import type { CorpusRecord } from './record-types.ts';
import { isSaid } from './turns.ts';
import { fieldPath, heldAt, type Inner } from './within.ts';

/** Bytes of a text that are still read: of one, several copies are made. */
export const LARGEST_TEXT = 17 * 1024 * 1024;

/** A list of messages, and the text that holds it. */
export interface ListInText {
  readonly path: readonly (string | number)[];
  /** The text as bytes. */
  readonly bytes: Buffer;
  /** The record with the list in place of the text. */
  readonly value: JsonObject;
}

export interface OpenOptions {
  /** The field whose text may hold the list, or a JSON pointer to it; without it those of the usual lists. */
  readonly field?: string | undefined;
  /** Bytes of a text that are still read: LARGEST_TEXT by default. */
  readonly largestRecord?: number | undefined;
}

/** The list of messages that a text of a record holds, or of the object `inner` in it; null: none does. */
export function listInText(record: unknown, options: OpenOptions = {}, inner?: Inner): ListInText | null {
  const { field, largestRecord = LARGEST_TEXT } = options;
  if (!isObject(record)) return null;
  const pointed = fieldPath(field);
  const holder = inner ?? heldAt(record, pointed?.holder ?? []);
  if (holder === null) return null;
  for (const name of pointed !== null ? [pointed.name] : field !== undefined ? [field] : LISTS) {
    const text = own(holder.value, name);
    // Half a character has no bytes that lead back to it.
    if (typeof text !== 'string' || text.length > largestRecord || SURROGATE.test(text)) continue;
    const bytes = Buffer.from(text);
    // As many values as a record may hold.
    if (!beginsList(bytes) || bytes.length > largestRecord || crowdOf(bytes) !== null) continue;
    const list = parseJson(text);
    // What is asked for, or called so by others, too, is another text unless each item says who speaks.
    const isSure = field === undefined && name !== 'conversation';
    if (!Array.isArray(list) || !(isSure || list.every(isSaid))) continue;
    const path = [...holder.path, name];
    return { path, bytes, value: withValueAt(record, path, list) as JsonObject };
  }
  return null;
}

const SURROGATE = /\p{Surrogate}/u;

/** Whether a text may hold a list of objects, by its first bytes. */
export function beginsList(bytes: Uint8Array): boolean {
  let at = 0;
  const skip = (): number => {
    while (at < bytes.length && isBlankByte(bytes[at]!)) at++;
    return bytes[at++] ?? 0;
  };
  if (skip() !== OPEN_LIST) return false;
  const next = skip();
  return next === OPEN_OBJECT || next === CLOSE_LIST;
}

/** A copy of a value with another one behind the steps of a path. */
function withValueAt(value: unknown, [step, ...path]: readonly (string | number)[], other: unknown): unknown {
  if (step === undefined) return other;
  const copy = Array.isArray(value) ? [...value as unknown[]] : { ...value as JsonObject };
  setOwn(copy, String(step), withValueAt((value as JsonObject)[step], path, other));
  return copy;
}

/** The record as if a list stood in it; as it is where none is found. */
export function opened(record: CorpusRecord, found: ListInText | null): CorpusRecord {
  const span = found && spanOf(record.bytes, found.path);
  if (found === null || span === null) return record;
  const { from, to } = span;
  // Edits are made when the record's bytes are gone.
  const raw = Uint8Array.prototype.slice.call(record.bytes, from, to);
  const bytes = Buffer.concat([record.bytes.subarray(0, from), found.bytes, record.bytes.subarray(to)]);
  const end = from + found.bytes.length;
  const offsets = new RawOffsets(raw, { from: 0, to: raw.length });
  const standsAt = (offset: number): number =>
    offset < from ? offset : offset <= end ? from + offsets.of(offset - from) : offset - end + to;
  const { place = (offset: number) => record.from + offset } = record;
  return {
    ...record, value: found.value, bytes, place: (offset) => place(standsAt(offset)), text: { from, to: end },
  };
}
