// Values of document headers as YAML in block style, such that `plain.ts` reads them.

import { isWord } from './plain.ts';
import type { HeaderValue } from './text.ts';

const KEY = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const VALUE_WORD = /^(?:null|true|false)$/i;
/** Characters that JSON leaves as they are, and that no header should hold. */
const HIDDEN = /[\x7f-\xa0\u2028\u2029\ufeff]/g;

/** Lines `key: value`, the last newline included. */
export function blockText(fields: { readonly [key: string]: HeaderValue }): string {
  return mappingLines(fields).map((line) => `${line}\n`).join('');
}

/** The same on one line each: JSON is YAML, but for a few numbers. Nesting takes no columns. */
export function flowText(fields: { readonly [key: string]: HeaderValue }): string {
  return Object.entries(fields).map(([key, value]) => `${keyText(key)}: ${flowValue(value)}\n`).join('');
}

function mappingLines(fields: { readonly [key: string]: HeaderValue }): string[] {
  return Object.entries(fields).flatMap(([key, value]) => {
    if (!isNested(value)) return [`${keyText(key)}: ${scalarText(value)}`];
    const lines = Array.isArray(value) ? listLines(value) : mappingLines(value);
    return [`${keyText(key)}:`, ...lines.map((line) => `  ${line}`)];
  });
}

function listLines(items: readonly HeaderValue[]): string[] {
  return items.flatMap((item) => {
    if (!isNested(item) || Array.isArray(item)) return [`- ${isNested(item) ? flowValue(item) : scalarText(item)}`];
    return mappingLines(item).map((line, i) => (i === 0 ? `- ${line}` : `  ${line}`));
  });
}

function isNested(value: HeaderValue): value is HeaderValue[] | { [key: string]: HeaderValue } {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

const keyText = (key: string): string => (KEY.test(key) && !VALUE_WORD.test(key) ? key : quoted(key));

/** A string that holds a token would end the header (R-HEADER-END): in quotes it does not begin a line. */
function scalarText(value: HeaderValue): string {
  if (typeof value === 'string') return isWord(value) ? value : quoted(value);
  return typeof value === 'number' ? numberText(value) : JSON.stringify(value);
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  if (!Number.isFinite(value)) return value > 0 ? '.inf' : '-.inf';
  return Object.is(value, -0) ? '-0' : String(value);
}

function flowValue(value: HeaderValue): string {
  if (Array.isArray(value)) return `[${value.map(flowValue).join(',')}]`;
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? quoted(value) : scalarText(value);
  return `{${Object.entries(value).map(([key, item]) => `${quoted(key)}:${flowValue(item)}`).join(',')}}`;
}

function quoted(text: string): string {
  return JSON.stringify(text)
    .replace(HIDDEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
