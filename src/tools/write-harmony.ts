// A JSON Schema as openai-harmony 0.0.8 writes it in declarations, byte by byte: also where that loses something (anyOf
// and $ref become `any`, brackets after an enum bind to its last member). It differs in what would let text out of its
// place:
//   - a line of a description, title or example that would stand outside the comment gets slashes of its own;
//   - strings that JSON escapes (a quote, a backslash, a line end) are written as JSON, and so is an enum's default
//     that ends in a comma;
//   - field names that are no plain words are quoted, words that are no type are `any`;
//   - parameters that end in a comment are closed on the next line.

import { isObject, type JsonObject, own } from './json.ts';
import {
  comment, fieldName, firstLine, isBareDefault, jsonText, linesOf, propertiesOf, requiredOf, typeWords,
} from './write-parts.ts';

/** The parameter list of a function. */
export function harmonyParameters(parameters: JsonObject | undefined): string {
  if (parameters === undefined) return '()';
  return `(_: ${typeText(parameters, '')}${endsInComment(parameters) ? '\n' : ''})`;
}

/** Whether the text of a type ends in a comment, which would hide what comes behind it. */
function endsInComment(schema: JsonObject): boolean {
  const oneOf = own(schema, 'oneOf');
  if (!Array.isArray(oneOf)) {
    const items = own(schema, 'items');
    return own(schema, 'type') === 'array' && isObject(items) && endsInComment(items);
  }
  const last: unknown = oneOf.at(-1);
  if (!isObject(last)) return false;
  return branchWords(last, null).length > 0 || (!withNull('', last) && endsInComment(last));
}

function typeText(schema: unknown, indent: string): string {
  if (!isObject(schema)) return 'any';
  const oneOf = own(schema, 'oneOf');
  if (Array.isArray(oneOf)) return oneOf.map((branch) => `\n${indent} | ${branchText(branch, indent, null)}`).join('');
  const type = own(schema, 'type');
  if (Array.isArray(type)) {
    const words = typeWords(type).map((word) => (word === 'integer' ? 'number' : word));
    return words.length > 0 ? words.join(' | ') : 'any';
  }
  if (type === 'object') return objectText(schema, indent);
  if (type === 'string') return stringText(own(schema, 'enum'));
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'boolean') return 'boolean';
  if (type !== 'array') return 'any';
  return Object.hasOwn(schema, 'items') ? `${typeText(schema['items'], indent)}[]` : 'Array<any>';
}

function stringText(members: unknown): string {
  const strings = Array.isArray(members) ? members.filter((member) => typeof member === 'string') : [];
  return strings.length > 0 ? strings.map((member) => JSON.stringify(member)).join(' | ') : 'string';
}

function withNull(text: string, schema: unknown): string {
  const isNullable = isObject(schema) && own(schema, 'nullable') === true;
  return isNullable && !text.includes('null') ? `${text} | null` : text;
}

/** The property that a oneOf is. It may have said the description of the first branch already. */
interface Field {
  readonly isFirst: boolean;
  readonly description: string | undefined;
}

/** A branch with its comment. */
function branchText(branch: unknown, indent: string, field: Field | null): string {
  const text = withNull(typeText(branch, `${indent}   `), branch);
  if (!isObject(branch)) return text;
  const words = branchWords(branch, field);
  return words.length > 0 ? `${text} ${comment(words.join(' '))}` : text;
}

function branchWords(branch: JsonObject, field: Field | null): string[] {
  const words: string[] = [];
  const description = textOf(branch, 'description');
  const isSaid =
    field !== null && (description === field.description || (field.isFirst && field.description !== undefined));
  if (description !== undefined && !isSaid) words.push(firstLine(description));
  if (Object.hasOwn(branch, 'default')) words.push(`default: ${defaultText(branch, field !== null)}`);
  return words;
}

function objectText(schema: JsonObject, indent: string): string {
  const above = commentLines(textOf(schema, 'description'), indent);
  const required = requiredOf(schema);
  const fields = propertiesOf(schema).map(([name, field]) => {
    const mark = required.has(name) ? '' : '?';
    return fieldText(`${fieldName(name)}${mark}`, isObject(field) ? field : {}, indent);
  });
  return `${above}{\n${fields.join('')}${indent}}`;
}

function fieldText(name: string, field: JsonObject, indent: string): string {
  const title = textOf(field, 'title');
  const above = title === undefined ? '' : `${commentLines(title, indent)}${indent}//\n`;
  const examples = examplesText(own(field, 'examples'), indent);
  const description = textOf(field, 'description');
  const oneOf = own(field, 'oneOf');
  if (Array.isArray(oneOf)) return `${above}${examples}${oneOfText(name, field, oneOf, indent)}`;
  const hasOneOf = Object.hasOwn(field, 'oneOf');
  const told = hasOneOf ? '' : commentLines(description, indent);
  const after =
    !hasOneOf && Object.hasOwn(field, 'default') ? ` ${comment(`default: ${defaultText(field, true)}`)}` : '';
  const type = withNull(typeText(field, `${indent}    `), field);
  return `${above}${told}${examples}${indent}${name}: ${type},${after}\n`;
}

function oneOfText(name: string, field: JsonObject, oneOf: readonly unknown[], indent: string): string {
  const description = textOf(field, 'description');
  const first = oneOf[0];
  const isInBranch = isObject(first) && description !== undefined && own(first, 'description') === description;
  let text = isInBranch ? '' : commentLines(description, indent);
  if (Object.hasOwn(field, 'default')) text += `${indent}${comment(`default: ${defaultText(field, true)}`)}\n`;
  text += `${indent}${name}:\n`;
  for (const [index, branch] of oneOf.entries()) {
    const said = { isFirst: index === 0 && !isInBranch, description };
    text += `${indent} | ${branchText(branch, indent, said)}\n`;
  }
  return `${text}${indent},\n`;
}

function examplesText(examples: unknown, indent: string): string {
  if (!Array.isArray(examples) || examples.length === 0) return '';
  const texts = examples.filter((example) => typeof example === 'string');
  return [`Examples:`, ...texts.map((example) => `- ${JSON.stringify(example)}`)]
    .map((line) => `${indent}${comment(line)}\n`)
    .join('');
}

/** An empty text is one empty line: a comment stands there all the same. */
function commentLines(text: string | undefined, indent: string): string {
  if (text === undefined) return '';
  const lines = linesOf(text);
  return (lines.length > 0 ? lines : ['']).map((line) => `${indent}${comment(line)}\n`).join('');
}

/** `isField`: a member of an enum stands without quotes there. */
function defaultText(schema: JsonObject, isField: boolean): string {
  const value = own(schema, 'default');
  const members = own(schema, 'enum');
  const isEnum = Array.isArray(members) && members.length > 0;
  if (isField && isEnum && typeof value === 'string' && isBareDefault(value)) return value;
  return jsonText(value, { comma: ',', colon: ':', number: numberText });
}

function textOf(schema: JsonObject, keyword: string): string | undefined {
  const value = own(schema, keyword);
  return typeof value === 'string' ? value : undefined;
}

const WHOLE_FROM = -(2 ** 63);
const WHOLE_TO = 2 ** 64;

/** Integers of 64 bits in digits, others with an exponent from 1e-5 down and where they are larger. */
function numberText(value: number): string {
  if (Number.isInteger(value) && value >= WHOLE_FROM && value < WHOLE_TO) return BigInt(value).toString();
  const size = Math.abs(value);
  return size < 1e-5 || size >= 1e16 ? value.toExponential().replace('e+', 'e') : String(value);
}
