// A quick yes without making a schema ready: of schemas in which nothing is but what plain-schema.ts reads, which are
// sure to be usable. Where definitions do not repeat, making one ready takes longer than all else.

import { isBounded, isObject } from './json.ts';
import { fitsPlain, isOther, MOST_ITEMS, MOST_SCHEMAS, plainSchema } from './plain-schema.ts';
import { isShaped, VALUES } from './schema-keywords.ts';
import { SCHEMA_LIMITS } from './schema-limits.ts';
import { definedSchema } from './schema-reference.ts';
import { isWellFormed } from './text.ts';

/** Values in a schema: as JSON it takes less than SCHEMA_LIMITS.bytes, if its text is no longer than MOST_TEXT. */
const MOST_VALUES = 4096;
/** UTF-8 bytes of JSON in which numbers and escapes may become longer when it is written again. */
const MOST_TEXT = SCHEMA_LIMITS.bytes / 8;

/** Whether lists of definitions of so many bytes are short enough to be looked at here. */
export const isShort = (bytes: number): boolean => bytes <= MOST_TEXT;

/** Schemas that name one another, which take room on a stack. */
const MOST_NAMED = 2;

/**
 * Whether a schema of a list that `isShort` is sure to be usable, and the value to fit it. False: nobody knows yet.
 */
export function fitsSimple(schema: unknown, value: unknown): boolean {
  if (!isBounded(schema, MOST_VALUES, SCHEMA_LIMITS.depth)) return false;
  if (!isSimple(schema, { root: schema, schemas: MOST_SCHEMAS, named: 0 })) return false;
  const plain = plainSchema(schema);
  return plain !== null && fitsPlain(plain, value);
}

interface Walk {
  readonly root: unknown;
  schemas: number;
  named: number;
}

function isSimple(schema: unknown, walk: Walk): boolean {
  if (!isObject(schema) || walk.schemas-- <= 0) return false;
  return Object.keys(schema).every((keyword) => isSimpleMember(keyword, schema[keyword], walk));
}

function isSimpleMember(keyword: string, value: unknown, walk: Walk): boolean {
  switch (keyword) {
    // What is defined counts where it is named.
    case '$schema':
    case '$defs':
      return true;
    case '$ref': return isSimpleNamed(definedSchema(walk.root, value), walk);
    case 'properties':
      return isObject(value) && Object.keys(value).every((name) => isWellFormed(name) && isSimple(value[name], walk));
    case 'items': return isSimple(value, walk);
    case 'additionalProperties': return typeof value === 'boolean' || isSimple(value, walk);
    case 'anyOf':
    case 'oneOf':
    case 'allOf':
      return Array.isArray(value) && value.every((one) => isSimple(one, walk));
    default:
  }
  if (isOther(keyword)) return false;
  // What is no keyword says nothing about what fits.
  if (!VALUES.has(keyword)) return !keyword.startsWith('$');
  return isShaped(keyword, value) && !(Array.isArray(value) && value.length > MOST_ITEMS);
}

function isSimpleNamed(schema: unknown, walk: Walk): boolean {
  if (walk.named === MOST_NAMED) return false;
  walk.named++;
  const is = isSimple(schema, walk);
  walk.named--;
  return is;
}
