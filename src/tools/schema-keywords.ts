// Keywords of JSON Schema that are kept, and what each must hold. `format` is an annotation (2020-12 §7.2.1) and is not
// checked; words that are not listed are ignored, as the standard says.

import { isObject } from './json.ts';
import { type SchemaLimits, SchemaRefusal } from './schema-limits.ts';

/** A schema; `items` may be a list of them. */
export const ONE: ReadonlySet<string> = new Set([
  'not', 'if', 'then', 'else', 'additionalProperties', 'unevaluatedProperties', 'propertyNames', 'items',
  'additionalItems',
  'unevaluatedItems', 'contains',
]);
export const SEVERAL: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
/** Schemas by name. `$defs` and `definitions` are reached by reference only. */
export const MAPS: ReadonlySet<string> = new Set([
  'properties', 'patternProperties', 'dependentSchemas', 'dependencies',
]);

/** Keywords that apply a schema to the same value, not to a part of it. */
export const SAME: ReadonlySet<string> = new Set([
  'not', 'if', 'then', 'else', 'allOf', 'anyOf', 'oneOf', 'dependentSchemas', 'dependencies',
]);

const TYPES: ReadonlySet<unknown> = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);

const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);
const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;
const isNames = (value: unknown): boolean => Array.isArray(value) && value.every((name) => typeof name === 'string');
const SHAPES: { readonly [keyword: string]: (value: unknown) => boolean } = {
  type: (value) => TYPES.has(value) || (Array.isArray(value) && value.every((type) => TYPES.has(type))),
  const: () => true,
  enum: Array.isArray,
  required: isNames,
  dependentRequired: (value) => isObject(value) && Object.values(value).every(isNames),
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  multipleOf: (value) => isNumber(value) && (value as number) > 0,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minContains: isCount,
  maxContains: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  uniqueItems: (value) => typeof value === 'boolean',
  pattern: (value) => typeof value === 'string',
};

/** Keywords that hold a value. */
export const VALUES: ReadonlySet<string> = new Set(Object.keys(SHAPES));

/** Whether the value is one that the keyword, which holds a value, may have. */
export const isShaped = (keyword: string, value: unknown): boolean => SHAPES[keyword]!(value);

export function checkKeyword(keyword: string, value: unknown, at: string, limits: SchemaLimits): void {
  if (!isShaped(keyword, value)) throw new SchemaRefusal(at, `not what ${keyword} takes`);
  if (Array.isArray(value) && value.length > limits.members) throw new SchemaRefusal(at, 'too many members');
}
