// What is told of arguments that do not fit: the keyword, and where the value stands. A name that only the arguments hold may be
// private, so a pointer ends before it.

import type { OutputUnit } from '@cfworker/json-schema';

import { isObject, pointerTo } from './json.ts';
import type { SchemaBuilder } from './schema-node.ts';

export interface ArgumentFinding {
  /** JSON pointer of the value, or of the one around it. */
  readonly pointer: string;
  /** The keyword of JSON Schema that does not hold; `limit`: not checked, beyond a bound; `schema`: the schema was refused. */
  readonly keyword: string;
}

/** Keywords that only say that a schema below does not hold: what it says itself is the next in the list. */
const PASSING: ReadonlySet<string> = new Set([
  'properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties', 'items', 'prefixItems', 'additionalItems',
  'unevaluatedItems', '$ref', 'allOf', 'if', 'dependentSchemas', 'propertyNames',
]);
/** Keywords that are told themselves when the schema they apply is `false`. */
const CLOSING: ReadonlySet<string> = new Set([
  'additionalProperties', 'unevaluatedProperties', 'additionalItems', 'unevaluatedItems', 'items', 'propertyNames', 'contains',
]);

export function findingOf(errors: readonly OutputUnit[], schema: SchemaBuilder, value: unknown): ArgumentFinding {
  let index = 0;
  while (index < errors.length - 1 && passes(errors[index]!, errors[index + 1]!)) index++;
  const { keyword, keywordLocation, instanceLocation } = errors[index]!;
  return { pointer: pointerOf(instanceLocation, schema.names, value), keyword: keywordOf(keyword, keywordLocation, schema) };
}

/** `dependencies` with names is a finding itself, with a schema it is followed by that one's. */
function passes(error: OutputUnit, next: OutputUnit): boolean {
  if (error.keyword === 'dependencies') return next.keywordLocation.startsWith(`${error.keywordLocation}/`);
  return PASSING.has(error.keyword);
}

/** The keyword as the schema has it: nodes of the copy may stand for another one. */
function keywordOf(keyword: string, location: string, schema: SchemaBuilder): string {
  const path = location.split('/').slice(1).map(decode);
  const at = path.slice(0, -1);
  let node: unknown = schema.root;
  for (const segment of at) {
    const inner = Array.isArray(node) ? (node as unknown[])[Number(segment)] : (node as { [key: string]: unknown } | undefined)?.[segment];
    node = segment === '$ref' && typeof inner === 'string' ? schema.target(inner) : inner;
  }
  const original = schema.standsFor.get(node);
  if (original !== 'false') return original ?? keyword;
  const last = at.at(-1) ?? '';
  return CLOSING.has(last) ? last : 'false';
}

function pointerOf(location: string, names: ReadonlySet<string>, value: unknown): string {
  let pointer = '';
  let at = value;
  for (const segment of location.split('/').slice(1).map(decode)) {
    if (Array.isArray(at)) {
      at = (at as unknown[])[Number(segment)];
    } else {
      if (!isObject(at) || !names.has(segment)) return pointer;
      at = at[segment];
    }
    pointer = pointerTo(pointer, segment);
  }
  return pointer;
}

function decode(segment: string): string {
  return decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~');
}
