// Sentences about arguments that do not fit: where, and what the schema allows there. They hold names and values of the
// schema, never a value or a name that only the arguments have.

import type { OutputUnit } from '@cfworker/json-schema';

import { shownName } from '../printable.ts';
import { decodeSegment, type PlacedFinding, placedFinding, tellingErrors } from './finding.ts';
import { isObject, own, pointerTo, valueAt } from './json.ts';
import type { SchemaBuilder } from './schema-node.ts';

/** Sentences about one call. */
export const MOST_FAULTS = 10;
/** Alternatives that are named, and schemas of schemas that are looked into. */
const MOST_NAMED = 8;
const DEEPEST = 4;

/** What is wrong, at most MOST_FAULTS sentences and one that says that there is more. */
export function faultsOf(errors: readonly OutputUnit[], schema: SchemaBuilder, value: unknown): readonly string[] {
  const faults = new Set<string>();
  for (const error of tellingErrors(errors)) {
    for (const fault of sentencesOf(placedFinding(error, schema, value), error, schema, value)) {
      if (faults.size === MOST_FAULTS && !faults.has(fault)) return [...faults, 'and more'];
      faults.add(fault);
    }
  }
  return [...faults];
}

function sentencesOf(
  finding: PlacedFinding, { instanceLocation }: OutputUnit, schema: SchemaBuilder, value: unknown,
): readonly string[] {
  const { pointer, isInside, keyword, node, holder } = finding;
  const whole = pointer === '' ? 'the arguments' : shownName(pointer);
  const place = isInside ? `a value in ${whole}` : whole;
  if (keyword === 'required') {
    // The library's location is a pointer in a URI.
    const path = instanceLocation.split('/').slice(1).map(decodeSegment);
    return missing(finding, place, schema, valueAt(value, path));
  }
  if (CLOSED.has(keyword)) {
    const allowed = allowedNames(holder, schema);
    return [isInside ? `${whole} must not have other properties${allowed}` : `${place} is not allowed`];
  }
  return [`${place} ${wordsOf(keyword, node, schema)}`];
}

const CLOSED: ReadonlySet<string> = new Set(['additionalProperties', 'unevaluatedProperties']);

/** The properties that a schema names: ` than city, unit`. */
function allowedNames(node: unknown, schema: SchemaBuilder): string {
  const properties = keywordOf(node, 'properties');
  // Those that match a pattern stand there too, under the names that the arguments have.
  const names = isObject(properties) ? Object.keys(properties).filter((name) => schema.names.has(name)) : [];
  if (names.length === 0) return '';
  const shown = names.slice(0, MOST_NAMED).map((name) => shownName(name)).join(', ');
  return ` than ${shown}${names.length > MOST_NAMED ? ', \u2026' : ''}`;
}

/** Each property that the object lacks, with what it may be. */
function missing(
  { pointer, isInside, node }: PlacedFinding, place: string, schema: SchemaBuilder, object: unknown,
): readonly string[] {
  const names = keywordOf(node, 'required');
  if (!Array.isArray(names) || !isObject(object)) return [`${place} lacks a property`];
  const properties = keywordOf(node, 'properties');
  return (names as string[]).filter((name) => !Object.hasOwn(object, name)).slice(0, MOST_FAULTS + 1).map((name) => {
    const allowed = isObject(properties) ? allowedBy(own(properties, name), schema) : null;
    const what = isInside ? `${place} lacks ${shownName(name)}` : `${shownName(pointerTo(pointer, name))} is missing`;
    return allowed === null ? what : `${what} (${allowed})`;
  });
}

/** `must be a string`. */
function wordsOf(keyword: string, node: unknown, schema: SchemaBuilder): string {
  if (keyword === 'pattern') return `must match ${shownName(schema.patternOf.get(node) ?? 'a pattern')}`;
  if (keyword === 'type' || keyword === 'enum' || keyword === 'const') {
    const allowed = keyword === 'type' ? typesOf(keywordOf(node, 'type')) : allowedBy(node, schema);
    if (allowed !== null) return `must be ${allowed}`;
  }
  if (keyword === 'anyOf' || keyword === 'oneOf') return alternatives(keyword, keywordOf(node, keyword), schema);
  const bound = keywordOf(node, keyword);
  if (Object.hasOwn(BOUNDS, keyword) && typeof bound === 'number') return BOUNDS[keyword]!(bound);
  return Object.hasOwn(OTHERS, keyword) ? OTHERS[keyword]! : `must hold to ${keyword}`;
}

const countOf = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

const BOUNDS: Readonly<Record<string, (bound: number) => string>> = {
  minimum: (bound) => `must be at least ${bound}`,
  maximum: (bound) => `must be at most ${bound}`,
  exclusiveMinimum: (bound) => `must be above ${bound}`,
  exclusiveMaximum: (bound) => `must be below ${bound}`,
  multipleOf: (bound) => `must be a multiple of ${bound}`,
  minLength: (bound) => `must have at least ${countOf(bound, 'character', 'characters')}`,
  maxLength: (bound) => `must have at most ${countOf(bound, 'character', 'characters')}`,
  minItems: (bound) => `must have at least ${countOf(bound, 'item', 'items')}`,
  maxItems: (bound) => `must have at most ${countOf(bound, 'item', 'items')}`,
  minProperties: (bound) => `must have at least ${countOf(bound, 'property', 'properties')}`,
  maxProperties: (bound) => `must have at most ${countOf(bound, 'property', 'properties')}`,
};

const OTHERS: Readonly<Record<string, string>> = {
  uniqueItems: 'must not hold an item twice',
  not: 'must be something else',
  false: 'must not be there',
  items: 'must not have such an item',
  additionalItems: 'must not have such an item',
  unevaluatedItems: 'must not have such an item',
  propertyNames: 'must not have a property of such a name',
  contains: 'must have an item that is asked for',
  dependentRequired: 'must have a property that another one asks for',
  dependencies: 'must have a property that another one asks for',
};

function alternatives(keyword: 'anyOf' | 'oneOf', nodes: unknown, schema: SchemaBuilder): string {
  const allowed = Array.isArray(nodes) ? nodes.map((node) => allowedBy(node, schema)) : [null];
  const isTold = allowed.length <= MOST_NAMED && allowed.every((one) => one !== null);
  if (isTold) return `must be ${keyword === 'oneOf' ? 'exactly one of: ' : ''}${[...new Set(allowed)].join(' or ')}`;
  return keyword === 'oneOf' ? 'must fit exactly one of the alternatives' : 'must fit one of the alternatives';
}

/** What a schema allows, in a few words; null: it takes more to say it. */
function allowedBy(node: unknown, schema: SchemaBuilder, depth = 0): string | null {
  if (!isObject(node) || depth > DEEPEST || schema.standsFor.has(node)) return null;
  const reference = own(node, '$ref');
  if (typeof reference === 'string') return allowedBy(schema.target(reference), schema, depth + 1);
  const values = own(node, 'enum');
  if (Array.isArray(values)) return values.length === 0 ? null : listed(values);
  if (Object.hasOwn(node, 'const')) return valueText(own(node, 'const'));
  return typesOf(own(node, 'type'));
}

function listed(values: readonly unknown[]): string {
  const texts: string[] = [];
  for (const value of values.slice(0, MOST_NAMED)) texts.push(valueText(value));
  const more = values.length > MOST_NAMED ? ', \u2026' : '';
  return values.length === 1 ? texts[0]! : `one of ${texts.join(', ')}${more}`;
}

const valueText = (value: unknown): string => shownName(JSON.stringify(value));

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string', number: 'a number', integer: 'an integer', boolean: 'true or false', null: 'null',
  object: 'an object', array: 'a list',
};

function typesOf(type: unknown): string | null {
  const types = Array.isArray(type) ? (type as unknown[]) : [type];
  const words = types.map((one) => (typeof one === 'string' && Object.hasOwn(TYPES, one) ? TYPES[one]! : null));
  return words.length === 0 || words.includes(null) ? null : words.join(' or ');
}

function keywordOf(node: unknown, keyword: string): unknown {
  return isObject(node) ? own(node, keyword) : undefined;
}
