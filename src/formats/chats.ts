// Chat records to text and back, each in one call.

import type { Parsed } from '../model/parse.ts';
import type { DialectId } from '../scan/dialects.ts';
import { fromOpenAI, type ChatRecord } from './chat/read.ts';
import { type ConvertOptions, convertTranscript } from './convert.ts';
import { neutralOf } from './neutral.ts';
import type { Loss } from './loss.ts';
import { transcriptData } from './transcript-data.ts';

/** A transcript as a chat record. */
export interface ChatOfText {
  readonly record: ChatRecord;
  /** What the record has no place for. */
  readonly losses: readonly Loss[];
}

/**
 * The text of a chat record (`{ messages }`, as OpenAI has it) in a dialect. What the dialect has no place for is told
 * in `losses`: those of reading number messages of the record, those of writing messages of the text. Throws a Refusal
 * for what is no chat record or cannot be carried, a RangeError for a wrong dialect.
 *
 * @example
 * ```ts
 * import { chatToText } from 'openchatml';
 *
 * const { text } = chatToText({ messages: [{ role: 'user', content: 'Hi' }] }, 'harmony');
 * console.log(text); // <|start|>user<|message|>Hi<|end|>
 * ```
 */
export function chatToText(
  record: unknown, dialect: DialectId, options: ConvertOptions = {},
): { readonly text: string; readonly losses: readonly Loss[] } {
  const { data, losses } = fromOpenAI(record);
  const written = convertTranscript(data, dialect, options);
  return { text: written.text, losses: [...losses, ...written.losses] };
}

/**
 * The chat records of an input that was read, one for each transcript, as `convertTranscript` makes them. Throws a
 * Refusal.
 */
export function chatsOf({ transcripts }: Parsed): ChatOfText[] {
  return transcripts.map((transcript) => {
    const neutral = neutralOf(transcriptData(transcript), transcript.dialect);
    const { record, losses } = convertTranscript(neutral.data, 'messages');
    return { record, losses: [...neutral.losses, ...losses] };
  });
}
