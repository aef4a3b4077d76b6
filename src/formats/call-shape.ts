// Calls as texts have them: on commentary, with the type of their arguments (2.2 §§8.1, 12.4), and builtin tools
// without `functions.` (2.0 §8.1).

import type { MessageData, TranscriptData } from '../model/data.ts';
import { builtinsOf } from '../model/header/document.ts';
import { isCall } from '../rules/message-data.ts';
import { isBuiltin, plainName } from '../tools/name.ts';
import { FUNCTIONS } from '../tools/types.ts';
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

/**
 * Builtin tools stand without `functions.` (R-BUILTIN), as recipients and as names of replies, where no function of
 * that name is defined.
 */
export function withPlainBuiltins({ header, tools, messages }: TranscriptData): {
  messages: readonly MessageData[]; losses: Loss[];
} {
  const builtins = builtinsOf(header);
  const functions = new Set(tools.filter(({ namespace }) => namespace === FUNCTIONS).map(({ name }) => name));
  const losses: Loss[] = [];
  const named = messages.map((message, index): MessageData => {
    const what = isCall(message) ? 'recipient' : message.role === 'tool' ? 'name' : null;
    const said = what === null ? null : (message[what] ?? null);
    if (what === null || said === null) return message;
    const name = plainName(said);
    if (name === said || !isBuiltin(name, builtins) || functions.has(name)) return message;
    losses.push({ what, message: index, detail: 'a builtin tool stands without functions.' });
    return { ...message, [what]: name };
  });
  return losses.length === 0 ? { messages, losses } : { messages: named, losses };
}

/** A builtin tool may take anything: python takes code, which may look like JSON. */
const isArguments = ({ recipient, content }: MessageData): boolean =>
  (recipient!.startsWith('functions.') || content.trimStart().startsWith('{')) && isJson(content);
