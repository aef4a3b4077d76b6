// Types of a declaration as JSON Schema. One type expression has one schema, and it is one that the writers write back:
//
//   string, number, integer, boolean, object, array, null    { type }
//   any                                                      {}
//   string | number | null                                   { type: ['string', 'number', 'null'] }
//   "a" | "b"                                                { type: 'string', enum: ['a', 'b'] }
//   T[], Array<T>; Array<any>                                { type: 'array', items: T }; { type: 'array' }
//   "a" | "b"[]                                              { type: 'array', items: { type: 'string', enum: [...] } }:
//                                                            so an array of an enum is written, although TypeScript
//                                                            reads it otherwise
//   { a: T, b?: T }                                          { type: 'object', properties: { a, b }, required: ['a'] };
//                                                            without required fields `required` is missing, but for the
//                                                            arguments themselves, where it is []
//   an enum, array, object or any, with | null               that, and nullable: true (as OpenAPI says it)
//   | T, each on a line of its own                           { oneOf: [T, ...] }
//   any other union                                          { anyOf: [...] }

import { readBranch, readDefault, readWords } from './declaration-comment.ts';
import { type Comment, type DeclarationLexer, Fault } from './declaration-lexer.ts';
import { setOwn } from './json.ts';
import { MOST_DEPTH } from './types.ts';

export type Schema = { [keyword: string]: unknown };

/** One alternative of a union. */
type Part =
  | { readonly kind: 'word'; readonly word: string }
  | { readonly kind: 'literal'; readonly value: string | number | boolean }
  | { readonly kind: 'schema'; readonly schema: Schema; readonly element?: Part };

const TYPES: ReadonlySet<string> = new Set([
  'string', 'number', 'integer', 'boolean', 'object', 'array', 'null', 'any', 'unknown',
]);
const DIGITS = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** The type that comes next. `isLayout`: it is written with a bar before each branch. */
export function readType(lexer: DeclarationLexer, depth: number): { schema: Schema; isLayout: boolean } {
  if (depth > MOST_DEPTH) throw new Fault('too-deep');
  if (!lexer.sees('|')) return { schema: readUnion(lexer, depth, false), isLayout: false };
  const oneOf: Schema[] = [];
  while (lexer.skip('|')) {
    // A bar right after a bar: the branch is a oneOf itself, and nothing tells where that ends.
    const branch = lexer.sees('|') ? readType(lexer, depth + 1).schema : readUnion(lexer, depth, true);
    const comment = lexer.peek().comments[0];
    if (comment && !comment.isAlone) addBranchWords(branch, comment.text);
    oneOf.push(branch);
  }
  return { schema: { oneOf }, isLayout: true };
}

function addBranchWords(branch: Schema, comment: string): void {
  const words = readBranch(comment, branch);
  if (words.description !== undefined) branch['description'] ??= words.description;
  if (words.default) branch['default'] = words.default.value;
}

/** A union; `onLine`: a bar on another line does not belong to it. */
function readUnion(lexer: DeclarationLexer, depth: number, onLine: boolean): Schema {
  const parts = [readPart(lexer, depth)];
  while (lexer.sees('|') && !(onLine && lexer.peek().isFirst)) {
    lexer.take();
    parts.push(readPart(lexer, depth));
  }
  return combine(parts);
}

function readPart(lexer: DeclarationLexer, depth: number): Part {
  let part = readPlain(lexer, depth);
  let level = depth;
  while (lexer.skip('[')) {
    lexer.expect(']');
    if (++level > MOST_DEPTH) throw new Fault('too-deep');
    part = { kind: 'schema', schema: { type: 'array', items: schemaOf(part) }, element: part };
  }
  return part;
}

function readPlain(lexer: DeclarationLexer, depth: number): Part {
  if (lexer.sees('{')) return { kind: 'schema', schema: readObject(lexer, depth) };
  const { kind, text } = lexer.take();
  if (kind === 'string') return { kind: 'literal', value: text };
  if (kind === 'sign' && text === '(') {
    const { schema } = readType(lexer, depth + 1);
    lexer.expect(')');
    return { kind: 'schema', schema };
  }
  if (kind !== 'word') throw new Fault('syntax');
  if (text === 'Array') {
    lexer.expect('<');
    const { schema: items } = readType(lexer, depth + 1);
    lexer.expect('>');
    return { kind: 'schema', schema: Object.keys(items).length > 0 ? { type: 'array', items } : { type: 'array' } };
  }
  if (text === 'true' || text === 'false') return { kind: 'literal', value: text === 'true' };
  if (DIGITS.test(text)) return { kind: 'literal', value: Number(text) };
  if (!TYPES.has(text)) throw new Fault('syntax');
  return { kind: 'word', word: text === 'unknown' ? 'any' : text };
}

/** Fields between braces. Comments before the brace describe the object. */
function readObject(lexer: DeclarationLexer, depth: number): Schema {
  if (depth >= MOST_DEPTH) throw new Fault('too-deep');
  const schema: Schema = { type: 'object' };
  const { description } = readWords(lexer.take().comments);
  if (description !== undefined) schema['description'] = description;
  const properties: Schema = {};
  const required: string[] = [];
  let above = lexer.peek().comments;
  while (!lexer.sees('}')) {
    const { name, isOptional } = lexer.takeFieldName();
    if (Object.hasOwn(properties, name)) throw new Fault('name');
    const field = readType(lexer, depth + 1);
    if (!lexer.skip(',')) lexer.skip(';');
    const after = lexer.peek().comments;
    const trailing = after[0] && !after[0].isAlone ? after[0] : null;
    setOwn(properties, name, describe(field.schema, field.isLayout, above, trailing));
    if (!isOptional) required.push(name);
    above = trailing ? after.slice(1) : after;
  }
  lexer.take();
  schema['properties'] = properties;
  if (required.length > 0) schema['required'] = required;
  return schema;
}

/** A field's schema with what the comments above it and after it say. */
function describe(schema: Schema, isLayout: boolean, above: readonly Comment[], trailing: Comment | null): Schema {
  let lines = above;
  let value = trailing ? readDefault(trailing.text, schema) : null;
  const last = lines.at(-1);
  if (isLayout && last && !value) {
    value = readDefault(last.text, schema);
    if (value) lines = lines.slice(0, -1);
  }
  const words = readWords(lines);
  const described: Schema = { ...schema, ...words };
  if (trailing && !readDefault(trailing.text, schema)) {
    described['description'] =
      words.description === undefined ? trailing.text : `${words.description}\n${trailing.text}`;
  }
  if (value) described['default'] = value.value;
  return described;
}

function schemaOf(part: Part): Schema {
  if (part.kind === 'schema') return part.schema;
  if (part.kind === 'literal') return { type: typeof part.value, enum: [part.value] };
  return part.word === 'any' ? {} : { type: part.word };
}

function combine(parts: readonly Part[]): Schema {
  if (parts.length === 1) return schemaOf(parts[0]!);
  const others = parts.filter((part) => part.kind !== 'word' || part.word !== 'null');
  const nullable = others.length < parts.length ? { nullable: true } : {};
  if (others.some((part) => part.kind === 'word' && part.word === 'any')) return { ...nullable };
  if (parts.every((part) => part.kind === 'word')) return { type: parts.map((part) => part.word) };
  const array = arrayOfEnum(others);
  if (array) return { ...array, ...nullable };
  const members = literals(others);
  if (members) return { ...members, ...nullable };
  if (others.length === 1) return { ...schemaOf(others[0]!), ...nullable };
  return { anyOf: parts.map(schemaOf) };
}

/** Literals of one type. */
function literals(parts: readonly Part[]): Schema | null {
  const values = parts.flatMap((part) => (part.kind === 'literal' ? [part.value] : []));
  const type = typeof values[0];
  if (values.length < parts.length || !values.every((value) => typeof value === type)) return null;
  return { type, enum: values };
}

function arrayOfEnum(parts: readonly Part[]): Schema | null {
  const last = parts.at(-1)!;
  if (parts.length < 2 || last.kind !== 'schema' || last.element?.kind !== 'literal') return null;
  const items = literals([...parts.slice(0, -1), last.element]);
  return items && { type: 'array', items };
}
