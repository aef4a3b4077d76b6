// What is told of arguments that do not fit: the keyword, and where the value stands. A name that only the arguments
// hold may be private, so a pointer ends before it.

import { isObject, pointerTo } from './json.ts';
import type { SchemaBuilder } from './schema-node.ts';

/** An error of the validator. */
export interface OutputUnit {
  readonly keyword: string;
  readonly keywordLocation: string;
  readonly instanceLocation: string;
  readonly error: string;
}

/** What is wrong with the arguments of a call, with the place in them as a JSON pointer (RFC 6901). */
export interface ArgumentFinding {
  /** JSON pointer of the value, or of the one around it. */
  readonly pointer: string;
  /**
   * The keyword of JSON Schema that does not hold; `limit`: not checked, beyond a bound; `schema`: the schema was
   * refused.
   */
  readonly keyword: string;
}

/** Keywords that only say that a schema below does not hold: what it says itself is the next in the list. */
const PASSING: ReadonlySet<string> = new Set([
  'properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties', 'items', 'prefixItems',
  'additionalItems',
  'unevaluatedItems', '$ref', 'allOf', 'if', 'dependentSchemas', 'propertyNames',
]);
/** Keywords that are told themselves when the schema they apply is `false`. */
const CLOSING: ReadonlySet<string> = new Set([
  'additionalProperties', 'unevaluatedProperties', 'additionalItems', 'unevaluatedItems', 'items', 'propertyNames',
  'contains',
]);

/** The first of them. */
export function findingOf(errors: readonly OutputUnit[], schema: SchemaBuilder, value: unknown): ArgumentFinding {
  const [error] = tellingErrors(errors);
  const { pointer, keyword } = placedFinding(error!, schema, value);
  return { pointer, keyword };
}

/** Where a finding stands, and what the schema says there. */
export interface PlacedFinding extends ArgumentFinding {
  /** The value stands deeper: the names of the way there are only the arguments' own. */
  readonly isInside: boolean;
  /** The node that holds the keyword. */
  readonly node: unknown;
  /** The node around it, where it holds that one itself. */
  readonly holder: unknown;
}

export function placedFinding(
  { keyword, keywordLocation, instanceLocation }: OutputUnit, schema: SchemaBuilder, value: unknown,
): PlacedFinding {
  const place = pointerOf(instanceLocation, schema.names, value);
  const holder = nodeAt(keywordLocation.slice(0, keywordLocation.lastIndexOf('/')), schema);
  const node = nodeAt(keywordLocation, schema);
  return { ...place, keyword: keywordOf(keyword, keywordLocation, schema), node, holder };
}

/** Errors that say something themselves. */
export function* tellingErrors(errors: readonly OutputUnit[]): Generator<OutputUnit, void, void> {
  // What stands below one of them is only why.
  let told = '';
  for (let index = 0; index < errors.length; index++) {
    const error = errors[index]!;
    if (told !== '' && error.keywordLocation.startsWith(told)) continue;
    if (index < errors.length - 1 && passes(error, errors[index + 1]!)) continue;
    told = `${error.keywordLocation}/`;
    yield error;
  }
}

/** `dependencies` with names is a finding itself, with a schema it is followed by that one's. */
function passes(error: OutputUnit, next: OutputUnit): boolean {
  if (error.keyword === 'dependencies') return next.keywordLocation.startsWith(`${error.keywordLocation}/`);
  return PASSING.has(error.keyword);
}

/** The keyword as the schema has it: nodes of the copy may stand for another one. */
function keywordOf(keyword: string, location: string, schema: SchemaBuilder): string {
  const original = schema.standsFor.get(nodeAt(location, schema));
  if (original !== 'false') return original ?? keyword;
  const last = decodeSegment(location.split('/').at(-2) ?? '');
  return CLOSING.has(last) ? last : 'false';
}

/** The node that holds the keyword at a location. */
function nodeAt(location: string, schema: SchemaBuilder): unknown {
  let node: unknown = schema.root;
  for (const segment of location.split('/').slice(1, -1).map(decodeSegment)) {
    const inner = Array.isArray(node)
      ? (node as unknown[])[Number(segment)]
      : (node as { [key: string]: unknown } | undefined)?.[segment];
    node = segment === '$ref' && typeof inner === 'string' ? schema.target(inner) : inner;
  }
  return node;
}

function pointerOf(
  location: string, names: ReadonlySet<string>, value: unknown,
): { readonly pointer: string; readonly isInside: boolean } {
  let pointer = '';
  let at = value;
  for (const segment of location.split('/').slice(1).map(decodeSegment)) {
    if (Array.isArray(at)) {
      at = (at as unknown[])[Number(segment)];
    } else {
      if (!isObject(at) || !names.has(segment)) return { pointer, isInside: true };
      at = at[segment];
    }
    pointer = pointerTo(pointer, segment);
  }
  return { pointer, isInside: false };
}

/** A segment of a pointer in a URI. */
export function decodeSegment(segment: string): string {
  return decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~');
}
