// Document headers written, such that reading them gives the same.

import { blockText, flowText } from './block.ts';
import { HEADER_BYTES, readDocumentHeader } from './document.ts';
import type { HeaderValue } from './text.ts';

/** Headers by what they say, of late: a corpus repeats them. */
const written = new Map<string, string>();
const REMEMBERED = 64;

/** As what is told apart from all else: JSON has no word for some numbers. */
function distinct(value: HeaderValue): HeaderValue {
  if (typeof value === 'number') return Object.is(value, -0) ? 'n-0' : `n${value}`;
  return typeof value === 'string' ? `s${value}` : value;
}

/**
 * The text of a document header, its last newline included: the version first, as it is given, then the other fields in
 * their order. Null when the reader would not read the same from it: beyond a bound, or a value that YAML cannot hold.
 */
export function writeDocumentHeader(version: string, fields: { readonly [key: string]: HeaderValue }): string | null {
  const others = withoutVersion(fields);
  const first = `version: ${version}\n`;
  if (Object.keys(others).length === 0) return first;
  try {
    const key = first + JSON.stringify(others, (_, value) => distinct(value));
    if (key.length > 4 * HEADER_BYTES) return null;
    const known = written.get(key);
    if (known !== undefined) return known;
    // Deep values are beyond the bounds on block style, and on one line within those on flow style.
    for (const style of [blockText, flowText]) {
      const text = first + style(others).replace(/<(?=\|start\|>[A-Za-z])/g, '\\x3c');
      const read = readDocumentHeader(new TextEncoder().encode(text), true);
      const isClean = read.problems.every(({ rule }) => rule === 'newer-version');
      if (isClean && read.version === version && read.fields && isEqual(withoutVersion(read.fields), others)) {
        if (written.size >= REMEMBERED) written.clear();
        written.set(key, text);
        return text;
      }
    }
  } catch {
    // Values nested too deep for recursion, or for JSON.
  }
  return null;
}

function withoutVersion(fields: { readonly [key: string]: HeaderValue }): { [key: string]: HeaderValue } {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => key !== 'version'));
}

function isEqual(a: HeaderValue | undefined, b: HeaderValue | undefined): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b);
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))];
  return left.length === right.size && left.every(([key, value]) => right.has(key) && isEqual(value, right.get(key)));
}
