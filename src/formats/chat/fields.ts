// Fields of records that are read: objects, what is not carried.

import type { JsonObject as Fields } from '../../tools/json.ts';
import type { Loss } from '../loss.ts';

export { isObject, type JsonObject as Fields } from '../../tools/json.ts';

/** Fields that are not carried; null is the same as absent. */
export function tellOtherFields(
  fields: Fields,
  known: ReadonlySet<string>,
  message: number | null,
  losses: Loss[],
  within = '',
): void {
  for (const key of Object.keys(fields)) {
    if (!known.has(key) && fields[key] !== null) losses.push({ what: 'field', message, detail: `${within}${key}` });
  }
}

/** Values and depth of arguments that are given as values: more than one record of a file may hold. */
export const MOST_ARGUMENTS = [1_200_000, 1024] as const;
export const BAD_ARGUMENTS = 'the arguments of a call are too large or too deep';
