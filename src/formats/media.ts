// Parts of contents that are no text, in forms that have no place for them: what stands for them in the content is what
// is left, and that is told.

import type { MediaPart, MessageData, TranscriptData } from '../model/data.ts';
import type { Loss } from './loss.ts';

const TYPE = /^[a-z][a-z_]{0,31}$/;

/** What is told of a part: its type, and nothing that it holds. */
export function mediaLoss({ part: { type } }: Pick<MediaPart, 'part'>, message: number | null): Loss {
  const known = typeof type === 'string' && TYPE.test(type) ? `a part of type ${type}` : 'a part that is no text';
  return { what: 'field', message, detail: `${known} is not carried` };
}

/** Tells that nothing but text is written of a message. */
export function tellMedia({ parts = [] }: MessageData, message: number, losses: Loss[]): void {
  for (const part of parts) if (typeof part !== 'string') losses.push(mediaLoss(part, message));
  if (parts.length > 1) losses.push({ what: 'field', message, detail: 'parts of content were joined' });
}

/** A message as its text alone. */
export function withoutParts(message: MessageData, index: number, losses: Loss[]): MessageData {
  if (message.parts === undefined) return message;
  tellMedia(message, index, losses);
  const { parts: _, ...text } = message;
  return text;
}

/** A transcript as its texts alone. */
export function withoutMedia(data: TranscriptData, losses: Loss[]): TranscriptData {
  if (!data.messages.some(({ parts }) => parts !== undefined)) return data;
  return { ...data, messages: data.messages.map((message, index) => withoutParts(message, index, losses)) };
}
