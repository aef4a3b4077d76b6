// Pieces that both styles of declarations are made of: what may stand in them without ending a string, a comment or a
// line.

import { isBareName } from './declaration-lexer.ts';
import { isObject, type JsonObject, own } from './json.ts';

export function comment(line: string): string {
  return `// ${line}`;
}

/**
 * Lines of a comment. A carriage return before the line feed belongs to the line end; a line end at the end makes no
 * line.
 */
export function linesOf(text: string): string[] {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** A text that is the rest of a line: only the first line, so what it lacks is a loss. */
export function firstLine(text: string): string {
  return linesOf(text)[0] ?? '';
}

/** A field's name: quoted where bare it would be read as something else. */
export function fieldName(name: string): string {
  return isBareName(name) ? name : JSON.stringify(name);
}

export function requiredOf(schema: JsonObject): ReadonlySet<unknown> {
  const required = own(schema, 'required');
  return new Set(Array.isArray(required) ? required : []);
}

export function propertiesOf(schema: JsonObject): [name: string, schema: unknown][] {
  const properties = own(schema, 'properties');
  return isObject(properties) ? Object.entries(properties) : [];
}

const TYPE_WORDS: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

/** The words of a list of types; any other word than JSON Schema's is written as `any`. */
export function typeWords(types: readonly unknown[]): string[] {
  return types.flatMap((type) => (typeof type === 'string' ? [TYPE_WORDS.has(type) ? type : 'any'] : []));
}

/**
 * Whether a default of an enum can stand without quotes. The template ends one with a comma, which would be taken off
 * this one.
 */
export function isBareDefault(value: string): boolean {
  return !/[\r\n]|,$/.test(value);
}

/** JSON in one line, with the two marks between values and the spelling of numbers of whoever is followed. */
export function jsonText(
  value: unknown, marks: { comma: string; colon: string; number: (value: number) => string },
): string {
  if (typeof value === 'number') return marks.number(value);
  if (Array.isArray(value)) return `[${value.map((item) => jsonText(item, marks)).join(marks.comma)}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const fields = Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}${marks.colon}${jsonText(item, marks)}`);
  return `{${fields.join(marks.comma)}}`;
}
