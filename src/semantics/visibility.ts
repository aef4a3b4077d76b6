// Who may see a message: one allow-list (R-VISIBLE).

import { HAS_LINE } from '../abi.ts';
import { isToolRecipient } from '../model/attributes.ts';
import { isBlank } from '../model/bytes.ts';
import type { Message } from '../model/message.ts';
import { readThoughts } from '../model/thoughts.ts';
import type { TranscriptInfo } from '../model/transcript.ts';

/** Roles whose messages must have a channel in this transcript (R-CHANNEL-MISSING). */
export function rolesWithChannel(transcript: TranscriptInfo): readonly string[] {
  if (transcript.dialect.id === 'harmony') return ['assistant'];
  return transcript.header?.requiresChannels ? ['assistant', 'tool'] : [];
}

/** The message has no channel where one is required. */
export function lacksChannel(message: Message, transcript: TranscriptInfo): boolean {
  const roles = rolesWithChannel(transcript);
  return roles.length > 0 && message.explicitChannel === null && message.role !== null && roles.includes(message.role);
}

/** True when an end user may see the message: everything that is not on the list is hidden. */
export function isVisible(
  message: Message,
  transcript: TranscriptInfo,
  source: { bytes(from: number, to: number): Uint8Array },
): boolean {
  if (typeof transcript?.dialect?.flags !== 'number') {
    throw new TypeError('isVisible: expected what a transcript is read as, `transcript.info`');
  }
  const { role } = message;
  if (role !== 'user' && role !== 'assistant') return false;
  if (message.isAmbiguous || isToolRecipient(message.recipient)) return false;
  const { channel } = message;
  const shown =
    channel === 'final' ? message.intent !== 'debug' : role === 'assistant' && channel === 'commentary' && message.intent === 'preamble';
  if (!shown || message.isOpenTurn || lacksChannel(message, transcript)) return false;
  if (message.missingStart === 'missing' && !message.reading.meaning.hasChannelField) return false;
  return !(message.dialect.flags & HAS_LINE) || role !== 'assistant' || !isBareCall(message, source);
}

/** What is shown of a 0.1 call holds nothing but white space (R-CALL): its thoughts hidden, cut at its first function call. */
function isBareCall(message: Message, source: { bytes(from: number, to: number): Uint8Array }): boolean {
  const { from, to } = message.body;
  const { thoughts, calls } = readThoughts(message.marks(), to);
  const first = calls[0];
  if (!first) return false;
  let at = from;
  for (const thought of [...thoughts, { from: first.from, to: first.from }]) {
    const until = Math.min(thought.from, first.from);
    if (until > at) {
      const bytes = source.bytes(at, until);
      if (!isBlank(bytes, 0, bytes.length)) return false;
    }
    at = Math.max(at, thought.to);
  }
  return true;
}
