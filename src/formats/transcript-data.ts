// Views as plain data, where that keeps what the views say: data has no place for a header that contradicts itself, or
// for a body that is shown in part.

import { HAS_LINE } from '../abi.ts';
import { messageData, type MessageData, type TranscriptData } from '../model/data.ts';
import { filesData } from '../model/file-data.ts';
import type { Message } from '../model/message.ts';
import type { Transcript } from '../model/parse.ts';
import { hiddenByHeader } from '../model/visibility.ts';
import { isShown } from '../rules/message-data.ts';
import { Refusal } from './loss.ts';

/**
 * A transcript as plain data, with the version of its header as it is written and the files of 0.1; definitions of
 * tools stay in the messages' text, and a prompt that waits for its completion is left out. Throws a Refusal for a
 * message that the data would show though readers hide it, or call though nobody may dispatch it.
 *
 * @example
 * ```ts
 * import { parse } from 'openchatml';
 * import { transcriptData } from 'openchatml/convert';
 *
 * for (const transcript of parse('<|start|>user<|message|>Hi<|end|>').transcripts) {
 *   console.log(transcriptData(transcript).messages[0]?.content); // Hi
 * }
 * ```
 */
export function transcriptData(transcript: Transcript): TranscriptData {
  const { header, version, source } = transcript;
  const messages: MessageData[] = [];
  const starts: number[] = [];
  for (const message of transcript) {
    // Behind what is read of a header that is too long may stand what was said.
    if (message.isOpenTurn && !message.isReadInPart) continue;
    starts.push(message.from);
    const data = messageData(message);
    const refusal = refusalOf(message, data, messages.length);
    if (refusal) throw refusal;
    messages.push(data);
  }
  let before = 0;
  const files = filesData(transcript.files(), source, ({ from }) => {
    while (before < starts.length && starts[before]! < from) before++;
    return before;
  });
  const fields = header && { ...header, ...(version !== null && { version }) };
  return { header: fields, tools: [], messages, ...(files.length > 0 && { files }) };
}

/** Why the data of a message may not stand for it; null: it may. */
export function refusalOf(
  message: Message,
  data: MessageData,
  index: number,
): Refusal | null {
  if (message.isReadInPart) {
    const reason = 'its header is longer than 64 KiB, so that readers hide the message and nobody may dispatch it';
    return new Refusal(index, reason, 'shorten its header');
  }
  if (message.isAmbiguous || message.isUndispatchable) {
    const remedy = 'mend its header: one value for each attribute, one role, one channel';
    return new Refusal(
      index, 'its header contradicts itself, so that readers hide the message and nobody may dispatch it', remedy,
    );
  }
  const isCut = message.leakedChannel !== null || message.openLiteral !== undefined;
  // Whether a call of 0.1 says nothing beside it, which takes long to find out, does not matter.
  if (!isCut && hiddenByHeader(message, {}) === null) return null;
  const reason = message.hiddenReason();
  if (reason === null && message.leakedChannel !== null) {
    const remedy = 'end the message before it with <|end|>';
    return new Refusal(index, 'its text goes on in a hidden channel, and readers show only what stands before', remedy);
  }
  if (reason === null) {
    if (message.openLiteral === undefined) return null;
    return new Refusal(
      index, 'a literal block is not ended, and readers show only what stands before it', 'end it with <|endliteral|>',
    );
  }
  // In 0.1 a call is mapped as one, and all other text is taken for what is shown.
  const wouldShow = message.dialect.flags & HAS_LINE ? reason !== 'call' && reason !== 'role' : isShown(data);
  if (!wouldShow) return null;
  return new Refusal(
    index, `readers hide the message for its ${WORDS[reason] ?? reason}, which the data does not show`,
    'mend its header',
  );
}

const WORDS: Readonly<Record<string, string>> = {
  'missing-channel': 'missing channel', 'missing-start': 'missing start token',
};
