// A quick yes for the schemas that most tools have: objects, lists and plain values, each with its type. It says only
// that arguments fit; whatever it does not know for certain is left to the library, which finds out what is wrong and
// where.

import { TYPE_ASK, TYPE_BOOLEAN, TYPE_INTEGER, TYPE_NULL, TYPE_NUMBER } from '../abi.ts';
import type { NodeWriter } from './argument-table.ts';
import { isObject, own } from './json.ts';

/** What a schema accepts. */
export interface Accepts {
  /** True: the value fits. False: nobody knows yet. */
  readonly value: (value: unknown) => boolean;
  /** The same, for the scanner, of JSON text. */
  readonly node: NodeWriter;
}

/** Keywords that say nothing about what fits. */
const NOTES: ReadonlySet<string> = new Set(['description', 'title', 'default', 'examples', 'additionalProperties']);
/** Items of a list, and schemas of a definition, that are looked at here. */
const MOST_ITEMS = 1000;
const MOST_SCHEMAS = 1000;

const TYPES: Readonly<Record<string, Accepts>> = {
  string: { value: (value) => typeof value === 'string', node: (table) => table.string(null) },
  number: { value: (value) => typeof value === 'number', node: (table) => table.scalar(TYPE_NUMBER) },
  integer: { value: (value) => Number.isInteger(value), node: (table) => table.scalar(TYPE_INTEGER) },
  boolean: { value: (value) => typeof value === 'boolean', node: (table) => table.scalar(TYPE_BOOLEAN) },
  null: { value: (value) => value === null, node: (table) => table.scalar(TYPE_NULL) },
};

/** Null: the schema says something that is not known here. */
export function acceptsFor(schema: unknown): Accepts | null {
  const budget = { schemas: MOST_SCHEMAS };
  return read(schema, budget);
}

function read(schema: unknown, budget: { schemas: number }): Accepts | null {
  if (!isObject(schema) || budget.schemas-- <= 0) return null;
  const keys = Object.keys(schema).filter((key) => !NOTES.has(key));
  const type = own(schema, 'type');
  if (type === 'object') return keys.every((key) => OBJECT.has(key)) ? readObject(schema, budget) : null;
  if (type === 'array') return keys.every((key) => key === 'type' || key === 'items') ? readList(schema, budget) : null;
  const ofType = typeof type === 'string' && Object.hasOwn(TYPES, type) ? TYPES[type]! : null;
  if (ofType === null || !keys.every((key) => key === 'type' || key === 'enum')) return null;
  if (!keys.includes('enum')) return ofType;
  const values = own(schema, 'enum');
  if (!Array.isArray(values) || values.length > MOST_ITEMS) return null;
  return {
    value: (value) => ofType.value(value) && values.includes(value),
    node: (table) => (type === 'string' ? table.string(values) : table.scalar(TYPE_ASK)),
  };
}

const OBJECT: ReadonlySet<string> = new Set(['type', 'properties', 'required']);

/** Properties that the schema does not name are left to the library. */
function readObject(schema: { readonly [key: string]: unknown }, budget: { schemas: number }): Accepts | null {
  const properties = own(schema, 'properties') ?? {};
  const required = own(schema, 'required') ?? [];
  if (!isObject(properties) || !Array.isArray(required) || !required.every((name) => typeof name === 'string')) {
    return null;
  }
  const known = new Map<string, Accepts>();
  for (const [name, property] of Object.entries(properties)) {
    const accepts = read(property, budget);
    if (accepts === null) return null;
    known.set(name, accepts);
  }
  const names = required as readonly string[];
  const nodes = new Map([...known].map(([name, accepts]) => [name, accepts.node]));
  return { value: (value) => fitsObject(value, known, names), node: (table) => table.object(nodes, names) };
}

function fitsObject(value: unknown, known: ReadonlyMap<string, Accepts>, required: readonly string[]): boolean {
  if (!isObject(value) || !required.every((name) => Object.hasOwn(value, name))) return false;
  for (const name of Object.keys(value)) {
    const accepts = known.get(name);
    if (accepts === undefined || !accepts.value(value[name])) return false;
  }
  return true;
}

function readList(schema: { readonly [key: string]: unknown }, budget: { schemas: number }): Accepts | null {
  const items = read(own(schema, 'items'), budget);
  return items && {
    value: (value) => Array.isArray(value) && value.length <= MOST_ITEMS && value.every(items.value),
    node: (table) => table.list(items.node),
  };
}
