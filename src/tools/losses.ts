// What a text does not give back: the difference between a definition that was written and the one read from the text,
// as JSON pointers. An order of `required` and an empty list or map of fields say nothing, so they are no difference.

import { isObject, type JsonObject, own, pointerTo } from './json.ts';

/** Pointers to what is in `before` and missing or different in `after`, or the other way round. */
export function differences(before: unknown, after: unknown, at: string): string[] {
  if (Object.is(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after)) {
    if (before.length !== after.length) return [at];
    return before.flatMap((item, index) => differences(item, after[index], pointerTo(at, index)));
  }
  if (!isObject(before) || !isObject(after)) return [at];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) => {
    const pointer = pointerTo(at, key);
    const one = own(before, key);
    const other = own(after, key);
    if (one === undefined && other === undefined) return [];
    if (key === 'required' && sameNames(one, other)) return [];
    if (key === 'properties' && isEmptyFor(before, one) && isEmptyFor(after, other)) return [];
    return one === undefined || other === undefined ? [pointer] : differences(one, other, pointer);
  });
}

function sameNames(one: unknown, other: unknown): boolean {
  const sorted = (names: unknown): string[] | null => {
    if (names === undefined) return [];
    return Array.isArray(names) && names.every((name) => typeof name === 'string') ? [...names].sort() : null;
  };
  const [a, b] = [sorted(one), sorted(other)];
  return a !== null && b !== null && a.length === b.length && a.every((name, index) => name === b[index]);
}

function isEmptyFor(schema: JsonObject, properties: unknown): boolean {
  if (properties === undefined) return own(schema, 'type') === 'object';
  return isObject(properties) && Object.keys(properties).length === 0;
}
