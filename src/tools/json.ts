// JSON values that stand in other text, and JSON values of unknown origin.

import { MOST_DEPTH } from './types.ts';

export type JsonObject = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of an own property; never one of a prototype. */
export function own(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets an own property, also one called `__proto__`. */
export function setOwn(object: object, key: string, value: unknown): void {
  if (key !== '__proto__') (object as Record<string, unknown>)[key] = value;
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

/** A property name or index at the end of a JSON pointer. */
export function pointerTo(parent: string, key: string | number): string {
  return `${parent}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** What stands in a value behind names and numbers, each in the one before; undefined: nothing. */
export function valueAt(value: unknown, path: Iterable<string>): unknown {
  let at: unknown = value;
  for (const name of path) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = own(at as JsonObject, name);
  }
  return at;
}

/** The names and numbers of a JSON pointer. */
export const pathOf = (pointer: string): string[] =>
  pointer.split('/').slice(1).map((word) => word.replaceAll('~1', '/').replaceAll('~0', '~'));

/** White space of JSON. */
export function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}

export function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && isBlank(text.charCodeAt(at))) at++;
  return at;
}

/** Where a JSON object or array that begins at `from` ends; `depth`: how deep it nests. Null: it does not end. */
export function spanOfJson(text: string, from: number): { to: number; depth: number } | null {
  let depth = 0;
  let deepest = 0;
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) {
      at = endOfString(text, at + 1);
      if (at < 0) return null;
    } else if (unit === 0x7b || unit === 0x5b) {
      deepest = Math.max(deepest, ++depth);
    } else if (unit === 0x7d || unit === 0x5d) {
      if (--depth === 0) return { to: at + 1, depth: deepest };
    }
  }
  return null;
}

/** Position of the quote that ends a JSON string; -1: none does on this line. */
function endOfString(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) return at;
    if (unit === 0x0a) return -1;
    if (unit === 0x5c) at++;
  }
  return -1;
}

export interface JsonPart {
  /** Of an object's member. */
  readonly key: string | null;
  readonly from: number;
  readonly to: number;
}

/** Where the values stand that are directly below the object or list that a valid JSON text is. */
export function partsOfJson(text: string): JsonPart[] {
  const parts: JsonPart[] = [];
  let at = skipBlanks(text, 0);
  const isList = text[at] === '[';
  at = skipBlanks(text, at + 1);
  while (!'}]'.includes(text[at]!)) {
    let key: string | null = null;
    if (!isList) {
      const to = endOfValue(text, at);
      key = JSON.parse(text.slice(at, to)) as string;
      at = skipBlanks(text, skipBlanks(text, to) + 1);
    }
    const to = endOfValue(text, at);
    parts.push({ key, from: at, to });
    at = skipBlanks(text, to);
    if (text[at] === ',') at = skipBlanks(text, at + 1);
  }
  return parts;
}

/** Where a value ends that begins at `from`, directly below a valid object or list. */
function endOfValue(text: string, from: number): number {
  const first = text[from]!;
  if (first === '"') return endOfString(text, from + 1) + 1;
  if ('{['.includes(first)) return spanOfJson(text, from)!.to;
  let at = from;
  while (!',]} \t\r\n'.includes(text[at]!)) at++;
  return at;
}

/** The value of a JSON text; undefined: it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Whether an object in a text may have a member `name`: told in a tenth of the time that parsing takes. */
export function mayHaveName(text: string): boolean {
  // Quotes are too many to be looked for.
  const rest = 'name"';
  for (let at = text.indexOf(rest); at >= 0; at = text.indexOf(rest, at + 1)) if (text[at - 1] === '"') return true;
  return text.includes('\\u');
}

/**
 * Whether a value is JSON, nests at most `depth` deep and holds at most `values` values. Takes no recursion to find
 * out.
 */
export function isBounded(value: unknown, values: number, depth = MOST_DEPTH): boolean {
  const open: { value: unknown; depth: number }[] = [{ value, depth: 0 }];
  let count = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (++count + open.length > values || next.depth > depth) return false;
    const inner = next.value;
    if (inner === null || typeof inner === 'string' || typeof inner === 'boolean') continue;
    if (typeof inner === 'number') {
      if (!Number.isFinite(inner)) return false;
    } else if (typeof inner === 'object') {
      const children: unknown[] = Array.isArray(inner) ? inner : Object.values(inner);
      if (children.length > values) return false;
      for (const child of children) open.push({ value: child, depth: next.depth + 1 });
    } else {
      return false;
    }
  }
  return true;
}
