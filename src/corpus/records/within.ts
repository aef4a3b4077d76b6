// Objects in a record that are read as records: requests, and what --field points into.

import { isObject, type JsonObject, own, pathOf } from '../../tools/json.ts';
import { spanOf } from './json-place.ts';
import type { CorpusRecord } from './record-types.ts';

/** A field that is named by a JSON pointer (RFC 6901): the steps to the object that holds it, and its name there. */
export interface FieldPath {
  readonly holder: readonly string[];
  readonly name: string;
}

/** Null: it is a name as it is. */
export function fieldPath(field: string | undefined): FieldPath | null {
  if (field === undefined || !field.startsWith('/')) return null;
  const steps = pathOf(field);
  return { holder: steps.slice(0, -1), name: steps.at(-1)! };
}

/** The member of a record that a field is, or stands in. */
export const columnOf = (field: string): string => {
  const path = fieldPath(field);
  return path === null ? field : path.holder[0] ?? path.name;
};

/** An object in a record, with the steps to it: numbers are those of items of lists. */
export interface Inner {
  readonly value: JsonObject;
  readonly path: readonly (string | number)[];
}

/** The object behind steps; null: there is none. */
export function heldAt(value: unknown, steps: readonly string[]): Inner | null {
  const path: (string | number)[] = [];
  let at = value;
  for (const step of steps) {
    if (Array.isArray(at)) {
      if (!/^(?:0|[1-9]\d{0,8})$/.test(step)) return null;
      path.push(Number(step));
      at = at[Number(step)] as unknown;
    } else {
      if (!isObject(at)) return null;
      path.push(step);
      at = own(at, step);
    }
  }
  return isObject(at) ? { value: at, path } : null;
}

/** An object in a record as a record by itself; null: its text is not found. */
export function recordAt(record: CorpusRecord, { value, path }: Inner): CorpusRecord | null {
  if (path.length === 0) return { ...record, value };
  const { bytes, place } = record;
  const span = spanOf(bytes, path);
  if (span === null) return null;
  const inner = { ...record, value, bytes: bytes.subarray(span.from, span.to) };
  if (place === undefined) return { ...inner, from: record.from + span.from, to: record.from + span.to };
  const { text } = record;
  return {
    ...inner, from: place(span.from), to: place(span.to - 1) + 1, place: (offset) => place(span.from + offset),
    ...(text && { text: { from: text.from - span.from, to: text.to - span.from } }),
  };
}

/**
 * An object in a record with the fields that stand beside it, and beside what it stands in, under names that say so: no
 * reader knows these.
 */
export function withOthers(record: JsonObject, { value, path }: Inner): JsonObject {
  const others: [string, unknown][] = [];
  let at: unknown = record;
  for (const step of path) {
    if (isObject(at)) {
      for (const [key, other] of Object.entries(at)) if (key !== step) others.push([`${key} beside ${step}`, other]);
    }
    at = (at as { readonly [step: string | number]: unknown })[step];
  }
  return { ...value, ...Object.fromEntries(others) };
}
