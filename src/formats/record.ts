// A message as a record: the columns of `messages`, in their order, without the file's path.

import type { End, Message } from '../model/message.ts';
import type { TranscriptInfo } from '../model/transcript.ts';
import { isVisible } from '../rules/visibility.ts';

export interface MessageRecord {
  /** Number of the record in its container; null in raw text. */
  readonly record: number | null;
  /** Number of the transcript in the file, and of the message in the transcript; both from 0. */
  readonly transcript: number;
  readonly index: number;
  readonly role: string | null;
  readonly name: string | null;
  readonly recipient: string | null;
  readonly channel: string;
  readonly explicit_channel: string | null;
  readonly content_type: string | null;
  readonly intent: string | null;
  readonly call_id: string | null;
  readonly end: End;
  /** An end user may see the message (R-VISIBLE). */
  readonly visible: boolean;
  /** Byte positions in the file. */
  readonly from: number;
  readonly to: number;
  readonly body_from: number;
  readonly body_to: number;
}

/** All columns but `content`, which may be too long for a string. */
export function messageRecord(
  message: Message,
  transcript: TranscriptInfo,
  index: number,
  source: { bytes(from: number, to: number): Uint8Array },
): MessageRecord {
  const { body } = message;
  return {
    record: null,
    transcript: transcript.number,
    index,
    role: message.role,
    name: message.name,
    recipient: message.recipient,
    channel: message.channel,
    explicit_channel: message.explicitChannel,
    content_type: message.contentType,
    intent: message.intent,
    call_id: message.callId,
    end: message.end,
    visible: isVisible(message, transcript, source),
    from: message.from,
    to: message.to,
    body_from: body.from,
    body_to: body.to,
  };
}
