// Contents of records: text, or a list of parts, of which some may be no text. Of these the content has the kind, as
// `[image]`, and the message the parts, which are written where a form has a place for them.

import type { MediaPart, MessageData } from '../../model/data.ts';
import { isBounded } from '../../tools/json.ts';
import { type Loss, Refusal } from '../loss.ts';
import { mediaLoss, tellMedia } from '../media.ts';
import { counterpart, formOfPart, type PartsForm } from './counterparts.ts';
import { type Fields, isObject, MOST_ARGUMENTS, tellOtherFields } from './fields.ts';

/** What is read of a content: what belongs to the message. */
export type Content = Pick<MessageData, 'content' | 'parts'>;

/** Types of parts that are text, with the field that holds it; those of Bedrock have none. */
const TEXTS: ReadonlyMap<unknown, string> = new Map([
  [undefined, 'text'],
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
 * A content, or null when there is none. `form`: that of the record. Parts of a list are joined; those that are no text
 * stay beside the content. Throws a Refusal for what is no part.
 */
export function readContent(
  value: unknown, field: string, index: number | null, losses: Loss[], form: PartsForm,
): Content | null {
  if (typeof value === 'string') return { content: value };
  if (value === null || value === undefined) return null;
  if (!Array.isArray(value)) throw new Refusal(index, `${field} is no text`, 'give a string');
  const parts = (value as unknown[]).map((part) => readPart(part, field, index, losses, form));
  const content = joined(parts);
  if (parts.some((part) => typeof part !== 'string')) {
    const isRefusal = (part: unknown): boolean => isObject(part) && part['type'] === 'refusal';
    if (value.some(isRefusal)) losses.push({ what: 'field', message: index, detail: 'a refusal becomes text' });
    return { content, parts };
  }
  losses.push({ what: 'field', message: index, detail: `parts of ${field} were joined` });
  return { content };
}

/** The same where nothing but text is kept. */
export function readText(value: unknown, field: string, index: number | null, losses: Loss[]): string | null {
  const read = readContent(value, field, index, losses, 'messages');
  if (read?.parts === undefined) return read?.content ?? null;
  for (const part of read.parts) if (typeof part !== 'string') losses.push(mediaLoss(part, index));
  losses.push({ what: 'field', message: index, detail: `parts of ${field} were joined` });
  return read.content;
}

function readPart(
  part: unknown, field: string, index: number | null, losses: Loss[], form: PartsForm,
): string | MediaPart {
  if (typeof part === 'string') return part;
  const type = isObject(part) ? part['type'] : null;
  const key = TEXTS.get(type);
  if (key !== undefined && typeof (part as Fields)[key] === 'string') {
    tellOtherFields(part as Fields, new Set(['type', key]), index, losses, `${field}.`);
    return (part as Fields)[key] as string;
  }
  if (key !== undefined || typeof type !== 'string' || !TYPE.test(type)) {
    throw new Refusal(index, `${field} has a part that is none that is known`, 'give parts with a type');
  }
  const shown = `[${SHOWN.get(type) ?? type}]`;
  const media = { shown, form: formOfPart(part as Fields, form), part: part as Fields };
  if (isBounded(part, ...MOST_ARGUMENTS)) return media;
  losses.push(mediaLoss(media, index));
  return shown;
}

const joined = (parts: readonly (string | MediaPart)[]): string =>
  parts.map((part) => (typeof part === 'string' ? part : part.shown)).join('');

/** Whose contents may hold parts of other forms; a form's own parts come back from where they were. */
const PLACES: Readonly<Record<PartsForm, ReadonlySet<string | null>>> = {
  messages: new Set(['user']),
  responses: new Set(['system', 'developer', 'user', 'tool']),
  anthropic: new Set(['user', 'tool']),
};
/** Whose contents are text alone. */
const TEXT_ALONE: Readonly<Partial<Record<PartsForm, ReadonlySet<string | null>>>> = {
  anthropic: new Set(['system', 'developer']),
};

/** The content of a message in a form: its parts where the form has a place for one that is no text, else its text. */
export function contentFor(
  message: MessageData, form: PartsForm, index: number, losses: Loss[],
): string | readonly object[] {
  const { content, parts, role } = message;
  if (parts === undefined) return content;
  if (joined(parts) !== content || TEXT_ALONE[form]?.has(role) === true) {
    tellMedia(message, index, losses);
    return content;
  }
  const type = form !== 'responses' ? 'text' : role === 'assistant' ? 'output_text' : 'input_text';
  const told: Loss[] = [];
  let count = 0;
  const written = parts.map((part): object => {
    if (typeof part === 'string') return { type, text: part };
    const isPlaced = part.form === form || PLACES[form].has(role);
    const own = isPlaced ? counterpart(part, form, index, told) : null;
    if (own === null) told.push(mediaLoss(part, index));
    else count++;
    return own ?? { type, text: part.shown };
  });
  if (count === 0) {
    tellMedia(message, index, losses);
    return content;
  }
  for (const loss of told) losses.push(loss);
  return written;
}
