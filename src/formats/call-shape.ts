// Calls as 2.x and Harmony have them: on commentary, and with the type of their arguments (2.2 §§8.1, 12.4).

import type { MessageData } from '../model/data.ts';
import { isCall } from '../rules/message-data.ts';
import type { Loss } from './loss.ts';
import { isJson } from './v01/json.ts';

const TOLD = 'a call without a channel stands on commentary';

/** Calls without a channel stand on commentary; with `constrain`, JSON arguments that say no type bind to it. */
export function withCallShape(
  messages: readonly MessageData[], constrain: boolean,
): { messages: readonly MessageData[]; losses: Loss[] } {
  const losses: Loss[] = [];
  const shaped = messages.map((message, index): MessageData => {
    if (!isCall(message)) return message;
    const isPlaced = message.channel !== null && message.channel !== undefined;
    const isTyped = message.contentType !== null && message.contentType !== undefined;
    const binds = constrain && !isTyped && isArguments(message);
    if (isPlaced && !binds) return message;
    if (!isPlaced) losses.push({ what: 'channel', message: index, detail: TOLD });
    return {
      ...message,
      ...(!isPlaced && { channel: 'commentary' }),
      ...(binds && { contentType: 'json', constrained: true }),
    };
  });
  return { messages: shaped, losses };
}

/** A builtin tool may take anything: python takes code, which may look like JSON. */
const isArguments = ({ recipient, content }: MessageData): boolean =>
  (recipient!.startsWith('functions.') || content.trimStart().startsWith('{')) && isJson(content);
