// What a text does not give back: the difference between a definition that was written and the one read from the text,
// as JSON pointers. An order of `required` and an empty list or map of fields say nothing, so they are no difference.

import { isObject, type JsonObject, own, pointerTo } from './json.ts';

/**
 * Pointers to what is in `before` and missing or different in `after`, or the other way round. A pointer is put
 * together only where there is a difference: most definitions have none.
 */
export function differences(before: unknown, after: unknown, at: string): string[] {
  const found: string[] = [];
  compare(before, after, (keys) => found.push(keys.reduceRight<string>(pointerTo, at)));
  return found;
}

/** Tells the keys that lead to each difference, the innermost first. */
function compare(before: unknown, after: unknown, tell: (keys: (string | number)[]) => void): void {
  if (Object.is(before, after)) return;
  if (Array.isArray(before) && Array.isArray(after)) {
    if (before.length !== after.length) return tell([]);
    for (let index = 0; index < before.length; index++) {
      compare(before[index], after[index], (keys) => tell([...keys, index]));
    }
    return;
  }
  if (!isObject(before) || !isObject(after)) return tell([]);
  const compareMember = (key: string): void => {
    const one = own(before, key);
    const other = own(after, key);
    if (one === undefined && other === undefined) return;
    if (key === 'required' && sameNames(one, other)) return;
    if (key === 'properties' && isEmptyFor(before, one) && isEmptyFor(after, other)) return;
    if (one === undefined || other === undefined) tell([key]);
    else compare(one, other, (keys) => tell([...keys, key]));
  };
  for (const key of Object.keys(before)) compareMember(key);
  for (const key of Object.keys(after)) if (!Object.hasOwn(before, key)) compareMember(key);
}

function sameNames(one: unknown, other: unknown): boolean {
  if (isSameList(one, other)) return true;
  const sorted = (names: unknown): string[] | null => {
    if (names === undefined) return [];
    return Array.isArray(names) && names.every((name) => typeof name === 'string') ? [...names].sort() : null;
  };
  const [a, b] = [sorted(one), sorted(other)];
  return a !== null && b !== null && a.length === b.length && a.every((name, index) => name === b[index]);
}

/** Names in the same order, as they mostly are. */
function isSameList(one: unknown, other: unknown): boolean {
  return Array.isArray(one) && Array.isArray(other) && one.length === other.length
    && one.every((name, index) => typeof name === 'string' && name === other[index]);
}

function isEmptyFor(schema: JsonObject, properties: unknown): boolean {
  if (properties === undefined) return own(schema, 'type') === 'object';
  return isObject(properties) && Object.keys(properties).length === 0;
}
