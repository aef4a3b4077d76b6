// What a document asks of who writes a transcript, and what changes nothing in how it is read (R-CONFORM): warnings.

import type { Finding } from '../errors.ts';
import { isToolRecipient } from '../model/attributes.ts';
import type { End, Message, Span } from '../model/message.ts';
import type { TranscriptInfo } from '../model/transcript.ts';
import { askedOf } from './calls.ts';

const INTENTS: ReadonlySet<string> = new Set(['preamble', 'status', 'debug']);

/** What is wrong with what a header says. */
export function* conformOfHeader(message: Message, transcript: TranscriptInfo): Generator<Finding, void, void> {
  const { from, header: { to } } = message;
  const { intent } = message;
  if (intent !== null && !INTENTS.has(intent)) yield { rule: 'unknown-intent', from, to };
  if (message.role !== 'tool') return;
  const { version } = askedOf(transcript);
  if (version === '2.2' && message.name === null) yield { rule: 'missing-tool-name', from, to };
  if (version === '2.0' && message.recipient === null) yield { rule: 'reply-recipient', from, to };
}

/** What an end is judged by. */
export interface Ended {
  readonly role: string | null;
  readonly channel: string;
  readonly recipient: string | null;
  readonly isAmbiguous: boolean;
  readonly isUndispatchable: boolean;
}

/** What is wrong with how a message ended; `at`: its first byte to the end of its header. */
export function* conformOfEnd(
  message: Ended, end: End, transcript: TranscriptInfo, at: Span,
): Generator<Finding, void, void> {
  if (end !== 'end' && end !== 'return') return;
  const { from, to } = at;
  const isAssistant = message.role === 'assistant';
  if (end === 'return' && !(isAssistant && message.channel === 'final')) yield { rule: 'return-not-final', from, to };
  if (!isAssistant || !isToolRecipient(message.recipient) || message.isAmbiguous || message.isUndispatchable) return;
  if (askedOf(transcript).version !== null) yield { rule: 'call-end', from, to };
}
