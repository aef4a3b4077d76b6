// A quick yes without making a schema ready: of schemas in which nothing is but what plain-schema.ts reads, which are
// sure to be usable. Where definitions do not repeat, making one ready takes longer than all else.

import { isBounded, isObject, type JsonObject } from './json.ts';
import { fitsPlain, isOther, MOST_ITEMS, MOST_SCHEMAS, plainSchema } from './plain-schema.ts';
import { isShaped, VALUES } from './schema-keywords.ts';
import { SCHEMA_LIMITS } from './schema-limits.ts';
import { isWellFormed } from './text.ts';

/** Values in a schema: as JSON it takes less than SCHEMA_LIMITS.bytes, if its text is no longer than MOST_TEXT. */
const MOST_VALUES = 4096;
/** UTF-8 bytes of JSON in which numbers and escapes may become longer when it is written again. */
const MOST_TEXT = SCHEMA_LIMITS.bytes / 8;

/** Whether lists of definitions of so many bytes are short enough to be looked at here. */
export const isShort = (bytes: number): boolean => bytes <= MOST_TEXT;

/**
 * Whether a schema of a list that `isShort` is sure to be usable, and the value to fit it. False: nobody knows yet.
 */
export function fitsSimple(schema: unknown, value: unknown): boolean {
  if (!isBounded(schema, MOST_VALUES, SCHEMA_LIMITS.depth)) return false;
  if (!isSimple(schema, { schemas: MOST_SCHEMAS })) return false;
  const plain = plainSchema(schema);
  return plain !== null && fitsPlain(plain, value);
}

interface Budget {
  schemas: number;
}

function isSimple(schema: unknown, budget: Budget): boolean {
  if (!isObject(schema) || budget.schemas-- <= 0) return false;
  return Object.keys(schema).every((keyword) => isSimpleMember(keyword, schema[keyword], budget));
}

function isSimpleMember(keyword: string, value: unknown, budget: Budget): boolean {
  switch (keyword) {
    case '$schema': return true;
    case 'properties':
      return isObject(value)
        && Object.keys(value).every((name) => isWellFormed(name) && isSimple((value as JsonObject)[name], budget));
    case 'items': return isSimple(value, budget);
    case 'additionalProperties': return typeof value === 'boolean';
    case 'anyOf':
    case 'oneOf':
      return Array.isArray(value) && value.every((schema) => isSimple(schema, budget));
    default:
  }
  if (isOther(keyword)) return false;
  // What is no keyword says nothing about what fits.
  if (!VALUES.has(keyword)) return !keyword.startsWith('$');
  return isShaped(keyword, value) && !(Array.isArray(value) && value.length > MOST_ITEMS);
}
