// A JSON Schema as the chat template of gpt-oss writes it in declarations, byte by byte. It differs as the other style
// does in what would let text out of its place, and writes a oneOf without the comments of its branches, which would
// hide the bar behind them.

import { isObject, type JsonObject, own } from './json.ts';
import {
  comment, fieldName, isBareDefault, jsonText, linesOf, propertiesOf, requiredOf, typeWords,
} from './write-parts.ts';

/** How far the template's own source is indented where a nested field's type stands. */
const NESTED = `\n${' '.repeat(16)}`;
/** A longer element type is written as `any`. */
const LONGEST_ELEMENT = 50;

/** The parameter list of a function. */
export function templateParameters(parameters: JsonObject | undefined): string {
  const fields = parameters ? propertiesOf(parameters) : [];
  if (!parameters || fields.length === 0) return '()';
  const required = requiredOf(parameters);
  const lines = fields.map(([name, schema]) => {
    const field = isObject(schema) ? schema : {};
    const description = own(field, 'description');
    const above =
      typeof description === 'string' ? linesOf(description).map((line) => `${comment(line)}\n`).join('') : '';
    return `${above}${fieldName(name)}${required.has(name) ? '' : '?'}: ${typeText(field)}${defaultText(field)},\n`;
  });
  return `(_: {\n${lines.join('')}})`;
}

function typeText(schema: JsonObject): string {
  const type = own(schema, 'type');
  const nullable = own(schema, 'nullable') === true ? ' | null' : '';
  if (type === 'array') return `${elementText(own(schema, 'items'))}[]${nullable}`;
  if (Array.isArray(type) && type.length > 0) return typeWords(type).join(' | ') || 'any';
  const oneOf = own(schema, 'oneOf');
  if (Array.isArray(oneOf) && oneOf.length > 0) {
    return oneOf.map((branch) => typeText(isObject(branch) ? branch : {})).join(' | \n');
  }
  if (type === 'string') return stringText(own(schema, 'enum')) ?? `string${nullable}`;
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'boolean') return 'boolean';
  return type === 'object' ? objectText(schema) : 'any';
}

function elementText(items: unknown): string {
  if (!isObject(items) || Object.keys(items).length === 0) return 'any';
  const type = own(items, 'type');
  if (type === 'string' || type === 'number' || type === 'boolean') return type;
  if (type === 'integer') return 'number';
  const text = typeText(items);
  return text === 'object | object' || [...text].length > LONGEST_ELEMENT ? 'any' : text;
}

function stringText(members: unknown): string | null {
  if (!Array.isArray(members) || members.length === 0) return null;
  return members.map((member) => JSON.stringify(memberText(member))).join(' | ');
}

/** The template makes a string of any member. */
function memberText(member: unknown): string {
  if (typeof member === 'string') return member;
  return typeof member === 'number' ? numberText(member) : JSON.stringify(member);
}

function objectText(schema: JsonObject): string {
  const fields = propertiesOf(schema);
  if (fields.length === 0) return 'object';
  const required = requiredOf(schema);
  const texts = fields.map(([name, field]) => {
    return `${fieldName(name)}${required.has(name) ? '' : '?'}: ${NESTED}${typeText(isObject(field) ? field : {})}`;
  });
  return `{\n${texts.join(', ')}}`;
}

function defaultText(field: JsonObject): string {
  if (!Object.hasOwn(field, 'default')) return '';
  const value = own(field, 'default');
  const isEnum = hasMembers(own(field, 'enum'));
  const isBare = (isEnum || hasMembers(own(field, 'oneOf'))) && typeof value === 'string' && isBareDefault(value);
  const text = isBare ? value : jsonText(value, { comma: ', ', colon: ': ', number: numberText });
  return `${isEnum || !hasMembers(own(field, 'oneOf')) ? ', ' : ''}${comment(`default: ${text}`)}`;
}

function hasMembers(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

/** As Python writes them: integers in digits, an exponent of two digits or more. */
function numberText(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 1e-4) return String(value);
  return value.toExponential().replace(/e-(\d)$/, 'e-0$1');
}
