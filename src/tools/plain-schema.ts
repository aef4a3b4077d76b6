// A quick yes for the schemas that most tools have: objects, lists and plain values, each with its types, alternatives
// of different types, bounds, and what stands among the definitions of a schema. It says only that arguments fit;
// whatever it does not know for certain is left to the library, which finds out what is wrong and where.

import {
  TYPE_ARRAY, TYPE_BOOLEAN, TYPE_INTEGER, TYPE_NULL, TYPE_NUMBER, TYPE_OBJECT, TYPE_STRING,
} from '../abi.ts';
import { isObject, type JsonObject, own } from './json.ts';
import { MAPS, ONE, SEVERAL, VALUES } from './schema-keywords.ts';
import { definedSchema } from './schema-reference.ts';

/** What is known of a schema. A value of a type that is not among `types` is for the library. */
export interface PlainSchema {
  /** Bits of TYPE_. */
  readonly types: number;
  /** Strings that fit; null: all within `bounds`. */
  readonly strings: readonly unknown[] | null;
  /** Numbers and booleans that fit. */
  readonly scalars: readonly unknown[] | null;
  readonly properties: ReadonlyMap<string, PlainSchema>;
  readonly required: readonly string[];
  readonly items: PlainSchema | null;
  /** Of strings (lengths in code points), numbers and lists. */
  readonly bounds: Bounds;
}

interface Bounds {
  readonly length: Range | null;
  readonly number: Range | null;
  readonly items: Range | null;
}

interface Range {
  readonly least: number;
  readonly most: number;
}

type Draft = { -readonly [Key in keyof PlainSchema]: PlainSchema[Key] };

const NOTHING: PlainSchema = {
  types: 0, strings: null, scalars: null, properties: new Map(), required: [], items: null,
  bounds: { length: null, number: null, items: null },
};

/** Items of a list, and schemas of a definition, that are looked at here. */
export const MOST_ITEMS = 1000;
export const MOST_SCHEMAS = 1000;

const BITS: ReadonlyMap<unknown, number> = new Map([
  ['string', TYPE_STRING], ['number', TYPE_NUMBER], ['integer', TYPE_INTEGER], ['boolean', TYPE_BOOLEAN],
  ['null', TYPE_NULL], ['array', TYPE_ARRAY], ['object', TYPE_OBJECT],
]);
const NUMBERS = TYPE_NUMBER | TYPE_INTEGER;
/** What is looked at where no type is named. */
const SCALARS = TYPE_STRING | NUMBERS | TYPE_BOOLEAN | TYPE_NULL;

/** Keywords that are read here. What is no keyword says nothing about what fits. */
const READ: ReadonlySet<string> = new Set([
  'type', 'enum', 'properties', 'required', 'items', 'additionalProperties', 'minLength', 'maxLength', 'minItems',
  'maxItems', 'minimum', 'maximum',
]);
const REFERENCES: ReadonlySet<string> = new Set(['$ref', '$dynamicRef', '$recursiveRef']);
/** Keywords that are left to the library. */
export const isOther = (keyword: string): boolean => !READ.has(keyword)
  && (VALUES.has(keyword) || ONE.has(keyword) || MAPS.has(keyword) || SEVERAL.has(keyword) || REFERENCES.has(keyword));

/** Null: nothing is known here of what fits. */
export function plainSchema(schema: unknown): PlainSchema | null {
  const plain = read(schema, { root: schema, schemas: MOST_SCHEMAS, open: new Set() });
  return plain.types === 0 ? null : plain;
}

interface Reading {
  readonly root: unknown;
  /** Schemas that may still be read. */
  schemas: number;
  /** Those that are named and being read: one that holds itself is left to the library. */
  readonly open: Set<unknown>;
}

function read(schema: unknown, reading: Reading): PlainSchema {
  if (!isObject(schema) || reading.schemas-- <= 0) return NOTHING;
  const others = Object.keys(schema).filter(isOther);
  const [other] = others;
  if (other === undefined) return readTyped(schema, reading);
  if (others.length > 1 || Object.keys(schema).some((keyword) => READ.has(keyword))) return NOTHING;
  const value = own(schema, other);
  switch (other) {
    case 'anyOf':
    case 'oneOf':
      return readAlternatives(value, other === 'oneOf', reading);
    case 'allOf': return Array.isArray(value) && value.length === 1 ? read(value[0], reading) : NOTHING;
    case '$ref': return readNamed(definedSchema(reading.root, value), reading);
    default: return NOTHING;
  }
}

function readNamed(schema: unknown, reading: Reading): PlainSchema {
  const { open } = reading;
  if (open.has(schema)) return NOTHING;
  open.add(schema);
  const plain = read(schema, reading);
  open.delete(schema);
  return plain;
}

/** Alternatives of different types. Those of anyOf that are not known are left out; of oneOf only one may fit. */
function readAlternatives(value: unknown, isOne: boolean, reading: Reading): PlainSchema {
  if (!Array.isArray(value)) return NOTHING;
  const all: Draft = { ...NOTHING };
  for (const schema of value) {
    const one = read(schema, reading);
    const known = all.types & NUMBERS ? all.types | NUMBERS : all.types;
    if (isOne && (one.types === 0 || !isAll(schema, one) || (known & one.types) !== 0)) return NOTHING;
    add(all, one, one.types & ~known);
  }
  return all;
}

/** Whether values of the schema's other types are sure not to fit: nothing that is asked for was left out. */
function isAll(schema: unknown, { types }: PlainSchema): boolean {
  const named = own(schema as JsonObject, 'type');
  return typeof named === 'string' && BITS.get(named) === types && !Object.hasOwn(schema as JsonObject, 'nullable');
}

/** Adds what is known of values of these types. */
function add(all: Draft, { strings, scalars, properties, required, items, bounds }: PlainSchema, types: number): void {
  const had = all.bounds;
  all.types |= types;
  if (types & TYPE_STRING) all.strings = strings;
  // Numbers and booleans share the members.
  if (types & (NUMBERS | TYPE_BOOLEAN) && (scalars !== null || all.scalars !== null)) {
    all.types &= ~(NUMBERS | TYPE_BOOLEAN);
  }
  if (types & TYPE_OBJECT) Object.assign(all, { properties, required });
  if (types & TYPE_ARRAY) all.items = items;
  all.bounds = {
    length: types & TYPE_STRING ? bounds.length : had.length,
    number: types & NUMBERS ? bounds.number : had.number,
    items: types & TYPE_ARRAY ? bounds.items : had.items,
  };
}

function readTyped(schema: JsonObject, reading: Reading): PlainSchema {
  const type = own(schema, 'type');
  const bits =
    type === undefined ? [SCALARS] : (Array.isArray(type) ? type : [type]).map((name) => BITS.get(name) ?? 0);
  if (bits.includes(0)) return NOTHING;
  const plain: Draft = { ...NOTHING, types: bits.reduce((types, bit) => types | bit, 0), bounds: boundsOf(schema) };
  const isNullable = own(schema, 'nullable') === true;
  if (isNullable) plain.types |= TYPE_NULL;
  if (plain.types & TYPE_OBJECT) readObject(plain, schema, reading);
  if (plain.types & TYPE_ARRAY) {
    plain.items = read(own(schema, 'items'), reading);
    if (plain.items.types === 0) plain.types &= ~TYPE_ARRAY;
  }
  const members = own(schema, 'enum');
  return members === undefined ? plain : among(plain, members, isNullable);
}

/** The same, of values that are among the members. */
function among(plain: Draft, members: unknown, isNullable: boolean): PlainSchema {
  if (!Array.isArray(members) || members.length > MOST_ITEMS) return NOTHING;
  plain.types &= ~(TYPE_OBJECT | TYPE_ARRAY);
  if (!isNullable && !members.includes(null)) plain.types &= ~TYPE_NULL;
  plain.strings = plain.scalars = members;
  return plain;
}

function readObject(plain: Draft, schema: JsonObject, reading: Reading): void {
  const properties = own(schema, 'properties') ?? {};
  const required = own(schema, 'required') ?? [];
  if (isObject(properties) && Array.isArray(required) && required.every((name) => typeof name === 'string')) {
    // Properties that the schema does not name are left to the library.
    plain.properties = new Map(Object.entries(properties).map(([name, property]) => [name, read(property, reading)]));
    plain.required = required as string[];
  } else plain.types &= ~TYPE_OBJECT;
}

function boundsOf(schema: JsonObject): Bounds {
  const range = (least: string, most: string): Range | null => {
    const [from = -Infinity, to = Infinity] = [own(schema, least), own(schema, most)] as (number | undefined)[];
    return from === -Infinity && to === Infinity ? null : { least: from, most: to };
  };
  return {
    length: range('minLength', 'maxLength'), number: range('minimum', 'maximum'), items: range('minItems', 'maxItems'),
  };
}

const isIn = (range: Range | null, value: number): boolean =>
  range === null || (range.least <= value && value <= range.most);

/** True: the value fits. False: nobody knows yet. */
export function fitsPlain(plain: PlainSchema, value: unknown): boolean {
  const { types, strings, scalars, bounds } = plain;
  switch (typeof value) {
    case 'string':
      return (types & TYPE_STRING) !== 0 && (strings === null || strings.includes(value))
        && (bounds.length === null || isIn(bounds.length, [...value].length));
    case 'number':
      return (types & (Number.isInteger(value) ? NUMBERS : TYPE_NUMBER)) !== 0
        && (scalars === null || scalars.includes(value)) && isIn(bounds.number, value);
    case 'boolean': return (types & TYPE_BOOLEAN) !== 0 && (scalars === null || scalars.includes(value));
    default:
  }
  if (value === null) return (types & TYPE_NULL) !== 0;
  if (!Array.isArray(value)) return (types & TYPE_OBJECT) !== 0 && fitsObject(plain, value);
  return (types & TYPE_ARRAY) !== 0 && value.length <= MOST_ITEMS && isIn(bounds.items, value.length)
    && value.every((item) => fitsPlain(plain.items!, item));
}

function fitsObject({ properties, required }: PlainSchema, value: unknown): boolean {
  if (!isObject(value) || !required.every((name) => Object.hasOwn(value, name))) return false;
  for (const name of Object.keys(value)) {
    const property = properties.get(name);
    if (property === undefined || !fitsPlain(property, value[name])) return false;
  }
  return true;
}
