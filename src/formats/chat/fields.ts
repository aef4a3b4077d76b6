// Fields of records that are read: objects, what is not carried, parts of a content.

import { type Loss, Refusal } from '../loss.ts';

export type Fields = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

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

/** Values and depth of arguments that are given as values. */
export const MOST_ARGUMENTS = [1_000_000, 1024] as const;

/** Types of parts that are text, with the field that holds it. */
const TEXTS: ReadonlyMap<unknown, string> = new Map([
  ['text', 'text'],
  ['input_text', 'text'],
  ['output_text', 'text'],
  ['refusal', 'refusal'],
  ['summary_text', 'text'],
  ['reasoning_text', 'text'],
]);
/** What is shown for a part that is no text, by its type; of another type that type itself. */
const SHOWN: ReadonlyMap<string, string> = new Map([
  ['image_url', 'image'],
  ['input_image', 'image'],
  ['input_audio', 'audio'],
  ['audio_url', 'audio'],
  ['input_file', 'file'],
  ['video_url', 'video'],
  ['input_video', 'video'],
]);
const TYPE = /^[a-z][a-z_]{0,31}$/;

/**
 * Text, or null when there is none. Parts of a list are joined; for one that is no text its kind stands there, as
 * `[image]`, and that is told as a loss. Throws a Refusal for what is no part.
 */
export function readText(value: unknown, field: string, index: number | null, losses: Loss[]): string | null {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return null;
  if (!Array.isArray(value)) throw new Refusal(index, `${field} is no text`, 'give a string');
  let text = '';
  for (const part of value as unknown[]) text += readPart(part, field, index, losses);
  losses.push({ what: 'field', message: index, detail: `parts of ${field} were joined` });
  return text;
}

function readPart(part: unknown, field: string, index: number | null, losses: Loss[]): string {
  if (typeof part === 'string') return part;
  const type = isObject(part) ? part['type'] : undefined;
  const key = TEXTS.get(type);
  if (key !== undefined && typeof (part as Fields)[key] === 'string') {
    tellOtherFields(part as Fields, new Set(['type', key]), index, losses, `${field}.`);
    return (part as Fields)[key] as string;
  }
  if (key !== undefined || typeof type !== 'string' || !TYPE.test(type)) {
    throw new Refusal(index, `${field} has a part that is none that is known`, 'give parts with a type');
  }
  losses.push({ what: 'field', message: index, detail: `a part of type ${type} of ${field} is not carried` });
  return `[${SHOWN.get(type) ?? type}]`;
}
